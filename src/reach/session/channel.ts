import { createInterface } from 'node:readline';
import type { ExecStream } from '../../cluster/http/exec.ts';
import { readAnswer } from '../../protocol/answers.ts';
import type { AgentRecord } from '../../protocol/protocol.gen.ts';

/** One exec that answers many commands, one after the other (the agent's `serve`). */
interface Channel {
  /** False once the connection has ended: kubelet's restart ends all of them. */
  isOpen(): boolean;
  ask(args: readonly string[]): Promise<readonly AgentRecord[]>;
  close(): void;
}

/** Every answer ends with this record; it stands alone on its line. */
const isEnd = (line: string) => line.includes('"kind":"end"');

function openChannel(stream: ExecStream): Channel {
  const lines = createInterface({ input: stream.stdout })[Symbol.asyncIterator]();
  let open = true;
  void stream.status.then(() => {
    open = false;
  });
  return {
    isOpen: () => open,
    async ask(args) {
      stream.stdin.write(`${args.join(' ')}\n`);
      const answer: string[] = [];
      for (let line = await lines.next(); ; line = await lines.next()) {
        if (line.done) throw await brokenChannel(stream, args);
        answer.push(line.value);
        if (isEnd(line.value)) return readAnswer(answer.join('\n'));
      }
    },
    close: () => stream.close(),
  };
}

async function brokenChannel(stream: ExecStream, [command = '']: readonly string[]): Promise<Error> {
  const { message } = await stream.status;
  return new Error(`the connection to the agent broke during ${command}${message && `: ${message}`}`);
}

/** Connections of one session that are open at the same time. */
const mostChannels = 6;

/** Channels of one node: an idle one is used again, another is opened while all are busy. */
export class Channels {
  readonly #open: (signal: AbortSignal) => Promise<ExecStream>;
  readonly #ended = new AbortController();
  readonly #idle: Channel[] = [];
  readonly #waiting: (() => void)[] = [];
  #busy = 0;

  constructor(open: (signal: AbortSignal) => Promise<ExecStream>) {
    this.#open = open;
  }

  /**
   * A channel on which something went wrong, or which was left in the middle of an answer, is not used again.
   * @throws AgentError when the agent refuses; the signal's reason when it aborts
   */
  async ask(args: readonly string[], signal: AbortSignal): Promise<readonly AgentRecord[]> {
    signal.throwIfAborted();
    const channel = await this.#take();
    const abort = () => channel.close();
    signal.addEventListener('abort', abort, { once: true });
    let whole = false;
    try {
      const answer = await channel.ask(args).catch((error: unknown) => {
        whole = isAnswer(error);
        throw error;
      });
      whole = true;
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
      this.#give(channel, whole && !signal.aborted);
    }
  }

  close(): void {
    this.#ended.abort(new Error('the session is closed'));
  }

  async #take(): Promise<Channel> {
    while (this.#busy >= mostChannels) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#busy += 1;
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) if (idle.isOpen()) return idle;
    try {
      return openChannel(await this.#open(this.#ended.signal));
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  #give(channel: Channel, usable: boolean): void {
    if (usable) this.#idle.push(channel);
    else channel.close();
    this.#release();
  }

  #release(): void {
    this.#busy -= 1;
    this.#waiting.shift()?.();
  }
}

/** The agent said no, in a whole answer: the channel is well. */
const isAnswer = (error: unknown) => error instanceof Error && error.name === 'AgentError';

import { createInterface, type Interface } from 'node:readline';
import type { ExecStream } from '../../cluster/http/exec.ts';
import { readAnswer } from '../../protocol/answers.ts';
import { type AgentRecord, decodeRecord } from '../../protocol/protocol.gen.ts';
import type { Conversation } from './conversation.ts';

/** Every answer ends with this record; it stands alone on its line. */
const isEnd = (line: string) => line.includes('"kind":"end"');

/** One exec that answers many lines, one after the other (the agent's `serve`). */
class Channel {
  /** Exchanges that are under way or wait. */
  load = 0;
  /** False once the connection has ended (kubelet's restart ends all of them), or an exchange was left in its middle. */
  isOpen = true;
  readonly #stream: Promise<ExecStream>;
  #lines: AsyncIterator<string> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(stream: Promise<ExecStream>) {
    this.#stream = stream;
    const ended = () => {
      this.isOpen = false;
    };
    stream.then(({ status }) => status).then(ended, ended);
  }

  /** @returns the lines of the answer, up to the first that is the last of this exchange */
  exchange(line: string, isLast: (line: string) => boolean, signal: AbortSignal): Promise<readonly string[]> {
    this.load += 1;
    const done = this.#last
      .then(() => this.#exchange(line, isLast, signal))
      .finally(() => {
        this.load -= 1;
      });
    this.#last = done.catch(() => undefined);
    return done;
  }

  close(): void {
    this.isOpen = false;
    this.#stream.then(
      (stream) => stream.close(),
      () => undefined,
    );
  }

  async #exchange(line: string, isLast: (line: string) => boolean, signal: AbortSignal) {
    signal.throwIfAborted();
    const stream = await this.#stream;
    const abort = () => this.close();
    signal.addEventListener('abort', abort, { once: true });
    try {
      stream.stdin.write(`${line}\n`);
      return await this.#answer(stream, line, isLast);
    } catch (error) {
      this.close();
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  async #answer(stream: ExecStream, line: string, isLast: (line: string) => boolean) {
    this.#lines ??= linesOf(createInterface({ input: stream.stdout }));
    const answer: string[] = [];
    for (;;) {
      const next = await this.#lines.next();
      if (next.done) throw await brokenChannel(stream, line);
      answer.push(next.value);
      if (isLast(next.value)) return answer;
    }
  }
}

const linesOf = (lines: Interface) => lines[Symbol.asyncIterator]();

async function brokenChannel(stream: ExecStream, line: string): Promise<Error> {
  const command = line.split(' ').find((word) => /^[a-z-]+$/.test(word)) ?? line;
  const { message } = await stream.status;
  return new Error(`the connection to the agent broke during ${command}${message && `: ${message}`}`);
}

/** Connections of one session that are open at the same time. */
const mostChannels = 6;

/** Channels of one node: an idle one is used again, another is opened while all are busy. */
export class Channels {
  readonly #open: (signal: AbortSignal) => Promise<ExecStream>;
  readonly #ended = new AbortController();
  #channels: readonly Channel[] = [];
  #conversations = 0;

  constructor(open: (signal: AbortSignal) => Promise<ExecStream>) {
    this.#open = open;
  }

  /** @throws AgentError when the agent refuses; the signal's reason when it aborts */
  async ask(args: readonly string[], signal: AbortSignal): Promise<readonly AgentRecord[]> {
    signal.throwIfAborted();
    return readAnswer((await this.#take().exchange(args.join(' '), isEnd, signal)).join('\n'));
  }

  /**
   * @param waits how many records of this kind come before the agent waits
   * @throws AgentError when the agent refuses at once
   */
  async converse(
    args: readonly string[],
    waits: { readonly kind: AgentRecord['kind']; readonly count: number },
    signal: AbortSignal,
  ): Promise<Conversation> {
    signal.throwIfAborted();
    const channel = this.#take();
    this.#conversations += 1;
    const id = String(this.#conversations);
    let missing = waits.count;
    const isLast = (line: string) => {
      if (!isEnd(line) && decodeRecord(line).kind === waits.kind) missing -= 1;
      return isEnd(line) || missing === 0;
    };
    const begin = `+${id} ${waits.count} ${waits.kind} ${args.join(' ')}`;
    const opening = await channel.exchange(begin, isLast, signal);
    if (isEnd(opening.at(-1) ?? '')) return readAnswer(opening.join('\n')) && refused();
    let told = false;
    const say = async (word: string) => {
      told = true;
      const rest = await channel.exchange(`=${id} ${word}`, isEnd, signal);
      return readAnswer([...opening, ...rest].join('\n'));
    };
    return {
      opening: opening.map(decodeRecord),
      say,
      close: () => {
        if (!told) say('look').catch(() => undefined); // any word but two means: look for yourself
      },
    };
  }

  close(): void {
    this.#ended.abort(new Error('the session is closed'));
  }

  #take(): Channel {
    this.#channels = this.#channels.filter(({ isOpen }) => isOpen);
    const [first] = this.#channels.toSorted((a, b) => a.load - b.load);
    if (first && (first.load === 0 || this.#channels.length >= mostChannels)) return first;
    const channel = new Channel(this.#open(this.#ended.signal));
    this.#channels = [...this.#channels, channel];
    return channel;
  }
}

function refused(): never {
  throw new Error('the agent ended before it was told what to do');
}

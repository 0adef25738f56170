import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { ensureDebianPackages } from '../../../scripts/setup/debian.mjs';

type Json = Readonly<Record<string, unknown>>;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Json;
  readonly result?: Json;
  readonly error?: { readonly message: string };
  readonly sessionId?: string;
}

/** A page of a real browser. */
export interface Page {
  /** Whatever the browser said of it: requests, errors, refusals. */
  readonly events: readonly Message[];
  send(method: string, params?: Json): Promise<Json>;
  open(url: string): Promise<void>;
  /** The value of an expression in the page. */
  value<T>(expression: string): Promise<T>;
  /** Puts a text into a field as a person would, letter by letter. */
  type(text: string): Promise<void>;
  click(selector: string): Promise<void>;
}

export interface Browser {
  page(): Promise<Page>;
  close(): Promise<void>;
}

/** A headless Chromium, spoken to over a pipe (https://chromedevtools.github.io/devtools-protocol). */
export async function startBrowser(): Promise<Browser> {
  await ensureDebianPackages(['chromium-headless-shell'], console.error);
  const profile = await mkdtemp(join(tmpdir(), 'kubectl-csi-browser-'));
  // Chromium refuses its sandbox to root; what it shows here is our own page.
  const flags = ['--no-sandbox', '--disable-gpu', '--remote-debugging-pipe', `--user-data-dir=${profile}`];
  const child = spawn('chromium-headless-shell', flags, {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  const wire = new Wire(child);
  return {
    page: () => openPage(wire),
    async close() {
      const ended = new Promise((resolve) => child.once('close', resolve));
      await Promise.race([wire.send('Browser.close'), ended]).catch(() => undefined);
      child.kill('SIGKILL');
      await ended;
      await rm(profile, { recursive: true, force: true });
    },
  };
}

/** Messages are JSON, each ended by a NUL. */
class Wire {
  readonly #out: Writable;
  readonly #waiting = new Map<number, (message: Message) => void>();
  readonly listeners: ((message: Message) => void)[] = [];
  #next = 1;
  #rest = '';

  constructor({ stdio }: ChildProcess) {
    this.#out = stdio[3] as Writable;
    (stdio[4] as Readable).setEncoding('utf8').on('data', (text: string) => this.#take(text));
    this.#out.on('error', () => undefined);
  }

  #take(text: string): void {
    const parts = (this.#rest + text).split('\0');
    this.#rest = parts.pop() ?? '';
    for (const part of parts) {
      const message = JSON.parse(part) as Message;
      if (message.id === undefined) for (const listener of this.listeners) listener(message);
      else this.#waiting.get(message.id)?.(message);
    }
  }

  send(method: string, params: Json = {}, sessionId?: string): Promise<Json> {
    const id = this.#next++;
    const answer = new Promise<Json>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${method}: no answer in 20 s`)), 20_000);
      this.#waiting.set(id, ({ result = {}, error }) => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        if (error) reject(new Error(`${method}: ${error.message}`));
        else resolve(result);
      });
    });
    this.#out.write(`${JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) })}\0`);
    return answer;
  }
}

async function openPage(wire: Wire): Promise<Page> {
  const { targetId } = await wire.send('Target.createTarget', { url: 'about:blank' });
  const attached = await wire.send('Target.attachToTarget', { targetId, flatten: true });
  const session = attached.sessionId as string;
  const events: Message[] = [];
  wire.listeners.push((message) => {
    if (message.sessionId === session) events.push(message);
  });
  const send = (method: string, params?: Json) => wire.send(method, params, session);
  for (const domain of ['Page', 'Runtime', 'Network', 'Log']) await send(`${domain}.enable`);
  const value = async <T>(expression: string): Promise<T> => {
    const { result, exceptionDetails } = await send('Runtime.evaluate', { expression, returnByValue: true });
    if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
    return (result as { value: T }).value;
  };
  return {
    events,
    send,
    value,
    open: async (url) => {
      const loaded = new Promise<void>((resolve) =>
        wire.listeners.push(({ method, sessionId }) => {
          if (method === 'Page.loadEventFired' && sessionId === session) resolve();
        }),
      );
      await send('Page.navigate', { url });
      await loaded;
    },
    type: async (text) => {
      for (const letter of text) await send('Input.insertText', { text: letter });
    },
    click: async (selector) => {
      await value(`document.querySelector(${JSON.stringify(selector)}).scrollIntoView({ block: 'center' })`);
      const box = await value<{ x: number; y: number }>(
        `(({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 }))(document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect())`,
      );
      const press = { ...box, button: 'left', clickCount: 1 };
      await send('Input.dispatchMouseEvent', { type: 'mousePressed', ...press });
      await send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...press });
    },
  };
}

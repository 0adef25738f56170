import type { NodeView } from '../diagnose/view.ts';

interface Look {
  /** Milliseconds since the epoch at its beginning: what changed later may not be in it. */
  readonly at: number;
  readonly view: NodeView;
}

/** Looks at one node. Repairs that run side by side share a look; nobody gets one that began before they asked. */
export class Looks {
  readonly #look: () => Promise<NodeView>;
  #last: Look | undefined;
  #changedAt = 0;
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<NodeView> | undefined;

  constructor(look: () => Promise<NodeView>, first: NodeView | undefined, at: number) {
    this.#look = look;
    this.#last = first && { view: first, at };
  }

  /** Something was done on the node. */
  changed(): void {
    this.#changedAt = Date.now();
  }

  /** @param maxAgeMs milliseconds; a look so recent serves again, if nothing was done on the node since */
  async take(maxAgeMs: number): Promise<NodeView> {
    const last = this.#last;
    if (last && Date.now() - last.at <= maxAgeMs && last.at > this.#changedAt) return last.view;
    this.#next ??= this.#afterRunning();
    return this.#next;
  }

  async #afterRunning(): Promise<NodeView> {
    await this.#running.catch(() => undefined);
    this.#next = undefined;
    const at = Date.now();
    const looking = this.#look();
    this.#running = looking;
    const view = await looking;
    this.#last = { at, view };
    return view;
  }
}

interface Closable {
  close(): void;
}

/** Lets in so many at a time; each stays until it is closed. */
export class Gate {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(width: number) {
    this.#free = width;
  }

  async enter<T extends Closable>(open: () => Promise<T>): Promise<T> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#free -= 1;
    try {
      return this.#leaving(await open());
    } catch (error) {
      this.#leave();
      throw error;
    }
  }

  #leaving<T extends Closable>(inside: T): T {
    let left = false;
    const close = () => {
      inside.close();
      if (!left) this.#leave();
      left = true;
    };
    return { ...inside, close };
  }

  /** The place goes to the next in line, or is free. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }
}

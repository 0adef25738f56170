import { countOf } from '../../model/count.ts';
import type { Move } from './places.ts';

/** What one restart on one node did, for the reader. */
export class Account {
  /** Old file systems that containers were taken off. */
  readonly devices = new Set<string>();
  /** Targets whose requests cannot be built, with --force. */
  readonly refused = new Set<string>();
  readonly #containers = new Set<string>();
  readonly #volumes = new Set<string>();
  #longest = 0;

  /** @param window microseconds */
  moved({ volume, namespace }: Move, window: number): void {
    this.#containers.add(namespace.inode);
    this.#volumes.add(volume.handle);
    this.#longest = Math.max(this.#longest, window);
  }

  get summary(): readonly string[] {
    if (this.#containers.size === 0) return [];
    const longest = (this.#longest / 1000).toFixed(1);
    return [
      `${countOf(this.#containers.size, 'container')} on ${countOf(this.#volumes.size, 'volume')} moved to a second driver and back; longest swap ${longest} ms`,
    ];
  }
}

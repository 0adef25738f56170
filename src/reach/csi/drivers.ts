import type { NodeClient } from './node-client.ts';

/** Connections to drivers of one node, shared by those who use them at the same time. */
export class Drivers {
  readonly #open = new Map<string, Promise<NodeClient>>();
  readonly #signal: AbortSignal;

  /** @param signal ends what is still open */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** A client whose `close` gives it back; after a failed call the next one gets a connection of its own. */
  async get(endpoint: string, connect: () => Promise<NodeClient>): Promise<NodeClient> {
    const opening = this.#open.get(endpoint) ?? this.#connect(endpoint, async () => sharing(await connect()));
    const forget = () => {
      if (this.#open.get(endpoint) === opening) this.#open.delete(endpoint);
    };
    return forgetting(await opening.catch(rethrowAfter(forget)), forget);
  }

  /** Ends what is open to this socket: whoever listens there next is another process. */
  async end(endpoint: string): Promise<void> {
    const opening = this.#open.get(endpoint);
    this.#open.delete(endpoint);
    const client = await opening?.catch(() => undefined);
    client?.close();
  }

  #connect(endpoint: string, connect: () => Promise<NodeClient>): Promise<NodeClient> {
    const opening = connect();
    this.#open.set(endpoint, opening);
    this.#signal.addEventListener(
      'abort',
      () =>
        void opening.then(
          (client) => client.close(),
          () => undefined,
        ),
      {
        once: true,
      },
    );
    return opening;
  }
}

const rethrowAfter = (forget: () => void) => (error: unknown) => {
  forget();
  throw error;
};

/** The same client, which is not used for new work once a call on it failed. */
function forgetting(client: NodeClient, forget: () => void): NodeClient {
  const watched =
    <A extends unknown[], T>(call: (...args: A) => Promise<T>) =>
    (...args: A) =>
      call(...args).catch(rethrowAfter(forget));
  return {
    probe: watched(client.probe),
    capabilities: watched(client.capabilities),
    stage: watched(client.stage),
    publish: watched(client.publish),
    unpublish: watched(client.unpublish),
    unstage: watched(client.unstage),
    stats: watched(client.stats),
    close: () => undefined,
  };
}

/** Those who ask the same at the same time get the same answer: a driver has many volumes. */
function sharing(client: NodeClient): NodeClient {
  return { ...client, probe: shared(client.probe), capabilities: shared(client.capabilities) };
}

function shared<A extends unknown[], T>(ask: (...args: A) => Promise<T>): (...args: A) => Promise<T> {
  let asking: Promise<T> | undefined;
  return (...args) => {
    asking ??= ask(...args).finally(() => {
      asking = undefined;
    });
    return asking;
  };
}

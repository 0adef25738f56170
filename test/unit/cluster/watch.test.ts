import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { Api, WatchEvent } from '../../../src/cluster/api.ts';
import { resolveTarget } from '../../../src/cluster/connection/target.ts';
import { createTransport } from '../../../src/cluster/connection/transport.ts';
import { isForbidden, isGone } from '../../../src/cluster/errors.ts';
import { watchEvents } from '../../../src/cluster/http/watch.ts';
import { apiFor } from './support/kubeconfig.ts';
import { refuse, startServer, type TestServer } from './support/server.ts';

interface Item {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
}

const event = (type: string, name: string, resourceVersion: string) =>
  `${JSON.stringify({ type, object: { metadata: { name, resourceVersion } } })}\n`;

describe('watch', () => {
  let server: TestServer;
  let api: Api;
  let script: readonly ((response: ServerResponse) => unknown)[];

  beforeEach(async () => {
    let turn = 0;
    server = await startServer((_, response) => script[turn++]?.(response));
    api = await apiFor(server.url);
  });
  afterEach(() => server.close());

  async function collect(count: number): Promise<readonly WatchEvent<Item>[]> {
    const stop = new AbortController();
    const events: WatchEvent<Item>[] = [];
    for await (const one of api.watch<Item>('/api/v1/pods', { resourceVersion: '1' }, stop.signal)) {
      events.push(one);
      if (events.length === count) stop.abort();
    }
    return events;
  }

  const versions = () =>
    server.requests.map(({ url }) => new URL(url, 'http://x').searchParams.get('resourceVersion'));

  it('yields events, also when a chunk ends in the middle of a letter', async () => {
    const bytes = Buffer.from(event('ADDED', 'ä', '2') + event('MODIFIED', 'b', '3'));
    const middle = bytes.indexOf('ä') + 1;
    script = [
      async (response) => {
        response.write(bytes.subarray(0, middle));
        await new Promise((resolve) => setTimeout(resolve, 20));
        response.write(bytes.subarray(middle));
      },
    ];
    const events = await collect(2);
    assert.deepEqual(
      events.map(({ type, object }) => [type, object.metadata.name]),
      [
        ['ADDED', 'ä'],
        ['MODIFIED', 'b'],
      ],
    );
  });

  it('goes on where it stopped after a broken and after an ended connection', async () => {
    script = [
      (response) => response.write(event('ADDED', 'a', '5'), () => setTimeout(() => response.destroy(), 20)),
      (response) => event('BOOKMARK', '', '8') && void response.end(event('BOOKMARK', '', '8')),
      (response) => void response.write(event('DELETED', 'a', '9')),
    ];
    const events = await collect(3);
    assert.deepEqual(
      events.map(({ type }) => type),
      ['ADDED', 'BOOKMARK', 'DELETED'],
    );
    assert.deepEqual(versions(), ['1', '5', '8']);
  });

  it('throws 410 when the version is too old', async () => {
    const gone = {
      type: 'ERROR',
      object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' },
    };
    script = [(response) => void response.end(`${JSON.stringify(gone)}\n`)];
    await assert.rejects(collect(1), (error: unknown) => isGone(error));
  });

  it("throws a refusal in the server's words", async () => {
    script = [(response) => refuse(response, 403, 'Forbidden', 'pods is forbidden: cannot watch')];
    await assert.rejects(
      collect(1),
      (error: unknown) => isForbidden(error) && /cannot watch/.test(String(error)),
    );
  });

  it('gives up when nobody answers any more', async () => {
    script = Array.from({ length: 9 }, () => (response: ServerResponse) => void response.destroy());
    const target = resolveTarget({ server: server.url, insecureSkipTlsVerify: true, env: {} });
    const transport = createTransport(target, {}, 'test');
    const events = watchEvents(transport, '/api/v1/pods', {}, new AbortController().signal, 1);
    await assert.rejects(events[Symbol.asyncIterator]().next(), { failure: 'broken' });
    assert.equal(server.requests.length, 5);
  });

  it('ends in silence when the signal aborts while nothing comes', async () => {
    script = [(response) => void response.writeHead(200).flushHeaders()];
    for await (const _ of api.watch('/api/v1/pods', {}, AbortSignal.timeout(50)))
      assert.fail('no event was sent');
  });
});

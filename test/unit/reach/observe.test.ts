import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Http2Server } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import { Code, ConnectError } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { readAnswer } from '../../../src/protocol/answers.ts';
import { Identity } from '../../../src/reach/csi/gen/csi/v1/csi_pb.js';
import { Registration } from '../../../src/reach/csi/gen/pluginregistration/v1/api_pb.js';
import { observe } from '../../../src/reach/evidence/observe.ts';
import type { NodeSession } from '../../../src/reach/session/session.ts';
import { existing, seenValue } from '../support/captures.ts';

const answer = readFileSync(new URL('../../fixtures/agent/observe.jsonl', import.meta.url), 'utf8');
const { signal } = new AbortController();

describe('the questions to a registration socket', () => {
  let server: Http2Server;
  let asked: number;

  /** A registrar that fails the first questions with these codes. */
  async function serve(...failures: readonly Code[]): Promise<void> {
    asked = 0;
    const routes: Parameters<typeof connectNodeAdapter>[0]['routes'] = (router) => {
      router.service(Registration, {
        getInfo() {
          const code = failures[asked++];
          if (code !== undefined) throw new ConnectError('busy', code);
          return {
            type: 'CSIPlugin',
            name: 'bind.csi.test',
            endpoint: '/csi.sock',
            supportedVersions: ['1.0.0'],
          };
        },
      });
      router.service(Identity, { getPluginInfo: () => ({ name: 'bind.csi.test' }), probe: () => ({}) });
    };
    server = createServer(connectNodeAdapter({ routes }));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  afterEach(() => server.close());

  /** A session on the recorded node, whose every socket leads to the server. */
  const session = (): NodeSession =>
    ({
      run: async ([command]: readonly string[]) => (command === 'observe' ? readAnswer(answer) : []),
      tunnel: async () => connect((server.address() as AddressInfo).port, '127.0.0.1'),
    }) as Partial<NodeSession> as NodeSession;

  const socketSeen = async () => {
    const { entries } = await observe(session(), signal);
    return existing(seenValue(entries)[0]?.socket, 'socket');
  };

  it('are asked once where they are answered', async () => {
    await serve();
    const { registration, driver } = await socketSeen();
    assert.equal(seenValue(registration).name, 'bind.csi.test');
    assert.equal(seenValue(driver).ready, true);
    assert.equal(asked, 1);
  });

  it('are asked again before a registrar counts as mute', async () => {
    await serve(Code.DeadlineExceeded);
    assert.equal(seenValue((await socketSeen()).registration).name, 'bind.csi.test');
    assert.equal(asked, 2);
  });

  it('that failed twice name the last failure', async () => {
    await serve(Code.DeadlineExceeded, Code.Unavailable);
    const { registration } = await socketSeen();
    assert.match(registration.seen ? '' : registration.why, /^Registration\/GetInfo: Unavailable: busy/);
    assert.equal(asked, 2);
  });

  it('are not asked again of a socket that speaks CSI and no registration', async () => {
    await serve(Code.Unimplemented);
    assert.equal((await socketSeen()).speaksCsi, true);
    assert.equal(asked, 1);
  });
});

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { agentArgs, decodeAnswer, fromBuffer } from '../../src/protocol/protocol.gen.ts';
import { binaries } from './binaries.ts';
import { goArch, run } from './sandbox.ts';

const at = ['--at', '1', '--root', '/var/lib/kubelet'];

const refused: readonly (readonly string[])[] = [
  [],
  ['unknown'],
  ['observe', 'stray'],
  ['observe', '--unknown', 'x'],
  ['observe', '--root'],
  ['observe', '--root', 'relative'],
  ['observe', '--root', '/a/../b'],
  ['observe', '--root', '/a//b'],
  ['observe', '--root', '/'],
  ['observe', '--root', '/a%0'],
  ['observe', '--root', '/a%00b'],
  ['observe', '--root', '/a%zz'],
  ['observe', '--root', `/${'a'.repeat(256)}`],
  ['observe', '--names', 'kubelet;ls'],
  ['announce', '--at', '1', '--root', '/r'],
  ['announce', ...at, '--name', '/absolute'],
  ['announce', ...at, '--name', '../escape'],
  ['announce', ...at, '--name', 'a/%2e%2e/b'],
  ['announce', ...at, '--name', ''],
  ['announce', ...at, '--name', 'a', '--name', 'b'],
  ['announce', '--at', '0', '--root', '/r', '--name', 'a'],
  ['announce', '--at', '-1', '--root', '/r', '--name', 'a'],
  ['announce', '--at', '99999999999', '--root', '/r', '--name', 'a'],
  ['announce-hidden', ...at, '--name', 'a', '--inode', '1', '--device', '8'],
  ['listen', ...at, '--rounds', '33'],
  ['listen', ...at, '--rounds', '0'],
  ['end-process', '--pid', '2', '--start-ticks', '99999999999999999999'],
  ['end-process', '--pid', '2', '--start-ticks', '1', '--signal', 'STOP'],
  ['systemctl', '--verb', 'poweroff'],
  ['systemctl', '--verb', 'restart'],
  ['systemctl', '--verb', 'restart', '--unit', '--force'],
  ['systemctl', '--verb', 'restart', '--unit', 'kubelet'],
  ['systemctl', '--verb', 'restart', '--unit', '../a.service'],
  ['systemctl', '--verb', 'restart', '--unit', 'a.service', '--detach'],
  ['restart-kubelet', '--pid', '2', '--start-ticks', '1', '--run', 'a/b'],
  ['journal-clear', '--run', '..'],
  ['probe'],
  ['probe', '--path', '/a', '--deadline', '0'],
  ['hold', '--seconds', '0'],
  ['hold', '--seconds', '1h'],
];

describe('agent command line', function () {
  this.timeout(30_000);
  let agents: readonly string[] = [];
  before(async function () {
    this.timeout(600_000);
    const { shipped, sanitized } = await binaries();
    agents = [String(shipped[goArch()]), sanitized];
  });

  for (const args of refused) {
    it(`refuses: ${args.join(' ').slice(0, 80) || '(nothing)'}`, async () => {
      for (const agent of agents) {
        const { code, stdout, stderr } = await run(agent, args);
        const { ok, records } = decodeAnswer(stdout);
        assert.deepEqual([code, ok, stderr], [2, false, '']);
        assert.deepEqual(
          records.map((record) => record.kind === 'error' && record.code),
          ['usage'],
        );
      }
    });
  }

  it('takes any path that its builder encodes, and gives it back byte by byte', async () => {
    const component = fc
      .uint8Array({ minLength: 1, maxLength: 40 })
      .map((bytes) => bytes.map((byte) => (byte === 0 || byte === 0x2f || byte === 0x2e ? 0x5f : byte)));
    const path = fc.array(component, { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(path, async (components) => {
        const wanted = ['', 'nonexistent', ...components.map(fromBuffer)].join('/');
        const args = agentArgs.tunnel({ at: process.pid, path: wanted });
        for (const agent of agents) {
          const [record] = decodeAnswer((await run(agent, args)).stderr).records;
          assert.equal(record?.kind === 'error' && record.path, wanted);
        }
      }),
      { numRuns: 25 },
    );
  });
});

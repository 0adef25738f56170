import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AGENT_ARCHITECTURES, agentSources, compileAgent } from '../../scripts/build-agent.mjs';
import { ensureDebianPackages } from '../../scripts/setup/debian.mjs';
import { decodeAnswer } from '../../src/protocol/protocol.gen.ts';
import { startKubelet, startListener } from './actors.ts';
import { binaries } from './binaries.ts';
import { openSandbox, recordOf, run, runAgent } from './sandbox.ts';

const EMULATORS = {
  arm64: 'aarch64',
  arm: 'arm',
  ppc64le: 'ppc64le',
  riscv64: 'riscv64',
  s390x: 's390x',
} as const;

/** Bytes that the API server takes in a ConfigMap. */
const configMapLimit = 1 << 20;

describe('agent build', function () {
  this.timeout(30_000);
  before(async function () {
    this.timeout(600_000);
    await binaries();
    await ensureDebianPackages(['qemu-user-static'], console.error);
  });

  it('gives the same bytes from sources in another folder', async function () {
    this.timeout(60_000);
    const { shipped } = await binaries();
    const folder = await mkdtemp(join(tmpdir(), 'agent-build-'));
    try {
      await cp(join(import.meta.dirname, '../../agent/src'), folder, { recursive: true });
      const output = join(folder, 'agent');
      await compileAgent({ arch: 'amd64', sources: agentSources(folder), output, log: console.error });
      assert.ok((await readFile(output)).equals(await readFile(String(shipped.amd64))));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('fits into a ConfigMap for every architecture, and needs no library', async () => {
    const { shipped } = await binaries();
    assert.deepEqual(Object.keys(shipped), [...AGENT_ARCHITECTURES]);
    for (const path of Object.values(shipped)) {
      const bytes = await readFile(path);
      assert.ok(bytes.length < configMapLimit / 2, `${path}: ${bytes.length} bytes`);
      assert.ok(!bytes.includes('ld-musl') && !bytes.includes('ld-linux'), path);
    }
  });

  for (const [arch, emulator] of Object.entries(EMULATORS)) {
    it(`runs on ${arch}`, async () => {
      const { shipped } = await binaries();
      const command = [`/usr/bin/qemu-${emulator}-static`, String(shipped[arch])];
      const sandbox = await openSandbox();
      try {
        const kubelet = await startKubelet(sandbox);
        await startListener(sandbox, 'driver-reg.sock');
        const { stdout } = await sandbox.run([...command, 'observe']);
        const answer = { code: 0, error: undefined, ...decodeAnswer(stdout) };
        const root = recordOf(answer, 'root');
        assert.equal(recordOf(answer, 'watch').inode, root.registry.inode);
        assert.equal(recordOf(answer, 'watch').device, root.registry.mount?.device);
        assert.equal(recordOf(answer, 'entry').connection, 'accepted');
        const announce = ['announce', '--at', '1', '--root', sandbox.root, '--name', 'driver-reg.sock'];
        const [emulated = '', ...args] = [...command, ...announce];
        assert.equal((await runAgent(sandbox, emulated, args)).code, 0);
        await kubelet.line('register driver-reg.sock', 2);
        const refused = await run(emulated, [String(shipped[arch]), 'observe', '--root', 'relative']);
        assert.equal(refused.code, 2);
      } finally {
        await sandbox.close();
      }
    });
  }
});

import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'mocha';
import { list } from 'tar';
import { adhocSigned } from '../../scripts/package/macho-signature.mjs';
import { emulatorFor } from '../../scripts/package/program.mjs';
import { agentArchitectures } from '../../src/reach/pod/agent-binary.ts';
import { version } from '../../src/version.ts';
import { exec, execOrThrow } from '../cluster/host/exec.ts';
import { readSignature } from './macho.ts';
import { programOf, type Release, targetOf, wholeRelease } from './release.ts';

const capture = 'test/fixtures/captures/lost-event.json';
const largestArchive = 45_000_000;

describe('the executables', function () {
  this.timeout(600_000);
  let release: Release;
  before(async () => {
    release = await wholeRelease();
  });

  it('fit into archives that are small enough', () => {
    const sizes = release.targets.map(({ archive }) => statSync(join(release.folder, archive)).size);
    assert.equal(sizes.length, 6);
    assert.ok(
      sizes.every((size) => size > 20_000_000 && size < largestArchive),
      sizes.join(', '),
    );
  });

  for (const id of ['linux-amd64', 'linux-arm64'])
    describe(id, () => {
      let command: readonly string[];
      before(async () => {
        const target = targetOf(release, id);
        const emulator = await emulatorFor(target);
        assert.ok(emulator, `${id} cannot run on this machine`);
        command = [...emulator, programOf(release, target)];
      });
      const csi = (...args: string[]) => execOrThrow([...command, ...args], { timeoutMs: 120_000 });

      it('says its version and the digests of the agents inside', async () => {
        const { client, agents } = JSON.parse(await csi('version', '--client', '-o', 'json'));
        assert.equal(client.version, version);
        assert.equal(client.node, process.versions.node);
        assert.equal(client.platform, id.replace('amd64', 'x64').replace('-', '/'));
        assert.deepEqual(Object.keys(agents), [...agentArchitectures]);
        for (const digest of Object.values(agents)) assert.match(String(digest), /^[0-9a-f]{64}$/);
      });

      it('judges a capture as the program from source does', async () => {
        const args = ['status', '--from', capture, '-o', 'json'];
        const packed = await exec([...command, ...args], { timeoutMs: 120_000 });
        const source = await exec([process.execPath, 'src/main.ts', ...args], { timeoutMs: 120_000 });
        assert.equal(packed.code, 1, packed.stderr);
        assert.deepEqual(JSON.parse(packed.stdout), JSON.parse(source.stdout));
      });

      it('heeds no NODE_OPTIONS of its user', async () => {
        const env = { ...process.env, NODE_OPTIONS: '--no-such-option' };
        assert.equal(await execOrThrow([...command, '--version'], { env }), `${version}\n`);
      });

      it('complains of nothing', async () => {
        const { stderr } = await exec([...command, '--help']);
        assert.equal(stderr, '');
      });
    });

  for (const arch of ['amd64', 'arm64'])
    it(`darwin-${arch} has an ad-hoc signature that holds for every page`, () => {
      const target = targetOf(release, `darwin-${arch}`);
      const file = readFileSync(programOf(release, target));
      const { brokenPages, identifier, flags, offset, end, codeLimit } = readSignature(file);
      assert.deepEqual(brokenPages, []);
      assert.equal(identifier, target.program);
      assert.equal(flags, 0x20002);
      assert.equal(codeLimit, offset);
      assert.equal(end, file.length);
      assert.equal(file.readUInt32LE(4), arch === 'arm64' ? 0x0100000c : 0x01000007);
    });

  it('a signed executable that was changed by one byte is seen to be broken, and can be signed again', () => {
    const file = readFileSync(programOf(release, targetOf(release, 'darwin-arm64')));
    const at = 40 * 4096 + 17;
    file[at] = (file[at] ?? 0) ^ 1;
    assert.deepEqual(readSignature(file).brokenPages, [40]);
    const again = readSignature(adhocSigned(file, 'again'));
    assert.deepEqual([again.brokenPages, again.identifier], [[], 'again']);
  });

  it('what is no Mach-O is not signed', () => {
    assert.throws(() => adhocSigned(Buffer.alloc(4096), 'x'), /no thin 64-bit Mach-O/);
  });

  const machines = { amd64: 0x8664, arm64: 0xaa64 } as const;
  for (const arch of ['amd64', 'arm64'] as const)
    it(`windows-${arch} is a console program for Windows, named .exe`, () => {
      const target = targetOf(release, `windows-${arch}`);
      assert.equal(target.program, 'kubectl-csi.exe');
      const file = readFileSync(programOf(release, target));
      const header = file.readUInt32LE(0x3c);
      assert.equal(file.toString('latin1', 0, 2), 'MZ');
      assert.equal(file.toString('latin1', header, header + 4), 'PE\0\0');
      assert.equal(file.readUInt16LE(header + 4), machines[arch]);
      assert.equal(file.readUInt16LE(header + 24), 0x20b, 'PE32+');
      assert.equal(file.readUInt16LE(header + 24 + 68), 3, 'the console subsystem');
    });

  it('archives hold the program, executable, and the licences', async () => {
    const target = targetOf(release, 'linux-arm64');
    const entries: string[] = [];
    const onReadEntry = ({ path, mode = 0 }: { path: string; mode?: number | undefined }) =>
      entries.push(`${path} ${mode.toString(8)}`);
    await list({ file: join(release.folder, target.archive), onReadEntry });
    assert.deepEqual(entries, ['kubectl-csi 755', 'LICENSE 644', 'THIRD-PARTY-LICENSES 644']);
  });

  it('the licence report names every package that is inside', () => {
    const report = readFileSync(join(release.folder, 'windows-amd64/THIRD-PARTY-LICENSES'), 'utf8');
    for (const name of ['Node.js', 'musl libc', ...release.packages])
      assert.ok(report.includes(`\n${name} `), name);
    assert.ok(!/AGPL|AFFERO/i.test(report.replace(/Node\.js[\s\S]*?\nmusl libc/, '')));
  });
});

describe('the arm64 agent', function () {
  this.timeout(120_000);
  it('runs under an emulator', async () => {
    const emulator = await emulatorFor({ os: 'linux', arch: 'arm64' });
    assert.ok(emulator, 'arm64 programs cannot run on this machine');
    const { stdout } = await exec([...emulator, 'dist/agent/agent-linux-arm64', 'version']);
    const [hello] = stdout.trim().split('\n');
    assert.equal(JSON.parse(hello ?? '').agent, version);
  });
});

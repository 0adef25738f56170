import assert from 'node:assert/strict';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it } from 'mocha';
import { writeArchive } from '../../scripts/package/archive.mjs';
import { sha256 } from '../../scripts/package/manifest.mjs';
import { targetNamed } from '../../scripts/package/targets.mjs';
import { execOrThrow } from '../cluster/host/exec.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { packaged, programOf, wholeRelease } from './release.ts';

/** Both kinds of archive; with a code cache (made under an emulator), with a signature, and with neither. */
const ids = ['linux-arm64', 'darwin-arm64', 'windows-amd64'];

/** Packages the current commit from a checkout of its own. */
async function packagedCommit(): Promise<string> {
  const checkout = temporaryFolder();
  const archive = join(checkout, 'commit.tar');
  await execOrThrow(['git', 'archive', '--output', archive, 'HEAD']);
  await execOrThrow(['tar', '-x', '-f', archive, '-C', checkout]);
  symlinkSync(resolve('node_modules'), join(checkout, 'node_modules'));
  const output = join(checkout, 'release');
  const flags = [...ids.flatMap((id) => ['--target', id]), '--output', output];
  await execOrThrow([process.execPath, join(checkout, 'scripts/package.mjs'), ...flags], {
    cwd: checkout,
    timeoutMs: 300_000,
  });
  return output;
}

describe('packaging twice', function () {
  this.timeout(600_000);

  it('gives the same bytes for the same commit, wherever it is checked out', async () => {
    const folders = [await packagedCommit(), await packagedCommit()];
    const names = ids.map((id) => targetNamed(id).archive);
    const [first, second] = folders.map((folder) => names.map((name) => sha256(join(folder, name))));
    assert.deepEqual(second, first);
  });

  for (const archive of ['a.zip', 'a.tar.gz'])
    it(`gives the same ${archive} in every time zone`, async () => {
      const digests = [];
      const { TZ } = process.env;
      for (const zone of ['UTC', 'America/Los_Angeles', 'Asia/Tokyo']) {
        process.env.TZ = zone;
        const folder = temporaryFolder();
        writeFileSync(join(folder, 'file'), 'content');
        await writeArchive(join(folder, archive), folder, [{ name: 'file', executable: true }]);
        digests.push(sha256(join(folder, archive)));
      }
      if (TZ === undefined) delete process.env.TZ;
      else process.env.TZ = TZ;
      assert.equal(new Set(digests).size, 1);
    });

  it('leaves no path of the machine in an executable', async () => {
    const release = await wholeRelease();
    for (const target of release.targets) {
      const file = readFileSync(programOf(release, target));
      for (const path of [resolve('.'), join(tmpdir(), 'kubectl-csi-')])
        assert.ok(!file.includes(path), `${target.id} names ${path}`);
    }
  });

  it('refuses a target that does not exist, and says which do', async () => {
    await assert.rejects(packaged(['linux-mips']), /no target "linux-mips"; there are: linux-amd64,/);
  });
});

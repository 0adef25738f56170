import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it } from 'mocha';
import { writeArchive } from '../../scripts/package/archive.mjs';
import { sha256 } from '../../scripts/package/manifest.mjs';
import { packaged, programOf, temporaryFolder, wholeRelease } from './release.ts';

describe('packaging twice', function () {
  this.timeout(600_000);

  /** One of each kind of archive and signature; with and without a code cache. */
  for (const id of ['linux-amd64', 'linux-arm64', 'darwin-arm64', 'windows-amd64'])
    it(`gives the same bytes for ${id}`, async () => {
      const [first, second] = [await wholeRelease(), await packaged([id])];
      const { archive } = second.targets[0] ?? assert.fail('nothing was packaged');
      assert.equal(sha256(join(second.folder, archive)), sha256(join(first.folder, archive)));
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

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { sha256 } from '../../scripts/package/manifest.mjs';
import { packaged, wholeRelease } from './release.ts';

describe('packaging twice', function () {
  this.timeout(600_000);

  /** One of each kind of archive and signature; with and without a code cache. */
  for (const id of ['linux-amd64', 'linux-arm64', 'darwin-arm64', 'windows-amd64'])
    it(`gives the same bytes for ${id}`, async () => {
      const [first, second] = [await wholeRelease(), await packaged([id])];
      const { archive } = second.targets[0] ?? assert.fail('nothing was packaged');
      assert.equal(sha256(join(second.folder, archive)), sha256(join(first.folder, archive)));
    });

  it('refuses a target that does not exist, and says which do', async () => {
    await assert.rejects(packaged(['linux-mips']), /no target "linux-mips"; there are: linux-amd64,/);
  });
});

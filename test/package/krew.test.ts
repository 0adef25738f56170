import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { parse } from 'yaml';
import { krewManifest } from '../../scripts/package/manifest.mjs';
import { ensureKrew } from '../../scripts/setup/krew.mjs';
import { version } from '../../src/version.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { emptyHome, type Home, serveArchives } from './krew.ts';
import { type Release, targetOf, wholeRelease } from './release.ts';

const log = () => undefined;

describe('the Krew manifest', function () {
  this.timeout(600_000);
  let release: Release;
  let server: Awaited<ReturnType<typeof serveArchives>>;
  let manifest: string;

  before(async () => {
    release = await wholeRelease();
    server = await serveArchives(release.folder);
    manifest = krewManifest(release.folder, server.address);
  });
  after(() => server?.close());

  const saved = (text: string, name = 'csi.yaml') => {
    const file = join(temporaryFolder(), name);
    writeFileSync(file, text);
    return file;
  };

  const validated = async (text: string) => {
    const { validate } = await ensureKrew({ log });
    return (await emptyHome()).run(validate, '-manifest', saved(text));
  };

  it("passes Krew's own validator, which installs every platform's archive", async () => {
    const { code, stderr } = await validated(manifest);
    assert.equal(code, 0, stderr);
  });

  it('is refused by the validator when a digest does not fit', async () => {
    const wrong = manifest.replace(/sha256: ./, (start) => (start.endsWith('0') ? 'sha256: 1' : 'sha256: 0'));
    const { code, stderr } = await validated(wrong);
    assert.notEqual(code, 0);
    assert.match(stderr, /checksum does not match/);
  });

  it('names where the release lies, for every platform', () => {
    const { spec } = parse(krewManifest(release.folder));
    const uris = spec.platforms.map(({ uri }: { uri: string }) => uri);
    assert.equal(new Set(uris).size, 6);
    for (const uri of uris) assert.ok(uri.startsWith(`${spec.homepage}/releases/download/v${version}/`), uri);
  });

  it("keeps to the index's rules: a short description in one line, words of kubectl csi", () => {
    const { spec, metadata } = parse(manifest);
    assert.equal(metadata.name, 'csi');
    assert.match(spec.version, /^v\d+\.\d+\.\d+$/);
    assert.ok(spec.shortDescription.length <= 50 && !spec.shortDescription.includes('\n'));
    assert.doesNotMatch(spec.description + spec.caveats, /kubectl-csi/);
  });

  describe('with the real Krew in an empty home', () => {
    let home: Home;
    before(async () => {
      home = await emptyHome();
      await home.publish(manifest);
    });
    const csi = async (where: Home) =>
      JSON.parse(await where.runOrThrow('kubectl', 'csi', 'version', '--client', '-o', 'json'));

    it('installs from an archive without an index or a network, and kubectl csi runs', async () => {
      const offline = await emptyHome();
      const archive = join(release.folder, targetOf(release, 'linux-amd64').archive);
      const file = saved(krewManifest(release.folder));
      await offline.runOrThrow('kubectl', 'krew', 'install', `--manifest=${file}`, `--archive=${archive}`);
      assert.equal((await csi(offline)).client.version, version);
    });

    it('installs from an index, with what is to be read after it', async () => {
      const said = await home.run('kubectl', 'krew', 'install', 'csi');
      assert.equal(said.code, 0, said.stderr);
      assert.match(said.stderr, /kubectl csi completion --install/);
      assert.match(await home.runOrThrow('kubectl', 'krew', 'list'), /csi/);
      assert.ok(existsSync(join(home.folder, `.krew/store/csi/v${version}/LICENSE`)));
    });

    it('upgrades to the next version', async () => {
      await home.publish(manifest.replace(`version: v${version}`, 'version: v99.0.0'));
      await home.runOrThrow('kubectl', 'krew', 'upgrade', 'csi');
      assert.ok(existsSync(join(home.folder, '.krew/store/csi/v99.0.0/kubectl-csi')));
      assert.equal((await csi(home)).client.version, version);
    });

    it('installs completion beside itself, and kubectl completes through it', async () => {
      await home.runOrThrow('kubectl', 'csi', 'completion', '--install');
      const said = await home.runOrThrow('kubectl', '__complete', 'csi', 'st');
      assert.match(said, /^status\tShow whether/m);
      assert.match(said, /^:4$/m);
    });

    it('uninstalls and leaves no plugin', async () => {
      await home.runOrThrow('kubectl', 'krew', 'uninstall', 'csi');
      assert.ok(!existsSync(join(home.bin, 'kubectl-csi')));
      assert.ok(!existsSync(join(home.folder, '.krew/store/csi')));
      assert.equal((await home.run('kubectl', 'csi', 'version')).code, 1);
    });
  });
});

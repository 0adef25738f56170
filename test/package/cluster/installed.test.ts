import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'mocha';
import { parse } from 'yaml';
import { krewManifest } from '../../../scripts/package/manifest.mjs';
import { findIncident } from '../../cluster/index.ts';
import { emptyHome, type Home } from '../krew.ts';
import { targetOf, wholeRelease } from '../release.ts';
import { type Scene, sharedScene } from './shared.ts';

describe('installed by Krew, on the real cluster, what the manifest tells people to type', function () {
  this.timeout(600_000);
  let scene: Scene;
  let home: Home;
  let lines: readonly string[];

  before(async () => {
    scene = await sharedScene();
    home = await emptyHome();
    const release = await wholeRelease();
    const manifest = krewManifest(release.folder);
    const file = join(home.folder, 'csi.yaml');
    writeFileSync(file, manifest);
    const archive = join(release.folder, targetOf(release, 'linux-amd64').archive);
    await home.runOrThrow('kubectl', 'krew', 'install', `--manifest=${file}`, `--archive=${archive}`);
    const { description, caveats } = parse(manifest).spec;
    lines = [...`${description}\n${caveats}`.matchAll(/^\s*\$ (kubectl .*)$/gm)].map(([, line = '']) => line);
  });

  /** A line of the manifest, about the node that there is. */
  const type = (start: string) => {
    const line = lines.find((each) => each.startsWith(start)) ?? assert.fail(`no line ${start} in ${lines}`);
    const words = line.replace('worker-3', 'node-1').split(' ');
    return home.run('env', `KUBECONFIG=${scene.cluster.kubeconfig}`, ...words);
  };

  it('status, heal and status again: a driver that was lost is back', async () => {
    const node = scene.cluster.node('node-1');
    const restore = await findIncident('lost-event').apply(scene.cluster, node, scene.driver);
    try {
      const lost = await type('kubectl csi status');
      assert.equal(lost.code, 1, lost.stderr);
      assert.match(lost.stdout, /registration-lost/);
      const healed = await type('kubectl csi heal');
      assert.equal(healed.code, 0, healed.stdout + healed.stderr);
      const well = await type('kubectl csi status');
      assert.equal(well.code, 0, well.stdout + well.stderr);
    } finally {
      await restore();
    }
  });

  it('the others', async () => {
    for (const line of lines.filter((each) => !/ (status|heal)\b/.test(each))) {
      const { code, stderr } = await type(line);
      assert.equal(code, 0, `${line}: ${stderr}`);
    }
    assert.ok(lines.length >= 4);
  });
});

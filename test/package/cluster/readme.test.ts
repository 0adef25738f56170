import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'mocha';
import { krewManifest } from '../../../scripts/package/manifest.mjs';
import {
  type Cluster,
  type DeployedDriver,
  deployApp,
  deployDriver,
  findIncident,
} from '../../cluster/index.ts';
import { claimObjects, idle, podSpec, workload } from '../../e2e/workloads/support/manifests.ts';
import { shareCluster } from '../../support/share-cluster.ts';
import { emptyHome, type Home } from '../krew.ts';
import { targetOf, wholeRelease } from '../release.ts';
import { readmeSteps, withoutChance, writeReadme } from './readme.ts';

interface Town {
  readonly cluster: Cluster;
  readonly drivers: ReadonlyMap<string, DeployedDriver>;
}

/** The cluster that the README tells of. */
const town = shareCluster(2, async (cluster): Promise<Town> => {
  const bind = await deployDriver(cluster, { name: 'bind.csi.test' });
  const s3 = await deployDriver(cluster, {
    name: 's3.csi.test',
    mode: 'fuse-s3',
    driverArgs: ['--staging'],
  });
  await Promise.all([bind.waitRegistered(), s3.waitRegistered()]);
  const app = await deployApp(cluster, { name: 'shop', driver: 's3.csi.test', node: 'node-2' });
  const web = idle('web', { volumeMounts: [{ name: 'data', mountPath: '/data' }] });
  const onFirst = { nodeSelector: { 'kubernetes.io/hostname': 'node-1' } };
  await cluster.apply([
    ...claimObjects('default', 'web'),
    workload('default', 'Deployment', 'web', podSpec('web', [web], onFirst)),
  ]);
  await cluster.kubectl(['rollout', 'status', 'deployment/web', '--timeout=90s']);
  await app.waitReady();
  return { cluster, drivers: new Map([bind, s3].map((driver) => [driver.spec.name, driver])) };
});

async function installed(): Promise<Home> {
  const home = await emptyHome();
  const release = await wholeRelease();
  const file = join(home.folder, 'csi.yaml');
  writeFileSync(file, krewManifest(release.folder));
  const archive = join(release.folder, targetOf(release, 'linux-amd64').archive);
  await home.runOrThrow('kubectl', 'krew', 'install', `--manifest=${file}`, `--archive=${archive}`);
  return home;
}

/** `KUBECTL_CSI_WRITE_README=1` writes what is printed into the README instead. */
const write = process.env.KUBECTL_CSI_WRITE_README === '1';

describe("the README's own commands, typed with the installed plugin", function () {
  this.timeout(600_000);
  const steps = readmeSteps();
  const printed = new Map<string, string>();
  let home: Home;
  let broken = true;

  before(async () => {
    [home] = await Promise.all([installed(), town()]);
    broken = false;
  });

  for (const step of steps)
    it(step.does === 'type' ? step.line : `(${step.name} on ${step.node})`, async function () {
      if (broken) this.skip();
      broken = true; // what follows stands on this
      const { cluster, drivers } = await town();
      if (step.does === 'app') {
        await deployApp(cluster, step);
      } else if (step.does === 'break') {
        const driver = drivers.get(step.driver) ?? assert.fail(`no driver ${step.driver}`);
        await findIncident(step.name).apply(cluster, cluster.node(step.node), driver);
      } else {
        const words = ['env', `KUBECONFIG=${cluster.kubeconfig}`, 'sh', '-c', step.line];
        const { stdout, stderr } = await home.run(...words);
        printed.set(step.line, stdout.trim());
        if (!write) assert.equal(withoutChance(stdout), withoutChance(step.prints), stderr);
      }
      broken = false;
    });

  it('are as many as the README has', () => {
    assert.ok(steps.filter(({ does }) => does === 'type').length >= 5);
    if (write) writeReadme(printed);
  });
});

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { after, before, describe, it } from 'mocha';
import type { WorkloadObject } from '../../../src/workload/kinds.ts';
import { podSpecOf } from '../../../src/workload/kinds.ts';
import { findIncident, waitUntil } from '../../cluster/index.ts';
import { csi } from '../registration/support/csi.ts';
import { inject } from './support/inject.ts';
import {
  barePod,
  claimObjects,
  container,
  cronJob,
  idle,
  job,
  podSpec,
  shelless,
  shellessObjects,
  workload,
} from './support/manifests.ts';
import { type Shared, sharedCluster } from './support/shared.ts';

const ns = 'shop';
const onLogs = { volumeMounts: [{ name: 'data', mountPath: '/logs', subPath: 'logs' }] };
const theirs = { exec: { command: ['test', '-d', '/logs'] }, periodSeconds: 7 };
/** As quick as a machine that does other things too allows. */
const quick = ['--initial-delay', '2', '--period', '3', '--probe-timeout', '5', '--failure-threshold', '2'];

const web = workload(
  ns,
  'Deployment',
  'web',
  podSpec('data', [container('app'), idle('beside', { ...onLogs, livenessProbe: theirs }), idle('plain')]),
);
const objects: readonly object[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: ns } },
  ...claimObjects(ns, 'data'),
  ...claimObjects(ns, 'www-db-0'),
  ...shellessObjects(ns),
  web,
  workload(ns, 'Deployment', 'shelless', shelless('data')),
  {
    ...workload(
      ns,
      'StatefulSet',
      'db',
      podSpec('data', [container('app', { volumeMounts: [{ name: 'www', mountPath: '/data' }] })]),
      {
        labels: { 'app.kubernetes.io/managed-by': 'Helm' },
        annotations: { 'meta.helm.sh/release-name': 'db' },
      },
    ),
  },
  cronJob(ns, 'night', podSpec('data', [container('app', { command: ['ls', '/data'] })])),
  barePod(ns, 'bare', podSpec('data', [container('app')])),
  job(ns, 'import', podSpec('data', [container('app')])),
].map(withClaimTemplate);

/** The claim is made before: the driver has nobody who makes volumes. */
function withClaimTemplate(object: object): object {
  const { kind, spec } = object as WorkloadObject;
  if (kind !== 'StatefulSet') return object;
  const www = {
    metadata: { name: 'www' },
    spec: {
      accessModes: ['ReadWriteMany'],
      storageClassName: '',
      resources: { requests: { storage: '1Gi' } },
    },
  };
  return { ...object, spec: { ...spec, volumeClaimTemplates: [www] } };
}

describe('inject-probe', function () {
  this.timeout(240_000);
  let shared: Shared;
  const run = (...args: readonly string[]) => inject(shared.cluster, ['-n', ns, ...args]);
  const get = (target: string) => shared.cluster.kubectlJson<WorkloadObject>(['get', target, '-n', ns]);
  const kubectl = (...args: readonly string[]) => shared.cluster.kubectl(['-n', ns, ...args]);
  const probesOf = (object: WorkloadObject) =>
    podSpecOf(object).containers.map(({ livenessProbe }) => livenessProbe?.exec?.command?.join(' '));

  before(async function () {
    this.timeout(1_200_000);
    shared = await sharedCluster();
    await shared.cluster.apply(objects);
    for (const target of ['deploy/web', 'deploy/shelless', 'sts/db'])
      assert.equal((await kubectl('rollout', 'status', target, '--timeout=90s')).code, 0, target);
    assert.equal((await kubectl('wait', '--for=condition=Ready', 'pod/bare', '--timeout=60s')).code, 0);
  });

  it('shows what it would change, and changes nothing, in a dry run of the client and of the server', async () => {
    const before = await get('deploy/web');
    const client = await csi(shared.cluster, ['inject-probe', 'deploy/web', '-n', ns, '--dry-run']);
    assert.equal(client.code, 1, 'a container is left alone');
    assert.match(client.stdout, /app: gets a livenessProbe on \/data \(s3\.csi\.test\)/);
    assert.match(client.stdout, /beside: left alone: it has a livenessProbe already: exec test -d \/logs/);
    assert.match(client.stdout, /^ {4}\+ {2}livenessProbe:$/m);
    assert.match(client.stdout, /A probe is no repair/);
    const server = await run('deploy/web', '--combine', '--dry-run=server');
    assert.deepEqual([server.code, server.does], [0, ['app inject', 'beside combine']]);
    assert.match(String(server.results), /^validated/);
    assert.equal((await get('deploy/web')).metadata.resourceVersion, before.metadata.resourceVersion);
  });

  it('asks before it changes, and where nobody can be asked says what to type', async () => {
    const { code, stderr } = await csi(shared.cluster, ['inject-probe', 'deploy/web', '-n', ns]);
    assert.equal(code, 2);
    assert.match(stderr, /nobody can be asked here\n.*--dry-run.*--yes/);
  });

  it('several containers, a subPath, and a probe that was there: one patch, and back exactly', async () => {
    const before = await get('deploy/web');
    const done = await run('deploy/web', '--combine', '--yes');
    assert.equal(done.code, 0, done.stdout);
    const [app, beside, plain] = probesOf(await get('deploy/web'));
    assert.match(String(app), /stat -f "\$p".* mounts \/data$/s);
    assert.match(String(beside), /mounts \/logs && exec "\$@" both test -d \/logs$/s);
    assert.equal(plain, undefined);
    const { metadata } = await get('deploy/web');
    const fields = await kubectl('get', 'deploy/web', '-o', 'json', '--show-managed-fields');
    assert.match(fields.stdout, /"manager": "kubectl-csi"/);
    assert.ok(metadata.annotations?.['kubectl-csi/injected']);
    const again = await run('deploy/web', '--combine', '--yes');
    assert.deepEqual([again.code, again.does], [0, ['app nothing', 'beside nothing']]);

    await shared.cluster.apply([web]);
    const [still, back] = probesOf(await get('deploy/web'));
    assert.equal(still, app, 'what the owner says nothing of survives kubectl apply');
    assert.equal(back, theirs.exec.command.join(' '), 'what the owner says is put back');
    assert.match(
      String(done.doc.workloads[0]?.containers[1]?.notes),
      /kubectl apply .*puts its own command back/,
    );

    const undone = await run('deploy/web', '--undo', '--yes');
    assert.equal(undone.code, 0, undone.stdout);
    const after = await get('deploy/web');
    assert.deepEqual(after.spec, before.spec);
    assert.equal(after.metadata.annotations?.['kubectl-csi/injected'], undefined);
  });

  it('undo leaves alone what somebody changed since, and says how to go on', async () => {
    await run('deploy/web', '-c', 'app', '--yes', '--no-wait');
    const patch = [
      { op: 'replace', path: '/spec/template/spec/containers/0/livenessProbe/periodSeconds', value: 9 },
    ];
    assert.equal((await kubectl('patch', 'deploy/web', '--type=json', '-p', JSON.stringify(patch))).code, 0);
    const refused = await run('deploy/web', '--undo', '--yes');
    assert.equal(refused.code, 1);
    assert.match(
      String(refused.doc.workloads[0]?.refused?.why),
      /containers\.app\.livenessProbe changed since/,
    );
    await kubectl('patch', 'deploy/web', '--type=json', '-p', JSON.stringify([{ ...patch[0], value: 20 }]));
    assert.equal((await run('deploy/web', '--undo', '--yes')).code, 0);
  });

  it('a StatefulSet that Helm manages: by its claim template, with a warning', async () => {
    const before = await get('sts/db');
    const done = await run('pod/db-0', '--yes');
    assert.equal(done.code, 0, done.stdout);
    const [first] = done.doc.workloads;
    assert.equal(`${first?.workload.kind}/${first?.workload.name}`, 'StatefulSet/db');
    assert.match(
      String(first?.warnings),
      /pod\/db-0 belongs to StatefulSet\/db.*Helm manages it \(release db\)/i,
    );
    assert.equal((await run('sts/db', '--undo', '--yes')).code, 0);
    assert.deepEqual((await get('sts/db')).spec, before.spec);
  });

  it('a CronJob, of which nothing runs: only what it is told, and the next job has it', async () => {
    const before = await get('cronjob/night');
    const refused = await run('cronjob/night', '--yes');
    assert.deepEqual([refused.code, refused.does], [1, ['app refuse']]);
    assert.match(String(refused.doc.workloads[0]?.containers[0]?.next), /--portable .*--probe-command/);
    const done = await run('cronjob/night', '--portable', '--yes');
    assert.equal(done.code, 0, done.stdout);
    assert.match(String(done.doc.workloads[0]?.warnings), /the next job has it/);
    await kubectl('create', 'job', 'now', '--from=cronjob/night');
    const job = await get('job/now');
    assert.match(String(probesOf(job)[0]), /command -v stat/);
    assert.equal((await run('cronjob/night', '--undo', '--yes')).code, 0);
    assert.deepEqual((await get('cronjob/night')).spec, before.spec);
    const named = await run('cronjob/night', '--probe-command', 'stat -f /data', '--dry-run');
    assert.deepEqual(named.doc.workloads[0]?.containers[0]?.command, ['sh', '-c', 'stat -f /data']);
  });

  it('a bare pod and a Job cannot be changed: refused, or made anew when asked', async () => {
    const refused = await run('pod/bare', 'job/import', '--yes');
    assert.equal(refused.code, 1);
    for (const { refused: why } of refused.doc.workloads) assert.match(String(why?.why), /cannot be changed/);
    const uid = (await get('pod/bare')).metadata.uid;
    const done = await run('pod/bare', '--replace', '--yes');
    assert.deepEqual([done.code, done.results], [0, ['replaced: deleted and made anew']], done.stdout);
    const pod = await get('pod/bare');
    assert.notEqual(pod.metadata.uid, uid);
    assert.match(String(probesOf(pod)[0]), /mounts \/data$/);
    assert.equal((await run('pod/bare', '--undo', '--replace', '--yes')).code, 0);
    assert.deepEqual(probesOf(await get('pod/bare')), [undefined]);
  });

  it('propagation: the container gets what is mounted on the node later', async () => {
    const before = await get('deploy/web');
    const done = await run('deploy/web', '--propagation', '--yes');
    assert.deepEqual([done.code, done.does], [1, ['app propagate', 'beside refuse']]);
    assert.match(String(done.results), /^changed/);
    const exec = ['exec', 'deploy/web', '-c', 'app', '--', 'cat', '/proc/self/mountinfo'];
    await waitUntil('the mount to be a slave of the node', async () =>
      / \/data .* master:\d+ /.test((await kubectl(...exec)).stdout),
    );
    assert.equal((await run('deploy/web', '--undo', '--yes')).code, 0);
    assert.deepEqual((await get('deploy/web')).spec, before.spec);
  });

  it('a file: the documents with the change, which apply takes, and no change in the cluster', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kubectl-csi-inject-'));
    try {
      const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web', namespace: ns } };
      const file = join(folder, 'all.yaml');
      writeFileSync(file, [service, web].map((each) => JSON.stringify(each)).join('\n---\n'));
      const { code, stdout, stderr } = await csi(shared.cluster, ['inject-probe', '-f', file, '--combine']);
      assert.equal(code, 0, stderr);
      const [first, second, ...more] = loadAll(stdout) as WorkloadObject[];
      assert.deepEqual([first, more], [service, []]);
      assert.match(String(probesOf(second as WorkloadObject)[0]), /mounts \/data$/);
      assert.equal(
        (await shared.cluster.kubectl(['apply', '--dry-run=server', '-f', '-'], JSON.stringify(second))).code,
        0,
      );
      assert.deepEqual(probesOf(await get('deploy/web'))[0], undefined);
      const folderRun = await csi(shared.cluster, ['inject-probe', '-f', folder]);
      assert.equal(folderRun.code, 2);
      assert.match(folderRun.stderr, /kubectl kustomize .* \| kubectl csi inject-probe -f -/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('a whole namespace, or all of a driver: each with a verdict, those without CSI volumes left out', async () => {
    const names = async (...args: readonly string[]) =>
      (await run(...args, '--dry-run')).doc.workloads
        .map(({ workload: { kind, name } }) => `${kind}/${name}`)
        .sort();
    const all = [
      'CronJob/night',
      'Deployment/shelless',
      'Deployment/web',
      'Job/import',
      'Pod/bare',
      'StatefulSet/db',
    ];
    assert.deepEqual(await names('--all'), all);
    assert.deepEqual(await names('--driver', 's3.csi.test'), all);
    assert.deepEqual(await names('--driver', 'other.csi.test'), []);
    await kubectl('annotate', 'cronjob/night', 'kubectl-csi/inject-probe=false');
    const out = await run('cronjob/night', '--dry-run');
    assert.deepEqual([out.code, out.does], [0, ['app nothing']], 'opted out');
    await kubectl('annotate', 'cronjob/night', 'kubectl-csi/inject-probe-');
  });

  it('without the right to exec: nothing is guessed', async () => {
    const user = 'kubectl-csi-no-exec';
    const rule = (group: string, resources: string[]) => ({
      apiGroups: [group],
      resources,
      verbs: ['get', 'list', 'patch'],
    });
    const rules = [
      rule('', ['*']),
      rule('apps', ['*']),
      rule('batch', ['*']),
      rule('storage.k8s.io', ['*']),
    ].map((each) => ({
      ...each,
      resources:
        each.apiGroups[0] === '' ? ['pods', 'persistentvolumes', 'persistentvolumeclaims'] : each.resources,
    }));
    const rbac = 'rbac.authorization.k8s.io';
    await shared.cluster.apply([
      { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name: user }, rules },
      {
        apiVersion: `${rbac}/v1`,
        kind: 'ClusterRoleBinding',
        metadata: { name: user },
        roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: user },
        subjects: [{ apiGroup: rbac, kind: 'User', name: user }],
      },
    ]);
    const { doc } = await run('deploy/web', '-c', 'app', '--dry-run', '--as', user);
    assert.match(
      String(doc.workloads[0]?.containers[0]?.why),
      /no right to create pods\/exec in namespace shop/,
    );
  });

  describe('with nothing but the role that rbac prints', () => {
    const user = ['--as', 'ann'];
    const binding = 'ann-workloads';
    before(async () => {
      const printed = await csi(shared.cluster, ['rbac', '--for', 'workloads']);
      await shared.cluster.kubectl(['apply', '-f', '-'], printed.stdout);
      const role = ['--clusterrole=kubectl-csi-workloads', '--user=ann'];
      await shared.cluster.kubectl(['create', 'clusterrolebinding', binding, ...role]);
    });
    after(() => shared?.cluster.kubectl(['delete', 'clusterrolebinding', binding]));

    it('a container without a shell: refused, and by a small program when asked', async () => {
      const refused = await run('deploy/shelless', '--yes', ...user);
      assert.deepEqual([refused.code, refused.does], [1, ['app refuse']]);
      assert.match(
        String(refused.doc.workloads[0]?.containers[0]?.next),
        /kubectl csi heal .*--probe-binary/,
      );
      const done = await run(
        'deploy/shelless',
        '--probe-binary',
        ...quick,
        '--timeout',
        '90s',
        '--yes',
        ...user,
      );
      assert.equal(done.code, 0, done.stdout + done.stderr);
      assert.match(String(done.results), /^changed: 1 of 1/);
    });

    it('and a replaced pod', async () => {
      const done = await run('pod/bare', '--replace', ...quick, '--yes', ...user);
      assert.equal(done.code, 0, done.stdout);
    });
  });

  describe('when the mount dies', () => {
    it('kubelet restarts the containers when the mount dies; after heal they read again; undo takes all away', async () => {
      const before = await get('deploy/shelless');
      const done = await run('deploy/web', '-c', 'app', ...quick, '--yes');
      assert.equal(done.code, 0, done.stdout);
      const { cluster, node, driver } = shared;
      await findIncident('dead-mounts').cause({ cluster, node, driver });
      for (const app of ['web', 'shelless'])
        await waitUntil(`kubelet to end ${app}`, () => isEnded(app), { timeoutMs: 90_000 });
      const healed = await csi(cluster, ['heal', '--node', node.name], { timeoutMs: 120_000 });
      assert.equal(healed.code, 0, healed.stdout);
      for (const app of ['web', 'shelless'])
        assert.equal((await kubectl('rollout', 'status', `deploy/${app}`, '--timeout=90s')).code, 0, app);
      const since = new Date().toISOString();
      await waitUntil('the app to read again', async () => {
        const { stdout } = await kubectl('logs', 'deploy/web', '-c', 'app', '--since-time', since);
        return stdout.includes('"ok":true');
      });
      assert.equal((await run('deploy/web', 'deploy/shelless', '--undo', '--yes')).code, 0);
      const { configMap } = JSON.parse(before.metadata.annotations?.['kubectl-csi/injected'] ?? '{}');
      assert.match(configMap, /^kubectl-csi-probe-deployment-shelless-/);
      assert.notEqual((await kubectl('get', 'configmap', configMap)).code, 0);
      assert.deepEqual(
        podSpecOf(await get('deploy/shelless')).volumes?.map(({ name }) => name),
        ['data', 'app'],
      );
    });
  });

  interface Status {
    readonly restartCount: number;
    readonly name: string;
    readonly state?: { readonly waiting?: object };
  }

  /** The container with the probe was ended, and started again or waits for a living mount. */
  async function isEnded(app: string): Promise<boolean> {
    const { items } = await shared.cluster.kubectlJson<{
      items: readonly { status: { containerStatuses?: readonly Status[] } }[];
    }>(['get', 'pods', '-n', ns, '-l', `app=${app}`]);
    const statuses = items.flatMap(({ status }) => status.containerStatuses ?? []);
    return statuses.some(
      ({ name, restartCount, state }) => name === 'app' && (restartCount > 0 || state?.waiting !== undefined),
    );
  }
});

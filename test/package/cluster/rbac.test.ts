import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { clusterRole, type PurposeName } from '../../../src/cluster/roles.ts';
import { findIncident } from '../../cluster/index.ts';
import { type Recorder, startRecorder } from './recorder.ts';
import { apiServer, type Scene, sharedScene } from './shared.ts';

/** `verb resource` of all that a role allows. */
const rightsOf = (purpose: PurposeName) =>
  clusterRole(purpose).rules.flatMap(({ apiGroups: [group], resources: [resource = ''], verbs }) => {
    const [name = '', subresource] = resource.split('/');
    const text = `${group ? `${name}.${group}` : name}${subresource ? `/${subresource}` : ''}`;
    return verbs.map((verb) => `${verb} ${text}`);
  });

/** Rights that these runs do not use, and who does. */
const elsewhere: Readonly<Record<string, string>> = {
  'create pods/exec': 'exec from Kubernetes 1.35 on',
  'get pods/log': 'who may not exec',
  'list configmaps': 'cleanup, and the sweep of a later run',
  'watch pods': 'a debug pod that is not at once there',
  'get pods': 'doctor pod/NAME; publishing a volume again',
  'list events': 'doctor pod/NAME',
  'list volumeattachments.storage.k8s.io': 'doctor pod/NAME',
  'get storageclasses.storage.k8s.io': 'doctor pod/NAME',
  'get daemonsets.apps': 'upgrade-check',
  'list controllerrevisions.apps': 'upgrade-check',
  'list replicasets.apps': 'blast-radius, upgrade-check',
  'list jobs.batch': 'blast-radius, upgrade-check',
  'patch leases.coordination.k8s.io': 'a repair that takes longer than a third of the lease',
  'get persistentvolumeclaims': 'publishing a volume again',
  'get persistentvolumes': 'publishing a volume again',
  'get csidrivers.storage.k8s.io': 'publishing a volume again',
  'get volumeattachments.storage.k8s.io': 'publishing a volume of a driver that attaches',
  'get secrets': 'publishing a volume whose driver wants secrets',
  'create serviceaccounts/token': 'publishing a volume whose driver wants tokens',
};

describe('the printed ClusterRoles', function () {
  this.timeout(600_000);
  let scene: Scene;
  let recorder: Recorder;

  before(async () => {
    scene = await sharedScene();
    const { server, ca } = await apiServer(scene);
    recorder = await startRecorder(server, ca);
    const printed = await scene.csi(['rbac']);
    assert.equal((await scene.cluster.kubectl(['apply', '-f', '-'], printed.stdout)).code, 0);
  });
  after(() => recorder?.close());

  /** Runs the plugin as a service account that has one of the roles and nothing else. */
  async function as(purpose: PurposeName, args: readonly string[]) {
    const { cluster, csi } = scene;
    const account = `csi-${purpose}`;
    await cluster.kubectl(['create', 'serviceaccount', account]);
    const role = [`--clusterrole=kubectl-csi-${purpose}`, `--serviceaccount=default:${account}`];
    await cluster.kubectl(['create', 'clusterrolebinding', account, ...role]);
    const { stdout: token } = await cluster.kubectl(['create', 'token', account]);
    recorder.taken();
    const connection = ['--server', recorder.address, '--token', token.trim()];
    const result = await csi([...args, ...connection], { KUBECONFIG: '/dev/null' });
    return { ...result, asked: recorder.taken() };
  }

  it('read: status sees everything that the API server and kubelet know', async () => {
    const { code, stdout, stderr, asked } = await as('read', ['status']);
    assert.equal(code, 0, stdout + stderr);
    assert.deepEqual(
      rightsOf('read').filter((right) => !asked.includes(right) && right !== 'get nodes'),
      [],
      'rights that status does not use',
    );
  });

  it('read: one node is read by its name', async () => {
    const { code, asked } = await as('read', ['status', '--node', 'node-1']);
    assert.equal(code, 0);
    assert.ok(asked.includes('get nodes'));
  });

  it('read: visiting nodes is refused with the right that is missing', async () => {
    const { code, stdout, stderr } = await as('read', ['status', '--deep']);
    assert.equal(code, 3);
    assert.match(stdout + stderr, /configmaps|pods/);
  });

  it('look: status --deep, doctor and cleanup see everything', async () => {
    for (const args of [['status', '--deep'], ['doctor'], ['cleanup']]) {
      const { code, stdout, stderr, asked } = await as('look', args);
      assert.equal(code, 0, stdout + stderr);
      assert.deepEqual(
        asked.filter((right) => !rightsOf('look').includes(right) && !isOptional(right)),
        [],
      );
    }
  });

  it('heal: a lost driver is registered again', async () => {
    const node = scene.cluster.node('node-1');
    const restore = await findIncident('lost-event').apply(scene.cluster, node, scene.driver);
    try {
      const { code, stdout, stderr, asked } = await as('heal', ['heal', '--node', 'node-1', '--yes']);
      assert.equal(code, 0, stdout + stderr);
      const unused = rightsOf('heal').filter((right) => !asked.includes(right) && !elsewhere[right]);
      assert.deepEqual(unused, ['list nodes'], 'rights that neither this run nor another uses');
      assert.ok(await scene.driver.isRegistered(node));
    } finally {
      await restore();
    }
  });
});

/** Every user may ask what he may (system:basic-user); only those who heal leave leases, others need not see them. */
const isOptional = (right: string) =>
  right.includes('authorization.k8s.io') || right === 'list leases.coordination.k8s.io';

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, it } from 'mocha';
import { imageName, writeImage } from '../../../scripts/package/image.mjs';
import { execOrThrow } from '../../cluster/host/exec.ts';
import { waitUntil } from '../../cluster/index.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { apiServer, type Scene, sharedScene } from './shared.ts';

describe('the container image', function () {
  this.timeout(600_000);
  let scene: Scene;
  let archive: string;

  before(async () => {
    scene = await sharedScene();
    archive = join(temporaryFolder(), 'image.tar');
    writeImage('amd64', scene.bin, archive);
  });

  it('is well-formed to crane', async () => {
    await execOrThrow([join(scene.cluster.helpers, 'crane'), 'validate', '--tarball', archive]);
  });

  it('is the same when it is made again', async () => {
    const again = join(temporaryFolder(), 'image.tar');
    writeImage('amd64', scene.bin, again);
    await execOrThrow(['cmp', archive, again]);
  });

  it('looks at the cluster from inside, as a service account with the printed role and no root', async () => {
    const { cluster, csi } = scene;
    const name = 'csi-inside';
    await cluster.node('node-1').importImage(archive);
    const role = await csi(['rbac', '--for', 'look']);
    await cluster.kubectl(['apply', '-f', '-'], role.stdout);
    await cluster.kubectl(['create', 'serviceaccount', name]);
    const binding = ['--clusterrole=kubectl-csi-look', `--serviceaccount=default:${name}`];
    await cluster.kubectl(['create', 'clusterrolebinding', name, ...binding]);
    const { hostname, port } = new URL((await apiServer(scene)).server);
    await cluster.apply([pod(name, hostname, port)]);
    const phase = async () =>
      (await cluster.kubectl(['get', 'pod', name, '-o=jsonpath={.status.phase}'])).stdout;
    const log = async () => (await cluster.kubectl(['logs', name])).stdout;
    await waitUntil('the pod to end', async () => /Succeeded|Failed/.test(await phase()), {
      timeoutMs: 120_000,
      describe: async () => (await cluster.kubectl(['describe', 'pod', name])).stdout,
    });
    assert.equal(await phase(), 'Succeeded', await log());
    const { rows } = JSON.parse(await log()) as {
      rows: { driver: string; socket: string; verdict: string }[];
    };
    assert.deepEqual(
      rows.map(({ driver, socket, verdict }) => [driver, socket, verdict]),
      [['bind.csi.test', 'answers', 'ok']],
    );
  });
});

/** The test cluster routes no service addresses (it has no kube-proxy): the pod is told the server's own. */
const pod = (name: string, host: string, port: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: {
    restartPolicy: 'Never',
    serviceAccountName: name,
    hostNetwork: true,
    containers: [
      {
        name: 'csi',
        image: `docker.io/library/${imageName}`,
        imagePullPolicy: 'Never',
        env: [
          { name: 'KUBERNETES_SERVICE_HOST', value: host },
          { name: 'KUBERNETES_SERVICE_PORT', value: port },
        ],
        args: ['status', '--deep', '-o', 'json'],
        securityContext: {
          runAsNonRoot: true,
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
          readOnlyRootFilesystem: true,
        },
      },
    ],
  },
});

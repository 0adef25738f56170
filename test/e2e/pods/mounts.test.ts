import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { before, describe, it } from 'mocha';
import { findIncident, waitPodReady, waitUntil } from '../../cluster/index.ts';
import { onNode } from '../mounts/support/faults.ts';
import { csi } from '../registration/support/csi.ts';
import { applyInOrder } from './support/apply.ts';
import { assertBlocker, doctor, waitEvent } from './support/doctor.ts';
import { attributeCacheMs, killContainer, signalDaemon, switchOn, waitingReason } from './support/node.ts';
import { namespace, pod, whole } from './support/objects.ts';
import { type Shared, sharedCluster } from './support/shared.ts';

const node = 'node-1';
const driver = 'bind.csi.test';
const sound = ['claim', 'volume', 'scheduling', 'node'];
const registered = [...sound, 'plugin', 'registration'];

describe('doctor pod/NAME: drivers and mounts', function () {
  this.timeout(300_000);
  let shared: Shared;

  before(async function () {
    this.timeout(600_000);
    shared = await sharedCluster();
    const { cluster, node: first, drivers } = shared;
    const data = `${drivers.bind.pluginFolder}/data/no-directory`;
    await onNode(first, 'mkdir -p "$0" && touch "$0/a-file"', data);
    await applyInOrder(cluster, [
      ...whole({ name: 'left-out', driver: 'elsewhere.csi.test', node }),
      ...whole({ name: 'uninstalled', driver: 'gone.csi.test', node }),
      ...whole({
        name: 'secretless',
        driver,
        node,
        csi: { nodePublishSecretRef: { name: 'nowhere', namespace } },
      }),
      pod({ name: 'inline', node, source: { csi: { driver } } }),
      ...whole({ name: 'no-directory', driver, node, mount: { subPath: 'a-file/inner' } }),
      ...whole({ name: 'well', driver, node }),
      ...whole({ name: 'no-image', driver, node, container: { image: 'nowhere/nothing:1' } }),
      pod({ name: 'no-config', node, source: { configMap: { name: 'nowhere' } } }),
      ...whole({ name: 'dead', driver: 'fuse.csi.test', node }),
    ]);
    await Promise.all(['well', 'dead'].map((name) => waitPodReady(cluster, namespace, name)));
  });

  it('a node plugin that is kept off the node', async () => {
    await assertBlocker(shared.cluster, 'left-out', {
      blocker: 'plugin-missing: selector',
      cure: /widen the node selection of daemonset elsewhere-csi-test/,
      sound,
    });
  });

  it('a driver that is not installed at all', async () => {
    await assertBlocker(shared.cluster, 'uninstalled', {
      blocker: 'plugin-missing: no-daemonset',
      cure: /install the driver again/,
      sound,
    });
  });

  it('a driver that kubelet never registered', async () => {
    const { cluster, node: first, drivers } = shared;
    const undo = await findIncident('lost-event').apply(cluster, first, drivers.lost);
    try {
      await applyInOrder(cluster, whole({ name: 'unregistered', driver: 'lost.csi.test', node }));
      await waitEvent(cluster, 'unregistered', /not found in the list of registered CSI drivers/);
      await assertBlocker(cluster, 'unregistered', {
        blocker: 'registration-lost: queue-overflow',
        cure: /kubectl csi heal --node node-1/,
        sound: [...sound, 'plugin'],
      });
    } finally {
      await undo();
    }
  });

  it('a Secret that is not there', async () => {
    await waitEvent(shared.cluster, 'secretless', /SecretRef/);
    await assertBlocker(shared.cluster, 'secretless', {
      blocker: 'publish-refused: secret-missing',
      cure: /make the Secret/,
      sound: registered,
    });
  });

  it('an inline volume of a driver that has none', async () => {
    await waitEvent(shared.cluster, 'inline', /not supported by driver/);
    await assertBlocker(shared.cluster, 'inline', {
      blocker: 'publish-refused: mode-unsupported',
      cure: /volumeLifecycleModes/,
      sound: ['plugin', 'registration'],
    });
  });

  it("a driver that refuses, in the driver's words", async () => {
    const { cluster, node: first, drivers } = shared;
    const undo = await switchOn(first, drivers.bind.pluginFolder, 'publish-fails', 'the backend is down');
    try {
      await applyInOrder(cluster, whole({ name: 'unwanted', driver, node }));
      await waitEvent(cluster, 'unwanted', /the backend is down/);
      const doc = await assertBlocker(cluster, 'unwanted', {
        blocker: 'publish-refused: driver-error',
        cure: /its log on node-1/,
        sound: registered,
      });
      assert.equal(doc.blocker?.finding.summary, 'unwanted could not be mounted: the backend is down');
    } finally {
      await undo();
    }
  });

  it('a subPath that is no directory', async () => {
    const { cluster } = shared;
    const reason = () => waitingReason(cluster, 'no-directory');
    await waitUntil(
      'the container to be refused',
      async () => (await reason()) === 'CreateContainerConfigError',
    );
    await assertBlocker(cluster, 'no-directory', {
      blocker: 'subpath-refused: refused',
      cure: /a directory inside the volume/,
      sound: [...registered, 'mount'],
    });
  });

  it('a dead mount under a container that starts again; and its command clears it', async () => {
    const { cluster, node: first } = shared;
    await signalDaemon(first, 'dead', 'KILL');
    await sleep(attributeCacheMs); // until then a container may still start on the dead mount
    await killContainer(cluster, first, 'dead');
    const reason = () => waitingReason(cluster, 'dead');
    await waitUntil('the container to be refused', async () => /Create|Run/.test(await reason()), {
      timeoutMs: 90_000,
    });
    const { blocker } = await assertBlocker(cluster, 'dead', {
      blocker: 'mount-dead: daemon-gone',
      cure: /^kubectl csi remount pod\/dead -n stuck$/,
      sound: registered,
    });
    const [, , ...args] = String(blocker?.finding.cure).split(' ');
    const { code, stdout, stderr } = await csi(cluster, args, { timeoutMs: 120_000 });
    assert.equal(code, 0, stdout + stderr);
    await waitPodReady(cluster, namespace, 'dead');
  });

  it('a pod that runs is called well, with every link', async () => {
    const { doc, code } = await doctor(shared.cluster, 'well');
    assert.equal(doc.verdict, 'running; all its volumes answer');
    assert.deepEqual(
      [...new Set(doc.walk.map(({ state }) => state))].sort(),
      ['sound', 'unneeded'],
      JSON.stringify(doc.walk),
    );
    assert.equal(code, 0);
  });

  it('an image and a ConfigMap that are not there are not about storage', async () => {
    const { cluster } = shared;
    await waitEvent(cluster, 'no-config', /configmap "nowhere" not found/);
    for (const [name, text] of [
      ['no-image', /container app is Err/],
      ['no-config', /configmap "nowhere" not found/],
    ] as const) {
      const { doc, code } = await doctor(cluster, name);
      assert.match(doc.verdict, /^this is not about CSI volumes/);
      assert.match(doc.verdict, text);
      assert.equal(code, 0);
    }
  });
});

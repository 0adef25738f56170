import assert from 'node:assert/strict';
import { redact } from '../../../src/files/redact.ts';
import { driverName, hostPath, nodeName } from '../../../src/model/ids.ts';
import { seen, unseen } from '../../../src/model/observed.ts';
import { captured, changed, diagnosisOf, existing, found, nodeOf, seenValue } from '../support/captures.ts';

const secret = 'acme';

/** A capture whose every name is a name of somebody's, and whose namespace is a word of the document itself. */
const named = changed(
  captured('lost-event'),
  ({ capture, snapshot, node, pod, daemonSet, use, entry, socket }) => {
    const driver = driverName(`storage.${secret}.example`);
    node.name = nodeName(`${secret}-worker-1`);
    node.labels = { [`${secret}.example/rack`]: `${secret}-7`, 'kubernetes.io/hostname': node.name };
    node.kubeletVolumes = seen({ [driver]: 3 });
    node.csiNode = seen([{ driver: driverName('other.csi'), nodeId: `${secret}-id` }]);
    Object.assign(use, {
      pod: { namespace: 'csi', name: `${secret}-app` },
      node: node.name,
      driver,
      claim: { namespace: 'csi', name: `${secret}-claim` },
      persistentVolume: `pv-${secret}`,
      volumeHandle: `handle-${secret}`,
      owner: `Job/${secret}-job`,
    });
    pod.serviceAccount = `${secret}-account`;
    pod.imagePullSecrets = [`${secret}-pull`];
    pod.key = { namespace: 'csi', name: `${secret}-node-plugin-x7k2p` };
    pod.node = node.name;
    pod.owner = `DaemonSet/${secret}-node-plugin`;
    pod.nameHints = [driver];
    daemonSet.key = { namespace: 'csi', name: `${secret}-node-plugin` };
    daemonSet.nameHints = [driver];
    daemonSet.nodeSelector = { 'kubernetes.io/hostname': node.name };
    daemonSet.affinity = [
      { labels: [{ key: 'csi/no-driver', operator: 'DoesNotExist', values: [] }], fields: [] },
    ];
    snapshot.csiDrivers = unseen(`csidrivers is forbidden for ${secret}-worker-1`);
    entry.name = `${driver}-reg.sock`;
    if (socket.registration.seen) {
      socket.registration.value.name = driver;
      socket.registration.value.endpoint = hostPath(`/var/lib/kubelet/plugins/${driver}/csi.sock`);
    }
    const [visited] = capture.evidence;
    if (visited) visited[0] = node.name;
  },
);

describe('a redacted capture', () => {
  const hidden = redact(named);

  it('holds no name of the cluster, in values, keys, paths and free texts', () => {
    assert.equal(JSON.stringify(named).includes(secret), true);
    assert.doesNotMatch(JSON.stringify(hidden), new RegExp(secret));
  });

  it('is still a document that can be read: a namespace named csi changes no field', () => {
    assert.equal(hidden.apiVersion, 'kubectl-csi/v1');
    assert.deepEqual(shapeOf(hidden.snapshot.nodes[0]), shapeOf({ ...named.snapshot.nodes[0], labels: {} }));
  });

  it('has the same findings', () => {
    assert.ok(found(named).length > 0);
    assert.deepEqual(found(hidden), found(named));
    assert.equal(diagnosisOf(hidden).blindSpots.length, diagnosisOf(named).blindSpots.length);
  });

  it('calls one thing by one token everywhere', () => {
    const { driver } = existing(
      nodeOf(hidden).drivers.find(({ sockets }) => sockets.length > 0),
      'driver with a socket',
    );
    assert.deepEqual(Object.keys(seenValue(hidden.snapshot.nodes[0]?.kubeletVolumes)), [driver]);
  });

  it('replaces whole words only: node-1 is no part of node-10', () => {
    const two = changed(captured('healthy'), ({ node, snapshot }) => {
      node.name = nodeName('web-1');
      node.osImage = 'web-10 and web-1';
      snapshot.nodes = [node];
    });
    assert.match(redact(two).snapshot.nodes[0]?.osImage ?? '', /^web-10 and node-\d+$/);
  });

  it('leaves words of the model alone: a pod named socket makes no entry anything else', () => {
    const odd = changed(captured('lost-event'), ({ pod }) => {
      pod.key = { namespace: 'running', name: 'socket' };
    });
    assert.deepEqual(found(redact(odd)), found(odd));
  });

  it('keeps the labels that decide where a node plugin runs, and no others', () => {
    const kept = redact(
      changed(captured('healthy'), ({ node, daemonSet }) => {
        node.labels = { disk: 'fast', owner: 'somebody' };
        daemonSet.nodeSelector = { disk: 'fast' };
      }),
    );
    assert.deepEqual(kept.snapshot.nodes[0]?.labels, { disk: 'fast' });
  });

  it('is the capture itself where nothing has a name', () => {
    const empty = {
      ...named,
      snapshot: {
        ...named.snapshot,
        nodes: [],
        pluginPods: seen([]),
        daemonSets: seen([]),
        volumeUses: seen([]),
      },
    };
    assert.equal(redact(empty), empty);
  });
});

/** The names of the fields, however deep. */
function shapeOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.keys(value)
    .filter((key) => key !== 'value')
    .sort();
}

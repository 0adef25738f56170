import assert from 'node:assert/strict';
import { driverOfEntry, joinView } from '../../../src/diagnose/join.ts';
import { driverName, hostPath, nodeName } from '../../../src/model/ids.ts';
import { seen, unseen } from '../../../src/model/observed.ts';
import { captured, changed, nodeOf, type Parts, seenDriver, seenValue, viewOf } from '../support/captures.ts';

const healthy = captured('healthy');
const driversOf = (change: (parts: Parts) => void) =>
  nodeOf(changed(healthy, change)).drivers.map(({ driver }) => driver);

/** Nothing but the registry speaks of the driver any more. */
function silent({ snapshot, node }: Parts): void {
  snapshot.daemonSets = seen([]);
  snapshot.pluginPods = seen([]);
  snapshot.volumeUses = seen([]);
  node.csiNode = seen([]);
}

describe('the joined view', () => {
  it('puts everything about a driver on a node together', () => {
    const driver = seenDriver(healthy);
    assert.equal(seenValue(driver.listed)?.driver, driver.driver);
    assert.equal(seenValue(driver.held), true);
    assert.equal(driver.sockets.length, 1);
    assert.equal(driver.uses.length, 1);
    assert.equal(driver.pod?.node, driver.node);
    assert.ok(driver.daemonSet);
  });

  it('says that nobody looked where no agent ran', () => {
    const [node] = joinView(healthy.snapshot, new Map()).nodes;
    assert.deepEqual(node?.evidence, unseen('no agent ran on this node'));
  });

  it('leaves unseen what the API server refused', () => {
    const driver = seenDriver(
      changed(healthy, ({ node }) => {
        node.csiNode = unseen('forbidden');
        node.kubeletPlugins = unseen('no proxy');
      }),
    );
    assert.deepEqual(driver.listed, unseen('forbidden'));
    assert.deepEqual(driver.held, unseen('no proxy'));
    assert.deepEqual(driver.desired, unseen('no proxy'));
  });

  const alone: Readonly<Record<string, (parts: Parts) => void>> = {
    'the registry entry': () => undefined,
    CSINode: (parts) => {
      parts.evidence.entries = seen([]);
      parts.node.csiNode = structuredClone(healthy.snapshot.nodes[0]?.csiNode) as typeof parts.node.csiNode;
    },
    'a volume of a pod here': (parts) => {
      parts.evidence.entries = seen([]);
      parts.snapshot.volumeUses = structuredClone(
        healthy.snapshot.volumeUses,
      ) as typeof parts.snapshot.volumeUses;
    },
    'the DaemonSet that selects the node': (parts) => {
      parts.evidence.entries = seen([]);
      parts.snapshot.daemonSets = structuredClone(
        healthy.snapshot.daemonSets,
      ) as typeof parts.snapshot.daemonSets;
    },
    "the node plugin's pod": (parts) => {
      parts.evidence.entries = seen([]);
      parts.snapshot.pluginPods = structuredClone(
        healthy.snapshot.pluginPods,
      ) as typeof parts.snapshot.pluginPods;
    },
  };
  for (const [what, restore] of Object.entries(alone))
    it(`knows a driver by ${what} alone`, () => {
      assert.deepEqual(
        driversOf((parts) => {
          silent(parts);
          restore(parts);
        }),
        [seenDriver(healthy).driver],
      );
    });

  it('expects no driver of a DaemonSet that leaves the node out', () => {
    const names = driversOf((parts) => {
      const sets = structuredClone(healthy.snapshot.daemonSets) as typeof parts.snapshot.daemonSets;
      silent(parts);
      parts.evidence.entries = seen([]);
      parts.snapshot.daemonSets = sets;
      parts.daemonSet.nodeSelector = { shelf: 'other' };
    });
    assert.deepEqual(names, []);
  });

  it('expects the driver of a DaemonSet that a taint keeps away', () => {
    const names = driversOf((parts) => {
      const sets = structuredClone(healthy.snapshot.daemonSets) as typeof parts.snapshot.daemonSets;
      silent(parts);
      parts.evidence.entries = seen([]);
      parts.snapshot.daemonSets = sets;
      parts.node.taints = [{ key: 'dedicated', value: 'db', effect: 'NoSchedule' }];
    });
    assert.deepEqual(names, [seenDriver(healthy).driver]);
  });

  it("goes by the listener's container where the pod's own words mislead", () => {
    const driver = seenDriver(changed(healthy, ({ pod }) => (pod.nameHints = ['something-else'])));
    assert.equal(driver.driver, seenDriver(healthy).driver);
    assert.ok(driver.pod);
  });

  it('leaves pods and volumes of other nodes where they are', () => {
    const { drivers, pluginPods } = nodeOf(
      changed(healthy, (parts) => {
        parts.pod.node = nodeName('elsewhere');
      }),
    );
    assert.deepEqual(pluginPods, []);
    assert.equal(drivers[0]?.pod, undefined);
  });

  it('knows a socket that kubelet holds by the entry, whatever its name', () => {
    const driver = seenDriver(
      changed(healthy, ({ entry, node }) => {
        entry.name = 'odd.sock';
        const path = hostPath('/var/lib/kubelet/plugins_registry/odd.sock');
        node.kubeletPlugins = seen({ actual: [path], desired: [path] });
      }),
    );
    assert.equal(seenValue(driver.held), true);
  });

  it('sees a driver that kubelet wants and does not have', () => {
    const driver = seenDriver(
      changed(healthy, ({ node }) => {
        const { actual } = seenValue(node.kubeletPlugins);
        node.kubeletPlugins = seen({ actual: [], desired: [...actual] });
      }),
    );
    assert.equal(seenValue(driver.held), false);
    assert.equal(seenValue(driver.desired), true);
  });

  it('keeps every node of the snapshot', () => {
    assert.equal(viewOf(healthy).nodes.length, healthy.snapshot.nodes.length);
  });
});

describe('the driver of a registry entry', () => {
  const entry = seenValue(seenValue(healthy.evidence[0]?.[1]).entries)[0];
  if (!entry?.socket) throw new Error('the healthy capture has no socket');
  const { socket } = entry;
  it("is the socket's own word", () => {
    assert.equal(driverOfEntry({ ...entry, name: 'x.sock' }), seenDriver(healthy).driver);
  });
  it("is its name's where it says nothing", () => {
    const mute = { ...entry, socket: { ...socket, registration: unseen('mute') }, name: 'a.csi-reg.sock' };
    assert.equal(driverOfEntry(mute), driverName('a.csi'));
  });
  it('is unknown for a directory', () => {
    assert.equal(driverOfEntry({ name: 'a.csi-reg.sock', kind: 'directory', changedAt: '' }), undefined);
  });
});

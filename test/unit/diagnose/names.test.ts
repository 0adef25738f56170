import assert from 'node:assert/strict';
import { driverOfPlugin, driverOfSocket, knownDrivers } from '../../../src/diagnose/names.ts';
import { driverName, hostPath } from '../../../src/model/ids.ts';
import { seen, unseen } from '../../../src/model/observed.ts';
import type { PluginSpec } from '../../../src/model/snapshot.ts';
import { captured, changed, existing, type Parts, seenValue } from '../support/captures.ts';

describe('the driver that a socket belongs to, by its name', () => {
  const table: readonly (readonly [string, string | undefined])[] = [
    ['/var/lib/kubelet/plugins_registry/ebs.csi.aws.com-reg.sock', 'ebs.csi.aws.com'],
    ['ebs.csi.aws.com-reg.sock', 'ebs.csi.aws.com'],
    ['.ebs.csi.aws.com-reg.sock', 'ebs.csi.aws.com'],
    ['folder/ebs.sock', 'ebs'],
    ['-reg.sock', undefined],
    ['.sock', undefined],
    ['ebs.csi.aws.com', undefined],
    ['', undefined],
  ];
  for (const [path, driver] of table)
    it(`${path || '(nothing)'} → ${driver ?? 'none'}`, () => {
      assert.equal(driverOfSocket(path), driver);
    });
});

describe('the drivers that the cluster knows', () => {
  const only = (change: (parts: Parts) => void) =>
    knownDrivers(
      changed(captured('healthy'), (parts) => {
        parts.snapshot.csiDrivers = seen([]);
        parts.node.csiNode = seen([]);
        parts.node.kubeletPlugins = seen({ actual: [], desired: [] });
        parts.snapshot.volumeUses = seen([]);
        change(parts);
      }).snapshot,
    );
  const name = driverName('a.csi');
  const firstUse = existing(seenValue(captured('healthy').snapshot.volumeUses)[0], 'volume in use');
  const sources: Readonly<Record<string, (parts: Parts) => void>> = {
    CSINode: ({ node }) => (node.csiNode = seen([{ driver: name, nodeId: 'x' }])),
    "kubelet's list": ({ node }) =>
      (node.kubeletPlugins = seen({ actual: [hostPath('/r/plugins_registry/a.csi-reg.sock')], desired: [] })),
    'volumes in use': ({ snapshot }) =>
      (snapshot.volumeUses = seen([{ ...firstUse, driver: name }]) as typeof snapshot.volumeUses),
  };
  for (const [source, change] of Object.entries(sources))
    it(`counts ${source}`, () => {
      assert.deepEqual([...only(change)], ['a.csi']);
    });
  it('counts CSIDriver objects', () => {
    const { snapshot } = captured('healthy');
    assert.ok(knownDrivers({ ...snapshot, nodes: [], volumeUses: seen([]) }).size === 1);
  });
  it('leaves out what could not be read', () => {
    assert.deepEqual([...only(({ node }) => (node.csiNode = unseen('forbidden')))], []);
  });
});

describe('the driver that a node plugin registers', () => {
  const plugin = (...nameHints: readonly string[]): PluginSpec => ({
    nameHints,
    registryPath: hostPath('/r'),
    hostPaths: [],
    otherContainers: [],
  });
  const known = new Set([driverName('b.csi'), driverName('c.csi')]);
  it('is the first hint that is a known name', () => {
    assert.equal(driverOfPlugin(plugin('a', 'c.csi', 'b.csi'), known), 'c.csi');
  });
  it('else the first hint', () => {
    assert.equal(driverOfPlugin(plugin('a', 'd'), known), 'a');
  });
  it('else unknown', () => {
    assert.equal(driverOfPlugin(plugin(), known), undefined);
  });
});

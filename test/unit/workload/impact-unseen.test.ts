import assert from 'node:assert/strict';
import type { VolumeImpact } from '../../../src/model/impact.ts';
import { seen, unseen } from '../../../src/model/observed.ts';
import { impactOn } from '../../../src/workload/impact/impact.ts';
import { concernedBy } from '../../../src/workload/impact/retarget.ts';
import { unseenOn } from '../../../src/workload/impact/unseen.ts';
import { captured, changed, existing, nodeOf, type Parts, seenValue } from '../support/captures.ts';

const healthy = captured('healthy');
const nodeWith = (change: (parts: Parts) => void) => nodeOf(changed(healthy, change));

describe('what was not seen of a node', () => {
  const pods = seen([]);
  it('is nothing where all was seen', () => assert.deepEqual(unseenOn(nodeOf(healthy), pods), []));
  it('is told when pods of its neighbourhood could not be listed', () => {
    assert.deepEqual(unseenOn(nodeOf(healthy), unseen('no pods')), ['no pods']);
  });
  for (const part of ['volumeUses', 'daemonSets', 'pluginPods'] as const)
    it(`is told when ${part} could not be read`, () => {
      const node = nodeWith(({ snapshot }) => {
        snapshot[part] = unseen('forbidden');
      });
      assert.deepEqual(unseenOn(node, pods), ['forbidden']);
    });
  it('is told once for one reason', () => {
    const node = nodeWith(({ snapshot }) => {
      snapshot.volumeUses = unseen('forbidden');
      snapshot.pluginPods = unseen('forbidden');
    });
    assert.deepEqual(unseenOn(node, unseen('forbidden')), ['forbidden']);
  });
});

describe('a volume of which no mount was seen', () => {
  const fate = (containerId: string) => {
    const node = nodeWith(({ evidence, use }) => {
      const mounts = seenValue(evidence.mounts);
      mounts.mounts = [];
      for (const target of mounts.published) target.state = 'bare';
      for (const container of use.containers) container.containerId = containerId;
    });
    return existing(impactOn(node, { pods: seen([]), owners: unseen('x') })[0], 'volume').onPluginRestart;
  };
  it('is of unknown fate while a container runs', () => assert.equal(fate('abc'), 'unknown'));
  it('survives while nothing runs', () => assert.equal(fate(''), 'survives'));
});

describe('the volumes that a rollout concerns', () => {
  const volume = (driver: string, ...services: VolumeImpact['services']) =>
    ({
      driver,
      pod: { namespace: 'shop', name: 'web' },
      services,
      containers: [],
    }) as unknown as VolumeImpact;
  const kernel = { by: 'kernel', fsType: 'ext4' } as const;
  const names = (drivers: readonly string[]) =>
    concernedBy(
      [volume('own', kernel), volume('other', kernel), volume('blind', { by: 'unknown', why: 'x' })],
      new Set(['kube-system/csi-node']),
      drivers,
    ).map(({ driver }) => driver);
  it('have those whose fate is not known, whosever they are', () => {
    assert.deepEqual(names(['own']), ['own', 'blind']);
    assert.deepEqual(names([]), ['blind']);
  });
});

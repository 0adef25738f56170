import assert from 'node:assert/strict';
import { type WatchState, watchStateOf } from '../../../src/kubelet/watch-state.ts';
import type { NodeEvidence } from '../../../src/model/evidence.ts';
import { hostPath } from '../../../src/model/ids.ts';
import { type Observed, unseen } from '../../../src/model/observed.ts';
import { captured, changed, type Mutable, seenValue } from '../support/captures.ts';

const stateOf = (incident: string, change: (evidence: Mutable<NodeEvidence>) => void = () => undefined) => {
  const { evidence } = changed(captured(incident), (parts) => change(parts.evidence));
  return watchStateOf(seenValue(evidence[0]?.[1]));
};

const kindOf = (state: Observed<WatchState>) => seenValue(state).kind;

const withoutWatch = (evidence: Mutable<NodeEvidence>) => {
  const registry = seenValue(evidence.registry);
  const others = seenValue(evidence.watches).filter(({ inode }) => inode !== registry.inode);
  evidence.watches = { seen: true, value: others as Mutable<typeof others> };
};

const limits = {
  maxInstances: 128,
  usedInstances: 7,
  maxWatches: 1000,
  usedWatches: 60,
  maxQueuedEvents: 16384,
};

describe("kubelet's watch", () => {
  it('is right where a watch has inode and device of the registry', () => {
    assert.equal(kindOf(stateOf('healthy')), 'right');
  });

  it('is not right where only the inode is the same', () => {
    const state = stateOf('healthy', (evidence) => {
      seenValue(evidence.registry).device;
      evidence.watches = {
        seen: true,
        value: seenValue(evidence.watches).map(({ inode }) => ({ inode, device: '9:9' })),
      };
    });
    assert.equal(kindOf(state), 'missing');
  });

  it('is orphaned where the registry is a mount point of its own', () => {
    const state = seenValue(stateOf('orphaned-watch'));
    assert.equal(state.kind, 'orphaned');
    assert.match(state.kind === 'orphaned' ? state.mount : '', /^\/dev\//);
  });

  it('is replaced where the directory is younger than kubelet', () => {
    const bornAt = '2999-01-01T00:00:00Z';
    const state = stateOf('healthy', (evidence) => {
      withoutWatch(evidence);
      if (evidence.registry.seen) evidence.registry.value.bornAt = bornAt;
    });
    assert.deepEqual(seenValue(state), { kind: 'replaced', bornAt });
  });

  it('is not replaced where the directory is older than kubelet', () => {
    const state = stateOf('healthy', (evidence) => {
      withoutWatch(evidence);
      if (evidence.registry.seen) evidence.registry.value.bornAt = '2000-01-01T00:00:00Z';
    });
    assert.equal(kindOf(state), 'missing');
  });

  it('is not replaced where kubelet made the directory itself as it started', () => {
    const state = stateOf('healthy', (evidence) => {
      withoutWatch(evidence);
      const { startedAt } = seenValue(evidence.kubelet);
      const bornAt = new Date(Date.parse(startedAt) + 2_000).toISOString();
      if (evidence.registry.seen) evidence.registry.value.bornAt = bornAt;
    });
    assert.equal(kindOf(state), 'missing');
  });

  it('is not replaced where kubelet logged that its watch did not begin', () => {
    const state = stateOf('healthy', (evidence) => {
      withoutWatch(evidence);
      if (evidence.registry.seen) evidence.registry.value.bornAt = '2999-01-01T00:00:00Z';
      const text = 'The desired_state_of_world populator (plugin watcher) starts failed!';
      evidence.watcherLog = { seen: true, value: [{ text }] };
    });
    assert.equal(kindOf(state), 'missing');
  });

  it('is replaced on a node where it was', () => {
    assert.equal(kindOf(stateOf('replaced-directory')), 'replaced');
  });

  it('is exhausted where no instance is left, and says the limit', () => {
    const state = stateOf('healthy', (evidence) => {
      withoutWatch(evidence);
      evidence.limits = { seen: true, value: { ...limits, usedInstances: 128 } };
    });
    const limit = 'fs.inotify.max_user_instances is 128, 128 are in use';
    assert.deepEqual(seenValue(state), { kind: 'exhausted', limit });
  });

  it('is exhausted where no watch is left', () => {
    const state = stateOf('healthy', (evidence) => {
      withoutWatch(evidence);
      evidence.limits = { seen: true, value: { ...limits, usedWatches: 1000 } };
    });
    const limit = 'fs.inotify.max_user_watches is 1000, 1000 are in use';
    assert.deepEqual(seenValue(state), { kind: 'exhausted', limit });
  });

  it('is right whatever the limits say, where it is there', () => {
    const state = stateOf('healthy', (evidence) => {
      evidence.limits = { seen: true, value: { ...limits, usedInstances: 128 } };
    });
    assert.equal(kindOf(state), 'right');
  });

  it('is missing where the limits are unknown', () => {
    const state = stateOf('healthy', (evidence) => {
      withoutWatch(evidence);
      evidence.limits = unseen('no');
    });
    assert.equal(kindOf(state), 'missing');
  });

  for (const part of ['registry', 'watches'] as const)
    it(`is unseen where the ${part} could not be seen`, () => {
      const state = stateOf('healthy', (evidence) => {
        evidence[part] = unseen(`no ${part}`);
      });
      assert.deepEqual(state, unseen(`no ${part}`));
    });

  it('keeps a path of a folder as kubelet sees it', () => {
    const { registry } = seenValue(captured('healthy').evidence[0]?.[1]);
    assert.equal(seenValue(registry).path, hostPath('/var/lib/kubelet/plugins_registry'));
  });
});

import assert from 'node:assert/strict';
import { diagnose } from '../../../src/diagnose/diagnose.ts';
import handoverUnfinished from '../../../src/diagnose/rules/mounts/handover-unfinished.ts';
import type { NodeView } from '../../../src/diagnose/view.ts';
import { seen, unseen } from '../../../src/model/observed.ts';
import { restartRepair } from '../../../src/repair/handover/repair.ts';
import { type RestartOptions, wayOf } from '../../../src/repair/handover/way.ts';
import { changed, nodeOf, type Parts, viewOf } from '../support/captures.ts';
import { driver, fuse, healthy, restartOptions, twice } from '../support/handover.ts';

const options = restartOptions(twice, 1_000);

const second = (parts: Parts, replaces = 'old') => {
  parts.snapshot.secondPlugins = seen([
    {
      key: { namespace: 'csi', name: 'second' },
      uid: 'second',
      node: parts.node.name,
      driver,
      replaces,
      deleting: false,
      phase: 'Running',
      createdAt: '2026-11-30T22:00:00Z',
    },
  ]) as never;
};

const state = (word: string) => (parts: Parts) => {
  fuse(parts);
  if (!parts.evidence.mounts?.seen) return;
  for (const mount of parts.evidence.mounts.value.mounts) Object.assign(mount, { state: word });
};

const node = (change: (parts: Parts) => void): NodeView => nodeOf(changed(healthy, change));
const barOf = (view: NodeView, more: Partial<RestartOptions> = {}) =>
  restartRepair({ ...options, ...more }).bars({ node: view.node.name, findings: [] }, view, { force: false });
const describeOf = (view: NodeView, more: Partial<RestartOptions> = {}) =>
  restartRepair({ ...options, ...more }).describe({ node: view.node.name, findings: [] }, view);

describe('the restart of a driver', () => {
  it('hands over where a volume has a daemon and the driver can run twice', () => {
    const view = node(fuse);
    assert.equal(wayOf(view, options).kind, 'handover');
    assert.equal(barOf(view), undefined);
    assert.match(describeOf(view), /hand \d+ container mounts? on 1 volume over to a second driver/);
  });

  it('restarts plainly where it may not or cannot, and says why', () => {
    const view = node(fuse);
    assert.deepEqual(wayOf(view, { ...options, handover: false }), { kind: 'plain', why: '--no-handover' });
    const once = wayOf(view, {
      ...options,
      daemonSets: options.daemonSets.map((each) => ({ ...each, template: {} as never })),
    });
    assert.match(once.kind === 'plain' ? once.why : '', /cannot run twice/);
    assert.match(
      describeOf(view, { handover: false }),
      /without handover \(--no-handover\).*brought back right after/,
    );
  });

  it('carries nothing where no volume ends with the driver', () => {
    const view = node(({ evidence }) => {
      if (evidence.mounts?.seen)
        for (const mount of evidence.mounts.value.mounts) Object.assign(mount, { fsType: 'ext4' });
    });
    assert.equal(wayOf(view, options).kind, 'nothing');
    const details = restartRepair(options).details?.({ node: view.node.name, findings: [] }, view) ?? [];
    assert.match(details.join('\n'), /stays: ext4 has no daemon that ends/);
  });

  it('completes what was interrupted, and refuses to pass it over', () => {
    const view = node((parts) => {
      fuse(parts);
      second(parts);
    });
    assert.match(describeOf(view), /complete the handover that was interrupted/);
    assert.match(barOf(view, { handover: false }) ?? '', /a handover stands unfinished here/);
  });

  it('does nothing it could not answer for', () => {
    assert.match(barOf(node(state('hung'))) ?? '', /does not answer.*--force/);
    assert.match(barOf(node(state('unseen'))) ?? '', /proves nothing.*--force/);
    assert.equal(barOf(node(state('hung')), { force: true }), undefined);
    assert.match(barOf(node(({ evidence }) => (evidence.mounts = unseen('no access')))) ?? '', /no access/);
    const noPod = node(({ snapshot }) => (snapshot.pluginPods = seen([])));
    assert.match(barOf(noPod) ?? '', /no node plugin of .* runs here/);
    const bare = node((parts) => {
      fuse(parts);
      parts.pod.owner = 'ReplicaSet/x';
    });
    assert.match(barOf(bare) ?? '', /belongs to ReplicaSet\/x, not to a DaemonSet/);
  });
});

describe('a handover that stands unfinished', () => {
  const says = (change: (parts: Parts) => void) =>
    diagnose(viewOf(changed(healthy, change)), [handoverUnfinished], []);

  it('is told with the command that completes it', () => {
    const { findings } = says((parts) => second(parts));
    assert.equal(findings.length, 1);
    assert.match(findings[0]?.cure ?? '', new RegExp(`kubectl csi restart ${driver} --node `));
  });

  it('is not told where there is none, and not passed over where pods cannot be read', () => {
    assert.deepEqual(says(({ snapshot }) => (snapshot.secondPlugins = seen([]))).findings, []);
    assert.equal(
      says(({ snapshot }) => (snapshot.secondPlugins = unseen('no right'))).blindSpots.length > 0,
      true,
    );
  });
});

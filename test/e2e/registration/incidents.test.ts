import assert from 'node:assert/strict';
import { before, describe, it } from 'mocha';
import { type Cluster, type ClusterNode, type DeployedDriver, findIncident } from '../../cluster/index.ts';
import {
  assertNothingLeft,
  assertRegistered,
  heldSockets,
  nodeEvents,
  watchRegistrations,
} from './support/cluster-state.ts';
import { csiJson } from './support/csi.ts';
import { causes, cures, type DoctorDocument, type HealDocument, refusalsOf } from './support/documents.ts';
import { type Shared, sharedCluster } from './support/shared.ts';

interface Expectation {
  /** What doctor finds: `rule: reason`, notices apart. */
  readonly causes: readonly string[];
  /** A proof that must be among those of the findings. */
  readonly proof: RegExp;
  /** The repairs that heal used; empty where none can help. */
  readonly cures: readonly string[];
  /** What heal says of the findings that it leaves. */
  readonly refusals: readonly RegExp[];
  /** What heal may risk; `safe` when left out. */
  readonly maxRisk?: 'disruptive';
  /** Whether kubelet holds the driver afterwards. */
  readonly held: boolean;
}

const expectations: Readonly<Record<string, Expectation>> = {
  'lost-event': {
    causes: ['registration-lost: queue-overflow'],
    proof: /"FsWatcher received error" err="fsnotify: queue or buffer overflow"/,
    cures: ['announce'],
    refusals: [],
    held: true,
  },
  'orphaned-watch': {
    causes: ['registration-lost: orphaned-watch'],
    proof: /mounted over the directory, and no watch of kubelet is on what is visible/,
    cures: ['announce-hidden'],
    refusals: [],
    held: true,
  },
  'replaced-directory': {
    causes: ['registration-lost: directory-replaced'],
    proof: /the directory was made at \S+, after kubelet had started/,
    cures: [],
    refusals: [/^restart-kubelet: needs --max-risk disruptive$/],
    held: false,
  },
  'no-watch': {
    // kubelet was restarted for it, so the other driver is lost as well
    causes: ['registration-lost: watches-exhausted', 'registration-lost: watches-exhausted'],
    proof: /fs\.inotify\.max_user_instances is \d+, \d+ are in use/,
    cures: [],
    refusals: [/raise fs\.inotify\.max_user_instances/, /raise fs\.inotify\.max_user_instances/],
    held: false,
  },
  'stale-socket': {
    causes: ['forgotten-by-kubelet: plugin-gone', 'plugin-missing: selector', 'stale-socket: left-behind'],
    proof: /connecting was refused/,
    cures: ['retire-socket'],
    refusals: [/bring its node plugin back/, /widen the node selection of daemonset bind-csi-test -n csi/],
    held: false,
  },
  'driver-mute': {
    causes: ['driver-mute: no-answer'],
    proof: /the registrar answers GetInfo/,
    cures: [],
    refusals: [/kubectl -n csi logs bind-csi-test-/],
    held: true,
  },
  'registrar-mute': {
    causes: ['registrar-mute: no-answer'],
    proof: /connecting is accepted; csi-registrar \(pid \d+\) listens/,
    cures: ['restart-registrar'],
    refusals: [],
    maxRisk: 'disruptive',
    held: true,
  },
  'csi-socket-in-registry': {
    causes: ['csi-socket-in-registry: speaks-csi'],
    proof: /answers Identity\/GetPluginInfo and not Registration\/GetInfo/,
    cures: [],
    refusals: [/give the driver's --endpoint a folder of its own/],
    held: true,
  },
  'wrong-root': {
    causes: ['wrong-root: registry-elsewhere'],
    proof: /kubelet's root is \/var\/lib\/kubelet/,
    cures: [],
    refusals: [/set the kubelet directory of DaemonSet\/bind-csi-test to \/var\/lib\/kubelet/],
    held: false,
  },
  'tainted-node': {
    causes: ['plugin-missing: taint'],
    proof: /no toleration for dedicated=storage:NoSchedule/,
    cures: [],
    refusals: [/add a toleration for dedicated=storage:NoSchedule to daemonset bind-csi-test -n csi/],
    held: false,
  },
  'crashed-plugin': {
    causes: ['driver-mute: no-answer', 'plugin-missing: crash'],
    proof: /container driver is \w+, last end: Error \(1\)/,
    cures: [],
    refusals: [/kubectl logs -n csi bind-csi-test-\S+ -c driver --previous/, /kubectl -n csi logs/],
    held: true,
  },
  'private-root': {
    causes: ['plugin-missing: not-ready', 'private-root: private'],
    proof: /has no shared: tag/,
    cures: [],
    refusals: [/mount --make-rshared \//, /kubectl describe pod -n csi bind-csi-test-/],
    held: false,
  },
};

describe('heal and the incidents of registration', function () {
  this.timeout(120_000);
  let shared: Shared;

  before(async function () {
    this.timeout(900_000); // the first start builds Kubernetes
    shared = await sharedCluster();
  });

  for (const [id, expected] of Object.entries(expectations))
    it(`${id}: ${expected.cures.join(', ') || 'refuses, and says what helps'}`, async () => {
      const { cluster, node, driver } = shared;
      const undo = await findIncident(id).apply(cluster, node, driver);
      try {
        await assertHeal(shared, expected);
      } finally {
        await undo();
      }
      await assertRegistered(cluster, node, driver);
    });

  /** The second registrar ends and starts again all the time: what it leaves behind meanwhile is found or not. */
  it('duplicate-name: refuses, and says what helps', async () => {
    const { cluster, node, driver, neighbour } = shared;
    const undo = await findIncident('duplicate-name').apply(cluster, node, driver);
    try {
      const assertUntouched = await watchRegistrations(cluster, [neighbour]);
      const found = await csiJson<DoctorDocument>(cluster, ['doctor', '--node', node.name]);
      const known = causes(found.doc.diagnosis);
      assert.ok(known.includes('duplicate-driver: same-name'), known.join('\n'));
      const healed = await csiJson<HealDocument>(cluster, ['heal', '--node', node.name]);
      const words = refusalsOf(healed.doc).map(({ why }) => why);
      assert.ok(
        words.some((why) => /remove all but one of .*-copy/.test(why)),
        words.join('\n'),
      );
      assert.equal(healed.code, 1, healed.stdout);
      await assertUntouched();
    } finally {
      await undo();
    }
    await assertRegistered(cluster, node, driver);
    await assertNothingLeft(cluster);
  });
});

async function assertHeal({ cluster, node, driver, neighbour }: Shared, expected: Expectation) {
  const onNode = ['--node', node.name];
  // This incident restarts kubelet, and returns before kubelet has found every other driver again.
  if (expected.cures.includes('retire-socket')) await assertRegistered(cluster, node, neighbour);
  const assertUntouched = await watchRegistrations(cluster, [neighbour]);
  const eventsBefore = (await nodeEvents(cluster, node)).length;

  const found = await csiJson<DoctorDocument>(cluster, ['doctor', ...onNode]);
  assert.deepEqual(causes(found.doc.diagnosis), expected.causes, found.stdout);
  const proofs = found.doc.diagnosis.findings.flatMap((finding) => finding.proofs.map(({ what }) => what));
  assert.ok(
    proofs.some((what) => expected.proof.test(what)),
    `${expected.proof} in ${proofs.join('\n')}`,
  );
  assert.equal(found.code, 1, found.stderr);

  const risk = expected.maxRisk ? ['--max-risk', expected.maxRisk] : [];
  const first = await csiJson<HealDocument>(cluster, ['heal', ...onNode, ...risk]);
  assert.deepEqual(cures(first.doc), expected.cures, first.stderr);
  assertRefusals(first.doc, expected.refusals);
  assert.equal(first.code, expected.refusals.length > 0 ? 1 : 0, `${first.stdout}${first.stderr}`);
  assert.equal(await isHeld(cluster, node, driver), expected.held, 'kubelet holds the driver');

  const again = await csiJson<HealDocument>(cluster, ['heal', ...onNode, ...risk]);
  assert.deepEqual(again.doc.plan?.steps, [], 'a second heal has nothing to do');
  assert.equal(again.code, first.code, again.stdout);

  const events = (await nodeEvents(cluster, node)).slice(eventsBefore);
  assert.deepEqual(
    events.map(({ type, message }) => `${type} ${message.split(':')[0]}`),
    expected.cures.map((repair) => `Normal repaired by ${repair}; it was`),
  );
  await assertUntouched();
  await assertNothingLeft(cluster);
}

async function isHeld(cluster: Cluster, node: ClusterNode, driver: DeployedDriver): Promise<boolean> {
  return (await heldSockets(cluster, node)).includes(driver.registrySocket);
}

/** Each pattern fits a refusal of its own, and there is no other. */
function assertRefusals(doc: HealDocument, patterns: readonly RegExp[]): void {
  const words = refusalsOf(doc).map(({ why }) => why);
  const left = [...words];
  for (const pattern of patterns) {
    const at = left.findIndex((why) => pattern.test(why));
    assert.notEqual(at, -1, `${pattern} in:\n${words.join('\n')}`);
    left.splice(at, 1);
  }
  assert.deepEqual(left, [], 'no other refusal');
}

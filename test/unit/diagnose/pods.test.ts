import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { rules } from '../../../src/diagnose/rules/index.gen.ts';
import { statusText, verdictOf } from '../../../src/diagnose/verdict.ts';
import { seen, unseen } from '../../../src/model/observed.ts';
import type { VolumeUser } from '../../../src/model/pod.ts';
import * as pods from '../support/pods.ts';

const {
  ago,
  attachment,
  blockerText,
  claim,
  deleted,
  driver,
  ended,
  event,
  facts,
  judged,
  mount,
  node,
  nodeObject,
  nodeState,
  persistentVolume,
  published,
  running,
  unbound,
  unplaced,
  volume,
  waiting,
} = pods;

type Row = readonly [name: string, world: pods.World, blocker: string | undefined];

const covered = new Set<string>();

const table = (title: string, rows: readonly Row[]) =>
  describe(title, () => {
    for (const [name, world, expected] of rows)
      it(name, () => {
        assert.equal(blockerText(world), expected);
        for (const { rule, reason } of judged(world).findings) covered.add(`${rule}: ${reason}`);
      });
  });

const failedMount = (text: string) =>
  event('FailedMount', `MountVolume.SetUp failed for volume "pv" : ${text}`);
const starting = (...events: ReturnType<typeof event>[]) => ({ facts: facts({ events: seen(events) }) });
const pending = (one: ReturnType<typeof volume>, events: readonly ReturnType<typeof event>[] = []) => ({
  facts: unplaced({
    volumes: [one],
    events: seen(events),
    unschedulable: '0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.',
  }),
});
const fast = (waitsForConsumer: boolean) => seen({ name: 'fast', provisioner: 'made.csi', waitsForConsumer });

const { storageClass: _fast, volumeName: _pv, ...unclassed } = claim({ phase: 'Pending' });
const classless = unbound({}, { claim: seen(unclassed) });

table('a claim that is not bound', [
  ['does not exist', pending(volume({ claim: seen(undefined) })), 'claim-unbound: missing'],
  [
    'is of another owner',
    pending(volume({ kind: 'ephemeral', claim: seen(claim({ owners: ['other'] })) })),
    'claim-unbound: of-another',
  ],
  ['is Lost', pending(unbound({ phase: 'Lost', volumeName: 'pv' })), 'claim-unbound: lost'],
  [
    'is being deleted',
    pending(volume({ claim: seen(claim({ deleting: true })) })),
    'claim-unbound: deleting',
  ],
  [
    'names a volume that is missing',
    pending(unbound({ volumeName: 'pv' }, { persistentVolume: seen(undefined) })),
    'claim-unbound: volume-missing',
  ],
  [
    'names a volume of another claim',
    pending(
      unbound(
        { volumeName: 'pv' },
        {
          persistentVolume: seen(
            persistentVolume({ claim: { namespace: 'apps', name: 'data', uid: 'old' } }),
          ),
        },
      ),
    ),
    'claim-unbound: volume-taken',
  ],
  ['names no class, and there is no default', pending(classless), 'claim-unbound: no-class'],
  ['wants a volume made by hand', pending(unbound({ storageClass: '' })), 'claim-unbound: no-volume'],
  [
    'names a class that is missing',
    pending(unbound({}, { storageClass: seen(undefined) })),
    'claim-unbound: class-missing',
  ],
  [
    'gets no sign of a provisioner',
    pending(unbound({}, { storageClass: fast(false) })),
    'claim-unbound: no-provisioner',
  ],
  [
    'was refused by the provisioner',
    pending(unbound({}, { storageClass: fast(false) }), [
      event('ProvisioningFailed', 'no space', { claim: 'data' }),
    ]),
    'claim-unbound: provisioning-failed',
  ],
  [
    'is being provisioned',
    pending(unbound({}, { storageClass: fast(false) }), [
      event('Provisioning', 'under way', { claim: 'data', type: 'Normal' }),
    ]),
    undefined,
  ],
  ['waits for its first consumer', pending(unbound({}, { storageClass: fast(true) })), undefined],
]);

const refusedBy = (message: string): pods.World => ({ facts: unplaced({ unschedulable: message }) });
const zero = '0/3 nodes are available: 3 node(s)';

table('the scheduler', [
  [
    'volume affinity, to 1.33',
    refusedBy(`${zero} had volume node affinity conflict.`),
    'pod-unschedulable: node-affinity',
  ],
  [
    'volume affinity, since 1.34',
    refusedBy(`${zero} didn't match PersistentVolume's node affinity.`),
    'pod-unschedulable: node-affinity',
  ],
  ['the limit of volumes', refusedBy(`${zero} exceed max volume count.`), 'pod-unschedulable: volume-limit'],
  [
    'ReadWriteOncePod',
    refusedBy('node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode'),
    'pod-unschedulable: single-pod',
  ],
  ['nothing at all', { facts: unplaced() }, undefined],
  [
    'anything else is not about storage',
    refusedBy('0/3 nodes are available: 3 Insufficient cpu.'),
    undefined,
  ],
]);

describe('what is not about storage', () => {
  const noticed = (world: pods.World) =>
    judged(world).findings.map(({ rule, reason, severity }) => `${rule}: ${reason} ${severity}`);

  it('is said as a notice, in the words that kubectl describe shows', () => {
    assert.deepEqual(noticed(refusedBy('0/3 nodes are available: 3 Insufficient cpu.')), [
      'pod-unschedulable: not-storage notice',
    ]);
    assert.deepEqual(noticed({ facts: unplaced({ schedulingGates: ['wait'] }) }), [
      'pod-unschedulable: gated notice',
    ]);
    const mounted = { volumes: seen([published([mount()])]) };
    for (const [reason, expected] of [
      ['ImagePullBackOff', 'image'],
      ['CreateContainerConfigError', 'config'],
    ] as const)
      assert.deepEqual(noticed({ ...mounted, facts: facts({ containers: [waiting(reason)] }) }), [
        `not-storage: ${expected} notice`,
      ]);
    const crashing = facts({ phase: 'Running', containers: [waiting('CrashLoopBackOff')] });
    assert.deepEqual(noticed({ ...mounted, facts: crashing }), ['not-storage: crash notice']);
  });

  it('is a sandbox that cannot be made', () => {
    const world = starting(event('FailedCreatePodSandBox', 'no CNI configuration'));
    assert.deepEqual(noticed(world), ['not-storage: sandbox notice']);
  });

  it('is a ConfigMap that is missing, and not the Secret of a CSI volume', () => {
    const config = event(
      'FailedMount',
      'MountVolume.SetUp failed for volume "cfg" : configmap "x" not found',
    );
    assert.deepEqual(noticed({ facts: facts({ volumes: [], events: seen([config]) }) }), [
      'not-storage: other-volume notice',
    ]);
    const secret = failedMount('fetching NodePublishSecretRef apps/s failed: secrets "s" not found');
    assert.equal(blockerText(starting(secret)), 'publish-refused: secret-missing');
  });
});

const attaching = (
  own: readonly ReturnType<typeof attachment>[],
  more: Partial<pods.World> = {},
): pods.World => ({
  facts: facts({ attachments: seen(own) }),
  attachRequired: true,
  ...more,
});

table('an attachment of the own node', [
  ['does not exist', attaching([]), 'attachment-missing: not-made'],
  [
    'was not touched by an attacher',
    attaching([attachment({ takenUp: false })]),
    'attachment-waits: no-attacher',
  ],
  ['was refused', attaching([attachment({ attachError: 'no such disk' })]), 'attachment-waits: refused'],
  ['is on its way', attaching([attachment()]), undefined],
  [
    'is being deleted',
    attaching([attachment({ deletingSince: ago(400), attached: true })]),
    'attachment-waits: detaching',
  ],
  ['is there', attaching([attachment({ attached: true })]), undefined],
  ['is not needed', { ...attaching([]), attachRequired: false }, undefined],
]);

const other = attachment({ node: pods.nodeState('other', undefined).name, attached: true });
const elsewhere = (
  object: ReturnType<typeof nodeObject> | undefined,
  users: readonly VolumeUser[] = [],
  modes = ['ReadWriteOnce'],
): pods.World => ({
  facts: facts({
    volumes: [volume({ persistentVolume: seen(persistentVolume({ accessModes: modes })) })],
    attachments: seen([{ ...other, users: seen(users) }]),
    nodes: [nodeState(node, nodeObject()), nodeState('other', object)],
  }),
  attachRequired: true,
});
const user = (deleting: boolean) => ({ pod: { namespace: 'apps', name: 'old' }, deleting });

table('an attachment of another node', [
  ['with a pod that runs', elsewhere(nodeObject(), [user(false)]), 'multi-attach: in-use'],
  ['with a pod that ends', elsewhere(nodeObject(), [user(true)]), 'multi-attach: ending'],
  ['with nobody, detached', elsewhere(nodeObject()), 'multi-attach: not-detached'],
  [
    'with nobody, still mounted',
    elsewhere(nodeObject({ volumesInUse: [`kubernetes.io/csi/${driver}^handle`] })),
    'multi-attach: still-mounted',
  ],
  ['that is down', elsewhere(nodeObject({ ready: false }), [user(true)]), 'multi-attach: node-down'],
  ['that is gone', elsewhere(undefined), 'multi-attach: node-gone'],
  [
    'of a volume for many nodes',
    elsewhere(nodeObject(), [], ['ReadWriteMany']),
    'attachment-missing: not-made',
  ],
]);

describe('the cure of a stale attachment', () => {
  const cureOf = (world: pods.World) => String(judged(world).blocker?.cure);

  it('is the taint first where the node is down, and never to delete by hand', () => {
    const cure = cureOf(elsewhere(nodeObject({ ready: false })));
    assert.match(
      cure,
      /kubectl taint node other node\.kubernetes\.io\/out-of-service=nodeshutdown:NoExecute/,
    );
    assert.doesNotMatch(cure, /kubectl delete/);
  });

  it('is patience where the taint is on the node already', () => {
    assert.doesNotMatch(cureOf(elsewhere(nodeObject({ ready: false, outOfService: true }))), /kubectl/);
  });

  it('leaves the finalizer alone', () => {
    for (const object of [undefined, nodeObject()])
      assert.match(cureOf(elsewhere(object)), /[Nn]ever take the finalizer off/);
  });
});

table('the node', [
  [
    'is not Ready',
    { facts: facts({ nodes: [nodeState(node, nodeObject({ ready: false }))] }) },
    'node-gone: not-ready',
  ],
  ['is gone', { facts: deleted({ nodes: [nodeState(node, undefined)] }) }, 'node-gone: deleted'],
]);

table('a mount that was refused', [
  [
    'by the driver',
    starting(failedMount('rpc error: code = Internal desc = backend is down')),
    'publish-refused: driver-error',
  ],
  [
    'in silence',
    starting(failedMount('rpc error: code = DeadlineExceeded desc = context deadline exceeded')),
    'publish-refused: timed-out',
  ],
  [
    'as a kind',
    starting(failedMount('volume mode "Ephemeral" not supported by driver x')),
    'publish-refused: mode-unsupported',
  ],
  [
    'over a dead mount',
    starting(failedMount('stat x: transport endpoint is not connected')),
    'publish-refused: dead-mount',
  ],
  [
    'for a Secret that is missing',
    starting(failedMount('secrets "s" not found')),
    'publish-refused: secret-missing',
  ],
  ['by kubelet', starting(failedMount('mkdir x: read-only file system')), 'publish-refused: other'],
  [
    'of another volume',
    starting(event('FailedMount', 'MountVolume.SetUp failed for volume "pv2" : rpc error: code = X')),
    undefined,
  ],
  [
    'before the driver came is a warning',
    starting(failedMount('driver name x not found in the list of registered CSI drivers')),
    undefined,
  ],
  [
    'and succeeded since',
    {
      ...starting(failedMount('rpc error: code = Internal desc = x')),
      volumes: seen([published([mount()])]),
    },
    undefined,
  ],
]);

describe('the startup race', () => {
  it('is told, with the taint that avoids it', () => {
    const text = 'driver name x not found in the list of registered CSI drivers';
    const [finding] = judged(starting(failedMount(text))).findings;
    assert.equal(
      `${finding?.rule}: ${finding?.reason} ${finding?.severity}`,
      'publish-refused: driver-came-later warning',
    );
    assert.match(String(finding?.cure), /startup taint/);
  });
});

const unregistered = (world: pods.World): pods.World => ({
  ...world,
  change: (view) => {
    const [first] = view.nodes;
    if (!first) return;
    for (const each of first.drivers) {
      each.listed = { seen: true, value: undefined };
      each.held = { seen: true, value: false };
    }
  },
});

table('a driver that is not registered', [
  ['while the pod starts', unregistered(starting()), 'registration-lost: registration-failed'],
  [
    'whatever the event says',
    unregistered(starting(failedMount('driver name x not found in the list of registered CSI drivers'))),
    'registration-lost: registration-failed',
  ],
  [
    'while the pod ends, its volume still mounted',
    unregistered({ facts: deleted(), volumes: seen([published([mount()])]) }),
    'registration-lost: registration-failed',
  ],
  [
    'while the pod ends, its volume gone',
    unregistered({ facts: deleted({ finalizers: ['x'] }) }),
    'pod-finalizers: finalizer',
  ],
  [
    'once the volume is mounted, and the image is what is missing',
    unregistered({
      facts: facts({ containers: [waiting('ErrImagePull')] }),
      volumes: seen([published([mount()])]),
    }),
    undefined,
  ],
]);

const dead = { state: 'dead', errno: 'ENOTCONN' } as const;
const ending = (...volumes: ReturnType<typeof published>[]): pods.World => ({
  facts: deleted(),
  volumes: seen(volumes),
});
const subPath = {
  bind: {
    path: pods.target,
    podUid: 'pod-uid',
    volume: 'pv',
    container: 'app',
    index: '0',
    state: 'mounted',
  },
  layers: [mount(dead)],
} as const;
const { data: _data, ...withoutData } = published([mount()]);

table('a volume that is not unmounted', [
  ['dead', ending(published([mount(dead)])), 'unmount-blocked: dead-mount'],
  ['hung', ending(published([mount({ state: 'hung' })])), 'unmount-blocked: hung'],
  [
    'several layers',
    ending(published([mount({ state: 'hidden' }), mount({ layer: 1 })])),
    'unmount-blocked: extra-layers',
  ],
  [
    'a dead subPath',
    ending(published([mount(dead)], { subPaths: [subPath] })),
    'unmount-blocked: subpath-dead',
  ],
  ['no vol_data.json', ending(withoutData), 'unmount-blocked: data-lost'],
  ['for no reason that was seen', ending(published([mount()])), 'unmount-blocked: not-unmounted'],
  [
    'busy',
    {
      ...ending(published([mount()])),
      log: [{ text: 'E1 UnmountVolume failed for pv: device or resource busy' }],
    },
    'unmount-blocked: held',
  ],
  [
    'refused by the driver',
    {
      ...ending(published([mount()])),
      log: [{ text: 'E1 UnmountVolume failed for pv: rpc error: code = Internal' }],
    },
    'unmount-blocked: driver-refuses',
  ],
  [
    'while a container still runs is no fault of it',
    { facts: deleted({ containers: [running], endsAt: ago(5) }), volumes: seen([published([mount(dead)])]) },
    undefined,
  ],
  [
    'long after the grace period, with a container that runs',
    { facts: deleted({ containers: [running] }) },
    'container-lingers: past-grace',
  ],
]);

describe("kubelet's log", () => {
  it('is quoted without the names that are said already', () => {
    const line =
      'E1130 22:41:05.219525 95 nestedpendingoperations.go:348] Operation for "{volumeName:x^pv}" failed. Error: UnmountVolume.TearDown failed for volume "data" (UniqueName: "x^pv") pod "u" (UID: "u") : rpc error: code = Internal desc = unmount /pv/mount: device or resource busy';
    const { blocker } = judged({ ...ending(published([mount()])), log: [{ text: line }] });
    assert.equal(`${blocker?.rule}: ${blocker?.reason}`, 'unmount-blocked: held');
    assert.equal(
      blocker?.proofs.at(-1)?.what,
      'UnmountVolume.TearDown failed for volume "data" pod "u" : rpc error: code = Internal desc = unmount /pv/mount: device or resource busy',
    );
  });
});

describe('vol_data.json', () => {
  it('is given back as kubelet writes it', () => {
    const { blocker } = judged(ending(withoutData));
    const text = /printf %s '([^']+)'/.exec(String(blocker?.cure))?.[1] ?? '';
    assert.deepEqual(Object.keys(JSON.parse(text)), [
      'attachmentID',
      'driverName',
      'nodeName',
      'specVolID',
      'volumeHandle',
      'volumeLifecycleMode',
    ]);
  });

  it('whose mount is gone needs two directories removed, and nothing recursively', () => {
    const { data: _none, ...bare } = published([]);
    assert.match(String(judged(ending(bare)).blocker?.cure), /: rmdir \S+\/mount \S+\/pv \(never rm -r/);
  });
});

const stuckContainer = (message: string) =>
  facts({ phase: 'Running', containers: [waiting('CreateContainerConfigError', message)] });

table('a container that cannot be made', [
  [
    'for a subPath that is no directory',
    {
      facts: stuckContainer('failed to prepare subPath for volumeMount "data" of container "app"'),
      volumes: seen([published([mount()])]),
    },
    'subpath-refused: refused',
  ],
  [
    'for a dead bind of a subPath',
    {
      facts: stuckContainer('failed to prepare subPath for volumeMount "data" of container "app"'),
      volumes: seen([published([mount()], { subPaths: [subPath] })]),
    },
    'subpath-refused: dead-bind',
  ],
]);

describe('a pod that is not stuck', () => {
  const verdict = (world: pods.World) => {
    const { pod, blocker, findings } = judged(world);
    return verdictOf(pod, blocker, findings);
  };
  const well = facts({ phase: 'Running', containers: [running] });

  it('runs, and all its volumes answer', () => {
    assert.deepEqual(verdict({ facts: well, volumes: seen([published([mount()])]) }), {
      unexplained: false,
      text: 'running; all its volumes answer',
    });
  });

  it('without a look at its volumes is not called well', () => {
    const world = { facts: well, volumes: unseen('nobody looked') };
    assert.equal(verdict(world).text, 'running; 1 volume of it could not be looked at');
    const mountStep = judged(world).walk.find(({ link }) => link === 'mount');
    assert.equal(mountStep?.state, 'unknown');
  });

  it('has ended', () => {
    const world = { facts: facts({ phase: 'Succeeded', containers: [ended] }) };
    assert.equal(verdict(world).text, 'it has ended (Succeeded)');
  });

  it('that starts without a reason in sight is unexplained', () => {
    assert.equal(verdict(starting()).unexplained, true);
  });

  it('is given its time: nothing is wrong with one that was deleted, or made, a moment ago', () => {
    const leaving = { facts: deleted({ endsAt: ago(-20) }), volumes: seen([published([mount()])]) };
    assert.equal(blockerText(leaving), undefined);
    assert.equal(verdict(leaving).unexplained, false);
    assert.match(statusText(judged(leaving).pod), /its grace period ends in 20 s/);
    assert.equal(verdict({ facts: facts({ createdAt: ago(5) }) }).unexplained, false);
  });

  it('has its state and age as kubectl shows them', () => {
    assert.equal(statusText(judged(starting()).pod), 'ContainerCreating, 5 min old');
    assert.match(statusText(judged(ending()).pod), /^Terminating, its grace period ended 60 s ago$/);
  });
});

describe('the walk', () => {
  it('shows every link of every volume once, in the order in which they depend on each other', () => {
    const steps = judged(starting()).walk;
    assert.deepEqual(
      steps.map(({ link }) => link),
      [
        'claim',
        'volume',
        'scheduling',
        'node',
        'attachment',
        'plugin',
        'registration',
        'mount',
        'container',
        'end',
      ],
    );
  });

  it('shows what is sound before the broken link, and names the broken one', () => {
    const states = judged(unregistered(starting())).walk.map(({ link, state }) => `${link} ${state}`);
    assert.deepEqual(states.slice(0, 7), [
      'claim sound',
      'volume sound',
      'scheduling sound',
      'node sound',
      'attachment unneeded',
      'plugin sound',
      'registration broken',
    ]);
  });

  it('says of objects that may not be read that they are unknown', () => {
    const world = {
      facts: facts({ volumes: [volume({ claim: unseen('no right to get persistentvolumeclaims') })] }),
    };
    const { walk, blindSpots } = judged(world);
    assert.equal(walk.find(({ link }) => link === 'claim')?.state, 'unknown');
    assert.ok(blindSpots.some(({ rule }) => rule === 'claim-unbound'));
  });

  it('says of events that may not be read that they are a blind spot', () => {
    const { blindSpots } = judged({ facts: facts({ events: unseen('no right to list events') }) });
    assert.ok(blindSpots.some(({ rule, why }) => rule === 'publish-refused' && /events/.test(why)));
  });
});

describe('the rules about pods', () => {
  it('have a case for every reason', () => {
    const elsewhere = [
      'attachment-missing: no-csidriver',
      'container-lingers: waits-for-volume',
      'not-storage: image',
      'not-storage: crash',
      'not-storage: config',
      'not-storage: other-volume',
      'not-storage: sandbox',
      'pod-unschedulable: gated',
    ];
    const all = rules
      .filter(({ incident }) => incident === 'pods')
      .flatMap(({ id, reasons }) => Object.keys(reasons).map((reason) => `${id}: ${reason}`));
    assert.deepEqual(
      all.filter((each) => !covered.has(each) && !elsewhere.includes(each)),
      [],
    );
  });
});

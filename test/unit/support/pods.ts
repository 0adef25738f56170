import { blockerOf, concernsPod } from '../../../src/diagnose/blocker.ts';
import { linkOf } from '../../../src/diagnose/define-rule.ts';
import { diagnose } from '../../../src/diagnose/diagnose.ts';
import { joinPod } from '../../../src/diagnose/join-pod.ts';
import type { PodView } from '../../../src/diagnose/pod-view.ts';
import { rules } from '../../../src/diagnose/rules/index.gen.ts';
import type { ClusterView, VolumeView } from '../../../src/diagnose/view.ts';
import { walkOf } from '../../../src/diagnose/walk.ts';
import type { LogLine } from '../../../src/model/evidence.ts';
import { hostPath, type NodeName, nodeName } from '../../../src/model/ids.ts';
import type { ObservedMount } from '../../../src/model/mounts.ts';
import { mapSeen, type Observed, seen, unseen } from '../../../src/model/observed.ts';
import type {
  Attachment,
  ClaimFacts,
  NodeObject,
  PersistentVolumeFacts,
  PodContainer,
  PodEvent,
  PodFacts,
  PodVolume,
} from '../../../src/model/pod.ts';
import type { VolumeUse } from '../../../src/model/snapshot.ts';
import { captured, existing, type Mutable, viewOf } from './captures.ts';

/** A pod on the one node of a capture, with one volume of its one driver. */
const capture = captured('healthy');
const base = viewOf(capture);
const own = existing(base.nodes[0], 'node');

export const at = capture.snapshot.takenAt;
export const node: NodeName = own.node.name;
export const driver = existing(own.drivers[0], 'driver').driver;

/** RFC 3339, so many seconds before the snapshot was taken. */
export const ago = (seconds: number) => new Date(Date.parse(at) - seconds * 1000).toISOString();

export const claim = (more: Partial<ClaimFacts> = {}): ClaimFacts => ({
  uid: 'claim-uid',
  phase: 'Bound',
  volumeName: 'pv',
  storageClass: 'fast',
  accessModes: ['ReadWriteOnce'],
  deleting: false,
  owners: [],
  ...more,
});

export const persistentVolume = (more: Partial<PersistentVolumeFacts> = {}): PersistentVolumeFacts => ({
  name: 'pv',
  phase: 'Bound',
  accessModes: ['ReadWriteOnce'],
  block: false,
  deleting: false,
  claim: { namespace: 'apps', name: 'data', uid: 'claim-uid' },
  ...more,
});

export const volume = (more: Partial<PodVolume> = {}): PodVolume => ({
  name: 'data',
  kind: 'persistent',
  claimKey: { namespace: 'apps', name: 'data' },
  claim: seen(claim()),
  persistentVolume: seen(persistentVolume()),
  driver,
  handle: 'handle',
  ...more,
});

/** A claim that is not bound, and what else there is about it. */
export const unbound = (more: Partial<ClaimFacts>, others: Partial<PodVolume> = {}): PodVolume => {
  const { volumeName, ...rest } = claim({ phase: 'Pending', ...more });
  const named = more.volumeName === undefined ? rest : { ...rest, volumeName: more.volumeName };
  return {
    name: 'data',
    kind: 'persistent',
    claimKey: { namespace: 'apps', name: 'data' },
    claim: seen(named),
    ...others,
  };
};

export const waiting = (reason: string, message = ''): PodContainer => ({
  name: 'app',
  state: 'waiting',
  reason,
  message,
  containerId: '',
});

export const running: PodContainer = {
  name: 'app',
  state: 'running',
  reason: '',
  message: '',
  containerId: 'abc',
};

export const ended: PodContainer = { ...running, state: 'terminated', reason: 'Completed' };

export const nodeObject = (more: Partial<NodeObject> = {}): NodeObject => ({
  ready: true,
  why: 'kubelet is posting ready status',
  since: ago(600),
  outOfService: false,
  volumesInUse: [],
  ...more,
});

export const nodeState = (name: string, object: NodeObject | undefined) => ({
  name: nodeName(name),
  object: seen(object),
});

export const event = (reason: string, message: string, more: Partial<PodEvent> = {}): PodEvent => ({
  type: 'Warning',
  reason,
  message,
  count: 3,
  lastAt: ago(30),
  ...more,
});

export const attachment = (more: Partial<Attachment> = {}): Attachment => ({
  name: 'csi-1',
  driver,
  node,
  persistentVolume: 'pv',
  attached: false,
  takenUp: true,
  createdAt: ago(120),
  users: seen([]),
  ...more,
});

/** A pod that is in ContainerCreating for five minutes, unless told otherwise. */
export const facts = (more: Partial<PodFacts> = {}): PodFacts => ({
  key: { namespace: 'apps', name: 'web' },
  uid: 'pod-uid',
  kubeletUid: 'pod-uid',
  node,
  phase: 'Pending',
  createdAt: ago(300),
  finalizers: [],
  schedulingGates: [],
  containers: [waiting('ContainerCreating')],
  volumes: [volume()],
  events: seen([]),
  attachments: seen([]),
  nodes: [nodeState(node, nodeObject())],
  ...more,
});

/** A pod that no node has yet. */
export const unplaced = (more: Partial<PodFacts> = {}): PodFacts => {
  const { node: _node, ...rest } = facts({ nodes: [], ...more });
  return rest;
};

/** A pod that was deleted, whose containers have ended. */
export const deleted = (more: Partial<PodFacts> = {}): PodFacts =>
  facts({ phase: 'Running', endsAt: ago(60), containers: [ended], ...more });

export const target = hostPath('/var/lib/kubelet/pods/pod-uid/volumes/kubernetes.io~csi/pv/mount');

export const mount = (more: Partial<ObservedMount> = {}): ObservedMount => ({
  namespace: '1',
  id: 1,
  device: '0:50',
  root: '/',
  mountPoint: target,
  options: 'rw',
  propagation: 'shared',
  fsType: 'fuse.daemon',
  source: 'daemon',
  state: 'alive',
  layer: 0,
  layers: 1,
  ...more,
});

/** The pod's volume on the node. */
export const published = (layers: readonly ObservedMount[], more: Partial<VolumeView> = {}): VolumeView => ({
  node,
  driver,
  handle: 'handle',
  podGone: false,
  target: {
    path: target,
    podUid: 'pod-uid',
    specName: 'pv',
    volData: '{}',
    state: layers.length > 0 ? 'mounted' : 'bare',
    guarded: false,
    files: [],
  },
  data: { driverName: driver },
  layers,
  state: layers.at(-1)?.state ?? 'bare',
  subPaths: [],
  containers: [],
  ...more,
});

export interface World {
  readonly facts: PodFacts;
  /** What is published on the node; nothing when left out. */
  readonly volumes?: Observed<readonly VolumeView[]>;
  readonly log?: readonly LogLine[];
  /** Of the driver's CSIDriver object. */
  readonly attachRequired?: boolean;
  readonly uses?: readonly Partial<VolumeUse>[];
  /** A last word about the view. */
  readonly change?: (view: Mutable<ClusterView>) => void;
}

function viewOfPod(world: World): { readonly view: ClusterView; readonly pod: PodView } {
  const { snapshot } = base;
  const changedSnapshot = {
    ...snapshot,
    csiDrivers: mapSeen(snapshot.csiDrivers, (all) =>
      all.map((each) => ({ ...each, attachRequired: world.attachRequired ?? false })),
    ),
    volumeUses: seen((world.uses ?? []) as readonly VolumeUse[]),
  };
  const view = structuredClone({
    snapshot: changedSnapshot,
    nodes: [{ ...own, snapshot: changedSnapshot, volumes: world.volumes ?? seen([]) }],
  }) as ClusterView;
  world.change?.(view as Mutable<ClusterView>);
  const log = world.log ? seen(world.log) : unseen('not read');
  return { view, pod: joinPod(view.snapshot, world.facts.node ? view.nodes : [], world.facts, log) };
}

/** What `doctor pod/NAME` makes of it. */
export function judged(world: World) {
  const { view, pod } = viewOfPod(world);
  const whole = diagnose({ ...view, nodes: world.facts.node ? view.nodes : [], pod }, rules, ['agent']);
  const concerned = <T extends { readonly subject: Parameters<typeof concernsPod>[0] }>(all: readonly T[]) =>
    all.filter(({ subject }) => concernsPod(subject, pod));
  const findings = concerned(whole.findings);
  const linked = findings.map((finding) => ({
    finding,
    link: linkOf(
      existing(
        rules.find(({ id }) => id === finding.rule),
        'rule',
      ),
    ),
  }));
  const blocker = blockerOf(pod, linked);
  return { pod, findings, blindSpots: concerned(whole.blindSpots), blocker, walk: walkOf(pod, linked) };
}

/** `rule: reason` of what blocks the pod. */
export const blockerText = (world: World) => {
  const { blocker } = judged(world);
  return blocker && `${blocker.rule}: ${blocker.reason}`;
};

import type {
  AudienceToken,
  Claim,
  CsiDriverObject,
  PersistentVolume,
  Pod,
  ReplayInput,
  UsedVolume,
} from '../../../../src/kubelet/publish/input.ts';
import type { PublishRequest, Replay, StageRequest } from '../../../../src/kubelet/publish/request.ts';
import { Secret } from '../../../../src/kubelet/publish/secret.ts';
import { driverName, hostPath, nodeName } from '../../../../src/model/ids.ts';
import { seen } from '../../../../src/model/observed.ts';

const name = 'app';
const namespace = 'shop';
const uid = 'pod-uid';
const key = { namespace, name };

type Change<T> = { readonly [Key in keyof T]?: T[Key] | undefined };
type Source = NonNullable<NonNullable<Pod['spec']>['volumes']>[number];

const use: UsedVolume = {
  pod: key,
  podUid: uid,
  volume: 'data',
  driver: driverName('x.csi'),
  claim: { namespace, name: 'claim' },
  persistentVolume: 'pv-1',
};

export const pod = (spec: Change<NonNullable<Pod['spec']>> = {}, source: Partial<Source> = {}): Pod =>
  ({
    metadata: { name, namespace, uid },
    spec: {
      nodeName: 'worker',
      serviceAccountName: 'default',
      containers: [],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'claim' }, ...source }],
      ...spec,
    },
    status: { phase: 'Running' },
  }) as Pod;

export const claim: Claim = {
  metadata: { name: 'claim', namespace, uid: 'claim-uid' },
  spec: { volumeName: 'pv-1' },
};

export const persistentVolume = (
  spec: Change<NonNullable<PersistentVolume['spec']>> = {},
  csi: object = {},
): PersistentVolume =>
  ({
    metadata: { name: 'pv-1' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      claimRef: { uid: 'claim-uid' },
      csi: { driver: 'x.csi', volumeHandle: 'handle', ...csi },
      ...spec,
    },
  }) as PersistentVolume;

export const csiDriver = (spec: Change<CsiDriverObject['spec']> = {}): CsiDriverObject => ({
  metadata: { name: 'x.csi' },
  spec: {
    attachRequired: false,
    fsGroupPolicy: 'ReadWriteOnceWithFSType',
    volumeLifecycleModes: ['Persistent', 'Ephemeral'],
    ...spec,
  } as CsiDriverObject['spec'],
});

/** A plain persistent volume of a driver without capabilities, changed as a test needs it. */
export const input = (change: Partial<ReplayInput> = {}): ReplayInput => ({
  use,
  node: nodeName('worker'),
  kubeletRoot: hostPath('/var/lib/kubelet'),
  kubeletVersion: seen('v1.34.4'),
  capabilities: new Set(),
  volData: seen({}),
  pod: seen(pod()),
  claim: seen(claim),
  persistentVolume: seen(persistentVolume()),
  csiDriver: seen(csiDriver()),
  ...change,
});

/** An inline volume in its place. */
export const inlineInput = (source: object = {}, change: Partial<ReplayInput> = {}): ReplayInput => {
  const { claim: _, persistentVolume: __, ...rest } = input();
  const csi = { driver: 'x.csi', ...source };
  return { ...rest, pod: seen(pod({ volumes: [{ name: 'data', csi }] })), ...change };
};

export const token = (audience: string, value = `token-of-${audience}`): AudienceToken => ({
  audience,
  token: new Secret(value),
  expirationTimestamp: '2026-01-01T00:00:00Z',
});

/** The requests of a replay that must not be refused. */
export function requested(replay: Replay): Extract<Replay, { readonly kind: 'request' }> {
  if (replay.kind === 'refused') throw new Error(`refused: ${replay.field}: ${replay.why}`);
  return replay;
}

export const published = (replay: Replay): PublishRequest => requested(replay).publish;

export function staged(replay: Replay): StageRequest {
  const { stage } = requested(replay);
  if (!stage) throw new Error('the volume is not staged');
  return stage;
}

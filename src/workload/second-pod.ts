import { createHash } from 'node:crypto';
import type { V1Container, V1ObjectMeta, V1Pod, V1PodSpec, V1PodTemplateSpec } from '@kubernetes/client-node';
import { handoverFolder, handoverLabel, replacesAnnotation } from '../kubelet/handover.ts';
import { isBelow } from '../kubelet/paths.ts';
import type { Wire } from '../kubelet/wire.ts';
import { type DriverName, type HostPath, hostPath, type NodeName, type ObjectKey } from '../model/ids.ts';
import type { SecondDriver } from './handover.ts';

type Template = Wire<V1PodTemplateSpec>;
type PodSpec = Wire<V1PodSpec>;
type Container = Wire<V1Container>;

/** Whose second node plugin it is, and where. */
export interface SecondPlace {
  readonly driver: DriverName;
  readonly node: NodeName;
  /** The DaemonSet's namespace: its service account and secrets are there. */
  readonly namespace: string;
  /** UID of the node plugin's pod that is to be restarted. */
  readonly replaces: string;
  /** Labels and annotations of every object of this program. */
  readonly metadata: Pick<Wire<V1ObjectMeta>, 'labels' | 'annotations'>;
}

/** One a driver and node: a second run finds the pod of the first, and cannot make another. */
export const secondKey = ({
  driver,
  node,
  namespace,
}: Pick<SecondPlace, 'driver' | 'node' | 'namespace'>): ObjectKey => ({
  namespace,
  name: `kubectl-csi-handover-${createHash('sha256').update(`${driver} ${node}`).digest('hex').slice(0, 16)}`,
});

/**
 * The DaemonSet's pod once more, unknown to kubelet's registry: without registrar, with a folder of its own for the
 * socket. Its labels are ours alone, so no controller adopts it and no Service leads to it. It has no deadline and no
 * probes: its end would be the end of the mounts that apps have from it.
 */
export function secondPod(template: Template, second: SecondDriver, place: SecondPlace): Wire<V1Pod> {
  const { driver, node, replaces, metadata } = place;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...secondKey(place),
      labels: { ...metadata.labels, [handoverLabel]: driver },
      annotations: {
        ...template.metadata?.annotations,
        ...metadata.annotations,
        [replacesAnnotation]: replaces,
      },
    },
    spec: specOf(template, second, node),
  };
}

function specOf({ spec }: Template, second: SecondDriver, node: NodeName): PodSpec {
  const {
    affinity: _a,
    nodeSelector: _n,
    topologySpreadConstraints: _t,
    schedulerName: _s,
    ...rest
  } = spec ?? ({ containers: [] } as PodSpec);
  const stays = ({ name }: Container) => !second.leftOut.includes(name);
  const containers = rest.containers.filter(stays).map(withoutProbes);
  const initContainers = rest.initContainers?.filter(stays).map(withoutProbes);
  const used = new Set(
    [...containers, ...(initContainers ?? [])].flatMap(({ volumeMounts = [] }) =>
      volumeMounts.map(({ name }) => name),
    ),
  );
  return {
    ...rest,
    nodeName: node,
    restartPolicy: 'Always',
    tolerations: [{ operator: 'Exists' }],
    containers,
    ...(initContainers && { initContainers }),
    volumes: (rest.volumes ?? [])
      .filter(({ name }) => used.has(name))
      .map((volume) => (volume.name === second.socketVolume ? { name: volume.name, emptyDir: {} } : volume)),
  };
}

/** A hook before the end may unmount on the node what is the first driver's by then. */
function withoutProbes(container: Container): Container {
  const { livenessProbe: _l, readinessProbe: _r, startupProbe: _s, lifecycle, ...rest } = container;
  const { preStop: _p, ...hooks } = lifecycle ?? {};
  return { ...rest, ...(Object.keys(hooks).length > 0 && { lifecycle: hooks }) };
}

/** Where the second driver's socket is on the node: in an emptyDir, which kubelet removes with the pod. */
export function secondSocket(
  root: HostPath,
  uid: string,
  { spec }: Template,
  { container, socketVolume, socketName }: SecondDriver,
): HostPath {
  const mounts = spec?.containers.find(({ name }) => name === container)?.volumeMounts ?? [];
  const sub = mounts.find(({ name }) => name === socketVolume)?.subPath;
  const folder = `${root}/pods/${uid}/volumes/kubernetes.io~empty-dir/${socketVolume}`;
  return hostPath(`${folder}/${sub ? `${sub}/` : ''}${socketName}`);
}

/** Why a second driver's mounts would not arrive on the node; undefined where they do. */
export function sharingFault(
  { spec }: Template,
  { container, socketVolume }: SecondDriver,
  root: HostPath,
  driver: DriverName,
): string | undefined {
  const mounts = spec?.containers.find(({ name }) => name === container)?.volumeMounts ?? [];
  if (
    mounts.some(({ name, mountPropagation }) => name === socketVolume && mountPropagation === 'Bidirectional')
  )
    return 'it shares the folder of its socket with the node in both directions: it may mount volumes there';
  const folder = handoverFolder(root, driver);
  const shares = mounts.some(({ name, mountPath, mountPropagation, subPath }) => {
    const path = spec?.volumes?.find((volume) => volume.name === name)?.hostPath?.path;
    if (path === undefined || subPath || mountPropagation !== 'Bidirectional') return false;
    const same = path.replace(/\/+$/, '') === mountPath.replace(/\/+$/, '');
    return same && isBelow(folder, path);
  });
  return shares
    ? undefined
    : `its container ${container} does not share ${root}/plugins/kubernetes.io/csi with the node in both directions`;
}

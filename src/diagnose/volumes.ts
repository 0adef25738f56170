import { createHash } from 'node:crypto';
import { isBelow } from '../kubelet/paths.ts';
import { type VolumeData, volumeData } from '../kubelet/volume-data.ts';
import { type DriverName, driverName } from '../model/ids.ts';
import type { MountEvidence, ObservedMount, PublishedTarget, StagedTarget } from '../model/mounts.ts';
import { valueOr } from '../model/observed.ts';
import type { NodeSnapshot, Snapshot, VolumeContainer, VolumeMount, VolumeUse } from '../model/snapshot.ts';
import { isOrphan } from './orphans.ts';
import type { ContainerMountView, StagingView, VolumeView } from './view.ts';

/** Ties every published volume of a node to its pod, claim, driver, staging path and containers. */
export function joinVolumes(
  snapshot: Snapshot,
  node: NodeSnapshot,
  evidence: MountEvidence,
): readonly VolumeView[] {
  const uses = valueOr(snapshot.volumeUses, []).filter((use) => use.node === node.name);
  return evidence.published.flatMap((target) => {
    const data = volumeData(target.volData);
    const use = uses.find((each) => each.podUid === target.podUid && specNameOf(each) === target.specName);
    const driver = use?.driver ?? (data?.driverName ? driverName(data.driverName) : undefined);
    const podGone = valueOr(isOrphan(snapshot, target), false);
    return driver ? [{ ...joinVolume(node, evidence, target, driver, data, use), podGone }] : [];
  });
}

/** kubelet escapes `/` in directory names as `~` (k8s.io/utils/strings, EscapeQualifiedName). */
export const escapeName = (name: string) => name.replaceAll('/', '~');

/** The name of kubelet's directory: the PersistentVolume's, or an inline volume's own (pkg/volume Spec.Name). */
export const specNameOf = (use: VolumeUse) => escapeName(use.persistentVolume ?? use.volume);

function joinVolume(
  node: NodeSnapshot,
  evidence: MountEvidence,
  target: PublishedTarget,
  driver: DriverName,
  data: VolumeData | undefined,
  use: VolumeUse | undefined,
): Omit<VolumeView, 'podGone'> {
  const layers = hostLayers(evidence, target.path);
  const handle = use?.volumeHandle ?? data?.volumeHandle ?? target.specName;
  const staging = stagingOf(evidence, driver, handle);
  const subPaths = subPathsOf(evidence, target, use);
  const top = layers.at(-1);
  const guards = (evidence.guards ?? []).filter(
    (path) => path === target.path || path === staging?.target.path,
  );
  return {
    node: node.name,
    driver,
    handle,
    target,
    ...(data && { data }),
    ...(use && { use }),
    layers,
    state: top ? top.state : target.state === 'bare' ? 'bare' : 'absent',
    ...(staging && { staging }),
    subPaths,
    ...(guards.length > 0 && { guards }),
    containers: (use?.containers ?? []).flatMap((container) =>
      container.mounts.map((declared) =>
        containerMount(evidence, container, declared, target, layers, subPaths),
      ),
    ),
  };
}

/** Mounts on a path of kubelet's namespace, the lowest first. */
function hostLayers({ namespaces, mounts }: MountEvidence, path: string): readonly ObservedMount[] {
  const host = namespaces.find((namespace) => namespace.host)?.inode;
  return mounts
    .filter((mount) => mount.namespace === host && mount.mountPoint === path)
    .sort((a, b) => a.layer - b.layer);
}

/** `sha256(volumeHandle)` names the staging folder (pkg/volume/csi/csi_attacher.go, makeDeviceMountPath). */
function stagingOf(evidence: MountEvidence, driver: DriverName, handle: string): StagingView | undefined {
  const hash = createHash('sha256').update(handle).digest('hex');
  const target: StagedTarget | undefined = evidence.staged.find(({ path }) =>
    path.includes(`/${driver}/${hash}/`),
  );
  return target && { target, layers: hostLayers(evidence, target.path) };
}

function subPathsOf(
  evidence: MountEvidence,
  { podUid, specName }: PublishedTarget,
  use: VolumeUse | undefined,
) {
  const names = new Set([specName, use?.volume]);
  return evidence.subPaths
    .filter((bind) => bind.podUid === podUid && names.has(bind.volume))
    .map((bind) => ({ bind, layers: hostLayers(evidence, bind.path) }));
}

function containerMount(
  evidence: MountEvidence,
  container: VolumeContainer,
  declared: VolumeMount,
  target: PublishedTarget,
  layers: readonly ObservedMount[],
  subPaths: VolumeView['subPaths'],
): ContainerMountView {
  const base = { container: container.name, role: container.role, declared };
  const namespace = evidence.namespaces.find(
    ({ containerId }) => containerId && containerId === container.containerId,
  );
  if (container.containerId === '') return { ...base, state: 'stopped' };
  if (!namespace) return { ...base, state: 'missing' };
  const here = evidence.mounts.filter((mount) => mount.namespace === namespace.inode);
  const mount = mountIn(here, declared, target, layers) ?? unnamedDead(here, container);
  if (!mount) return { ...base, namespace, state: isInFuse(here, declared) ? 'lost' : 'missing' };
  return {
    ...base,
    namespace,
    mount,
    state: stateOf(mount, target, layers.at(-1), declared, container.name, subPaths),
  };
}

/**
 * A lookup that fails in a FUSE mount makes the kernel unmount what lies on the name in it, in every namespace
 * (fs/fuse/dir.c fuse_dentry_revalidate, fs/namei.c lookup_fast: d_invalidate): so a death takes nested mounts along.
 */
const isInFuse = (here: readonly ObservedMount[], { path }: VolumeMount) =>
  here.some(({ mountPoint, fsType }) => fsType.startsWith('fuse') && isBelow(path, mountPoint));

/** By the path that the pod names; where an image's symbolic link moved it, by device or by the directory it came from. */
function mountIn(
  here: readonly ObservedMount[],
  declared: VolumeMount,
  { path }: PublishedTarget,
  layers: readonly ObservedMount[],
): ObservedMount | undefined {
  const highest = (mounts: readonly ObservedMount[]) => [...mounts].sort((a, b) => b.layer - a.layer)[0];
  const devices = new Set(layers.map(({ device }) => device));
  const isFuse = layers.some(({ fsType }) => fsType.startsWith('fuse'));
  return (
    highest(here.filter(({ mountPoint }) => mountPoint === declared.path)) ??
    highest(here.filter(({ device, root }) => (isFuse && devices.has(device)) || isBareRoot(root, path)))
  );
}

/**
 * After the volume was mounted anew no device ties the container's old mount to it: but the only dead FUSE mount that
 * no volumeMount names belongs to the only volumeMount of a claim or a CSI volume that has no mount on its path.
 */
function unnamedDead(here: readonly ObservedMount[], { paths }: VolumeContainer): ObservedMount | undefined {
  const points = new Set<string>(here.map(({ mountPoint }) => mountPoint));
  if (paths.filter((path) => !points.has(path)).length !== 1) return undefined;
  const named = new Set<string>(paths);
  const [dead, ...others] = here.filter(
    ({ state, fsType, mountPoint }) =>
      state === 'dead' && fsType.startsWith('fuse') && !named.has(mountPoint),
  );
  return others.length === 0 ? dead : undefined;
}

/** A container bound to the bare directory shows kubelet's own path as the root of its mount. */
const isBareRoot = (root: string, target: string) => {
  const tail = target.slice(target.indexOf('/pods/'));
  return root.endsWith(tail) || root.includes(`${tail}/`);
};

function stateOf(
  mount: ObservedMount,
  target: PublishedTarget,
  host: ObservedMount | undefined,
  declared: VolumeMount,
  container: string,
  subPaths: VolumeView['subPaths'],
): ContainerMountView['state'] {
  if (isBareRoot(mount.root, target.path)) return 'bare';
  if (mount.state !== 'alive') return mount.state;
  if (host?.state !== 'alive') return 'same';
  if (mount.device !== host.device) return 'other-device';
  return hasExpectedRoot(mount, host, declared, container, subPaths) ? 'same' : 'other-offset';
}

/** Without a subPath the root is the volume's own; with one it is that of one of kubelet's binds for the container. */
function hasExpectedRoot(
  { root }: ObservedMount,
  host: ObservedMount,
  { subPath }: VolumeMount,
  container: string,
  subPaths: VolumeView['subPaths'],
): boolean {
  if (!subPath) return root === host.root;
  const binds = subPaths.filter(
    ({ bind, layers }) => bind.container === container && layers.at(-1)?.state === 'alive',
  );
  if (binds.length === 0) return root === host.root || isBelow(root, host.root);
  return binds.some(({ layers }) => layers.at(-1)?.root === root);
}

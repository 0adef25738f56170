import type {
  V1Container,
  V1PersistentVolume,
  V1PersistentVolumeClaim,
  V1PersistentVolumeClaimSpec,
  V1PodSpec,
  V1StorageClass,
  V1Volume,
  V1VolumeMount,
} from '@kubernetes/client-node';
import type { Wire } from '../kubelet/wire.ts';
import { containerPath, type DriverName, driverName, keyText, type ObjectKey } from '../model/ids.ts';
import { type Observed, seen, unseen } from '../model/observed.ts';
import type { CsiContainer, CsiMount, CsiVolume } from '../model/workload.ts';

/** What volumes of pod templates are looked up in. */
export interface VolumeObjects {
  readonly claims: readonly Wire<V1PersistentVolumeClaim>[];
  readonly volumes: readonly Wire<V1PersistentVolume>[];
  readonly classes: readonly Wire<V1StorageClass>[];
}

/** A pod spec with where it stands: claims are of its namespace. */
export interface PodTemplate {
  readonly namespace: string;
  readonly spec: Wire<V1PodSpec>;
  /** Of a pod, whose generic ephemeral volumes have claims of their own: `POD-VOLUME`. */
  readonly pod?: string;
  /** Of a StatefulSet: its claims are `TEMPLATE-SET-ORDINAL`. */
  readonly claimTemplates?: {
    readonly set: string;
    readonly templates: readonly Wire<V1PersistentVolumeClaim>[];
  };
}

type Driver = Pick<CsiVolume, 'driver' | 'claim' | 'persistentVolume' | 'mountOptions'>;

/** The containers that mount CSI volumes, init containers included. Block devices are no mounts. */
export function csiContainers(template: PodTemplate, objects: VolumeObjects): readonly CsiContainer[] {
  const volumes = new Map(csiVolumes(template, objects).map((volume) => [volume.name, volume]));
  const { containers, initContainers = [] } = template.spec;
  return [...initContainers.map((each) => [each, initRole(each)] as const), ...containers.map(asApp)].flatMap(
    ([container, role]) => {
      const mounts = (container.volumeMounts ?? []).flatMap((mount) => mountOf(mount, volumes));
      return mounts.length > 0 ? [{ name: container.name, role, mounts }] : [];
    },
  );
}

const asApp = (container: Wire<V1Container>) => [container, 'app'] as const;
const initRole = ({ restartPolicy }: Wire<V1Container>) => (restartPolicy === 'Always' ? 'sidecar' : 'init');

function mountOf(mount: Wire<V1VolumeMount>, volumes: ReadonlyMap<string, CsiVolume>): readonly CsiMount[] {
  const volume = volumes.get(mount.name);
  if (!volume) return [];
  const { mountPath, subPath, subPathExpr, readOnly = false, mountPropagation = 'None' } = mount;
  return [
    {
      volume,
      path: containerPath(mountPath),
      subPath: Boolean(subPath || subPathExpr),
      readOnly,
      propagation: mountPropagation as CsiMount['propagation'],
    },
  ];
}

/** Volumes that a CSI driver mounts, and those of which it is not known. Others (emptyDir, in-tree) are left out. */
export function csiVolumes(template: PodTemplate, objects: VolumeObjects): readonly CsiVolume[] {
  const { spec, claimTemplates } = template;
  const named = (spec.volumes ?? []).flatMap((volume) => csiVolume(volume, template, objects));
  // A claim template stands in for a volume of its name (StatefulSet controller, updateStorage).
  const templated = (claimTemplates?.templates ?? []).flatMap((claim) =>
    templateVolume(claim, template, objects),
  );
  const names = new Set(templated.map(({ name }) => name));
  return [...named.filter(({ name }) => !names.has(name)), ...templated];
}

function csiVolume(
  volume: Wire<V1Volume>,
  { namespace, pod }: PodTemplate,
  objects: VolumeObjects,
): readonly CsiVolume[] {
  const { name, csi, persistentVolumeClaim, ephemeral } = volume;
  if (csi) {
    const mountOptions = csi.volumeAttributes?.mountOptions?.split(',') ?? [];
    return [{ name, kind: 'inline', driver: seen(driverName(csi.driver)), mountOptions }];
  }
  if (persistentVolumeClaim) {
    const key = { namespace, name: persistentVolumeClaim.claimName };
    return asVolume(name, 'persistent', ofClaim(key, objects));
  }
  if (!ephemeral) return [];
  const claimSpec = ephemeral.volumeClaimTemplate?.spec;
  const key = { namespace, name: `${pod}-${name}` };
  const found = pod === undefined ? undefined : ofBoundClaim(key, objects);
  return asVolume(name, 'ephemeral', found === undefined ? ofClass(claimSpec, objects) : found);
}

const asVolume = (name: string, kind: CsiVolume['kind'], driver: Driver | 'not-csi'): readonly CsiVolume[] =>
  driver === 'not-csi' ? [] : [{ name, kind, ...driver }];

function templateVolume(
  { metadata, spec }: Wire<V1PersistentVolumeClaim>,
  { namespace, claimTemplates }: PodTemplate,
  objects: VolumeObjects,
): readonly CsiVolume[] {
  const name = metadata?.name ?? '';
  const prefix = `${name}-${claimTemplates?.set}-`;
  const claims = objects.claims.filter(
    (claim) =>
      claim.metadata?.namespace === namespace &&
      claim.metadata.name?.startsWith(prefix) &&
      /^\d+$/.test(claim.metadata.name.slice(prefix.length)),
  );
  for (const claim of claims) {
    const found = ofBoundClaim({ namespace, name: claim.metadata?.name ?? '' }, objects);
    if (found === 'not-csi') return [];
    if (found) return [{ name, kind: 'persistent', ...found }];
  }
  return asVolume(name, 'persistent', ofClass(spec, objects));
}

/** @returns undefined where the claim is not there, or not bound to a volume that is there */
function ofBoundClaim(key: ObjectKey, { claims, volumes }: VolumeObjects): Driver | 'not-csi' | undefined {
  const claim = claims.find(
    ({ metadata }) => metadata?.namespace === key.namespace && metadata.name === key.name,
  );
  const name = claim?.spec?.volumeName;
  const volume = name ? volumes.find(({ metadata }) => metadata?.name === name) : undefined;
  if (!volume) return undefined;
  const { csi, mountOptions = [] } = volume.spec ?? {};
  if (!csi) return 'not-csi';
  return {
    driver: seen(driverName(csi.driver)),
    claim: key,
    persistentVolume: volume.metadata?.name ?? '',
    mountOptions: [...mountOptions, ...(csi.volumeAttributes?.mountOptions?.split(',') ?? [])],
  };
}

function ofClaim(key: ObjectKey, objects: VolumeObjects): Driver | 'not-csi' {
  const bound = ofBoundClaim(key, objects);
  if (bound) return bound;
  const claim = objects.claims.find(
    ({ metadata }) => metadata?.namespace === key.namespace && metadata.name === key.name,
  );
  if (!claim) return { driver: unseen(`claim ${keyText(key)} does not exist`), claim: key, mountOptions: [] };
  const byClass = ofClass(claim.spec, objects);
  return byClass === 'not-csi' ? byClass : { ...byClass, claim: key };
}

/** Who would make the volume: the StorageClass that the claim names, or the default one. */
function ofClass(
  spec: Wire<V1PersistentVolumeClaimSpec> | undefined,
  { classes }: VolumeObjects,
): Driver | 'not-csi' {
  const name = spec?.storageClassName;
  const found = classes.find(({ metadata }) =>
    name === undefined
      ? metadata?.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true'
      : metadata?.name === name,
  );
  if (!found) return { driver: unseen(classText(name)), mountOptions: [] };
  const { provisioner, mountOptions = [] } = found;
  // In-tree provisioners and no-provisioner have names of kubernetes.io; drivers may not.
  if (provisioner.startsWith('kubernetes.io/')) return 'not-csi';
  return { driver: driverOf(provisioner), mountOptions };
}

const driverOf = (provisioner: string): Observed<DriverName> => seen(driverName(provisioner));

const classText = (name: string | undefined) =>
  name === undefined
    ? 'its claim is not bound, and the cluster has no default StorageClass'
    : `its claim is not bound, and there is no StorageClass "${name}"`;

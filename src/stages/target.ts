import type { Flags } from '../cli/global-flags.ts';
import { UsageError } from '../cli/usage-error.ts';
import type { Subject } from '../model/finding.ts';
import { keyText } from '../model/ids.ts';
import { valueOr } from '../model/observed.ts';
import type { Snapshot, VolumeUse } from '../model/snapshot.ts';

/** The volumes that a command is about: those of one pod, claim or PersistentVolume, or of a namespace. */
export interface Target {
  readonly kind: 'pod' | 'pvc' | 'pv' | 'namespace';
  readonly name: string;
  /** Of the pod or claim; the connection's own where the user named none. */
  readonly namespace: string | undefined;
}

const kinds: Readonly<Record<string, Target['kind']>> = {
  pod: 'pod',
  pods: 'pod',
  po: 'pod',
  pvc: 'pvc',
  persistentvolumeclaim: 'pvc',
  persistentvolumeclaims: 'pvc',
  pv: 'pv',
  persistentvolume: 'pv',
  persistentvolumes: 'pv',
};

const next = 'Write it as pod/NAME, pvc/NAME or pv/NAME, with -n for the namespace.';

/** @returns undefined where the user named nothing: all volumes are meant. @throws UsageError */
export function targetOf(flags: Flags): Target | undefined {
  const word = flags.target as string | undefined;
  const namespace = flags.namespace as string | undefined;
  const all = flags['all-namespaces'] === true;
  if (all && namespace) throw new UsageError('-n and -A exclude each other', 'Give one of them.');
  if (word === undefined) return namespace ? { kind: 'namespace', name: namespace, namespace } : undefined;
  const [kindWord = '', name, ...rest] = word.split('/');
  const kind = kinds[kindWord.toLowerCase()];
  if (!kind || !name || rest.length > 0) throw new UsageError(`"${word}" names no volume`, next);
  if (all) throw new UsageError(`-A and ${word} exclude each other`, 'Give one of them.');
  return { kind, name, namespace };
}

/** @param namespace the connection's own */
export function usesOf(snapshot: Snapshot, target: Target, namespace: string): readonly VolumeUse[] {
  const uses = valueOr(snapshot.volumeUses, []).filter((use) =>
    isMeant(use, target, target.namespace ?? namespace),
  );
  if (uses.length > 0 || target.kind === 'namespace') return uses;
  const where = target.kind === 'pv' ? '' : ` in namespace ${target.namespace ?? namespace}`;
  throw new UsageError(
    snapshot.volumeUses.seen
      ? `${target.kind}/${target.name}${where} uses no CSI volume of a running pod, or does not exist`
      : `the volumes of pods cannot be read: ${snapshot.volumeUses.why}`,
    `kubectl get ${target.kind}${where && ` -n ${target.namespace ?? namespace}`} lists them.`,
  );
}

function isMeant(
  { pod, claim, persistentVolume }: VolumeUse,
  { kind, name }: Target,
  namespace: string,
): boolean {
  switch (kind) {
    case 'pod':
      return keyText(pod) === `${namespace}/${name}`;
    case 'pvc':
      return claim !== undefined && keyText(claim) === `${namespace}/${name}`;
    case 'pv':
      return persistentVolume === name;
    case 'namespace':
      return pod.namespace === name;
  }
}

/** A finding is about these volumes when it names one of them, or the driver of one on its node, or the node itself. */
export function concernsUses(subject: Subject, uses: readonly VolumeUse[]): boolean {
  return uses.some((use) => {
    if (subject.node !== undefined && subject.node !== use.node) return false;
    if (subject.driver !== undefined && subject.driver !== use.driver) return false;
    if (subject.volume === undefined) return true;
    return (
      subject.pod !== undefined &&
      keyText(subject.pod) === keyText(use.pod) &&
      subject.volumeName === use.volume
    );
  });
}

import { type Cluster, waitUntil } from '../../../cluster/index.ts';
import { namespace } from './objects.ts';

interface Named {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: { readonly claimRef?: { readonly name: string } };
}

interface ClaimList {
  readonly items: readonly (Named & { readonly status: { readonly phase?: string } })[];
}

const isPod = ({ kind }: Named) => kind === 'Pod';

/**
 * Pods come after the claims that have a volume of their own name are bound: the scheduler's first word of a pod that
 * came too early stands for a long time.
 */
export async function applyInOrder(cluster: Cluster, objects: readonly object[]): Promise<void> {
  const all = objects as readonly Named[];
  const volumes = new Set(all.filter(isForItsName).map(nameOf));
  const awaited = all.filter(({ kind }) => kind === 'PersistentVolumeClaim').map(nameOf);
  await cluster.apply(all.filter((each) => !isPod(each)));
  await waitBound(
    cluster,
    awaited.filter((name) => volumes.has(name)),
  );
  await cluster.apply(all.filter(isPod));
}

/** A volume for the claim of its own name. */
const isForItsName = ({ kind, metadata, spec }: Named) =>
  kind === 'PersistentVolume' && spec?.claimRef?.name === metadata.name;

const nameOf = ({ metadata }: Named) => metadata.name;

export const waitBound = (cluster: Cluster, names: readonly string[]): Promise<void> =>
  waitClaims(cluster, names, 'Bound');

/** Waits until each of these claims is in a phase. */
export const waitClaims = (cluster: Cluster, names: readonly string[], phase: string): Promise<void> =>
  waitUntil(
    `claims ${names.join(', ')} to be ${phase}`,
    async () => {
      const { items } = await cluster.kubectlJson<ClaimList>(['get', 'pvc', '-n', namespace]);
      const there = new Set(items.filter(({ status }) => status.phase === phase).map(nameOf));
      return names.every((name) => there.has(name));
    },
    { timeoutMs: 120_000, intervalMs: 500 },
  );

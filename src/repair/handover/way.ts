import type { V1PodTemplateSpec } from '@kubernetes/client-node';
import { isInUse, volumeText } from '../../diagnose/mounts.ts';
import { secondPluginOf } from '../../diagnose/second-plugin.ts';
import type { DriverView, NodeView, VolumeView } from '../../diagnose/view.ts';
import type { Wire } from '../../kubelet/wire.ts';
import { type DriverName, keyText, type ObjectKey } from '../../model/ids.ts';
import { canRunTwice, type SecondDriver } from '../../workload/handover.ts';
import { type SecondPlace, sharingFault } from '../../workload/second-pod.ts';
import { placeOf } from '../registration.ts';

export type Template = Wire<V1PodTemplateSpec>;

export interface PluginTemplate {
  readonly key: ObjectKey;
  readonly template: Template;
}

/** What the user asked for, and what the DaemonSets say. */
export interface RestartOptions {
  readonly driver: DriverName;
  /** False for `--no-handover`. */
  readonly handover: boolean;
  readonly force: boolean;
  /** Milliseconds that apps get to let go of what they hold open on a mount that is to end. */
  readonly drainMs: number;
  readonly daemonSets: readonly PluginTemplate[];
  /** Labels and annotations of every object of this program. */
  readonly metadata: SecondPlace['metadata'];
}

/** `nothing`: no volume here would end with the driver's processes. */
export type Way =
  | {
      readonly kind: 'handover';
      readonly daemonSet: PluginTemplate;
      readonly second: SecondDriver;
      readonly cautions: readonly string[];
    }
  | { readonly kind: 'plain'; readonly why: string }
  | { readonly kind: 'nothing' };

export function driverOn({ drivers }: NodeView, { driver }: RestartOptions): DriverView | undefined {
  return drivers.find((each) => each.driver === driver);
}

/** The volumes of the driver that pods use here; none where they could not be seen. */
export const volumesOn = (
  { volumes }: Pick<NodeView, 'volumes'>,
  driver: DriverName,
): readonly VolumeView[] =>
  volumes.seen ? volumes.value.filter((volume) => volume.driver === driver && isInUse(volume)) : [];

export const isFuse = ({ layers }: VolumeView) => layers.at(-1)?.fsType.startsWith('fuse') ?? false;

/** A file system whose daemon may end with the driver's container, and that answers. */
export const isCarried = (volume: VolumeView) => volume.state === 'alive' && isFuse(volume);

/** The DaemonSet that makes the node plugin's pod here. */
export function daemonSetOn(node: NodeView, options: RestartOptions): PluginTemplate | undefined {
  const view = driverOn(node, options);
  const named = (key: ObjectKey | undefined) =>
    key && options.daemonSets.find((each) => keyText(each.key) === keyText(key));
  const owner = view?.pod?.owner?.replace(/^DaemonSet\//, '');
  const owned = view?.pod && owner ? named({ namespace: view.pod.key.namespace, name: owner }) : undefined;
  return view?.pod ? owned : named(view?.daemonSet?.key);
}

/** An unfinished handover is always completed, whatever there is to carry by now. */
export function wayOf(node: NodeView, options: RestartOptions): Way {
  const unfinished = secondPluginOf(node, options.driver) !== undefined;
  const carried = volumesOn(node, options.driver).filter(isCarried);
  if (carried.length === 0 && !unfinished) return { kind: 'nothing' };
  if (!options.handover) return { kind: 'plain', why: '--no-handover' };
  const daemonSet = daemonSetOn(node, options);
  if (!daemonSet) return { kind: 'plain', why: 'no DaemonSet of it is known' };
  const twice = canRunTwice(daemonSet.template);
  if (!twice.possible) return { kind: 'plain', why: `it cannot run twice: ${twice.reasons.join('; ')}` };
  const { second, cautions } = twice;
  const fault = sharingFault(daemonSet.template, second, placeOf(node).root.path, options.driver);
  if (fault) return { kind: 'plain', why: `it cannot run twice: ${fault}` };
  return { kind: 'handover', daemonSet, second, cautions };
}

const stateWords: Partial<Record<VolumeView['state'], string>> = {
  dead: 'is dead already: published again after the restart',
  hung: 'does not answer and cannot be carried',
  unseen: 'answers nothing that tells: neither carried nor known to be dead afterwards',
  bare: 'is not mounted yet',
  absent: 'is not mounted yet',
};

/** What becomes of each volume, a line each. */
export function fates(node: NodeView, options: RestartOptions): readonly string[] {
  const way = wayOf(node, options);
  return volumesOn(node, options.driver).map((volume) => `${nameOf(volume)}: ${fateOf(volume, way)}`);
}

export const nameOf = (volume: VolumeView) =>
  `${volumeText(volume)} of pod ${volume.use ? keyText(volume.use.pod) : volume.target.podUid}`;

function fateOf(volume: VolumeView, way: Way): string {
  if (volume.state !== 'alive') return stateWords[volume.state] ?? `is ${volume.state}`;
  if (!isFuse(volume)) return `stays: ${volume.layers.at(-1)?.fsType} has no daemon that ends`;
  return way.kind === 'handover'
    ? 'carried over, no app notices'
    : 'ends with the driver and is published again and swapped right after';
}

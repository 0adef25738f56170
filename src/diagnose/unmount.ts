import { attachmentNameOf } from '../kubelet/publish/needs.ts';
import type { Proof } from '../model/finding.ts';
import type { Holder } from '../model/mounts.ts';
import { valueOr } from '../model/observed.ts';
import { specName } from './join-pod.ts';
import type { PodView, PodVolumeView } from './pod-view.ts';
import { quote } from './pods.ts';
import type { SubPathView, VolumeView } from './view.ts';

/** The first bind of a subPath that does not answer: kubelet unmounts those before the volume (CleanSubPaths). */
export const subPathLeft = ({ subPaths }: VolumeView): SubPathView | undefined =>
  subPaths.find(({ layers }) => layers.at(-1)?.state === 'dead' || layers.at(-1)?.state === 'hung');

/** Processes that keep something of the volume's file systems. */
export function holdersOf({ node }: PodView, { layers }: VolumeView): readonly Holder[] {
  const mounts = node?.evidence.seen ? valueOr(node.evidence.value.mounts, undefined) : undefined;
  const devices = new Set(layers.map(({ device }) => device));
  return (mounts?.holders ?? []).filter(({ device }) => devices.has(device));
}

export const holderProofs = (holders: readonly Holder[]): readonly Proof[] =>
  holders.map(({ pid, command, descriptors, workingDirectory, mappings }) => ({
    what: `${command} (process ${pid}) holds ${[
      ...(descriptors > 0 ? [`${descriptors} open files`] : []),
      ...(workingDirectory ? ['its working directory'] : []),
      ...(mappings > 0 ? [`${mappings} mappings`] : []),
    ].join(', ')}`,
    source: '/proc on the node',
  }));

/** What kubelet logged last of the volume: it emits no event about an unmount that failed. */
export const failureOf = ({ log }: PodView, { target }: VolumeView): string | undefined =>
  valueOr(log, []).findLast(({ text }) => text.includes(target.specName) && /error|fail/i.test(text))?.text;

/** What comes after the line's head and kubelet's names of the volume, which are long and said already. */
export const failureProofs = (failure: string | undefined): readonly Proof[] =>
  failure === undefined
    ? []
    : [
        {
          what: quote(
            failure
              .replace(/^.*?(?=(?:UnmountVolume|UnmountDevice)\.\w+ failed)/s, '')
              .replace(/" err=".*$/s, '')
              .replaceAll(/ \((?:UniqueName|UID): [^)]*\)/g, ''),
          ),
          source: "kubelet's log",
        },
      ];

/** vol_data.json as kubelet writes it (NewMounter of pkg/volume/csi/csi_plugin.go); undefined where a part is unknown. */
export function rebuiltData({ facts }: PodView, { volume }: PodVolumeView): string | undefined {
  const { driver, handle, kind } = volume;
  if (!driver || !facts.node || kind === 'inline' || !handle) return undefined;
  return JSON.stringify({
    attachmentID: attachmentNameOf(handle, driver, facts.node),
    driverName: driver,
    nodeName: facts.node,
    specVolID: specName(volume),
    volumeHandle: handle,
    volumeLifecycleMode: 'Persistent',
  });
}

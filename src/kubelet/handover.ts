import type { V1Pod } from '@kubernetes/client-node';
import { type DriverName, driverName, type HostPath, hostPath, nodeName } from '../model/ids.ts';
import type { SecondPlugin } from '../model/second-plugin.ts';
import type { Wire } from './wire.ts';

/** Label of a second node plugin: the driver whose volumes it carries while the first restarts. */
export const handoverLabel = 'kubectl-csi/handover';
/** Annotation: the UID of the node plugin's pod that is to be restarted. With another one there, that is done. */
export const replacesAnnotation = 'kubectl-csi/replaces';

/**
 * The folder of the second driver's mounts. It lies where kubelet has drivers stage, which every driver that stages
 * shares with the host in both directions; kubelet itself goes by names that it knows (pkg/volume/csi/csi_attacher.go).
 */
export const handoverFolder = (root: string, driver: DriverName): HostPath =>
  hostPath(`${root}/plugins/kubernetes.io/csi/${driver}/kubectl-csi-handover`);

/** Of all pods, the second node plugins of restarts that go on or were interrupted. */
export const secondPlugins = (pods: readonly Wire<V1Pod>[]): readonly SecondPlugin[] =>
  pods.flatMap(({ metadata, spec, status }) => {
    const driver = metadata?.labels?.[handoverLabel];
    if (driver === undefined || !spec?.nodeName) return [];
    return [
      {
        key: { namespace: metadata?.namespace ?? '', name: metadata?.name ?? '' },
        uid: metadata?.uid ?? '',
        node: nodeName(spec.nodeName),
        driver: driverName(driver),
        replaces: metadata?.annotations?.[replacesAnnotation] ?? '',
        deleting: metadata?.deletionTimestamp !== undefined,
        phase: status?.phase ?? 'Unknown',
        createdAt: metadata?.creationTimestamp ?? '',
      },
    ];
  });

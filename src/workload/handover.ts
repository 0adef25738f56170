import type { V1Container, V1PodSpec, V1PodTemplateSpec } from '@kubernetes/client-node';
import { longRunning, pluginSpec } from '../kubelet/plugin-spec.ts';
import type { Wire } from '../kubelet/wire.ts';
import { type HostPath, hostPath } from '../model/ids.ts';
import { listensOn, nodePorts } from './listening.ts';
import { folderOfSocket, type HostFolder, hostFolders } from './plugin-sockets.ts';

type Pod = Wire<V1PodSpec>;
type Container = Wire<V1Container>;

/** Whether a second, complete driver can run beside the first on one node, unknown to kubelet. */
export type RunsTwice =
  | {
      readonly possible: true;
      readonly second: SecondDriver;
      /** What no template tells, for a person to weigh. */
      readonly cautions: readonly string[];
    }
  | { readonly possible: false; readonly reasons: readonly string[] };

/** What the second driver's pod differs in from the DaemonSet's template. */
export interface SecondDriver {
  /** The container that serves CSI. */
  readonly container: string;
  /** Containers that it goes without: the registrar, and the prober of the socket. */
  readonly leftOut: readonly string[];
  /** The volume whose host folder holds the socket: the second driver gets another folder in its place. */
  readonly socketVolume: string;
  readonly socketFolder: HostPath;
  /** The socket's name in that folder. */
  readonly socketName: string;
}

/** livenessprobe of kubernetes-csi: asks the socket and answers on a port. */
const isProber = ({ name, image = '' }: Container) =>
  /(^|[/-])liveness-?probe([:@]|$)/.test(image) || /^(csi-)?liveness-?probe$/.test(name);

/** @param template of the DaemonSet. Whether the driver keeps a lock on the host it cannot tell. */
export function canRunTwice(template: Wire<V1PodTemplateSpec>): RunsTwice {
  const pod = template.spec;
  const plugin = pluginSpec(template);
  if (!pod || !plugin) return no('its pods register no CSI driver with kubelet');
  const { registrar, registrationPath: socket } = plugin;
  if (!registrar) return no('no container of its own registers it: a second copy would register too');
  if (!socket) return no('its registrar does not say where the CSI socket is (--kubelet-registration-path)');
  const others = longRunning(pod).filter(({ name }) => name !== registrar.container);
  const probers = others.filter(isProber);
  const kept = others.filter((container) => !probers.includes(container));
  const found = driverOf(pod, kept, socket);
  if ('reason' in found) return no(found.reason);
  const reasons = [...registersItself(pod, kept), ...portReasons(pod, kept, probers)];
  if (reasons.length > 0) return no(...reasons);
  return {
    possible: true,
    second: {
      container: found.container,
      leftOut: [registrar.container, ...probers.map(({ name }) => name)],
      socketVolume: found.folder.volume,
      socketFolder: found.folder.path,
      socketName: socket.slice(socket.lastIndexOf('/') + 1),
    },
    cautions: cautionsOf(pod, kept, found.container),
  };
}

const no = (...reasons: readonly string[]): RunsTwice => ({ possible: false, reasons });

const folderOf = (path: HostPath) => hostPath(path.slice(0, path.lastIndexOf('/')));

type Found = { readonly container: string; readonly folder: HostFolder } | { readonly reason: string };

/** The container whose words name the socket; where none does, the only one that mounts the socket's folder. */
function driverOf(pod: Pod, kept: readonly Container[], socket: HostPath): Found {
  const named = kept.flatMap((container) => {
    const folder = folderOfSocket(pod, container, socket);
    return folder ? [{ container: container.name, folder }] : [];
  });
  const mounting = kept.flatMap((container) => {
    const folder = hostFolders(pod, container).find(({ path }) => path === folderOf(socket));
    return folder ? [{ container: container.name, folder }] : [];
  });
  const [first, ...more] = named.length > 0 ? named : mounting;
  if (!first) return { reason: `no container of it has the folder of its socket ${socket} as a volume` };
  if (more.length > 0) {
    const names = [first, ...more].map(({ container }) => container).join(', ');
    return { reason: `more than one of its containers may be the driver: ${names}` };
  }
  if (first.folder.path === folderOf(socket)) return first;
  return {
    reason: `its socket ${socket} is a path in ${first.folder.path}, not in a volume of its own: a second copy would take the same socket`,
  };
}

const registersItself = (pod: Pod, kept: readonly Container[]) =>
  kept
    .filter((container) => hostFolders(pod, container).some(({ path }) => path.endsWith('/plugins_registry')))
    .map(({ name }) => `container ${name} mounts kubelet's registry: a second copy may register too`);

/** A port that the prober answers on is free once the prober is left out. */
function portReasons(pod: Pod, kept: readonly Container[], probers: readonly Container[]): readonly string[] {
  const freed = new Set(probers.flatMap((prober) => [...listensOn(prober).keys()]));
  return kept.flatMap((container) =>
    [...nodePorts(pod, container)]
      .filter(([port]) => !freed.has(port))
      .map(([, reason]) => `container ${container.name}: ${reason}, which only one can have`),
  );
}

/** Folders that the kernel or every driver has in common. */
const common = /^\/(dev|sys|proc|lib\/modules|etc\/(localtime|ssl|pki))(\/|$)/;

function cautionsOf(pod: Pod, kept: readonly Container[], driver: string): readonly string[] {
  const shared = new Set(
    kept.flatMap(({ volumeMounts = [], ...container }) =>
      hostFolders(pod, { ...container, volumeMounts: volumeMounts.filter(({ readOnly }) => !readOnly) })
        .map(({ path }) => path)
        .filter((path) => !common.test(path) && !/\/(kubelet|plugins)(\/|$)/.test(path)),
    ),
  );
  const once = (pod.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy !== 'Always');
  return [
    'a lock that the driver keeps on the node cannot be seen in its template',
    ...[...shared].map((path) => `both copies write to ${path}`),
    ...once.map(({ name }) => `its init container ${name} runs once more`),
    ...kept
      .filter(({ name }) => name !== driver)
      .map(({ name }) => `its container ${name} runs a second time too`),
    ...(pod.hostNetwork
      ? ["it shares the node's network: a port that no argument names cannot be seen"]
      : []),
  ];
}

import type { V1Container, V1PodSpec, V1PodTemplateSpec } from '@kubernetes/client-node';
import { type HostPath, hostPath } from '../model/ids.ts';
import type { PluginSpec, RegistrarSpec } from '../model/snapshot.ts';
import { nameHints } from './name-hints.ts';
import { expand, type Variables, variablesOf } from './variables.ts';
import type { Wire } from './wire.ts';

type Container = Wire<V1Container>;

const registrationFlag = 'kubelet-registration-path';

/**
 * What a pod says of the driver that it registers; undefined where it is no node plugin.
 * A node plugin mounts kubelet's `plugins_registry`, or (CSI 0.x, kubelet before 1.13) has a registrar and mounts
 * `plugins` itself. A DRA driver mounts `plugins_registry` too and cannot be told apart when it has no registrar.
 */
export function pluginSpec({ metadata, spec: pod }: Wire<V1PodTemplateSpec>): PluginSpec | undefined {
  if (!pod) return undefined;
  const hostPaths = (pod.volumes ?? []).flatMap(({ hostPath: source }) =>
    source ? [plainPath(source.path)] : [],
  );
  const containers = longRunning(pod);
  const registrar = containers.find(hasRegistrationFlag) ?? containers.find(isRegistrarImage);
  const registryPath =
    hostPaths.find((path) => path.endsWith('/plugins_registry')) ??
    (registrar && hostPaths.find((path) => path.endsWith('/plugins')));
  if (!registryPath) return undefined;
  const parts = registrar && registrarParts(registrar);
  const labels = metadata?.labels ?? {};
  return {
    ...parts,
    nameHints: nameHints({ registrationPath: parts?.registrationPath, hostPaths, containers, labels }),
    registryPath,
    hostPaths,
    otherContainers: containers.filter((container) => container !== registrar).map(({ name }) => name),
  };
}

const plainPath = (path: string) => hostPath(path.length > 1 ? path.replace(/\/+$/, '') : path);

/** Containers, with the init containers that stay (sidecars, Kubernetes 1.29). */
export const longRunning = (pod: Wire<V1PodSpec>): readonly Container[] => [
  ...(pod.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always'),
  ...pod.containers,
];

const words = ({ command, args }: Container): readonly string[] => [...(command ?? []), ...(args ?? [])];

const hasRegistrationFlag = (container: Container) =>
  words(container).some((word) => word.includes(`-${registrationFlag}`));

/** `node-driver-registrar`, and `driver-registrar` of CSI 0.x. */
const isRegistrarImage = ({ image = '' }: Container) => /(^|[/-])driver-registrar([:@]|$)/.test(image);

function registrarParts(container: V1Container): Pick<PluginSpec, 'registrar' | 'registrationPath'> {
  const variables = variablesOf(container);
  const path = registrationPath(words(container), variables);
  const registrar: RegistrarSpec = {
    container: container.name,
    image: container.image ?? '',
    args: registrarFlags(words(container), variables),
  };
  return { registrar, ...(path && { registrationPath: path }) };
}

/** What is kept of a registrar's command line; anything else there may be a secret. */
const keptFlags = ['v', 'csi-address', registrationFlag, 'mode'];

/** The registrar's own flags as `--flag=value`; a value that is not to be known stays as it is written. */
function registrarFlags(list: readonly string[], variables: Variables): readonly string[] {
  const flags = flagPattern(keptFlags.join('|'), 'g');
  return [...list.join('\n').matchAll(flags)].map(
    ([, flag, value = '']) => `--${flag}=${expand(value, variables) ?? value}`,
  );
}

/** `--flag=value` or `--flag value`, with one dash or two, as a word of its own or inside a shell's command line. */
const flagPattern = (flags: string, mode?: string) =>
  new RegExp(`(?<=^|[\\s"'])--?(${flags})[=\\s]["']?([^\\s"']+)`, mode);

function registrationPath(list: readonly string[], variables: Variables): HostPath | undefined {
  const raw = flagPattern(registrationFlag).exec(list.join('\n'))?.[2];
  const path = raw && expand(raw, variables);
  return path ? hostPath(path) : undefined;
}

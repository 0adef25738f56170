import type { V1Container } from '@kubernetes/client-node';
import type { HostPath } from '../model/ids.ts';
import { expand, isSecretKey, variablesOf } from './variables.ts';
import type { Wire } from './wire.ts';

/** A driver's name: at most 63 characters, letters, digits, dots and dashes (CSI spec, GetPluginInfoResponse.name). */
const isName = (word: string) => /^[a-zA-Z0-9]([-a-zA-Z0-9.]{0,61}[a-zA-Z0-9])?$/.test(word);

/** `DRIVER_NAME`, `--drivername`, `csi-driver`, `PROVISIONER`: not everything that begins like them. */
const namesDriver = (key: string) =>
  /((driver|provisioner|plugin)[-_.]?name|driver|provisioner)$/i.test(key) && !isSecretKey(key);

interface HintSources {
  readonly registrationPath: HostPath | undefined;
  readonly hostPaths: readonly HostPath[];
  readonly containers: readonly Wire<V1Container>[];
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * Words that may be the driver's name, likeliest first. A value counts only where its flag, variable or label is for a
 * driver's name: others might be a secret, and a hint ends in captures.
 */
export function nameHints({
  registrationPath,
  hostPaths,
  containers,
  labels,
}: HintSources): readonly string[] {
  const folders = [
    registrationPath?.split('/').at(-2),
    ...hostPaths.map((path) => path.split('/plugins/')[1]),
  ];
  const values = [...containers.flatMap(settings), ...Object.entries(labels)]
    .filter(([key]) => namesDriver(key))
    .map(([, value]) => value);
  const words = [...folders, ...values].filter((word) => word !== undefined);
  return [...new Set(words.filter(isName))];
}

/** Flags and variables of a container as pairs of key and value. */
function settings(container: Wire<V1Container>): readonly (readonly [string, string])[] {
  const variables = variablesOf(container);
  const words = [...(container.command ?? []), ...(container.args ?? [])]
    .flatMap((word) => word.split(/\s+/))
    .map((word) => expand(word, variables) ?? '');
  const flags = words.map((word, index) => flag(word, words[index - 1] ?? ''));
  const known = [...variables.known].map(([key, value = '']) => [key, value] as const);
  return [...flags, ...known];
}

function flag(word: string, before: string): readonly [string, string] {
  const [, key = before, value = word] = /^(--?[\w.-]+)=(.*)$/.exec(word) ?? [];
  return [key, value];
}

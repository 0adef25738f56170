import type { V1Container } from '@kubernetes/client-node';
import type { Wire } from './wire.ts';

/**
 * Values of a container's variables; undefined where only kubelet knows the value (fieldRef, Secret, ConfigMap), and
 * where the name speaks of a secret: what is read from a pod ends in captures.
 */
export interface Variables {
  readonly known: ReadonlyMap<string, string | undefined>;
  /** `envFrom` may set any name. */
  readonly open: boolean;
}

/** True for the name of a variable, flag or label whose value may be a secret. */
export const isSecretKey = (key: string) => /pass|secret|token|key|cred|auth/i.test(key);

/** The variables that a container's spec sets, each with the earlier ones expanded in it, as kubelet does. */
export function variablesOf(container: Wire<V1Container>): Variables {
  const known = new Map<string, string | undefined>();
  const open = (container.envFrom ?? []).length > 0;
  for (const { name, value, valueFrom } of container.env ?? []) {
    known.set(name, valueFrom || isSecretKey(name) ? undefined : expand(value ?? '', { known, open }));
  }
  return { known, open };
}

/**
 * `$(NAME)` by its value, `$$` by `$`; a name that nothing sets stays as it is
 * (k8s.io/kubernetes/third_party/forked/golang/expansion). Undefined when a value is not to be known.
 */
export function expand(text: string, { known, open }: Variables): string | undefined {
  let blind = false;
  const result = text.replaceAll(/\$\$|\$\(([^()]*)\)/g, (whole, name?: string) => {
    if (name === undefined) return '$';
    if (known.has(name)) blind ||= known.get(name) === undefined;
    else blind ||= open;
    return known.get(name) ?? whole;
  });
  return blind ? undefined : result;
}

/** What a path of the API names, in RBAC's words. */
export interface ResourcePath {
  /** API group; empty for the core group and for paths that name no resource. */
  readonly group: string;
  /** Plural name, such as `pods`; the path itself where it names no resource (`/version`). */
  readonly resource: string;
  readonly subresource?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string;
}

/** Reads `/api/v1/...` and `/apis/GROUP/VERSION/...`. A query string is ignored. */
export function parseResourcePath(path: string): ResourcePath {
  const plain = path.split('?')[0] ?? path;
  const parts = plain.split('/').slice(1).map(decodeURIComponent);
  const [root, group = ''] = parts;
  if (root !== 'api' && root !== 'apis') return { group: '', resource: plain };
  const rest = parts.slice(root === 'api' ? 2 : 3);
  return { group: root === 'api' ? '' : group, ...namespaced(rest, plain) };
}

/** `namespaces/NS/status` and the like name the Namespace itself, not something in it. */
const namespaceSubresources = ['status', 'finalize'];

function namespaced(parts: readonly string[], plain: string): Omit<ResourcePath, 'group'> {
  const [first = '', namespace, resource] = parts;
  const inNamespace = first === 'namespaces' && resource && !namespaceSubresources.includes(resource);
  if (inNamespace && namespace) return { namespace, ...named(parts.slice(2), plain) };
  return named(parts, plain);
}

function named([resource, name, subresource]: readonly string[], plain: string): Omit<ResourcePath, 'group'> {
  return { resource: resource || plain, ...(name && { name }), ...(subresource && { subresource }) };
}

/** As RBAC and `kubectl auth can-i` write it: `pods/exec`, `csinodes.storage.k8s.io`. */
export function resourceText(path: ResourcePath): string {
  const grouped = path.group ? `${path.resource}.${path.group}` : path.resource;
  return path.subresource ? `${grouped}/${path.subresource}` : grouped;
}

/** `pods/exec in namespace kube-system`. */
export const describeResource = (path: ResourcePath) =>
  path.namespace ? `${resourceText(path)} in namespace ${path.namespace}` : resourceText(path);

import assert from 'node:assert/strict';
import type { Cluster } from '../../../cluster/index.ts';

export interface Right {
  readonly verb: string;
  /** With the subresource, as in `pods/exec`. */
  readonly resource: string;
  readonly group: string;
}

/** A user of RBAC's, for `--as`; has no right but those granted. */
export interface User {
  readonly name: string;
  grant(...rights: readonly Right[]): Promise<void>;
  remove(): Promise<void>;
}

export function openUser(cluster: Cluster, name: string): User {
  const granted: Right[] = [];
  return {
    name,
    grant: async (...rights) => {
      granted.push(...rights);
      await cluster.apply([roleOf(name, granted), bindingOf(name)]);
    },
    remove: async () => {
      const { code, stderr } = await cluster.kubectl([
        'delete',
        `clusterrole/${name}`,
        `clusterrolebinding/${name}`,
        '--ignore-not-found',
      ]);
      assert.equal(code, 0, stderr);
    },
  };
}

const rbac = 'rbac.authorization.k8s.io';

const roleOf = (name: string, rights: readonly Right[]) => ({
  apiVersion: `${rbac}/v1`,
  kind: 'ClusterRole',
  metadata: { name },
  rules: rights.map(({ verb, resource, group }) => ({
    apiGroups: [group],
    resources: [resource],
    verbs: [verb],
  })),
});

const bindingOf = (name: string) => ({
  apiVersion: `${rbac}/v1`,
  kind: 'ClusterRoleBinding',
  metadata: { name },
  roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
  subjects: [{ kind: 'User', name, apiGroup: rbac }],
});

/** The rights that a text names as missing, in the API server's words or in ours (`no right to create pods/exec`). */
export function namedRights(text: string): readonly Right[] {
  const plain = text.replaceAll('\\"', '"').replaceAll(/\s+/g, ' ');
  const server = [...plain.matchAll(/cannot (\w+) resource "([^"]+)" in API group "([^"]*)"/g)];
  const own = [
    ...plain.matchAll(/no right to ((?:(?:, )?[a-z]+ [\w.-]+(?:\/\w+)?(?: in namespace [\w-]+)?)+)/g),
  ].flatMap(([, list = '']) => list.split(', '));
  const rights = [
    ...server.map(([, verb = '', resource = '', group = '']) => ({ verb, resource, group })),
    ...own.map(ownWords),
  ];
  return [...new Map(rights.map((right) => [JSON.stringify(right), right])).values()];
}

/** `list csinodes.storage.k8s.io`, `create pods/exec in namespace kube-system` */
function ownWords(words: string): Right {
  const [verb = '', path = ''] = words.split(' ');
  const [, name = '', group = '', subresource = ''] = /^([^./]+)(?:\.([^/]+))?(\/.+)?$/.exec(path) ?? [];
  return { verb, resource: `${name}${subresource}`, group };
}

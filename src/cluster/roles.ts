/** A rule of RBAC. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

export interface ClusterRole {
  readonly apiVersion: 'rbac.authorization.k8s.io/v1';
  readonly kind: 'ClusterRole';
  readonly metadata: { readonly name: string; readonly annotations: Readonly<Record<string, string>> };
  readonly rules: readonly PolicyRule[];
}

const rule = (apiGroup: string, resources: readonly string[], ...verbs: string[]): PolicyRule => ({
  apiGroups: [apiGroup],
  resources,
  verbs,
});

interface Purpose {
  readonly what: string;
  /** The purpose whose rights are needed too. */
  readonly beyond?: PurposeName;
  readonly rules: readonly PolicyRule[];
}

export type PurposeName = 'read' | 'look' | 'heal' | 'workloads';

const purposes: Readonly<Record<PurposeName, Purpose>> = {
  read: {
    what: "status without --deep: the API server's word and kubelet's own metrics",
    rules: [
      rule('', ['nodes'], 'get', 'list'),
      rule('', ['nodes/proxy'], 'get'),
      rule('', ['pods', 'persistentvolumeclaims', 'persistentvolumes'], 'list'),
      rule('apps', ['daemonsets'], 'list'),
      rule('storage.k8s.io', ['csidrivers', 'csinodes'], 'list'),
    ],
  },
  look: {
    what: 'status --deep, doctor, capture, cleanup, blast-radius, upgrade-check: debug pods on nodes. Whoever may create such pods can become root on every node',
    beyond: 'read',
    rules: [
      rule('', ['pods'], 'create', 'watch', 'delete'),
      rule('', ['pods/exec'], 'get', 'create'),
      rule('', ['pods/log'], 'get'),
      rule('', ['configmaps'], 'create', 'get', 'list', 'delete'),
      // blast-radius, upgrade-check
      rule('apps', ['daemonsets'], 'get'),
      rule('apps', ['controllerrevisions', 'replicasets'], 'list'),
      rule('batch', ['jobs'], 'list'),
      // doctor pod/NAME
      rule('', ['pods', 'persistentvolumeclaims', 'persistentvolumes'], 'get'),
      rule('', ['events'], 'list'),
      rule('storage.k8s.io', ['volumeattachments'], 'list'),
      rule('storage.k8s.io', ['storageclasses'], 'get'),
    ],
  },
  heal: {
    what: "heal, rescan, remount, relocate: repairs; publishing a volume again takes the driver's secrets and the pod's tokens, as kubelet does",
    beyond: 'look',
    rules: [
      rule('', ['events'], 'create'),
      rule('', ['secrets'], 'get'),
      rule('', ['serviceaccounts/token'], 'create'),
      rule('storage.k8s.io', ['csidrivers', 'volumeattachments'], 'get'),
      rule('coordination.k8s.io', ['leases'], 'create', 'get', 'list', 'patch', 'delete'),
    ],
  },
  workloads: {
    what: 'restart, with or without handover: the second driver is a pod of the DaemonSet’s own template; changes of workloads: probes, mount propagation',
    beyond: 'heal',
    rules: [
      rule(
        'apps',
        ['daemonsets', 'deployments', 'replicasets', 'statefulsets'],
        'get',
        'list',
        'watch',
        'patch',
      ),
      rule('batch', ['cronjobs', 'jobs'], 'get', 'list', 'watch', 'patch'),
      rule('batch', ['jobs'], 'create', 'delete'),
      rule('storage.k8s.io', ['storageclasses'], 'list'),
    ],
  },
};

export const purposeNames = Object.keys(purposes) as readonly PurposeName[];

/** All that the commands of a purpose ask of the API server, those of the lesser purposes included. */
export function clusterRole(name: PurposeName): ClusterRole {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: {
      name: `kubectl-csi-${name}`,
      annotations: { 'kubectl-csi/for': purposes[name].what },
    },
    rules: merged(rulesOf(name)),
  };
}

function rulesOf(name: PurposeName): readonly PolicyRule[] {
  const { beyond, rules } = purposes[name];
  return [...(beyond ? rulesOf(beyond) : []), ...rules];
}

/** One rule a resource, so that a reader finds all its verbs in one place. */
function merged(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const verbs = new Map<string, Set<string>>();
  for (const { apiGroups, resources, verbs: more } of rules)
    for (const resource of resources) {
      const key = `${apiGroups[0]}/${resource}`;
      verbs.set(key, new Set([...(verbs.get(key) ?? []), ...more]));
    }
  return [...verbs].map(([key, all]) => {
    const slash = key.indexOf('/');
    return rule(key.slice(0, slash), [key.slice(slash + 1)], ...[...all].sort());
  });
}

/** How our own objects are found again. `cleanup` and the sweep select by these and by nothing else. */
export const managedBy = { 'app.kubernetes.io/managed-by': 'kubectl-csi' } as const;
export const managedBySelector = 'app.kubernetes.io/managed-by=kubectl-csi';

/** Where the lease lies that admits one healer a node. */
export const leaseNamespace = 'kube-system';

/** Label: the run that made the object. */
export const runLabel = 'kubectl-csi/run';
/** Annotation, RFC 3339: from then on everybody may delete the object. */
export const expiresAnnotation = 'kubectl-csi/expires';
/** Annotation: the client's machine, process id and start; on the same machine a dead client's objects go at once. */
export const clientAnnotation = 'kubectl-csi/client';

/** Annotations that keep service meshes from adding containers to our pods. */
export const meshOptOut = {
  'sidecar.istio.io/inject': 'false',
  'linkerd.io/inject': 'disabled',
  'kuma.io/sidecar-injection': 'disabled',
  'consul.hashicorp.com/connect-inject': 'false',
} as const;

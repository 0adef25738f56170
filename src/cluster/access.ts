import type { V1SelfSubjectAccessReview } from '@kubernetes/client-node';
import type { Api, CallOptions } from './api.ts';
import { describeResource, type ResourcePath } from './resource-path.ts';

/** A right in RBAC's words; without a namespace it is meant cluster-wide. */
export interface Right extends ResourcePath {
  readonly verb: string;
}

/** `create pods/exec in namespace kube-system` */
export const rightText = (right: Right) => `${right.verb} ${describeResource(right)}`;

/** Which of these rights the user lacks, asked of the server in parallel. @throws ApiError */
export async function missingRights(
  api: Api,
  rights: readonly Right[],
  options: CallOptions = {},
): Promise<readonly Right[]> {
  const allowed = await Promise.all(rights.map((right) => isAllowed(api, right, options)));
  return rights.filter((_, index) => !allowed[index]);
}

async function isAllowed(api: Api, right: Right, options: CallOptions): Promise<boolean> {
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: right },
  };
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  const { object } = await api.create<V1SelfSubjectAccessReview>(path, review, {}, options);
  return object.status?.allowed ?? false;
}

/** Where a list is asked for: one namespace, or all where it is left out. @param group `/api/v1`, `/apis/apps/v1` */
export const listPath = (group: string, resource: string, namespace: string | undefined) =>
  namespace === undefined ? `${group}/${resource}` : `${group}/namespaces/${namespace}/${resource}`;

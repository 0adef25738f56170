declare const brand: unique symbol;
type Brand<Name extends string> = string & { readonly [brand]: Name };

/** `metadata.name` of a Node. */
export type NodeName = Brand<'NodeName'>;
/** The name a CSI driver gives itself, equal to its CSIDriver and CSINode entry. */
export type DriverName = Brand<'DriverName'>;
/** A path as kubelet sees it (kubelet's own mount namespace). */
export type HostPath = Brand<'HostPath'>;
/** A path as a container sees it. Never comparable with a HostPath. */
export type ContainerPath = Brand<'ContainerPath'>;

export const nodeName = (name: string) => name as NodeName;
export const driverName = (name: string) => name as DriverName;
export const hostPath = (path: string) => path as HostPath;
export const containerPath = (path: string) => path as ContainerPath;

/** Namespace and name of a namespaced object. */
export interface ObjectKey {
  readonly namespace: string;
  readonly name: string;
}

export const keyText = (key: ObjectKey) => `${key.namespace}/${key.name}`;

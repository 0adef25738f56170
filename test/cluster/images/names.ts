/** Holds a sandbox's namespaces. */
export const pauseImage = 'test.local/pause:1';
/** A shell and its usual tools. */
export const shellImage = 'test.local/busybox:1';
/** The CSI driver, its registrar, its FUSE daemon and the test app, with a shell. */
export const driverImage = 'test.local/csi-driver:1';
/** One layer without a single file. */
export const emptyImage = 'test.local/empty:1';

/**
 * File systems whose inotify does not tell of changes made on the other side: the kernel raises events only for
 * changes that pass through it (inotify(7), "Limitations and caveats"); seen with kata (kata-containers#1879),
 * Docker Desktop (docker/for-mac#7246) and gVisor (google/gvisor#8089).
 */
const lossy: readonly (readonly [RegExp, string])[] = [
  [/^virtiofs$/, 'virtio-fs'],
  [/^9p$/, '9p'],
  [/^fuse(\.|$)/, 'FUSE'],
  [/^nfs\d?$/, 'NFS'],
  [/^(cifs|smb3)$/, 'SMB'],
];

/** The common name of a file system type that loses events, or undefined where it keeps them. */
export const lossyFileSystem = (fsType: string) => lossy.find(([pattern]) => pattern.test(fsType))?.[1];

import assert from 'node:assert/strict';
import { lossyFileSystem } from '../../../src/kubelet/file-systems.ts';

const table: readonly (readonly [string, string | undefined])[] = [
  ['virtiofs', 'virtio-fs'],
  ['9p', '9p'],
  ['fuse', 'FUSE'],
  ['fuse.sshfs', 'FUSE'],
  ['fuseblk', undefined],
  ['nfs', 'NFS'],
  ['nfs4', 'NFS'],
  ['nfsd', undefined],
  ['cifs', 'SMB'],
  ['smb3', 'SMB'],
  ['ext4', undefined],
  ['xfs', undefined],
  ['overlay', undefined],
  ['tmpfs', undefined],
];

describe('file systems that lose inotify events', () => {
  for (const [fsType, name] of table)
    it(`${fsType}: ${name ?? 'keeps them'}`, () => {
      assert.equal(lossyFileSystem(fsType), name);
    });
});

// Package mount makes and takes away mounts by path, judging paths by mountinfo alone: a look at the path
// itself fails or hangs on a dead FUSE mount, reading mountinfo never does.
package mount

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/moby/sys/mountinfo"
	"golang.org/x/sys/unix"
)

// attributes are the mount options that any one mount can carry, by their mount(8) names.
var attributes = map[string]uint64{
	"rw":         0,
	"ro":         unix.MOUNT_ATTR_RDONLY,
	"nosuid":     unix.MOUNT_ATTR_NOSUID,
	"nodev":      unix.MOUNT_ATTR_NODEV,
	"noexec":     unix.MOUNT_ATTR_NOEXEC,
	"noatime":    unix.MOUNT_ATTR_NOATIME,
	"nodiratime": unix.MOUNT_ATTR_NODIRATIME,
}

// Layers counts the mounts stacked on path.
func Layers(path string) (int, error) {
	mounts, err := mountinfo.GetMounts(func(m *mountinfo.Info) (skip, stop bool) {
		return m.Mountpoint != path, false
	})
	return len(mounts), err
}

// IsMountPoint says whether anything, living or dead, is mounted on path.
func IsMountPoint(path string) (bool, error) {
	layers, err := Layers(path)
	return layers > 0, err
}

// Bind mounts source on target, which it creates.
func Bind(source, target string) error {
	if err := os.MkdirAll(target, 0o750); err != nil {
		return err
	}
	if err := unix.Mount(source, target, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("bind %s to %s: %w", source, target, err)
	}
	return nil
}

// SetOptions adds mount(8) options to the mount on path and leaves its others as they are.
// An unknown option is an error: one that is dropped in silence would falsify a test.
func SetOptions(path string, options []string) error {
	var change unix.MountAttr
	for _, option := range options {
		bit, known := attributes[option]
		if !known {
			names := slices.Sorted(maps.Keys(attributes))
			return fmt.Errorf("mount option %q is not one of %s", option, strings.Join(names, ", "))
		}
		change.Attr_set |= bit
	}
	if change.Attr_set&unix.MOUNT_ATTR__ATIME != 0 {
		change.Attr_clr = unix.MOUNT_ATTR__ATIME // the access time is one field, not a bit (mount_setattr(2))
	}
	if change.Attr_set == 0 {
		return nil
	}
	if err := unix.MountSetattr(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, &change); err != nil {
		return fmt.Errorf("set %s on %s: %w", strings.Join(options, ","), path, err)
	}
	return nil
}

// DetachAll unmounts every layer on path lazily, so that neither a dead mount nor open files stop it.
func DetachAll(path string) error {
	for {
		mounted, err := IsMountPoint(path)
		if err != nil || !mounted {
			return err
		}
		if err := unix.Unmount(path, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW); err != nil {
			return fmt.Errorf("unmount %s: %w", path, err)
		}
	}
}

// Remove detaches everything from path and removes the bare directory; a path that is gone already is fine.
func Remove(path string) error {
	if err := DetachAll(path); err != nil {
		return err
	}
	if err := unix.Rmdir(path); err != nil && !errors.Is(err, unix.ENOENT) {
		return fmt.Errorf("rmdir %s: %w", path, err)
	}
	return nil
}

// RemovePlain does what most drivers do (CleanupMountPoint of k8s.io/mount-utils): it looks at the path, unmounts
// once, and removes the directory. A dead mount fails the look, a second layer or a user of the mount the rest.
func RemovePlain(path string) error {
	if _, err := os.Lstat(path); errors.Is(err, unix.ENOENT) {
		return nil
	} else if err != nil {
		return err
	}
	if err := unix.Unmount(path, unix.UMOUNT_NOFOLLOW); err != nil && !errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("unmount %s: %w", path, err)
	}
	return os.Remove(path)
}

// IsDead says whether the mount on path answers with an error that only a lost server gives.
func IsDead(path string) bool {
	var answer unix.Statfs_t
	err := unix.Statfs(path, &answer)
	return errors.Is(err, unix.ENOTCONN) || errors.Is(err, unix.ESTALE)
}

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"kubectl-csi/driver/internal/mount"
)

// mountWith serves an empty volume with the given flags until the test ends.
func mountWith(t *testing.T, flags ...string) (mnt string, daemon *exec.Cmd) {
	t.Helper()
	dir := t.TempDir()
	binary := filepath.Join(dir, "csi-fuse")
	mnt = filepath.Join(dir, "mnt")
	require.NoError(t, os.Mkdir(mnt, 0o755))
	output, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput()
	require.NoError(t, err, string(output))
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	defer reader.Close()
	daemon = exec.Command(binary, append(flags, "--backend=dir="+dir+"/objects/volume", "--ready-fd=3", mnt)...)
	daemon.ExtraFiles = []*os.File{writer}
	daemon.Stderr = os.Stderr
	require.NoError(t, os.Mkdir(filepath.Join(dir, "objects"), 0o755))
	require.NoError(t, daemon.Start())
	t.Cleanup(func() {
		require.NoError(t, mount.DetachAll(mnt))
		_ = daemon.Wait() // it ends with its mount; an error: the test has killed it
	})
	require.NoError(t, writer.Close())
	require.NoError(t, reader.SetReadDeadline(time.Now().Add(10*time.Second)))
	ready := make([]byte, 16)
	n, err := reader.Read(ready)
	require.NoError(t, err)
	require.Equal(t, "ready\n", string(ready[:n]))
	return mnt, daemon
}

func TestIDMappedMount(t *testing.T) {
	with, _ := mountWith(t, "--idmapped")
	mapped := idmap(t, with)
	require.NoError(t, os.Chmod(filepath.Dir(filepath.Dir(mapped)), 0o755)) // let another user in
	info, err := os.Stat(mapped)
	require.NoError(t, err)
	require.EqualValues(t, 100000, info.Sys().(*syscall.Stat_t).Uid) // root's, as the map says
	touch := exec.Command("touch", mapped+"/file")
	touch.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 100000, Gid: 100000}}
	output, err := touch.CombinedOutput()
	require.NoError(t, err, string(output))

	without, _ := mountWith(t)
	tree, err := clone(without)
	require.NoError(t, err)
	defer unix.Close(tree)
	require.ErrorIs(t, setIDMap(t, tree), unix.EINVAL)
}

// idmap mounts an id-mapped copy of a mount beside it, until the test ends.
func idmap(t *testing.T, mnt string) string {
	t.Helper()
	tree, err := clone(mnt)
	require.NoError(t, err)
	defer unix.Close(tree)
	require.NoError(t, setIDMap(t, tree))
	path := mnt + "-mapped"
	require.NoError(t, os.Mkdir(path, 0o755))
	require.NoError(t, unix.MoveMount(tree, "", unix.AT_FDCWD, path, unix.MOVE_MOUNT_F_EMPTY_PATH))
	t.Cleanup(func() { require.NoError(t, mount.DetachAll(path)) })
	return path
}

func clone(path string) (int, error) {
	return unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
}

// setIDMap maps the ids of a detached mount by a user namespace made for it.
func setIDMap(t *testing.T, tree int) error {
	t.Helper()
	holder := exec.Command("sleep", "60")
	maps := []syscall.SysProcIDMap{{ContainerID: 0, HostID: 100000, Size: 65536}}
	holder.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER, UidMappings: maps, GidMappings: maps}
	require.NoError(t, holder.Start())
	defer func() {
		require.NoError(t, holder.Process.Kill())
		_ = holder.Wait() // says that it was killed
	}()
	namespace, err := os.Open("/proc/" + strconv.Itoa(holder.Process.Pid) + "/ns/user")
	require.NoError(t, err)
	defer namespace.Close()
	change := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_IDMAP, Userns_fd: uint64(namespace.Fd())}
	return unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH, &change)
}

// TestNoAllowOther: statfs of a mount that refuses root answers with zeros, all else is EACCES.
func TestNoAllowOther(t *testing.T) {
	mnt, _ := mountWith(t, "--no-allow-other", "--owner=4321")
	var answer unix.Statfs_t
	require.NoError(t, unix.Statfs(mnt, &answer))
	require.Zero(t, answer.Blocks)
	_, err := os.ReadDir(mnt)
	require.ErrorIs(t, err, unix.EACCES)
}

// TestAttributeCacheOutlivesTheDaemon: stat of a dead mount answers until the attributes have timed out.
func TestAttributeCacheOutlivesTheDaemon(t *testing.T) {
	mnt, daemon := mountWith(t, "--attr-timeout=1h", "--entry-timeout=1h")
	require.NoError(t, os.WriteFile(mnt+"/file", nil, 0o644))
	_, err := os.Stat(mnt)
	require.NoError(t, err)
	require.NoError(t, daemon.Process.Kill())
	require.Eventually(t, func() bool { return mount.IsDead(mnt) }, 5*time.Second, 10*time.Millisecond, "the mount is dead")
	_, err = os.Stat(mnt)
	require.NoError(t, err)
	_, err = os.Open(mnt + "/file")
	require.ErrorIs(t, err, unix.ENOTCONN)
}

func TestTerminationUnmounts(t *testing.T) {
	mnt, daemon := mountWith(t, "--read-only", "--group=7")
	require.ErrorIs(t, os.WriteFile(mnt+"/file", nil, 0o644), unix.EROFS)
	require.NoError(t, daemon.Process.Signal(syscall.SIGTERM))
	require.NoError(t, daemon.Wait())
	mounted, err := mount.IsMountPoint(mnt)
	require.NoError(t, err)
	require.False(t, mounted)
}

func TestUsage(t *testing.T) {
	require.ErrorContains(t, run(options{}), "mount point")
	_, err := serve(options{backend: "tape=1", mountPoint: t.TempDir()})
	require.ErrorContains(t, err, "tape")
}

package objectfs

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	fusefs "github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"kubectl-csi/driver/internal/store"
)

// mounted is a file system and the folder with its objects.
type mounted struct{ mnt, objects string }

func mountVolume(t *testing.T) mounted {
	t.Helper()
	m := mounted{t.TempDir(), t.TempDir()}
	files, err := store.Open(t.Context(), "dir="+m.objects, store.Credentials{})
	require.NoError(t, err)
	server, err := fusefs.Mount(m.mnt, New(files), &fusefs.Options{
		MountOptions: fuse.MountOptions{DirectMountStrict: true, AllowOther: true, Name: "csi-fuse"},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Unmount()) })
	return m
}

func (m mounted) path(name string) string { return filepath.Join(m.mnt, name) }

func (m mounted) wantObject(t *testing.T, name, want string) {
	t.Helper()
	if data, err := os.ReadFile(filepath.Join(m.objects, name)); err != nil || string(data) != want {
		t.Errorf("object %s is %.40q (%v), want %.40q", name, data, err, want)
	}
}

func TestWritesAreInTheStoreOnceClosedOrSynced(t *testing.T) {
	m := mountVolume(t)
	require.NoError(t, os.WriteFile(m.path("closed"), []byte("closed"), 0o644))
	m.wantObject(t, "closed", "closed")

	file, err := os.Create(m.path("synced"))
	require.NoError(t, err)
	_, err = file.WriteString("synced")
	require.NoError(t, err)
	m.wantObject(t, "synced", "")
	require.NoError(t, file.Sync())
	m.wantObject(t, "synced", "synced")
	require.NoError(t, file.Close())
}

func TestAppendGoesToTheEndThatOthersMade(t *testing.T) {
	m := mountVolume(t)
	require.NoError(t, os.WriteFile(m.path("log"), []byte("one\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(m.objects, "log"), []byte("one\ntwo from another node\n"), 0o644))
	file, err := os.OpenFile(m.path("log"), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = file.WriteString("three\n")
	require.NoError(t, err)
	require.NoError(t, file.Close())
	m.wantObject(t, "log", "one\ntwo from another node\nthree\n")
}

func TestLargeAndSparseFiles(t *testing.T) {
	m := mountVolume(t)
	data := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	require.NoError(t, os.WriteFile(m.path("large"), data, 0o644))
	read, err := os.ReadFile(m.path("large"))
	if err != nil || !bytes.Equal(read, data) {
		t.Errorf("read %d bytes of %d (%v)", len(read), len(data), err)
	}
	require.NoError(t, os.Truncate(m.path("large"), 3))
	m.wantObject(t, "large", "012")
	require.NoError(t, os.Truncate(m.path("large"), 5))
	m.wantObject(t, "large", "012\x00\x00")
	require.NoError(t, os.WriteFile(m.path("large"), []byte("x"), 0o644))
	m.wantObject(t, "large", "x")
}

func TestDirectories(t *testing.T) {
	m := mountVolume(t)
	require.NoError(t, os.MkdirAll(m.path("a/b"), 0o755))
	require.NoError(t, os.WriteFile(m.path("a/b/file"), []byte("x"), 0o644))
	if err := unix.Rmdir(m.path("a/b")); !errors.Is(err, unix.ENOTEMPTY) {
		t.Errorf("rmdir of a full directory: %v", err)
	}
	require.NoError(t, os.Rename(m.path("a"), m.path("c")))
	entries, err := os.ReadDir(m.path("c/b"))
	if err != nil || len(entries) != 1 || entries[0].Name() != "file" || entries[0].IsDir() {
		t.Errorf("entries %v (%v)", entries, err)
	}
	require.NoError(t, os.WriteFile(m.path("c/b/file"), []byte("after"), 0o644))
	m.wantObject(t, "c/b/file", "after")
	require.NoError(t, os.RemoveAll(m.path("c")))
	if _, err := os.Stat(filepath.Join(m.objects, "c")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("still in the store: %v", err)
	}
}

func TestOpenFileFollowsItsRename(t *testing.T) {
	m := mountVolume(t)
	file, err := os.Create(m.path("old"))
	require.NoError(t, err)
	_, err = file.WriteString("before ")
	require.NoError(t, err)
	require.NoError(t, os.Rename(m.path("old"), m.path("new")))
	_, err = file.WriteString("after")
	require.NoError(t, err)
	require.NoError(t, file.Close())
	m.wantObject(t, "new", "before after")
	if _, err := os.Stat(m.path("old")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the old name answers %v", err)
	}
	err = unix.Renameat2(unix.AT_FDCWD, m.path("new"), unix.AT_FDCWD, m.path("new2"), unix.RENAME_EXCHANGE)
	if err == nil {
		t.Error("an exchange was accepted")
	}
}

func TestUnlinkedOpenFileIsReadableAndStaysAway(t *testing.T) {
	m := mountVolume(t)
	for name, takeAway := range map[string]func(path string) error{
		"unlinked": os.Remove,
		"replaced": func(path string) error {
			require.NoError(t, os.WriteFile(m.path("other"), []byte("other"), 0o644))
			return os.Rename(m.path("other"), path)
		},
	} {
		file, err := os.Create(m.path(name))
		require.NoError(t, err)
		_, err = file.WriteString("held")
		require.NoError(t, err)
		require.NoError(t, takeAway(m.path(name)))
		held := make([]byte, 4)
		if _, err := file.ReadAt(held, 0); err != nil || string(held) != "held" {
			t.Errorf("%s: read %q (%v)", name, held, err)
		}
		require.NoError(t, file.Close())
	}
	if _, err := os.Stat(filepath.Join(m.objects, "unlinked")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the unlinked file came back: %v", err)
	}
	m.wantObject(t, "replaced", "other")
}

func TestAttributes(t *testing.T) {
	m := mountVolume(t)
	require.NoError(t, os.WriteFile(m.path("file"), []byte("four"), 0o600))
	info, err := os.Stat(m.path("file"))
	require.NoError(t, err)
	if age := time.Since(info.ModTime()); info.Size() != 4 || info.Mode() != 0o666 || age > time.Minute {
		t.Errorf("size %d, mode %v, age %v", info.Size(), info.Mode(), age)
	}
	require.NoError(t, os.Chown(m.path("file"), 7, 7)) // accepted, as kubelet's fsGroup walk needs it
	require.NoError(t, os.Chmod(m.mnt, 0o700))
	var answer unix.Statfs_t
	require.NoError(t, unix.Statfs(m.mnt, &answer))
	if answer.Bfree == 0 || answer.Namelen != 255 {
		t.Errorf("statfs %+v", answer)
	}
	if _, err := os.Stat(m.path("nothing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

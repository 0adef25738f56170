package store

import (
	"context"
	"io/fs"
	"maps"
	"net/http/httptest"
	"slices"
	"syscall"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"
)

func TestDirectory(t *testing.T) {
	checkStore(t, "dir="+t.TempDir()+"/volume", "dir="+t.TempDir()+"/other")
}

func TestS3(t *testing.T) {
	server := httptest.NewServer(gofakes3.New(s3mem.New()).Server())
	t.Cleanup(server.Close)
	checkStore(t, "s3="+server.URL+"/bucket/volume", "s3="+server.URL+"/bucket/volume2")
}

func TestBadBackends(t *testing.T) {
	for _, backend := range []string{"", "nfs=/a", "s3=", "s3=http://host:1/"} {
		if _, err := Open(t.Context(), backend, Credentials{}); err == nil {
			t.Errorf("%q was accepted", backend)
		}
	}
}

// checkStore walks one volume through its life and looks that its neighbour stays as it is.
func checkStore(t *testing.T, backend, neighbour string) {
	ctx := t.Context()
	volume, other := open(t, backend), open(t, neighbour)
	require.NoError(t, other.MakeDir(ctx, ""))
	require.NoError(t, other.Write(ctx, "kept", []byte("kept")))

	require.ErrorIs(t, second(volume.Stat(ctx, "")), fs.ErrNotExist)
	require.NoError(t, volume.MakeDir(ctx, ""))
	require.NoError(t, second(volume.Stat(ctx, "")))
	wantNames(t, volume, "")

	require.NoError(t, volume.MakeDir(ctx, "dir"))
	require.NoError(t, volume.Write(ctx, "dir/file", []byte("one")))
	require.NoError(t, volume.Write(ctx, "dir/file", []byte("second")))
	require.NoError(t, volume.Write(ctx, "empty", nil))
	wantNames(t, volume, "", "dir/", "empty")
	wantNames(t, volume, "dir", "file")
	wantContent(t, volume, "dir/file", "second")
	wantContent(t, volume, "empty", "")
	if info, err := volume.Stat(ctx, "dir/file"); err != nil || info.Dir || info.Size != 6 || info.Name != "file" {
		t.Errorf("stat of a file: %+v, %v", info, err)
	}
	require.ErrorIs(t, volume.RemoveDir(ctx, "dir"), syscall.ENOTEMPTY)
	require.ErrorIs(t, second(volume.Read(ctx, "nothing")), fs.ErrNotExist)
	require.ErrorIs(t, volume.Rename(ctx, "nothing", "something"), fs.ErrNotExist)

	require.NoError(t, volume.Rename(ctx, "dir", "moved"))
	wantNames(t, volume, "", "empty", "moved/")
	require.NoError(t, volume.Rename(ctx, "moved/file", "empty"))
	wantContent(t, volume, "empty", "second")
	require.NoError(t, volume.RemoveDir(ctx, "moved"))
	require.NoError(t, volume.Remove(ctx, "empty"))
	wantNames(t, volume, "")

	require.NoError(t, volume.Write(ctx, "last", []byte("last")))
	require.NoError(t, volume.RemoveVolume(ctx))
	require.ErrorIs(t, second(volume.Stat(ctx, "")), fs.ErrNotExist)
	require.NoError(t, volume.RemoveVolume(ctx))
	wantContent(t, other, "kept", "kept")
}

func open(t *testing.T, backend string) Store {
	t.Helper()
	opened, err := Open(t.Context(), backend, Credentials{AccessKey: "key", SecretKey: "secret"})
	require.NoError(t, err)
	return opened
}

func second[T any](_ T, err error) error { return err }

func wantContent(t *testing.T, volume Store, path, want string) {
	t.Helper()
	if data, err := volume.Read(context.Background(), path); err != nil || string(data) != want {
		t.Errorf("%s: %q, %v, want %q", path, data, err, want)
	}
}

// wantNames compares a listing; directories end in a slash.
func wantNames(t *testing.T, volume Store, dir string, want ...string) {
	t.Helper()
	entries, err := volume.List(context.Background(), dir)
	require.NoError(t, err)
	names := map[string]bool{}
	for _, entry := range entries {
		if entry.Dir {
			entry.Name += "/"
		}
		names[entry.Name] = true
	}
	if got := slices.Sorted(maps.Keys(names)); !slices.Equal(got, want) {
		t.Errorf("%q holds %q, want %q", dir, got, want)
	}
}

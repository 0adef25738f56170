// Package objectfs is a FUSE file system whose files are whole objects of a store. Like other file systems
// over S3 it keeps no owners, modes or links, and gives close-to-open consistency: what was written before a
// flush, fsync or close returned is in the store and survives the death of this process.
package objectfs

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"syscall"
	"time"

	fusefs "github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"

	"kubectl-csi/driver/internal/store"
)

const (
	dirMode  = 0o777
	fileMode = 0o666

	// storeTimeout bounds one question to the store, so that an app gets EIO in the end and not a hang.
	storeTimeout = 60 * time.Second

	blockSize = 4096 // bytes
	maxBlocks = 1 << 38
	maxFiles  = 1 << 30
)

// Volume is what all nodes of one file system share.
type Volume struct {
	Store store.Store
	made  time.Time
}

// New is the root of a file system over a store.
func New(files store.Store) fusefs.InodeEmbedder {
	return &dirNode{volume: &Volume{Store: files, made: time.Now()}}
}

// statfs answers with the vast and empty space that file systems over S3 claim.
func statfs(out *fuse.StatfsOut) {
	out.Bsize, out.Frsize, out.NameLen = blockSize, blockSize, 255
	out.Blocks, out.Bfree, out.Bavail = maxBlocks, maxBlocks, maxBlocks
	out.Files, out.Ffree = maxFiles, maxFiles
}

func fillDir(attr *fuse.Attr, modified time.Time) {
	attr.Mode = fuse.S_IFDIR | dirMode
	attr.Nlink = 2
	setTimes(attr, modified)
}

func fillFile(attr *fuse.Attr, size int64, modified time.Time) {
	attr.Mode = fuse.S_IFREG | fileMode
	attr.Nlink = 1
	attr.Size = uint64(size)
	attr.Blksize = blockSize
	attr.Blocks = (attr.Size + 511) / 512
	setTimes(attr, modified)
}

func setTimes(attr *fuse.Attr, modified time.Time) {
	attr.SetTimes(nil, &modified, &modified)
}

// limited is a time limit that the caller's interruption does not cut short: a flush goes on when the app is
// killed.
func limited(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
}

// errno turns an error of the store into one of the kernel.
func errno(err error) syscall.Errno {
	var known syscall.Errno
	switch {
	case err == nil:
		return fusefs.OK
	case errors.Is(err, fs.ErrNotExist):
		return syscall.ENOENT
	case errors.As(err, &known):
		return known
	}
	slog.Error("store", "error", err)
	return syscall.EIO
}

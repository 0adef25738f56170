package objectfs

import (
	"context"
	"sync"
	"syscall"
	"time"

	fusefs "github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// fileNode is a file. While it is open its whole content is in memory, shared by all its handles.
type fileNode struct {
	fusefs.Inode
	volume *Volume

	mutex    sync.Mutex
	opens    int
	data     []byte
	dirty    bool // data is newer than the store
	modified time.Time
	removed  bool // the name is gone, or another file's: never write it again
}

// handle is an open file description.
type handle struct{ appends bool }

var (
	_ fusefs.NodeGetattrer = (*fileNode)(nil)
	_ fusefs.NodeSetattrer = (*fileNode)(nil)
	_ fusefs.NodeOpener    = (*fileNode)(nil)
	_ fusefs.NodeReader    = (*fileNode)(nil)
	_ fusefs.NodeWriter    = (*fileNode)(nil)
	_ fusefs.NodeFlusher   = (*fileNode)(nil)
	_ fusefs.NodeFsyncer   = (*fileNode)(nil)
	_ fusefs.NodeReleaser  = (*fileNode)(nil)
)

func newHandle(flags uint32) *handle { return &handle{appends: flags&syscall.O_APPEND != 0} }

// newOpenFile is a file that has just been created, empty in the store.
func newOpenFile(volume *Volume) *fileNode {
	return &fileNode{volume: volume, opens: 1, modified: time.Now()}
}

func (f *fileNode) Getattr(ctx context.Context, _ fusefs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	if f.fillOpen(&out.Attr) {
		return fusefs.OK
	}
	ctx, cancel := limited(ctx)
	defer cancel()
	info, err := f.volume.Store.Stat(ctx, f.Path(nil))
	if err != nil {
		return errno(err)
	}
	fillFile(&out.Attr, info.Size, info.ModTime)
	return fusefs.OK
}

// fillOpen answers from memory if the file is open.
func (f *fileNode) fillOpen(attr *fuse.Attr) bool {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.opens > 0 {
		fillFile(attr, int64(len(f.data)), f.modified)
	}
	return f.opens > 0
}

// Setattr changes the size, and accepts owners, modes and times without keeping them.
func (f *fileNode) Setattr(
	ctx context.Context, fh fusefs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut,
) syscall.Errno {
	if size, ok := in.GetSize(); ok {
		if failure := f.truncate(ctx, int(size)); failure != fusefs.OK {
			return failure
		}
	}
	return f.Getattr(ctx, fh, out)
}

func (f *fileNode) Open(ctx context.Context, flags uint32) (fusefs.FileHandle, uint32, syscall.Errno) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if failure := f.load(ctx); failure != fusefs.OK {
		return nil, 0, failure
	}
	f.opens++
	if flags&syscall.O_TRUNC != 0 {
		f.resize(0)
	}
	return newHandle(flags), 0, fusefs.OK
}

func (f *fileNode) Read(
	_ context.Context, _ fusefs.FileHandle, buffer []byte, offset int64,
) (fuse.ReadResult, syscall.Errno) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	start := min(int(offset), len(f.data))
	return fuse.ReadResultData(buffer[:copy(buffer, f.data[start:])]), fusefs.OK
}

func (f *fileNode) Write(
	_ context.Context, fh fusefs.FileHandle, data []byte, offset int64,
) (uint32, syscall.Errno) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if fh.(*handle).appends {
		offset = int64(len(f.data)) // the kernel's idea of the end may be older than an attribute timeout
	}
	f.resize(max(len(f.data), int(offset)+len(data)))
	return uint32(copy(f.data[offset:], data)), fusefs.OK
}

// Flush runs at close(2), before it returns.
func (f *fileNode) Flush(ctx context.Context, _ fusefs.FileHandle) syscall.Errno {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.save(ctx)
}

func (f *fileNode) Fsync(ctx context.Context, fh fusefs.FileHandle, _ uint32) syscall.Errno {
	return f.Flush(ctx, fh)
}

func (f *fileNode) Release(ctx context.Context, _ fusefs.FileHandle) syscall.Errno {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	failure := f.save(ctx) // pages of a mapping may have come after the last flush
	f.opens--
	f.forgetClosed()
	return failure
}

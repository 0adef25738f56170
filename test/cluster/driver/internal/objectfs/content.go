package objectfs

import (
	"context"
	"syscall"
	"time"

	fusefs "github.com/hanwen/go-fuse/v2/fs"
)

func (f *fileNode) truncate(ctx context.Context, size int) syscall.Errno {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if failure := f.load(ctx); failure != fusefs.OK {
		return failure
	}
	f.resize(size)
	failure := f.save(ctx)
	f.forgetClosed()
	return failure
}

// remove takes the file's name away by the given act, and never writes to that name again.
func (f *fileNode) remove(act func() syscall.Errno) syscall.Errno {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	failure := act()
	f.removed = f.removed || failure == fusefs.OK
	return failure
}

// move saves the file under its old name and holds back further saves while the given act renames it.
func (f *fileNode) move(ctx context.Context, act func() syscall.Errno) syscall.Errno {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if failure := f.save(ctx); failure != fusefs.OK {
		return failure
	}
	return act()
}

// load reads the content from the store unless the file is open already. The mutex is held.
func (f *fileNode) load(ctx context.Context) syscall.Errno {
	if f.opens > 0 {
		return fusefs.OK
	}
	ctx, cancel := limited(ctx)
	defer cancel()
	data, err := f.volume.Store.Read(ctx, f.Path(nil))
	if err != nil {
		return errno(err)
	}
	f.data, f.dirty, f.modified = data, false, time.Now()
	return fusefs.OK
}

// save writes the content to the store if it is newer. The mutex is held.
func (f *fileNode) save(ctx context.Context) syscall.Errno {
	if !f.dirty || f.removed {
		return fusefs.OK
	}
	ctx, cancel := limited(ctx)
	defer cancel()
	if err := f.volume.Store.Write(ctx, f.Path(nil), f.data); err != nil {
		return errno(err)
	}
	f.dirty = false
	return fusefs.OK
}

// resize cuts or fills with zeros and marks the content as changed. The mutex is held.
func (f *fileNode) resize(size int) {
	if grow := size - len(f.data); grow > 0 {
		f.data = append(f.data, make([]byte, grow)...)
	}
	f.data = f.data[:size]
	f.dirty, f.modified = true, time.Now()
}

// forgetClosed drops the content of a file that nobody has open. The mutex is held.
func (f *fileNode) forgetClosed() {
	if f.opens == 0 {
		f.data, f.dirty = nil, false
	}
}

package objectfs

import (
	"context"
	"path"
	"syscall"

	fusefs "github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"kubectl-csi/driver/internal/store"
)

type dirNode struct {
	fusefs.Inode
	volume *Volume
}

var (
	_ fusefs.NodeStatfser  = (*dirNode)(nil)
	_ fusefs.NodeGetattrer = (*dirNode)(nil)
	_ fusefs.NodeSetattrer = (*dirNode)(nil)
	_ fusefs.NodeLookuper  = (*dirNode)(nil)
	_ fusefs.NodeReaddirer = (*dirNode)(nil)
	_ fusefs.NodeCreater   = (*dirNode)(nil)
	_ fusefs.NodeMkdirer   = (*dirNode)(nil)
	_ fusefs.NodeUnlinker  = (*dirNode)(nil)
	_ fusefs.NodeRmdirer   = (*dirNode)(nil)
	_ fusefs.NodeRenamer   = (*dirNode)(nil)
)

func (d *dirNode) at(name string) string { return path.Join(d.Path(nil), name) }

func (d *dirNode) Statfs(_ context.Context, out *fuse.StatfsOut) syscall.Errno {
	statfs(out)
	return fusefs.OK
}

func (d *dirNode) Getattr(_ context.Context, _ fusefs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	fillDir(&out.Attr, d.volume.made)
	return fusefs.OK
}

// Setattr accepts owners, modes and times, and keeps none.
func (d *dirNode) Setattr(
	ctx context.Context, _ fusefs.FileHandle, _ *fuse.SetAttrIn, out *fuse.AttrOut,
) syscall.Errno {
	return d.Getattr(ctx, nil, out)
}

func (d *dirNode) Lookup(ctx context.Context, name string, out *fuse.EntryOut) (*fusefs.Inode, syscall.Errno) {
	ctx, cancel := limited(ctx)
	defer cancel()
	if file := d.file(name); file != nil && file.fillOpen(&out.Attr) {
		return file.EmbeddedInode(), fusefs.OK // its size is not in the store yet
	}
	info, err := d.volume.Store.Stat(ctx, d.at(name))
	if err != nil {
		return nil, errno(err)
	}
	if info.Dir {
		fillDir(&out.Attr, d.volume.made)
	} else {
		fillFile(&out.Attr, info.Size, info.ModTime)
	}
	if child := d.GetChild(name); child != nil && child.IsDir() == info.Dir {
		return child, fusefs.OK
	}
	return d.newChild(ctx, info), fusefs.OK
}

func (d *dirNode) Readdir(ctx context.Context) (fusefs.DirStream, syscall.Errno) {
	ctx, cancel := limited(ctx)
	defer cancel()
	found, err := d.volume.Store.List(ctx, d.at(""))
	if err != nil {
		return nil, errno(err)
	}
	entries := make([]fuse.DirEntry, 0, len(found))
	for _, info := range found {
		entries = append(entries, fuse.DirEntry{Name: info.Name, Mode: kind(info)})
	}
	return fusefs.NewListDirStream(entries), fusefs.OK
}

// Create puts an empty object at once, so that other nodes see the file as they would on a disk.
func (d *dirNode) Create(
	ctx context.Context, name string, flags, _ uint32, out *fuse.EntryOut,
) (*fusefs.Inode, fusefs.FileHandle, uint32, syscall.Errno) {
	ctx, cancel := limited(ctx)
	defer cancel()
	if err := d.volume.Store.Write(ctx, d.at(name), nil); err != nil {
		return nil, nil, 0, errno(err)
	}
	file := newOpenFile(d.volume)
	file.fillOpen(&out.Attr)
	return d.NewInode(ctx, file, fusefs.StableAttr{Mode: fuse.S_IFREG}), newHandle(flags), 0, fusefs.OK
}

func (d *dirNode) Mkdir(ctx context.Context, name string, _ uint32, out *fuse.EntryOut) (*fusefs.Inode, syscall.Errno) {
	ctx, cancel := limited(ctx)
	defer cancel()
	if err := d.volume.Store.MakeDir(ctx, d.at(name)); err != nil {
		return nil, errno(err)
	}
	fillDir(&out.Attr, d.volume.made)
	return d.newChild(ctx, store.Info{Name: name, Dir: true}), fusefs.OK
}

func (d *dirNode) Unlink(ctx context.Context, name string) syscall.Errno {
	ctx, cancel := limited(ctx)
	defer cancel()
	if file := d.file(name); file != nil {
		return file.remove(func() syscall.Errno { return errno(d.volume.Store.Remove(ctx, d.at(name))) })
	}
	return errno(d.volume.Store.Remove(ctx, d.at(name)))
}

func (d *dirNode) Rmdir(ctx context.Context, name string) syscall.Errno {
	ctx, cancel := limited(ctx)
	defer cancel()
	return errno(d.volume.Store.RemoveDir(ctx, d.at(name)))
}

func (d *dirNode) Rename(
	ctx context.Context, name string, parent fusefs.InodeEmbedder, newName string, flags uint32,
) syscall.Errno {
	ctx, cancel := limited(ctx)
	defer cancel()
	target := parent.(*dirNode)
	switch flags {
	case 0:
	case unix.RENAME_NOREPLACE:
		if _, err := d.volume.Store.Stat(ctx, target.at(newName)); err == nil {
			return syscall.EEXIST
		}
	default:
		return syscall.EINVAL
	}
	move := func() syscall.Errno { return errno(d.volume.Store.Rename(ctx, d.at(name), target.at(newName))) }
	if replaced := target.file(newName); replaced != nil {
		moveAlone := move
		move = func() syscall.Errno { return replaced.remove(moveAlone) }
	}
	if file := d.file(name); file != nil {
		return file.move(ctx, move)
	}
	return move()
}

// file is the child of that name, if the kernel knows it and it is a file.
func (d *dirNode) file(name string) *fileNode {
	child := d.GetChild(name)
	if child == nil {
		return nil
	}
	file, _ := child.Operations().(*fileNode)
	return file
}

func (d *dirNode) newChild(ctx context.Context, info store.Info) *fusefs.Inode {
	if info.Dir {
		return d.NewInode(ctx, &dirNode{volume: d.volume}, fusefs.StableAttr{Mode: fuse.S_IFDIR})
	}
	return d.NewInode(ctx, &fileNode{volume: d.volume}, fusefs.StableAttr{Mode: fuse.S_IFREG})
}

func kind(info store.Info) uint32 {
	if info.Dir {
		return fuse.S_IFDIR
	}
	return fuse.S_IFREG
}

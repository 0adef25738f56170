// csi-fuse serves one volume as a FUSE file system until it is unmounted or killed: see ../../README.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	fusefs "github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"

	"kubectl-csi/driver/internal/objectfs"
	"kubectl-csi/driver/internal/store"
)

const openTimeout = 10 * time.Second // for the first answer of the store

type options struct {
	backend                    string
	attrTimeout, entryTimeout  time.Duration
	noAllowOther, idmapped, ro bool
	owner, group               uint
	readyFD                    uint
	mountPoint                 string
}

func main() {
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, nil)))
	if err := run(parse()); err != nil {
		fmt.Fprintln(os.Stderr, "csi-fuse:", err)
		os.Exit(1)
	}
}

func parse() options {
	var o options
	flag.StringVar(&o.backend, "backend", "", "dir=PATH or s3=http://HOST:PORT/BUCKET/PREFIX; keys in AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY")
	flag.DurationVar(&o.attrTimeout, "attr-timeout", time.Second, "how long the kernel may keep attributes")
	flag.DurationVar(&o.entryTimeout, "entry-timeout", time.Second, "how long the kernel may keep names")
	flag.BoolVar(&o.noAllowOther, "no-allow-other", false, "refuse every user but the owner, root included")
	flag.BoolVar(&o.idmapped, "idmapped", false, "allow id-mapped mounts")
	flag.BoolVar(&o.ro, "read-only", false, "mount read-only")
	flag.UintVar(&o.owner, "owner", 0, "uid that owns the mount")
	flag.UintVar(&o.group, "group", 0, "gid of all files")
	flag.UintVar(&o.readyFD, "ready-fd", 0, "file descriptor that gets a line once the mount answers")
	flag.Parse()
	o.mountPoint = flag.Arg(0)
	return o
}

func run(o options) error {
	if o.mountPoint == "" || flag.NArg() != 1 {
		return errors.New("want one mount point, e.g. csi-fuse --backend dir=/data /mnt")
	}
	server, err := serve(o)
	if err != nil {
		return err
	}
	if err := sayReady(o.readyFD); err != nil {
		return errors.Join(err, server.Unmount())
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		for range stop {
			if err := server.Unmount(); err != nil {
				slog.Error("still mounted", "error", err)
			}
		}
	}()
	server.Wait()
	return nil
}

func serve(o options) (*fuse.Server, error) {
	ctx, cancel := context.WithTimeout(context.Background(), openTimeout)
	defer cancel()
	keys := store.Credentials{AccessKey: os.Getenv("AWS_ACCESS_KEY_ID"), SecretKey: os.Getenv("AWS_SECRET_ACCESS_KEY")}
	files, err := store.Open(ctx, o.backend, keys)
	if err != nil {
		return nil, err
	}
	if err := files.MakeDir(ctx, ""); err != nil {
		return nil, err
	}
	tree := fusefs.NewNodeFS(objectfs.New(files), &fusefs.Options{
		AttrTimeout:  &o.attrTimeout,
		EntryTimeout: &o.entryTimeout,
		UID:          uint32(o.owner),
		GID:          uint32(o.group),
	})
	server, err := fuse.NewServer(tree, o.mountPoint, mountOptions(o))
	if err != nil {
		return nil, err
	}
	go server.Serve()
	if o.noAllowOther {
		return server, nil // WaitMount would look into the mount, which root may not do unless it is the owner
	}
	return server, server.WaitMount()
}

func mountOptions(o options) *fuse.MountOptions {
	mount := &fuse.MountOptions{
		DirectMountStrict: true, // images have no fusermount
		AllowOther:        !o.noAllowOther,
		IDMappedMount:     o.idmapped,
		DisableXAttrs:     true,
		FsName:            o.backend,
		Name:              "csi-fuse",
	}
	if o.owner != 0 {
		mount.Options = append(mount.Options, "user_id="+strconv.FormatUint(uint64(o.owner), 10))
	}
	if o.ro {
		mount.DirectMountFlags = syscall.MS_NOSUID | syscall.MS_NODEV | syscall.MS_RDONLY
	}
	return mount
}

func sayReady(fd uint) error {
	if fd == 0 {
		return nil
	}
	ready := os.NewFile(uintptr(fd), "ready")
	_, err := ready.WriteString("ready\n")
	return errors.Join(err, ready.Close())
}

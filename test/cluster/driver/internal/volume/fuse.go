package volume

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"kubectl-csi/driver/internal/mount"
	"kubectl-csi/driver/internal/store"
)

// Fuse is a storage whose volumes are each served by a daemon of their own, a child of the driver: it dies
// with the driver's container, and leaves dead mounts.
type Fuse struct {
	Backend string // dir=PATH or s3=http://HOST:PORT/BUCKET; a volume's handle is appended
	Daemon  string // path of csi-fuse
}

// attributeFlags are the volume attributes that become flags of csi-fuse.
var attributeFlags = map[string]string{
	"attrTimeout":  "--attr-timeout",
	"entryTimeout": "--entry-timeout",
	"idmapped":     "--idmapped",
	"noAllowOther": "--no-allow-other",
	"owner":        "--owner",
	"readOnly":     "--read-only",
}

// Create makes an empty volume; one that exists is fine.
func (f Fuse) Create(ctx context.Context, id string) error {
	files, err := f.open(ctx, id)
	if err != nil {
		return err
	}
	return files.MakeDir(ctx, "")
}

// Exists says whether the volume has been created.
func (f Fuse) Exists(ctx context.Context, id string) (bool, error) {
	if localName(id) != nil {
		return false, nil
	}
	files, err := f.open(ctx, id)
	if err != nil {
		return false, err
	}
	_, err = files.Stat(ctx, "")
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Delete removes the volume with its data.
func (f Fuse) Delete(ctx context.Context, id string) error {
	if localName(id) != nil {
		return nil
	}
	files, err := f.open(ctx, id)
	if err != nil {
		return err
	}
	return files.RemoveVolume(ctx)
}

// Mount starts a daemon and waits until its mount answers.
func (f Fuse) Mount(ctx context.Context, spec Spec, path string) error {
	if err := localName(spec.ID); err != nil {
		return err
	}
	if err := os.MkdirAll(path, 0o750); err != nil {
		return err
	}
	args := []string{"--backend=" + f.backend(spec.ID)}
	if spec.Group != "" {
		args = append(args, "--group="+spec.Group)
	}
	for attribute, flag := range attributeFlags {
		if value := spec.Attributes[attribute]; value != "" {
			args = append(args, flag+"="+value)
		}
	}
	if err := startDaemon(ctx, f.Daemon, append(args, path), keys(spec.Secrets)); err != nil {
		return errors.Join(err, mount.DetachAll(path)) // it may have come as far as mounting
	}
	return nil
}

func (f Fuse) backend(id string) string { return f.Backend + "/" + id }

func (f Fuse) open(ctx context.Context, id string) (store.Store, error) {
	if err := localName(id); err != nil {
		return nil, err
	}
	return store.Open(ctx, f.backend(id), store.Credentials{
		AccessKey: os.Getenv("AWS_ACCESS_KEY_ID"), SecretKey: os.Getenv("AWS_SECRET_ACCESS_KEY"),
	})
}

// keys is the daemon's environment: the driver's own, and the keys of the request, named as k8s-csi-s3 does.
func keys(secrets map[string]string) []string {
	env := os.Environ()
	if key := secrets["accessKeyID"]; key != "" {
		env = append(env, "AWS_ACCESS_KEY_ID="+key, "AWS_SECRET_ACCESS_KEY="+secrets["secretAccessKey"])
	}
	return env
}

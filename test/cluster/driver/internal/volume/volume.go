// Package volume knows where the data of a volume lives and how it is mounted.
package volume

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Spec is what a NodeStage or NodePublish request says about a volume.
type Spec struct {
	ID         string            // volume handle
	Group      string            // gid as decimal number, empty without VOLUME_MOUNT_GROUP
	Attributes map[string]string // volume context
	Secrets    map[string]string
}

// Source is one kind of storage.
type Source interface {
	Create(ctx context.Context, id string) error
	Exists(ctx context.Context, id string) (bool, error)
	Delete(ctx context.Context, id string) error
	// Mount mounts the volume, which it creates when it is missing, on the directory path.
	Mount(ctx context.Context, spec Spec, path string) error
}

// None is a storage without data: every volume exists once created, nothing is ever mounted.
type None struct{ dir Directory }

// NewNone keeps the names of its volumes under dir.
func NewNone(dir string) None { return None{Directory{Path: dir}} }

func (n None) Create(ctx context.Context, id string) error         { return n.dir.Create(ctx, id) }
func (n None) Exists(ctx context.Context, id string) (bool, error) { return n.dir.Exists(ctx, id) }
func (n None) Delete(ctx context.Context, id string) error         { return n.dir.Delete(ctx, id) }

// Mount makes the bare directory and mounts nothing.
func (None) Mount(_ context.Context, _ Spec, path string) error { return os.MkdirAll(path, 0o750) }

// localName refuses volume handles that would lead out of the storage.
func localName(id string) error {
	if !filepath.IsLocal(id) || id == "." {
		return fmt.Errorf("volume handle %q is not a relative path without ..", id)
	}
	return nil
}

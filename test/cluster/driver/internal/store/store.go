// Package store keeps the files of a volume as whole objects, in an S3 bucket or in a directory.
package store

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Info describes a file or a directory.
type Info struct {
	Name    string // without its directory
	Dir     bool
	Size    int64 // bytes
	ModTime time.Time
}

// Store holds one volume. Paths are relative to it, separated by slashes; "" is the volume itself.
// A missing file is fs.ErrNotExist; a directory that is not empty is syscall.ENOTEMPTY.
type Store interface {
	Stat(ctx context.Context, path string) (Info, error)
	List(ctx context.Context, dir string) ([]Info, error)
	Read(ctx context.Context, path string) ([]byte, error)
	// Write replaces the whole file, durably: once it returns, the death of this process loses nothing.
	Write(ctx context.Context, path string, data []byte) error
	Remove(ctx context.Context, path string) error
	MakeDir(ctx context.Context, path string) error
	RemoveDir(ctx context.Context, path string) error
	// Rename moves a file or a directory and replaces the file that is there.
	Rename(ctx context.Context, from, to string) error
	// RemoveVolume removes the volume with all that is in it; one that is gone already is fine.
	RemoveVolume(ctx context.Context) error
}

// Credentials are the keys for S3; empty ones ask anonymously.
type Credentials struct{ AccessKey, SecretKey string }

// Open opens the volume of a backend: dir=PATH, or s3=http://HOST:PORT/BUCKET/PREFIX, whose bucket it makes
// when it is missing.
func Open(ctx context.Context, backend string, credentials Credentials) (Store, error) {
	kind, place, _ := strings.Cut(backend, "=")
	switch kind {
	case "dir":
		return directory{place}, nil
	case "s3":
		location, err := url.Parse(place)
		if err != nil {
			return nil, err
		}
		return openS3(ctx, location, credentials)
	}
	return nil, fmt.Errorf("backend %q is neither dir=PATH nor s3=http://HOST:PORT/BUCKET/PREFIX", backend)
}

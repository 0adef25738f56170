package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/url"
	"path"
	"strings"
	"syscall"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// bucket keeps the volume's files as objects under a prefix. A directory is an empty object whose key ends in
// a slash, or just the common beginning of other keys.
type bucket struct {
	client *minio.Client
	name   string
	prefix string // without slashes at its ends
}

func openS3(ctx context.Context, location *url.URL, keys Credentials) (Store, error) {
	name, prefix, _ := strings.Cut(strings.Trim(location.Path, "/"), "/")
	if location.Host == "" || name == "" {
		return nil, fmt.Errorf("s3=%s names no host or no bucket: want s3=http://HOST:PORT/BUCKET/PREFIX", location)
	}
	client, err := minio.New(location.Host, &minio.Options{
		Creds:        credentials.NewStaticV4(keys.AccessKey, keys.SecretKey, ""),
		Secure:       location.Scheme == "https",
		Region:       "us-east-1",
		BucketLookup: minio.BucketLookupPath,
	})
	if err != nil {
		return nil, err
	}
	if err := makeBucket(ctx, client, name); err != nil {
		return nil, fmt.Errorf("bucket %q at %s: %w", name, location.Host, err)
	}
	return bucket{client, name, prefix}, nil
}

func makeBucket(ctx context.Context, client *minio.Client, name string) error {
	err := client.MakeBucket(ctx, name, minio.MakeBucketOptions{})
	code := minio.ToErrorResponse(err).Code
	if code == minio.BucketAlreadyOwnedByYou || code == minio.BucketAlreadyExists {
		return nil
	}
	return err
}

func (b bucket) key(name string) string { return path.Join(b.prefix, name) }

// dirKey is the key of a directory's marker, and the beginning of the keys in it.
func (b bucket) dirKey(name string) string { return b.key(name) + "/" }

func (b bucket) Stat(ctx context.Context, name string) (Info, error) {
	if name != "" {
		object, err := b.client.StatObject(ctx, b.name, b.key(name), minio.StatObjectOptions{})
		if err == nil {
			return Info{Name: path.Base(name), Size: object.Size, ModTime: object.LastModified}, nil
		}
		if !errors.Is(missing(err), fs.ErrNotExist) {
			return Info{}, err
		}
	}
	for object, err := range b.objects(ctx, b.dirKey(name), false) {
		return Info{Name: path.Base(name), Dir: true, ModTime: object.LastModified}, err
	}
	return Info{}, fs.ErrNotExist
}

func (b bucket) List(ctx context.Context, dir string) ([]Info, error) {
	var found []Info
	for object, err := range b.objects(ctx, b.dirKey(dir), false) {
		if err != nil {
			return nil, err
		}
		name := strings.TrimPrefix(object.Key, b.dirKey(dir))
		if name == "" {
			continue // the directory's own marker
		}
		found = append(found, Info{
			Name: strings.TrimSuffix(name, "/"), Dir: strings.HasSuffix(name, "/"),
			Size: object.Size, ModTime: object.LastModified,
		})
	}
	return found, nil
}

func (b bucket) Read(ctx context.Context, name string) ([]byte, error) {
	object, err := b.client.GetObject(ctx, b.name, b.key(name), minio.GetObjectOptions{})
	if err != nil {
		return nil, missing(err)
	}
	defer object.Close()
	data, err := io.ReadAll(object)
	return data, missing(err)
}

func (b bucket) Write(ctx context.Context, name string, data []byte) error {
	return b.put(ctx, b.key(name), data)
}

func (b bucket) Remove(ctx context.Context, name string) error {
	return b.client.RemoveObject(ctx, b.name, b.key(name), minio.RemoveObjectOptions{})
}

func (b bucket) MakeDir(ctx context.Context, name string) error {
	return b.put(ctx, b.dirKey(name), nil)
}

func (b bucket) RemoveDir(ctx context.Context, name string) error {
	if inside, err := b.List(ctx, name); err != nil {
		return err
	} else if len(inside) > 0 {
		return syscall.ENOTEMPTY
	}
	return b.client.RemoveObject(ctx, b.name, b.dirKey(name), minio.RemoveObjectOptions{})
}

func (b bucket) Rename(ctx context.Context, from, to string) error {
	info, err := b.Stat(ctx, from)
	if err != nil {
		return err
	}
	if !info.Dir {
		return b.move(ctx, b.key(from), b.key(to))
	}
	if inside, err := b.List(ctx, to); err != nil {
		return err
	} else if len(inside) > 0 {
		return syscall.ENOTEMPTY
	}
	for object, err := range b.objects(ctx, b.dirKey(from), true) {
		if err != nil {
			return err
		}
		if err := b.move(ctx, object.Key, b.dirKey(to)+strings.TrimPrefix(object.Key, b.dirKey(from))); err != nil {
			return err
		}
	}
	return nil
}

func (b bucket) RemoveVolume(ctx context.Context) error {
	for object, err := range b.objects(ctx, b.dirKey(""), true) {
		if err != nil {
			return err
		}
		if err := b.client.RemoveObject(ctx, b.name, object.Key, minio.RemoveObjectOptions{}); err != nil {
			return err
		}
	}
	return nil
}

func (b bucket) put(ctx context.Context, key string, data []byte) error {
	// A signature in chunks sends an empty object without a Content-Length, which simple servers refuse.
	options := minio.PutObjectOptions{DisableContentSha256: true}
	_, err := b.client.PutObject(ctx, b.name, key, bytes.NewReader(data), int64(len(data)), options)
	return err
}

// move copies and removes, for S3 has no rename.
func (b bucket) move(ctx context.Context, from, to string) error {
	target := minio.CopyDestOptions{Bucket: b.name, Object: to}
	if _, err := b.client.CopyObject(ctx, target, minio.CopySrcOptions{Bucket: b.name, Object: from}); err != nil {
		return missing(err)
	}
	return b.client.RemoveObject(ctx, b.name, from, minio.RemoveObjectOptions{})
}

// objects lists the objects whose keys begin with prefix; without recursion those below a further slash are
// one entry that ends in it.
func (b bucket) objects(ctx context.Context, prefix string, recursive bool) iter.Seq2[minio.ObjectInfo, error] {
	return func(yield func(minio.ObjectInfo, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		options := minio.ListObjectsOptions{Prefix: prefix, Recursive: recursive}
		for object := range b.client.ListObjectsIter(ctx, b.name, options) {
			if !yield(object, object.Err) || object.Err != nil {
				return
			}
		}
	}
}

// missing turns S3's word for an object that is not there into Go's.
func missing(err error) error {
	if err != nil && minio.ToErrorResponse(err).Code == minio.NoSuchKey {
		return fs.ErrNotExist
	}
	return err
}

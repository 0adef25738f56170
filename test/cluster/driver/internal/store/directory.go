package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
)

// directory keeps the volume's files under a folder of the machine.
type directory struct{ root string }

func (d directory) at(path string) string { return filepath.Join(d.root, path) }

func (d directory) Stat(_ context.Context, path string) (Info, error) {
	info, err := os.Stat(d.at(path))
	if err != nil {
		return Info{}, err
	}
	return describe(info), nil
}

func (d directory) List(_ context.Context, dir string) ([]Info, error) {
	entries, err := os.ReadDir(d.at(dir))
	if err != nil {
		return nil, err
	}
	found := make([]Info, 0, len(entries))
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil { // else it has gone since
			found = append(found, describe(info))
		}
	}
	return found, nil
}

func (d directory) Read(_ context.Context, path string) ([]byte, error) {
	return os.ReadFile(d.at(path))
}

// Write replaces by rename, so that readers see the old content or the new one, as with S3.
func (d directory) Write(_ context.Context, path string, data []byte) error {
	file, err := os.CreateTemp(filepath.Dir(d.root), ".writing-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(data)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), d.at(path))
}

func (d directory) Remove(_ context.Context, path string) error { return os.Remove(d.at(path)) }
func (d directory) MakeDir(_ context.Context, path string) error {
	return os.MkdirAll(d.at(path), 0o755)
}
func (d directory) RemoveDir(_ context.Context, path string) error { return os.Remove(d.at(path)) }
func (d directory) RemoveVolume(context.Context) error             { return os.RemoveAll(d.root) }

func (d directory) Rename(_ context.Context, from, to string) error {
	return os.Rename(d.at(from), d.at(to))
}

func describe(info os.FileInfo) Info {
	return Info{Name: info.Name(), Dir: info.IsDir(), Size: info.Size(), ModTime: info.ModTime()}
}

package volume

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"kubectl-csi/driver/internal/mount"
)

// Directory is a storage whose volumes are the folders of one directory, bind-mounted.
type Directory struct{ Path string }

func (d Directory) folder(id string) (string, error) {
	return filepath.Join(d.Path, id), localName(id)
}

// Create makes the volume's folder; one that exists is fine.
func (d Directory) Create(_ context.Context, id string) error {
	folder, err := d.folder(id)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	return os.Chmod(folder, 0o777) // for apps that are not root, whatever the umask
}

// Exists says whether the volume's folder is there.
func (d Directory) Exists(_ context.Context, id string) (bool, error) {
	folder, err := d.folder(id)
	if err != nil {
		return false, nil
	}
	_, err = os.Stat(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Delete removes the volume with its data.
func (d Directory) Delete(_ context.Context, id string) error {
	folder, err := d.folder(id)
	if err != nil {
		return nil
	}
	return os.RemoveAll(folder)
}

// Mount binds the volume's folder to path.
func (d Directory) Mount(ctx context.Context, spec Spec, path string) error {
	folder, err := d.folder(spec.ID)
	if err != nil {
		return err
	}
	if exists, err := d.Exists(ctx, spec.ID); err != nil {
		return err
	} else if !exists {
		if err := d.Create(ctx, spec.ID); err != nil {
			return err
		}
	}
	if err := giveToGroup(folder, spec.Group); err != nil {
		return err
	}
	return mount.Bind(folder, path)
}

// giveToGroup hands the folder to a group as VOLUME_MOUNT_GROUP asks; files made later inherit it (setgid).
func giveToGroup(folder, group string) error {
	if group == "" {
		return nil
	}
	gid, err := strconv.Atoi(group)
	if err != nil {
		return err
	}
	if err := os.Chown(folder, -1, gid); err != nil {
		return err
	}
	return os.Chmod(folder, 0o775|os.ModeSetgid)
}

package driver

import (
	"context"
	"errors"
	"log/slog"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"kubectl-csi/driver/internal/mount"
	"kubectl-csi/driver/internal/volume"
)

// ephemeralKey is "true" in the volume context of a CSI inline volume: kubelet never stages those.
const ephemeralKey = "csi.storage.k8s.io/ephemeral"

// publish mounts the volume on its target: a bind of the staged volume, or the volume itself.
func (n *node) publish(ctx context.Context, r *csi.NodePublishVolumeRequest) error {
	if err := n.mountTarget(ctx, r); err != nil {
		return err
	}
	if err := mount.SetOptions(r.TargetPath, options(r)); err != nil {
		return errors.Join(err, mount.DetachAll(r.TargetPath))
	}
	return nil
}

func (n *node) mountTarget(ctx context.Context, r *csi.NodePublishVolumeRequest) error {
	if !n.config.Staging || r.VolumeContext[ephemeralKey] == "true" {
		return n.source.Mount(ctx, spec(r), r.TargetPath)
	}
	if err := required(field{"staging_target_path", r.StagingTargetPath}); err != nil {
		return err
	}
	if err := n.restage(ctx, r); err != nil {
		return err
	}
	return mount.Bind(r.StagingTargetPath, r.TargetPath)
}

// claim answers FailedPrecondition when a volume that one pod alone may write is published elsewhere. A restart
// forgets claims; kubelet enforces ReadWriteOncePod besides.
func (n *node) claim(r *csi.NodePublishVolumeRequest) error {
	if r.VolumeCapability.GetAccessMode().GetMode() != csi.VolumeCapability_AccessMode_SINGLE_NODE_SINGLE_WRITER {
		return nil
	}
	holder, claimed := n.claims.LoadOrStore(r.VolumeId, r.TargetPath)
	if claimed && holder != r.TargetPath {
		return status.Errorf(codes.FailedPrecondition, "volume %q is published to %s for a single writer", r.VolumeId, holder)
	}
	return nil
}

// restage mounts a bare staging path again where the driver is of the class that does so.
func (n *node) restage(ctx context.Context, r *csi.NodePublishVolumeRequest) error {
	return n.ensure(r.StagingTargetPath, func() error {
		if !n.config.Restage {
			return status.Errorf(codes.FailedPrecondition, "volume is not staged on %s", r.StagingTargetPath)
		}
		return n.source.Mount(ctx, spec(r), r.StagingTargetPath)
	})
}

// ensure calls makeMount unless path is a mount already. A naive driver takes a dead mount for one too.
func (n *node) ensure(path string, makeMount func() error) error {
	mounted, err := mount.IsMountPoint(path)
	if err != nil {
		return err
	}
	if mounted && !n.config.Naive && mount.IsDead(path) {
		slog.Info("replacing a dead mount", "path", path)
		if err := mount.DetachAll(path); err != nil {
			return err
		}
		mounted = false
	}
	if mounted {
		return nil
	}
	return makeMount()
}

// volumeRequest is what NodeStageVolumeRequest and NodePublishVolumeRequest have in common.
type volumeRequest interface {
	GetVolumeId() string
	GetVolumeContext() map[string]string
	GetSecrets() map[string]string
	GetVolumeCapability() *csi.VolumeCapability
}

func spec(r volumeRequest) volume.Spec {
	return volume.Spec{
		ID:         r.GetVolumeId(),
		Group:      r.GetVolumeCapability().GetMount().GetVolumeMountGroup(),
		Attributes: r.GetVolumeContext(),
		Secrets:    r.GetSecrets(),
	}
}

// options are the mount options of a request; readonly counts as one.
func options(r *csi.NodePublishVolumeRequest) []string {
	flags := r.VolumeCapability.GetMount().GetMountFlags()
	if r.Readonly {
		return append([]string{"ro"}, flags...)
	}
	return flags
}

// internal keeps a gRPC status and makes any other error Internal.
func internal(err error) error {
	if _, isStatus := status.FromError(err); isStatus {
		return err
	}
	return status.Error(codes.Internal, err.Error())
}

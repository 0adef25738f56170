package driver

import (
	"context"
	"sync"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"kubectl-csi/driver/internal/mount"
	"kubectl-csi/driver/internal/volume"
)

type node struct {
	csi.UnimplementedNodeServer
	config  Config
	source  volume.Source
	control Control
	claims  sync.Map // target path by volume id, of volumes for a single writer
	locks   sync.Map // *sync.Mutex by volume id
}

// lock lets one call at a time work on a volume, so that two never mount on one path.
func (n *node) lock(id string) (unlock func()) {
	mutex, _ := n.locks.LoadOrStore(id, &sync.Mutex{})
	mutex.(*sync.Mutex).Lock()
	return mutex.(*sync.Mutex).Unlock
}

func (n *node) NodeGetInfo(context.Context, *csi.NodeGetInfoRequest) (*csi.NodeGetInfoResponse, error) {
	answer := &csi.NodeGetInfoResponse{NodeId: n.config.NodeID, MaxVolumesPerNode: n.config.MaxVolumes}
	if len(n.config.Topology) > 0 {
		answer.AccessibleTopology = &csi.Topology{Segments: n.config.Topology}
	}
	return answer, nil
}

func (n *node) NodeGetCapabilities(
	context.Context, *csi.NodeGetCapabilitiesRequest,
) (*csi.NodeGetCapabilitiesResponse, error) {
	kinds := []csi.NodeServiceCapability_RPC_Type{csi.NodeServiceCapability_RPC_GET_VOLUME_STATS}
	if n.config.Staging {
		kinds = append(kinds, csi.NodeServiceCapability_RPC_STAGE_UNSTAGE_VOLUME)
	}
	if n.config.VolumeMountGroup {
		kinds = append(kinds, csi.NodeServiceCapability_RPC_VOLUME_MOUNT_GROUP)
	}
	if n.config.SingleNodeMultiWriter {
		kinds = append(kinds, csi.NodeServiceCapability_RPC_SINGLE_NODE_MULTI_WRITER)
	}
	answer := &csi.NodeGetCapabilitiesResponse{}
	for _, kind := range kinds {
		answer.Capabilities = append(answer.Capabilities, &csi.NodeServiceCapability{
			Type: &csi.NodeServiceCapability_Rpc{Rpc: &csi.NodeServiceCapability_RPC{Type: kind}},
		})
	}
	return answer, nil
}

func (n *node) NodeStageVolume(
	ctx context.Context, r *csi.NodeStageVolumeRequest,
) (*csi.NodeStageVolumeResponse, error) {
	if err := required(field{"volume_id", r.VolumeId}, field{"staging_target_path", r.StagingTargetPath}); err != nil {
		return nil, err
	}
	if err := supported(r.VolumeCapability); err != nil {
		return nil, err
	}
	defer n.lock(r.VolumeId)()
	if err := n.ensure(r.StagingTargetPath, func() error {
		return n.source.Mount(ctx, spec(r), r.StagingTargetPath)
	}); err != nil {
		return nil, internal(err)
	}
	return &csi.NodeStageVolumeResponse{}, nil
}

func (n *node) NodeUnstageVolume(
	_ context.Context, r *csi.NodeUnstageVolumeRequest,
) (*csi.NodeUnstageVolumeResponse, error) {
	if err := required(field{"volume_id", r.VolumeId}, field{"staging_target_path", r.StagingTargetPath}); err != nil {
		return nil, err
	}
	defer n.lock(r.VolumeId)()
	// The directory stays: kubelet made it and removes it.
	if err := mount.DetachAll(r.StagingTargetPath); err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	return &csi.NodeUnstageVolumeResponse{}, nil
}

func (n *node) NodePublishVolume(
	ctx context.Context, r *csi.NodePublishVolumeRequest,
) (*csi.NodePublishVolumeResponse, error) {
	if err := required(field{"volume_id", r.VolumeId}, field{"target_path", r.TargetPath}); err != nil {
		return nil, err
	}
	if err := supported(r.VolumeCapability); err != nil {
		return nil, err
	}
	defer n.lock(r.VolumeId)()
	if n.control.Has(FaultPublishFails) {
		return nil, status.Error(codes.Internal, n.control.Message(FaultPublishFails, "publishing fails by request"))
	}
	if n.control.Has(FaultPublishDoesNothing) {
		return &csi.NodePublishVolumeResponse{}, nil
	}
	if err := n.claim(r); err != nil {
		return nil, err
	}
	if err := n.ensure(r.TargetPath, func() error { return n.publish(ctx, r) }); err != nil {
		return nil, internal(err)
	}
	return &csi.NodePublishVolumeResponse{}, nil
}

func (n *node) NodeUnpublishVolume(
	_ context.Context, r *csi.NodeUnpublishVolumeRequest,
) (*csi.NodeUnpublishVolumeResponse, error) {
	if err := required(field{"volume_id", r.VolumeId}, field{"target_path", r.TargetPath}); err != nil {
		return nil, err
	}
	defer n.lock(r.VolumeId)()
	remove := mount.Remove
	if n.control.Has(FaultPlainUnpublish) {
		remove = mount.RemovePlain
	}
	if err := remove(r.TargetPath); err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	n.claims.CompareAndDelete(r.VolumeId, r.TargetPath)
	return &csi.NodeUnpublishVolumeResponse{}, nil
}

func (n *node) NodeGetVolumeStats(
	_ context.Context, r *csi.NodeGetVolumeStatsRequest,
) (*csi.NodeGetVolumeStatsResponse, error) {
	if err := required(field{"volume_id", r.VolumeId}, field{"volume_path", r.VolumePath}); err != nil {
		return nil, err
	}
	mounted, err := mount.IsMountPoint(r.VolumePath)
	if err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	if !mounted {
		return nil, status.Errorf(codes.NotFound, "nothing is mounted on %s", r.VolumePath)
	}
	var stat unix.Statfs_t
	if err := unix.Statfs(r.VolumePath, &stat); err != nil {
		return nil, status.Errorf(codes.Internal, "statfs %s: %v", r.VolumePath, err)
	}
	return &csi.NodeGetVolumeStatsResponse{Usage: usage(stat)}, nil
}

func usage(stat unix.Statfs_t) []*csi.VolumeUsage {
	block := stat.Bsize
	return []*csi.VolumeUsage{
		{
			Unit:      csi.VolumeUsage_BYTES,
			Total:     int64(stat.Blocks) * block,
			Available: int64(stat.Bavail) * block,
			Used:      int64(stat.Blocks-stat.Bfree) * block,
		},
		{
			Unit:      csi.VolumeUsage_INODES,
			Total:     int64(stat.Files),
			Available: int64(stat.Ffree),
			Used:      int64(stat.Files - stat.Ffree),
		},
	}
}

package driver

import (
	"context"
	"sync"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"kubectl-csi/driver/internal/volume"
)

const defaultCapacity = 1 << 30 // bytes, when CreateVolume names no size

type controller struct {
	csi.UnimplementedControllerServer
	config Config
	source volume.Source

	mutex    sync.Mutex
	capacity map[string]int64 // bytes by volume id, of the volumes made since the start
}

func newController(config Config, source volume.Source) *controller {
	return &controller{config: config, source: source, capacity: map[string]int64{}}
}

func (c *controller) ControllerGetCapabilities(
	context.Context, *csi.ControllerGetCapabilitiesRequest,
) (*csi.ControllerGetCapabilitiesResponse, error) {
	kinds := []csi.ControllerServiceCapability_RPC_Type{csi.ControllerServiceCapability_RPC_CREATE_DELETE_VOLUME}
	if c.config.Attach {
		kinds = append(kinds, csi.ControllerServiceCapability_RPC_PUBLISH_UNPUBLISH_VOLUME)
	}
	if c.config.SingleNodeMultiWriter {
		kinds = append(kinds, csi.ControllerServiceCapability_RPC_SINGLE_NODE_MULTI_WRITER)
	}
	answer := &csi.ControllerGetCapabilitiesResponse{}
	for _, kind := range kinds {
		answer.Capabilities = append(answer.Capabilities, &csi.ControllerServiceCapability{
			Type: &csi.ControllerServiceCapability_Rpc{Rpc: &csi.ControllerServiceCapability_RPC{Type: kind}},
		})
	}
	return answer, nil
}

func (c *controller) CreateVolume(ctx context.Context, r *csi.CreateVolumeRequest) (*csi.CreateVolumeResponse, error) {
	if err := required(field{"name", r.Name}); err != nil {
		return nil, err
	}
	if err := supported(r.VolumeCapabilities...); err != nil {
		return nil, err
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	wanted := max(r.GetCapacityRange().GetRequiredBytes(), 0)
	if wanted == 0 {
		wanted = defaultCapacity
	}
	if known, made := c.capacity[r.Name]; made && known != wanted {
		return nil, status.Errorf(codes.AlreadyExists, "volume %q exists with %d bytes, not %d", r.Name, known, wanted)
	}
	if err := c.source.Create(ctx, r.Name); err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	c.capacity[r.Name] = wanted
	made := &csi.Volume{VolumeId: r.Name, CapacityBytes: wanted, VolumeContext: r.Parameters}
	if len(c.config.Topology) > 0 {
		made.AccessibleTopology = []*csi.Topology{{Segments: c.config.Topology}}
	}
	return &csi.CreateVolumeResponse{Volume: made}, nil
}

func (c *controller) DeleteVolume(ctx context.Context, r *csi.DeleteVolumeRequest) (*csi.DeleteVolumeResponse, error) {
	if err := required(field{"volume_id", r.VolumeId}); err != nil {
		return nil, err
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if err := c.source.Delete(ctx, r.VolumeId); err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	delete(c.capacity, r.VolumeId)
	return &csi.DeleteVolumeResponse{}, nil
}

func (c *controller) ValidateVolumeCapabilities(
	ctx context.Context, r *csi.ValidateVolumeCapabilitiesRequest,
) (*csi.ValidateVolumeCapabilitiesResponse, error) {
	if err := c.mustExist(ctx, r.VolumeId); err != nil {
		return nil, err
	}
	if err := supported(r.VolumeCapabilities...); err != nil {
		return nil, err
	}
	return &csi.ValidateVolumeCapabilitiesResponse{
		Confirmed: &csi.ValidateVolumeCapabilitiesResponse_Confirmed{VolumeCapabilities: r.VolumeCapabilities},
	}, nil
}

func (c *controller) ControllerPublishVolume(
	ctx context.Context, r *csi.ControllerPublishVolumeRequest,
) (*csi.ControllerPublishVolumeResponse, error) {
	if err := required(field{"volume_id", r.VolumeId}, field{"node_id", r.NodeId}); err != nil {
		return nil, err
	}
	if err := supported(r.VolumeCapability); err != nil {
		return nil, err
	}
	if err := c.mustExist(ctx, r.VolumeId); err != nil {
		return nil, err
	}
	if r.NodeId != c.config.NodeID {
		return nil, status.Errorf(codes.NotFound, "node %q is unknown here, only %q is", r.NodeId, c.config.NodeID)
	}
	return &csi.ControllerPublishVolumeResponse{
		PublishContext: map[string]string{"attachedTo": r.NodeId, "volume": r.VolumeId},
	}, nil
}

func (c *controller) ControllerUnpublishVolume(
	_ context.Context, r *csi.ControllerUnpublishVolumeRequest,
) (*csi.ControllerUnpublishVolumeResponse, error) {
	if err := required(field{"volume_id", r.VolumeId}); err != nil {
		return nil, err
	}
	return &csi.ControllerUnpublishVolumeResponse{}, nil
}

func (c *controller) mustExist(ctx context.Context, id string) error {
	if err := required(field{"volume_id", id}); err != nil {
		return err
	}
	exists, err := c.source.Exists(ctx, id)
	if err != nil {
		return status.Error(codes.Internal, err.Error())
	}
	if !exists {
		return status.Errorf(codes.NotFound, "volume %q does not exist", id)
	}
	return nil
}

package driver

import (
	"context"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

type identity struct {
	csi.UnimplementedIdentityServer
	config  Config
	control Control
}

func (i *identity) GetPluginInfo(context.Context, *csi.GetPluginInfoRequest) (*csi.GetPluginInfoResponse, error) {
	return &csi.GetPluginInfoResponse{Name: i.config.Name, VendorVersion: Version}, nil
}

func (i *identity) GetPluginCapabilities(
	context.Context, *csi.GetPluginCapabilitiesRequest,
) (*csi.GetPluginCapabilitiesResponse, error) {
	services := []csi.PluginCapability_Service_Type{csi.PluginCapability_Service_CONTROLLER_SERVICE}
	if len(i.config.Topology) > 0 {
		services = append(services, csi.PluginCapability_Service_VOLUME_ACCESSIBILITY_CONSTRAINTS)
	}
	answer := &csi.GetPluginCapabilitiesResponse{}
	for _, service := range services {
		answer.Capabilities = append(answer.Capabilities, &csi.PluginCapability{
			Type: &csi.PluginCapability_Service_{Service: &csi.PluginCapability_Service{Type: service}},
		})
	}
	return answer, nil
}

func (i *identity) Probe(context.Context, *csi.ProbeRequest) (*csi.ProbeResponse, error) {
	if i.control.Has(FaultProbeFails) {
		return nil, status.Error(codes.FailedPrecondition, i.control.Message(FaultProbeFails, "driver is not ready"))
	}
	return &csi.ProbeResponse{Ready: wrapperspb.Bool(true)}, nil
}

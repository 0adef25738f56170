package driver

import (
	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

type field struct{ name, value string }

// required answers InvalidArgument for the first empty field, as the CSI specification asks.
func required(fields ...field) error {
	for _, each := range fields {
		if each.value == "" {
			return status.Errorf(codes.InvalidArgument, "%s is missing", each.name)
		}
	}
	return nil
}

// supported answers InvalidArgument where there is no capability, or one that is not a mounted file system.
func supported(capabilities ...*csi.VolumeCapability) error {
	if len(capabilities) == 0 {
		return status.Error(codes.InvalidArgument, "volume_capabilities is missing")
	}
	for _, capability := range capabilities {
		if capability == nil {
			return status.Error(codes.InvalidArgument, "volume_capability is missing")
		}
		if capability.GetMount() == nil {
			return status.Error(codes.InvalidArgument, "only file system volumes are supported, not block volumes")
		}
	}
	return nil
}

package driver_test

import (
	"context"
	"encoding/json"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"github.com/moby/sys/mountinfo"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"kubectl-csi/driver/internal/driver"
	"kubectl-csi/driver/internal/mount"
	"kubectl-csi/driver/internal/volume"
)

func startBind(t *testing.T) served {
	needRoot(t)
	config := driver.Config{Name: "bind.csi.test", NodeID: "node-1", Naive: true}
	return start(t, config, volume.Directory{Path: t.TempDir()})
}

func TestPublishFaults(t *testing.T) {
	server := startBind(t)
	node, v := server.node(t), server.volume("volume")

	end := server.fault(t, driver.FaultPublishDoesNothing, "")
	require.NoError(t, second(node.NodePublishVolume(t.Context(), v.publish())))
	wantLayers(t, v.target, 0)
	end()

	end = server.fault(t, driver.FaultPublishFails, "backend is down\n")
	_, err := node.NodePublishVolume(t.Context(), v.publish())
	wantCode(t, codes.Internal, err, "backend is down")
	wantLayers(t, v.target, 0)
	end()

	require.NoError(t, second(node.NodePublishVolume(t.Context(), v.publish())))
	wantLayers(t, v.target, 1)
}

func TestPlainUnpublish(t *testing.T) {
	server := startBind(t)
	node, v := server.node(t), server.volume("volume")
	require.NoError(t, second(node.NodePublishVolume(t.Context(), v.publish())))
	require.NoError(t, mount.Bind(v.target, v.target))
	wantLayers(t, v.target, 2)

	end := server.fault(t, driver.FaultPlainUnpublish, "")
	_, err := node.NodeUnpublishVolume(t.Context(), &csi.NodeUnpublishVolumeRequest{VolumeId: v.id, TargetPath: v.target})
	wantCode(t, codes.Internal, err, "device or resource busy")
	wantLayers(t, v.target, 1)
	require.NoError(t, second(node.NodeUnpublishVolume(t.Context(), &csi.NodeUnpublishVolumeRequest{VolumeId: v.id, TargetPath: v.target})))
	wantLayers(t, v.target, 0)
	require.NoError(t, second(node.NodeUnpublishVolume(t.Context(), &csi.NodeUnpublishVolumeRequest{VolumeId: v.id, TargetPath: v.target})))
	end()
}

func TestProbeFault(t *testing.T) {
	server := startBind(t)
	identity := server.identity(t)
	require.NoError(t, second(identity.Probe(t.Context(), &csi.ProbeRequest{})))
	defer server.fault(t, driver.FaultProbeFails, "")()
	_, err := identity.Probe(t.Context(), &csi.ProbeRequest{})
	wantCode(t, codes.FailedPrecondition, err, "not ready")
}

func TestMuteDriverAcceptsAndNeverAnswers(t *testing.T) {
	server := startBind(t)
	old := server.identity(t)
	require.NoError(t, second(old.GetPluginInfo(t.Context(), &csi.GetPluginInfoRequest{})))
	end := server.fault(t, driver.FaultMute, "")

	conn, err := net.Dial("unix", strings.TrimPrefix(server.endpoint, "unix://"))
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	for _, identity := range []csi.IdentityClient{old, server.identity(t)} {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		_, err := identity.GetPluginInfo(ctx, &csi.GetPluginInfoRequest{})
		wantCode(t, codes.DeadlineExceeded, err, "")
		cancel()
	}
	end()
	require.NoError(t, second(old.GetPluginInfo(t.Context(), &csi.GetPluginInfoRequest{})))
}

// TestMuteDriverEnds leaves a question open: the end of the test ends the driver, or fails after 10 s.
func TestMuteDriverEnds(t *testing.T) {
	server := startBind(t)
	server.fault(t, driver.FaultMute, "")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := server.identity(t).GetPluginInfo(ctx, &csi.GetPluginInfoRequest{})
	wantCode(t, codes.DeadlineExceeded, err, "")
}

func TestSlowFault(t *testing.T) {
	server := startBind(t)
	defer server.fault(t, "slow=0.3", "")()
	began := time.Now()
	require.NoError(t, second(server.identity(t).GetPluginInfo(t.Context(), &csi.GetPluginInfoRequest{})))
	if took := time.Since(began); took < 300*time.Millisecond {
		t.Errorf("took %v", took)
	}
}

func TestRecordHoldsWholeRequests(t *testing.T) {
	server := startBind(t)
	request := server.volume("volume").publish()
	request.Secrets = map[string]string{"secretAccessKey": "seen"}
	request.VolumeContext = map[string]string{"key": "value"}
	require.NoError(t, second(server.node(t).NodePublishVolume(t.Context(), request)))
	request.TargetPath = ""
	_, err := server.node(t).NodePublishVolume(t.Context(), request)
	wantCode(t, codes.InvalidArgument, err, "target_path")

	calls := server.calls(t)
	if len(calls) != 2 || calls[0].Code != "OK" || calls[1].Code != "InvalidArgument" ||
		calls[0].Method != "NodePublishVolume" || !strings.Contains(calls[1].Message, "target_path") {
		t.Fatalf("recorded %+v", calls)
	}
	var recorded struct {
		VolumeID      string            `json:"volumeId"`
		Secrets       map[string]string `json:"secrets"`
		VolumeContext map[string]string `json:"volumeContext"`
	}
	require.NoError(t, json.Unmarshal(calls[0].Request, &recorded))
	if recorded.VolumeID != "volume" || recorded.Secrets["secretAccessKey"] != "seen" || recorded.VolumeContext["key"] != "value" {
		t.Errorf("recorded request %s", calls[0].Request)
	}
}

func TestBlockVolumesAreRefused(t *testing.T) {
	server := startBind(t)
	request := server.volume("volume").publish()
	request.VolumeCapability.AccessType = &csi.VolumeCapability_Block{Block: &csi.VolumeCapability_BlockVolume{}}
	_, err := server.node(t).NodePublishVolume(t.Context(), request)
	wantCode(t, codes.InvalidArgument, err, "block")
}

func TestConfigNamesTheMissingFlag(t *testing.T) {
	for want, config := range map[string]driver.Config{
		"--driver-name": {NodeID: "node-1"},
		"--node-id":     {Name: "bind.csi.test"},
	} {
		if err := config.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %s, got %v", want, err)
		}
	}
	if err := (driver.Topology{}).Set("zone"); err == nil {
		t.Error("a topology without a value was accepted")
	}
	if err := driver.Serve(t.Context(), "tcp://127.0.0.1:1", driver.Control{}, nil); err == nil {
		t.Error("an endpoint that is no socket was accepted")
	}
}

func wantLayers(t *testing.T, path string, want int) {
	t.Helper()
	if layers, err := mount.Layers(path); err != nil || layers != want {
		t.Errorf("%d layers on %s (%v), want %d", layers, path, err, want)
	}
}

func wantOptions(t *testing.T, path string, want ...string) {
	t.Helper()
	found, err := mountinfo.GetMounts(mountinfo.SingleEntryFilter(path))
	require.NoError(t, err)
	if len(found) != 1 {
		t.Fatalf("%d mounts on %s", len(found), path)
	}
	for _, option := range want {
		if !strings.Contains(","+found[0].Options+",", ","+option+",") {
			t.Errorf("options %s lack %s", found[0].Options, option)
		}
	}
}

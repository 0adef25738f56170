package driver_test

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"kubectl-csi/driver/internal/driver"
	"kubectl-csi/driver/internal/mount"
	"kubectl-csi/driver/internal/volume"
)

// volumeAt are the requests about one volume, staged and published in the driver's folder.
type volumeAt struct {
	id, staging, target string
	capability          *csi.VolumeCapability
}

func (s served) volume(id string) volumeAt {
	return volumeAt{id, filepath.Join(s.dir, id, "globalmount"), filepath.Join(s.dir, id, "mount"), writer(nil)}
}

func writer(options []string) *csi.VolumeCapability {
	return &csi.VolumeCapability{
		AccessType: &csi.VolumeCapability_Mount{Mount: &csi.VolumeCapability_MountVolume{MountFlags: options}},
		AccessMode: &csi.VolumeCapability_AccessMode{Mode: csi.VolumeCapability_AccessMode_MULTI_NODE_MULTI_WRITER},
	}
}

func (v volumeAt) stage() *csi.NodeStageVolumeRequest {
	return &csi.NodeStageVolumeRequest{VolumeId: v.id, StagingTargetPath: v.staging, VolumeCapability: v.capability}
}

func (v volumeAt) publish() *csi.NodePublishVolumeRequest {
	return &csi.NodePublishVolumeRequest{
		VolumeId: v.id, StagingTargetPath: v.staging, TargetPath: v.target, VolumeCapability: v.capability,
	}
}

func startFuse(t *testing.T, config driver.Config) served {
	needRoot(t)
	config.Name, config.NodeID = "fuse.csi.test", "node-1"
	return start(t, config, volume.Fuse{Backend: "dir=" + t.TempDir(), Daemon: daemon})
}

func TestPublishReadOnlyWithOptions(t *testing.T) {
	server := startFuse(t, driver.Config{Staging: true, Naive: true})
	node, v := server.node(t), server.volume("volume")
	require.NoError(t, second(node.NodeStageVolume(t.Context(), v.stage())))
	request := v.publish()
	request.Readonly = true
	request.VolumeCapability = writer([]string{"noexec", "noatime"})
	require.NoError(t, second(node.NodePublishVolume(t.Context(), request)))

	require.NoError(t, os.WriteFile(filepath.Join(v.staging, "file"), []byte("x"), 0o644))
	if data, err := os.ReadFile(filepath.Join(v.target, "file")); err != nil || string(data) != "x" {
		t.Errorf("read %q (%v)", data, err)
	}
	require.ErrorIs(t, os.WriteFile(filepath.Join(v.target, "file"), nil, 0o644), syscall.EROFS)
	wantOptions(t, v.target, "ro", "noexec", "noatime", "nosuid", "nodev")

	request = server.volume("volume").publish()
	request.TargetPath += "-2"
	request.VolumeCapability = writer([]string{"vers=3"})
	_, err := node.NodePublishVolume(t.Context(), request)
	wantCode(t, codes.Internal, err, "vers=3")
	wantLayers(t, request.TargetPath, 0)
}

func TestDeadMount(t *testing.T) {
	for name, c := range map[string]struct {
		config driver.Config
		heals  bool
	}{
		"a naive driver leaves it":      {driver.Config{Staging: true, Naive: true, Restage: true}, false},
		"a careful driver replaces it":  {driver.Config{Staging: true, Restage: true}, true},
		"so does one without a staging": {driver.Config{}, true},
	} {
		t.Run(name, func(t *testing.T) {
			server := startFuse(t, c.config)
			node, v := server.node(t), server.volume("volume")
			require.NoError(t, second(node.NodePublishVolume(t.Context(), v.publish())))
			require.NoError(t, os.WriteFile(filepath.Join(v.target, "file"), []byte("before"), 0o644))
			killDaemon(t, v.id)
			require.ErrorIs(t, statfs(v.target), syscall.ENOTCONN)

			require.NoError(t, second(node.NodePublishVolume(t.Context(), v.publish())))
			if !c.heals {
				require.ErrorIs(t, statfs(v.target), syscall.ENOTCONN)
				require.NoError(t, mount.DetachAll(v.target))
				require.NoError(t, mount.DetachAll(v.staging))
				require.NoError(t, second(node.NodePublishVolume(t.Context(), v.publish())))
			}
			if data, err := os.ReadFile(filepath.Join(v.target, "file")); err != nil || string(data) != "before" {
				t.Errorf("afterwards: %q (%v)", data, err)
			}
			wantLayers(t, v.target, 1)
		})
	}
}

func TestUnpublishAndUnstageOverDeadMountsAndTwice(t *testing.T) {
	server := startFuse(t, driver.Config{Staging: true, Naive: true, Restage: true})
	node, v := server.node(t), server.volume("volume")
	require.NoError(t, second(node.NodePublishVolume(t.Context(), v.publish())))
	killDaemon(t, v.id)
	for range 2 {
		require.NoError(t, second(node.NodeUnpublishVolume(t.Context(),
			&csi.NodeUnpublishVolumeRequest{VolumeId: v.id, TargetPath: v.target})))
		require.NoError(t, second(node.NodeUnstageVolume(t.Context(),
			&csi.NodeUnstageVolumeRequest{VolumeId: v.id, StagingTargetPath: v.staging})))
	}
	require.ErrorIs(t, statfs(v.target), syscall.ENOENT)
	wantLayers(t, v.staging, 0)
}

func TestPublishWithoutStageIsRefusedWhereAsked(t *testing.T) {
	server := startFuse(t, driver.Config{Staging: true, Naive: true, Restage: false})
	_, err := server.node(t).NodePublishVolume(t.Context(), server.volume("volume").publish())
	wantCode(t, codes.FailedPrecondition, err, "not staged")
}

func TestInlineVolumeIsNotStaged(t *testing.T) {
	server := startFuse(t, driver.Config{Staging: true, Naive: true})
	v := server.volume("csi-inline")
	request := v.publish()
	request.StagingTargetPath = ""
	request.VolumeContext = map[string]string{"csi.storage.k8s.io/ephemeral": "true"}
	require.NoError(t, second(server.node(t).NodePublishVolume(t.Context(), request)))
	wantLayers(t, v.target, 1)
}

func TestVolumeMountGroupAndAttributes(t *testing.T) {
	server := startFuse(t, driver.Config{VolumeMountGroup: true})
	v := server.volume("volume")
	v.capability.GetMount().VolumeMountGroup = "4321"
	request := v.publish()
	request.VolumeContext = map[string]string{"readOnly": "true", "storage.kubernetes.io/csiProvisionerIdentity": "x"}
	require.NoError(t, second(server.node(t).NodePublishVolume(t.Context(), request)))
	info, err := os.Stat(v.target)
	require.NoError(t, err)
	if gid := info.Sys().(*syscall.Stat_t).Gid; gid != 4321 {
		t.Errorf("gid %d", gid)
	}
	require.ErrorIs(t, os.WriteFile(filepath.Join(v.target, "file"), nil, 0o644), syscall.EROFS)
}

func TestDaemonThatCannotStartIsAnError(t *testing.T) {
	server := startFuse(t, driver.Config{})
	v := server.volume("volume")
	request := v.publish()
	request.VolumeContext = map[string]string{"attrTimeout": "soon"}
	began := time.Now()
	_, err := server.node(t).NodePublishVolume(t.Context(), request)
	wantCode(t, codes.Internal, err, "csi-fuse")
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
	for _, id := range []string{"../outside", "/absolute", "."} {
		request := server.volume("volume").publish()
		request.VolumeId = id
		_, err := server.node(t).NodePublishVolume(t.Context(), request)
		wantCode(t, codes.Internal, err, "relative path")
	}
}

func TestPublishesAtOnceShareOneDaemon(t *testing.T) {
	server := startFuse(t, driver.Config{Staging: true, Naive: true, Restage: true})
	node, v := server.node(t), server.volume("volume")
	results := make(chan error)
	for n := range 8 {
		request := v.publish()
		request.TargetPath = fmt.Sprint(v.target, n)
		go func() { results <- second(node.NodePublishVolume(t.Context(), request)) }()
	}
	for range 8 {
		require.NoError(t, <-results)
	}
	wantLayers(t, v.staging, 1)
}

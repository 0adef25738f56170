package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"kubectl-csi/driver/internal/mount"
)

// TestDeathOfTheDriver is the incident that the whole project is about, with the real binaries over S3: the
// driver dies, its daemon with it, the mount is dead, publishing again says OK and repairs nothing.
func TestDeathOfTheDriver(t *testing.T) {
	bucket := s3mem.New()
	s3 := httptest.NewServer(gofakes3.New(bucket).Server())
	t.Cleanup(s3.Close)
	dir := t.TempDir()
	build(t, dir)
	target := filepath.Join(dir, "mount")
	t.Cleanup(func() { require.NoError(t, mount.DetachAll(target)) })
	request := &csi.NodePublishVolumeRequest{
		VolumeId: "handle", TargetPath: target, VolumeCapability: &csi.VolumeCapability{
			AccessType: &csi.VolumeCapability_Mount{Mount: &csi.VolumeCapability_MountVolume{}},
		},
		Secrets: map[string]string{"accessKeyID": "key", "secretAccessKey": "secret"},
	}

	driver := startDriver(t, dir, s3.URL)
	publish(t, dir, request)
	require.NoError(t, os.WriteFile(filepath.Join(target, "before"), []byte("before"), 0o644))
	wantObject(t, bucket, "handle/before", "before")
	require.NoError(t, driver.Process.Kill())
	_ = driver.Wait() // says that it was killed
	require.Eventually(t, func() bool { return mount.IsDead(target) }, 5*time.Second, 10*time.Millisecond, "the mount is dead")

	startDriver(t, dir, s3.URL)
	publish(t, dir, request)
	if _, err := os.ReadFile(filepath.Join(target, "before")); !errors.Is(err, syscall.ENOTCONN) {
		t.Errorf("want ENOTCONN after a naive publish, got %v", err)
	}
	require.NoError(t, mount.DetachAll(target))
	publish(t, dir, request)
	if data, err := os.ReadFile(filepath.Join(target, "before")); err != nil || string(data) != "before" {
		t.Errorf("read %q (%v)", data, err)
	}
	require.NoError(t, os.WriteFile(filepath.Join(target, "after"), []byte("after"), 0o644))
	wantObject(t, bucket, "handle/after", "after")
}

// TestTermination ends the driver as kubelet does: at once, with exit code 0.
func TestTermination(t *testing.T) {
	dir := t.TempDir()
	build(t, dir)
	driver := startDriver(t, dir, "http://127.0.0.1:1")
	require.NoError(t, driver.Process.Signal(syscall.SIGTERM))
	require.NoError(t, driver.Wait())
}

func TestUsage(t *testing.T) {
	for _, s := range []storage{{mode: "nfs"}, {mode: "fuse-s3"}} {
		if _, err := s.open(); err == nil {
			t.Errorf("%+v was accepted", s)
		}
	}
}

func build(t *testing.T, dir string) {
	t.Helper()
	command := exec.Command("go", "build", "-o", dir+"/", "../csi-driver", "../csi-fuse")
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
}

func startDriver(t *testing.T, dir, s3 string) *exec.Cmd {
	t.Helper()
	driver := exec.Command(filepath.Join(dir, "csi-driver"), "--driver-name=death.csi.test", "--node-id=node-1",
		"--endpoint=unix://"+dir+"/csi.sock", "--mode=fuse-s3", "--s3-endpoint="+s3)
	require.NoError(t, driver.Start())
	t.Cleanup(func() { _ = driver.Process.Kill() }) // an error: it has ended already
	require.Eventually(t, func() bool {
		conn, err := net.Dial("unix", filepath.Join(dir, "csi.sock"))
		return err == nil && conn.Close() == nil
	}, 5*time.Second, 10*time.Millisecond, "the driver listens")
	return driver
}

func publish(t *testing.T, dir string, request *csi.NodePublishVolumeRequest) {
	t.Helper()
	conn, err := grpc.NewClient(fmt.Sprintf("unix://%s/csi.sock", dir), grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer conn.Close()
	_, err = csi.NewNodeClient(conn).NodePublishVolume(t.Context(), request)
	require.NoError(t, err)
}

func wantObject(t *testing.T, bucket gofakes3.Backend, key, want string) {
	t.Helper()
	object, err := bucket.GetObject("csi", key, nil)
	require.NoError(t, err)
	defer object.Contents.Close()
	if data, err := io.ReadAll(object.Contents); err != nil || string(data) != want {
		t.Errorf("object %s is %q (%v), want %q", key, data, err, want)
	}
}

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
	t.Cleanup(func() { must(t, mount.DetachAll(target)) })
	request := &csi.NodePublishVolumeRequest{
		VolumeId: "handle", TargetPath: target, VolumeCapability: &csi.VolumeCapability{
			AccessType: &csi.VolumeCapability_Mount{Mount: &csi.VolumeCapability_MountVolume{}},
		},
		Secrets: map[string]string{"accessKeyID": "key", "secretAccessKey": "secret"},
	}

	driver := startDriver(t, dir, s3.URL)
	publish(t, dir, request)
	must(t, os.WriteFile(filepath.Join(target, "before"), []byte("before"), 0o644))
	wantObject(t, bucket, "handle/before", "before")
	must(t, driver.Process.Kill())
	_ = driver.Wait() // says that it was killed
	eventually(t, "the mount is dead", func() bool { return mount.IsDead(target) })

	startDriver(t, dir, s3.URL)
	publish(t, dir, request)
	if _, err := os.ReadFile(filepath.Join(target, "before")); !errors.Is(err, syscall.ENOTCONN) {
		t.Errorf("want ENOTCONN after a naive publish, got %v", err)
	}
	must(t, mount.DetachAll(target))
	publish(t, dir, request)
	if data, err := os.ReadFile(filepath.Join(target, "before")); err != nil || string(data) != "before" {
		t.Errorf("read %q (%v)", data, err)
	}
	must(t, os.WriteFile(filepath.Join(target, "after"), []byte("after"), 0o644))
	wantObject(t, bucket, "handle/after", "after")
}

// TestTermination ends the driver as kubelet does: at once, with exit code 0.
func TestTermination(t *testing.T) {
	dir := t.TempDir()
	build(t, dir)
	driver := startDriver(t, dir, "http://127.0.0.1:1")
	must(t, driver.Process.Signal(syscall.SIGTERM))
	must(t, driver.Wait())
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
	must(t, driver.Start())
	t.Cleanup(func() { _ = driver.Process.Kill() }) // an error: it has ended already
	eventually(t, "the driver listens", func() bool {
		conn, err := net.Dial("unix", filepath.Join(dir, "csi.sock"))
		return err == nil && conn.Close() == nil
	})
	return driver
}

func publish(t *testing.T, dir string, request *csi.NodePublishVolumeRequest) {
	t.Helper()
	conn, err := grpc.NewClient(fmt.Sprintf("unix://%s/csi.sock", dir), grpc.WithTransportCredentials(insecure.NewCredentials()))
	must(t, err)
	defer conn.Close()
	_, err = csi.NewNodeClient(conn).NodePublishVolume(t.Context(), request)
	must(t, err)
}

func wantObject(t *testing.T, bucket gofakes3.Backend, key, want string) {
	t.Helper()
	object, err := bucket.GetObject("csi", key, nil)
	must(t, err)
	defer object.Contents.Close()
	if data, err := io.ReadAll(object.Contents); err != nil || string(data) != want {
		t.Errorf("object %s is %q (%v), want %q", key, data, err, want)
	}
}

func eventually(t *testing.T, what string, true func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if true() {
			return
		}
	}
	t.Fatalf("not within 5s: %s", what)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

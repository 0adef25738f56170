package main

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	registration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"

	"kubectl-csi/driver/internal/driver"
	"kubectl-csi/driver/internal/volume"
)

const name = "test.csi.test"

// running is a registrar beside a driver.
type running struct {
	socket string
	stop   context.CancelFunc
	ended  chan error
}

func startRegistrar(t *testing.T, change func(*options)) running {
	t.Helper()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	dir := t.TempDir()
	o := options{
		csiAddress:       filepath.Join(dir, "csi.sock"),
		registrationPath: "/var/lib/kubelet/plugins/" + name + "/csi.sock",
		registrationDir:  dir,
		versions:         "1.0.0",
		timeout:          time.Second,
	}
	if change != nil {
		change(&o)
	}
	ctx, stop := context.WithCancel(t.Context())
	r := running{filepath.Join(dir, name+"-reg.sock"), stop, make(chan error, 1)}
	go func() { r.ended <- run(ctx, o) }()
	go serveDriver(ctx, o.csiAddress)
	return r
}

// serveDriver begins late, so that the registrar has to wait.
func serveDriver(ctx context.Context, socket string) {
	time.Sleep(300 * time.Millisecond)
	config := driver.Config{Name: name, NodeID: "node-1"}
	recorder, _ := driver.NewRecorder("", config)
	server := driver.NewServer(config, volume.NewNone("/nonexistent"), driver.Control{}, recorder)
	_ = driver.Serve(ctx, "unix://"+socket, driver.Control{}, server)
}

// kubelet dials the registration socket as kubelet does.
func kubelet(t *testing.T, socket string) registration.RegistrationClient {
	t.Helper()
	require.Eventually(t, func() bool {
		conn, err := net.Dial("unix", socket)
		return err == nil && conn.Close() == nil
	}, 5*time.Second, 10*time.Millisecond, socket+" answers")
	conn, err := grpc.NewClient("unix://"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return registration.NewRegistrationClient(conn)
}

func TestRegistersAndTakesItsSocketAway(t *testing.T) {
	r := startRegistrar(t, nil)
	info, err := kubelet(t, r.socket).GetInfo(t.Context(), &registration.InfoRequest{})
	require.NoError(t, err)
	if info.Type != "CSIPlugin" || info.Name != name || !strings.HasSuffix(info.Endpoint, "/csi.sock") ||
		!slices.Equal(info.SupportedVersions, []string{"1.0.0"}) {
		t.Errorf("info %v", info)
	}
	file, err := os.Stat(r.socket)
	require.NoError(t, err)
	if mode := file.Mode().Perm(); mode != 0o700 {
		t.Errorf("socket mode %o", mode)
	}
	r.stop()
	require.NoError(t, <-r.ended)
	if _, err := os.Lstat(r.socket); err == nil {
		t.Error("the socket is still there")
	}
}

func TestRefusalEndsItAndLeavesTheSocket(t *testing.T) {
	r := startRegistrar(t, nil)
	client := kubelet(t, r.socket)
	good := &registration.RegistrationStatus{PluginRegistered: true}
	_, err := client.NotifyRegistrationStatus(t.Context(), good)
	require.NoError(t, err)
	// It ends while it answers, so the answer may be lost.
	_, _ = client.NotifyRegistrationStatus(t.Context(), &registration.RegistrationStatus{Error: "no such node"})
	if err := <-r.ended; err == nil || !strings.Contains(err.Error(), "no such node") {
		t.Errorf("ended with %v", err)
	}
	if _, err := os.Lstat(r.socket); err != nil {
		t.Error(err)
	}
}

func TestStaleSocketIsReplacedButNoOtherFile(t *testing.T) {
	stale := func(o *options) {
		listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(o.registrationDir, name+"-reg.sock")})
		require.NoError(t, err)
		listener.SetUnlinkOnClose(false)
		require.NoError(t, listener.Close())
	}
	r := startRegistrar(t, stale)
	_, err := kubelet(t, r.socket).GetInfo(t.Context(), &registration.InfoRequest{})
	require.NoError(t, err)

	r = startRegistrar(t, func(o *options) {
		require.NoError(t, os.WriteFile(filepath.Join(o.registrationDir, name+"-reg.sock"), nil, 0o644))
	})
	if err := <-r.ended; err == nil || !strings.Contains(err.Error(), "not a socket") {
		t.Errorf("ended with %v", err)
	}
}

func TestIncidentFlags(t *testing.T) {
	r := startRegistrar(t, func(o *options) { o.versions, o.socketName = "v0.3.0", "odd.sock" })
	socket := filepath.Join(filepath.Dir(r.socket), "odd.sock")
	info, err := kubelet(t, socket).GetInfo(t.Context(), &registration.InfoRequest{})
	require.NoError(t, err)
	if !slices.Equal(info.SupportedVersions, []string{"v0.3.0"}) {
		t.Errorf("versions %v", info.SupportedVersions)
	}
}

func TestHealthAsksForTheSocketFileOnly(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	r := startRegistrar(t, func(o *options) { o.httpEndpoint = address })
	kubelet(t, r.socket)
	wantHealth(t, address, http.StatusOK)
	require.NoError(t, os.Remove(r.socket))
	wantHealth(t, address, http.StatusInternalServerError)
}

func TestMissingPathNamesItsFlag(t *testing.T) {
	if err := run(t.Context(), options{}); err == nil || !strings.Contains(err.Error(), "--kubelet-registration-path") {
		t.Errorf("got %v", err)
	}
}

func wantHealth(t *testing.T, address string, want int) {
	t.Helper()
	answer, err := http.Get("http://" + address + "/healthz")
	require.NoError(t, err)
	defer answer.Body.Close()
	if answer.StatusCode != want {
		t.Errorf("status %d, want %d", answer.StatusCode, want)
	}
}

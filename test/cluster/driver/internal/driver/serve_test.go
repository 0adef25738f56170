package driver_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"github.com/moby/sys/mountinfo"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"kubectl-csi/driver/internal/driver"
	"kubectl-csi/driver/internal/mount"
	"kubectl-csi/driver/internal/volume"
)

// served is a driver that answers until its test ends.
type served struct {
	dir      string // holds all that follows
	endpoint string
	control  string
	record   string
}

func start(t *testing.T, config driver.Config, source volume.Source) served {
	t.Helper()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	dir := t.TempDir()
	t.Cleanup(func() { detachBelow(t, dir) })
	server := served{dir, "unix://" + filepath.Join(dir, "csi.sock"), filepath.Join(dir, "control"), filepath.Join(dir, "calls")}
	require.NoError(t, os.Mkdir(server.control, 0o755))
	recorder, err := driver.NewRecorder(server.record, config)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	control := driver.Control{Dir: server.control}
	go func() {
		ended <- driver.Serve(ctx, server.endpoint, control, driver.NewServer(config, source, control, recorder))
	}()
	t.Cleanup(func() {
		stop()
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(10 * time.Second):
			t.Error("the driver does not stop")
		}
	})
	require.Eventually(t, func() bool {
		conn, err := net.Dial("unix", strings.TrimPrefix(server.endpoint, "unix://"))
		return err == nil && conn.Close() == nil
	}, 5*time.Second, 10*time.Millisecond, "the driver listens")
	return server
}

func (s served) dial(t *testing.T) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(s.endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

func (s served) node(t *testing.T) csi.NodeClient         { return csi.NewNodeClient(s.dial(t)) }
func (s served) identity(t *testing.T) csi.IdentityClient { return csi.NewIdentityClient(s.dial(t)) }

// fault switches a fault on and returns what switches it off again.
func (s served) fault(t *testing.T, name, text string) (end func()) {
	t.Helper()
	path := filepath.Join(s.control, name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return func() { require.NoError(t, os.Remove(path)) }
}

// calls reads the record.
func (s served) calls(t *testing.T) []driver.Call {
	t.Helper()
	text, err := os.ReadFile(s.record)
	require.NoError(t, err)
	var calls []driver.Call
	for line := range strings.Lines(string(text)) {
		var call driver.Call
		require.NoError(t, json.Unmarshal([]byte(line), &call))
		calls = append(calls, call)
	}
	return calls
}

// detachBelow takes away what a failed test has left mounted; its daemons end with their mounts.
func detachBelow(t *testing.T, dir string) {
	left, err := mountinfo.GetMounts(mountinfo.PrefixFilter(dir))
	require.NoError(t, err)
	for _, each := range left {
		require.NoError(t, mount.DetachAll(each.Mountpoint))
	}
}

// daemon is a csi-fuse that TestMain has compiled.
var daemon string

func TestMain(m *testing.M) {
	os.Exit(withDaemon(m.Run))
}

func withDaemon(run func() int) int {
	dir, err := os.MkdirTemp("", "csi-fuse-*")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	daemon = filepath.Join(dir, "csi-fuse")
	build := exec.Command("go", "build", "-o", daemon, "kubectl-csi/driver/cmd/csi-fuse")
	if output, err := build.CombinedOutput(); err != nil {
		panic(string(output))
	}
	return run()
}

func needRoot(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Fatal("mounting needs root: run go test as root")
	}
}

package driver_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/kubernetes-csi/csi-test/v5/pkg/sanity"

	"kubectl-csi/driver/internal/driver"
	"kubectl-csi/driver/internal/mount"
	"kubectl-csi/driver/internal/volume"
)

// classes are the kinds of driver that the flags can make.
var classes = map[string]driver.Config{
	"plain":   {Naive: true},
	"staging": {Naive: true, Staging: true, Restage: true},
	"everything": {
		Staging: true, VolumeMountGroup: true, SingleNodeMultiWriter: true, Attach: true,
		Topology: map[string]string{"topology.csi.test/zone": "a"},
	},
}

func TestSanityBind(t *testing.T) {
	for class, config := range classes {
		t.Run(class, func(t *testing.T) {
			config.Name, config.NodeID = "bind.csi.test", "node-1"
			checkSanity(t, config, volume.Directory{Path: filepath.Join(t.TempDir(), "data")})
		})
	}
}

// checkSanity serves the driver and runs the whole of csi-sanity against it.
func checkSanity(t *testing.T, config driver.Config, source volume.Source) {
	needRoot(t)
	dir := t.TempDir()
	endpoint := "unix://" + filepath.Join(dir, "csi.sock")
	start(t, endpoint, config, source, driver.Control{})

	check := sanity.NewTestConfig()
	check.Address = endpoint
	check.TargetPath = filepath.Join(dir, "target")
	check.StagingPath = filepath.Join(dir, "staging")
	check.RemoveTargetPath = mount.Remove
	check.RemoveStagingPath = mount.Remove
	check.DialOptions = dialOptions
	check.ControllerDialOptions = dialOptions
	sanity.Test(t, check)
}

// start serves the driver until the test ends.
func start(t *testing.T, endpoint string, config driver.Config, source volume.Source, control driver.Control) string {
	record := filepath.Join(t.TempDir(), "calls.jsonl")
	recorder, err := driver.NewRecorder(record, config)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- driver.Serve(ctx, endpoint, control, driver.NewServer(config, source, control, recorder))
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
	return record
}

func needRoot(t *testing.T) {
	if os.Getuid() != 0 {
		t.Fatal("mounting needs root: run go test as root")
	}
}

package driver_test

import (
	"path/filepath"
	"testing"

	"github.com/kubernetes-csi/csi-test/v5/pkg/sanity"
	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

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

// TestSanity runs the whole of csi-sanity on every class, over bind mounts and over FUSE.
func TestSanity(t *testing.T) {
	needRoot(t)
	dir := t.TempDir()
	for class, config := range classes {
		describe(t, "bind, "+class, config, volume.Directory{Path: filepath.Join(dir, "bind", class)})
		fuse := volume.Fuse{Backend: "dir=" + filepath.Join(dir, "fuse", class), Daemon: daemon}
		describe(t, "fuse, "+class, config, fuse)
	}
	gomega.RegisterFailHandler(ginkgo.Fail)
	suite, reporter := ginkgo.GinkgoConfiguration()
	reporter.Succinct, reporter.NoColor = true, true
	ginkgo.RunSpecs(t, "csi-sanity", suite, reporter)
}

// describe serves a driver and registers the specs that ask it. (Ginkgo runs only one suite a process.)
func describe(t *testing.T, title string, config driver.Config, source volume.Source) {
	config.Name, config.NodeID = "sanity.csi.test", "node-1"
	server := start(t, config, source)
	check := sanity.NewTestConfig()
	check.Address = server.endpoint
	check.TargetPath = filepath.Join(server.dir, "target")
	check.StagingPath = filepath.Join(server.dir, "staging")
	check.RemoveTargetPath = mount.Remove
	check.RemoveStagingPath = mount.Remove
	ginkgo.Describe(title, func() { sanity.GinkgoTest(&check) })
}

// Package driver is a CSI driver whose class and faults are chosen by flags and control files.
package driver

import (
	"errors"
	"fmt"
	"strings"
)

// Version is what GetPluginInfo reports.
const Version = "1.0.0"

// Config makes the driver one class of CSI driver or another.
type Config struct {
	Name   string // as in the CSIDriver object
	NodeID string

	Staging               bool // STAGE_UNSTAGE_VOLUME
	VolumeMountGroup      bool // VOLUME_MOUNT_GROUP
	SingleNodeMultiWriter bool // SINGLE_NODE_MULTI_WRITER
	Attach                bool // PUBLISH_UNPUBLISH_VOLUME

	// Naive takes any mount on a target for a good one, as most FUSE drivers do: NodePublishVolume over a
	// dead mount answers OK and repairs nothing.
	Naive bool
	// Restage lets NodePublishVolume stage a volume whose staging path is bare, as k8s-csi-s3 does.
	Restage bool

	MaxVolumes int64 // that the scheduler places on the node; 0 is any number

	Topology map[string]string // accessible topology of the node
}

// Check returns what is missing or wrong, with the flag to type.
func (c Config) Check() error {
	switch {
	case c.Name == "":
		return errors.New("--driver-name is missing, e.g. --driver-name fuse.csi.test")
	case c.NodeID == "":
		return errors.New("--node-id is missing, e.g. --node-id $(NODE_NAME)")
	}
	return nil
}

// Topology is a repeatable KEY=VALUE flag.
type Topology map[string]string

func (t Topology) String() string { return fmt.Sprint(map[string]string(t)) }

// Set adds one KEY=VALUE.
func (t Topology) Set(text string) error {
	key, value, found := strings.Cut(text, "=")
	if !found || key == "" {
		return fmt.Errorf("want KEY=VALUE, not %q", text)
	}
	t[key] = value
	return nil
}

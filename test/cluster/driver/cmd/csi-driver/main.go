// csi-driver is a CSI driver for tests: see ../../README.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"kubectl-csi/driver/internal/driver"
)

type options struct {
	driver.Config
	storage  storage
	endpoint string
	control  string
	record   string
}

func main() {
	slog.SetDefault(slog.New(slog.NewJSONHandler(os.Stdout, nil)))
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := run(ctx, parse()); err != nil {
		fmt.Fprintln(os.Stderr, "csi-driver:", err)
		os.Exit(1)
	}
}

func parse() options {
	o := options{Config: driver.Config{Topology: driver.Topology{}}}
	flag.StringVar(&o.endpoint, "endpoint", "unix:///csi/csi.sock", "socket to listen on")
	flag.StringVar(&o.Name, "driver-name", "", "name of the CSIDriver")
	flag.StringVar(&o.NodeID, "node-id", "", "name of the node")
	flag.BoolVar(&o.Staging, "staging", false, "offer STAGE_UNSTAGE_VOLUME")
	flag.BoolVar(&o.VolumeMountGroup, "volume-mount-group", false, "offer VOLUME_MOUNT_GROUP")
	flag.BoolVar(&o.SingleNodeMultiWriter, "single-node-multi-writer", false, "offer SINGLE_NODE_MULTI_WRITER")
	flag.BoolVar(&o.Attach, "attach", false, "offer PUBLISH_UNPUBLISH_VOLUME")
	flag.BoolVar(&o.Naive, "naive", true, "take a dead mount on a target for a good one")
	flag.BoolVar(&o.Restage, "restage", true, "let NodePublishVolume stage a volume that is not staged")
	flag.Int64Var(&o.MaxVolumes, "max-volumes", 0, "volumes that the node takes; 0 is any number")
	flag.Var(driver.Topology(o.Topology), "topology", "KEY=VALUE of the node's accessible topology (repeatable)")
	flag.StringVar(&o.control, "control", "", "directory whose files switch faults on")
	flag.StringVar(&o.record, "record", "", "file, or directory, for every request as a JSON line, with its secrets")
	o.storage.flags()
	flag.Parse()
	return o
}

func run(ctx context.Context, o options) error {
	if err := o.Check(); err != nil {
		return err
	}
	source, err := o.storage.open()
	if err != nil {
		return err
	}
	recorder, err := driver.NewRecorder(o.record, o.Config)
	if err != nil {
		return err
	}
	control := driver.Control{Dir: o.control}
	return driver.Serve(ctx, o.endpoint, control, driver.NewServer(o.Config, source, control, recorder))
}

package driver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc"

	"kubectl-csi/driver/internal/volume"
)

// NewServer is a gRPC server with the driver's services, its record and its faults.
func NewServer(config Config, source volume.Source, control Control, recorder *Recorder) *grpc.Server {
	server := grpc.NewServer(grpc.UnaryInterceptor(intercept(control, recorder)))
	csi.RegisterIdentityServer(server, &identity{config: config, control: control})
	csi.RegisterControllerServer(server, newController(config, source))
	csi.RegisterNodeServer(server, &node{config: config, source: source, control: control})
	return server
}

// Serve listens on a unix:// endpoint, after removing a socket that an earlier run left, until ctx ends.
func Serve(ctx context.Context, endpoint string, control Control, server *grpc.Server) error {
	path, found := strings.CutPrefix(endpoint, "unix://")
	if !found || !filepath.IsAbs(path) {
		return fmt.Errorf("--endpoint %q is not a unix socket, e.g. --endpoint unix:///csi/csi.sock", endpoint)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, server.Stop)()
	slog.Info("listening", "endpoint", endpoint)
	return server.Serve(muteListener{listener, control, ctx.Err})
}

func intercept(control Control, recorder *Recorder) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, request any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		began := time.Now()
		var answer any
		failure := control.Wait(ctx)
		if failure == nil {
			answer, failure = next(ctx, request)
		}
		if err := recorder.Add(began, info.FullMethod, request, failure); err != nil {
			return nil, fmt.Errorf("recording the call: %w", err)
		}
		return answer, failure
	}
}

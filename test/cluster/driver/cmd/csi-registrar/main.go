// csi-registrar tells kubelet of a CSI driver, as node-driver-registrar does: see ../../README.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	registration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

const healthTimeout = 5 * time.Second // to read a request of /healthz

type options struct {
	csiAddress       string
	registrationPath string
	registrationDir  string
	socketName       string
	versions         string
	httpEndpoint     string
	timeout          time.Duration
}

func main() {
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stdout, nil)))
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := run(ctx, parse()); err != nil {
		fmt.Fprintln(os.Stderr, "csi-registrar:", err)
		os.Exit(1)
	}
}

func parse() options {
	var o options
	flag.StringVar(&o.csiAddress, "csi-address", "/csi/csi.sock", "socket of the CSI driver, as seen here")
	flag.StringVar(&o.registrationPath, "kubelet-registration-path", "", "socket of the CSI driver, as kubelet sees it")
	flag.StringVar(&o.registrationDir, "plugin-registration-path", "/registration", "kubelet's plugins_registry, as seen here")
	flag.StringVar(&o.socketName, "socket-name", "", "name of the registration socket (default DRIVER-reg.sock)")
	flag.StringVar(&o.versions, "versions", "1.0.0", "CSI versions to announce, comma-separated; v0.3.0 makes it a CSI v0 driver")
	flag.StringVar(&o.httpEndpoint, "http-endpoint", "", "address of /healthz, e.g. :9809 (default none)")
	flag.DurationVar(&o.timeout, "timeout", time.Second, "time limit of GetPluginInfo")
	flag.Parse()
	return o
}

func run(ctx context.Context, o options) error {
	if o.registrationPath == "" {
		return errors.New("--kubelet-registration-path is missing, " +
			"e.g. --kubelet-registration-path /var/lib/kubelet/plugins/NAME/csi.sock")
	}
	name, err := driverName(ctx, o)
	if err != nil {
		return err
	}
	if o.socketName == "" {
		o.socketName = name + "-reg.sock"
	}
	socket := filepath.Join(o.registrationDir, o.socketName)
	if o.httpEndpoint != "" {
		go serveHealth(o.httpEndpoint, socket)
	}
	return serve(ctx, socket, &registrar{
		info: &registration.PluginInfo{
			Type:              registration.CSIPlugin,
			Name:              name,
			Endpoint:          o.registrationPath,
			SupportedVersions: strings.Split(o.versions, ","),
		},
		failed: make(chan string, 1),
	})
}

// driverName waits for the driver's socket for as long as it takes, then asks the driver once.
func driverName(ctx context.Context, o options) (string, error) {
	slog.Info("connecting to the CSI driver", "address", o.csiAddress)
	conn, err := grpc.NewClient("unix://"+o.csiAddress, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return "", err
	}
	defer conn.Close()
	if err := awaitSocket(ctx, o.csiAddress); err != nil {
		return "", err
	}
	limited, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	info, err := csi.NewIdentityClient(conn).GetPluginInfo(limited, &csi.GetPluginInfoRequest{})
	if err != nil {
		return "", fmt.Errorf("asking the CSI driver for its name: %w", err)
	}
	if info.Name == "" {
		return "", errors.New("the CSI driver has no name")
	}
	slog.Info("CSI driver", "name", info.Name)
	return info.Name, nil
}

func awaitSocket(ctx context.Context, path string) error {
	for {
		conn, err := net.Dial("unix", path)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("still waiting for the CSI driver: %w", err)
		}
	}
}

// serve answers kubelet until ctx ends, and then takes its socket away; or until a registration failed: then
// the socket's file stays behind, as node-driver-registrar leaves it.
func serve(ctx context.Context, socket string, r *registrar) error {
	if err := removeStale(socket); err != nil {
		return err
	}
	// The socket must not be open to everyone even for a moment, so not chmod afterwards.
	before := syscall.Umask(0o077)
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	syscall.Umask(before)
	if err != nil {
		return err
	}
	listener.SetUnlinkOnClose(false)
	slog.Info("listening", "socket", socket)
	server := grpc.NewServer()
	registration.RegisterRegistrationServer(server, r)
	defer server.Stop()
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return os.Remove(socket)
	case reason := <-r.failed:
		return fmt.Errorf("kubelet refused the registration: %s", reason)
	}
}

// removeStale removes a socket that an earlier run left behind, and refuses to remove anything else.
func removeStale(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode().Type() != os.ModeSocket {
		return fmt.Errorf("%s is there and not a socket", path)
	}
	return os.Remove(path)
}

// serveHealth answers for the registration socket's file alone, as node-driver-registrar does.
func serveHealth(address, socket string) {
	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) {
		if _, err := os.Stat(socket); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	server := http.Server{Addr: address, Handler: mux, ReadHeaderTimeout: healthTimeout}
	slog.Error("health endpoint ended", "error", server.ListenAndServe())
	os.Exit(1)
}

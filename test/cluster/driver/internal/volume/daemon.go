package volume

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// readyTimeout bounds the start of a daemon, so that a store that does not answer is an error and not a hang.
const readyTimeout = 20 * time.Second

const readyFD = "3" // the first of exec.Cmd.ExtraFiles

// startDaemon runs csi-fuse as a child that dies with this process, and returns once its mount answers.
func startDaemon(ctx context.Context, path string, args, env []string) error {
	reader, writer, err := os.Pipe()
	if err != nil {
		return err
	}
	defer reader.Close()
	daemon := exec.Command(path, append([]string{"--ready-fd=" + readyFD}, args...)...)
	daemon.Env = env
	daemon.Stdout, daemon.Stderr = os.Stdout, os.Stderr
	daemon.ExtraFiles = []*os.File{writer}
	daemon.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started := make(chan error, 1)
	go supervise(daemon, started)
	err = <-started
	writer.Close() // the daemon has its own: when that closes without a word, it has failed
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	if err := awaitReady(ctx, reader); err != nil {
		return errors.Join(fmt.Errorf("csi-fuse: %w (its log has the reason)", err), daemon.Process.Kill())
	}
	return nil
}

// supervise starts a child and reaps it. The parent death signal comes when the starting thread ends, not the
// process (prctl(2)), so that thread is kept until the child has ended.
func supervise(daemon *exec.Cmd, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := daemon.Start()
	started <- err
	if err != nil {
		return
	}
	slog.Info("daemon started", "pid", daemon.Process.Pid, "args", daemon.Args)
	slog.Info("daemon ended", "pid", daemon.Process.Pid, "result", fmt.Sprint(daemon.Wait()))
}

func awaitReady(ctx context.Context, reader io.ReadCloser) error {
	defer context.AfterFunc(ctx, func() { reader.Close() })()
	line, err := bufio.NewReader(reader).ReadString('\n')
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, io.EOF):
		return errors.New("ended before its mount answered")
	case err != nil:
		return err
	case line != "ready\n":
		return fmt.Errorf("said %q", line)
	}
	return nil
}

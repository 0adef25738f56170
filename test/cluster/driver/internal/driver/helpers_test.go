package driver_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// killDaemon ends the daemon of a volume and waits until it is gone.
func killDaemon(t *testing.T, id string) {
	t.Helper()
	children, err := filepath.Glob("/proc/self/task/*/children")
	require.NoError(t, err)
	for _, file := range children {
		pids, _ := os.ReadFile(file)
		for _, pid := range strings.Fields(string(pids)) {
			line, _ := os.ReadFile("/proc/" + pid + "/cmdline")
			if strings.Contains(string(line), "csi-fuse") && strings.Contains(string(line), "/"+id+"\x00") {
				endProcess(t, pid)
				return
			}
		}
	}
	t.Fatalf("no daemon of %s", id)
}

func endProcess(t *testing.T, pid string) {
	t.Helper()
	var number int
	require.NoError(t, second(fmt.Sscan(pid, &number)))
	require.NoError(t, syscall.Kill(number, syscall.SIGKILL))
	require.Eventually(t, func() bool { return syscall.Kill(number, 0) != nil }, 5*time.Second, 10*time.Millisecond, "daemon "+pid+" ends")
}

func statfs(path string) error {
	var answer syscall.Statfs_t
	return syscall.Statfs(path, &answer)
}

func second[T any](_ T, err error) error { return err }

func wantCode(t *testing.T, want codes.Code, got error, words string) {
	t.Helper()
	if answer := status.Convert(got); answer.Code() != want || !strings.Contains(answer.Message(), words) {
		t.Errorf("want %v with %q, got %v", want, words, got)
	}
}

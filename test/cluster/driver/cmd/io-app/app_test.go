package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestModesWriteAndReadBack(t *testing.T) {
	dir := t.TempDir()
	for _, mode := range []string{"append", "files", "read", "rewrite"} {
		try := modes[mode](dir, "app")
		for n := 1; n <= 2; n++ {
			if op, err := try(n); err != nil {
				t.Errorf("%s: %s: %v", mode, op, err)
			}
		}
	}
	wantFile(t, filepath.Join(dir, "app.log"), "1\n2\n")
	wantFile(t, filepath.Join(dir, "app-2.txt"), "2\n")
}

func TestReadBackMissesALostLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte("1\n"), 0o644))
	if op, err := readBack(path, []byte("2\n")); err == nil || op != "compare" {
		t.Errorf("op %q, error %v", op, err)
	}
}

func TestMappingTellsSigbus(t *testing.T) {
	dir := t.TempDir()
	try, err := holdMapping(dir, "app")
	require.NoError(t, err)
	if _, err := try(1); err != nil {
		t.Error(err)
	}
	require.NoError(t, os.Truncate(filepath.Join(dir, "app.mmap"), 0)) // pages behind the end of a file are SIGBUS (mmap(2))
	if _, err := try(2); !errors.Is(err, unix.EFAULT) || errnoName(err) != "EFAULT" {
		t.Errorf("want EFAULT, got %v", err)
	}
}

func TestHungAttemptIsReportedAsStuck(t *testing.T) {
	release := make(chan struct{})
	hung := probe{"/hung", func(int) (string, error) { <-release; return "read", unix.ENOTCONN }}
	r := &report{attempts: make(chan Attempt)}
	go newRunner(hung, options{interval: time.Hour, stuck: 10 * time.Millisecond, count: 1}, r).run()
	if first := <-r.attempts; first.Errno != stuck || first.OK {
		t.Errorf("first report: %+v", first)
	}
	close(release)
	for last := range r.attempts {
		if last.Errno == "ENOTCONN" && last.Op == "read" && !last.OK {
			return
		}
	}
}

func TestBadOptions(t *testing.T) {
	good := options{paths: []string{"/a"}, interval: time.Second, every: 1, mode: "append"}
	require.NoError(t, good.check())
	for name, spoil := range map[string]func(*options){
		"no path":   func(o *options) { o.paths = nil },
		"too quick": func(o *options) { o.interval = time.Millisecond },
		"no lines":  func(o *options) { o.every = 0 },
	} {
		bad := good
		spoil(&bad)
		if bad.check() == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

func wantFile(t *testing.T, path, want string) {
	t.Helper()
	if data, err := os.ReadFile(path); err != nil || string(data) != want {
		t.Errorf("%s holds %q (%v), want %q", path, data, err, want)
	}
}

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// modes are the ways to use a volume that open everything anew each time.
var modes = map[string]func(dir, name string) attempt{
	"append":  appending,
	"files":   creating,
	"read":    reading,
	"rewrite": rewriting,
}

// appending adds a numbered line to DIR/NAME.log and reads it back.
func appending(dir, name string) attempt {
	path := filepath.Join(dir, name+".log")
	return func(n int) (string, error) {
		line := fmt.Appendf(nil, "%d\n", n)
		if op, err := write(path, line, os.O_APPEND); err != nil {
			return op, err
		}
		return readBack(path, line)
	}
}

// creating makes DIR/NAME-N.txt and reads it back.
func creating(dir, name string) attempt {
	return func(n int) (string, error) {
		path := filepath.Join(dir, fmt.Sprintf("%s-%d.txt", name, n))
		line := fmt.Appendf(nil, "%d\n", n)
		if op, err := write(path, line, os.O_TRUNC); err != nil {
			return op, err
		}
		return readBack(path, line)
	}
}

// rewriting writes DIR/NAME.txt anew and reads it back: it stays as short as it is, however long the test.
func rewriting(dir, name string) attempt {
	path := filepath.Join(dir, name+".txt")
	return func(n int) (string, error) {
		line := fmt.Appendf(nil, "%d\n", n)
		if op, err := write(path, line, os.O_TRUNC); err != nil {
			return op, err
		}
		return readBack(path, line)
	}
}

// reading only opens and reads DIR/NAME.log.
func reading(dir, name string) attempt {
	path := filepath.Join(dir, name+".log")
	return func(int) (string, error) { return readBack(path, nil) }
}

func write(path string, data []byte, flag int) (op string, err error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|flag, 0o644)
	if err != nil {
		return "open", err
	}
	if _, err := file.Write(data); err != nil {
		file.Close()
		return "write", err
	}
	return "close", file.Close()
}

// readBack reads the file, which must end in the given bytes.
func readBack(path string, end []byte) (op string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return "open", err
	}
	defer file.Close()
	data, err := io.ReadAll(file)
	if err != nil {
		return "read", err
	}
	if !bytes.HasSuffix(data, end) {
		return "compare", fmt.Errorf("%s is %q and does not end in %q", path, tail(data), strings.TrimSpace(string(end)))
	}
	return "read", nil
}

// tail is the end of what was read, for a person.
func tail(data []byte) string {
	return string(data[max(0, len(data)-32):])
}

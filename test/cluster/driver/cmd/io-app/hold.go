package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"

	"golang.org/x/sys/unix"
)

// holders are the ways to keep a hold on a volume that no new mount can mend.
var holders = map[string]func(dir, name string) (attempt, error){
	"fd":   holdDescriptor,
	"cwd":  holdDirectory,
	"mmap": holdMapping,
}

func holdDescriptor(dir, name string) (attempt, error) {
	file, err := os.OpenFile(filepath.Join(dir, name+".fd"), os.O_RDWR|os.O_CREATE, 0o644)
	return func(n int) (string, error) {
		if _, err := file.WriteAt(fmt.Appendf(nil, "%d\n", n), 0); err != nil {
			return "fd write", err
		}
		_, err := file.ReadAt(make([]byte, 1), 0)
		return "fd read", err
	}, err
}

func holdDirectory(dir, _ string) (attempt, error) {
	err := os.Chdir(dir)
	return func(int) (string, error) {
		entries, err := os.Open(".")
		if err != nil {
			return "cwd open", err
		}
		defer entries.Close()
		_, err = entries.Readdirnames(-1)
		return "cwd readdir", err
	}, err
}

// mappedPages is how many attempts can each touch a page that was never read before.
const mappedPages = 1024

func holdMapping(dir, name string) (attempt, error) {
	file, err := os.OpenFile(filepath.Join(dir, name+".mmap"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	size := os.Getpagesize()
	if err := file.Truncate(int64(size * mappedPages)); err != nil {
		return nil, err
	}
	pages, err := unix.Mmap(int(file.Fd()), 0, size*mappedPages, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	// Pages that the kernel has read ahead would go on answering when the file system is dead.
	err = unix.Madvise(pages, unix.MADV_RANDOM)
	return func(n int) (string, error) { return "mmap read", touch(pages, n%mappedPages*size) }, err
}

var touched byte // keeps the compiler from leaving the read away

// touch reads a byte of a mapping. A page that the file system can't give is SIGBUS, told as EFAULT.
func touch(pages []byte, offset int) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if fault := recover(); fault != nil {
			err = errors.Join(unix.EFAULT, fmt.Errorf("SIGBUS: %v", fault))
		}
	}()
	touched = pages[offset]
	return nil
}

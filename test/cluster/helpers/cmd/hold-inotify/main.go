// Command hold-inotify opens inotify instances and keeps them, so that its user has few left.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
)

func main() {
	if len(os.Args) != 2 {
		fail("say how many instances to hold: hold-inotify 124")
	}
	count, err := strconv.Atoi(os.Args[1])
	if err != nil {
		fail(err.Error())
	}
	for i := range count {
		if _, err := syscall.InotifyInit1(syscall.IN_CLOEXEC); err != nil {
			fail(fmt.Sprintf("instance %d: %v", i+1, err))
		}
	}
	fmt.Printf("holding %d\n", count)
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM, syscall.SIGINT)
	<-ended
}

func fail(message string) {
	fmt.Fprintln(os.Stderr, "hold-inotify:", message)
	os.Exit(1)
}

package driver

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// The faults that a file of that name in the control directory switches on.
const (
	FaultPublishDoesNothing = "publish-ok-does-nothing"
	FaultPublishFails       = "publish-fails" // the file's text is the message
	FaultPlainUnpublish     = "plain-unpublish"
	FaultProbeFails         = "probe-fails"
	FaultMute               = "mute"
	faultSlowPrefix         = "slow=" // seconds
)

const controlPoll = 50 * time.Millisecond

// Control reads the faults from a directory each time it is asked, so that a test flips them without a
// restart. An empty Control has no faults.
type Control struct{ Dir string }

// Has says whether a fault is switched on.
func (c Control) Has(fault string) bool {
	if c.Dir == "" {
		return false
	}
	_, err := os.Lstat(filepath.Join(c.Dir, fault))
	return err == nil
}

// Message is the text in a fault's file, or the given one when the file is empty.
func (c Control) Message(fault, otherwise string) string {
	text, err := os.ReadFile(filepath.Join(c.Dir, fault))
	if message := strings.TrimSpace(string(text)); err == nil && message != "" {
		return message
	}
	return otherwise
}

// Delay is how long every call waits before it is handled.
func (c Control) Delay() time.Duration {
	if c.Dir == "" {
		return 0
	}
	files, _ := filepath.Glob(filepath.Join(c.Dir, faultSlowPrefix+"*"))
	for _, file := range files {
		seconds, err := strconv.ParseFloat(strings.TrimPrefix(filepath.Base(file), faultSlowPrefix), 64)
		if err == nil {
			return time.Duration(seconds * float64(time.Second))
		}
	}
	return 0
}

// Wait sleeps for Delay, or until the caller gives up.
func (c Control) Wait(ctx context.Context) error {
	select {
	case <-time.After(c.Delay()):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// muteListener accepts connections whose requests are held back as long as the driver is mute: the client
// sees a socket that connects and then silence, as with a deadlocked driver.
type muteListener struct {
	net.Listener
	control Control
	ended   func() error // not nil once the driver is to stop, mute or not
}

func (l muteListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return muteConn{conn, l}, nil
}

type muteConn struct {
	net.Conn
	listener muteListener
}

func (c muteConn) Read(buffer []byte) (int, error) {
	n, err := c.Conn.Read(buffer)
	for c.listener.control.Has(FaultMute) && c.listener.ended() == nil {
		time.Sleep(controlPoll)
	}
	return n, err
}

// io-app reads and writes on volumes at a steady pace and says how each attempt went: see ../../README.md.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Attempt is one line of the report. An errno is named as in errno(3); ESTUCK is no errno of the kernel, it
// says that an attempt had no answer in time.
type Attempt struct {
	Time   time.Time `json:"t"`
	Number int       `json:"n"`
	Path   string    `json:"path"`
	Op     string    `json:"op"` // the step that failed, or the last one
	OK     bool      `json:"ok"`
	Errno  string    `json:"errno,omitempty"`
	Detail string    `json:"detail,omitempty"`
	Millis float64   `json:"ms"`
	took   time.Duration
}

type options struct {
	paths    []string
	interval time.Duration
	stuck    time.Duration
	mode     string
	status   string
	name     string
	hold     string
	count    int
	every    int
	slow     time.Duration
}

func main() {
	if err := run(parse()); err != nil {
		fmt.Fprintln(os.Stderr, "io-app:", err)
		os.Exit(1)
	}
}

func parse() options {
	var o options
	host, _ := os.Hostname()
	flag.DurationVar(&o.interval, "interval", time.Second, "time from one attempt to the next, 20ms or more")
	flag.DurationVar(&o.stuck, "stuck", 2*time.Second, "report ESTUCK when an attempt takes longer, and again each time")
	flag.StringVar(&o.mode, "mode", "append", "append (a line to one file), rewrite (one file anew), files (a new file each time) or read (the file of --name)")
	flag.StringVar(&o.status, "status", "", "file that gets the report too")
	flag.StringVar(&o.name, "name", host, "name of the file in each path, without its ending")
	flag.StringVar(&o.hold, "hold", "", "comma-separated: fd, cwd, mmap: keep these open on the first path and try them each time")
	flag.IntVar(&o.count, "count", 0, "end after that many attempts (default never)")
	flag.IntVar(&o.every, "log-every", 1, "of the attempts that went well, report only each n-th")
	flag.DurationVar(&o.slow, "slow", 0, "report every attempt that took as long, too (default none)")
	flag.Parse()
	for _, path := range flag.Args() {
		if absolute, err := filepath.Abs(path); err == nil { // --hold cwd changes what relative ones mean
			path = absolute
		}
		o.paths = append(o.paths, path)
	}
	return o
}

func (o options) check() error {
	switch {
	case len(o.paths) == 0:
		return errors.New("want one folder or more, e.g. io-app --interval 1s /data")
	case o.interval < 20*time.Millisecond:
		return fmt.Errorf("--interval %v is less than 20ms", o.interval)
	case o.every < 1:
		return fmt.Errorf("--log-every %d is less than 1", o.every)
	}
	return nil
}

func run(o options) error {
	if err := o.check(); err != nil {
		return err
	}
	report, err := openReport(o)
	if err != nil {
		return err
	}
	probes, err := o.probes()
	if err != nil {
		return err
	}
	for _, probe := range probes {
		go newRunner(probe, o, report).run()
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	select {
	case <-stop:
	case <-report.complete(len(probes) * o.count):
	}
	return nil
}

// probes are one attempt maker a path, and one a thing held open.
func (o options) probes() ([]probe, error) {
	access, known := modes[o.mode]
	if !known {
		return nil, fmt.Errorf("--mode %q is not one of append, rewrite, files, read", o.mode)
	}
	var probes []probe
	for _, path := range o.paths {
		probes = append(probes, probe{path, access(path, o.name)})
	}
	for _, kind := range strings.FieldsFunc(o.hold, func(r rune) bool { return r == ',' }) {
		open, known := holders[kind]
		if !known {
			return nil, fmt.Errorf("--hold %q is not one of fd, cwd, mmap", kind)
		}
		try, err := open(o.paths[0], o.name)
		if err != nil {
			return nil, fmt.Errorf("--hold %s: %w", kind, err)
		}
		probes = append(probes, probe{o.paths[0], try})
	}
	return probes, nil
}

// report writes attempts as JSON lines.
type report struct {
	attempts chan Attempt
	done     chan struct{}
	wanted   chan int
}

func openReport(o options) (*report, error) {
	outputs := []*os.File{os.Stdout}
	if o.status != "" {
		file, err := os.OpenFile(o.status, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return nil, err
		}
		outputs = append(outputs, file)
	}
	r := &report{make(chan Attempt), make(chan struct{}), make(chan int, 1)}
	go r.write(outputs, o)
	return r, nil
}

// complete closes the channel once that many attempts have an answer; with 0, never.
func (r *report) complete(attempts int) <-chan struct{} {
	r.wanted <- attempts
	return r.done
}

func (r *report) write(outputs []*os.File, o options) {
	wanted := <-r.wanted
	answered := 0
	for attempt := range r.attempts {
		if !attempt.OK || attempt.Number%o.every == 0 || o.slow > 0 && attempt.took >= o.slow {
			line, _ := json.Marshal(attempt) // plain data: it cannot fail
			for _, output := range outputs {
				fmt.Fprintf(output, "%s\n", line)
			}
		}
		if attempt.Errno != stuck {
			answered++
		}
		if answered == wanted && wanted > 0 {
			close(r.done)
			return
		}
	}
}

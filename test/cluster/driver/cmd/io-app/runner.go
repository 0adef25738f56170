package main

import (
	"errors"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const stuck = "ESTUCK"

// attempt does its n-th round and says how far it came.
type attempt func(n int) (op string, err error)

type probe struct {
	path string
	try  attempt
}

// runner makes the attempts of one probe, one after the other: a hung file system stops its own probe alone.
type runner struct {
	probe
	options options
	report  *report
}

func newRunner(p probe, o options, r *report) runner { return runner{p, o, r} }

func (r runner) run() {
	ticks := time.NewTicker(r.options.interval)
	for n := 1; r.options.count == 0 || n <= r.options.count; n++ {
		r.report.attempts <- r.once(n)
		<-ticks.C
	}
}

// once makes an attempt and reports ESTUCK for as long as it has no answer.
func (r runner) once(n int) Attempt {
	began := time.Now()
	answer := make(chan Attempt, 1)
	go func() {
		op, err := r.try(n)
		made := r.attempt(n, began, op)
		made.OK = err == nil
		if err != nil {
			made.Errno, made.Detail = errnoName(err), err.Error()
		}
		answer <- made
	}()
	for {
		select {
		case made := <-answer:
			return made
		case <-time.After(r.options.stuck):
			hung := r.attempt(n, began, "")
			hung.Errno = stuck
			r.report.attempts <- hung
		}
	}
}

func (r runner) attempt(n int, began time.Time, op string) Attempt {
	took := time.Since(began)
	return Attempt{
		Time: began.UTC(), Number: n, Path: r.path, Op: op,
		Millis: float64(took.Microseconds()) / 1000, took: took,
	}
}

// errnoName is e.g. ENOTCONN, or empty for an error that is not the kernel's.
func errnoName(err error) string {
	var number syscall.Errno
	if errors.As(err, &number) {
		return unix.ErrnoName(number)
	}
	return ""
}

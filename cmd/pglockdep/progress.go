package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// A progress is one line on a terminal that says what is being done. It
// appears after a moment, so that short runs stay quiet, and never in CI or
// a pipe.
type progress struct {
	w     io.Writer
	on    bool
	begun time.Time

	mu    sync.Mutex
	shown bool
	what  string
}

const quietFor = time.Second

func newProgress(w io.Writer) *progress {
	return &progress{w: w, on: terminal(w) && os.Getenv("CI") == "", begun: time.Now()}
}

func (p *progress) say(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.on && time.Since(p.begun) > quietFor {
		p.shown = true
		fmt.Fprintf(p.w, "\r\x1b[K%s … %ds", what, int(time.Since(p.begun).Seconds()))
	}
}

func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}

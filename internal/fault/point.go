package fault

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
)

// dies is not empty in binaries that tests kill: the linker sets it, so that all else is compiled as
// in the product.
var dies string

// A killer kills its process at a point.
type killer struct {
	name   string // only points of this name count, if it is not empty
	at     int64  // the number of the point, 0 for none
	listed bool   // each point that is passed is written down
	passed atomic.Int64
}

var points = newKiller() //nolint:gochecknoglobals // of the process

func newKiller() *killer {
	if dies == "" {
		return nil
	}
	name, at := target(os.Getenv("CHELA_DIE_AT"))
	return &killer{name: name, at: at, listed: os.Getenv("CHELA_LIST_POINTS") != ""}
}

// target reads "12", the twelfth point, or "after commit:3", the third of that name.
func target(said string) (name string, n int64) {
	number := said
	if i := strings.LastIndexByte(said, ':'); i >= 0 {
		name, number = said[:i], said[i+1:]
	}
	n, _ = strconv.ParseInt(number, 10, 64) // 0 when unset
	return name, n
}

// Point marks a place where a process may die: before and after every commit and every call to the
// outside. A binary of `make fault` kills itself, as a power cut would, at the point that CHELA_DIE_AT
// numbers, and writes the name of each that it passes if CHELA_LIST_POINTS is set. In any other binary
// it does nothing.
func Point(name string) {
	if points != nil {
		points.pass(name)
	}
}

func (k *killer) pass(name string) {
	if k.listed {
		fmt.Fprintf(os.Stderr, "chela: passing point %s\n", name)
	}
	if k.name != "" && name != k.name {
		return
	}
	if n := k.passed.Add(1); n == k.at {
		fmt.Fprintf(os.Stderr, "chela: dying at point %d: %s\n", n, name)
		kill()
	}
}

func kill() {
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = p.Signal(syscall.SIGKILL)
	}
	if err != nil {
		os.Exit(137)
	}
	select {}
}

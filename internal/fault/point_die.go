//go:build chela_fault

package fault

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
)

var (
	passed atomic.Int64
	// dieAt is the number of the point at which to die, counted among those with the name only
	// if that is not empty.
	only, dieAt = target(os.Getenv("CHELA_DIE_AT"))
	listed      = os.Getenv("CHELA_LIST_POINTS") != ""
)

// target reads "12", the twelfth point, or "after commit:3", the third of that name.
func target(said string) (name string, n int64) {
	number := said
	if i := strings.LastIndexByte(said, ':'); i >= 0 {
		name, number = said[:i], said[i+1:]
	}
	n, _ = strconv.ParseInt(number, 10, 64) // 0 when unset
	return name, n
}

// Point counts the places where a process may die and, at the one that
// CHELA_DIE_AT numbers, kills the process as a power cut would.
func Point(name string) {
	if listed {
		fmt.Fprintf(os.Stderr, "chela: passing point %s\n", name)
	}
	if only != "" && name != only {
		return
	}
	if n := passed.Add(1); n == dieAt {
		fmt.Fprintf(os.Stderr, "chela: dying at point %d: %s\n", n, name)
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}

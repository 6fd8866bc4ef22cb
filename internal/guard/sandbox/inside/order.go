//go:build linux

// Package inside is what a sandbox does in the child. The daemon starts its own binary
// again, in namespaces and under the name [Name]; init below takes over before the rest
// of the binary has begun, builds the sandbox that an [Order] describes, starts the program
// behind them, and stays to reap, to watch and to end what it started. It imports next to
// nothing: packages begin in the order of their paths as soon as what they import has
// begun, so this one begins first, and a start costs little however large the binary is.
package inside

import (
	"encoding/json"
	"io"
	"os"
	"time"
)

// Name is the only argument of a binary that is the inside of a sandbox.
const Name = "chela: sandbox"

// The descriptors that the daemon hands in, beside the three of every program.
const (
	orderFD  = 3 // the order; held open by the daemon for as long as the job may live
	reportFD = 4
)

// Here is what the inside says before it is given its order.
const Here = "\n"

// An Order is everything that the inside needs to know.
type Order struct {
	Argv []string
	Env  []string // all of it
	Dir  string

	Namespaces bool // it is in new namespaces: build a root
	Landlock   bool
	Seccomp    bool
	Network    bool // the host's network is there

	Base    string            // an existing folder on which the new root is built
	Mounts  []Mount           // in this order
	Links   map[string]string // symbolic links by their path
	Hidden  []string          // are there and cannot be read
	Fixed   []string          // are read-only, though what holds them is not
	Held    []string          // cannot be renamed away
	Covered []string          // were hidden by who built the root; made sure of before the program starts
	Same    []Identity        // likewise shown
	Scratch string            // the folder for temporary files; made here in a new root
	Files   map[string][]byte // written in Scratch before the program starts

	Memory    int64 // bytes, of each program and of all together
	FileSize  int64
	Processes int
	CPU       time.Duration // of one process
	CountsOwn bool          // the kernel counts processes by user namespace
	OwnPIDMax bool          // the kernel has a pid_max for each namespace
}

// A Mount shows a file or folder of the host at the same place.
type Mount struct {
	Path   string
	Source string // of Path, with its links followed
	Write  bool
	Device bool
}

// An Identity says which file or folder a path has to lead to.
type Identity struct {
	Path        string
	Dev, Number uint64
}

// A Report is what came of an order.
type Report struct {
	Error   string `json:"error,omitempty"`   // the sandbox could not be built
	Changed bool   `json:"changed,omitempty"` // something moved while they were; try again
	Missing bool   `json:"missing,omitempty"` // there is no such program
	Code    int    `json:"code"`
	Killed  string `json:"killed,omitempty"` // the limit at which all was killed
	ABI     int    `json:"abi,omitempty"`    // of the Landlock that holds
}

// The limits that Killed names.
const (
	KilledMemory    = "memory"
	KilledProcesses = "processes"
)

func init() {
	if len(os.Args) != 2 || os.Args[1] != Name {
		return
	}
	in, out := os.NewFile(orderFD, "order"), os.NewFile(reportFD, "report")
	_, _ = out.WriteString(Here) // who does not wait for it reads over it
	var o Order
	d := json.NewDecoder(in)
	if err := d.Decode(&o); err != nil {
		os.Exit(125)
	}
	done := make(chan Report, 1)
	gone := make(chan struct{})
	go func() { // the daemon closes the order when the job must end, or by its own end
		_, _ = io.Copy(io.Discard, in) // whatever ends it means the same
		close(gone)
	}()
	go run(&o, done) // not on the first thread, which keeps out of the sandbox: see run
	var r Report
	select {
	case r = <-done:
	case <-gone:
		r.Code = -1
	}
	if !o.Namespaces {
		endAll()
	}
	_ = json.NewEncoder(out).Encode(r) // nobody is left to hear of it
	os.Exit(0)
}

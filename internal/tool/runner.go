package tool

import (
	"context"
	"errors"
	"os"
	"time"

	"chela/internal/disk"
)

// A Runner runs programs for agents in a sandbox. It refuses, with a fault.Denied that says
// the way out, where there is none. A program that is not there is an
// ErrNoProgram.
type Runner interface {
	Run(ctx context.Context, j Job) (Exit, error)
}

// ErrNoProgram is in the error of a job whose program is not there to be run.
var ErrNoProgram = errors.New("no such program")

// Scratch, at the beginning of an argument or of a variable's value, stands for the
// program's scratch folder, which is also its HOME and TMPDIR.
const Scratch = "{scratch}"

// A Job is one program to run. What it does not name is not there for the program: no
// network, no environment but a clean one, no folder to write in but its own scratch.
type Job struct {
	Argv    []string          // the program, looked up in the clean PATH unless absolute, and its arguments
	Stdin   []byte            // what it reads
	Input   *os.File          // what it reads while it runs, in place of Stdin; the caller closes it when the program has ended
	Files   map[string][]byte // put into its scratch before it starts, by their names there
	Dir     string            // where it starts, absolute; one of Folders or below; "" is its scratch
	Folders []disk.Grant      // what it may read and write, beside the system's programs (read only) and its scratch
	Env     map[string]string // beside the clean environment; values are secrets that the tool was granted, or settings
	Network bool              // it may call out
	Limits  Limits
	Changes *disk.Changes                  // takes in what the program changed in the folders that it may write in; nil does not look
	Output  func(stderr bool, text []byte) // hears output as it comes, one text at a time, which is its own only until it returns
}

// Limits bound a job; zero fields take the runner's defaults.
type Limits struct {
	Time      time.Duration // 30 s
	Memory    int64         // bytes of data, of each process and of all together; 2 GiB
	Processes int           // 256, with up to eight times as many threads
	Output    int           // bytes of stdout and of stderr that are kept, of the beginning and of the end; 64 KiB each
	FileSize  int64         // bytes of the largest file it writes; 1 GiB
}

// An Exit is how a job ended.
type Exit struct {
	Code     int    `json:"exit_code"` // 128 and the signal when it died of one; -1 when the runner killed it
	Stdout   string `json:"stdout"`
	Stderr   string `json:"stderr"`
	Cut      bool   `json:"cut,omitempty"`       // output was more than is kept
	TimedOut bool   `json:"timed_out,omitempty"` // it was killed at its time limit, with all it started
	Killed   string `json:"killed,omitempty"`    // the other limit at which it was: memory, processes
}

package tool

import (
	"context"

	"chela/internal/disk"
)

// An Act is what a call with its arguments amounts to: what guard decides about and what
// a person is shown. Its zero value is a call that does what its tool declares.
type Act struct {
	Risk    Risk       // of these arguments; "" is the part's, else the tool's
	Part    string     // which part of the tool it is; "" is all of it
	Dir     string     // the folder it works in, absolute; "" is where relative paths begin
	Paths   []disk.Use // what it reads and writes of the disk
	Command string     // a line for a shell, to be read before it is run
	Code    string     // source of a program, of which nothing is known
	Runs    []string   // files that its program runs, absolute: who approves it approves what is in them
	URL     string     // what it asks for on the network
	Network bool       // its program may call out
	Secrets []string   // names of secrets of the vault that it wants to be given
	Here    bool       // what it sends goes to the conversation that asked, and nowhere else
	Shown   string     // a sentence; "" shows the arguments
}

// An Actor is an argument struct that says what its call amounts to. It does no I/O.
type Actor interface{ Act(f disk.Folders) Act }

// A Checker is an argument struct in which one argument makes another one required. Its
// error, a fault that names the argument, keeps the call from being decided or made.
type Checker interface{ Check() error }

// A Previewer is an argument struct that can show what its call would change, as a unified
// diff. It changes nothing.
type Previewer interface {
	Preview(ctx context.Context, c Call) (string, error)
}

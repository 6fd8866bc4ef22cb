// Package shell reads a line for a shell and says what it does, as far as its text tells: text to
// [Reading]. It runs nothing and knows no rules about what is allowed.
//
// lexical.go makes sure that the parser reads a line as shells do (compare.go), walk.go goes through
// what was parsed, word.go and path.go find out what words stand for, and simple.go judges a command:
// by its allowed options (spec.go, programs.go), or by a function of its own (build.go, find.go,
// git.go, net.go, tools.go, wrap.go). What is not understood makes the reading unknown.
package shell

import (
	"slices"
	"strings"

	"chela/internal/disk"

	"mvdan.cc/sh/v3/syntax"
)

// A Class says what a command line does, the harmless first.
type Class uint8

// The classes.
const (
	ReadOnly  Class = iota // only programs of the table, with options that only look
	Writes                 // changes files, runs the project's own build and tests, or sends over the network
	Unknown                // something in it is not understood; Unclear says what
	Dangerous              // it can destroy what cannot be had back; Dangers says how
)

func (c Class) String() string {
	switch c {
	case ReadOnly:
		return "read-only"
	case Writes:
		return "writes"
	case Dangerous:
		return "dangerous"
	default:
		return "unknown"
	}
}

// A Reader is what a command line is read against. It reads lines as bash does; where sh
// would read them differently it says so in Unclear.
type Reader struct {
	Folders disk.Folders
	Dir     string // where the line runs, absolute; "" is Folders.Work
	Home    string // the home folder of the process; "" leaves ~ as it is, which is outside every grant
	// Links follows the links in a path, as filepath.EvalSymlinks does; nil for none. Where
	// it fails, the folders above are followed.
	Links func(path string) (string, error)
}

// A Reading is what a command line does, as far as its text tells.
type Reading struct {
	Line     string
	Class    Class
	Commands []Command
	Paths    []disk.Use // all that is read and written, absolute (or beginning with ~)
	Outside  []disk.Use // those of Paths that no grant covers
	Secrets  []string   // files with secrets whose content is read or changed, without a grant for them
	Sweeps   []string   // folders of which everything may be read; they may hold secrets
	Network  []string   // what uses the network
	Runs     []string   // what runs code that is not on the line: of the project, of a script
	Scripts  []string   // the files of these that are known, absolute
	// Repositories are the folders in which git runs, as far as they are known.
	Repositories []string
	Unclear      []string // sentences: what was not understood
	Dangers      []string // sentences: what can be destroyed

	writes bool // something is changed
	opaque bool // there is an interpreter, a shell or a wrapper in it
	file   *syntax.File
}

// A Command is a simple command somewhere in a line, also in a string that is run.
type Command struct {
	Program  string   // as written
	Name     string   // without folders
	Args     []string // literal where they are; else as written
	Literal  bool     // whether all of them, and the program, are
	Env      []string // assignments before it
	Redirect []string // as written
	Dir      string   // "" when it cannot be known
}

// maxLine is the longest line that is read. Nobody can approve a longer one with open eyes.
const maxLine = 32 << 10

// maxDepth is how deep code within code is read.
const maxDepth = 8

// unreadable is said of a line on which the reader panics. A mistake of the reader keeps nobody
// from being asked, and stops nothing else.
const unreadable = "The line cannot be read."

// Read reads a line. It runs nothing, and does no I/O but what Links does.
func (s Reader) Read(line string) (r Reading) {
	r.Line = line
	defer func() {
		if recover() != nil {
			r.Unclear = append(r.Unclear, unreadable)
			r.Class = max(r.Class, Unknown)
			if len(r.Dangers) > 0 {
				r.Class = Dangerous
			}
		}
	}()
	if s.Dir == "" {
		s.Dir = s.Folders.Work
	}
	x := &walk{sh: s, r: &r, seen: map[string]bool{}}
	if s.Dir != "" {
		x.start = dirs{s.Dir}
	}
	r.file, _, _ = x.code(line, x.start, "The line")
	x.judgePaths()
	switch {
	case len(r.Dangers) > 0:
		r.Class = Dangerous
	case len(r.Unclear) > 0:
		r.Class = Unknown
	case r.writes || len(r.Network) > 0 || len(r.Runs) > 0:
		r.Class = Writes
	}
	return r
}

// Shape returns the text by which a person can allow this command for always: the whole of
// it, with its white space made regular. There is none for what cannot be promised to be
// the same next time: interpreters, shells, wrappers that take a program, the network,
// words that are not literal, anything not understood or dangerous.
func (r Reading) Shape() (string, bool) {
	if r.file == nil || len(r.Commands) == 0 || r.opaque || r.Class >= Unknown || len(r.Network) > 0 {
		return "", false
	}
	if slices.ContainsFunc(r.Commands, func(c Command) bool { return !c.Literal }) {
		return "", false
	}
	literal := true
	syntax.Walk(r.file, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.ParamExp, *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ArithmExp, *syntax.ExtGlob, *syntax.FuncDecl:
			literal = false
		}
		return literal
	})
	if !literal {
		return "", false
	}
	shape, ok := printed(r.file)
	if !ok {
		return "", false
	}
	again, err := newParser().Parse(strings.NewReader(shape), "")
	if err != nil {
		return "", false
	}
	if twice, ok := printed(again); !ok || twice != shape {
		return "", false
	}
	return shape, true
}

func newParser() *syntax.Parser { return syntax.NewParser(syntax.Variant(syntax.LangBash)) }

func printed(f *syntax.File) (string, bool) {
	var b strings.Builder
	if err := syntax.NewPrinter(syntax.SingleLine(true)).Print(&b, f); err != nil {
		return "", false
	}
	return strings.TrimSpace(b.String()), true
}

func oneOf(s string, of ...string) bool {
	for _, o := range of {
		if s == o {
			return true
		}
	}
	return false
}

package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// An input is what a command reads from its standard input.
type input struct {
	piped bool
	text  word // what it is, where that is known
	known bool
	net   bool   // it comes from the network
	found *word  // names of files that another program finds
	nul   bool   // each of which ends in a zero byte
	maybe []word // texts that may be in it
	files []word // what is in it, where that is known
}

// output says what comes out of a command into a pipe.
func (x *walk) output(s *syntax.Stmt, in dirs, net bool) input {
	std := input{piped: true, net: net}
	if b, ok := s.Cmd.(*syntax.BinaryCmd); ok && (b.Op == syntax.Pipe || b.Op == syntax.PipeAll) {
		if last, ok := b.Y.Cmd.(*syntax.CallExpr); ok && len(last.Args) > 0 && (oneOf(last.Args[0].Lit(), "sort", "uniq", "head", "tail", "cat") && onlyOptions(last.Args[1:]) ||
			oneOf(last.Args[0].Lit(), "grep", "egrep") && len(last.Args) > 1 && onlyOptions(last.Args[1:len(last.Args)-1])) {
			from := x.output(b.X, in, net)
			if from.known {
				from.known, from.maybe = false, append(from.maybe, from.text)
			}
			return from
		}
		return x.output(b.Y, in, net)
	}
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		syntax.Walk(s, func(n syntax.Node) bool {
			if e, ok := n.(*syntax.CallExpr); ok && len(e.Args) > 1 && oneOf(e.Args[0].Lit(), "echo", "printf") && len(std.maybe) < 8 {
				std.maybe = append(std.maybe, joined(x.quiet(func() []word { return x.words(e.Args[1:], in) })))
			}
			return true
		})
		return std
	}
	args := x.quiet(func() []word { return x.words(call.Args, in) })
	switch args[0].text {
	case "echo", "printf":
		std.text, std.known = joined(args[1:]), true
		std.text.text = strings.TrimPrefix(strings.TrimPrefix(std.text.text, "-e "), "-n ")
		if args[0].text == "printf" {
			std.text.text = strings.ReplaceAll(std.text.text, `\n`, "\n")
		}
	case "cat":
		std.files = args[1:]
	case "find":
		std.found, std.nul = foundBelow(args[1:])
	case "fd", "fdfind", "ls", "rg", "ag", "git", "grep":
		if listsNames(args) {
			here := below(".")
			std.found = &here
		}
	}
	return std
}

// listsNames reports whether a command prints the names of files that are below the folder in
// which it runs.
func listsNames(args []word) bool {
	has := func(options ...string) bool {
		return slices.ContainsFunc(args[1:], func(a word) bool { return oneOf(a.text, options...) })
	}
	switch args[0].text {
	case "ls":
		return len(args) == 1
	case "git":
		return len(args) > 1 && (args[1].text == "ls-files" || args[1].text == "diff" && has("--name-only"))
	case "grep":
		return slices.ContainsFunc(args[1:], func(a word) bool {
			return a.text == "--files-with-matches" || strings.HasPrefix(a.text, "-") && !strings.HasPrefix(a.text, "--") && strings.Contains(a.text, "l")
		})
	case "rg", "ag":
		return has("-l", "--files", "--files-with-matches")
	}
	return !has("-x", "-X")
}

// onlyOptions reports whether a filter passes on what it is given, and reads nothing else.
func onlyOptions(ws []*syntax.Word) bool {
	return !slices.ContainsFunc(ws, func(w *syntax.Word) bool {
		lit := w.Lit()
		return lit == "" || lit[0] != '-' && strings.Trim(lit, "0123456789") != "" || strings.Contains(lit, "=")
	})
}

// quiet evaluates without adding to the Reading what was added before.
func (x *walk) quiet(fn func() []word) []word {
	r, uses, seen, mute := x.r, x.uses, x.seen, x.mute
	x.r, x.seen, x.mute = &Reading{}, map[string]bool{}, true
	defer func() { x.r, x.uses, x.seen, x.mute = r, uses, seen, mute }()
	return fn()
}

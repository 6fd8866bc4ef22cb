package shell

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A walk goes once through the code of a line, and of the strings in it that are run, and
// gathers what it finds in its Reading.
type walk struct {
	sh    Reader
	r     *Reading
	start dirs // where the line begins
	src   string
	depth int
	vars  map[string]word // what a variable surely holds
	uses  []use
	seen  map[string]bool // sentences that were said
	steps int             // statements that were read
	loops int             // that are around
	tries int             // that look only for dangers, in what may be a command
	codes int             // texts of other languages that were looked through
	mute  bool            // what is inside words was read before
}

// maxSteps is how many statements are read of a line, where each turn of a loop counts.
const maxSteps = 4000

// dirs are the folders in which a command may find itself; nil is any.
type dirs []string

func (d dirs) or(e dirs) dirs {
	if d == nil || e == nil {
		return nil
	}
	if len(d) == 1 && len(e) == 1 && d[0] == e[0] {
		return d
	}
	all := slices.Clone(d)
	for _, dir := range e {
		if !slices.Contains(all, dir) {
			all = append(all, dir)
		}
	}
	if len(all) > 8 {
		return nil
	}
	return all
}

func (x *walk) say(list *[]string, format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	if !x.seen[s] {
		x.seen[s] = true
		*list = append(*list, s)
	}
}

func (x *walk) unclear(format string, args ...any) { x.say(&x.r.Unclear, format, args...) }
func (x *walk) danger(format string, args ...any)  { x.say(&x.r.Dangers, format, args...) }
func (x *walk) network(what string)                { x.say(&x.r.Network, "%s", what) }
func (x *walk) runs(what string)                   { x.say(&x.r.Runs, "%s", what) }

// code reads the text of a program for a shell, and returns where it ends up.
func (x *walk) code(text string, in dirs, what string) (*syntax.File, dirs, dirs) {
	switch {
	case x.depth >= maxDepth:
		x.unclear("%s has code within code, too deep to be read.", what)
		return nil, nil, nil
	case len(text) > maxLine:
		x.unclear("%s is longer than %d bytes, too long to be read.", what, maxLine)
		return nil, nil, nil
	case strings.ContainsRune(text, 0):
		x.unclear("%s has a zero byte in it.", what)
	}
	if strings.Contains(text, "\r") {
		x.unclear("%s has a carriage return in it.", what)
	}
	f, err := newParser().Parse(strings.NewReader(text), "")
	if err != nil {
		x.unclear("%s cannot be parsed: %s.", what, strings.TrimPrefix(err.Error(), "<standard input>:"))
		x.rough(text, in)
	}
	if f == nil {
		return nil, nil, nil
	}
	if err == nil && len(x.r.Unclear) == 0 && x.tries == 0 { // else a person is asked anyway
		x.lexical(text, f, what)
	}
	src, vars := x.src, x.vars
	x.src, x.vars, x.depth = text, nil, x.depth+1
	if strings.ContainsRune(text, '=') && len(f.Stmts) <= 64 {
		x.vars = map[string]word{}
	}
	defer func() { x.src, x.vars, x.depth = src, vars, x.depth-1 }()
	ok, fail := in, in
	for i, s := range f.Stmts {
		if a, single := assignment(s); single && x.vars != nil && !assignedIn(a.Name.Value, f.Stmts[:i], f.Stmts[i+1:]) {
			if w := x.word(a.Value, in); w.kind == exact && !w.proc && !oneOf(w.text, changers...) {
				x.vars[a.Name.Value] = w
			}
		}
		ok, fail = x.stmt(s, ok.or(fail), input{})
	}
	return f, ok, fail
}

// rough looks for dangers in a text that cannot be parsed, but which some shell may run.
func (x *walk) rough(text string, in dirs) {
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(";&|\n(){}`$'\"", r) })
	if len(parts) < 2 {
		return
	}
	k := &call{x: x, in: in}
	for _, p := range parts[:min(len(parts), maxCodes)] {
		for {
			first, rest, _ := strings.Cut(strings.TrimSpace(p), " ")
			if !syntax.IsKeyword(first) {
				break
			}
			p = rest
		}
		if strings.Contains(p, " ") {
			k.attempt(func() { x.code(p, in, "The code") })
		}
	}
}

// changers are commands that change variables which they name in their arguments.
var changers = []string{"read", "printf", "unset", "getopts", "mapfile", "readarray", "let", "eval", "source", ".", "builtin", "command", "set", "trap", "wait", "alias"}

// isVariable reports whether a word is just the variable of that name.
func isVariable(w *syntax.Word, name string) bool {
	if len(w.Parts) != 1 {
		return false
	}
	p, ok := w.Parts[0].(*syntax.ParamExp)
	return ok && p.Param != nil && p.Param.Value == name && p.Exp == nil && !p.Excl
}

// assignment returns what s assigns, when that is all it does.
func assignment(s *syntax.Stmt) (*syntax.Assign, bool) {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || s.Background || s.Negated || len(s.Redirs) > 0 || len(call.Args) > 0 || len(call.Assigns) != 1 {
		return nil, false
	}
	a := call.Assigns[0]
	return a, !a.Append && !a.Naked && a.Index == nil && a.Array == nil && a.Value != nil
}

// assignedIn reports whether any of these statements may change the variable.
func assignedIn(name string, lists ...[]*syntax.Stmt) bool {
	found := oneOf(name, "_", "RANDOM", "SRANDOM", "SECONDS", "LINENO", "EPOCHSECONDS", "EPOCHREALTIME", "DIRSTACK", "GROUPS", "UID", "EUID", "PPID", "OPTIND", "OPTARG", "REPLY", "FUNCNAME", "PIPESTATUS", "SHLVL", "HISTCMD", "BASHPID")
	for _, list := range lists {
		for _, s := range list {
			syntax.Walk(s, func(n syntax.Node) bool {
				switch n := n.(type) {
				case *syntax.Assign:
					found = found || n.Name != nil && n.Name.Value == name
				case *syntax.WordIter:
					found = found || n.Name.Value == name
				case *syntax.Redirect:
					found = found || n.N != nil && strings.Contains(n.N.Value, name)
				case *syntax.CallExpr:
					if len(n.Args) > 0 {
						lit := n.Args[0].Lit()
						found = found || lit == "" && !isVariable(n.Args[0], name) || oneOf(lit, changers...)
					}
				case *syntax.BinaryArithm:
					switch n.Op {
					case syntax.Assgn, syntax.AddAssgn, syntax.SubAssgn, syntax.MulAssgn, syntax.QuoAssgn, syntax.RemAssgn, syntax.AndAssgn, syntax.OrAssgn, syntax.XorAssgn, syntax.ShlAssgn, syntax.ShrAssgn:
						found = true
					default:
					}
				case *syntax.UnaryArithm:
					found = found || n.Op == syntax.Inc || n.Op == syntax.Dec
				case *syntax.ArithmCmd, *syntax.LetClause, *syntax.FuncDecl, *syntax.DeclClause, *syntax.CStyleLoop, *syntax.CoprocClause:
					found = true
				case *syntax.ParamExp:
					found = found || n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull)
				}
				return !found
			})
		}
	}
	return found
}

func (x *walk) stmts(list []*syntax.Stmt, in dirs, std input) (ok, fail dirs) {
	ok, fail = in, in
	for _, s := range list {
		ok, fail = x.stmt(s, ok.or(fail), std)
	}
	return ok, fail
}

func (x *walk) stmt(s *syntax.Stmt, in dirs, std input) (ok, fail dirs) {
	if x.steps++; x.steps > maxSteps {
		x.unclear("The line has too many commands to be read.")
		return nil, nil
	}
	if s == nil { // of a line that cannot be parsed
		return nil, nil
	}
	for _, r := range s.Redirs {
		std = x.redirect(r, in, std)
	}
	if s.Coprocess || s.Disown {
		x.unclear("The line starts a co-process.")
	}
	ok, fail = x.command(s, in, std)
	if s.Background {
		return in, in
	}
	if s.Negated {
		return fail, ok
	}
	return ok, fail
}

func (x *walk) command(s *syntax.Stmt, in dirs, std input) (ok, fail dirs) {
	switch c := s.Cmd.(type) {
	case nil:
		return in, in
	case *syntax.CallExpr:
		return x.simple(c, s.Redirs, in, std)
	case *syntax.BinaryCmd:
		return x.binary(c, in, std)
	case *syntax.Subshell:
		x.stmts(c.Stmts, in, std)
		return in, in
	case *syntax.Block:
		return x.stmts(c.Stmts, in, std)
	case *syntax.IfClause:
		return x.ifs(c, in, std)
	case *syntax.WhileClause:
		in = x.loop(in, func(d dirs) dirs {
			ok, fail := x.stmts(c.Cond, d, std)
			ok2, fail2 := x.stmts(c.Do, ok, std)
			return fail.or(ok2).or(fail2)
		})
		return in, in
	case *syntax.ForClause:
		return x.forEach(c, in, std)
	case *syntax.CaseClause:
		x.word(c.Word, in)
		out := in
		for _, item := range c.Items {
			for _, p := range item.Patterns {
				x.word(p, in)
			}
			ok, fail := x.stmts(item.Stmts, out, std)
			out = out.or(ok).or(fail)
		}
		return out, out
	case *syntax.FuncDecl:
		if c.Name != nil { // else the line cannot be parsed
			x.unclear("The line defines the function %s.", c.Name.Value)
			if callsItself(c) {
				x.danger("The function %s starts itself again and again.", c.Name.Value)
			}
		}
		x.stmt(c.Body, nil, std)
		return in, in
	case *syntax.TimeClause:
		if c.Stmt == nil {
			return in, in
		}
		return x.stmt(c.Stmt, in, std)
	case *syntax.TestClause, *syntax.ArithmCmd, *syntax.LetClause:
		if t, test := c.(*syntax.TestClause); !test || operates(t.X) {
			x.unclear("Shells differ in what %s means.", x.source(c))
		}
		x.nested(c, in)
		return in, in
	case *syntax.DeclClause:
		x.declare(c, in)
		return in, in
	case *syntax.CoprocClause:
		x.unclear("The line starts a co-process.")
		x.stmt(c.Stmt, in, input{piped: true})
		return in, in
	default:
		x.unclear("The line has a construct that is not known: %s.", x.source(s))
		x.nested(s, in)
		return nil, nil
	}
}

// operates reports whether a condition has operators that a shell without [[ takes for its
// own: it would run what is after them, or write it.
func operates(t syntax.TestExpr) bool {
	switch t := t.(type) {
	case *syntax.BinaryTest:
		return oneOf(t.Op.String(), "<", ">", "&&", "||", "=~")
	case *syntax.UnaryTest:
		return operates(t.X)
	case *syntax.ParenTest:
		return true
	}
	return false
}

// loop goes through a body until the folders in which it may run do not change.
func (x *walk) loop(in dirs, body func(dirs) dirs) dirs {
	x.loops++
	defer func() { x.loops-- }()
	out := in.or(body(in))
	if len(out) != len(in) {
		body(nil)
		return nil
	}
	return out
}

func (x *walk) ifs(c *syntax.IfClause, in dirs, std input) (ok, fail dirs) {
	ok, fail = x.stmts(c.Cond, in, std)
	out1, out2 := x.stmts(c.Then, ok, std)
	out := out1.or(out2)
	switch {
	case c.Else == nil:
		out = out.or(fail)
	case len(c.Else.Cond) == 0:
		out1, out2 = x.stmts(c.Else.Then, fail, std)
		out = out.or(out1).or(out2)
	default:
		out1, out2 = x.ifs(c.Else, fail, std)
		out = out.or(out1).or(out2)
	}
	return out, out
}

func (x *walk) forEach(c *syntax.ForClause, in dirs, std input) (ok, fail dirs) {
	iter, each := c.Loop.(*syntax.WordIter)
	if !each {
		x.unclear("Shells differ in what %s means.", x.source(c.Loop))
		x.nested(c.Loop, in)
		in = x.loop(in, func(d dirs) dirs { ok, fail := x.stmts(c.Do, d, std); return ok.or(fail) })
		return in, in
	}
	name, items := iter.Name.Value, x.words(iter.Items, in)
	known := len(items) > 0 && (len(items) == 1 || len(items) <= 16 && x.loops == 0) && !assignedIn(name, c.Do) && !sensitive(name)
	for _, w := range items {
		known = known && w.kind != unknown && !w.proc
	}
	if sensitive(name) {
		x.unclear("The line changes the variable %s.", name)
	}
	if !known {
		items = []word{{kind: unknown}}
	}
	before, had := x.vars[name]
	if x.vars == nil {
		x.vars = map[string]word{}
	}
	in = x.loop(in, func(d dirs) dirs {
		out := d
		for _, w := range items {
			if x.vars[name] = w; !known {
				delete(x.vars, name)
			}
			ok, fail := x.stmts(c.Do, out, std)
			out = out.or(ok).or(fail)
		}
		return out
	})
	if delete(x.vars, name); had && known {
		x.vars[name] = before
	}
	return in, in
}

func (x *walk) binary(c *syntax.BinaryCmd, in dirs, std input) (ok, fail dirs) {
	switch c.Op {
	case syntax.AndStmt:
		ok, fail = x.stmt(c.X, in, std)
		ok2, fail2 := x.stmt(c.Y, ok, std)
		return ok2, fail.or(fail2)
	case syntax.OrStmt:
		ok, fail = x.stmt(c.X, in, std)
		ok2, fail2 := x.stmt(c.Y, fail, std)
		return ok.or(ok2), fail2
	default: // a pipe; each side has a shell of its own
		nets := len(x.r.Network)
		x.stmt(c.X, in, std)
		x.stmt(c.Y, in, x.output(c.X, in, len(x.r.Network) > nets))
		return in, in
	}
}

// callsItself reports whether a function is a fork bomb: it starts itself in a pipe or in
// the background.
func callsItself(f *syntax.FuncDecl) bool {
	found := false
	calls := func(s *syntax.Stmt) bool {
		hit := false
		syntax.Walk(s, func(n syntax.Node) bool {
			if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 && c.Args[0].Lit() == f.Name.Value {
				hit = true
			}
			return !hit
		})
		return hit
	}
	syntax.Walk(f.Body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryCmd:
			found = found || (n.Op == syntax.Pipe || n.Op == syntax.PipeAll) && (calls(n.X) || calls(n.Y))
		case *syntax.Stmt:
			found = found || n.Background && calls(n)
		}
		return !found
	})
	return found
}

func (x *walk) source(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from > to || to > len(x.src) {
		return "a word"
	}
	return x.src[from:to]
}

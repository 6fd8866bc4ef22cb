package shell

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// wordKind says how much of a word is known.
type wordKind uint8

const (
	exact   wordKind = iota // it is one argument, text
	globbed                 // it stands for the files that match text; what is before meta is sure
	unknown                 // it begins with text; the rest, and how many arguments it is, is not known
)

// A word is an argument as far as it is known.
type word struct {
	text  string
	kind  wordKind
	meta  int    // of a pattern: where its first wildcard is
	src   string // as written
	proc  bool   // it stands for what a command in it prints, or for a pipe to one
	net   bool   // that command uses the network
	quote bool   // it is one argument even if it is not known
	odd   bool   // shells differ in what it means
	given bool   // it stands for names of files that another program finds
	split bool   // such a name may be cut at its blanks, so that a part of it may be anything
}

func literal(s string) word { return word{text: s, src: s} }

// after is a word without what is before an offset of its text.
func (w word) after(at int) word {
	w.text = w.text[min(at, len(w.text)):]
	w.meta = min(max(0, w.meta-at), len(w.text))
	return w
}

// mayBeOption reports whether a word may turn out to be an option, which is not known.
func (w word) mayBeOption() bool {
	switch {
	case w.split:
		return true
	case w.kind == exact:
		return false
	case w.kind == globbed:
		return w.meta == 0
	default:
		return w.text == "" || w.text[0] == '-'
	}
}

// words evaluates words, with braces opened.
func (x *walk) words(ws []*syntax.Word, in dirs) []word {
	out := make([]word, 0, len(ws))
	for _, w := range ws {
		if !hasBraces(w) {
			out = append(out, x.word(w, in))
			continue
		}
		opened := openBraces(w, 64)
		if opened == nil {
			x.nested(w, in)
			out = append(out, word{kind: unknown, src: x.source(w)})
			continue
		}
		for _, o := range opened {
			out = append(out, x.word(o, in))
		}
	}
	return out
}

func hasBraces(w *syntax.Word) bool {
	for _, p := range w.Parts {
		if l, ok := p.(*syntax.Lit); ok && strings.Contains(l.Value, "{") && l.Value != "{}" {
			return true
		}
	}
	return false
}

// openBraces returns what a word with {a,b} in it stands for, or nothing when that is more
// than limit words or a sequence.
func openBraces(w *syntax.Word, limit int) []*syntax.Word {
	split := &syntax.Word{Parts: slices.Clone(w.Parts)}
	if !syntax.SplitBraces(split) {
		return []*syntax.Word{w}
	}
	all := []*syntax.Word{{}}
	for _, p := range split.Parts {
		heads := [][]syntax.WordPart{{p}}
		if b, ok := p.(*syntax.BraceExp); ok {
			if b.Sequence {
				return nil
			}
			heads = nil
			for _, e := range b.Elems {
				for _, o := range openBraces(e, limit) {
					heads = append(heads, o.Parts)
				}
			}
		}
		var next []*syntax.Word
		for _, a := range all {
			for _, h := range heads {
				next = append(next, &syntax.Word{Parts: slices.Concat(a.Parts, h)})
			}
		}
		if all = next; len(all) == 0 || len(all) > limit {
			return nil
		}
	}
	return all
}

// word evaluates one word, and reads the commands inside it.
func (x *walk) word(w *syntax.Word, in dirs) word {
	if w == nil {
		return word{}
	}
	if len(w.Parts) == 1 {
		switch p := w.Parts[0].(type) {
		case *syntax.Lit:
			if !strings.ContainsAny(p.Value, "\\*?[") || p.Value == "[" {
				return literal(p.Value)
			}
		case *syntax.SglQuoted:
			if !p.Dollar {
				return word{text: p.Value, src: x.source(w)}
			}
		}
	}
	b := builder{x: x, in: in}
	b.meta = -1
	nets := len(x.r.Network)
	for _, p := range w.Parts {
		b.part(p, false)
	}
	if b.nested {
		x.nested(w, in)
	}
	out := word{text: b.text.String(), kind: exact, src: x.source(w), proc: b.proc, net: len(x.r.Network) > nets, quote: b.quoted, odd: b.odd}
	switch {
	case b.lost:
		out.kind, out.text = unknown, b.known
	case b.meta >= 0:
		out.kind, out.meta = globbed, b.meta
	}
	return out
}

// A builder puts a word together from its parts.
type builder struct {
	x      *walk
	in     dirs
	text   strings.Builder
	meta   int    // where the first wildcard is, or -1
	lost   bool   // a part is not known
	known  string // what is before it
	nested bool   // there are commands inside
	proc   bool
	quoted bool
	odd    bool
}

func (b *builder) lose(quoted bool) {
	if !b.lost {
		b.lost, b.known, b.quoted = true, b.text.String(), quoted
	}
	b.quoted = b.quoted && quoted
}

func (b *builder) part(p syntax.WordPart, quoted bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		b.lit(p.Value, quoted)
	case *syntax.SglQuoted:
		if p.Dollar {
			b.odd = true
			b.text.WriteString(ansi(p.Value))
			return
		}
		b.text.WriteString(p.Value)
	case *syntax.DblQuoted:
		b.odd = b.odd || p.Dollar
		for _, q := range p.Parts {
			b.part(q, true)
		}
	case *syntax.ParamExp:
		b.param(p, quoted)
	case *syntax.CmdSubst:
		b.nested, b.proc = true, true
		b.lose(quoted)
	case *syntax.ProcSubst:
		b.nested, b.proc = true, true
		b.text.WriteString("/dev/fd/63")
	default:
		b.nested = true
		b.lose(quoted)
	}
}

func (b *builder) lit(s string, quoted bool) {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\\' && i+1 < len(s):
			if quoted && !strings.ContainsRune("$`\"\\\n", rune(s[i+1])) {
				b.text.WriteByte(c)
				continue
			}
			if i++; s[i] != '\n' {
				b.text.WriteByte(s[i])
			}
		case !quoted && b.meta < 0 && (c == '*' || c == '?' || c == '['):
			b.meta = b.text.Len()
			b.text.WriteByte(c)
		default:
			b.text.WriteByte(c)
		}
	}
}

func (b *builder) param(p *syntax.ParamExp, quoted bool) {
	plain := p.Param != nil && !p.Excl && !p.Length && !p.Width && p.Index == nil && p.Slice == nil && p.Repl == nil &&
		p.Exp == nil && p.Names == 0 && p.Flags == nil && p.NestedParam == nil && len(p.Modifiers) == 0
	if !plain {
		b.nested = true
		b.lose(quoted)
		return
	}
	name := p.Param.Value
	if w, ok := b.x.vars[name]; ok && (quoted || !strings.ContainsAny(w.text, " \t\n") && (w.kind == globbed || !strings.ContainsAny(w.text, "*?["))) {
		if w.kind == globbed && b.meta < 0 {
			b.meta = b.text.Len() + w.meta
		}
		b.text.WriteString(w.text)
		return
	}
	switch {
	case name == "HOME":
		b.text.WriteString(b.x.home())
	case name == "PWD" && len(b.in) == 1:
		b.text.WriteString(b.in[0])
	default:
		b.lose(quoted)
	}
}

func (x *walk) home() string {
	if x.sh.Home == "" {
		return "~"
	}
	return x.sh.Home
}

// ansi undoes the escapes of $'…'.
func ansi(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		digits, base := 0, 16
		switch s[i] {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case 'e', 'E':
			b.WriteByte(27)
		case 'x':
			digits, i = 2, i+1
		case 'u':
			digits, i = 4, i+1
		case 'U':
			digits, i = 8, i+1
		case '0', '1', '2', '3', '4', '5', '6', '7':
			digits, base = 3, 8
		default:
			b.WriteByte(s[i])
		}
		if digits == 0 {
			continue
		}
		n := 0
		for n < digits && i+n < len(s) && isDigit(s[i+n], base) {
			n++
		}
		if v, err := strconv.ParseUint(s[i:i+n], base, 32); err == nil {
			if n <= 3 {
				b.WriteByte(byte(v))
			} else {
				b.WriteRune(rune(v))
			}
		}
		i += n - 1
	}
	return b.String()
}

func isDigit(c byte, base int) bool {
	if base == 8 {
		return c >= '0' && c <= '7'
	}
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// nested reads the commands that are inside a word, or anything else that has words.
func (x *walk) nested(n syntax.Node, in dirs) {
	if n == nil || x.mute {
		return
	}
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			x.stmts(n.Stmts, in, input{})
			return false
		case *syntax.ProcSubst:
			x.stmts(n.Stmts, in, input{piped: true})
			return false
		case *syntax.Stmt:
			x.stmt(n, in, input{})
			return false
		case *syntax.ArithmExp:
			x.arithmetic(n.X)
		case *syntax.ArithmCmd:
			x.arithmetic(n.X)
		case *syntax.BinaryTest:
			switch n.Op {
			case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
				x.arithmetic(n.X)
				x.arithmetic(n.Y)
			default:
			}
		case *syntax.UnaryTest:
			if n.Op == syntax.TsVarSet {
				x.arithmetic(n.X)
			}
		case *syntax.ParamExp:
			if n.Index != nil {
				x.arithmetic(n.Index)
			}
			if n.Slice != nil {
				x.arithmetic(n.Slice)
			}
			if n.Excl || n.Exp != nil && n.Exp.Op == syntax.OtherParamOps {
				x.unclear("The shell runs what is in the variable of %s.", x.source(n))
			}
			if n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) {
				x.unclear("The line changes a variable inside a word.")
			}
		}
		return true
	})
}

// arithmetic judges what the shell reckons with. A name in it is replaced by what the
// variable holds, which is read as arithmetic again and may have commands in it:
// a[$(rm x)].
func (x *walk) arithmetic(n any) {
	node, ok := n.(syntax.Node)
	if s, slice := n.(*syntax.Slice); slice {
		if s.Offset != nil {
			x.arithmetic(s.Offset)
		}
		if s.Length != nil {
			x.arithmetic(s.Length)
		}
		return
	}
	if !ok {
		return
	}
	syntax.Walk(node, func(n syntax.Node) bool {
		safe := true
		switch n := n.(type) {
		case *syntax.Lit:
			safe = x.number(n.Value)
		case *syntax.SglQuoted:
			safe = x.number(n.Value)
		case *syntax.ParamExp:
			if n.Param != nil && (n.Length || oneOf(n.Param.Value, "#", "?", "$", "!", "LINENO", "RANDOM", "SECONDS", "UID")) {
				return false
			}
			safe = n.Param != nil && n.Exp == nil && x.vars[n.Param.Value].number() && n.Param.Value != ""
			if safe {
				return false
			}
		case *syntax.CmdSubst:
			safe = false
		}
		if !safe {
			x.unclear("The shell may run what %s holds, when it reckons with it.", x.source(n))
		}
		return safe
	})
}

// number reports whether a text is a number or the name of a variable that holds one.
func (x *walk) number(s string) bool {
	return strings.Trim(s, "0123456789abcdefABCDEFx") == "" && s != "" && s[0] >= '0' && s[0] <= '9' || s == "@" || s == "*" || x.vars[s].number()
}

func (w word) number() bool {
	return w.kind == exact && w.text != "" && strings.Trim(w.text, "0123456789") == ""
}

// hidesCommands reports whether a text that is not run has commands in it that the shell
// may come to run all the same: as the index of an array, in a prompt.
func hidesCommands(text string) bool {
	return strings.Contains(text, "$(") || strings.Contains(text, "`")
}

// joined is what echo prints of its arguments.
func joined(ws []word) word {
	out := word{kind: exact}
	var b strings.Builder
	for i, w := range ws {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.text)
		out.proc, out.net = out.proc || w.proc, out.net || w.net
		if w.kind == unknown {
			out.kind = unknown
		}
	}
	out.text = b.String()
	out.src = out.text
	return out
}

package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// lexical says what in a text a shell may read otherwise than it was parsed.
func (x *walk) lexical(text string, f *syntax.File, what string) {
	l := newLexer(text)
	if l.odd != "" {
		x.unclear("%s has %s in it, which shells may read in another way.", what, l.odd)
		return
	}
	if !l.agrees(f) {
		x.unclear("%s has words that shells may read in another way.", what)
	}
}

// A comparison is of the words of a lexer with those of the parser.
type comparison struct {
	words  map[int]lexeme // by where they begin
	ends   map[int]lexeme
	taken  map[lexeme]bool
	of     map[int]*syntax.CallExpr // the command that the parser has for one of the lexer's
	differ bool
}

// agrees reports whether the parser found the same words as the lexer, in the same commands.
func (l *lexer) agrees(f *syntax.File) bool {
	c := comparison{words: map[int]lexeme{}, ends: map[int]lexeme{}, taken: map[lexeme]bool{}, of: map[int]*syntax.CallExpr{}}
	for _, w := range l.words {
		c.words[w.from], c.ends[w.to] = w, w
	}
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			c.call(n)
		case *syntax.Assign:
			c.assignment(n)
		case *syntax.Word:
			c.word(n)
		case *syntax.Redirect:
			c.redirect(n)
			return false
		case *syntax.WordIter:
			c.name(n.Name)
		case *syntax.DeclClause:
			c.name(n.Variant)
		case *syntax.TestClause:
			c.test(n, l.text)
		case *syntax.ParamExp, *syntax.ArithmExp, *syntax.ArithmCmd:
			return false // their text is compared with nothing: the lexer admits none that has words
		}
		return !c.differ
	})
	for _, w := range l.words {
		if !c.taken[w] && !syntax.IsKeyword(l.text[w.from:w.to]) && !oneOf(l.text[w.from:w.to], "in", "[[", "]]") {
			return false
		}
	}
	return !c.differ
}

// word takes a word of the parser. Those inside a word of the lexer are part of one that was
// taken.
func (c *comparison) word(w *syntax.Word) (lexeme, bool) {
	from, to := int(w.Pos().Offset()), int(w.End().Offset()) //nolint:gosec // a line is short
	found, ok := c.words[from]
	if !ok || found.to != to {
		if found, ok = c.ends[to]; !ok || !c.taken[found] || found.from > from {
			c.differ = true
			return lexeme{}, false
		}
	}
	c.taken[found] = true
	return found, true
}

// call takes the words of a command, which are in one command of the lexer, alone.
func (c *comparison) call(call *syntax.CallExpr) {
	for i, a := range call.Args {
		w, ok := c.word(a)
		if !ok {
			return
		}
		if other, had := c.of[w.command]; had && other != call || i > 0 && c.of[w.command] != call {
			c.differ = true
			return
		}
		c.of[w.command] = call
	}
}

// assignment takes the word of which a value is the end.
func (c *comparison) assignment(a *syntax.Assign) {
	found, ok := c.words[int(a.Pos().Offset())]   //nolint:gosec // a line is short
	if !ok || found.to != int(a.End().Offset()) { //nolint:gosec // a line is short
		c.differ = true
		return
	}
	c.taken[found] = true
}

func (c *comparison) name(n *syntax.Lit) {
	if n == nil {
		return
	}
	if found, ok := c.words[int(n.Pos().Offset())]; ok { //nolint:gosec // a line is short
		c.taken[found] = true
	}
}

// redirect takes where a redirection leads; what a here-document holds was read as text.
func (c *comparison) redirect(r *syntax.Redirect) {
	if r.Word == nil {
		return
	}
	syntax.Walk(r.Word, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Word:
			c.word(n)
		case *syntax.CallExpr:
			c.call(n)
		case *syntax.Assign:
			c.assignment(n)
		case *syntax.Redirect:
			c.redirect(n)
			return false
		case *syntax.ParamExp, *syntax.ArithmExp:
			return false
		}
		return !c.differ
	})
}

// test takes the operators of [[ … ]].
func (c *comparison) test(t *syntax.TestClause, text string) {
	from, to := int(t.Pos().Offset()), int(t.End().Offset()) //nolint:gosec // a line is short
	for _, w := range c.words {
		if w.from >= from && w.to <= to && strings.Trim(text[w.from:w.to], "=!~-abcdefghijklmnopqrstuvwxyzGLNOSR") == "" {
			c.taken[w] = true
		}
	}
}

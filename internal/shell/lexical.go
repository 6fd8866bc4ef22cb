package shell

import (
	"strings"

	"chela/internal/confusable"
)

// A lexer splits the text of a shell program into words by rules of its own, which are far
// fewer than a shell's. What these do not cover is odd: a shell may read it otherwise than
// the parser does. What they do cover is compared with what the parser made of it.
type lexer struct {
	text    string
	at, end int
	words   []lexeme
	command int // goes up with every operator and line feed between words
	waiting []hereDocument
	quoted  bool   // the text is in backquotes
	odd     string // why the text is not covered, the first reason
}

// A lexeme is a word, where it is in the text, with the command that it is in.
type lexeme struct{ from, to, command int }

type hereDocument struct {
	end     string // the line that ends it
	literal bool
	tabs    bool // tabs before its lines do not count
}

func newLexer(text string) *lexer {
	l := &lexer{text: text, end: len(text)}
	switch {
	case strings.Contains(text, "\\\n"):
		l.fail("a line continuation")
	case len(confusable.Describe(text)) > 0:
		l.fail("characters that cannot be seen or look like others")
	default:
		l.list(false)
		if len(l.waiting) > 0 {
			l.fail("a here-document without an end")
		}
	}
	return l
}

// fail ends the reading.
func (l *lexer) fail(why string) {
	if l.odd == "" {
		l.odd = why
	}
	l.at = l.end
}

// peek returns the byte at an offset from here, 0 behind the end.
func (l *lexer) peek(offset int) byte {
	if l.at+offset >= l.end {
		return 0
	}
	return l.text[l.at+offset]
}

// list reads commands up to the end, or to the bracket that closes a substitution.
func (l *lexer) list(inside bool) {
	depth := 0
	for l.at < l.end {
		switch c := l.text[l.at]; c {
		case ' ', '\t':
			l.at++
		case '\n':
			l.at++
			l.command++
			l.documents()
		case '#':
			for l.at < l.end && l.text[l.at] != '\n' {
				l.at++
			}
		case ';', '&', '|':
			l.at++
			if c != '&' || l.peek(0) != '>' { // &> sends both outputs somewhere
				l.command++
			}
		case '<', '>':
			l.redirect()
		case '(':
			l.at++
			l.command++
			if depth++; l.peek(0) == '(' {
				l.fail("two brackets in a row")
			}
		case ')':
			if depth == 0 && inside {
				return
			}
			depth = max(0, depth-1)
			l.at++
			l.command++
		default:
			l.word()
		}
	}
	if inside {
		l.fail("a substitution without an end")
	}
}

// redirect reads the operator of a redirection, and what a here-document ends with.
func (l *lexer) redirect() {
	from := l.at
	for l.at < l.end && strings.IndexByte("<>&|", l.text[l.at]) >= 0 {
		l.at++
	}
	operator := l.text[from:l.at]
	switch {
	case l.peek(0) == '(':
		l.fail("a process substitution")
	case operator == "<<":
		l.document()
	case !oneOf(operator, "<", ">", ">>", ">|", "<&", ">&", "<>", "<<<"):
		l.fail("the operator " + operator)
	}
}

// document reads what follows << .
func (l *lexer) document() {
	d := hereDocument{}
	if l.peek(0) == '-' {
		d.tabs = true
		l.at++
	}
	for l.peek(0) == ' ' || l.peek(0) == '\t' {
		l.at++
	}
	from := l.at
	l.word()
	d.end = l.text[from:max(from, min(l.at, l.end))]
	for _, quote := range []string{"'", `"`} {
		if rest, ok := strings.CutPrefix(d.end, quote); ok {
			d.end, d.literal = strings.TrimSuffix(rest, quote), true
		}
	}
	if d.end == "" || strings.Trim(d.end, nameBytes) != "" || l.quoted {
		l.fail("a here-document with an unusual end")
	}
	l.waiting = append(l.waiting, d)
}

const nameBytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789"

func nameByte(c byte) bool { return c != 0 && strings.IndexByte(nameBytes, c) >= 0 }

// documents reads the here-documents that begin on the next line.
func (l *lexer) documents() {
	waiting := l.waiting
	l.waiting = nil
	for _, d := range waiting {
		for done := false; !done; {
			if l.at >= l.end {
				l.fail("a here-document without an end")
				return
			}
			line, _, _ := strings.Cut(l.text[l.at:l.end], "\n")
			next := min(l.at+len(line)+1, l.end)
			if d.tabs {
				line = strings.TrimLeft(line, "\t")
			}
			if done = line == d.end; !done && !d.literal && !plainDocument(line) {
				l.fail("a here-document that is more than text")
				return
			}
			l.at = next
		}
	}
}

// plainDocument reports whether a line of a here-document is text, with at most variables.
func plainDocument(line string) bool {
	for i := range len(line) {
		switch line[i] {
		case '\\', '`':
			return false
		case '$':
			if i+1 < len(line) && !nameByte(line[i+1]) && line[i+1] != ' ' {
				return false
			}
		}
	}
	return true
}

// word reads one word.
func (l *lexer) word() {
	from := l.at
	for l.at < l.end {
		switch c := l.text[l.at]; c {
		case ' ', '\t', '\n', ';', '&', '|', ')':
			l.keep(from)
			return
		case '<', '>':
			if strings.Trim(l.text[from:l.at], "0123456789") != "" { // else it is a descriptor
				l.keep(from)
			}
			return
		case '(':
			l.fail("a bracket inside a word")
		case '\\':
			if l.at+1 >= l.end {
				l.fail("a backslash at the end")
			}
			l.at += 2
		case '\'':
			n := strings.IndexByte(l.text[l.at+1:l.end], '\'')
			if n < 0 {
				l.fail("a quote without an end")
				return
			}
			l.at += n + 2
		case '"':
			l.double()
		case '`':
			l.backquotes(false)
		case '$':
			l.dollar(false)
		default:
			l.at++
		}
	}
	if l.odd == "" {
		l.keep(from)
	}
}

func (l *lexer) keep(from int) {
	l.words = append(l.words, lexeme{from, min(l.at, l.end), l.command})
}

// double reads what is in double quotes.
func (l *lexer) double() {
	for l.at++; l.at < l.end; {
		switch l.text[l.at] {
		case '"':
			l.at++
			return
		case '\\':
			l.at += 2
		case '`':
			l.backquotes(true)
		case '$':
			l.dollar(true)
		default:
			l.at++
		}
	}
	l.fail("a quote without an end")
}

// backquotes reads the command in them, which has neither backslashes nor, in double quotes,
// quotes.
func (l *lexer) backquotes(quoted bool) {
	n := strings.IndexByte(l.text[l.at+1:l.end], '`')
	if n < 0 || l.quoted || strings.ContainsAny(l.text[l.at+1:l.at+1+n], `\#`) || quoted && strings.ContainsAny(l.text[l.at+1:l.at+1+n], `"'`) {
		l.fail("backquotes that shells read in different ways")
		return
	}
	end, command := l.end, l.command
	l.at, l.end, l.quoted, l.command = l.at+1, l.at+1+n, true, l.next()
	l.list(false)
	l.command, l.quoted = command, false
	if l.odd == "" {
		l.at = l.end + 1
	}
	l.end = end
	if l.odd != "" {
		l.at = end
	}
}

// next is a number for the commands of a substitution, apart from those around it.
func (l *lexer) next() int { return l.command + len(l.text) + l.at }

// dollar reads what follows $: a name, a default, a command, a sum.
func (l *lexer) dollar(quoted bool) {
	l.at++
	c := l.peek(0)
	switch {
	case c == '(' && l.peek(1) == '(':
		l.sum()
	case c == '(':
		command, waiting := l.command, l.waiting
		l.command, l.waiting = l.next(), nil
		l.at++
		if l.list(true); len(l.waiting) > 0 {
			l.fail("a here-document inside a substitution")
		}
		l.command, l.waiting = command, waiting
		l.at++
	case c == '{':
		l.braces()
	case nameByte(c):
		for nameByte(l.peek(0)) && (c < '0' || c > '9') {
			l.at++
		}
		if c >= '0' && c <= '9' {
			l.at++
		}
	case c != 0 && strings.IndexByte("@*#?$!-", c) >= 0:
		l.at++
	case !quoted && (c == '\'' || c == '"'):
		l.fail("quotes after $")
	case c != 0 && strings.IndexByte(" \t\n;|)/.,:\"'", c) < 0:
		l.fail("a $ before " + string(rune(c)))
	}
}

// braces reads ${name} with what may follow the name.
func (l *lexer) braces() {
	n := strings.IndexByte(l.text[l.at:l.end], '}')
	if n < 0 {
		l.fail("a ${ without an end")
		return
	}
	inside := l.text[l.at+1 : l.at+n]
	for i := range len(inside) {
		if strings.IndexByte("\\'\"`{(\n<>&;|", inside[i]) >= 0 || inside[i] == '$' && i > 0 && (i+1 == len(inside) || !nameByte(inside[i+1])) {
			l.fail("more in ${…} than shells agree about")
			return
		}
	}
	l.at += n + 1
}

// sum reads $((…)), in which nothing but numbers and variables are.
func (l *lexer) sum() {
	depth := 0
	for l.at < l.end {
		switch c := l.text[l.at]; {
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				if l.text[l.at-1] != ')' {
					l.fail("a sum with unusual brackets")
				}
				l.at++
				return
			}
			if depth == 1 && l.peek(1) != ')' {
				l.fail("a sum with unusual brackets")
				return
			}
		case c == '$' && !nameByte(l.peek(1)) && l.peek(1) != '#', c != '$' && !nameByte(c) && strings.IndexByte(" \t+-*/%=!?:~^,<>&|#", c) < 0:
			l.fail("more in $((…)) than numbers and variables")
			return
		}
		l.at++
	}
	l.fail("a sum without an end")
}

package agent

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// mostHeld is how many bytes of a word a veil waits for: longer ones are passed on in parts.
const mostHeld = 512

// A veil passes on what a model says while it says it, word by word, so that a secret is masked before anybody sees its beginning. A
// secret of several words is masked only in the answer that is recorded.
type veil struct {
	mask func(text string) string
	pass func(text string, at int) // at is how many characters came before
	held string                    // of a word that may go on
	said int                       // characters that were passed on
}

// add takes the next piece of an answer.
func (v *veil) add(text string) {
	v.held += text
	end := strings.LastIndexFunc(v.held, between)
	if end < 0 && len(v.held) <= mostHeld {
		return
	}
	if end < 0 {
		v.flush()
		return
	}
	_, n := utf8.DecodeRuneInString(v.held[end:])
	done, rest := v.held[:end+n], v.held[end+n:]
	v.held = done
	v.flush()
	v.held = rest
}

// flush passes on what is held: the answer is over.
func (v *veil) flush() {
	if v.held == "" {
		return
	}
	text := v.mask(v.held)
	v.held = ""
	v.pass(text, v.said)
	v.said += utf8.RuneCountInString(text)
}

// anew forgets an answer that is begun again.
func (v *veil) anew() { v.held, v.said = "", 0 }

// between reports whether no secret goes on over a rune: tokens and passwords are of ASCII without spaces.
func between(r rune) bool { return unicode.IsSpace(r) || r >= utf8.RuneSelf }

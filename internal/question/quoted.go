package question

import (
	"fmt"

	"chela/internal/desk"
)

// quotation is how many words a quotation has that begins at an item: 0 where it is none, or where records of the kind have no title and
// description to look for it in.
func (r *reader) quotation(kind desk.Kind, i int) (n int) {
	if fieldOf(kind, "title") == "" || fieldOf(kind, "description") == "" {
		return 0
	}
	for _, it := range r.items[i:] {
		t := r.tokens[it.at]
		if !t.quoted || it.n > 1 || it.sort != "word" && it.sort != "number" || n > 0 && !r.goesOn(it.at) {
			break
		}
		n++
	}
	return n
}

// goesOn reports whether a word stands in the quotation of the word before it: nothing but a blank is between them.
func (r *reader) goesOn(at int) bool { return r.tokens[at].start == r.tokens[at-1].end+1 }

// quoted is the condition that a title or a description has the words at an item as they stand in the question.
func (r *reader) quoted(i, n int, not bool) string {
	at := r.items[i].at
	for k := i; k < i+n; k++ {
		r.items[k].used = true
	}
	words := phraseOf(r.tokens[at : at+n])
	c := fmt.Sprintf("(title:~%q OR description:~%q)", words, words)
	if not {
		return "-" + c
	}
	return c
}

package extract

import (
	"fmt"
	"slices"
	"strings"
)

// A repeats tells rows of a table that would be taken for one ticket.
type repeats struct {
	at     map[string]int    // key → place of its ticket
	titled map[string][]Row  // title → rows without a key that have it, or are called so
	again  map[string]int    // how the rows repeat one another → how many do
	first  map[string]string // the first of these, a sentence without its end
}

func newRepeats(rows int) *repeats {
	return &repeats{at: make(map[string]int, rows), titled: make(map[string][]Row), again: make(map[string]int), first: make(map[string]string)}
}

// keyOf is what two rows have in common that are of one ticket: capital letters do not tell keys apart.
func keyOf(repository, ref string) string { return repository + "#" + folded(ref) }

func folded(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }

// keyed returns the place of the ticket that has the row's key already.
func (r *repeats) keyed(row Row, t TicketRow, tickets []TicketRow) (place int, is bool) {
	if t.Ref == "" {
		return 0, false
	}
	if place, is = r.at[keyOf(t.Repository, t.Ref)]; is {
		r.note("key", fmt.Sprintf("line %d: it has the key %s, which line %d has too", row.Line, t.Ref, tickets[place].Span.Line))
	}
	return place, is
}

// titledAlike tells rows without a key apart whose titles are the same: the second is called "Title (2)", and so on. A row that repeats
// another word for word is left out.
func (r *repeats) titledAlike(row Row, t *TicketRow) (left bool) {
	if t.Ref != "" {
		return false
	}
	name, title := folded(t.Title), t.Title
	same := r.titled[name]
	for _, other := range same {
		if slices.Equal(other.Cells, row.Cells) {
			r.note("row", fmt.Sprintf("line %d: it says what line %d says, and was left out", row.Line, other.Line))
			return true
		}
	}
	r.titled[name] = append(same, row)
	if len(same) == 0 {
		return false
	}
	for n := len(same) + 1; ; n++ {
		t.Title = fmt.Sprintf("%s (%d)", title, n)
		if called := folded(t.Title); len(r.titled[called]) == 0 {
			r.titled[called] = []Row{row}
			break
		}
	}
	r.note("title", fmt.Sprintf("line %d: it has the title of line %d and no key, so it is called %q", row.Line, same[0].Line, t.Title))
	return false
}

func (r *repeats) note(how, what string) {
	if r.again[how]++; r.again[how] == 1 {
		r.first[how] = what
	}
}

// problems are a sentence for each way in which rows repeat one another.
func (r *repeats) problems() (out []string) {
	for _, x := range []struct{ how, one, many string }{
		{"key", "; the last of them counts.", "; %d rows repeat a key, and the last of each counts."},
		{"title", ".", "; %d rows without a key repeat a title, and each is a ticket of its own."},
		{"row", ".", "; %d rows repeat another word for word, and were left out."},
	} {
		switch n := r.again[x.how]; {
		case n == 1:
			out = append(out, r.first[x.how]+x.one)
		case n > 1:
			out = append(out, r.first[x.how]+fmt.Sprintf(x.many, n))
		}
	}
	return out
}

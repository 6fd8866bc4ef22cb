package question

import (
	"fmt"
	"strings"

	"chela/internal/desk"
)

// persons is the condition that records are somebody's: their owner's, or their reporter's.
func (r *reader) persons(kind desk.Kind, it *item) string {
	reported := r.reports(it) || r.authored(it)
	if kind == desk.Ticket {
		full, _ := r.v.Value(nameWords(it.names[0].Name))
		if it.names[0].ID == "" && r.valued(kind, full) == "" { // whom no ticket names
			it.sort = "word"
			return ""
		}
		if reported || it.names[0].ID == "" {
			return fmt.Sprintf("reporter:%q", it.names[0].Name)
		}
		return fmt.Sprintf("owner:%q", it.names[0].Name)
	}
	if form := kind.Asked().Of; form != "" {
		return fmt.Sprintf(form, fmt.Sprintf("%q", it.names[0].Name))
	}
	return ""
}

// reports reports whether a person is one who reported: the question says so of somebody, and of this one nothing else. Of several it is who stands
// beside the word: "owned by Dana but reported by Carla", "Dana's tickets reported by Carla".
func (r *reader) reports(person *item) bool {
	is := func(it *item) bool {
		return it != nil && (it.sort == "verb" && it.value == "reported" || it.sort == "field" && it.value == "reporter")
	}
	if r.has("verb", "reported") == nil && r.has("field", "reporter") == nil {
		return false
	}
	if len(r.all("person")) < 2 {
		return true
	}
	a := r.after(person)
	if r.possessed(person) || a != nil && a.sort == "verb" && a.value == "owned" { // "that Tom owns"
		return false
	}
	for a != nil && a.sort == "person" && r.listed(person, a) {
		person, a = a, r.after(a)
	}
	b := r.before(person)
	for b != nil && (b.sort == "person" && r.listed(b, person) || b.sort == "by") {
		person, b = b, r.before(b)
	}
	if is(b) || !is(a) || a.sort != "verb" {
		return is(b)
	}
	by := r.after(a)
	return by == nil || by.sort != "by" || r.after(by) == nil || r.after(by).sort != "person" // "Joe's tickets reported by Carla"
}

// listed reports whether an "and" or an "or" stands between two items.
func (r *reader) listed(a, b *item) bool {
	return b.at == a.at+a.n+1 && r.marked("joint", b.at-1)
}

// possessed reports whether records are said to be of a person, or for them: "of Dana or Tom" says it of both.
func (r *reader) possessed(person *item) bool {
	if r.marked("of", person.at-1) {
		return true
	}
	b := r.before(person)
	return b != nil && b.sort == "person" && r.listed(b, person) && r.possessed(b)
}

// authored reports whether a person is whom a question says to have created records: "did Dana create", "created by Dana".
func (r *reader) authored(person *item) bool {
	creates := func(it *item) bool { return it != nil && it.sort == "verb" && it.value == "created" }
	switch before := r.before(person); {
	case before != nil && before.sort == "by" && creates(r.before(before)):
		return true
	case before != nil && before.sort == "by" && r.before(before) != nil && r.before(before).sort == "verb": // "owned by Joe created in May"
		return false
	case before != nil && before.sort == "verb" && before.value == "owned" && !r.marked("having", before.at): // "assigned to Dana and created by Tom"
		return false
	}
	if r.possessed(person) { // "tickets of Joe created in May"
		return false
	}
	next := r.after(person)
	if next != nil && next.sort == "verb" && next.value == "owned" && r.marked("having", next.at) { // "has created"
		next = r.after(next)
	}
	last := r.tokens[person.at+person.n-1].raw
	return creates(next) && !strings.HasSuffix(last, "'s") && !strings.HasSuffix(last, "’s")
}

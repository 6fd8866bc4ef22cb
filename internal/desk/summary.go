package desk

import (
	"slices"
	"strings"
)

// A Summary is what lists and searches need of a record.
type Summary struct {
	Identity string // what makes it the same thing as another, case-folded
	Title    string
	Status   string
	Refs     []Ref
}

// Summarize returns r's summary.
func Summarize(r Record) (Summary, error) {
	thing, err := Decode(r)
	if err != nil {
		return Summary{}, err
	}
	return SummaryOf(thing), nil
}

// Decode returns r's body.
func Decode(r Record) (Thing, error) {
	s, err := r.Kind.spec()
	if err != nil {
		return nil, err
	}
	thing := s.make()
	return thing, decode(r, thing)
}

// Lighten takes out of a body what imports alone read: of a ticket from a tracker that is as much as all the rest.
func Lighten(t Thing) {
	if l, ok := t.(interface{ lighten() }); ok {
		l.lighten()
	}
}

// SummaryOf returns the summary of a body.
func SummaryOf(thing Thing) Summary {
	out := Summary{Identity: fold(thing.identity()), Title: plainText(thing.title()), Status: thing.status()}
	for _, ref := range thing.refs() {
		if ref.ID != "" && !slices.Contains(out.Refs, ref) {
			out.Refs = append(out.Refs, ref)
		}
	}
	return out
}

// Heading returns the title and the status of a body's summary.
func Heading(thing Thing) (title, status string) { return plainText(thing.title()), thing.status() }

// Identity returns what makes a body of kind k the same thing as another.
func Identity(t Thing) string { return fold(t.identity()) }

// Title is what people call a thing.
func Title(t Thing) string { return t.title() }

// Means reports whether a body, which has no identity in common with a record, means it all the same:
// they have one title, and at least one of the two is known by nothing else.
func Means(r Record, t Thing) (bool, error) {
	s, err := Summarize(r)
	if err != nil || fold(s.Title) != fold(t.title()) {
		return false, err
	}
	return s.ByTitle() || Identity(t) == fold(t.title()), nil
}

// Folded is the title, as those that people take for the same have it in common.
func (s Summary) Folded() string { return fold(s.Title) }

// ByTitle reports whether a record is known by its title alone.
func (s Summary) ByTitle() bool { return s.Identity == s.Folded() }

// plainText takes NUL characters out, which PostgreSQL's texts cannot hold.
func plainText(s string) string { return strings.ReplaceAll(s, "\x00", "") }

// fold makes texts that people take for the same equal.
func fold(s string) string { return strings.ToLower(strings.Join(strings.Fields(plainText(s)), " ")) }

func refsTo(field string, ids []string) []Ref {
	out := make([]Ref, len(ids))
	for i, id := range ids {
		out[i] = Ref{field, id}
	}
	return out
}

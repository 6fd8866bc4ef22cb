package question

import (
	"slices"
	"strings"
	"time"

	"chela/internal/desk"
)

// A Name is a name of somebody: of a person on the desk, or of somebody whom records mention.
type Name struct {
	Name string
	ID   string // of the person's record, "" for others
}

// A Value is a value of a field that some records have: a sprint, a label, a skill.
type Value struct {
	Kind  desk.Kind
	Field string
	Text  string
}

// A Hit is a record that words name.
type Hit struct {
	ID    string
	Kind  desk.Kind
	Title string
	From  int // the first word of a title that the question has whole
	Words int // how many words it has
	Share float64
}

// A Vocabulary is the names of one project, as its records have them.
type Vocabulary interface {
	// Person returns the people whom the words name, a name or part of one, and how many words that is.
	Person(words []string) ([]Name, int)
	// Value returns the values of fields that the words name whole, and how many words that is.
	Value(words []string) ([]Value, int)
	// Key returns the records that have the key or the id.
	Key(word string) []Hit
	// Titled returns the records of which the words have the whole title, the longest first.
	Titled(words []string) []Hit
	// Named returns the records of which the title fits the words best; Share is how much of the words
	// it has, by weight. An empty kind means all.
	Named(words []string, kind desk.Kind) []Hit
	// Knows reports whether any record has the word.
	Knows(word string) bool
	// Spell returns the word of a title or a name that a word with a typo is meant to be.
	Spell(word string) (string, bool)
	// InRole returns the names of the people who have a role.
	InRole(role string) []string
	// Dated reports whether any ticket, and whether every ticket, has a day of creation from its tracker.
	Dated() (some, all bool)
	// Meetings returns the days of the first and the last meeting until a day, empty when there is none.
	Meetings(until desk.Date) (first, last string)
	// Days returns the first and the last day of a record: those on which it begins and ends, or twice the one on which it is due; empty when it has none.
	Days(id string) (first, last desk.Date)
	// LastSprints returns the names of so many sprints that ended before a moment, the newest first; fewer where fewer are known.
	LastSprints(n int, now time.Time) []string
	// Sprint returns the name of the sprint that is on at a moment, begins next or ended last, as plans of sprints and objectives say;
	// empty when they do not, or of several alike.
	Sprint(which WhichSprint, now time.Time) string
}

// A WhichSprint tells the sprints around a moment apart.
type WhichSprint string

// The sprints around a moment.
const (
	ThisSprint WhichSprint = "this"
	NextSprint WhichSprint = "next"
	LastSprint WhichSprint = "last"
)

// A Reading is what a question was read as.
type Reading struct {
	Plans    []Plan   // the best one first; the others are what else it may mean
	Unknown  []string // words that no record and no table has
	Ignored  []string // words that the tables have and the first plan makes nothing of
	Spelled  []string // words that were read as others: "opne: open"
	Shared   []Shared // names that several people go by
	Stranger string   // who asks for what is theirs, and is no one person on the desk
	Costs    bool     // the question is a search, and after what something cost
	Act      string   // the word that asks for a change of a record: "close PAY-1"
	Help     bool     // it is asked what can be asked
	Cut      bool     // the question has more words than are read
	Language string   // en, de
}

// Shared is a name in a question by which several people go.
type Shared struct {
	Said  string
	Names []string // the first is who is meant
}

// Read reads a question that nobody in particular asks, at a time. It never fails: what nothing is understood of is a search.
func Read(text string, v Vocabulary, now time.Time) Reading {
	return ReadOf("", text, v, now)
}

// SamePerson reports whether two names may be those of one person: equal, or one is the other's first
// or last name.
func SamePerson(a, b string) bool {
	x, y := strings.Fields(strings.ToLower(a)), strings.Fields(strings.ToLower(b))
	switch {
	case len(x) == 0 || len(y) == 0:
		return false
	case len(x) == 1 && len(y) > 1:
		return x[0] == y[0] || x[0] == y[len(y)-1]
	case len(y) == 1 && len(x) > 1:
		return y[0] == x[0] || y[0] == x[len(x)-1]
	}
	return slices.Equal(x, y)
}

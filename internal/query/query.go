// Package query is the language in which lists are narrowed and sorted, and the words by
// which records are found. A filter such as
//
//	status:TODO,BLOCKED owner:"Joe Martinez" updated:>2w -label:later (retry OR refund)
//
// is terms joined by blanks, all of which hold; OR between them, NOT or a leading - before
// them, and parentheses. A term is
//
//   - field:value, whatever the case; "quoted" when it holds blanks, commas or parentheses;
//     several values with commas between them: any of them;
//   - field:~part, for texts that contain it; a person is found by whole words of the name;
//   - field:>value, also >=, < and <=, for numbers, times, and closed sets in their order;
//   - field:none for what is not set, and has:field for what is;
//   - a word, or "some words": records whose text has them, the last one by its beginning.
//
// A time is a day (2026-03-01), a month (2026-03), an instant (RFC 3339), today, or a
// distance: 2w is two weeks ago, +2w in two weeks. So updated:>2w is what changed within
// the last two weeks, and due:<+1w what is due before a week from now. The units are h, d
// (24 hours), w (7 days), m and y (by the calendar; a day that the month lacks is its last
// one). Without a comparison a distance means the day it falls on. Days begin in UTC;
// fields that hold days are compared by days. > is after all of a day or month, < before it.
//
// What fields there are the caller says with [Fields]. [Parse] gives a tree of [Expr] whose
// String is the filter again. Where the tree is found is the store's concern.
package query

import (
	"slices"
	"strings"
	"time"
)

// A Type says what a field's values are.
type Type uint8

// The types.
const (
	Text     Type = iota // any text
	Set                  // one of Field.Allowed, in their order
	Number               // compared as numbers
	Day                  // a day, or an instant of which the day counts
	Instant              // when something happened
	Flag                 // true or false
	Ref                  // the id of another record
	Person               // a person's name, whole words of it, or id
	Presence             // is there or not
)

// A Place is where a field's values lie.
type Place uint8

// The places.
const (
	InColumn Place = iota // a column of the records, Path
	InBody                // in the body at Path; of each element at Path the member Sub
	InRefs                // references in the field Path, or in any when it is ""
	InShares              // persons who have an assignment
	InStatus              // true unless the status is one of Over
)

// A Field is one thing that a filter can ask for.
type Field struct {
	Name    string
	Type    Type
	Many    bool     // a list: one value that fits is enough
	Allowed []string // of a Set, least first
	Place   Place
	Path    string
	Sub     string
	Over    []string // statuses
	Column  string   // of the narrow row of a record, where it is there too
}

// Sortable reports whether a list can be sorted by f.
func (f Field) Sortable() bool { return !f.Many && f.Type != Ref && f.Type != Presence }

// Fields are what a filter of one kind of things can ask for.
type Fields struct {
	Of   string // the kind, in a sentence
	List []Field
}

// Find returns the field of that name, whatever the case.
func (f Fields) Find(name string) (Field, bool) {
	i := slices.IndexFunc(f.List, func(x Field) bool { return strings.EqualFold(x.Name, name) })
	if i < 0 {
		return Field{}, false
	}
	return f.List[i], true
}

func (f Fields) names(of func(Field) bool) []string {
	var out []string
	for _, x := range f.List {
		if of(x) {
			out = append(out, x.Name)
		}
	}
	slices.Sort(out)
	return out
}

// An Op is how a field is compared.
type Op string

// The ops.
const (
	Is       Op = ""
	Contains Op = "~"
	Less     Op = "<"
	AtMost   Op = "<="
	More     Op = ">"
	AtLeast  Op = ">="
)

// A Value is what a field is compared with.
type Value struct {
	Text   string // as it was written, in the field's own spelling
	None   bool   // the field is not set
	Number float64
	From   time.Time // what a time means: from here
	To     time.Time // until before here
}

// An Expr is a condition: [And], [Or], [Not], [Term], [Match] or [Among].
type Expr interface {
	// String is the filter that gives the condition.
	String() string
	bind() int // how tightly it binds
}

// And holds when all of two or more do.
type And []Expr

// Or holds when any of two or more does.
type Or []Expr

// Not holds when Of does not.
type Not struct{ Of Expr }

// A Term compares a field. With [Is] and [Contains] any of the values will do; the
// others have one.
type Term struct {
	Field  Field
	Op     Op
	Values []Value
}

// A Match holds for records whose text has the words.
type Match struct{ Words string }

// An Among is a term of which it is known for which records it holds.
type Among struct {
	Of  Term
	IDs []string // for which it holds
	But bool     // it holds for all others of the kind
}

func (And) bind() int   { return 2 }
func (Or) bind() int    { return 1 }
func (Not) bind() int   { return 3 }
func (Term) bind() int  { return 4 }
func (Match) bind() int { return 4 }
func (Among) bind() int { return 4 }

func (e And) String() string { return joined(e, " ", 3) }
func (e Or) String() string  { return joined(e, " OR ", 2) }
func (e Not) String() string { return "-" + inside(e.Of, 3) }

func (e Term) String() string {
	out := make([]string, len(e.Values))
	for i, v := range e.Values {
		switch {
		case v.None:
			out[i] = none
		case v.Text == none || !plain(v.Text, ":+"):
			out[i] = Quoted(v.Text)
		default:
			out[i] = v.Text
		}
	}
	return e.Field.Name + ":" + string(e.Op) + strings.Join(out, ",")
}

func (e Match) String() string {
	if plain(e.Words, "") && !strings.HasPrefix(e.Words, "-") && !slices.Contains(keywords, e.Words) {
		return e.Words
	}
	return Quoted(e.Words)
}

func (e Among) String() string { return e.Of.String() }

func joined(all []Expr, by string, least int) string {
	out := make([]string, len(all))
	for i, e := range all {
		out[i] = inside(e, least)
	}
	return strings.Join(out, by)
}

// inside prints e where something that binds less than least needs parentheses.
func inside(e Expr, least int) string {
	if e.bind() < least {
		return "(" + e.String() + ")"
	}
	return e.String()
}

// plain reports whether s reads the same without quotes.
func plain(s, also string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !inWord(r) && !strings.ContainsRune("._-"+also, r) })
}

// Quoted writes a text as a value of a filter.
func Quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

package clerk

import (
	"context"

	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/query"
)

// A Query asks for records. Zero fields do not narrow.
type Query struct {
	Project  string
	Shared   bool // with Project: those of all projects too
	Kind     desk.Kind
	Status   string
	Identity string
	Known    []string // identities: records that have one of these
	IDs      []string
	RefField string // with RefTo: records that refer to one of these in this field
	RefTo    []string
	Text     string     // in the title
	Where    query.Expr // over desk.Fields of the kind; nil does not narrow
	Sort     query.Sort // then by when they were created
	Gone     bool       // deleted and merged ones too
	Newest   bool       // newest first, among equals of Sort
	Limit    int        // 0 means 100; All means one page, unsorted
	Cursor   string     // from Page.Next
}

// All as a limit asks for everything at once.
const All = -1

// A Page is one part of an answer.
type Page struct {
	Records []desk.Record `json:"records"`
	Next    string        `json:"next,omitempty"` // asks for what follows; empty at the end
	Total   int           `json:"total"`
}

// A Part says which records of a span are asked for.
type Part uint8

// The parts.
const (
	Everything Part = iota // but what was made and deleted within the span
	Standing               // what was there when it began
	MadeSince              // what was made within it and is there at its end
)

// A Span asks for the records of a project that changed between two positions of the log: after From, up to To.
type Span struct {
	Project  string
	From, To event.Seq
	Kinds    []desk.Kind // none for all
	Record   string      // only this one; "" for all
	Part     Part
	Newest   bool  // what changed last first, instead of what was made first
	After    int64 // from the page before
	Limit    int   // 0 for all
}

// A Search asks for the records of all kinds that have words.
type Search struct {
	Project string // "" for all
	Text    string
	Kinds   []desk.Kind // none for all
	Limit   int         // 0 means 20
	Cursor  string      // from Hits.Next
}

// A Hit is a record that has the words, which are marked in its title and in a piece of
// its text.
type Hit struct {
	Record  desk.Record  `json:"record"`
	Title   []query.Part `json:"title"`
	Snippet []query.Part `json:"snippet"`
}

// Hits are one part of what was found: first what has the words in its title, then by the
// last change.
type Hits struct {
	Hits  []Hit  `json:"hits"`
	Next  string `json:"next,omitempty"`
	Total int    `json:"total"`
}

// A Store finds records.
type Store interface {
	Mint() *event.Mint                                          // of times and ids
	Record(ctx context.Context, id string) (desk.Record, error) // fault.NotFound
	Records(ctx context.Context, q Query) (Page, error)
	// Each calls fn with every record that q finds, in the order of creation; none is kept.
	Each(ctx context.Context, q Query, fn func(desk.Record) error) error
}

// Package memory finds again what was remembered and said. [Memory.Recall] is the one way: the page, the command, the
// agents' tool and prompts, Ask and intakes use it. The store gives the passages that a reader may see and that have a
// word of the question; the package recall ranks them.
//
// Who may see a passage is a space ([Reader.spaces]), and the store looks within those of the reader alone.
package memory

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/recall"
)

// ForPerson is the scope of notes: what one person wants remembered, which nobody else sees.
const ForPerson = "PERSON"

// Said is the scope of what was said in conversations.
const Said = "SAID"

// Kept lists the scopes of what is kept: memories and notes.
func Kept() []string { return append(desk.Scopes(), ForPerson) }

// Scopes lists all scopes of what is found.
func Scopes() []string { return append(Kept(), Said) }

// A Reader is for whom is looked.
type Reader struct {
	Person  string      // the id of the person, or of the one for whom an agent works
	Agent   org.AgentID // "" for a person
	Teams   []string    // of the agent
	Project string
	Thread  string // the conversation, whose messages the reader sees whoever spoke
}

// A Question asks for what is known.
type Question struct {
	Text   string
	At     time.Time // when it is asked: "last week" is seen from there
	Scopes []string  // only these; all when empty
	Kinds  []string  // only memories of these types, when any is named
	Limit  int       // 10 when zero
	Strong bool      // leave out what shares no more than a common word
	Here   bool      // of what was said, only what the reader's conversation has
}

// A Hit is a passage that was found.
type Hit struct {
	Passage
	Score   float64
	Weak    bool
	Reasons []recall.Reason
}

// A Passage is one that the store gives.
type Passage struct {
	ID         string // of the passage: a message, a note, or a piece of a memory
	Source     string // the message, the note, or the record
	Scope      string
	Type       string // of a memory
	Thread     string
	Place      int
	Session    string
	At         time.Time
	Actor      string // who said or wrote it: a sender in the log
	Speaker    string // the actor's name
	Outside    bool   // it came from outside
	Superseded bool
	Weight     float64
	Title      string
	Text       string
	Words      string // the terms, with blanks between them
	Project    string
}

// A Lookup is what the store is asked for.
type Lookup struct {
	Spaces  []string
	Thread  string // whose messages are looked at, too
	Scopes  []string
	Terms   []string // of the question
	Words   []string // those of its own words
	Periods []recall.Period
	Now     time.Time // what has expired then is not there
	Limit   int
	// Vector gives that of the question, the zero value when none is known. It may ask a model, so it is called only when
	// there is something to look through.
	Vector func() Vector
}

// A Vector is what a model says that a text means.
type Vector struct {
	Model   string
	Numbers []float32
}

// Vectors gives that of a question. Without a model it gives the zero value and no error.
type Vectors interface {
	Question(ctx context.Context, text string) (Vector, error)
}

// Found is what the store found.
type Found struct {
	Passages []Passage // by thread and place
	Stats    recall.Stats
	Near     []recall.Near // the passages among them whose vectors are the nearest, in that order
}

// A Store holds passages.
type Store interface {
	Lookup(ctx context.Context, l Lookup) (Found, error)
	// Holds reports whether anything lies in any of some spaces.
	Holds(ctx context.Context, spaces []string) (bool, error)
}

// Memory recalls.
type Memory struct {
	store   Store
	now     func() time.Time
	vectors Vectors
	log     *slog.Logger
}

// New returns a memory over a store; now says what time it is.
func New(s Store, now func() time.Time) *Memory { return &Memory{store: s, now: now} }

// With has the memory find by vectors, too. A question whose vector cannot be had is answered by words alone, and log hears why.
func (m *Memory) With(v Vectors, log *slog.Logger) *Memory {
	m.vectors, m.log = v, log
	return m
}

// vector is that of a question.
func (m *Memory) vector(ctx context.Context, text string) Vector {
	if m.vectors == nil {
		return Vector{}
	}
	v, err := m.vectors.Question(ctx, text)
	if err != nil && ctx.Err() == nil {
		m.log.WarnContext(ctx, "a question is answered by its words alone", "err", err)
	}
	return v
}

// Spaces are those in which a passage lies: who may find it.
const (
	spaceAll     = "all"
	spaceProject = "project/"
	spaceThread  = "thread/"
	spaceAgent   = "agent/"
	spaceTeam    = "team/"
	spacePerson  = "person/"
	spaceSaid    = "said/"
)

// SpaceOf is the space of a memory of a project.
func SpaceOf(b *desk.MemoryBody, project string) string {
	switch b.Scope {
	case desk.ForProject:
		return spaceProject + project
	case desk.ForSession, desk.ForThread:
		return spaceThread + b.ThreadID
	case desk.ForAgent:
		return spaceAgent + b.Owner
	case desk.ForTeam:
		return spaceTeam + b.Owner
	}
	return spaceAll
}

// SpaceOfPerson is the space of a person's notes.
func SpaceOfPerson(person string) string { return spacePerson + person }

// SpaceOfSaid is the space of what is said in the conversations of a sender in a project. The parts are as the log has
// them; SQL puts them together, too.
func SpaceOfSaid(sender, project string) string { return spaceSaid + sender + "/" + project }

// spaces are those that a reader may look in: with those of the person's conversations when said.
func (r Reader) spaces(said bool) []string {
	out := []string{spaceAll}
	add := func(prefix, id string) {
		if id != "" {
			out = append(out, prefix+id)
		}
	}
	add(spaceProject, r.Project)
	add(spaceThread, r.Thread)
	add(spaceAgent, string(r.Agent))
	for _, t := range r.Teams {
		add(spaceTeam, t)
	}
	if r.Person != "" {
		out = append(out, SpaceOfPerson(r.Person))
	}
	if r.Person != "" && said {
		out = append(out, SpaceOfSaid(org.Person{ID: r.Person}.Party().AgentID, r.Project))
	}
	return out
}

// candidates is how many passages are ranked.
const candidates = 300

// MaxQuestion is how much of a question is read, in bytes.
const MaxQuestion = 4000

// Recall returns what is known for a question, the best first. A question without a word finds nothing.
func (m *Memory) Recall(ctx context.Context, who Reader, q Question) ([]Hit, error) {
	for _, s := range q.Scopes {
		if !slices.Contains(Scopes(), s) {
			return nil, fault.BadField("scope", "The scope is not known.", Scopes()...)
		}
	}
	if q.At.IsZero() {
		q.At = m.now()
	}
	if q.Limit <= 0 {
		q.Limit = 10
	}
	if len(q.Text) > MaxQuestion {
		q.Text = strings.ToValidUTF8(q.Text[:MaxQuestion], "")
	}
	said := len(q.Scopes) == 0 || slices.Contains(q.Scopes, Said)
	thread, spaces := who.Thread, who.spaces(said && !q.Here)
	if !said {
		thread = ""
	}
	if thread == "" { // a conversation always has something; an agent who remembers nothing is asked in each of its turns
		if some, err := m.store.Holds(ctx, spaces); err != nil || !some {
			return []Hit{}, err
		}
	}
	var o recall.Options
	asked := o.Read(q.Text, q.At)
	if len(asked.Terms()) == 0 && len(asked.Periods()) == 0 {
		return []Hit{}, nil
	}
	found, err := m.store.Lookup(ctx, Lookup{
		Spaces: spaces, Thread: thread, Scopes: q.Scopes, Terms: asked.Terms(), Words: asked.Words(), Periods: asked.Periods(), Now: m.now(), Limit: candidates,
		Vector: func() Vector { return m.vector(ctx, q.Text) },
	})
	if err != nil || len(found.Passages) == 0 {
		return []Hit{}, err
	}
	return ranked(o, asked, found, q), nil
}

// ranked ranks what was found.
func ranked(o recall.Options, asked recall.Question, found Found, q Question) []Hit {
	passages := make([]recall.Passage, len(found.Passages))
	places := make([]int, len(found.Passages))
	by := make(map[string]int, len(found.Passages))
	for i, p := range found.Passages {
		passages[i] = recall.Passage{
			ID: p.ID, Session: p.Session, At: p.At, Speaker: p.Speaker, Text: p.Text, Title: p.Title, Terms: strings.Fields(p.Words), Weight: p.Weight, Superseded: p.Superseded,
		}
		places[i], by[p.ID] = p.Place, i
	}
	out := []Hit{}
	seen := make(map[string]bool)
	ranking := o.NewIndex(passages, places, found.Stats).Rank(asked, 4*q.Limit)
	for _, h := range o.Fuse(ranking, found.Near, 4*q.Limit).Passages {
		p := found.Passages[by[h.ID]]
		if q.Strong && h.Weak || len(q.Kinds) > 0 && !slices.Contains(q.Kinds, p.Type) || seen[p.Source] {
			continue
		}
		seen[p.Source] = true
		if out = append(out, Hit{Passage: p, Score: h.Score, Weak: h.Weak, Reasons: h.Reasons}); len(out) == q.Limit {
			break
		}
	}
	return out
}

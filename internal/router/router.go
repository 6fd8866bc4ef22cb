// Package router decides what becomes of a message that names no agent: it is answered, it begins a workflow,
// or its sender is asked for what the workflow needs. Workflows are found in code, among the deployed ones that may
// be begun by a message; one call of a model decides when something is near, and without a model the code alone
// does and asks more often. [Router.Route] is a step of the run that answers the message; all it decides is in the log.
package router

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"chela/internal/definition"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/intent"
	"chela/internal/library"
	"chela/internal/org"
	"chela/internal/run"
)

// A Store reads what the router needs.
type Store interface {
	// RouterSession returns where a person stands in a conversation; one that has not begun is idle.
	RouterSession(ctx context.Context, thread, person string) (Session, error)
	// RouterExamples are the messages that were accepted for a workflow, and declined for all (an empty slug), the newest
	// first.
	RouterExamples(ctx context.Context, limit int) ([]Example, error)
	// RouterMark is another one whenever something was deployed or retired.
	RouterMark(ctx context.Context) (string, error)
	// RouterPlans are the instances that messages began and whose end was not told yet.
	RouterPlans(ctx context.Context) ([]Begun, error)
}

// An Example is a message of the past.
type Example struct {
	Slug string // empty when its sender wanted none
	Text string
}

// A Begun is an instance that a message began, its plan as it was recorded last.
type Begun struct {
	Thread string
	Person string
	Plan   Plan
	Run    run.Run
	Step   string          // that began last
	Output json.RawMessage // of one that is done
	// Answering says that the turn that began it, or an earlier one of its conversation, has not answered yet.
	Answering bool
}

// A Tx is what the router needs of a transaction.
type Tx interface {
	run.Tx
	RouterSession(thread, person string) (Session, error)
}

// Parts are what a [Router] works with.
type Parts struct {
	Store   Store
	Library *library.Library
	Shelf   interface {
		Workflows(ctx context.Context) ([]library.Version, error)
	}
	Members interface {
		RoleOf(ctx context.Context, from event.Party) (org.Role, error)
		Key(ctx context.Context, id string) (org.Key, error)
	}
	People interface {
		Persons(ctx context.Context) ([]org.Person, error)
	}
	Projects interface {
		Projects(ctx context.Context) ([]desk.Record, error)
	}
	Log interface {
		event.Notifier
		ByKey(ctx context.Context, sender, key string) (event.Event, error)
		Append(ctx context.Context, drafts ...event.Draft) ([]event.Event, error)
	}
	Runs  *run.Engine
	Model func() bool // whether one can be asked; nil is no
	// Records answer what is said while no model can be asked; nil answers nothing.
	Records Records
	Say     *slog.Logger // nil means slog.Default
}

// Records answers a message from the records of a project while no model can be asked, in Markdown. The answer is empty where there is none; whole is
// false where rules do not read all of the message.
type Records func(ctx context.Context, by event.Party, project, text string) (answer string, whole bool, err error)

// A Router decides about messages. Safe for concurrent use.
type Router struct {
	Parts
	write func(ctx context.Context, fn func(*run.Batch, Tx) error) error
	// within opens a transaction of a segment.
	within func(ctx context.Context, s *run.Segment, fn func(Tx) error) error
	moved  <-chan struct{}
	far    <-chan struct{} // other processes wrote
	stop   []func()
	learnt atomic.Bool // somebody accepted or declined a workflow

	learntAt time.Time // when the shelf was read because of that; of [Router.Run] alone

	mu    sync.Mutex // held while the shelf is read
	shelf atomic.Pointer[shelf]
}

// shelf is what may be begun by a message, as it was read last.
type shelf struct {
	mark   string        // of what was deployed then
	index  *intent.Index // nil when nothing may be begun
	bySlug map[string]offered
}

// offered is a deployed workflow that a message may begin.
type offered struct {
	library.Version
	*definition.Compiled
}

// New returns a router over the engine's own store.
func New[T Tx](db run.Writer[T], p Parts) *Router {
	if p.Say == nil {
		p.Say = slog.Default()
	}
	if p.Model == nil {
		p.Model = func() bool { return false }
	}
	r := &Router{Parts: p}
	r.write = func(ctx context.Context, fn func(*run.Batch, Tx) error) error {
		return run.Write(ctx, p.Runs, db, func(b *run.Batch, tx T) error { return fn(b, tx) })
	}
	r.within = func(ctx context.Context, s *run.Segment, fn func(Tx) error) error {
		return run.WriteIn(ctx, s, db, func(tx T) error { return fn(tx) })
	}
	moved, stopMoved := p.Log.Subscribe(event.WorkflowsMoved)
	far, stopFar := p.Log.Subscribe(event.NodesWrote)
	r.moved, r.far, r.stop = moved, far, []func(){stopMoved, stopFar}
	return r
}

// mostExamples is how many messages of the past are learnt from.
const mostExamples = 2000

// current is the shelf as it is now. As long as nothing is deployed or retired that costs no query.
func (r *Router) current(ctx context.Context) (*shelf, error) {
	now := r.shelf.Load()
	moved := now == nil
	select {
	case <-r.moved:
		moved = true
	case <-r.far: // it may have deployed something
		mark, err := r.Store.RouterMark(ctx)
		if err != nil {
			return nil, err
		}
		moved = moved || mark != now.mark
	default:
	}
	if !moved {
		return now, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if latest := r.shelf.Load(); latest != now && latest != nil {
		return latest, nil
	}
	s, err := r.read(ctx)
	if err != nil {
		r.shelf.Store(nil) // it is read again
		return nil, err
	}
	r.shelf.Store(s)
	return s, nil
}

func (r *Router) read(ctx context.Context) (*shelf, error) {
	mark, err := r.Store.RouterMark(ctx)
	if err != nil {
		return nil, err
	}
	list, err := r.Shelf.Workflows(ctx)
	if err != nil {
		return nil, err
	}
	s := &shelf{mark: mark, bySlug: make(map[string]offered)}
	var order []string
	for _, v := range list {
		if v.State != library.Deployed {
			continue
		}
		c, err := v.Read()
		if err != nil {
			r.Say.Warn("a workflow cannot be read", "workflow", v.Slug, "err", err)
			continue
		}
		if begins(c) {
			s.bySlug[v.Slug] = offered{v, c}
			order = append(order, v.Slug)
		}
	}
	if len(order) == 0 {
		return s, nil
	}
	past, err := r.Store.RouterExamples(ctx, mostExamples)
	if err != nil {
		return nil, err
	}
	var intents []intent.Intent
	var others []string
	for _, slug := range order {
		in := intent.Intent{ID: slug, Phrases: phrasesOf(s.bySlug[slug].Compiled)}
		for _, e := range past {
			if e.Slug == slug {
				in.Phrases = append(in.Phrases, intent.Phrase{Text: e.Text})
			}
		}
		intents = append(intents, in)
	}
	for _, e := range past {
		if e.Slug == "" {
			others = append(others, e.Text)
		}
	}
	s.index = intent.New(intents, others)
	return s, nil
}

// begins reports whether a message may begin a workflow.
func begins(c *definition.Compiled) bool {
	for _, t := range c.Triggers {
		if t.Message {
			return true
		}
	}
	return false
}

// What a workflow's own words count, beside a message that asks for it.
const (
	NameWeight  = 0.9
	aboutWeight = 0.6
	inputWeight = 0.3
)

// phrasesOf are the texts by which a workflow is found.
func phrasesOf(c *definition.Compiled) []intent.Phrase {
	out := []intent.Phrase{{Text: c.Name, Weight: NameWeight}}
	if c.Description != "" {
		out = append(out, intent.Phrase{Text: c.Description, Weight: aboutWeight})
	}
	for _, e := range c.Examples {
		out = append(out, intent.Phrase{Text: e})
	}
	for _, in := range c.Inputs {
		if in.Description != "" && in.Type != definition.Project {
			out = append(out, intent.Phrase{Text: spaced(in.Name) + " " + in.Description, Weight: inputWeight})
		}
	}
	return out
}

// Run tells people how the instances stand that their messages began, until ctx is done.
func (r *Router) Run(ctx context.Context) error {
	defer func() {
		for _, stop := range r.stop {
			stop()
		}
	}()
	begun, leave := r.Log.Subscribe(event.PlansBegun)
	defer leave()
	settled, forget := r.Log.Subscribe(event.RunsSettled)
	defer forget()
	for ctx.Err() == nil {
		open, err := r.follow(ctx)
		if err != nil && ctx.Err() == nil {
			r.Say.Warn("how an instance ended is told later", "err", err)
		}
		changed := settled
		if err == nil && !open {
			changed = nil // nobody is told how a run ended
		}
		timer := time.NewTimer(lookEvery)
		select {
		case <-ctx.Done():
		case <-begun:
		case <-changed:
		case <-timer.C:
		}
		timer.Stop()
	}
	return nil
}

// lookEvery is how often it is looked how instances stand when nothing tells.
const lookEvery = 5 * time.Second

// Package builder builds workflows by chat: a request becomes a plan, which is shown, may be changed, is approved, done
// and can be undone. Without a model [blueprint.FromText] reads requests of simple forms; with one, a single call in a form
// says what is wanted and plans it. A plan changes a draft by the same edits as people do; the draft is saved and deployed
// when a person says so.
package builder

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"chela/internal/agent"
	"chela/internal/blueprint"
	"chela/internal/canvas"
	"chela/internal/definition"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/library"
	"chela/internal/org"
	"chela/internal/run"
)

// A State is where a plan stands.
type State string

// The states of a plan.
const (
	Pending   State = "pending" // it waits for approval
	Executing State = "executing"
	Completed State = "completed"
	Failed    State = "failed" // a step was not done
	Dropped   State = "dropped"
	Undone    State = "undone"
)

// States lists them.
func States() []State { return []State{Pending, Executing, Completed, Failed, Dropped, Undone} }

// moves are the legal moves. A plan that was interrupted, or failed, is taken up again: steps that were done stay done.
var moves = map[State][]State{ //nolint:gochecknoglobals // a table
	Pending:   {Executing, Dropped},
	Executing: {Completed, Failed},
	Failed:    {Executing, Undone},
	Completed: {Undone},
}

// CanBecome reports whether a plan in state s may go to next.
func (s State) CanBecome(next State) bool { return slices.Contains(moves[s], next) }

// The facts of plans.
var (
	PlannedKind = event.Kind[Planned]{Name: "workflow.planned", PayloadType: "workflow.planned.v1"}
	MovedKind   = event.Kind[Moved]{Name: "workflow.plan_moved", PayloadType: "workflow.plan_moved.v1"}
)

// Planned records a plan, or a pending plan that was changed.
type Planned struct {
	Plan   blueprint.Plan `json:"plan"`
	Begin  string         `json:"begin,omitempty"` // the text that a new workflow begins with
	Thread string         `json:"thread,omitempty"`
	Person string         `json:"person"` // who asked, as a sender
	By     string         `json:"made_by"`
}

// Moved records that a plan is done, or given up.
type Moved struct {
	ID      string   `json:"id"`
	From    State    `json:"from"`
	To      State    `json:"to"`
	Results []Result `json:"results,omitempty"`
	Note    string   `json:"note,omitempty"`
	// Revision is that of the draft by then; 0 when there is none.
	Revision int `json:"revision,omitempty"`
}

// A Result is what came of a step of a plan.
type Result struct {
	Step    string    `json:"stepId"`
	Success bool      `json:"success"`
	Skipped bool      `json:"skipped,omitempty" doc:"a step that it depends on was not done"`
	Tries   int       `json:"tries,omitempty"`
	Node    string    `json:"nodeId,omitempty"`
	File    string    `json:"filePath,omitempty"`
	Error   string    `json:"error,omitempty"`
	Started time.Time `json:"startedAt,omitzero"`
	Ended   time.Time `json:"completedAt,omitzero"`
}

// A Kept is a plan with how it stands.
type Kept struct {
	Planned
	State   State
	Results []Result
	At      time.Time
}

// A Store reads plans.
type Store interface {
	// BuildPlan returns a plan. It may be a fault.NotFound.
	BuildPlan(ctx context.Context, id string) (Kept, error)
	// BuildPlans returns the newest plans, of a workflow when slug is not empty.
	BuildPlans(ctx context.Context, slug string, limit int) ([]Kept, error)
	// LatestPlan is the newest plan that a sender asked for in a conversation; ok is false when there is none.
	LatestPlan(ctx context.Context, thread, person string) (k Kept, ok bool, err error)
}

// A Tx reads plans as a transaction sees them.
type Tx interface {
	run.Tx
	BuildPlan(id string) (Kept, error)
}

// Drafts are the drafts of workflows.
type Drafts interface {
	Draft(ctx context.Context, slug string) (library.WorkingDraft, error)
	Begin(ctx context.Context, by library.Author, slug, source, note string) error
	Edit(ctx context.Context, by library.Author, slug string, base int, ops []canvas.Operation) (library.WorkingDraft, canvas.Outcome, error)
	UndoEdit(ctx context.Context, by event.Party, slug string, revision int) (library.WorkingDraft, error)
	Discard(ctx context.Context, by event.Party, slug string) error
	Check(ctx context.Context, source []byte) (*definition.Compiled, definition.Problems)
	SaveDraft(ctx context.Context, by event.Party, slug, note string) (library.Version, error)
	Deploy(ctx context.Context, by event.Party, slug string, number int) (library.Version, error)
}

// Parts are what a [Builder] works with.
type Parts struct {
	Store   Store
	Library Drafts
	Shelf   interface {
		Workflows(ctx context.Context) ([]library.Version, error)
		Edits(ctx context.Context, slug string, after int) ([]library.Edit, error)
		Versions(ctx context.Context, slug string) ([]library.Version, error)
	}
	Members interface {
		Members(ctx context.Context) ([]agent.Member, error)
		RoleOf(ctx context.Context, from event.Party) (org.Role, error)
	}
	People interface {
		Persons(ctx context.Context) ([]org.Person, error)
	}
	Agents *agent.Runner
	Tools  func() []string // names of the tools there are
	Runs   *run.Engine
	Model  func() bool   // whether one can be asked; nil is no
	Wait   time.Duration // between two tries of a step; 0 means 1 s
	Now    func() time.Time
	Say    *slog.Logger // nil means slog.Default
}

// A Builder plans and builds. Safe for concurrent use.
type Builder struct {
	Parts
	write func(ctx context.Context, fn func(*run.Batch, Tx) error) error
}

// New returns a builder over the engine's own store.
func New[T Tx](db run.Writer[T], p Parts) *Builder {
	if p.Say == nil {
		p.Say = slog.Default()
	}
	if p.Model == nil {
		p.Model = func() bool { return false }
	}
	if p.Wait == 0 {
		p.Wait = time.Second
	}
	return &Builder{Parts: p, write: func(ctx context.Context, fn func(*run.Batch, Tx) error) error {
		return run.Write(ctx, p.Runs, db, func(b *run.Batch, tx T) error { return fn(b, tx) })
	}}
}

// known is what a request may name.
func (b *Builder) known(ctx context.Context) (blueprint.Known, error) {
	var k blueprint.Known
	members, err := b.Members.Members(ctx)
	if err != nil {
		return k, err
	}
	for _, m := range members {
		if m.Enabled && m.Kind == org.Specialist {
			k.Agents = append(k.Agents, m.Card.AgentID.Name())
		}
	}
	persons, err := b.People.Persons(ctx)
	if err != nil {
		return k, err
	}
	for _, p := range persons {
		if p.Enabled {
			k.Persons = append(k.Persons, p.Name)
		}
	}
	all, err := b.Shelf.Workflows(ctx)
	for _, v := range all {
		if v.State == library.Deployed {
			k.Workflows = append(k.Workflows, v.Slug)
		}
	}
	return k, err
}

// free is a slug that no workflow has.
func (b *Builder) free(ctx context.Context, slug string) (string, error) {
	if !definition.ValidSlug(slug) {
		slug = "workflow"
	}
	base := slug
	for n := 2; ; n++ {
		_, err := b.Library.Draft(ctx, slug)
		if fault.KindOf(err) == fault.NotFound && err != nil {
			return slug, nil
		}
		if err != nil {
			return "", err
		}
		slug = base + "-" + strconv.Itoa(n)
	}
}

// rehearse tries a plan on a copy of the draft, and notes what the linter would find afterwards.
func (b *Builder) rehearse(ctx context.Context, p *blueprint.Plan, begin string) error {
	d := canvas.Draft{Source: begin}
	if !p.Fresh {
		now, err := b.Library.Draft(ctx, p.Workflow)
		if err != nil {
			return err
		}
		d = now.Draft
	}
	out, err := blueprint.Rehearse(d, *p)
	if err != nil {
		return err
	}
	p.Validated, p.Findings = true, nil
	_, problems := b.Library.Check(ctx, []byte(out.Source))
	for _, f := range problems[:min(len(problems), 20)] {
		p.Findings = append(p.Findings, f.Text)
	}
	return nil
}

// keep records a plan.
func (b *Builder) keep(ctx context.Context, by event.Party, p Planned) error {
	return b.write(ctx, func(batch *run.Batch, tx Tx) error {
		batch.Hold(event.OrgStream)
		at := b.place(by)
		at.Key = "plan/" + p.Plan.ID
		_, err := batch.Append(PlannedKind.Draft(at, p))
		return err
	})
}

func (b *Builder) place(by event.Party) event.Place {
	id := b.Runs.Mint().ID("run")
	return event.Place{Stream: event.OrgStream, Thread: b.Runs.Mint().ID("thr"), Run: id, Task: run.RootTask(run.ID(id)), From: by}
}

// move records a move of a plan.
func (b *Builder) move(ctx context.Context, by event.Party, id string, to State, results []Result, note string) error {
	k, err := b.Store.BuildPlan(ctx, id)
	if err != nil {
		return err
	}
	d, err := b.Library.Draft(ctx, k.Plan.Workflow)
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return err
	}
	return b.write(ctx, func(batch *run.Batch, tx Tx) error {
		batch.Hold(event.OrgStream)
		now, err := tx.BuildPlan(id)
		if err != nil {
			return err
		}
		if !now.State.CanBecome(to) {
			return fault.New(fault.Conflict, "The plan %s is %s; it cannot become %s.", id, now.State, to)
		}
		_, err = batch.Append(MovedKind.Draft(b.place(by), Moved{ID: id, From: now.State, To: to, Results: results, Note: note, Revision: d.Revision}))
		return err
	})
}

// Change replaces the steps of a plan that waits for approval. What does not fit is a fault.Invalid.
func (b *Builder) Change(ctx context.Context, by event.Party, id string, p blueprint.Plan) (Kept, error) {
	k, err := b.Store.BuildPlan(ctx, id)
	if err != nil {
		return k, err
	}
	if k.State != Pending {
		return k, fault.New(fault.Conflict, "The plan %s is %s; only one that waits for approval can be changed.", id, k.State)
	}
	k.Plan.Steps = p.Steps
	k.Plan.Metadata.Estimated = len(p.Steps)
	if err := b.rehearse(ctx, &k.Plan, k.Begin); err != nil {
		return k, err
	}
	err = b.write(ctx, func(batch *run.Batch, tx Tx) error {
		batch.Hold(event.OrgStream)
		now, err := tx.BuildPlan(id)
		if err != nil {
			return err
		}
		if now.State != Pending {
			return fault.New(fault.Conflict, "The plan %s is %s meanwhile.", id, now.State)
		}
		_, err = batch.Append(PlannedKind.Draft(b.place(by), k.Planned))
		return err
	})
	if err != nil {
		return k, err
	}
	return b.Store.BuildPlan(ctx, id)
}

// Drop gives a plan up that waits for approval.
func (b *Builder) Drop(ctx context.Context, by event.Party, id string) error {
	return b.move(ctx, by, id, Dropped, nil, "")
}

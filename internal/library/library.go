// Package library keeps workflows: each has numbered versions, of which one at most is deployed. A
// version is a file that was checked; it is saved as a draft, deployed, and retired when another takes
// its place. All of it is events in the organization's stream. [Library.Start] begins an instance of a
// version, with the inputs checked, as a run that package instance plays.
package library

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"chela/internal/canvas"
	"chela/internal/definition"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/run"
)

// A State is where a version stands.
type State string

// The states of a version.
const (
	Draft    State = "draft"
	Deployed State = "deployed"
	Retired  State = "retired"
)

// CanBecome reports whether a version in state s may go to next. A rollback deploys a retired one again.
func (s State) CanBecome(next State) bool {
	switch next {
	case Deployed:
		return s == Draft || s == Retired
	case Retired:
		return s == Deployed || s == Draft
	case Draft:
	}
	return false
}

// The facts of this package. A version that is deployed retires the one that was.
var (
	SavedKind    = event.Kind[Saved]{Name: "workflow.saved", PayloadType: "workflow.saved.v1"}
	DeployedKind = event.Kind[Moved]{Name: "workflow.deployed", PayloadType: "workflow.deployed.v1"}
	RetiredKind  = event.Kind[Moved]{Name: "workflow.retired", PayloadType: "workflow.retired.v1"}
	StartedKind  = event.Kind[Started]{Name: "workflow.started", PayloadType: "workflow.started.v1"}
)

// Saved records a new version.
type Saved struct {
	Slug    string `json:"slug"`
	Version int    `json:"version"` // from 1
	Name    string `json:"name"`
	Digest  string `json:"digest"` // SHA-256 of the source
	Source  string `json:"source"`
	Note    string `json:"note,omitempty"`
	// Layout says where nodes stand on the canvas; nil is that nobody placed them.
	Layout canvas.Layout     `json:"layout,omitempty"`
	Files  map[string]string `json:"files,omitempty"` // that agents of its instances may read
}

// Moved records that a version is deployed or retired.
type Moved struct {
	Slug    string `json:"slug"`
	Version int    `json:"version"`
	Back    bool   `json:"back,omitempty"` // it was deployed before
}

// Started records that an instance began.
type Started struct {
	Slug    string `json:"slug"`
	Version int    `json:"version"`
	RetryOf run.ID `json:"retry_of,omitempty"`
}

// A Version is one version of a workflow.
type Version struct {
	Slug       string              `json:"slug"`
	Number     int                 `json:"version"`
	State      State               `json:"state"`
	Name       string              `json:"name"`
	Digest     string              `json:"digest"`
	Note       string              `json:"note,omitempty"`
	Source     string              `json:"-"`
	Types      definition.OwnTypes `json:"-"` // the organization's own payload types; nil knows none
	Layout     canvas.Layout       `json:"-"`
	Files      map[string]string   `json:"-"`
	SavedBy    event.Party         `json:"saved_by"`
	DeployedBy event.Party         `json:"deployed_by,omitzero"` // who deployed it last; its instances may do no more than they may
	SavedAt    time.Time           `json:"saved_at"`
	DeployedAt time.Time           `json:"deployed_at,omitzero"`
}

// Author is who answers for what the version does.
func (v Version) Author() event.Party {
	if v.DeployedBy != (event.Party{}) {
		return v.DeployedBy
	}
	return v.SavedBy
}

// Read reads and checks the source.
func (v Version) Read() (*definition.Compiled, error) {
	c, problems := definition.ReadFile([]byte(v.Source), v.Types)
	if problems != nil {
		return nil, fault.New(fault.Internal, "Version %d of the workflow %s cannot be read any more. %s", v.Number, v.Slug, problems.In(v.Slug+".yaml"))
	}
	return c, nil
}

// A Store reads the library.
type Store interface {
	// Workflows returns the version of each workflow that is deployed, else its newest, by slug.
	Workflows(ctx context.Context) ([]Version, error)
	// Versions returns the versions of a workflow, newest first, without their sources.
	Versions(ctx context.Context, slug string) ([]Version, error)
	// Version returns a version; 0 is the one that is deployed. It may be a fault.NotFound.
	Version(ctx context.Context, slug string, number int) (Version, error)
	Steps(ctx context.Context, id run.ID) ([]Standing, error)
	Waits(ctx context.Context) ([]EventWait, error)
	Instance(ctx context.Context, id run.ID) (Instance, error) // fault.NotFound
	// TriggerFailures returns the last failures of each trigger of a workflow, or of all when slug is "", newest first.
	TriggerFailures(ctx context.Context, slug string) ([]TriggerFailure, error)
	Drafts
	Payloads
}

// A Tx reads the library as a transaction sees it.
type Tx interface {
	run.Tx
	// Newest is the newest version of a workflow; ok is false when there is none.
	Newest(slug string) (v Version, ok bool, err error)
	Numbered(slug string, number int) (v Version, ok bool, err error)
	WorkingDraft(slug string) (d WorkingDraft, ok bool, err error)
	// Payload is the newest revision of a payload type; ok is false when there is none.
	Payload(name string) (p Payload, ok bool, err error)
}

// A Known says what a file names that has to be there.
type Known interface {
	// Unknown says of the tools and agents that a workflow names which are not there, sentences.
	Unknown(ctx context.Context, c *definition.Compiled) definition.Problems
	// Lacks says which steps and checks of a workflow can never be done or met here as things stand, sentences.
	Lacks(ctx context.Context, c *definition.Compiled) []string
	// TermsLack says so of the terms of a ticket's contract.
	TermsLack(ctx context.Context, terms []desk.Term) []string
}

// A Library keeps workflows. Safe for concurrent use.
type Library struct {
	store    Store
	known    Known
	runs     *run.Engine
	projects func(ctx context.Context, named string) (id string, err error)
	write    func(ctx context.Context, fn func(*run.Batch, Tx) error) error
}

// New returns a library over the engine's own store. projects finds the id of a project
// by its id or its name; a fault.NotFound says that there is none.
func New[T Tx](runs *run.Engine, db run.Writer[T], store Store, known Known, projects func(ctx context.Context, named string) (id string, err error)) *Library {
	return &Library{store: store, known: known, runs: runs, projects: projects, write: func(ctx context.Context, fn func(*run.Batch, Tx) error) error {
		return run.Write(ctx, runs, db, func(b *run.Batch, tx T) error { return fn(b, tx) })
	}}
}

// Check says what is wrong with a source, here and now.
func (l *Library) Check(ctx context.Context, source []byte) (*definition.Compiled, definition.Problems) {
	return l.check(ctx, source, l.store.Types(ctx))
}

func (l *Library) check(ctx context.Context, source []byte, own ...definition.OwnTypes) (*definition.Compiled, definition.Problems) {
	c, problems := definition.ReadFile(source, own...)
	if problems != nil {
		return nil, problems
	}
	problems = slices.Concat(l.known.Unknown(ctx, c), l.parts(ctx, c), clocks(c), unfit(c))
	slices.SortStableFunc(problems, func(a, b definition.Problem) int { return a.Line - b.Line })
	return c, problems
}

// Lacks says which steps and checks of a workflow that fits can never be done or met here as things stand.
func (l *Library) Lacks(ctx context.Context, c *definition.Compiled) []string {
	return l.known.Lacks(ctx, c)
}

// TermsLack says which terms of a ticket's contract can never be met here as things stand.
func (l *Library) TermsLack(ctx context.Context, terms []desk.Term) []string {
	return l.known.TermsLack(ctx, terms)
}

// parts checks the workflows that a workflow plays.
func (l *Library) parts(ctx context.Context, c *definition.Compiled) definition.Problems {
	if _, err := l.uses(ctx, c); err != nil {
		return definition.Problems{{Line: 1, Text: fault.TextOf(err)}}
	}
	return nil
}

// Digest is the SHA-256 of a source.
func Digest(source []byte) string {
	sum := sha256.Sum256(source)
	return hex.EncodeToString(sum[:])
}

// place is where facts of the library belong.
func (l *Library) place(by event.Party) event.Place {
	id := l.runs.Mint().ID("run")
	return event.Place{Stream: event.OrgStream, Thread: l.runs.Mint().ID("thr"), Run: id, Task: run.RootTask(run.ID(id)), From: by}
}

// Misfit is a fault for problems of a source.
func Misfit(p definition.Problems) error {
	err := fault.New(fault.Invalid, "The workflow does not fit.")
	for _, one := range p {
		err.Fields = append(err.Fields, fault.Field{Name: fmt.Sprintf("line %d", one.Line), Text: one.Text})
	}
	return err
}

// Save keeps a source as a new version, unless the newest has the same. It returns the version.
func (l *Library) Save(ctx context.Context, by event.Party, source []byte, note string) (Version, error) {
	return l.save(ctx, by, canvas.Draft{Source: string(source)}, note)
}

func (l *Library) save(ctx context.Context, by event.Party, d canvas.Draft, note string) (Version, error) {
	source := []byte(d.Source)
	c, problems := l.Check(ctx, source)
	if problems != nil {
		return Version{}, Misfit(problems)
	}
	if err := canvas.CheckFiles(d.Files); err != nil {
		return Version{}, fault.Wrap(err, fault.Invalid, "%s", sentence(err.Error()))
	}
	digest, number := Digest(source), 0
	err := l.write(ctx, func(b *run.Batch, tx Tx) error {
		b.Hold(event.OrgStream)
		newest, ok, err := tx.Newest(c.Slug)
		if err != nil {
			return err
		}
		if d.Layout == nil { // a file on its own keeps what was beside the one before it
			d.Layout = newest.Layout
		}
		if d.Files == nil {
			d.Files = newest.Files
		}
		if ok && newest.Digest == digest && maps.Equal(newest.Layout, d.Layout) && maps.Equal(newest.Files, d.Files) {
			number = newest.Number
			return nil
		}
		number = newest.Number + 1
		_, err = b.Append(SavedKind.Draft(l.place(by), Saved{Slug: c.Slug, Version: number, Name: c.Name, Digest: digest, Source: d.Source, Note: note, Layout: d.Layout, Files: d.Files}))
		return err
	})
	if err != nil {
		return Version{}, err
	}
	return l.store.Version(ctx, c.Slug, number)
}

// Deploy deploys a version; its instances may do from then on what by may.
func (l *Library) Deploy(ctx context.Context, by event.Party, slug string, number int) (Version, error) {
	v, err := l.store.Version(ctx, slug, number)
	if err != nil {
		return v, err
	}
	if _, problems := l.Check(ctx, []byte(v.Source)); problems != nil {
		return v, Misfit(problems)
	}
	return l.move(ctx, slug, func(tx Tx) (event.Draft, error) {
		v, ok, err := tx.Numbered(slug, number)
		switch {
		case err != nil:
			return event.Draft{}, err
		case !ok || !v.State.CanBecome(Deployed):
			return event.Draft{}, fault.New(fault.Conflict, "Version %d of %s is %s already.", number, slug, v.State)
		}
		return DeployedKind.Draft(l.place(by), Moved{Slug: slug, Version: number, Back: v.State == Retired}), nil
	}, number)
}

// Rollback deploys the version again that was deployed before the one that is.
func (l *Library) Rollback(ctx context.Context, by event.Party, slug string) (Version, error) {
	all, err := l.store.Versions(ctx, slug)
	if err != nil {
		return Version{}, err
	}
	before := Version{}
	for _, v := range all {
		if v.State == Retired && v.DeployedAt.After(before.DeployedAt) {
			before = v
		}
	}
	if before.Number == 0 {
		return before, fault.New(fault.Conflict, "No other version of %s was deployed before.", slug)
	}
	return l.Deploy(ctx, by, slug, before.Number)
}

// Retire takes the deployed version back: nothing starts it any more. Instances go on.
func (l *Library) Retire(ctx context.Context, by event.Party, slug string) (Version, error) {
	v, err := l.store.Version(ctx, slug, 0)
	if err != nil {
		return v, err
	}
	return l.move(ctx, slug, func(tx Tx) (event.Draft, error) {
		now, _, err := tx.Numbered(slug, v.Number)
		if err == nil && !now.State.CanBecome(Retired) {
			err = fault.New(fault.Conflict, "Version %d of %s is %s already.", v.Number, slug, now.State)
		}
		return RetiredKind.Draft(l.place(by), Moved{Slug: slug, Version: v.Number}), err
	}, v.Number)
}

// move records a move of a version and returns it.
func (l *Library) move(ctx context.Context, slug string, fn func(Tx) (event.Draft, error), number int) (Version, error) {
	err := l.write(ctx, func(b *run.Batch, tx Tx) error {
		b.Hold(event.OrgStream)
		d, err := fn(tx)
		if err == nil {
			_, err = b.Append(d)
		}
		return err
	})
	if err != nil {
		return Version{}, err
	}
	return l.store.Version(ctx, slug, number)
}

// Latest is the number of the newest version of a workflow.
func (l *Library) Latest(ctx context.Context, slug string) (int, error) {
	all, err := l.store.Versions(ctx, slug)
	if err != nil {
		return 0, err
	}
	if len(all) == 0 {
		return 0, fault.New(fault.NotFound, "There is no workflow %s.", slug)
	}
	return all[0].Number, nil
}

// errAsked says that an instance was asked for before, under the same key.
var errAsked = errors.New("the instance was asked for before")

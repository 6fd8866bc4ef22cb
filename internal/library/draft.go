package library

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"chela/internal/canvas"
	"chela/internal/definition"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/run"
)

// The facts of drafts: a draft is the text that people edit together before they save it as a version.
var (
	EditedKind    = event.Kind[Edited]{Name: "workflow.edited", PayloadType: "workflow.edited.v1"}
	DiscardedKind = event.Kind[Discarded]{Name: "workflow.discarded", PayloadType: "workflow.discarded.v1"}
)

// Edited records an edit of a draft. Splices say what it did to the text, whatever a later Chela would make of its
// operations.
type Edited struct {
	Slug       string                      `json:"slug"`
	Revision   int                         `json:"revision"`          // from 1
	Version    int                         `json:"version,omitempty"` // that the draft began from, when this is its first edit
	Operations []canvas.Operation          `json:"operations,omitempty"`
	Splices    []canvas.Splice             `json:"splices,omitempty"`
	Moved      map[string]*canvas.Position `json:"moved,omitempty"` // nodes that stand elsewhere; nil is that the layout decides
	WasAt      map[string]*canvas.Position `json:"was_at,omitempty"`
	Files      map[string]FileChange       `json:"files,omitempty"`
	Undoes     int                         `json:"undoes,omitempty"` // the revision that it takes back
	Note       string                      `json:"note,omitempty"`
	Key        string                      `json:"key,omitempty"` // of the call of a tool that made it
}

// A FileChange is what a file was and is; nil is that it was not there, or is not.
type FileChange struct {
	Was *string `json:"was,omitempty"`
	Now *string `json:"now,omitempty"`
}

// An Author is who edits a draft.
type Author struct {
	Party event.Party
	At    event.Place // of the task that does; its zero value is none
	Key   string      // edits under a key are made once; "" is none
}

// By is somebody who edits without a run.
func By(p event.Party) Author { return Author{Party: p} }

// draftPlace is where an edit is recorded.
func (l *Library) draftPlace(by Author) event.Place {
	at := l.place(by.Party)
	if by.At.Run != "" {
		at.Thread, at.Run, at.Task, at.ParentTask, at.Trace = by.At.Thread, by.At.Run, by.At.Task, by.At.ParentTask, by.At.Trace
	}
	return at
}

// Discarded records that a draft was given up.
type Discarded struct {
	Slug     string `json:"slug"`
	Revision int    `json:"revision"` // after it
}

// A WorkingDraft is a draft as it stands. One that nobody has edited is the newest version.
type WorkingDraft struct {
	canvas.Draft
	Slug     string
	Revision int // 0 before the first edit
	Version  int // that it began from, or was saved as last; 0 when there is none
	Clean    bool
	Gone     bool // it was discarded, or there is none; the text is that of the version
	By       event.Party
	At       time.Time
}

// An Edit is one that was made to a draft, with who made it.
type Edit struct {
	Edited
	Party event.Party `json:"by"`
	Name  string      `json:"name"` // of who made it, for people
	At    time.Time   `json:"at"`
}

// Drafts reads drafts.
type Drafts interface {
	// Draft returns a draft as it is kept; ok is false when there is none.
	Draft(ctx context.Context, slug string) (d WorkingDraft, ok bool, err error)
	// Edits returns the edits of a draft after a revision, oldest first; those before a draft was discarded are gone.
	Edits(ctx context.Context, slug string, after int) ([]Edit, error)
}

// mostBehind is how many edits may have been made since the revision that an edit is based on.
const mostBehind = 500

// Draft returns the draft of a workflow, or the newest version when nobody edits it. It may be a fault.NotFound.
func (l *Library) Draft(ctx context.Context, slug string) (WorkingDraft, error) {
	d, ok, err := l.store.Draft(ctx, slug)
	if err != nil || ok && !d.Gone {
		return d, err
	}
	versions, err := l.store.Versions(ctx, slug)
	if err != nil {
		return d, err
	}
	d.Slug, d.Clean, d.Gone = slug, true, true
	if len(versions) == 0 {
		return d, fault.New(fault.NotFound, "There is no workflow %s. Write its first text to begin a draft.", slug)
	}
	v, err := l.store.Version(ctx, slug, versions[0].Number)
	if err != nil {
		return d, err
	}
	d.Version, d.By, d.At = v.Number, v.SavedBy, v.SavedAt
	d.Draft = canvas.Draft{Source: v.Source, Layout: v.Layout, Files: v.Files}
	return d, nil
}

// A change is what an edit makes of a draft.
type change struct {
	canvas.Draft
	operations []canvas.Operation
	undoes     int
	note       string
	outcome    canvas.Outcome
}

// change makes an edit: plan says what becomes of the draft as it stands. Meanwhile another may edit it; then it is
// planned again.
func (l *Library) change(ctx context.Context, by Author, slug string, plan func(WorkingDraft) (change, error)) (WorkingDraft, canvas.Outcome, error) {
	for range 10 {
		now, err := l.Draft(ctx, slug)
		if err != nil && (fault.KindOf(err) != fault.NotFound || now.Slug == "") {
			return now, canvas.Outcome{}, err
		}
		if outcome, done, err := l.done(ctx, by, now); done || err != nil {
			return now, outcome, err
		}
		to, err := plan(now)
		if err != nil {
			return now, canvas.Outcome{}, err
		}
		edited := Edited{Slug: slug, Revision: now.Revision + 1, Operations: to.operations, Splices: canvas.Splices(now.Source, to.Source), Undoes: to.undoes, Note: to.note, Key: by.Key}
		edited.Moved, edited.WasAt = moves(now.Layout, to.Layout)
		edited.Files = fileChanges(now.Files, to.Files)
		if now.Gone {
			edited.Version = now.Version
		} else if len(edited.Splices)+len(edited.Moved)+len(edited.Files) == 0 {
			return now, to.outcome, nil
		}
		err = l.write(ctx, func(b *run.Batch, tx Tx) error {
			b.Hold(event.OrgStream)
			kept, _, err := tx.WorkingDraft(slug)
			if err != nil {
				return err
			}
			newest, _, err := tx.Newest(slug)
			if err != nil {
				return err
			}
			if kept.Revision != now.Revision || now.Gone && newest.Number != now.Version {
				return errMeanwhile
			}
			_, err = b.Append(EditedKind.Draft(l.draftPlace(by), edited))
			return err
		})
		if errors.Is(err, errMeanwhile) {
			continue
		}
		if err != nil {
			return now, canvas.Outcome{}, err
		}
		now, err = l.Draft(ctx, slug)
		return now, to.outcome, err
	}
	return WorkingDraft{}, canvas.Outcome{}, fault.New(fault.Unavailable, "Others edit the draft of %s all the time. Try again.", slug)
}

// errMeanwhile says that a draft was edited while an edit was planned.
var errMeanwhile = errors.New("the draft was edited meanwhile")

// done says what an edit under the author's key came to that was made before.
func (l *Library) done(ctx context.Context, by Author, now WorkingDraft) (out canvas.Outcome, ok bool, err error) {
	if by.Key == "" || now.Revision == 0 {
		return out, false, nil
	}
	edits, err := l.store.Edits(ctx, now.Slug, max(0, now.Revision-mostBehind))
	at := slices.IndexFunc(edits, func(e Edit) bool { return e.Key == by.Key })
	if err != nil || at < 0 {
		return out, false, err
	}
	out.Operations = edits[at].Operations
	for _, op := range out.Operations {
		if op.Op == canvas.CreateNode {
			out.Created = append(out.Created, strings.TrimPrefix(op.In+"."+op.ID, "."))
		}
	}
	return out, true, nil
}

// fileChanges are the files that are others in one draft than in another.
func fileChanges(from, to map[string]string) map[string]FileChange {
	out := make(map[string]FileChange)
	for name, text := range to {
		if old, ok := from[name]; !ok {
			out[name] = FileChange{Now: &text}
		} else if old != text {
			out[name] = FileChange{Was: &old, Now: &text}
		}
	}
	for name, old := range from {
		if _, ok := to[name]; !ok {
			out[name] = FileChange{Was: &old}
		}
	}
	return out
}

// moves are the nodes that stand elsewhere in a layout than in another, and where they stood.
func moves(from, to canvas.Layout) (now, was map[string]*canvas.Position) {
	now, was = make(map[string]*canvas.Position), make(map[string]*canvas.Position)
	for n, p := range to {
		if old, ok := from[n]; !ok || old != p {
			now[n] = &p
			if was[n] = nil; ok {
				was[n] = &old
			}
		}
	}
	for n, old := range from {
		if _, ok := to[n]; !ok {
			now[n], was[n] = nil, &old
		}
	}
	return now, was
}

// since are the edits after base of a draft as it stands. A base that cannot be followed is a fault.Conflict.
func (l *Library) since(ctx context.Context, now WorkingDraft, base int) ([]Edit, error) {
	if base == now.Revision {
		return nil, nil
	}
	if base < 0 || base > now.Revision {
		return nil, fault.New(fault.Conflict, "The draft of %s stands at revision %d; there is no revision %d. Load it again.", now.Slug, now.Revision, base)
	}
	edits, err := l.store.Edits(ctx, now.Slug, base)
	if err != nil {
		return nil, err
	}
	if len(edits) != now.Revision-base || len(edits) > mostBehind {
		return nil, fault.New(fault.Conflict, "The draft of %s was begun anew since revision %d, or edited too often. Load it again.", now.Slug, base)
	}
	return edits, nil
}

// Latest is the base of edits that are made on whatever the draft is.
const Latest = -1

// Edit applies operations that were made on a revision of the draft, or on the [Latest]. Others' edits since then stay: the last to write a
// property wins, and what touches a deleted step is a fault.Conflict.
func (l *Library) Edit(ctx context.Context, by Author, slug string, base int, ops []canvas.Operation) (WorkingDraft, canvas.Outcome, error) {
	return l.change(ctx, by, slug, func(now WorkingDraft) (change, error) {
		if now.Source == "" {
			return change{}, fault.New(fault.NotFound, "There is no workflow %s. Write its first text to begin a draft.", slug)
		}
		from := base
		if base == Latest {
			from = now.Revision
		}
		edits, err := l.since(ctx, now, from)
		if err != nil {
			return change{}, err
		}
		var done []canvas.Edit
		for _, e := range edits {
			done = append(done, canvas.Edit{Revision: e.Revision, By: e.Name, Operations: e.Operations})
		}
		rebased, err := canvas.Rebase(ops, done)
		if err != nil {
			return change{}, err
		}
		out, err := canvas.Apply(now.Draft, rebased)
		return change{Draft: out.Draft, operations: out.Operations, outcome: out}, err
	})
}

// Replace writes the whole text, as it was edited from a revision of the draft. Others' edits since then stay, unless
// they changed the same lines: then it is a fault.Conflict.
func (l *Library) Replace(ctx context.Context, by Author, slug string, base int, source, note string) (WorkingDraft, error) {
	source = canvas.Clean(source)
	if err := readable(slug, source); err != nil {
		return WorkingDraft{}, err
	}
	out, _, err := l.change(ctx, by, slug, func(now WorkingDraft) (change, error) {
		from := base
		if base == 0 && now.Gone && now.Version == 0 { // it was discarded before it was ever saved
			from = now.Revision
		}
		edits, err := l.since(ctx, now, from)
		if err != nil {
			return change{}, err
		}
		return merged(now, edits, func(string) string { return source }, note)
	})
	return out, err
}

// Begin writes the first text of a workflow that is not there yet. One that is there is a fault.Conflict.
func (l *Library) Begin(ctx context.Context, by Author, slug, source, note string) error {
	source = canvas.Clean(source)
	if err := readable(slug, source); err != nil {
		return err
	}
	_, _, err := l.change(ctx, by, slug, func(now WorkingDraft) (change, error) {
		if !now.Gone || now.Version != 0 {
			return change{}, fault.New(fault.Conflict, "There is a workflow %s by now.", slug)
		}
		return change{Draft: canvas.Draft{Source: source}, note: note}, nil
	})
	return err
}

// merged is a draft with another text that was made from what it was before some edits.
func merged(now WorkingDraft, edits []Edit, to func(then string) string, note string) (change, error) {
	then := now.Source
	for i := len(edits) - 1; i >= 0; i-- {
		var err error
		if then, err = canvas.Back(then, edits[i].Splices); err != nil {
			return change{}, err
		}
	}
	source, ok := canvas.Merge(then, now.Source, to(then))
	if !ok {
		return change{}, fault.New(fault.Conflict, "%s changed the same lines of the draft of %s meanwhile. Load it again and make the change on it.", names(edits), now.Slug)
	}
	if err := readable(now.Slug, source); err != nil {
		return change{}, fault.Wrap(err, fault.Conflict, "Together with what %s changed meanwhile the text cannot be read. %s", names(edits), fault.TextOf(err))
	}
	return change{Draft: canvas.Draft{Source: source, Layout: now.Layout, Files: now.Files}, note: note}, nil
}

// names are who made edits.
func names(edits []Edit) string {
	var out []string
	for _, e := range edits {
		if !slices.Contains(out, e.Name) {
			out = append(out, e.Name)
		}
	}
	if len(out) == 0 {
		return "Somebody"
	}
	return strings.Join(out, " and ")
}

// readable says why a text cannot be the draft of a workflow.
func readable(slug, source string) error {
	f, problems := definition.Parse([]byte(source))
	if problems != nil {
		return Misfit(problems)
	}
	if f.Slug != slug {
		return fault.New(fault.Invalid, "The text says slug: %s; it is the draft of %s.", f.Slug, slug)
	}
	if !definition.ValidSlug(slug) {
		return fault.New(fault.Invalid, "The slug %q does not fit: it is lower-case letters, digits and hyphens, at most %d.", slug, definition.MostSlug)
	}
	return nil
}

// SaveDraft keeps the draft as a version, which is not deployed. A draft with findings is a fault.Invalid.
func (l *Library) SaveDraft(ctx context.Context, by event.Party, slug, note string) (Version, error) {
	d, err := l.Draft(ctx, slug)
	if err != nil {
		return Version{}, err
	}
	return l.save(ctx, by, whole(d.Draft), note)
}

// Import keeps what a bundle holds as a version, which is not deployed.
func (l *Library) Import(ctx context.Context, by event.Party, b Bundle) (Version, error) {
	if err := l.bring(ctx, by, b); err != nil {
		return Version{}, err
	}
	return l.save(ctx, by, whole(canvas.Draft{Source: string(b.Source), Layout: b.Layout, Files: b.Files}), "Imported from a bundle.")
}

// whole is a draft that has no files and no layout but its own.
func whole(d canvas.Draft) canvas.Draft {
	if d.Layout == nil {
		d.Layout = make(canvas.Layout)
	}
	if d.Files == nil {
		d.Files = make(map[string]string)
	}
	return d
}

// Discard gives a draft up; the next edit begins with the newest version.
func (l *Library) Discard(ctx context.Context, by event.Party, slug string) error {
	return l.write(ctx, func(b *run.Batch, tx Tx) error {
		b.Hold(event.OrgStream)
		d, ok, err := tx.WorkingDraft(slug)
		if err != nil {
			return err
		}
		if !ok || d.Gone {
			return fault.New(fault.NotFound, "There is no draft of %s.", slug)
		}
		_, err = b.Append(DiscardedKind.Draft(l.place(by), Discarded{Slug: slug, Revision: d.Revision + 1}))
		return err
	})
}

// Files are those of a version.
func (l *Library) Files(ctx context.Context, slug string, version int) (map[string]string, error) {
	v, err := l.store.Version(ctx, slug, version)
	return v.Files, err
}

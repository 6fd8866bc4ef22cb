package tracker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"chela/internal/artifact"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/run"
)

// Bounds of one sync. What is beyond them is read by the next, where the tracker tells changes in order.
const (
	mostPages = 400
	mostBytes = 40 << 20
	mostSeen  = 1000 // versions of issues that a cursor names
	napMost   = 20 * time.Second
)

// Records are the trackers that are set up.
type Records interface {
	event.Notifier
	Mint() *event.Mint
	Trackers(ctx context.Context) ([]State, error)
	Tracker(ctx context.Context, name string) (State, error) // fault.NotFound
	// Change records what fn drafts of a tracker as it is; one that is not there has no name.
	Change(ctx context.Context, name string, fn func(State) ([]event.Draft, error)) error
	// Look has a tracker looked at next at a time, and reports whether that was to be at was until now: of many who
	// claim a look one gets it.
	Look(ctx context.Context, name string, was, next time.Time) (bool, error)
	// Keep keeps the validator of an answer, and when the tracker is looked at next.
	Keep(ctx context.Context, name, check string, next time.Time) error
}

// A News is what had changed in a tracker, as a document.
type News struct {
	Project string
	By      event.Party
	Address string
	Name    string // of the document
	Data    []byte
}

// A Receipt says which intake took news in.
type Receipt struct {
	Intake string `json:"intakeId"`
	Again  bool   `json:"again,omitempty"` // it had taken them in before
}

// An Intake imports what a tracker says.
type Intake interface {
	Submit(ctx context.Context, n News) (Receipt, error)
	Stands(ctx context.Context, id string) (desk.IntakeBody, bool, error)
}

// Artifacts keep what trackers answered.
type Artifacts interface {
	Put(b []byte) (artifact.Ref, error)
	Get(ref artifact.Ref) ([]byte, error)
}

// An Opener opens the source of a tracker.
type Opener func(client *http.Client, t Tracker, token string) (Source, error)

// Parts are what a [Syncer] works with.
type Parts struct {
	Records Records
	Runs    *run.Engine
	Past    func(ctx context.Context, f run.Filter) ([]run.Run, error) // the newest first
	Intake  Intake
	Files   Artifacts
	Secret  func(ctx context.Context, name string) (string, error) // fault.NotFound
	Openers map[Kind]Opener
	// Out reaches no address inside that the policy does not list; Client reaches all that an owner granted.
	Out, Client *http.Client
	Redact      func(ctx context.Context, text string) string
	Log         *slog.Logger
}

// A Syncer reads trackers.
type Syncer struct{ Parts }

// New returns a syncer; its [Syncer.Handle] works the runs of [RunKind].
func New(p Parts) *Syncer { return &Syncer{p} }

// source opens a tracker.
func (s *Syncer) source(ctx context.Context, t Tracker) (Source, error) {
	open, ok := s.Openers[t.Kind]
	if !ok {
		return nil, fault.New(fault.Unavailable, "This version of Chela cannot read trackers of the kind %s.", t.Kind)
	}
	token := ""
	if t.Secret != "" {
		var err error
		if token, err = s.Secret(ctx, t.Secret); err != nil {
			return nil, err
		}
	}
	client := s.Out
	if t.Inside {
		client = s.Client
	}
	return open(client, t, strings.TrimSpace(token))
}

// input is what a sync's run is started with.
type input struct {
	Name string `json:"name"`
	All  bool   `json:"all,omitempty"` // whatever was read before
}

// Begin starts a sync and returns its run; while one goes on, it is that one, unless all is asked for.
func (s *Syncer) Begin(ctx context.Context, by event.Party, name string, all bool) (run.ID, error) {
	t, err := s.Records.Tracker(ctx, name)
	if err != nil {
		return "", err
	}
	if id, goes, err := s.going(ctx, t.Tracker); err != nil || goes && !all {
		return id, err
	}
	raw, err := json.Marshal(input{name, all})
	if err != nil {
		return "", fmt.Errorf("encode input: %w", err)
	}
	id := run.ID(s.Records.Mint().ID("run"))
	title := "Read the tracker " + name
	// A sync waits for its intake, which is in the lane of people: in that one, syncs could fill it and wait for each other.
	const lane = run.ScheduleLane
	at := event.Place{Stream: event.ThreadStream(t.Thread), Thread: t.Thread, Run: string(id), Task: run.RootTask(id), From: by, To: []event.Party{run.Chela()}, Trace: run.TraceOf(ctx)}
	err = s.Runs.Write(ctx, func(b *run.Batch) error {
		return b.Start(run.Spec{
			ID: id, Thread: t.Thread, Project: t.Project, Kind: RunKind, Lane: lane, Title: title, Input: raw, By: by, Trace: at.Trace,
		}, run.RequestKind.Draft(at, run.TaskRequest{Title: title}))
	})
	return id, err
}

// begun is what a sync goes by, the same at every attempt.
type begun struct {
	Tracker Tracker `json:"tracker"`
	Cursor  Cursor  `json:"cursor"`
}

// read is a page that was read.
type read struct {
	Ref   artifact.Ref `json:"ref,omitempty"` // of its issues; none when there are none
	Next  string       `json:"next,omitempty"`
	Asked time.Time    `json:"asked,omitzero"`
	Bytes int          `json:"bytes"`
}

// Handle is the [run.Handler] of syncs.
func (s *Syncer) Handle(ctx context.Context, seg *run.Segment) (run.Outcome, error) {
	out, err := s.play(ctx, seg)
	if err == nil || context.Cause(ctx) != nil || errors.Is(err, run.ErrSuperseded) {
		return out, err
	}
	if w, ok := errors.AsType[*Waits](err); ok {
		until := s.Records.Mint().Now().Add(w.After)
		return run.Outcome{State: run.Waiting, WaitsFor: run.ForTime, Until: until, Reason: w.Error()}, nil
	}
	var in input
	if jsonErr := json.Unmarshal(seg.Run.Input, &in); jsonErr != nil {
		return out, err
	}
	why := s.Redact(ctx, fault.TextOf(err))
	t, gone := s.Records.Tracker(ctx, in.Name)
	if gone != nil { // nobody is told of a tracker that is not there any more
		return out, err
	}
	at := seg.Place(run.Chela())
	failed := FailedKind.Draft(event.Place{Stream: event.OrgStream, Thread: at.Thread, Run: at.Run, Task: at.Task, From: at.From, Trace: at.Trace, Key: at.Run + "/failed"}, Failed{in.Name, why, t.Failures + 1})
	return run.Outcome{State: run.Failed, Reason: why, Drafts: []event.Draft{run.ErrorKind.Draft(at, run.TaskError{Code: "NOT_READ", Message: why, Retryable: true}), failed}}, nil
}

func (s *Syncer) play(ctx context.Context, seg *run.Segment) (run.Outcome, error) {
	var in input
	if err := json.Unmarshal(seg.Run.Input, &in); err != nil {
		return run.Outcome{}, fmt.Errorf("read the run's input: %w", err)
	}
	from, err := run.Step(ctx, seg, "begin", func(ctx context.Context) (begun, error) {
		t, err := s.Records.Tracker(ctx, in.Name)
		if in.All {
			t.Cursor = Cursor{}
		}
		return begun{t.Tracker, t.Cursor}, err
	})
	if err != nil {
		return run.Outcome{}, err
	}
	src, err := s.source(ctx, from.Tracker)
	if err != nil {
		return run.Outcome{}, err
	}
	pages, err := s.pages(ctx, seg, src, from.Cursor.From)
	if err != nil {
		return run.Outcome{}, err
	}
	issues, err := s.issues(pages)
	if err != nil {
		return run.Outcome{}, err
	}
	last := pages[len(pages)-1]
	if last.Next != "" && !src.Habits().Ordered {
		return run.Outcome{}, fault.New(fault.TooLarge, "%s has more issues than one sync reads (%d, or %d MB). Import its export once with `chela import`, or read a smaller project.", from.Tracker.Scope, len(issues), mostBytes>>20)
	}
	done := Synced{Name: in.Name, More: last.Next != ""}
	done.Cursor = advance(from.Cursor, issues, pages[0].Asked, src.Habits())
	fresh := unseen(from.Cursor, issues)
	done.Issues = len(fresh)
	if len(fresh) > 0 {
		if err := s.hand(ctx, seg, from.Tracker, fresh, &done); err != nil {
			return run.Outcome{}, err
		}
	}
	return finished(seg, done)
}

// pages reads what changed since a time, page by page; each is recorded.
func (s *Syncer) pages(ctx context.Context, seg *run.Segment, src Source, since time.Time) (out []read, err error) {
	next, bytes := "", 0
	for n := 0; n < mostPages && bytes < mostBytes; n++ {
		p, err := run.Step(ctx, seg, fmt.Sprintf("page/%03d", n), func(ctx context.Context) (read, error) {
			return s.page(ctx, src, since, next)
		})
		if err != nil {
			return nil, err
		}
		out, bytes = append(out, p), bytes+p.Bytes
		if next = p.Next; next == "" {
			break
		}
	}
	return out, nil
}

// page reads one page and keeps its issues. A short pause that the tracker asks for is made here, a long one by the run.
func (s *Syncer) page(ctx context.Context, src Source, since time.Time, next string) (read, error) {
	fault.Point("before tracker page")
	p, err := src.Changed(ctx, since, next, "")
	if w, ok := errors.AsType[*Waits](err); ok && w.After <= napMost {
		select {
		case <-ctx.Done():
			return read{}, context.Cause(ctx)
		case <-time.After(w.After):
		}
		p, err = src.Changed(ctx, since, next, "")
	}
	if err != nil {
		return read{}, err
	}
	out := read{Next: p.Next, Asked: p.Asked}
	if len(p.Issues) > 0 {
		raw, err := json.Marshal(p.Issues)
		if err != nil {
			return read{}, fmt.Errorf("encode issues: %w", err)
		}
		if out.Ref, err = s.Files.Put(raw); err != nil {
			return read{}, err
		}
		out.Bytes = len(raw)
	}
	fault.Point("after tracker page")
	return out, nil
}

// issues are those of all pages, each once as it was at its last change, in the order of their first.
func (s *Syncer) issues(pages []read) (out []Issue, err error) {
	at := make(map[string]int)
	for _, p := range pages {
		if p.Ref == "" {
			continue
		}
		raw, err := s.Files.Get(p.Ref)
		if err != nil {
			return nil, err
		}
		var some []Issue
		if err := json.Unmarshal(raw, &some); err != nil {
			return nil, fmt.Errorf("read a page of a tracker: %w", err)
		}
		for _, i := range some {
			if n, known := at[i.Key]; !known {
				at[i.Key], out = len(out), append(out, i)
			} else if !i.Updated.Before(out[n].Updated) {
				out[n] = i
			}
		}
	}
	return out, nil
}

// unseen are the issues whose version the cursor does not name.
func unseen(c Cursor, issues []Issue) []Issue {
	seen := make(map[string]bool, len(c.Seen))
	for _, v := range c.Seen {
		seen[v] = true
	}
	return slices.DeleteFunc(slices.Clone(issues), func(i Issue) bool { return seen[i.version()] })
}

// advance is the cursor after issues were read, the first of them when the tracker's clock said asked.
func advance(was Cursor, issues []Issue, asked time.Time, h Habits) Cursor {
	last := asked
	if h.Ordered || asked.IsZero() {
		last = time.Time{}
		for _, i := range issues {
			if i.Updated.After(last) {
				last = i.Updated
			}
		}
	}
	from := last.Add(-h.Lag)
	if last.IsZero() || from.Before(was.From) {
		from = was.From
	}
	out := Cursor{From: from}
	for _, i := range issues {
		if !i.Updated.Before(from) {
			out.Seen = append(out.Seen, i.version())
		}
	}
	if len(out.Seen) > mostSeen { // they changed all at once
		return Cursor{From: last.Truncate(time.Second).Add(time.Second)}
	}
	slices.Sort(out.Seen)
	return out
}

// hand has the intake import the issues, and waits for its end. The same issues again are the same intake.
func (s *Syncer) hand(ctx context.Context, seg *run.Segment, t Tracker, issues []Issue, done *Synced) error {
	records := make([]json.RawMessage, len(issues))
	for n, i := range issues {
		records[n] = i.Record
	}
	raw, err := json.Marshal(map[string]any{"issues": records})
	if err != nil {
		return fmt.Errorf("encode issues: %w", err)
	}
	receipt, err := run.Step(ctx, seg, "import", func(ctx context.Context) (Receipt, error) {
		return s.Intake.Submit(ctx, News{t.Project, seg.Run.By, t.Address, strings.ReplaceAll(t.Scope, "/", "-") + " of " + t.Host() + ".json", raw})
	})
	if err != nil {
		return err
	}
	fault.Point("after tracker import")
	for {
		b, over, err := s.Intake.Stands(ctx, receipt.Intake)
		if err != nil {
			return err
		}
		if over {
			if b.Status != desk.IntakeDispatched {
				return fault.New(fault.Unavailable, "The issues were read, but not imported: %s", why(b))
			}
			done.Intake, done.Run, done.Left = receipt.Intake, b.RunID, b.Problems
			if !receipt.Again {
				done.New, done.Moved = b.Created, b.Changed
			}
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(250 * time.Millisecond):
		}
	}
}

// why is why an intake did not end well.
func why(b desk.IntakeBody) string {
	if b.Status == desk.IntakeTakenBack {
		return "somebody took the import back. `chela tracker sync` with --all reads all anew."
	}
	for _, p := range b.Phases {
		if p.Status == "failed" {
			return p.Summary
		}
	}
	return "its run ended before."
}

// finished is the end of a sync: with it the tracker was read up to there.
func finished(seg *run.Segment, done Synced) (run.Outcome, error) {
	raw, err := json.Marshal(done)
	if err != nil {
		return run.Outcome{}, fmt.Errorf("encode result: %w", err)
	}
	at := seg.Place(run.Chela())
	own := at
	own.Stream, own.Key = event.OrgStream, at.Run+"/synced"
	at.Key = at.Run + "/end"
	return run.Outcome{State: run.Done, Result: raw, Drafts: []event.Draft{
		SyncedKind.Draft(own, done), run.ResultKind.Draft(at, run.TaskResult{Success: true, Output: raw, Summary: done.Text()}),
	}}, nil
}

// Text says what a sync brought.
func (d Synced) Text() string {
	if d.Issues == 0 {
		return "Nothing had changed."
	}
	out := fmt.Sprintf("%d issues had changed: %d tickets are new, %d were brought up to date.", d.Issues, d.New[string(desk.Ticket)], d.Moved[string(desk.Ticket)])
	if d.More {
		out += " There are more, which the next sync reads."
	}
	return out
}

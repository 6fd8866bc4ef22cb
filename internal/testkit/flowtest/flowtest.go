// Package flowtest plays every workflow that comes with Chela from its beginning to its end, with a scripted model and
// the real engine over a store, and kills it after each step that is recorded: everything that was in memory
// is dropped, the database is opened again, and the instance goes on from the log.
package flowtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"chela/internal/agent"
	"chela/internal/approval"
	"chela/internal/artifact"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/instance"
	"chela/internal/library"
	"chela/internal/model"
	"chela/internal/model/scripted"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/run/local"
	"chela/internal/store"
	"chela/internal/stream"
	"chela/internal/tool"
	tooldesk "chela/internal/tool/desk"
)

// Test plays all cases over the databases that open makes; what open returns opens the same one again.
func Test(t *testing.T, open func(t *testing.T) (*store.DB, func() (*store.DB, error))) {
	for _, c := range cases() {
		t.Run(c.workflow+", "+c.name, func(t *testing.T) {
			t.Parallel()
			whole := play(t, c, false, open)
			killed := play(t, c, true, open)
			// Steps that only compute are recorded with what comes next, and those that are recorded at once share a kill: how many
			// depends on how busy the machine is.
			if whole.kills != 0 || killed.kills == 0 || 4*killed.kills < len(whole.steps) {
				t.Errorf("it was killed %d times when nobody was to, and %d times with %d steps when it was to be after each", whole.kills, killed.kills, len(whole.steps))
			}
			if whole.ended != c.ends {
				t.Errorf("it ended %s, want %s", whole.ended, c.ends)
			}
			if programs := killed.events[tool.CallKind.Name]; whole.unknown != 0 || killed.unknown > programs {
				t.Errorf("it is asked %d times what became of %d calls, and %d times when nobody killed it", killed.unknown, programs, whole.unknown)
			}
			same(t, "how it ended", whole.ended, killed.ended)
			same(t, "its steps", strings.Join(whole.steps, "\n"), strings.Join(killed.steps, "\n"))
			same(t, "its reviews", strings.Join(whole.moves, "\n"), strings.Join(killed.moves, "\n"))
			same(t, "what is in the log", counted(whole.events), counted(killed.events))
		})
	}
}

func same(t *testing.T, what, want, got string) {
	t.Helper()
	if want != got {
		t.Errorf("%s is not the same when it is killed.\nwhole:\n%s\nkilled:\n%s", what, want, got)
	}
}

func counted(events map[string]int) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(events)) {
		out = append(out, fmt.Sprintf("%s %d", k, events[k]))
	}
	return strings.Join(out, "\n")
}

// A played is what came of an instance.
type played struct {
	kills  int
	ended  string         // its state and reason
	steps  []string       // where each stands, and what it gave
	moves  []string       // of its reviews, in order
	events map[string]int // what the log holds of it, by type
	// unknown counts the questions whether something happened that was under way in a kill.
	unknown int
}

// errDead is what a killed process would not have lived to see.
var errDead = errors.New("the process is dead")

// mortal is a database whose process dies after a transaction that records a step.
type mortal struct {
	store.Backend

	mu    sync.Mutex // guards the rest
	kills bool
	dead  bool
	died  chan struct{}

	killed func() // counts
}

// Transact implements [store.Backend]. The dead write nothing.
func (m *mortal) Transact(ctx context.Context, fn func(store.Conn) ([]store.Statement, error), committed func()) error {
	if m.isDead() {
		return errDead
	}
	return m.Backend.Transact(ctx, fn, committed)
}

func (m *mortal) isDead() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.dead
}

// saw is told of what was recorded.
func (m *mortal) saw(events []event.Event, _ time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kills && !m.dead && slices.ContainsFunc(events, isStep) {
		m.dead = true
		m.killed()
		close(m.died)
	}
}

// isStep reports whether an event is one on which an instance builds when it goes on.
func isStep(e event.Event) bool {
	return !slices.Contains([]string{run.QueuedKind.Name, run.StartedKind.Name, run.WaitingKind.Name, run.ResumedKind.Name, run.FinishedKind.Name, approval.AnsweredKind.Name}, e.Message.Type) &&
		strings.HasPrefix(e.Message.RunID, "run_") && e.Message.RunID != orgRun
}

const orgRun = "run_org"

// A life is the engine between two kills.
type life struct {
	db      *store.DB
	mortal  *mortal
	runs    *run.Engine
	library *library.Library
	stop    func()
}

// A world is what outlives a kill: the database, the artifacts, the clock and what happened outside.
type world struct {
	t     *testing.T
	c     testCase
	again func() (*store.DB, error)
	mint  *event.Mint
	arts  *artifact.Files
	lives int
	kills atomic.Int32 // lives that ended with a step

	mu   sync.Mutex     // guards ran
	ran  map[string]int // calls of programs, by key
	root string         // of the project
}

var ann = org.Person{ID: "per_ann"}.Party()

// began is when each instance begins.
var began = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// begin opens the database and starts an engine.
func (w *world) begin(kills bool) *life {
	w.t.Helper()
	opened, err := w.again()
	if err != nil {
		w.t.Fatal(err)
	}
	quiet := slog.New(slog.DiscardHandler)
	l := &life{mortal: &mortal{Backend: opened.Backend, kills: kills, died: make(chan struct{}), killed: func() { w.kills.Add(1) }}}
	l.db = store.New(l.mortal, store.Options{Mint: w.mint, Observe: l.mortal.saw})
	l.runs = run.New(l.db, l.db.Runs, local.New(l.db.Queue, nil, quiet), run.Options{Log: quiet, Grace: time.Millisecond, FlushDelay: time.Millisecond, MaxAttempts: 1000})
	tools := tool.NewCatalog(quiet, tool.NewSet(append(tooldesk.Tools(clerk.New(l.db.Desk), l.db.Conversations, w.arts, nil), w.program(l.mortal))...), nil)
	agents := agent.New(l.runs, l.db, scripted.New(w.c.script), tools, l.db.Roster, l.db.Conversations, w.arts, l.db.Questions, new(stream.Hub), agent.Options{Log: quiet, Records: records{l.db.Desk, l.db.People}})
	flows := instance.New(agents, l.db.Workflows, l.db.Questions, l.db.People, l.db.Desk, instance.Options{Log: quiet})
	l.library = library.New(l.runs, l.db, l.db.Workflows, flows, l.db.Directory.ProjectNamed)
	l.runs.Handle(instance.RunKind, flows.Handle)
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- l.runs.Run(ctx) }()
	l.stop = func() {
		cancel()
		if err := <-ended; err != nil && !errors.Is(err, errDead) {
			w.t.Error(err)
		}
		if err := opened.Close(); err != nil {
			w.t.Error(err)
		}
	}
	w.lives++
	return l
}

// records are what contracts are about.
type records struct {
	store.Desk
	store.People
}

// Keyed implements [agent.Records].
func (records) Keyed(context.Context, string, string) (desk.Record, bool, error) {
	return desk.Record{}, false, nil
}

// program stands in for the shell: it says whether the tests pass. The dead run none.
func (w *world) program(of *mortal) *tool.Tool {
	type line struct {
		Command string `json:"command"`
		Timeout int    `json:"timeout_seconds,omitempty"`
	}
	type ended struct {
		Code int `json:"exit_code"`
	}
	return tool.Func(tool.Spec{Name: "shell_exec", Help: "Runs a line.", Risk: tool.ExecShell, Role: org.Editor}, func(_ context.Context, c tool.Call, _ line) (ended, error) {
		if of.isDead() {
			return ended{}, errDead
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.ran[c.Key]++
		return ended{w.c.exit}, nil
	})
}

// found makes the organization and the project, and deploys the workflow.
func (w *world) found(l *life) (library.Start, error) {
	at := event.Place{Stream: event.OrgStream, Thread: "thr_org", Run: orgRun, Task: "task_org", From: run.Chela()}
	drafts := []event.Draft{org.PersonAddedKind.Draft(at, org.PersonAdded{ID: "per_ann", Name: "Ann", Role: org.Owner})}
	for name, skills := range map[string][]org.Capability{"generalist": nil, "reviewer": nil, "engineer": {{ID: "skill:code"}}} {
		a := org.Agent{Card: org.Card{V: event.Version, AgentID: org.AgentID("agent:" + name), Capabilities: skills, Limits: org.Limits{MaxConcurrency: 10, MaxRuntimeSec: 600}}}
		a.Kind, a.Prompt, a.Tools, a.Enabled, a.Permissions = org.Specialist, "You are "+name+".", []string{"*"}, true, org.Permissions{org.Records: true, org.Shell: true}
		drafts = append(drafts, org.RegisterKind.Draft(at, org.Registration{Card: a.Card, Status: org.Online, Profile: &a.Profile}))
	}
	if _, err := l.db.Log.Append(w.t.Context(), drafts...); err != nil {
		return library.Start{}, err
	}
	var err error
	if w.root, err = w.makes(l, "", desk.Project, `{"name":"Payments"}`); err != nil {
		return library.Start{}, err
	}
	ticket, err := w.makes(l, w.root, desk.Ticket, `{"title":"Round to cents"}`)
	if err != nil {
		return library.Start{}, err
	}
	source, err := library.ShippedSource(w.c.workflow)
	if err != nil {
		return library.Start{}, err
	}
	v, err := l.library.Save(w.t.Context(), ann, source, "")
	if err == nil {
		_, err = l.library.Deploy(w.t.Context(), ann, v.Slug, v.Number)
	}
	inputs := map[string]any{"project": w.root}
	maps.Copy(inputs, w.c.inputs)
	if inputs["ticket"] != nil {
		inputs["ticket"] = ticket
	}
	return library.Start{Slug: w.c.workflow, Inputs: inputs, By: ann}, err
}

func (w *world) makes(l *life, project string, k desk.Kind, body string) (id string, err error) {
	at := event.Place{Thread: "thr_org", Run: orgRun, Task: "task_org", From: ann}
	err = clerk.New(l.db.Desk).Do(w.t.Context(), at, project, func(d []event.Draft) error {
		_, err := l.db.Log.Append(w.t.Context(), d...)
		return err
	}, func(c *clerk.Work) error {
		r, err := c.Create(k, json.RawMessage(body))
		id = r.ID
		return err
	})
	return id, err
}

// play plays a case to its end.
func play(t *testing.T, c testCase, kills bool, open func(t *testing.T) (*store.DB, func() (*store.DB, error))) played {
	t.Helper()
	db, again := open(t)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	arts, err := artifact.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, c: c, again: again, mint: event.NewMint(began), arts: arts, ran: make(map[string]int)}
	l := w.begin(false)
	start, err := w.found(l)
	if err != nil {
		t.Fatal(err)
	}
	l.mortal.mu.Lock()
	l.mortal.kills = kills
	l.mortal.mu.Unlock()
	id, err := l.library.Start(t.Context(), start)
	if err != nil && !errors.Is(err, errDead) {
		t.Fatal(err)
	}
	for answered := 0; ; {
		ended, died := w.goesOn(l, id, &answered)
		if ended {
			break
		}
		if !died {
			continue
		}
		l.stop()
		if w.lives > 300 {
			t.Fatalf("it does not end: %d lives", w.lives)
		}
		l = w.begin(kills)
	}
	l.stop()
	l = w.begin(false)
	defer l.stop()
	for key, n := range w.ran {
		if n > 1 {
			t.Errorf("the program of %s was run %d times", key, n)
		}
	}
	return w.judge(l, id)
}

// goesOn waits until the instance ends, dies or waits; what it waits for comes.
func (w *world) goesOn(l *life, id run.ID, answered *int) (ended, died bool) {
	w.t.Helper()
	settled, stop := l.db.Runs.Settled(id)
	defer stop()
	r, err := l.db.Runs.Run(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	switch {
	case r.State.Final():
		return true, false
	case r.State != run.Waiting:
		select {
		case <-settled:
		case <-l.mortal.died:
			return false, true
		case <-time.After(30 * time.Second):
			w.t.Fatalf("%s is %s: %s", id, r.State, r.Reason)
		}
		return false, false
	case r.WaitsFor == run.ForTime:
		w.mint.Forward(longest)
		return false, w.over(l)
	}
	return false, w.answer(l, r, answered)
}

// longest is more than any of the workflows waits.
const longest = 6 * 24 * time.Hour

// over has the clock looked at anew, as a daemon that starts does.
func (w *world) over(l *life) bool {
	l.mortal.mu.Lock()
	defer l.mortal.mu.Unlock()
	if !l.mortal.dead {
		l.mortal.dead = true
		close(l.mortal.died)
	}
	return true
}

// ofMap is the place of a question in a map. Those of a map are asked at once, in any order, and each has the decision of its place.
var ofMap = regexp.MustCompile(`\[(\d+)\]`)

// answer answers what the instance asks: calls are allowed, and decisions are those of the case, one after the other.
func (w *world) answer(l *life, r run.Run, answered *int) (died bool) {
	w.t.Helper()
	all, err := l.db.Questions.ApprovalsOf(w.t.Context(), r.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, q := range all {
		if q.Status != approval.Pending {
			continue
		}
		a := approval.Answer{ID: q.ID, Choice: approval.Approve, Digest: q.Digest}
		switch q.Kind {
		case approval.Decision:
			which := *answered
			if at := ofMap.FindStringSubmatch(q.Step); at != nil {
				which, _ = strconv.Atoi(at[1]) // digits
			}
			if which >= len(w.c.decides) {
				w.t.Fatalf("it asks once more than the case answers: %s", q.Question)
			}
			a.Choice, a.Note, _ = strings.Cut(w.c.decides[which], ": ")
		case approval.OutcomeUnknown:
			a.Choice = approval.Repeat
		default:
			for _, c := range q.Calls {
				a.Calls = append(a.Calls, c.Call)
			}
		}
		err := approval.Decide(w.t.Context(), l.db.Questions, l.runs, approval.Approver{Party: ann, Role: org.Owner}, a, agent.Always)
		if errors.Is(err, errDead) { // it died before it heard the answer, which is given again
			return true
		}
		if err != nil {
			w.t.Fatalf("%s: %v", q.Question, err)
		}
		if q.Kind == approval.Decision {
			*answered++
		}
		return false
	}
	w.t.Fatalf("%s waits for %s and asks nobody: %s", r.ID, r.WaitsFor, r.Reason)
	return false
}

// ids are ids of records, which are others each time.
var ids = regexp.MustCompile(`\b[a-z]{3,4}_[0-9a-z]{20,}\b`)

// judge reads what came of an instance.
func (w *world) judge(l *life, id run.ID) played {
	w.t.Helper()
	ctx := w.t.Context()
	in, err := l.db.Workflows.Instance(ctx, id)
	if err != nil {
		w.t.Fatal(err)
	}
	out := played{kills: int(w.kills.Load()), ended: string(in.Run.State), events: make(map[string]int)}
	if in.Unproven {
		out.ended = "unproven"
	}
	steps, err := l.db.Workflows.Steps(ctx, id)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, s := range steps {
		out.steps = append(out.steps, fmt.Sprintf("%s %s %s %s", s.Path, s.State, ids.ReplaceAllString(string(s.Output), "ID"), ids.ReplaceAllString(s.Error, "ID")))
	}
	slices.Sort(out.steps)
	for e, err := range l.db.Log.After(ctx, 0) {
		if err != nil {
			w.t.Fatal(err)
		}
		if e.Message.RunID != string(id) {
			continue
		}
		if q, ok, err := approval.RequestedKind.Open(e); err == nil && ok && q.Kind == approval.OutcomeUnknown {
			out.unknown++ // what was under way is asked about
			continue
		}
		if isStep(e) {
			out.events[e.Message.Type]++
		}
		if m, ok, err := instance.ReviewedKind.Open(e); err == nil && ok {
			out.moves = append(out.moves, fmt.Sprintf("%s %s → %s, %d reworks, escalated %v", m.Path, m.From, m.To, m.Reworks, m.Escalated))
		}
	}
	rebuilt, err := l.db.Rebuild(ctx)
	if err != nil || len(rebuilt.Different()) > 0 {
		w.t.Errorf("the log does not give the tables again: %v %v", rebuilt.Different(), err)
	}
	return out
}

var _ model.Model = (*scripted.Model)(nil)

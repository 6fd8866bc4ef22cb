package mcp_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/inbox"
	"chela/internal/mcp"
	"chela/internal/run"
	"chela/internal/run/local"
	"chela/internal/session"
	"chela/internal/store"
	"chela/internal/store/sqlite"
	"chela/internal/testkit/sqlitetest"
	"chela/internal/tool"
)

// A hall has a conversation in which tasks are given. Its runs are queued, and nobody works them.
type hall struct {
	t     *testing.T
	db    *store.DB
	runs  *run.Engine
	inbox *inbox.Inbox
	looks atomic.Int32
	reads atomic.Int32 // of what is followed
	kept  atomic.Value // what was too long
}

var ann = event.Party{AgentID: "agent:person/per_ann", Role: "person"}

func newHall(t *testing.T) *hall {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlitetest.Path(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() }) // its file goes with the test
	log := slog.New(slog.DiscardHandler)
	h := &hall{t: t, db: db, runs: run.New(db, db.Runs, local.New(db.Queue, nil, log), run.Options{Log: log})}
	h.runs.Handle(session.ChatRun, func(context.Context, *run.Segment) (run.Outcome, error) { return run.Outcome{}, nil })
	h.inbox = inbox.New(h.runs, db, db.ForInbox(), inbox.Options{Log: log})
	h.record(session.OpenedKind.Draft(h.place(), session.Opened{Channel: "page", Title: "Plans", Person: ann.AgentID}))
	return h
}

func (*hall) place() event.Place {
	return event.Place{Stream: event.ThreadStream("thr_1"), Thread: "thr_1", Run: "run_1", Task: "task_1", From: ann}
}

func (h *hall) record(drafts ...event.Draft) {
	h.t.Helper()
	if _, err := h.db.Log.Append(h.t.Context(), drafts...); err != nil {
		h.t.Fatal(err)
	}
}

func (h *hall) give(row int) {
	h.t.Helper()
	h.record(mcp.FollowedKind.Draft(h.place(), mcp.Followed{Server: "partner", Task: "t1", Tool: "partner__ask", Giver: "agent:pm", Agent: "agent:pm", By: ann, Row: row}))
}

// A watched store counts how often it is asked what is followed.
type watched struct {
	store.MCP
	reads *atomic.Int32
}

// Given implements [mcp.FollowedStore].
func (w watched) Given(ctx context.Context) ([]mcp.Given, error) {
	w.reads.Add(1)
	return w.MCP.Given(ctx)
}

// follow follows tasks until the test ends.
func (h *hall) follow(pace mcp.Pace, look func() (mcp.Standing, error)) {
	f := mcp.NewFollower(h.db, h.runs, mcp.FollowerParts{
		Store: watched{h.db.MCP, &h.reads}, Inbox: h.inbox, Pace: pace, Log: slog.New(slog.DiscardHandler),
		Look:   func(context.Context, mcp.Given) (mcp.Standing, error) { h.looks.Add(1); return look() },
		Redact: func(_ context.Context, text string) string { return strings.ReplaceAll(text, "s3cret", "[hidden]") },
		Keep:   func(text []byte) (string, error) { h.kept.Store(string(text)); return "art_1", nil },
	})
	ctx, stop := context.WithCancel(h.t.Context())
	ended := make(chan error, 1)
	go func() { ended <- f.Run(ctx) }()
	h.t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			h.t.Error(err)
		}
	})
}

func (h *hall) said() []session.Message {
	h.t.Helper()
	out, err := h.db.Conversations.Messages(h.t.Context(), "thr_1", 0, 100)
	if err != nil {
		h.t.Fatal(err)
	}
	return out
}

// until waits until the conversation has so many messages, and returns the last.
func (h *hall) until(n int) session.Message {
	h.t.Helper()
	grown, leave := h.db.Subscribe(event.LogGrew)
	defer leave()
	late := time.After(20 * time.Second)
	for {
		if all := h.said(); len(all) >= n {
			return all[n-1]
		}
		select {
		case <-grown:
		case <-late:
			h.t.Fatalf("the conversation has only %+v", h.said())
		}
	}
}

var quick = mcp.Pace{First: 5 * time.Millisecond, Longest: 20 * time.Millisecond}

func ended(text string) func() (mcp.Standing, error) {
	return func() (mcp.Standing, error) {
		return mcp.Standing{State: "completed", Result: tool.Result{Text: text, From: []string{"partner.example"}}}, nil
	}
}

// TestFollower_AsksNobodyWithoutATask sleeps while nothing is followed.
func TestFollower_AsksNobodyWithoutATask(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.follow(quick, ended("It is done."))
	time.Sleep(200 * time.Millisecond)
	if h.reads.Load() != 1 || h.looks.Load() != 0 {
		t.Errorf("without a task it reads %d times what is followed, and looks %d times", h.reads.Load(), h.looks.Load())
	}
	h.give(0)
	h.until(1)
	reads := h.reads.Load()
	time.Sleep(200 * time.Millisecond)
	if h.reads.Load() > reads+1 || h.looks.Load() != 1 {
		t.Errorf("after its end it reads %d times more, and has looked %d times", h.reads.Load()-reads, h.looks.Load())
	}
}

// TestFollower_CutsWhatIsLong tells what fits into a message, without secrets, and keeps the rest.
func TestFollower_CutsWhatIsLong(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.give(3)
	h.follow(quick, ended("s3cret "+strings.Repeat("é", 20_000)))
	m := h.until(1)
	if len(m.Message) > 18_000 || !strings.Contains(m.Message, "[hidden]") || strings.Contains(m.Message, "s3cret") || !strings.Contains(m.Message, "All of it is in art_1.]") {
		t.Errorf("the conversation is told %d bytes: %.300s", len(m.Message), m.Message)
	}
	if kept, _ := h.kept.Load().(string); len(kept) < 40_000 || strings.Contains(kept, "s3cret") {
		t.Errorf("kept are %d bytes", len(kept))
	}
	r, err := h.db.Runs.Run(t.Context(), run.ID(m.Run))
	if err != nil {
		t.Fatal(err)
	}
	var in session.TurnInput
	if err := json.Unmarshal(r.Input, &in); err != nil || r.Agent != "agent:pm" || r.By != ann || in.Row != 4 {
		t.Errorf("the agent goes on by %+v, %+v, %v", r.Spec, in, err)
	}
}

// TestFollower_WaitsForWhoWorks looks and tells nothing while an agent works in the conversation: it may look by itself.
func TestFollower_WaitsForWhoWorks(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	acc, err := h.inbox.Take(t.Context(), inbox.Message{Thread: "thr_1", Text: "Hello", Agent: "agent:pm", From: ann, Channel: "page"})
	if err != nil {
		t.Fatal(err)
	}
	h.give(0)
	h.follow(quick, ended("It is done."))
	time.Sleep(150 * time.Millisecond)
	if all := h.said(); len(all) != 1 || h.looks.Load() != 0 {
		t.Errorf("while an agent works it looks %d times, and the conversation has %+v", h.looks.Load(), all)
	}
	if err := h.runs.Write(t.Context(), func(b *run.Batch) error { return b.Cancel(run.ID(acc.Run), ann, "Enough.") }); err != nil {
		t.Fatal(err)
	}
	if m := h.until(2); !strings.Contains(m.Message, "It is done.") {
		t.Errorf("then the conversation is told %+v", m)
	}
}

// TestFollower_StopsWithAWord: agents that give each other tasks without end wait for a word of a person.
func TestFollower_StopsWithAWord(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.give(10)
	h.follow(quick, ended("It is done."))
	if m := h.until(1); m.Role != session.FromSystem || !strings.Contains(m.Message, "It stands as completed, but the last 10 tasks followed one from the other") {
		t.Errorf("the conversation is told %+v", m)
	}
}

// TestFollower_GivesUpWhoIsSilent looks again at a partner that cannot be asked, and says at last that it could not be.
func TestFollower_GivesUpWhoIsSilent(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.give(0)
	pace := quick
	pace.GiveUp = 300 * time.Millisecond
	h.follow(pace, func() (mcp.Standing, error) { return mcp.Standing{}, fault.New(fault.Unavailable, "It is away.") })
	if m := h.until(1); m.Role != session.FromSystem || !strings.Contains(m.Message, "at last it could not be looked at. To look at it by hand, have an agent call `partner__task`") || h.looks.Load() < 2 {
		t.Errorf("after %d looks the conversation is told %+v", h.looks.Load(), m)
	}
}

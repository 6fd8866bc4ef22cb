package worker_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/event"
	"chela/internal/worker"
)

// facts drafts one fact of every sort about a task.
func facts(at event.Place, now time.Time) []event.Draft {
	until := now.Add(worker.Lease)
	return []event.Draft{
		worker.GivenKind.Draft(at, worker.Given{Worker: "ken", Text: "Again"}),
		worker.RepliedKind.Draft(at, worker.Replied{Text: "To staging"}),
		worker.TakenKind.Draft(at, worker.Took{Until: until}),
		worker.ProgressedKind.Draft(at, worker.Progressed{Progress: 40, Message: "Half", Until: until}),
		worker.ProgressedKind.Draft(at, worker.Progressed{Message: "Where?", Asks: true}),
		worker.EndedKind.Draft(at, worker.Ended{State: worker.Done, Output: "It is done."}),
		worker.EndedKind.Draft(at, worker.Ended{State: worker.Failed, Reason: "No."}),
		worker.EndedKind.Draft(at, worker.Ended{State: worker.Cancelled}),
		worker.EndedKind.Draft(at, worker.Ended{State: worker.Taken}),
	}
}

// TestTask_GoesWhereItMay plays random facts: a task only goes where its states allow, an end is the end, a lease that holds is nobody else's, and
// its request never changes.
func TestTask_GoesWhereItMay(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a test
		now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
		at := event.Place{Stream: "thread:thr_1", Thread: "thr_1", Run: "run_1", Task: "task_1", ParentTask: "run_1", From: event.Party{AgentID: "agent:pm"}}
		task, err := worker.Task{}.With(event.Event{At: now, Stream: at.Stream, Message: worker.GivenKind.Draft(at, worker.Given{Worker: "ken", Text: "Deploy it"}).Message})
		if err != nil || task.State != worker.Open || task.Worker != "ken" {
			t.Fatalf("given, it is %+v, %v", task, err)
		}
		for range 40 {
			now = now.Add(time.Duration(r.IntN(400)) * time.Second)
			all := facts(at, now)
			d := all[r.IntN(len(all))]
			before := task
			if task, err = task.With(event.Event{At: now, Stream: at.Stream, Message: d.Message}); err != nil {
				t.Fatal(err)
			}
			was := before.Now(now)
			switch {
			case before.State != task.State && !before.State.CanBecome(task.State) && !was.CanBecome(task.State):
				t.Fatalf("seed %d: %s became %s by %s %s", seed, before.State, task.State, d.Message.Type, d.Message.Payload)
			case before.State.Ended() && !reflect.DeepEqual(before, task):
				t.Fatalf("seed %d: after its end %+v became %+v", seed, before, task)
			case task.Attempt > before.Attempt && was != worker.Open:
				t.Fatalf("seed %d: it was taken while it was %s until %s, at %s", seed, was, before.Until, now)
			case task.Said[0] != before.Said[0]:
				t.Fatalf("seed %d: its request became %+v", seed, task.Said[0])
			case task.State == worker.Taken == task.Until.IsZero():
				t.Fatalf("seed %d: as %s its time is %s", seed, task.State, task.Until)
			}
		}
	}
}

// TestTask_Messages: a worker is told what it is asked for as messages of the protocol that a strict reader takes.
func TestTask_Messages(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	long := strings.Repeat("ä", 200)
	task := worker.Task{
		ID: "task_1", Worker: "ken", Giver: event.Party{AgentID: "agent:pm"}, Attempt: 1, Seconds: 90, Thread: "thr_1", Run: "run_1", Parent: "task_0",
		Said: []worker.Words{{ID: "msg_1", At: now, Text: "\n" + long + "\nmore"}, {ID: "msg_2", At: now, Text: "To staging"}},
	}
	var types []string
	for _, m := range task.Messages(event.Party{AgentID: "agent:ken"}) {
		raw, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		back, err := event.DecodeMessage(raw)
		if err != nil || back.TaskID != "task_1" || back.ParentTaskID != "task_0" || back.To[0].AgentID != "agent:ken" {
			t.Errorf("%s is read as %+v, %v", raw, back, err)
		}
		types = append(types, back.Type)
		var p struct{ Title, Description, Message string }
		if err := json.Unmarshal(back.Payload, &p); err != nil {
			t.Error(err)
		}
		if back.Type == event.TaskRequest && (p.Title != strings.Repeat("ä", 99)+"…" || p.Description != "\n"+long+"\nmore" || back.Attempt != 2) || back.Type == event.ChatMessage && p.Message != "To staging" {
			t.Errorf("it is told %s", raw)
		}
	}
	if !slices.Equal(types, []string{event.TaskRequest, event.ChatMessage}) {
		t.Errorf("it is told %v", types)
	}
}

// TestAbout_Check refuses what would not be one line of an agent's card.
func TestAbout_Check(t *testing.T) {
	t.Parallel()
	for _, bad := range []worker.About{{}, {Does: "a\nb"}, {Does: strings.Repeat("x", 301)}, {Does: "x", Skills: []string{"Code review"}}, {Does: "x", Skills: []string{"a", "a"}}, {Does: "x", Skills: []string{""}}, {Does: "x", Skills: make([]string, 21)}} {
		if bad.Check() == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
	if err := (worker.About{Does: "Reviews Go code.", Skills: []string{"code_review", "go-1"}}).Check(); err != nil {
		t.Error(err)
	}
}

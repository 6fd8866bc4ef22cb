package storetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"chela/internal/agent"
	"chela/internal/approval"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/model"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/store"
)

// runs finds runs by the agents that have a task in them, the forks of a run, and what each
// of several cost.
func runs(t *testing.T, open Opener) {
	db, _ := open(t)
	begin := func(id, thread string, fork run.ID, from string) event.Place {
		at := place(event.ThreadStream(thread))
		at.Thread, at.Run, at.Task = thread, id, run.RootTask(run.ID(id))
		at.From = event.Party{AgentID: "agent:person/per_1", Role: "person"}
		_, err := db.Log.Append(t.Context(), session.OpenedKind.Draft(at, session.Opened{Channel: "api", Title: id, ForkedFrom: from}),
			run.QueuedKind.Draft(at, run.Spec{ID: run.ID(id), Thread: thread, Kind: "chat", Lane: run.UserLane, Title: id, By: at.From, ForkOf: fork}))
		check(t, err)
		return at
	}
	first := begin("run_1", "thr_1", "", "")
	begin("run_2", "thr_2", "run_1", "thr_1")
	begin("run_3", "thr_3", "run_0", "thr_1") // of another run of the same conversation
	given := first
	given.To = []event.Party{{AgentID: "agent:coder"}}
	answered := func(tokens int, usd float64) event.Draft {
		return agent.AnsweredKind.Draft(first, agent.Answered{Agent: "agent:coder", Answer: model.Answer{Usage: model.Usage{InputTokens: tokens, OutputTokens: 1}, CostUSD: usd, CostKnown: usd > 0}})
	}
	_, err := db.Log.Append(t.Context(), run.RequestKind.Draft(given, run.TaskRequest{Title: "T"}), answered(10, 0.5), answered(5, 0))
	check(t, err)

	found, err := db.Runs.RunList(t.Context(), run.Filter{Agent: "agent:coder"})
	check(t, err)
	if len(found) != 1 || found[0].ID != "run_1" {
		t.Errorf("the agent has a task in %+v", found)
	}
	by, err := db.Runs.RunList(t.Context(), run.Filter{By: first.From.AgentID})
	check(t, err)
	nobodys, err := db.Runs.RunList(t.Context(), run.Filter{By: "agent:person/none"})
	check(t, err)
	if len(by) != 3 || len(nobodys) != 0 {
		t.Errorf("%s asked for %d runs, and nobody for %d", first.From.AgentID, len(by), len(nobodys))
	}
	of, err := db.Runs.Run(t.Context(), "run_1")
	check(t, err)
	forks, err := db.Runs.Forks(t.Context(), of)
	check(t, err)
	if len(forks) != 1 || forks[0].ID != "run_2" {
		t.Errorf("the forks are %+v", forks)
	}
	spends, err := db.Spending.Spends(t.Context(), []run.ID{"run_1", "run_2"})
	check(t, err)
	if s := spends["run_1"]; len(spends) != 1 || s.Calls != 2 || s.InputTokens != 15 || s.OutputTokens != 2 || s.CostUSD != 0.5 || s.Unpriced != 1 {
		t.Errorf("the runs cost %+v", spends)
	}
}

func fenced(t *testing.T, open Opener) {
	db, _ := open(t)
	seed(t, db)
	s := db
	job := run.Job{Run: "run_1", Segment: 1, Kind: "chat", Lane: run.UserLane, Partition: "thr_1"}
	claim := func(node string) (epoch int64) {
		check(t, s.Write(t.Context(), func(tx *store.Tx) (err error) {
			var ok bool
			epoch, ok, err = tx.Claims().Claim(job, node)
			if err == nil && !ok {
				err = errors.New("there was nothing to claim")
			}
			return err
		}))
		return epoch
	}
	check(t, s.Write(t.Context(), func(tx *store.Tx) error { return tx.Claims().Ready(job) }))
	first := claim("a")
	second := claim("b")
	err := s.Write(t.Context(), func(tx *store.Tx) error { return tx.Claims().Fence("run_1", first) })
	if fault.KindOf(err) != fault.Conflict {
		t.Fatalf("the superseded epoch %d: %v", first, err)
	}
	check(t, s.Write(t.Context(), func(tx *store.Tx) error { return tx.Claims().Fence("run_1", second) }))
	open1, parked, err := db.Queue.Jobs(t.Context())
	check(t, err)
	if len(open1) != 1 || len(parked) != 0 {
		t.Fatalf("open %v, parked %v", open1, parked)
	}
	check(t, s.Write(t.Context(), func(tx *store.Tx) error { return tx.Claims().Park("run_1", time.Now().Add(time.Hour)) }))
	if err := s.Write(t.Context(), func(tx *store.Tx) error { return tx.Claims().Fence("run_1", second) }); fault.KindOf(err) != fault.Conflict {
		t.Fatalf("a parked run's epoch: %v", err)
	}
	open1, parked, err = db.Queue.Jobs(t.Context())
	check(t, err)
	if len(open1) != 0 || len(parked) != 1 {
		t.Fatalf("open %v, parked %v", open1, parked)
	}
	check(t, s.Write(t.Context(), func(tx *store.Tx) error { return tx.Claims().Release("run_1") }))
	err = s.Write(t.Context(), func(tx *store.Tx) error { _, ok, err := tx.Claims().Claim(job, "c"); _ = ok; return err })
	check(t, err)
}

func steps(t *testing.T, open Opener) {
	db, _ := open(t)
	seed(t, db)
	at := place(event.ThreadStream("thr_1"))
	begin := run.AsStep(noteKind.Draft(at, note{"begin"}), "k", false)
	end := run.AsStep(noteKind.Draft(at, note{"end"}), "k", true)
	_, err := db.Log.Append(t.Context(), begin)
	check(t, err)
	got, err := db.Runs.Steps(t.Context(), "run_1")
	check(t, err)
	if len(got) != 1 || !got[0].Begun || got[0].Done {
		t.Fatalf("%+v", got)
	}
	_, err = db.Log.Append(t.Context(), end)
	check(t, err)
	if got, err = db.Runs.Steps(t.Context(), "run_1"); err != nil || !got[0].Done {
		t.Fatalf("%+v, %v", got, err)
	}
	if n, _, err := noteKind.Open(got[0].Event); err != nil || n.Text != "end" {
		t.Fatalf("%+v, %v", n, err)
	}
}

// inherited holds what a fork begins with: the steps of the runs that it comes from, each up to where it was forked, and no
// question that people were asked there.
func inherited(t *testing.T, open Opener) {
	db, _ := open(t)
	begin := func(id string, of run.ID, upTo event.Seq) {
		at := place(event.ThreadStream("thr_" + id))
		at.Thread, at.Run, at.Task = "thr_"+id, id, run.RootTask(run.ID(id))
		_, err := db.Log.Append(t.Context(), run.QueuedKind.Draft(at, run.Spec{ID: run.ID(id), Thread: at.Thread, Kind: "chat", Lane: run.UserLane, By: at.From, ForkOf: of, ForkSeq: upTo}))
		check(t, err)
	}
	step := func(id, key string) event.Seq {
		at := place(event.ThreadStream("thr_" + id))
		at.Thread, at.Run = "thr_"+id, id
		got, err := db.Log.Append(t.Context(), run.AsStep(noteKind.Draft(at, note{id + " " + key}), key, true))
		check(t, err)
		return got[0].Seq
	}
	begin("run_1", "", 0)
	step("run_1", "a")
	at := place(event.ThreadStream("thr_run_1"))
	at.Thread, at.Run = "thr_run_1", "run_1"
	asked, err := db.Log.Append(t.Context(), run.AsStep(approval.RequestedKind.Draft(at, approval.Request{ID: "apr_1", Run: "run_1", Kind: approval.ToolCalls, Choices: []string{approval.Approve}}), "a/ask0", true))
	check(t, err)
	begin("run_2", "run_1", asked[0].Seq)
	step("run_1", "late")
	b := step("run_2", "b")
	step("run_2", "late")
	begin("run_3", "run_2", b)
	step("run_3", "c")
	for id, want := range map[run.ID]string{"run_1": "[a a/ask0 late]", "run_2": "[a b late]", "run_3": "[a b c]"} {
		got, err := db.Runs.Steps(t.Context(), id)
		check(t, err)
		var keys []string
		for _, s := range got {
			keys = append(keys, s.Key)
		}
		if fmt.Sprint(keys) != want {
			t.Errorf("the steps of %s are %v, want %s", id, keys, want)
		}
	}
}

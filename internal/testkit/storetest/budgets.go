package storetest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"chela/internal/agent"
	"chela/internal/budget"
	"chela/internal/event"
	"chela/internal/model"
	"chela/internal/run"
	"chela/internal/store"
	"chela/internal/tool"
)

// spender is a run that works.
func spender(t *testing.T, db *store.DB, n int) event.Place {
	t.Helper()
	at := event.Place{Stream: event.ThreadStream(fmt.Sprintf("thr_%d", n)), Thread: fmt.Sprintf("thr_%d", n), Run: fmt.Sprintf("run_%d", n), Task: fmt.Sprintf("task_%d", n), From: run.Chela()}
	_, err := db.Log.Append(t.Context(), run.QueuedKind.Draft(at, run.Spec{ID: run.ID(at.Run), Thread: at.Thread, Project: "prj_1", Kind: "chat", Lane: run.UserLane, Title: "x", By: at.From}),
		run.StartedKind.Draft(at, run.Started{Segment: 1, Attempt: 1, Epoch: 1, Node: "n"}))
	check(t, err)
	return at
}

func answered(at event.Place, step string, tokens int, usd float64) event.Draft {
	a := model.Answer{Usage: model.Usage{InputTokens: tokens}, CostUSD: usd, CostKnown: true}
	return run.AsStep(agent.AnsweredKind.Draft(at, agent.Answered{Agent: "agent:pm", Answer: a}), step, true)
}

func reserve(t *testing.T, db *store.DB, at event.Place, step string, limits ...budget.Limit) *budget.Shortage {
	t.Helper()
	var short *budget.Shortage
	check(t, db.Write(t.Context(), func(tx *store.Tx) (err error) {
		_, short, err = tx.Budgets().Reserve(limits, budget.Calls{
			Run: run.ID(at.Run), Payer: budget.Payer{Project: "prj_1", Agent: "agent:pm"},
			Each: []budget.Call{{Step: step, Want: budget.Want{In: 100, Out: 900, USDIn: 1000, USDOut: 1000, Time: time.Minute}}},
		})
		return err
	}))
	return short
}

// theLastCent has many runs, some of another process, ask at once for what is enough for
// three calls.
func theLastCent(t *testing.T, open Opener) {
	db, again := open(t)
	other, err := again()
	check(t, err)
	usd := 3.0
	limit := budget.Limit{Scope: budget.Organization, Per: budget.Day, Bound: budget.Bound{USD: &usd}}
	_, err = db.Log.Append(t.Context(), budget.SetKind.Draft(place("org"), limit))
	check(t, err)
	all, err := other.Budgets.LimitsNow(t.Context())
	check(t, err)
	if len(all) != 1 || all[0].ID() != "organization:day" {
		t.Fatalf("%+v", all)
	}
	places := make([]event.Place, 12)
	for i := range places {
		places[i] = spender(t, db, i)
	}
	var wait sync.WaitGroup
	var got atomic.Int32
	granted := make([]bool, len(places))
	for i, at := range places {
		wait.Go(func() {
			if reserve(t, []*store.DB{db, other}[i%2], at, "m0", all...) == nil {
				got.Add(1)
				granted[i] = true
			}
		})
	}
	wait.Wait()
	if got.Load() != 3 {
		t.Fatalf("%d calls of 1 USD were granted by 3 USD", got.Load())
	}
	winner := places[0]
	for i, ok := range granted {
		if ok {
			winner = places[i]
			if short := reserve(t, db, places[i], "m0", all...); short != nil {
				t.Errorf("a call that begins again after a crash finds no room in its own reservation: %s", short.Text)
			}
		} else if short := reserve(t, db, places[i], "m0", all...); short == nil || !short.Held {
			t.Errorf("what calls under way hold may come free: %+v", short)
		}
	}
	loser := spender(t, db, 100)
	_, err = db.Log.Append(t.Context(), answered(winner, "m0", 10, 0.25))
	check(t, err)
	if use, err := db.Budgets.Use(t.Context(), limit); err != nil || use.Used.MicroUSD != 250_000 || use.Used.Tokens != 10 || use.Reserved.MicroUSD != 2_000_000 || use.Reserved.Calls != 2 {
		t.Errorf("%+v, %v", use, err)
	}
	if short := reserve(t, db, loser, "m0", all...); short == nil || !short.Held {
		t.Errorf("0.75 USD are no room for 1: %+v", short)
	}
}

// whatIsCutOff has runs end while their calls are under way.
func whatIsCutOff(t *testing.T, open Opener) {
	db, _ := open(t)
	calls := int64(2)
	day := budget.Limit{Scope: budget.Project, Of: "prj_1", Per: budget.Day, Bound: budget.Bound{Calls: &calls}}
	each := budget.Limit{Scope: budget.Agent, Of: "agent:pm", Per: budget.Run, Bound: budget.Bound{Calls: &calls}}
	a, b := spender(t, db, 1), spender(t, db, 2)
	if reserve(t, db, a, "m0", day, each) != nil || reserve(t, db, b, "m0", day, each) != nil {
		t.Fatal("there is room for two")
	}
	_, err := db.Log.Append(t.Context(), run.FinishedKind.Draft(a, run.Finished{State: run.Cancelled}))
	check(t, err)
	if use, err := db.Budgets.Use(t.Context(), day); err != nil || use.Used.Calls != 1 || use.Reserved.Calls != 1 {
		t.Errorf("a call that was cut off counts as used: %+v, %v", use, err)
	}
	check(t, db.Write(t.Context(), func(tx *store.Tx) error { return tx.Budgets().Unreserve(run.ID(b.Run), "m0") }))
	if short := reserve(t, db, b, "m1", day, each); short != nil {
		t.Errorf("what failed is given back: %s", short.Text)
	}
	if short := reserve(t, db, b, "m2", each); short != nil {
		t.Errorf("the other run's calls do not count for this one: %s", short.Text)
	}
	if short := reserve(t, db, b, "m3", each); short == nil || short.Limit.ID() != "agent:pm:run" {
		t.Errorf("%+v", short)
	}
	_, err = db.Log.Append(t.Context(), budget.SetKind.Draft(place("org"), day), budget.SetKind.Draft(place("org"), each), budget.RemovedKind.Draft(place("org"), budget.Removed{ID: day.ID()}))
	check(t, err)
	if all, err := db.Budgets.Limits(t.Context()); err != nil || len(all) != 1 || all[0].Text() != each.Text() {
		t.Errorf("%+v, %v", all, err)
	}
}

// manyCalls has two processes make so many calls that most of them are summed once and for all, under limits of each
// scope, while some of another payer come between.
func manyCalls(t *testing.T, open Opener) {
	db, again := open(t)
	other, err := again()
	check(t, err)
	const most = 150
	calls, both := int64(most), int64(2*most) // the keys' calls name the same agent
	a := spender(t, db, 1)
	var limits []budget.Limit
	for _, l := range []budget.Limit{{Scope: budget.Organization, Per: budget.Total}, {Scope: budget.Project, Of: "prj_1", Per: budget.Day}, {Scope: budget.Agent, Of: "agent:pm", Per: budget.Day}, {Scope: budget.Key, Of: "key_1", Per: budget.Total}} {
		l.Bound = budget.Bound{Calls: &calls}
		if l.Scope == budget.Organization || l.Scope == budget.Agent {
			l.Bound = budget.Bound{Calls: &both}
		}
		limits = append(limits, l)
	}
	elsewhere := event.Place{Stream: event.OrgStream, Thread: "thr_x", Run: "run_x", Task: "task_x", From: run.Chela()}
	keyed := func(n int) event.Place {
		at := elsewhere
		at.Run, at.From.Key = fmt.Sprintf("run_k%d", n), "key_1"
		return at
	}
	for n := range most {
		db := []*store.DB{db, other}[n%2]
		if short := reserve(t, db, a, fmt.Sprintf("m%d", n), limits[1:3]...); short != nil {
			t.Fatalf("after %d calls of %d: %s", n, most, short.Text)
		}
		_, short, err := db.Budgets.ReserveCalls(t.Context(), limits[3:], budget.Calls{Run: run.ID(keyed(n).Run), Payer: budget.Payer{Key: "key_1"}, Each: []budget.Call{{Step: "forward"}}})
		if check(t, err); short != nil {
			t.Fatalf("after %d calls of %d: %s", n, most, short.Text)
		}
		_, err = db.Log.Append(t.Context(), answered(a, fmt.Sprintf("m%d", n), 10, 0.25), answered(keyed(n), "forward", 1, 0))
		check(t, err)
	}
	for i, want := range []int64{both, calls, both, calls} {
		if use, err := other.Budgets.Use(t.Context(), limits[i]); err != nil || use.Used.Calls != want || use.Reserved.Calls != 0 {
			t.Errorf("%s: %+v, %v; want %d calls", limits[i].ID(), use, err, want)
		}
		for _, db := range []*store.DB{db, other} {
			if short := reserve(t, db, a, "more", limits[i]); short == nil || short.Held {
				t.Errorf("%s: a call beyond the last is granted: %+v", limits[i].ID(), short)
			}
		}
	}
}

// callsOfTools has runs of two processes reserve calls of tools, and makes some of them.
func callsOfTools(t *testing.T, open Opener) {
	db, again := open(t)
	other, err := again()
	check(t, err)
	calls, seconds := int64(4), int64(60)
	day := budget.Limit{Scope: budget.Project, Of: "prj_1", Per: budget.Day, Bound: budget.Bound{Calls: &calls, Seconds: &seconds}}
	a, b := spender(t, db, 1), spender(t, db, 2)
	ask := func(db *store.DB, at event.Place, steps ...string) ([]budget.Grant, *budget.Shortage) {
		t.Helper()
		c := budget.Calls{Run: run.ID(at.Run), Payer: budget.Payer{Project: "prj_1", Agent: "agent:pm"}}
		for _, s := range steps {
			c.Each = append(c.Each, budget.Call{Step: s, Want: budget.Want{Time: 10 * time.Second}})
		}
		got, short, err := db.Budgets.ReserveCalls(t.Context(), []budget.Limit{day}, c)
		check(t, err)
		return got, short
	}
	if got, short := ask(db, a, "m0/c0", "m0/c1", "m0/c2"); short != nil || len(got) != 3 || got[2].Time != 10*time.Second {
		t.Fatalf("%+v, %+v", got, short)
	}
	if _, short := ask(other, b, "m0/c0", "m0/c1"); short == nil || !short.Held {
		t.Fatalf("two calls where one is left: %+v", short)
	}
	if _, short := ask(other, a, "m0/c0", "m0/c1", "m0/c2"); short != nil {
		t.Fatalf("after a crash there is no room in their own reservations: %s", short.Text)
	}
	from := a
	from.From = event.Party{AgentID: "agent:pm", Role: "agent"}
	result := func(step string, made bool) event.Draft {
		d := tool.ResultKind.Draft(from, tool.ResultPayload{Tool: "read_file", Success: true, Call: step})
		if made {
			return run.AsCall(d, step, 1500*time.Millisecond)
		}
		return run.AsStep(d, step, true)
	}
	_, err = db.Log.Append(t.Context(), run.AsStep(tool.CallKind.Draft(from, tool.CallPayload{Tool: "read_file"}), "m0/c0", false), result("m0/c0", true), result("m0/c1", true), result("m0/c2", false))
	check(t, err)
	for _, l := range []budget.Limit{day, {Scope: budget.Organization, Per: budget.Total}, {Scope: budget.Agent, Of: "agent:pm", Per: budget.Day}} {
		if use, err := other.Budgets.Use(t.Context(), l); err != nil || use.Used != (budget.Amounts{Calls: 2, Millis: 3000}) || use.Reserved != (budget.Amounts{}) {
			t.Errorf("%s: two calls were made and one was not: %+v, %v", l.ID(), use, err)
		}
	}
	if use, err := other.Budgets.Use(t.Context(), budget.Limit{Scope: budget.Project, Of: "prj_2", Per: budget.Day}); err != nil || use != (budget.Use{}) {
		t.Errorf("another project used %+v, %v", use, err)
	}
	if got, short := ask(other, b, "m0/c0", "m0/c1"); short != nil || got[0].Millis != 10_000 {
		t.Errorf("%+v, %+v", got, short)
	}
	rebuilt, err := db.Rebuild(t.Context())
	check(t, err)
	if d := rebuilt.Different(); len(d) > 0 {
		t.Errorf("the log does not give %v again", d)
	}
}

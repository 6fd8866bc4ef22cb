package schedule_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chela/internal/event"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/schedule"
)

// A world is a board with its history, on which acts are done as the store does them.
type world struct {
	board   schedule.Board
	now     time.Time
	mood    schedule.Conditions
	all     map[schedule.ExecutionID]schedule.Execution
	started map[string]int // attempts by what they are recorded under
	skipped int
	seq     event.Seq
}

func newWorld(now time.Time) *world {
	return &world{
		now: now, all: make(map[schedule.ExecutionID]schedule.Execution), started: make(map[string]int),
		board: schedule.Board{
			Projects: []string{"prj_1"}, Agents: map[org.AgentID]bool{"agent:pm": true}, Runs: make(map[run.ID]run.Run),
			Last: make(map[schedule.Pair]time.Time), Freed: make(map[schedule.ID]time.Time),
		},
	}
}

// put writes an execution as it is now.
func (w *world) put(e schedule.Execution) {
	w.all[e.ID] = e
	w.board.Open = slices.DeleteFunc(w.board.Open, func(o schedule.Execution) bool { return o.ID == e.ID })
	if !e.State.Final() {
		w.board.Open = append(w.board.Open, e)
	}
}

// fail is what a test does when something is wrong.
type fail interface {
	Helper()
	Fatalf(format string, args ...any)
}

func (w *world) move(t fail, id schedule.ExecutionID, to schedule.State) schedule.Execution {
	t.Helper()
	e := w.all[id]
	if !e.State.CanBecome(to) {
		t.Fatalf("%s goes from %s to %s", id, e.State, to)
	}
	e.State = to
	return e
}

// pass does what is decided until nothing is left, and returns when to ask again.
func (w *world) pass(t fail) time.Time {
	t.Helper()
	w.mood.Now = w.now
	for range 10 {
		acts, next := schedule.Decide(w.board, w.mood)
		if len(acts) == 0 {
			return next
		}
		for _, a := range acts {
			w.do(t, a)
		}
	}
	t.Fatalf("it never rests: %+v", w.board.Open)
	return time.Time{}
}

func (w *world) do(t fail, a schedule.Act) {
	t.Helper()
	switch a := a.(type) {
	case schedule.ToPlan:
		w.seq++
		e := schedule.Execution{
			ID: schedule.ExecutionID(fmt.Sprintf("exe_%d", w.seq)), Schedule: a.Schedule.ID, Version: a.Schedule.Version, Agent: a.Schedule.Agent,
			Project: a.Project, At: a.At, Due: a.At, Policy: a.Schedule.Policy, State: schedule.Ready, Seq: w.seq,
		}
		w.board.Last[schedule.Pair{Schedule: e.Schedule, Project: e.Project}] = e.At
		w.put(e)
	case schedule.ToStart:
		key := a.Execution.Key()
		if w.started[key]++; w.started[key] > 1 {
			t.Fatalf("%s is begun twice", key)
		}
		if a.Execution.Due.After(w.now) {
			t.Fatalf("%+v begins at %s", a.Execution, w.now)
		}
		e := w.move(t, a.Execution.ID, schedule.Running)
		e.Attempt++
		e.Run = run.ID(fmt.Sprintf("run_%s_%d", e.ID, e.Attempt))
		w.board.Runs[e.Run] = run.Run{Spec: run.Spec{ID: e.Run}, State: run.Running}
		w.put(e)
	case schedule.ToEnd:
		to := a.Ended.Result
		if !a.Ended.RetryAt.IsZero() {
			to = schedule.Retrying
		}
		if a.Execution.State == schedule.Running {
			w.board.Freed[a.Execution.Schedule] = w.now
		}
		e := w.move(t, a.Execution.ID, to)
		if to == schedule.Retrying {
			if !a.Ended.RetryAt.After(w.now) {
				t.Fatalf("it is tried again at %s, now is %s", a.Ended.RetryAt, w.now)
			}
			e.Due = a.Ended.RetryAt
		}
		if to == schedule.Skipped {
			w.skipped++
		}
		e.Reason = a.Ended.Reason
		w.put(e)
		if a.Ended.Withdrawn {
			w.forget(e)
		}
	}
}

// forget lets the instant of a withdrawn execution be planned again.
func (w *world) forget(e schedule.Execution) {
	var last time.Time
	for _, o := range w.all {
		if o.Schedule == e.Schedule && o.Project == e.Project && o.ID != e.ID && o.At.After(last) && !strings.HasPrefix(o.Reason, "The schedule was ") && !strings.HasPrefix(o.Reason, "The project is ") {
			last = o.At
		}
	}
	w.board.Last[schedule.Pair{Schedule: e.Schedule, Project: e.Project}] = last
}

func (w *world) in(s schedule.State) (out []schedule.Execution) {
	for _, e := range w.board.Open {
		if e.State == s {
			out = append(out, e)
		}
	}
	return out
}

func (w *world) end(id run.ID, state run.State) {
	r := w.board.Runs[id]
	r.State, r.Reason = state, "It is so."
	w.board.Runs[id] = r
}

func hourly(id schedule.ID, policy schedule.Policy) schedule.Schedule {
	f, err := schedule.Fields{Agent: "agent:pm", Enabled: true, Type: schedule.Cron, CronExpr: "0 * * * *", Policy: policy}.Checked()
	if err != nil {
		panic(err)
	}
	return schedule.Schedule{ID: id, Fields: f, Version: 1}
}

// TestBoard_WhateverHappens changes schedules and projects, ends runs, and lets time pass with
// and without a daemon. After each step what is open fits.
func TestBoard_WhateverHappens(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(time.Date(2026, 3, 2, 8, 30, 0, 0, time.UTC))
		one := hourly("sch_1", schedule.Policy{MaxConcurrent: rapid.IntRange(1, 2).Draw(t, "room"), MaxAttempts: rapid.IntRange(1, 3).Draw(t, "attempts")})
		two := hourly("sch_2", schedule.Policy{Priority: 9})
		two.CronExpr = "*/10 * * * *"
		w.board.Schedules = []schedule.Schedule{one, two}
		w.pass(t)
		steps := map[string]func(*rapid.T){
			"time passes": func(t *rapid.T) {
				w.now = w.now.Add(time.Duration(rapid.IntRange(1, 3600).Draw(t, "seconds")) * time.Second)
			},
			"nobody is there": func(t *rapid.T) {
				for range 24 { // runs end meanwhile, and nobody notes it
					w.now = w.now.Add(time.Hour)
				}
				before := w.skipped
				open := len(w.board.Open)
				w.pass(t)
				if w.skipped-before > open {
					t.Fatalf("%d records of skipping for %d that were planned", w.skipped-before, open)
				}
			},
			"the next instant": func(t *rapid.T) {
				if next := w.pass(t); next.After(w.now) {
					w.now = next
				}
			},
			"a run ends": func(t *rapid.T) {
				if running := w.in(schedule.Running); len(running) > 0 {
					e := rapid.SampledFrom(running).Draw(t, "execution")
					w.end(e.Run, rapid.SampledFrom([]run.State{run.Done, run.Failed, run.Cancelled}).Draw(t, "how"))
				}
			},
			"a schedule is switched": func(t *rapid.T) {
				s := &w.board.Schedules[rapid.IntRange(0, 1).Draw(t, "which")]
				s.Enabled, s.Version = !s.Enabled, s.Version+1
			},
			"a schedule is changed": func(t *rapid.T) {
				s := &w.board.Schedules[0]
				s.CronExpr, s.Version = fmt.Sprintf("%d * * * *", rapid.IntRange(0, 59).Draw(t, "minute")), s.Version+1
			},
			"a project comes or goes": func(t *rapid.T) {
				if len(w.board.Projects) == 1 {
					w.board.Projects = append(w.board.Projects, "prj_2")
				} else {
					w.board.Projects = w.board.Projects[:1]
				}
			},
			"the agent is disabled or enabled": func(*rapid.T) { w.board.Agents["agent:pm"] = !w.board.Agents["agent:pm"] },
			"": func(t *rapid.T) { // after each
				next := w.pass(t)
				w.fits(t, next)
			},
		}
		t.Repeat(steps)
	})
}

// fits checks what is open against what there is.
func (w *world) fits(t *rapid.T, next time.Time) {
	running, planned := make(map[schedule.ID]int), make(map[schedule.Pair]schedule.Execution)
	for _, e := range w.board.Open {
		pair := schedule.Pair{Schedule: e.Schedule, Project: e.Project}
		s := w.board.Schedules[slices.IndexFunc(w.board.Schedules, func(s schedule.Schedule) bool { return s.ID == e.Schedule })]
		switch e.State {
		case schedule.Running:
			if running[e.Schedule]++; running[e.Schedule] > e.Policy.MaxConcurrent {
				t.Fatalf("%d of %s run", running[e.Schedule], e.Schedule)
			}
			continue
		case schedule.Ready:
			if _, twice := planned[pair]; twice {
				t.Fatalf("%v has two planned: %+v", pair, w.board.Open)
			}
			planned[pair] = e
		case schedule.Retrying:
			if e.Attempt >= e.Policy.MaxAttempts {
				t.Fatalf("attempt %d of %d is to be followed", e.Attempt, e.Policy.MaxAttempts)
			}
		default:
			t.Fatalf("%s is open", e.State)
		}
		if !s.Enabled || e.Version != s.Version || !slices.Contains(w.board.Projects, e.Project) {
			t.Fatalf("a stale one is left: %+v", e)
		}
		if e.Due.After(w.now) && (next.IsZero() || next.After(e.Due)) {
			t.Fatalf("nobody wakes for %+v: %s", e, next)
		}
	}
	for _, s := range w.board.Schedules {
		for _, p := range w.board.Projects {
			e, ok := planned[schedule.Pair{Schedule: s.ID, Project: p}]
			if ok != s.Enabled {
				t.Fatalf("%s has something planned for %s: %v", s.ID, p, ok)
			}
			if !ok {
				continue
			}
			if soon, _ := s.Next(w.now); e.Due.After(soon) && w.board.Last[schedule.Pair{Schedule: s.ID, Project: p}].Before(soon) {
				t.Fatalf("%s comes before %s", soon, e.Due)
			}
			if !e.Due.After(w.now) && running[s.ID] < s.Policy.MaxConcurrent {
				t.Fatalf("%+v is due and there is room", e)
			}
		}
	}
}

func TestBoard_WhatWasMissed(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 2, 8, 30, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		cron    string
		away    time.Duration
		started string // the instant that is worked after all
		skipped int
	}{
		"a short time":              {"0 9 2 3 *", 89 * time.Minute, "2026-03-02T09:00:00Z", 0},
		"an hour and more":          {"0 9 2 3 *", 90 * time.Minute, "", 1},
		"days, and just now":        {"0 9 * * *", 72*time.Hour + 40*time.Minute, "2026-03-05T09:00:00Z", 1},
		"days, and a while ago":     {"0 9 * * *", 72*time.Hour + 100*time.Minute, "", 1},
		"many instants are one":     {"* * * * *", 30 * time.Hour, "2026-03-03T14:30:00Z", 1},
		"many in less than an hour": {"* * * * *", 30 * time.Minute, "2026-03-02T08:31:00Z", 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(start)
			s := hourly("sch_1", schedule.Policy{})
			s.CronExpr = c.cron
			w.board.Schedules = []schedule.Schedule{s}
			w.pass(t)
			w.now = start.Add(c.away)
			next := w.pass(t)
			started := ""
			for _, e := range w.in(schedule.Running) {
				started += e.At.Format(time.RFC3339)
			}
			if started != c.started || w.skipped != c.skipped || !next.After(w.now) || len(w.in(schedule.Ready)) != 1 {
				t.Errorf("worked %q, want %q; %d skipped, want %d; next %s", started, c.started, w.skipped, c.skipped, next)
			}
		})
	}
}

// TestBoard_AQueueIsNotMissed lets executions wait for hours for room.
func TestBoard_AQueueIsNotMissed(t *testing.T) {
	t.Parallel()
	w := newWorld(time.Date(2026, 3, 2, 8, 30, 0, 0, time.UTC))
	s := hourly("sch_1", schedule.Policy{})
	s.CronExpr = "0 9 2 3 *"
	w.board.Schedules, w.board.Projects = []schedule.Schedule{s}, []string{"prj_1", "prj_2", "prj_3"}
	w.now = w.pass(t)
	for range 3 {
		w.pass(t)
		running := w.in(schedule.Running)
		if len(running) != 1 {
			t.Fatalf("%d run at %s", len(running), w.now)
		}
		w.now = w.now.Add(2 * time.Hour)
		w.end(running[0].Run, run.Done)
	}
	if w.pass(t); w.skipped != 0 || len(w.in(schedule.Running)) != 0 {
		t.Errorf("%d were skipped", w.skipped)
	}
}

// TestBoard_OneThatWaitsForAPersonHoldsNoRoom lets the first wait, after hours of work.
func TestBoard_OneThatWaitsForAPersonHoldsNoRoom(t *testing.T) {
	t.Parallel()
	w := newWorld(time.Date(2026, 3, 2, 8, 30, 0, 0, time.UTC))
	s := hourly("sch_1", schedule.Policy{})
	s.CronExpr = "0 9 2 3 *"
	w.board.Schedules, w.board.Projects = []schedule.Schedule{s}, []string{"prj_1", "prj_2"}
	w.now = w.pass(t)
	w.pass(t)
	first := w.in(schedule.Running)[0]
	w.now = w.now.Add(2 * time.Hour)
	r := w.board.Runs[first.Run]
	r.State, r.UpdatedAt = run.Waiting, w.now
	w.board.Runs[first.Run] = r
	w.now = w.now.Add(time.Minute)
	if w.pass(t); len(w.in(schedule.Running)) != 2 || w.skipped != 0 {
		t.Errorf("%d run, %d were skipped", len(w.in(schedule.Running)), w.skipped)
	}
}

func TestBoard_AFailureIsTriedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(time.Date(2026, 3, 2, 8, 30, 0, 0, time.UTC))
	s := hourly("sch_1", schedule.Policy{MaxAttempts: 3, RetryBackoffMs: 60_000})
	s.CronExpr = "0 9 2 3 *"
	w.board.Schedules = []schedule.Schedule{s}
	w.now = w.pass(t)
	var id schedule.ExecutionID
	for attempt, wait := range []time.Duration{time.Minute, 2 * time.Minute, 0} {
		w.pass(t)
		running := w.in(schedule.Running)
		if len(running) != 1 || running[0].Attempt != attempt+1 {
			t.Fatalf("%+v", running)
		}
		id = running[0].ID
		w.end(running[0].Run, run.Failed)
		next := w.pass(t)
		if wait > 0 && !next.Equal(w.now.Add(wait)) {
			t.Fatalf("after attempt %d it is tried again at %s, now is %s", attempt+1, next, w.now)
		}
		if wait > 0 {
			w.now = next
		}
	}
	if w.all[id].State != schedule.Fail || w.all[id].Reason != "It is so." {
		t.Errorf("%+v", w.all[id])
	}
}

func TestBoard_NobodyCanWork(t *testing.T) {
	t.Parallel()
	for says, change := range map[string]func(*world){
		"No model.":               func(w *world) { w.mood.NoModel = "No model." },
		"agent pm is disabled":    func(w *world) { w.board.Agents["agent:pm"] = false },
		"agent pm does not exist": func(w *world) { delete(w.board.Agents, "agent:pm") },
	} {
		w := newWorld(time.Date(2026, 3, 2, 8, 30, 0, 0, time.UTC))
		w.board.Schedules = []schedule.Schedule{hourly("sch_1", schedule.Policy{})}
		w.now = w.pass(t)
		change(w)
		w.pass(t)
		if e := w.all["exe_1"]; e.State != schedule.Skipped || !strings.Contains(e.Reason, says) {
			t.Errorf("%+v", e)
		}
	}
}

// TestBoard_AStillClock begins only what people ask for.
func TestBoard_AStillClock(t *testing.T) {
	t.Parallel()
	w := newWorld(time.Date(2026, 3, 2, 8, 30, 0, 0, time.UTC))
	w.board.Schedules = []schedule.Schedule{hourly("sch_1", schedule.Policy{})}
	w.now = w.pass(t)
	w.mood.Paused = true
	w.put(schedule.Execution{ID: "exe_now", Agent: "agent:pm", Project: "prj_1", At: w.now, Due: w.now, Immediate: true, State: schedule.Ready})
	w.pass(t)
	if w.all["exe_now"].State != schedule.Running || w.all["exe_1"].State != schedule.Ready {
		t.Errorf("%+v", w.board.Open)
	}
}

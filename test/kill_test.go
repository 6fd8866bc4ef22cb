package test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"chela/internal/testkit/pgtest"
)

type chatAnswer struct {
	Thread string `json:"threadId"`
	Run    string `json:"runId"`
	State  string `json:"state"`
	Reply  string `json:"reply"`
	Again  bool   `json:"again"`
}

type runAnswer struct {
	Run struct {
		State    string `json:"state"`
		WaitsFor string `json:"waits_for"`
	} `json:"run"`
	Approvals []struct {
		ID     string `json:"id"`
		Status string `json:"status"`
	} `json:"approvals"`
}

// worker is an agent that uses the fake tools.
const worker = `{"card":{"v":"clutch/0.1","agent_id":"agent:worker","display":{"name":"Worker"},"capabilities":[{"id":"skill:work"}],` +
	`"limits":{"max_concurrency":10,"max_runtime_sec":60},"security":{"sandbox":false,"network":"egress-allowed"}},` +
	`"kind":"specialist","prompt":"You work.","tools":["fake_write","fake_read"],"enabled":true,"permissions":{"network":true},"budget":{}}`

// workOnce is the fake model's script: one write, then an answer.
func workOnce(r request) any {
	if n, _ := r.since(); n == 0 && len(r.Tools) > 0 {
		return toolCall("fake_write", `{"text":"it"}`)
	}
	return text("It is done.")
}

// readThenWrite is the script of a step that only reads, which is recorded while the model is
// asked what comes next, and then of a write.
func readThenWrite(r request) any {
	if n, _ := r.since(); n == 0 && len(r.Tools) > 0 {
		return toolCall("fake_read", `{"text":"it"}`)
	} else if n == 1 {
		return toolCall("fake_write", `{"text":"it"}`)
	}
	return text("It is done.")
}

// A job is work that is begun under a key, again after every death, until its run is
// over. What the world saw of it judges.
type job struct {
	// begin asks for the work and returns its run; asked again it adds nothing.
	begin func(d *daemon) (run string, err error)
	asks  int // questions to the model, undisturbed
	again int // questions that a death may have asked again
	// judge says what is wrong with the world and the records afterwards; alive is a daemon that nothing kills.
	judge func(t *testing.T, alive func() *daemon, w *world)
	// from is the first commit that is like none of another job's: all have those of the start.
	from int
	// points is how often the job passes each point at least, by name.
	points map[string]int
}

// serving is the first commit of a daemon that serves.
const serving = 4

// passed are points by name: commits, questions to a model and calls of tools, each before and after.
func passed(commits, models, tools int) map[string]int {
	return map[string]int{
		"before commit": commits, "after commit": commits,
		"before model call": models, "after model call": models,
		"before tool call": tools, "after tool call": tools,
	}
}

// jobs are turns whose tool changes the world, an intake, and work by the clock.
func jobs() map[string]job {
	chat := chatJob(2, 1, passed(10, 2, 1), nil)
	chat.from = 1
	return map[string]job{
		"schedule": scheduleJob(),
		"chat":     chat,
		// Its first answer only reads, and waits to be recorded with the result: a death may cost it and the next.
		"reading chat": chatJob(3, 2, passed(10, 3, 1), nil),
		// With room for exactly the calls that it makes, however often it dies.
		"budgeted chat": chatJob(2, 1, passed(14, 2, 1), map[string]any{"scope": "agent", "of": "worker", "per": "total", "calls": 3}),
		"export":        exportJob(),
		"invocation":    invocationJob(),
		"workflow":      workflowJob(),
		"intake": {
			begin: func(d *daemon) (string, error) {
				project, err := onlyProject(d)
				if err != nil {
					return "", err
				}
				var r receiptAnswer
				err = d.try("POST", "/api/intake", map[string]any{"projectId": project, "files": []any{
					map[string]any{"name": "tickets.csv", "data": documents.Tickets}, map[string]any{"name": "minutes.md", "data": documents.Minutes},
				}}, &r)
				return r.Run, err
			},
			asks: asksOfAnIntake, again: againOfAnIntake, from: serving, points: passed(34, asksOfAnIntake, 0),
			judge: func(t *testing.T, alive func() *daemon, _ *world) {
				t.Helper()
				d := alive()
				got := make(map[string]int)
				for _, kind := range []string{"tickets", "threads", "objectives", "resources", "assignments", "intakes", "uploads"} {
					var all struct {
						Items []struct {
							Project string `json:"projectId"`
						} `json:"items"`
					}
					d.must(t, "GET", "/api/projects", nil, &all)
					var l list
					d.must(t, "GET", "/api/projects/"+projectOf(t, d)+"/"+kind, nil, &l)
					got[kind] = l.Total
				}
				told := intakeTold(t, d)
				if want := (intakeBody{Created: map[string]int{"ticket": 11, "thread": 3, "objective": 1, "resource": 4, "sprint_plan": 2}}); !reflect.DeepEqual(told, want) {
					t.Errorf("the intake says %+v, want %+v", told, want)
				}
				if want := fmt.Sprint(map[string]int{"tickets": 11, "threads": 3, "objectives": 1, "resources": 4, "assignments": 10, "intakes": 1, "uploads": 2}); fmt.Sprint(got) != want {
					t.Errorf("the records are %v, want %s", got, want)
				}
			},
		},
	}
}

// chatJob is a turn of an agent whose tool changes the world, within a budget if there is one.
func chatJob(asks, again int, points map[string]int, budget map[string]any) job {
	return job{
		begin: func(d *daemon) (string, error) {
			if err := hireWorker(d); err != nil {
				return "", err
			}
			if budget != nil {
				if err := d.try("PUT", "/api/budgets", budget, nil); err != nil {
					return "", err
				}
			}
			var said chatAnswer
			err := d.try("POST", "/api/chat", map[string]any{"text": "Do it", "agent": "worker", "idempotencyKey": "the-job"}, &said)
			return said.Run, err
		},
		asks: asks, again: again, from: serving, points: points,
		judge: onceAtMost,
	}
}

// hireWorker adds the agent that uses the fake tools, once.
func hireWorker(d *daemon) error {
	var agents []any
	if err := d.try("GET", "/api/agents", nil, &agents); err != nil {
		return err
	}
	if d.try("GET", "/api/agents/worker", nil, nil) == nil {
		return nil
	}
	if err := d.try("POST", "/api/agents", rawJSON(worker), nil); err != nil && !strings.Contains(err.Error(), "already") {
		return err
	}
	return nil
}

// onceAtMost looks whether the world was changed more than once.
func onceAtMost(t *testing.T, _ func() *daemon, w *world) {
	t.Helper()
	for key, n := range w.writes {
		if n > 1 {
			t.Errorf("the tool was called %d times under %s", n, key)
		}
	}
	if len(w.writes) > 1 {
		t.Errorf("%d calls changed the world, want one: %v", len(w.writes), w.writes)
	}
}

func projectOf(t *testing.T, d *daemon) string {
	t.Helper()
	var all struct {
		Items []struct {
			ID string `json:"id"`
		} `json:"items"`
	}
	d.must(t, "GET", "/api/projects", nil, &all)
	if len(all.Items) != 1 {
		t.Fatalf("%d projects", len(all.Items))
	}
	return all.Items[0].ID
}

// do works the job through all its lives. env says what kills a life by number, after
// gives the time after which one is killed from outside, 0 for never.
func (j job) do(t *testing.T, s setup, w *world, env func(life int) []string, after func(life int) time.Duration) (deaths int) {
	t.Helper()
	run, judged := "", false
	for life := 0; ; life++ {
		if life > 60 {
			t.Fatal("the job does not come to an end")
		}
		d, ok := s.start(t, env(life)...)
		if !ok {
			continue
		}
		killed := make(chan struct{})
		if wait := after(life); wait > 0 {
			go func() {
				defer close(killed)
				select {
				case <-time.After(wait):
					_ = d.cmd.Process.Kill() // it may be over
				case <-d.done:
				}
			}()
		} else {
			close(killed)
		}
		ended := j.drive(d, &run)
		if ended && after(life) == 0 {
			if judged = env(life) == nil; judged { // it lives on
				j.judge(t, func() *daemon { return d }, w)
			}
			if err := d.interrupt(); err != nil && !errors.Is(err, os.ErrProcessDone) { // the job may be over before its point
				t.Fatal(err)
			}
			break
		}
		d.kill()
		<-killed
		if after(life) > 0 {
			deaths++
		}
		if ended {
			break
		}
	}
	deaths += len(s.told(t, "dying at point"))
	w.mu.Lock()
	if n := total(w.asked); n > j.asks+j.again*deaths {
		t.Errorf("the model was asked %d times for %d answers, with %d deaths: %v", n, j.asks, deaths, w.asked)
	}
	w.mu.Unlock()
	if !judged {
		var last *daemon
		j.judge(t, func() *daemon {
			last = s.running(t)
			return last
		}, w)
		if last != nil {
			last.stop()
		}
	}
	s.verified(t)
	return deaths
}

// told are the points of which its daemons said what.
func (s setup) told(t *testing.T, what string) (points []string) {
	t.Helper()
	log, err := os.ReadFile(filepath.Join(s.data, "stderr.log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^chela: `+what+`(?: \d+:)? (.+)$`).FindAllStringSubmatch(string(log), -1) {
		points = append(points, m[1])
	}
	return points
}

// drive does what is left of the job; false when the daemon died under it.
func (j job) drive(d *daemon, run *string) bool {
	if *run == "" {
		got, err := j.begin(d)
		if err != nil {
			return false
		}
		*run = got
	}
	for {
		state, err := d.stateOf(*run)
		if err != nil {
			return false
		}
		switch state {
		case "done", "failed", "cancelled":
			if state != "done" {
				d.t.Errorf("the run ended as %s", state)
			}
			return true
		case "waiting":
			var r runAnswer
			if d.try("GET", "/api/runs/"+*run, nil, &r) != nil {
				return false
			}
			for _, a := range r.Approvals {
				if a.Status == "pending" && d.try("POST", "/api/approvals/"+a.ID, map[string]string{"choice": "happened"}, nil) != nil {
					return false
				}
			}
		}
		select {
		case <-d.done:
			return false
		case <-time.After(10 * time.Millisecond): // each look costs both sides
		}
	}
}

// stateOf is the state of one of the newest runs: what a run did is many times as much, and is asked for often.
func (d *daemon) stateOf(run string) (string, error) {
	var rows []struct {
		ID    string `json:"id"`
		State string `json:"state"`
	}
	if err := d.try("GET", "/api/runs?limit=20", nil, &rows); err != nil {
		return "", err
	}
	for _, r := range rows {
		if r.ID == run {
			return r.State, nil
		}
	}
	return "", fmt.Errorf("%s is not among the newest %d runs", run, len(rows))
}

type rawJSON string

func (r rawJSON) MarshalJSON() ([]byte, error) { return []byte(r), nil }

// asksOfAnIntake is how often an intake of the demo's files asks the model: five phases,
// and once to repair the triage.
const asksOfAnIntake = 6

// againOfAnIntake is how many of them a death may cost: an answer that does not fit is recorded
// with the one that repairs it.
const againOfAnIntake = 2

// answerIntake is the fake model of intakes: it keeps no contract, so the rules stand.
func answerIntake(request) any { return text("I have nothing to add.") }

func replyOf(name string) func(request) any {
	switch name {
	case "intake", "export":
		return answerIntake
	case "reading chat":
		return readThenWrite
	case "workflow":
		return answerWorkflow
	}
	return workOnce
}

func never(int) time.Duration { return 0 }

func undisturbed(int) []string { return nil }

// TestKill_AtEveryPoint has each job end undisturbed, and then kills the daemon at every commit and every outside call
// that it passed, and lets it go on. On PostgreSQL one job alone is killed
// before its commits, too: the others find what they find on SQLite, and are killed there in a soak.
func TestKill_AtEveryPoint(t *testing.T) {
	t.Parallel()
	for name, j := range jobs() {
		for _, db := range []string{"sqlite", "postgres"} {
			t.Run(name+"/"+db, func(t *testing.T) {
				t.Parallel()
				passed := j.undisturbed(t, name, db)
				for point, least := range j.points {
					if passed[point] == 0 && least > 0 {
						t.Errorf("the job does not pass the point %s", point)
					}
				}
				for point := range passed {
					if name != "chat" && db == "postgres" && point == "before commit" && os.Getenv("CHELA_SOAK") == "" {
						continue // what is durable there is what is after the commit before it
					}
					t.Run(strings.ReplaceAll(point, " ", "-"), func(t *testing.T) {
						t.Parallel()
						j.killAtEach(t, name, db, point, passed[point])
					})
				}
			})
		}
	}
}

// undisturbed returns how often the job passes each point when nobody dies.
func (j job) undisturbed(t *testing.T, name, db string) map[string]int {
	t.Helper()
	s := j.killed(t, name, db, "CHELA_LIST_POINTS=1")
	passed := make(map[string]int)
	for _, point := range s.told(t, "passing point") {
		passed[point]++
	}
	return passed
}

// killAtEach kills the daemon when it passes the point for the first time, the second, and so on, as often as it did when nobody
// died, and fails when it passes it fewer times than is known.
func (j job) killAtEach(t *testing.T, name, db, point string, passed int) {
	t.Helper()
	const most = 200 // times that a job passes a point
	if passed > most {
		t.Fatalf("the job passes the point %d times, which is no job of a test", passed)
	}
	at := 1
	if strings.HasSuffix(point, " commit") {
		at = max(at, j.from)
	}
	for died := true; died && at <= passed; {
		t.Run(strconv.Itoa(at), func(t *testing.T) {
			died = len(j.killed(t, name, db, fmt.Sprintf("CHELA_DIE_AT=%s:%d", point, at)).told(t, "dying at point")) == 1
		})
		if died {
			at++
		}
	}
	if last, least := at-1, j.points[point]; last < least {
		t.Errorf("the job passes the point %d times, want %d or more", last, least)
	}
}

// killed works the job with something said to the daemon's first life, which dies once at most.
func (j job) killed(t *testing.T, name, db, said string) setup {
	t.Helper()
	w := newWorld(t, replyOf(name))
	s := setup{data: t.TempDir(), env: w.env(), bare: j.from == 1}
	if db == "postgres" {
		s.postgres = pgtest.URL(t) + "?pool_max_conns=4" // a life is short, and a connection costs the server 10 ms
	}
	deaths := j.do(t, s, w, func(life int) []string {
		if life > 0 {
			return nil
		}
		return []string{said}
	}, never)
	if deaths > 1 {
		t.Errorf("the daemon died %d times, want once at most", deaths)
	}
	return s
}

// TestKill_AtRandomInstants kills from outside at random instants, a few times here and
// CHELA_SOAK times in `make soak`, over all jobs and both databases.
func TestKill_AtRandomInstants(t *testing.T) {
	t.Parallel()
	kills := 12
	if n, err := strconv.Atoi(os.Getenv("CHELA_SOAK")); err == nil {
		kills = n
	}
	all := jobs()
	databases(t, func(t *testing.T, base setup) {
		r := rand.New(rand.NewPCG(uint64(kills), 7)) //nolint:gosec // repeatable
		for done, i := 0, 0; done < kills/2; i++ {
			name := []string{"chat", "intake", "schedule"}[i%3]
			w := newWorld(t, replyOf(name))
			s := base
			s.data, s.env = t.TempDir(), w.env()
			if s.postgres != "" {
				s.postgres = pgtest.URL(t)
			}
			waits := []time.Duration{}
			for range 3 {
				waits = append(waits, time.Duration(1+r.IntN(60))*time.Millisecond)
			}
			done += all[name].do(t, s, w, undisturbed, func(life int) time.Duration {
				if life < len(waits) {
					return waits[life]
				}
				return 0
			})
		}
	})
}

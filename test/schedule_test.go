package test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/testkit/pgtest"
)

type scheduleAnswer struct {
	ID      string `json:"scheduleId"`
	Agent   string `json:"agentId"`
	Enabled bool   `json:"enabled"`
	Cron    string `json:"cronExpr"`
	Scope   string `json:"projectScope"`
	Next    string `json:"nextExecutionAt"`
	Problem string `json:"problem"`
	Version int    `json:"version"`
	Policy  struct {
		MaxConcurrent int `json:"maxConcurrent"`
		Priority      int `json:"priority"`
		MaxAttempts   int `json:"maxAttempts"`
		Backoff       int `json:"retryBackoffMs"`
	} `json:"executorPolicy"`
}

type executionAnswer struct {
	ID       string    `json:"executionId"`
	Schedule string    `json:"scheduleId"`
	Project  string    `json:"projectId"`
	State    string    `json:"execStatus"`
	At       time.Time `json:"scheduledAt"`
	Due      time.Time `json:"dueAt"`
	Run      string    `json:"runId"`
	Attempt  int       `json:"attempt"`
}

type pastAnswer struct {
	Content []struct {
		ID        string    `json:"pastExecutionId"`
		Execution string    `json:"executionId"`
		Schedule  string    `json:"scheduleId"`
		Project   string    `json:"projectId"`
		At        time.Time `json:"scheduledAt"`
		Result    string    `json:"resultStatus"`
		Error     string    `json:"errorMessage"`
		Summary   string    `json:"responseSummary"`
		Attempt   int       `json:"attempt"`
		Run       string    `json:"runId"`
	} `json:"content"`
	Total int `json:"totalElements"`
}

func (d *daemon) schedules(t *testing.T) (out []scheduleAnswer) {
	t.Helper()
	d.must(t, "GET", "/api/schedules", nil, &out)
	return out
}

func (d *daemon) future(t *testing.T, query string) (out []executionAnswer) {
	t.Helper()
	d.must(t, "GET", "/api/executions/future?"+query, nil, &out)
	return out
}

func (d *daemon) past(t *testing.T, query string) (out pastAnswer) {
	t.Helper()
	d.must(t, "GET", "/api/executions/past?"+query, nil, &out)
	return out
}

// as returns a client of somebody else.
func (s setup) as(t *testing.T, token string) *client.Client {
	t.Helper()
	return client.New(addressOf(t, s), token)
}

// quiet removes the schedules that are there at first, so that the time of day does not
// matter to a test.
func (d *daemon) quiet(t *testing.T) {
	t.Helper()
	for _, s := range d.schedules(t) {
		d.must(t, "DELETE", "/api/schedules/"+s.ID, nil, nil)
	}
}

func (d *daemon) schedule(t *testing.T, fields map[string]any) (s scheduleAnswer) {
	t.Helper()
	d.must(t, "POST", "/api/schedules", fields, &s)
	return s
}

// TestSchedule_TheClockBeginsWork lets a schedule of every second work for two projects, with the
// daemon killed and started in between.
func TestSchedule_TheClockBeginsWork(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		w := newWorld(t, func(r request) any { // it may write: the schedule's maker may
			if n, _ := r.since(); n == 0 {
				return toolCall("create_blindspot", `{"title":"A ticket has nobody","category":"UNASSIGNED_WORK","severity":"LOW"}`)
			}
			return text("Nothing disagrees.")
		})
		s.env, s.clock = w.env(), true
		d := s.running(t)
		d.quiet(t)
		one, two := newProject(t, d), ""
		var p struct {
			ID string `json:"id"`
		}
		d.must(t, "POST", "/api/projects", map[string]string{"name": "Ledger"}, &p)
		two = p.ID
		made := d.schedule(t, map[string]any{"agentId": "reconcile-agent", "cronExpr": "* * * * * *", "executorPolicy": map[string]int{"maxConcurrent": 2}, "inputsPolicy": map[string]bool{"always": true}})
		worked := func(project string) int {
			return d.past(t, "resultStatus=SUCCESS&projectId="+project).Total
		}
		until(t, "work for both projects", func() bool { return worked(one) > 0 && worked(two) > 0 })
		d.kill()
		d = s.running(t)
		before := worked(one)
		until(t, "work after the kill", func() bool { return worked(one) > before+1 })
		d.must(t, "PUT", "/api/schedules/"+made.ID, map[string]bool{"enabled": false}, nil)
		until(t, "the end of what runs", func() bool { return len(d.future(t, "")) == 0 })
		seen := make(map[string]bool)
		for _, x := range d.past(t, "size=200").Content {
			key := fmt.Sprint(x.Project, x.At)
			if seen[key] || x.Result != "SUCCESS" || x.Summary != "Nothing disagrees." || x.Attempt != 1 {
				t.Errorf("%+v, seen before: %v", x, seen[key])
			}
			seen[key] = true
		}
		var found list
		if d.must(t, "GET", "/api/projects/"+two+"/blindspots", nil, &found); found.Total != 1 {
			t.Errorf("%d blindspots", found.Total)
		}
		var runs []struct {
			ID   string `json:"id"`
			Lane string `json:"lane"`
			By   struct {
				ID string `json:"agent_id"`
			} `json:"by"`
		}
		d.must(t, "GET", "/api/runs?limit=1", nil, &runs)
		if len(runs) != 1 || runs[0].Lane != "schedule" || runs[0].By.ID != "agent:schedule/"+made.ID {
			t.Errorf("the run: %+v", runs)
		}
		d.stop()
		s.verified(t)
	})
}

// TestSchedule_SchedulesAreEdited does what people do to schedules, and what they get wrong.
func TestSchedule_SchedulesAreEdited(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		s.clock = true
		d := s.running(t)
		project := newProject(t, d)
		defaults := d.schedules(t)
		if len(defaults) != 6 || defaults[0].Agent != "reconcile-agent" || defaults[0].Cron != "0 0 9 * * MON-FRI" || defaults[0].Policy.Priority != 6 || defaults[0].Policy.MaxAttempts != 2 || defaults[0].Policy.Backoff != 120_000 {
			t.Fatalf("%+v", defaults)
		}
		planned := func(id string) []executionAnswer { return d.future(t, "execStatus=READY&scheduleId="+id) }
		until(t, "a plan for each", func() bool { return len(d.future(t, "projectId="+project)) == 6 })
		far := d.schedule(t, map[string]any{"agentId": "agent:pm", "cronExpr": "0 0 29 2 *", "timezone": "Asia/Tokyo"})
		until(t, "its plan", func() bool { return len(planned(far.ID)) == 1 })
		first := planned(far.ID)[0]
		if want := time.Date(2028, 2, 28, 15, 0, 0, 0, time.UTC); time.Now().Before(want) && !first.At.Equal(want) {
			t.Errorf("%+v", first)
		}
		path := "/api/schedules/" + far.ID
		d.must(t, "PUT", path, map[string]any{"enabled": false}, nil)
		if left := planned(far.ID); len(left) != 0 {
			t.Errorf("switched off, it has planned %+v", left)
		}
		d.must(t, "PUT", path, map[string]any{"enabled": true}, nil)
		until(t, "the plan anew", func() bool { return len(planned(far.ID)) == 1 })
		if again := planned(far.ID)[0]; again.ID == first.ID || !again.At.Equal(first.At) {
			t.Errorf("switched on again, it has planned %+v", again)
		}
		id := far.ID
		far = scheduleAnswer{}
		d.must(t, "PUT", path, map[string]any{"scheduleType": "FIXED_TIMES", "timesOfDay": []string{"23:59"}}, &far)
		until(t, "the changed plan", func() bool { p := planned(far.ID); return len(p) == 1 && p[0].At.Hour() == 14 })
		if far.ID != id || far.Version != 4 || far.Cron != "" {
			t.Errorf("%+v", far)
		}
		slot := planned(far.ID)[0]
		d.must(t, "POST", "/api/executions/future/"+slot.ID+"/cancel", nil, nil)
		until(t, "the plan after the one that was cancelled", func() bool { p := planned(far.ID); return len(p) == 1 && p[0].At.After(slot.At) })
		wrongSchedules(t, s, d, project, slot.ID)
		d.must(t, "PATCH", "/api/projects/"+project, map[string]string{"status": "ARCHIVED"}, nil)
		until(t, "the end of all plans", func() bool { return len(d.future(t, "")) == 0 })
		d.must(t, "PATCH", "/api/projects/"+project, map[string]string{"status": "ACTIVE"}, nil)
		until(t, "the plans anew", func() bool { return len(d.future(t, "")) == 7 })
		d.must(t, "DELETE", "/api/schedules/"+defaults[0].ID, nil, nil)
		d.stop()
		d = s.running(t)
		if left := d.schedules(t); len(left) != 6 {
			t.Errorf("after a restart there are %d: a deleted default comes back", len(left))
		}
		d.stop()
		s.verified(t)
	})
}

func wrongSchedules(t *testing.T, s setup, d *daemon, project, cancelled string) {
	t.Helper()
	for _, c := range []struct {
		method, path, body string
		kind               fault.Kind
		says               string
	}{
		{"POST", "/api/schedules", `{"cronExpr":"0 9 * * *"}`, fault.Invalid, "agentId"},
		{"POST", "/api/schedules", `{"agentId":"nobody","cronExpr":"0 9 * * *"}`, fault.Invalid, "agentId"},
		{"POST", "/api/schedules", `{"agentId":"pm","cronExpr":"0 25 * * *"}`, fault.Invalid, "cronExpr"},
		{"POST", "/api/schedules", `{"agentId":"pm","cronExpr":"0 9 * * *","timezone":"Mars"}`, fault.Invalid, "timezone"},
		{"POST", "/api/schedules", `{"agentId":"pm","cronExpr":"0 9 * * *","projectId":"prj_none"}`, fault.Invalid, "projectId"},
		{"POST", "/api/schedules", `{"agentId":"pm","cron":"0 9 * * *"}`, fault.Invalid, "cron"},
		{"POST", "/api/schedules", `{"agentId":"pm","scheduleType":"INTERVAL","intervalMinutes":0}`, fault.Invalid, "intervalMinutes"},
		{"PUT", "/api/schedules/sch_none", `{"enabled":true}`, fault.NotFound, "sch_none"},
		{"DELETE", "/api/schedules/sch_none", "", fault.NotFound, "sch_none"},
		{"POST", "/api/executions/trigger", `{}`, fault.Invalid, "agentId"},
		{"POST", "/api/executions/trigger", `{"agentId":"pm","projectId":"prj_none"}`, fault.Invalid, "projectId"},
		{"POST", "/api/executions/future/" + cancelled + "/cancel", "", fault.Conflict, "over"},
		{"POST", "/api/executions/future/exe_none/cancel", "", fault.NotFound, "exe_none"},
		{"GET", "/api/executions/past/exe_none.1", "", fault.NotFound, "exe_none"},
		{"GET", "/api/executions/past/all", "", fault.NotFound, "all"},
		{"GET", "/api/executions/future?dateKey=tomorrow", "", fault.Invalid, "dateKey"},
	} {
		var in any
		if c.body != "" {
			in = rawJSON(c.body)
		}
		err := d.try(c.method, c.path, in, nil)
		if fault.KindOf(err) != c.kind || err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %s %s: %v", c.method, c.path, c.body, err)
		}
	}
	var link struct {
		Token string `json:"token"`
	}
	d.must(t, "POST", "/api/persons/invite", map[string]string{"name": "Vic", "role": "viewer"}, &link)
	d.must(t, "POST", "/api/persons/accept", map[string]string{"token": link.Token}, &link)
	viewer := &daemon{t: d.t, cmd: d.cmd, cl: s.as(t, link.Token), done: d.done}
	viewer.schedules(t)
	if err := viewer.try("POST", "/api/executions/trigger", map[string]string{"agentId": "pm", "projectId": project}, nil); fault.KindOf(err) != fault.Denied {
		t.Errorf("a viewer begins an agent: %v", err)
	}
}

// TestSchedule_AnExecutionFailsAndIsTriedAgain counts what the model is asked.
func TestSchedule_AnExecutionFailsAndIsTriedAgain(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	w := newWorld(t, func(request) any {
		if asked.Add(1) < 3 {
			return 400 // what no second call mends
		}
		return text("Now it went.")
	})
	s := setup{data: t.TempDir(), env: w.env()} // work that is asked for needs no clock
	d := s.running(t)
	project := newProject(t, d)
	plan := d.schedule(t, map[string]any{"agentId": "pm", "cronExpr": "0 0 1 1 *", "executorPolicy": map[string]int{"maxAttempts": 3, "retryBackoffMs": 20}})
	var e executionAnswer
	d.must(t, "POST", "/api/executions/trigger", map[string]any{"scheduleId": plan.ID}, &e)
	until(t, "three attempts", func() bool { return d.past(t, "scheduleId="+plan.ID).Total == 3 })
	list := d.past(t, "scheduleId="+plan.ID).Content
	for i, want := range []struct {
		result  string
		attempt int
	}{{"SUCCESS", 3}, {"FAIL", 2}, {"FAIL", 1}} {
		if x := list[i]; x.Result != want.result || x.Attempt != want.attempt || x.Execution != e.ID || (x.Error == "") != (want.result == "SUCCESS") || x.Run == "" {
			t.Errorf("attempt %d: %+v", want.attempt, x)
		}
	}
	if first, second := list[2], list[1]; first.Run == second.Run {
		t.Errorf("two attempts have one run: %+v", list)
	}
	var one struct {
		Metrics struct {
			Calls int `json:"calls"`
		} `json:"llmMetrics"`
	}
	d.must(t, "GET", "/api/executions/past/"+list[0].ID, nil, &one)
	if one.Metrics.Calls != 1 {
		t.Errorf("%+v", one)
	}
	asked.Store(-100)
	d.must(t, "POST", "/api/executions/trigger", map[string]any{"scheduleId": plan.ID, "projectId": project}, nil)
	until(t, "the end of all attempts", func() bool { return d.past(t, "scheduleId="+plan.ID).Total == 6 && len(d.future(t, "")) == 0 })
	if last := d.past(t, "scheduleId="+plan.ID).Content[0]; last.Result != "FAIL" || last.Attempt != 3 {
		t.Errorf("%+v", last)
	}
	d.stop()
	s.verified(t)
}

// TestSchedule_AKilledDaemonEndsItsExecutionOnce kills it while the model is thinking.
func TestSchedule_AKilledDaemonEndsItsExecutionOnce(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		var held atomic.Bool
		thinking := make(chan struct{}, 1)
		w := newWorld(t, func(r request) any {
			if held.CompareAndSwap(false, true) {
				thinking <- struct{}{}
				<-r.gone
			}
			return text("Nothing disagrees.")
		})
		s.env = w.env()
		d := s.running(t)
		newProject(t, d)
		var e executionAnswer
		d.must(t, "POST", "/api/executions/trigger", map[string]any{"agentId": "reconcile-agent"}, &e)
		select {
		case <-thinking:
		case <-time.After(time.Minute):
			t.Fatal("the model was not asked")
		}
		if open := d.future(t, ""); len(open) != 1 || open[0].State != "RUNNING" || open[0].Run == "" {
			t.Fatalf("%+v", open)
		}
		if err := d.try("POST", "/api/executions/future/"+e.ID+"/cancel", nil, nil); fault.KindOf(err) != fault.Conflict {
			t.Errorf("cancelled while it runs: %v", err)
		}
		d.kill()
		d = s.running(t)
		until(t, "the end of the execution", func() bool { return d.past(t, "").Total == 1 })
		if x := d.past(t, "").Content[0]; x.Execution != e.ID || x.Result != "SUCCESS" || x.Attempt != 1 || x.Summary != "Nothing disagrees." {
			t.Errorf("%+v", x)
		}
		for kind, want := range map[string]int{"schedule.execution.started": 1, "schedule.execution.ended": 1, "run.queued": 1} {
			var page struct {
				Events []any `json:"events"`
			}
			d.must(t, "GET", "/api/log?type="+kind, nil, &page)
			if len(page.Events) != want {
				t.Errorf("%d events of the type %s, want %d", len(page.Events), kind, want)
			}
		}
		d.stop()
		s.verified(t)
	})
}

// TestSchedule_TwoDaemonsBeginOnce lets two daemons with one database work by a schedule of every
// second.
func TestSchedule_TwoDaemonsBeginOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(request) any { return text("Done.") })
	pg, arts := pgtest.URL(t), t.TempDir()
	var all []setup
	var running []*daemon
	for range 2 {
		s := setup{data: t.TempDir(), postgres: pg, env: w.env(), args: []string{"--artifacts", arts}, clock: true}
		if len(all) > 0 {
			token, err := os.ReadFile(filepath.Join(all[0].data, "token"))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(s.data, "token"), token, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		d := s.running(t)
		all, running = append(all, s), append(running, d)
	}
	a, b := running[0], running[1]
	a.quiet(t)
	newProject(t, b)
	made := b.schedule(t, map[string]any{"agentId": "pm", "cronExpr": "* * * * * *", "inputsPolicy": map[string]bool{"always": true}})
	until(t, "some work", func() bool { return a.past(t, "").Total >= 5 })
	a.kill()
	before := b.past(t, "").Total
	until(t, "work by the other alone", func() bool { return b.past(t, "").Total >= before+2 })
	b.must(t, "PUT", "/api/schedules/"+made.ID, map[string]bool{"enabled": false}, nil)
	until(t, "the end of what runs", func() bool { return len(b.future(t, "")) == 0 })
	seen := make(map[time.Time]bool)
	for _, x := range b.past(t, "size=200").Content {
		if seen[x.At] || x.Result != "SUCCESS" {
			t.Errorf("%+v, seen before: %v", x, seen[x.At])
		}
		seen[x.At] = true
	}
	b.stop()
	all[1].verified(t)
}

// scheduleJob is a schedule that begins at once, whose agent changes the world.
func scheduleJob() job {
	const query = "agentId=worker"
	begun := func(d *daemon) (run string, err error) {
		var open []executionAnswer
		var past pastAnswer
		if err = d.try("GET", "/api/executions/future?"+query, nil, &open); err == nil {
			err = d.try("GET", "/api/executions/past?"+query, nil, &past)
		}
		for _, e := range open {
			run = e.Run
		}
		for _, e := range past.Content {
			run = e.Run
		}
		return run, err
	}
	return job{
		begin: func(d *daemon) (string, error) {
			var projects struct {
				Total int `json:"total"`
			}
			var made []scheduleAnswer
			for _, step := range []func() error{
				func() error { return d.try("GET", "/api/projects", nil, &projects) },
				func() error {
					if projects.Total > 0 {
						return nil
					}
					return d.try("POST", "/api/projects", map[string]string{"name": "Payments"}, nil)
				},
				func() error {
					if d.try("GET", "/api/agents/worker", nil, nil) == nil {
						return nil
					}
					return d.try("POST", "/api/agents", rawJSON(worker), nil)
				},
				func() error { return d.try("GET", "/api/schedules?"+query, nil, &made) },
				func() error {
					if len(made) > 0 {
						return nil
					}
					return d.try("POST", "/api/schedules", map[string]string{"agentId": "worker", "scheduleType": "IMMEDIATE"}, nil)
				},
			} {
				if err := step(); err != nil {
					return "", err
				}
			}
			for {
				if run, err := begun(d); run != "" || err != nil {
					return run, err
				}
				select {
				case <-d.done:
					return "", errors.New("the daemon died")
				case <-time.After(2 * time.Millisecond):
				}
			}
		},
		asks: 2, again: 1, from: serving, points: passed(12, 2, 1),
		judge: func(t *testing.T, alive func() *daemon, w *world) {
			t.Helper()
			d := alive()
			until(t, "the end of the execution", func() bool { return len(d.future(t, query)) == 0 })
			if past := d.past(t, query); past.Total != 1 || past.Content[0].Result != "SUCCESS" || past.Content[0].Attempt != 1 {
				t.Errorf("%+v", past)
			}
			if len(w.writes) > 1 || total(w.writes) > 1 {
				t.Errorf("the calls that changed the world: %v", w.writes)
			}
		},
	}
}

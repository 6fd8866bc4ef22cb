package test

import (
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"chela/internal/fault"
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

// TestTheClockBeginsWork lets a schedule of every second work for two projects, with the
// daemon killed and started in between.
func TestTheClockBeginsWork(t *testing.T) {
	databases(t, func(t *testing.T, s setup) {
		w := newWorld(t, func(request) any { return text("Nothing disagrees.") })
		s.env, s.clock = w.env(), true
		d, ok := s.start(t)
		if !ok {
			t.Fatal("it did not start")
		}
		d.quiet(t)
		one, two := newProject(t, d), ""
		var p struct {
			ID string `json:"id"`
		}
		d.must(t, "POST", "/api/projects", map[string]string{"name": "Ledger"}, &p)
		two = p.ID
		made := d.schedule(t, map[string]any{"agentId": "reconcile-agent", "cronExpr": "* * * * * *", "executorPolicy": map[string]int{"maxConcurrent": 2}})
		worked := func(project string) int {
			return d.past(t, "resultStatus=SUCCESS&projectId="+project).Total
		}
		until(t, "work for both projects", func() bool { return worked(one) > 0 && worked(two) > 0 })
		d.kill()
		if d, ok = s.start(t); !ok {
			t.Fatal("it did not start again")
		}
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

var _ = []any{url.QueryEscape, strings.Contains, atomic.AddInt32, fault.KindOf}

package test

import (
	"strings"
	"sync/atomic"
	"testing"

	"chela/internal/fault"
)

// TestScheduled_WhatASchedulesRunDid narrows what a schedule looks at, and tells what its run called
// and made.
func TestScheduled_WhatASchedulesRunDid(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		var asked atomic.Value
		w := newWorld(t, func(r request) any {
			n, said := r.since()
			asked.CompareAndSwap(nil, said)
			switch {
			case len(r.Tools) == 0 || strings.Contains(said, "the task given to"):
				return text(`{"pass":true,"summary":"fine","feedback":""}`)
			case n == 0:
				return toolCall("read_tickets", `{}`)
			case n == 1:
				return toolCall("create_ticket", `{"title":"Look at refunds"}`)
			case n == 2:
				return toolCall("create_ticket", `{}`)
			}
			return text("Done.")
		})
		s.env = w.env()
		d := s.running(t)
		base := "/api/projects/" + newProject(t, d)
		for _, title := range []string{"Refunds", "Colours"} {
			d.must(t, "POST", base+"/threads", map[string]any{"title": title}, nil)
		}
		for inputs, want := range map[string]string{`{"windowMinutes":-1}`: "windowMinutes", `{"threadFilter":"colour:red"}`: "threadFilter"} {
			err := d.try("POST", "/api/schedules", rawJSON(`{"agentId":"pm","cronExpr":"0 9 * * *","inputsPolicy":`+inputs+`}`), nil)
			if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", inputs, err)
			}
		}
		out, errs, code := s.chela(t, "", "schedule", "create", "--agent", "pm", "--cron", "0 0 1 1 *", "--window", "24h", "--threads", "title:~refund")
		if code != 0 || !strings.Contains(out, "within 24h0m0s before") || !strings.Contains(out, "those that fit: title:~refund") {
			t.Fatalf("%d %s%s", code, out, errs)
		}
		var plan scheduleAnswer
		for _, x := range d.schedules(t) {
			if x.Cron == "0 0 1 1 *" {
				plan = x
			}
		}
		d.must(t, "POST", "/api/executions/trigger", map[string]any{"scheduleId": plan.ID}, nil)
		until(t, "its end", func() bool { return d.past(t, "scheduleId="+plan.ID).Total == 1 })
		said, _ := asked.Load().(string)
		if !strings.Contains(said, "what changed since 20") || !strings.Contains(said, "Refunds") || strings.Contains(said, "Colours") {
			t.Errorf("the agent was asked %q", said)
		}
		var one struct {
			Calls struct{ TotalCalls, ReadOnlyCalls, WriteCalls, ExecCalls, FailedCalls int } `json:"toolCallSummary"`
			Refs  map[string][]string                                                         `json:"responseRefs"`
		}
		d.must(t, "GET", "/api/executions/past/"+d.past(t, "scheduleId="+plan.ID).Content[0].ID, nil, &one)
		if c := one.Calls; c.TotalCalls < 2 || c.ReadOnlyCalls != 1 || c.WriteCalls != c.TotalCalls-1 || c.ExecCalls != 0 || c.FailedCalls != 1 {
			t.Errorf("%+v", c)
		}
		var l list
		if d.must(t, "GET", base+"/tickets?filter=title:~refunds", nil, &l); len(one.Refs["ticket"]) != 1 || l.Total != 1 || len(one.Refs) != 1 {
			t.Errorf("%+v, %d", one.Refs, l.Total)
		}
		d.stop()
		s.verified(t)
	})
}

// TestScheduled_SchedulesOnTheCommandLine does the same there.
func TestScheduled_SchedulesOnTheCommandLine(t *testing.T) {
	t.Parallel()
	s := setup{data: t.TempDir()}
	d := s.running(t)
	newProject(t, d)
	id := ""
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"schedule list", 0, "0 0 10 * * MON UTC"},
		{"schedule create --agent pm --times 17:30,9:00 --timezone Europe/Berlin -p Payments --max-attempts 2", 0, "09:00, 17:30 Europe/Berlin"},
		{"schedule create --agent pm --times 9:00 --every 5", 2, "say one of"},
		{"schedule create --agent pm --cron 9", 3, "cronExpr"},
		{"schedule edit ID --every 30 --backoff 5s --all-projects", 0, "every 30 min from midnight Europe/Berlin"},
		{"schedule show ID", 0, "up to 2 attempts, 5s before the second"},
		{"schedule run ID --wait", 0, "SKIPPED  No model is configured"},
		{"execution run pm --wait", 0, "SKIPPED  No model is configured"},
		{"execution list", 0, ""},
		{"execution list --past --schedule ID", 0, "1 of 1"},
		{"execution cancel exe_none", 3, "exe_none"},
		{"schedule edit ID --enabled=false", 0, "switched off"},
		{"doctor", 0, "6 of 7 are switched on. This daemon begins none of them"},
		{"schedule delete ID", 0, "Deleted"},
		{"schedule show ID", 3, "does not exist"},
	} {
		out, errs, code := s.chela(t, "", strings.Fields(strings.ReplaceAll(c.args, "ID", id))...)
		if code != c.code || !strings.Contains(out+errs, c.says) {
			t.Errorf("%s: %d, want %d and %q\n%s%s", c.args, code, c.code, c.says, out, errs)
		}
		if id == "" && strings.HasPrefix(c.args, "schedule create") {
			id, _, _ = strings.Cut(out, ",")
		}
	}
	d.must(t, "PATCH", "/api/agents/plan-agent", rawJSON(`{"enabled":false}`), nil)
	if out, _, code := s.chela(t, "", "doctor"); code != 1 || !strings.Contains(out, "The agent plan-agent is disabled") {
		t.Errorf("the doctor: %d\n%s", code, out)
	}
	d.stop()
	s.verified(t)
}

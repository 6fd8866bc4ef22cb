package cli

import (
	"strings"
	"testing"
	"time"

	"chela/internal/library"
	"chela/internal/run"
	"chela/internal/webhook"
)

func TestNeeds_SaysWhatAWorkflowLacks(t *testing.T) {
	t.Parallel()
	const source = `
slug: a
name: A
triggers: [{webhook: tracker}, {webhook: mail}]
steps:
  - {id: a, agent: {name: coder, task: Do it.}, expects: {payload_type: acme.total.v1}}
  - {id: b, tool: {name: shell_exec, agent: pm, args: {command: ls, secrets: [KEY, TOKEN]}}}
`
	n := needs{vault: true, secrets: []string{"KEY"}, incoming: []webhook.Incoming{{Name: "mail"}}}
	got := strings.Join(n.lacks(source), "\n")
	for _, want := range []string{"the secret TOKEN", "webhook tracker"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not said:\n%s", want, got)
		}
	}
	if strings.Count(got, "\n") != 1 {
		t.Errorf("more is said:\n%s", got)
	}
	if n.vault = false; len(n.lacks(source)) != 1 {
		t.Error("secrets that nobody saw are missing")
	}
}

func TestStuck(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 25, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		r     run.Run
		since time.Duration
		want  string
	}{
		"asks a person":           {run.Run{State: run.Waiting, WaitsFor: run.ForPerson + "app_1"}, 8 * 24 * time.Hour, "for 8 days"},
		"asks a person since now": {run.Run{State: run.Waiting, WaitsFor: run.ForPerson + "app_1"}, time.Hour, ""},
		"waits for a time":        {run.Run{State: run.Waiting, WaitsFor: run.ForTime}, 30 * 24 * time.Hour, ""},
		"is paused":               {run.Run{State: run.Waiting, WaitsFor: run.ForResume}, 9 * 24 * time.Hour, "paused for 9 days"},
		"works":                   {run.Run{State: run.Running}, 3 * time.Hour, "not moved for 3 hours"},
		"is done":                 {run.Run{State: run.Done}, 99 * time.Hour, ""},
	} {
		c.r.UpdatedAt = now.Add(-c.since)
		if got := stuck(library.Instance{Run: c.r, Slug: "a"}, now); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestFailedLately_NamesEachTriggerOnce(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 25, 0, 0, 0, 0, time.UTC)
	failed := func(trigger, days, count int, problem string) library.TriggerFailure {
		return library.TriggerFailure{TriggerFailed: library.TriggerFailed{Slug: "a", Trigger: trigger, On: "event desk.ticket.created", Problem: problem, Count: count}, At: now.Add(-time.Duration(days) * 24 * time.Hour)}
	}
	got := failedLately([]library.TriggerFailure{failed(0, 1, 40, "No such key: estimate."), failed(1, 2, 1, "It does not fit."), failed(0, 3, 2, "Older."), failed(2, 9, 5, "Long ago.")}, now)
	if len(got) != 2 || !strings.Contains(got[0], "failed 42 times") || !strings.Contains(got[0], "No such key: estimate. `chela workflow show a`") || !strings.Contains(got[1], "failed once") {
		t.Errorf("said is %q", got)
	}
	if got := failedLately(nil, now); len(got) > 0 {
		t.Errorf("of none %q is said", got)
	}
}

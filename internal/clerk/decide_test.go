package clerk_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/fault"
)

// decide decides the delta at a place.
func (w *world) decide(pack string, at int, v clerk.Verdict) error {
	return w.do(func(c *clerk.Work) error {
		_, err := c.Decide(pack, at, v)
		return err
	})
}

func TestDecide_ADeltaIsAcceptedWithAChange(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		field, thread, ticket string
		take                  clerk.Side
		a, b                  string // the fields of the thread's and the ticket's side
		kind                  fault.Kind
		says                  string
	}{
		"a date":                {field: "dueDate", a: "2026-03-01", b: "2026-04-01", take: clerk.SideA},
		"a number":              {field: "storyPoints", a: "8", b: "3", take: clerk.SideA},
		"the owner":             {field: "owner", a: "Bob Stone", b: "Ann Lee", take: clerk.SideA},
		"an empty field":        {field: "externalRef", a: "PAY-7", take: clerk.SideA},
		"nothing":               {field: "dueDate", a: "2026-03-01", b: "2026-04-01"},
		"it changed since":      {field: "dueDate", a: "2026-03-01", b: "2026-05-01", take: clerk.SideA, kind: fault.Conflict, says: `is "2026-04-01" now, and was "2026-05-01"`},
		"a list":                {field: "labels", a: "TODO", b: "DONE", take: clerk.SideA, kind: fault.Conflict, says: "labels"},
		"a side without values": {field: "dueDate", b: "2026-04-01", take: clerk.SideA, kind: fault.Invalid, says: "does not say which value"},
		"a bad value":           {field: "dueDate", a: "soon", b: "2026-04-01", take: clerk.SideA, kind: fault.Invalid, says: "dueDate"},
		"no such field":         {field: "colour", a: "red", take: clerk.SideA, kind: fault.Invalid, says: "colour"},
		"elsewhere":             {field: "dueDate", a: "2026-03-01", b: "2026-04-01", take: clerk.SideB, kind: fault.Invalid, says: "no record here"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			ticket := w.make(desk.Ticket, `{"title":"Split the handler","dueDate":"2026-04-01","storyPoints":3,"labels":["x"],"owner":"Ann Lee"}`)
			pack := w.make(desk.DeltaPack, fmt.Sprintf(`{"deltas":[{"deltaType":"DATE_DRIFT","title":"other"},{"deltaType":"DATE_DRIFT","title":"Two values","fieldName":%q,"sourceA":"the minutes","valueA":%q,"sourceB":%q,"valueB":%q,"recordIds":[%q]}]}`, c.field, c.a, ticket, c.b, ticket))
			err := w.decide(pack, 1, clerk.Verdict{Decision: desk.Accepted, Take: c.take})
			d := open[desk.DeltaPackBody](w, pack).Deltas
			if c.says != "" {
				if fault.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.says) || d[1].Decision != "" {
					t.Errorf("%v; it is %q", err, d[1].Decision)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			changed := ""
			if c.take != "" {
				changed = ticket
			}
			if d[0].Decision != "" || d[1].Decision != desk.Accepted || d[1].DecidedBy != "agent:test" || d[1].DecidedAt == "" || d[1].Changed != changed {
				t.Errorf("%+v", d)
			}
			b := open[desk.TicketBody](w, ticket)
			owners, err := clerk.Owners(t.Context(), w.db.Desk, w.project, []desk.Record{{ID: ticket}})
			now := map[string]string{"dueDate": string(b.DueDate), "storyPoints": fmt.Sprint(b.Points()), "owner": owners[ticket].Line(), "externalRef": b.ExternalRef}[c.field]
			want := c.b
			if c.take != "" {
				want = c.a
			}
			if err != nil || now != want {
				t.Errorf("the ticket's %s is %q, %v", c.field, now, err)
			}
		})
	}
}

func TestDecide_WhatCannotBeDecided(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	body := `{"deltas":[{"deltaType":"DATE_DRIFT","title":"Two dates"}]}`
	old, pack := w.make(desk.DeltaPack, body), w.make(desk.DeltaPack, body)
	for name, c := range map[string]struct {
		pack string
		at   int
		v    clerk.Verdict
		kind fault.Kind
	}{
		"superseded":      {old, 0, clerk.Verdict{Decision: desk.Dismissed}, fault.Conflict},
		"not there":       {pack, 1, clerk.Verdict{Decision: desk.Dismissed}, fault.Invalid},
		"before the list": {pack, -1, clerk.Verdict{Decision: desk.Dismissed}, fault.Invalid},
		"no decision":     {pack, 0, clerk.Verdict{}, fault.Conflict},
		"another word":    {pack, 0, clerk.Verdict{Decision: "PERHAPS"}, fault.Invalid},
		"both":            {pack, 0, clerk.Verdict{Decision: desk.Dismissed, Take: clerk.SideA}, fault.Invalid},
		"no pack":         {"dlt_none", 0, clerk.Verdict{Decision: desk.Dismissed}, fault.NotFound},
	} {
		if err := w.decide(c.pack, c.at, c.v); fault.KindOf(err) != c.kind {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDecide_AnAcceptanceStands: whatever is decided in whatever order, the first acceptance is what
// the delta says from then on.
func TestDecide_AnAcceptanceStands(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var now desk.Ruling
		accepted := false
		for _, next := range rapid.SliceOf(rapid.SampledFrom(append(desk.Rulings(), ""))).Draw(t, "decisions") {
			if !now.CanBecome(next) {
				continue
			}
			if accepted || next == "" || next == now {
				t.Fatalf("%q became %q", now, next)
			}
			now, accepted = next, next == desk.Accepted
		}
	})
}

// TestDecide_WhatWasDecidedStaysSo: the next pack finds the same again, and something that says
// something else.
func TestDecide_WhatWasDecidedStaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	pack := func(value, today string) string {
		return w.make(desk.DeltaPack, fmt.Sprintf(`{"deltas":[
			{"deltaType":"DATE_DRIFT","title":"Overdue: A","sourceA":"tkt_a","valueA":"2026-01-01","sourceB":"today","valueB":%q},
			{"deltaType":"DATE_DRIFT","title":"Two dates","sourceA":"thr_a","valueA":%q,"sourceB":"tkt_a","valueB":"2026-03-01"},
			{"deltaType":"DATE_DRIFT","title":"Accepted","sourceA":"x"},
			{"deltaType":"DATE_DRIFT","title":"Undecided","sourceA":"x"}]}`, today, value))
	}
	old := pack("2026-02-01", "2026-02-02")
	for at, ruling := range []desk.Ruling{desk.Dismissed, desk.Dismissed, desk.Accepted} {
		if err := w.decide(old, at, clerk.Verdict{Decision: ruling}); err != nil {
			t.Fatal(err)
		}
	}
	for i, c := range []struct{ value, today, second string }{{"2026-02-01", "2026-02-03", "DISMISSED"}, {"2026-02-09", "2026-02-04", ""}} {
		b := open[desk.DeltaPackBody](w, pack(c.value, c.today))
		if d := b.Deltas; d[0].Decision != desk.Dismissed || d[0].DecidedBy != "agent:test" || string(d[1].Decision) != c.second || d[2].Decision != desk.Accepted || d[3].Decision != "" || b.Status != desk.PackFinal {
			t.Errorf("%d: %+v", i, b)
		}
	}
	if b := open[desk.DeltaPackBody](w, old); b.Status != desk.PackSuperseded {
		t.Errorf("%s", b.Status)
	}
}

// TestDecide_DoesWhatIsSuggested: accepting does it, or asks for what is missing.
// TestDecide_ClosesWhatTheMinutesSayIsOver holds that accepting such a delta closes the ticket as the minutes say, while it still stands as the delta says.
func TestDecide_ClosesWhatTheMinutesSayIsOver(t *testing.T) {
	t.Parallel()
	for says, want := range map[string]string{"DONE": "DONE ", "CLOSED": "CLOSED WONT_FIX"} {
		w := newWorld(t)
		ticket := w.make(desk.Ticket, `{"title":"Write it"}`)
		minutes := w.make(desk.Thread, `{"title":"Weekly"}`)
		delta := fmt.Sprintf(`{"deltaType":"STATUS_MISMATCH","title":"Over in the minutes: Write it","fieldName":"status","sourceA":%q,"valueA":%q,"sourceB":%q,"valueB":"TODO"}`, minutes, says, ticket)
		pack := w.make(desk.DeltaPack, `{"deltas":[`+delta+`,`+delta+`]}`)
		if err := w.decide(pack, 0, clerk.Verdict{Decision: desk.Accepted}); err != nil {
			t.Fatal(err)
		}
		b, d := open[desk.TicketBody](w, ticket), open[desk.DeltaPackBody](w, pack).Deltas[0]
		if got := string(b.Status) + " " + string(b.Outcome); got != want || d.Changed != ticket {
			t.Errorf("the ticket is %s, want %s; the delta %+v", got, want, d)
		}
		if err := w.decide(pack, 1, clerk.Verdict{Decision: desk.Accepted}); fault.KindOf(err) != fault.Conflict {
			t.Errorf("it is over already: %v", err)
		}
	}
}

func TestDecide_DoesWhatIsSuggested(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	done := w.make(desk.Ticket, `{"title":"Done","status":"DONE"}`)
	blocked := w.make(desk.Ticket, fmt.Sprintf(`{"title":"Blocked","status":"BLOCKED","blockedBy":[%q]}`, done))
	late := w.make(desk.Ticket, `{"title":"Late","dueDate":"2020-01-01"}`)
	twin := w.make(desk.Ticket, `{"title":"Late"}`)
	goal := w.make(desk.Objective, `{"outcome":"Refunds in a day"}`)
	deltas, err := json.Marshal(map[string]any{"deltas": []map[string]any{
		{"deltaType": "DEPENDENCY_MISMATCH", "title": "0", "fieldName": "blockedBy", "sourceA": blocked, "valueA": "BLOCKED", "sourceB": done, "valueB": "DONE"},
		{"deltaType": "DATE_DRIFT", "title": "1", "fieldName": "dueDate", "sourceA": late, "valueA": "2020-01-01", "sourceB": "today", "valueB": "2026-03-01"},
		{"deltaType": "DUPLICATE_ENTRY", "title": "2", "fieldName": "title", "sourceA": late, "sourceB": twin},
		{"deltaType": "ORPHANED_WORK", "title": "3", "sourceA": blocked},
		{"deltaType": "COVERAGE_GAP", "title": "4", "sourceA": goal},
		{"deltaType": "STALE_ARTIFACT", "title": "5", "fieldName": "updatedAt", "sourceA": blocked, "valueA": "2026-01-01"},
		{"deltaType": "ORPHANED_WORK", "title": "6", "sourceA": late},
		{"deltaType": "CAPACITY_OVERLOAD", "title": "7", "fieldName": "allocatedPercent", "sourceA": "res_gone", "valueA": "130 %", "valueB": "100 %"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	pack := w.make(desk.DeltaPack, string(deltas))
	for at, c := range []struct {
		missing string // what is asked for without a value
		value   string
		holds   func() bool
	}{
		{"", "", func() bool {
			b := open[desk.TicketBody](w, blocked)
			return b.Status == desk.Todo && len(b.BlockedBy) == 0
		}},
		{"Give the new date", "2026-04-01", func() bool { return open[desk.TicketBody](w, late).DueDate == "2026-04-01" }},
		{"", "", func() bool { r, err := w.db.Desk.Record(t.Context(), twin); return err == nil && r.MergedInto == late }},
		{"Name the objective", goal, func() bool { return slices.Contains(open[desk.TicketBody](w, blocked).ObjectiveIDs, goal) }},
		{"Name a ticket", late, func() bool { return slices.Contains(open[desk.ObjectiveBody](w, goal).TicketIDs, late) }},
		{"", "", func() bool {
			p, err := w.db.Desk.Records(t.Context(), clerk.Query{Project: w.project, Kind: desk.Reminder})
			return err == nil && len(p.Records) == 1
		}},
	} {
		if err := w.decide(pack, at, clerk.Verdict{Decision: desk.Accepted}); c.missing != "" && (fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.TextOf(err), c.missing)) {
			t.Errorf("%d: %v, want to be asked: %s", at, err, c.missing)
		} else if c.missing == "" && err != nil {
			t.Errorf("%d: %v", at, err)
		}
		if c.value != "" {
			if err := w.decide(pack, at, clerk.Verdict{Decision: desk.Accepted, Value: c.value}); err != nil {
				t.Errorf("%d with %s: %v", at, c.value, err)
			}
		}
		if d := open[desk.DeltaPackBody](w, pack).Deltas[at]; d.Decision != desk.Accepted || d.Changed == "" || !c.holds() {
			t.Errorf("%d: %+v, and what it suggests is done: %t", at, d, c.holds())
		}
	}
	if err := w.decide(pack, 6, clerk.Verdict{Decision: desk.Accepted, Only: true}); err != nil {
		t.Error(err)
	}
	if err := w.decide(pack, 7, clerk.Verdict{Decision: desk.Accepted}); err != nil {
		t.Error(err)
	}
	for at := 6; at < 8; at++ {
		if d := open[desk.DeltaPackBody](w, pack).Deltas[at]; d.Decision != desk.Accepted || d.Changed != "" {
			t.Errorf("%d: %+v, want it accepted and nothing changed", at, d)
		}
	}
}

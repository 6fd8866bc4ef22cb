package desk_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chela/internal/desk"
	"chela/internal/fault"
)

// bodies has, for every kind, a least body and the fields that can be set and cleared.
var bodies = map[desk.Kind]struct {
	least string
	clear map[string]string // field → a value
}{
	desk.Project: {`{"name":"P"}`, map[string]string{"description": `"x"`, "tags": `["a"]`, "metadata": `{"a":"b"}`}},
	desk.Thread: {`{"title":"T"}`, map[string]string{
		"summary": `"x"`, "content": `"x"`, "evidence": `[{"snippet":"x"}]`, "decisions": `[{"text":"x"}]`, "actions": `[{"text":"x","status":"OPEN"}]`,
		"openQuestions": `["x"]`, "attendees": `["x"]`, "date": `"2026-03-01"`, "objectiveIds": `["obj_1"]`, "mergedFromThreadIds": `["thr_1"]`, "sources": `[{"by":"person"}]`,
	}},
	desk.Ticket: {`{"title":"T"}`, map[string]string{
		"description": `"x"`, "type": `"EPIC"`, "parentTicketId": `"tkt_1"`, "linkedThreadIds": `["thr_1"]`, "blockedBy": `["tkt_1"]`, "objectiveIds": `["obj_1"]`,
		"externalRef": `"A-1"`, "storyPoints": `3`, "dueDate": `"2026-03-01"`, "sprint": `"S1"`, "labels": `["x"]`, "externalCreated": `"2026-03-01"`,
		"externalResolved": `"2026-03-01T10:00:00Z"`, "sources": `[{"by":"person"}]`,
	}},
	desk.Objective: {`{"outcome":"O"}`, map[string]string{
		"sprintName": `"S"`, "measurableSignal": `"x"`, "risks": `["x"]`, "threadIds": `["thr_1"]`, "ticketIds": `["tkt_1"]`, "startDate": `"2026-03-01"`,
		"endDate": `"2026-03-02"`, "sources": `[{"by":"person"}]`,
	}},
	desk.Resource:   {`{"name":"R"}`, map[string]string{"email": `"a@b"`, "skills": `["x"]`, "aliases": `["x"]`, "sources": `[{"by":"person"}]`}},
	desk.Assignment: {`{"resourceId":"res_1","ticketId":"tkt_1"}`, map[string]string{"percentageAllocation": `50`, "sources": `[{"by":"person"}]`}},
}

func create(t *testing.T, k desk.Kind, body string) desk.Record {
	t.Helper()
	_, r, err := desk.New(k, "prj_1", []byte(body))
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return r
}

func TestEveryFieldCanBeSetAndCleared(t *testing.T) {
	for kind, c := range bodies {
		r := create(t, kind, c.least)
		bare := string(r.Body)
		for field, value := range c.clear {
			t.Run(string(kind)+"/"+field, func(t *testing.T) {
				_, set, ok, err := desk.Edit(r, []byte(fmt.Sprintf(`{%q:%s}`, field, value)))
				var got map[string]json.RawMessage
				if err != nil || !ok || json.Unmarshal(set.Body, &got) != nil || string(got[field]) == "" {
					t.Fatalf("set: %s %v %v", set.Body, ok, err)
				}
				_, cleared, ok, err := desk.Edit(set, []byte(fmt.Sprintf(`{%q:null}`, field)))
				if err != nil || !ok || string(cleared.Body) != bare {
					t.Errorf("cleared: %s %v %v, want %s", cleared.Body, ok, err, bare)
				}
			})
		}
	}
}

func TestBadValuesAreNamedAndChangeNothing(t *testing.T) {
	for name, c := range map[string]struct {
		kind  desk.Kind
		patch string
		says  []string
	}{
		"a status":            {desk.Ticket, `{"status":"DOING"}`, []string{"status", "TODO, IN_PROGRESS, REVIEW, DONE, BLOCKED"}},
		"a priority":          {desk.Ticket, `{"priority":"urgent"}`, []string{"priority", "LOW, MEDIUM, HIGH, CRITICAL"}},
		"a type":              {desk.Ticket, `{"type":"BUG"}`, []string{"type", "EPIC"}},
		"a date":              {desk.Ticket, `{"dueDate":"soon"}`, []string{"dueDate", "2026-03-01"}},
		"a number for a date": {desk.Ticket, `{"dueDate":5}`, []string{"dueDate", "number", "text"}},
		"points":              {desk.Ticket, `{"storyPoints":-1}`, []string{"storyPoints"}},
		"points as a text":    {desk.Ticket, `{"storyPoints":"3"}`, []string{"storyPoints", "number"}},
		"no title":            {desk.Ticket, `{"title":" "}`, []string{"title", "required"}},
		"a title cleared":     {desk.Ticket, `{"title":null}`, []string{"title", "required"}},
		"an unknown field":    {desk.Ticket, `{"titel":"x"}`, []string{"titel"}},
		"another case":        {desk.Ticket, `{"DueDate":"2026-03-01"}`, []string{"dueDate"}},
		"a list for a text":   {desk.Ticket, `{"title":["x"]}`, []string{"title", "text"}},
		"availability":        {desk.Resource, `{"availability":80}`, []string{"availability", "between 0 and 1"}},
		"capacity":            {desk.Resource, `{"capacity":1000}`, []string{"capacity", "hours"}},
		"a role":              {desk.Resource, `{"role":"BOSS"}`, []string{"role", "ENGINEER"}},
		"coverage":            {desk.Objective, `{"coveragePercent":101}`, []string{"coveragePercent"}},
		"an allocation":       {desk.Assignment, `{"percentageAllocation":101}`, []string{"percentageAllocation"}},
		"a project's status":  {desk.Project, `{"status":"GONE"}`, []string{"status", "ACTIVE, ARCHIVED, TEMPLATE"}},
		"a thread's":          {desk.Thread, `{"lifecycle":"OPEN"}`, []string{"lifecycle", "DRAFT, ACTIVE, CLOSED, MERGED"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := create(t, c.kind, bodies[c.kind].least)
			_, next, ok, err := desk.Edit(r, []byte(c.patch))
			if fault.KindOf(err) != fault.Invalid || err == nil || ok || string(next.Body) != string(r.Body) {
				t.Fatalf("%s %v %v", next.Body, ok, err)
			}
			for _, s := range c.says {
				if !strings.Contains(err.Error(), s) {
					t.Errorf("%v does not say %q", err, s)
				}
			}
		})
	}
}

func TestABareDateIsADate(t *testing.T) {
	r := create(t, desk.Ticket, `{"title":"T","dueDate":"2026-03-01","externalCreated":"2026-03-01T23:30:00-08:00"}`)
	b, err := desk.Open[desk.TicketBody](r)
	if err != nil || b.DueDate != "2026-03-01" || !b.DueDate.Time().Equal(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("%+v %v", b, err)
	}
	if !b.CreatedOn.Time().Equal(time.Date(2026, 3, 2, 7, 30, 0, 0, time.UTC)) || b.CreatedOn != "2026-03-01T23:30:00-08:00" {
		t.Errorf("%s", b.CreatedOn)
	}
}

// machine walks a record at random through statuses and checks that exactly the allowed
// steps are taken.
func machine[S ~string](t *testing.T, k desk.Kind, body, field string, all []S, first S, allowed func(from, to S) bool) {
	t.Helper()
	rapid.Check(t, func(r *rapid.T) {
		_, rec, err := desk.New(k, "prj_1", []byte(body))
		if err != nil {
			r.Fatal(err)
		}
		now := first
		for range rapid.IntRange(1, 12).Draw(r, "steps") {
			to := rapid.SampledFrom(all).Draw(r, "to")
			version := rec.Version
			c, next, changed, err := desk.Edit(rec, []byte(fmt.Sprintf(`{%q:%q}`, field, to)))
			switch {
			case !allowed(now, to):
				if fault.KindOf(err) != fault.Conflict || err == nil || string(next.Body) != string(rec.Body) {
					r.Fatalf("%s became %s: %v", now, to, err)
				}
				continue
			case err != nil || changed != (now != to):
				r.Fatalf("%s could not become %s: %v", now, to, err)
			case !changed:
				continue
			}
			applied, err := desk.Apply(rec, c, rec.UpdatedAt, rec.UpdatedBy)
			if err != nil || string(applied.Body) != string(next.Body) || applied.Version != version+1 {
				r.Fatalf("the event makes %s of it, the edit %s: %v", applied.Body, next.Body, err)
			}
			if _, err := desk.Apply(next, c, rec.UpdatedAt, ""); fault.KindOf(err) != fault.Conflict {
				r.Fatalf("the same change applied twice: %v", err)
			}
			rec, now = next, to
		}
	})
}

func TestStateMachines(t *testing.T) {
	any := func(desk.TicketStatus, desk.TicketStatus) bool { return true }
	t.Run("ticket", func(t *testing.T) {
		machine(t, desk.Ticket, `{"title":"T"}`, "status", desk.TicketStatuses(), desk.Todo, any)
	})
	t.Run("thread", func(t *testing.T) {
		machine(t, desk.Thread, `{"title":"T"}`, "lifecycle", desk.Lifecycles(), desk.ThreadActive, desk.Lifecycle.CanBecome)
	})
	t.Run("delta pack", func(t *testing.T) {
		machine(t, desk.DeltaPack, `{"deltas":[],"status":"DRAFT"}`, "status", desk.PackStatuses(), desk.PackDraft, desk.PackStatus.CanBecome)
	})
	t.Run("intake", func(t *testing.T) {
		machine(t, desk.Intake, `{"title":"T","digest":"x","phases":[]}`, "status", desk.IntakeStatuses(), desk.IntakeReceived, desk.IntakeStatus.CanBecome)
	})
}

func TestWhatIsDeletedCannotBeChanged(t *testing.T) {
	r := create(t, desk.Ticket, `{"title":"T"}`)
	gone, err := desk.Apply(r, desk.Remove(r), time.Now(), "agent:a")
	if err != nil || !gone.Deleted || gone.Version != 2 {
		t.Fatalf("%+v %v", gone, err)
	}
	if _, _, _, err := desk.Edit(gone, []byte(`{"title":"x"}`)); fault.KindOf(err) != fault.Conflict {
		t.Errorf("%v", err)
	}
}

func FuzzEdit(f *testing.F) {
	f.Add([]byte(`{"title":"x","dueDate":"2026-03-01","labels":[null]}`))
	f.Add([]byte(`{"sources":[{"by":"x","line":-1}],"storyPoints":1e3}`))
	f.Fuzz(func(t *testing.T, patch []byte) {
		r := create(t, desk.Ticket, `{"title":"T"}`)
		c, next, ok, err := desk.Edit(r, patch)
		if err != nil || !ok {
			return
		}
		applied, err := desk.Apply(r, c, r.UpdatedAt, r.UpdatedBy)
		if err != nil || string(applied.Body) != string(next.Body) {
			t.Fatalf("%s gives %s, its event %s: %v", patch, next.Body, applied.Body, err)
		}
	})
}

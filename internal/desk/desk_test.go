package desk_test

import (
	"strings"
	"testing"
	"time"

	"chela/internal/desk"
	"chela/internal/fault"
)

func TestDesk_BadValuesAreNamedAndChangeNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind  desk.Kind
		patch string
		says  []string
	}{
		"a status":            {desk.Ticket, `{"status":"DOING"}`, []string{"status", "TODO, IN_PROGRESS, REVIEW, DONE, BLOCKED, CLOSED"}},
		"a priority":          {desk.Ticket, `{"priority":"urgent"}`, []string{"priority", "LOW, MEDIUM, HIGH, CRITICAL"}},
		"a type":              {desk.Ticket, `{"type":"HUGE"}`, []string{"type", "EPIC"}},
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
			r := create(t, c.kind, samples[c.kind].least)
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

func TestDesk_ABareDateIsADate(t *testing.T) {
	t.Parallel()
	r := create(t, desk.Ticket, `{"title":"T","dueDate":"2026-03-01","externalCreated":"2026-03-01T23:30:00-08:00"}`)
	b, err := desk.Open[desk.TicketBody](r)
	if err != nil || b.DueDate != "2026-03-01" || !b.DueDate.Time().Equal(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("%+v %v", b, err)
	}
	if !b.CreatedOn.Time().Equal(time.Date(2026, 3, 2, 7, 30, 0, 0, time.UTC)) || b.CreatedOn != "2026-03-01T23:30:00-08:00" {
		t.Errorf("%s", b.CreatedOn)
	}
}

func TestDesk_WhatIsDeletedCannotBeChanged(t *testing.T) {
	t.Parallel()
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

func TestDiff_NamesTheTicketThatItIsOf(t *testing.T) {
	t.Parallel()
	for want, d := range map[string]desk.Diff{
		"tkt_1": {ID: "tkt_1", Kind: desk.Ticket, Title: "Two words"},
		"tkt_2": {ID: "asg_1", Kind: desk.Assignment, Title: "tkt_2 res_1"},
		"":      {ID: "obj_1", Kind: desk.Objective, Title: "tkt_3 is done"},
	} {
		if got := d.TicketID(); got != want {
			t.Errorf("the change of %s is of the ticket %q, want %q", d.ID, got, want)
		}
	}
}

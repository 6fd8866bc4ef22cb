package clerk_test

import (
	"encoding/json"
	"strings"
	"testing"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
)

func TestProject_ACopyBeginsAsItsSourceIsMade(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	objective := w.make(desk.Objective, `{"outcome":"Ship","status":"AT_RISK"}`)
	phase := w.make(desk.Phase, `{"name":"Beta","sortOrder":1,"startDate":"2026-03-01","objectiveIds":["`+objective+`"]}`)
	list := w.make(desk.Checklist, `{"name":"C","phaseId":"`+phase+`","items":[{"text":"a","checked":true,"assignee":"Ann"}]}`)
	w.patch(desk.Phase, phase, `{"checklistIds":["`+list+`"]}`)
	w.make(desk.Resource, `{"name":"Ann"}`)
	ticket := w.make(desk.Ticket, `{"title":"T","status":"DONE","owner":"Ann","objectiveIds":["`+objective+`"],"externalRef":"A-1"}`)
	w.patch(desk.Objective, objective, `{"ticketIds":["`+ticket+`"]}`)
	var made desk.Record
	err := w.clerk.Do(t.Context(), place(), "", func(d []event.Draft) error {
		_, err := w.db.Log.Append(t.Context(), d...)
		return err
	}, func(c *clerk.Work) (err error) {
		made, err = c.CopyProject(w.project, "Second", clerk.Copying{})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	p, err := clerk.LoadPlan(t.Context(), w.db.Desk, made.ID)
	if err != nil || len(p.Phases) != 1 || len(p.Checklists) != 1 {
		t.Fatalf("%+v %v", p, err)
	}
	ph, ch := p.Phases[0], p.Checklists[0]
	if ph.StartDate != "" || ph.ID == phase || len(ph.ChecklistIDs) != 1 || ph.ChecklistIDs[0] != ch.ID || ch.PhaseID != ph.ID || ch.Checked() != 0 || ch.Items[0].Assignee != "" {
		t.Errorf("%+v\n%+v", ph, ch)
	}
	objectives, tickets, err := clerk.LoadObjectives(t.Context(), w.db.Desk, made.ID)
	if err != nil || len(objectives) != 1 || len(tickets) != 1 {
		t.Fatalf("%+v %+v %v", objectives, tickets, err)
	}
	if o, x := objectives[0], tickets[0]; o.Status != "PROPOSED" || len(o.TicketIDs) != 1 || o.TicketIDs[0] != x.ID || x.Status != desk.Todo || x.ExternalRef != "" || x.ObjectiveIDs[0] != o.ID || ph.ObjectiveIDs[0] != o.ID {
		t.Errorf("%+v\n%+v", o, x)
	}
	if r, err := w.db.Desk.Records(t.Context(), clerk.Query{Project: made.ID, Kind: desk.Resource}); err != nil || r.Total != 0 {
		t.Errorf("people were copied: %+v %v", r, err)
	}
	err = w.do(func(c *clerk.Work) error {
		_, err := c.CopyProject(w.project, "Payments", clerk.Copying{})
		return err
	})
	if fault.KindOf(err) != fault.Conflict {
		t.Errorf("a copy of the same name: %v", err)
	}
	err = w.do(func(c *clerk.Work) error {
		_, err := c.CopyProject(w.project, "Third", clerk.Copying{Without: []desk.Kind{desk.Resource}})
		return err
	})
	if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "ticket") {
		t.Errorf("without people, who are never copied: %v", err)
	}
	w.must(func(c *clerk.Work) error {
		made, err = c.CopyProject(w.project, "Template", clerk.Copying{Template: true, Without: []desk.Kind{desk.Ticket}})
		return err
	})
	b, err := desk.Open[desk.ProjectBody](made)
	objectives, tickets, more := clerk.LoadObjectives(t.Context(), w.db.Desk, made.ID)
	if err != nil || more != nil || b.Status != desk.ProjectTemplate || len(objectives) != 1 || len(objectives[0].TicketIDs) != 0 || len(tickets) != 0 {
		t.Errorf("%+v %+v %+v %v %v", b, objectives, tickets, err, more)
	}
}

func TestProject_AnArchivedProjectDoesNotChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ticket := w.make(desk.Ticket, `{"title":"T"}`)
	w.patch(desk.Project, w.project, `{"status":"ARCHIVED"}`)
	for name, change := range map[string]func(*clerk.Work) error{
		"a new record": func(c *clerk.Work) error { _, err := c.Create(desk.Idea, []byte(`{"title":"I"}`)); return err },
		"an edit": func(c *clerk.Work) error {
			_, err := c.Patch(desk.Ticket, ticket, []byte(`{"status":"DONE"}`))
			return err
		},
		"a deletion": func(c *clerk.Work) error { _, err := c.Remove(desk.Ticket, ticket); return err },
		"an edit beside one of the project": func(c *clerk.Work) error {
			if _, err := c.Patch(desk.Project, w.project, []byte(`{"description":"d"}`)); err != nil {
				return err
			}
			_, err := c.Patch(desk.Ticket, ticket, []byte(`{"status":"DONE"}`))
			return err
		},
	} {
		if err := w.do(change); fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "is archived") || !strings.Contains(err.Error(), "restore") {
			t.Errorf("%s: %v", name, err)
		}
	}
	w.patch(desk.Project, w.project, `{"description":"kept for the audit"}`)
	w.must(func(c *clerk.Work) error {
		_, err := c.CopyProject(w.project, "Second", clerk.Copying{})
		return err
	})
	w.patch(desk.Project, w.project, `{"status":"ACTIVE"}`)
	w.patch(desk.Ticket, ticket, `{"status":"DONE"}`)
	w.patch(desk.Project, w.project, `{"status":"ARCHIVED"}`)
	w.must(func(c *clerk.Work) error { _, err := c.RemoveProject(); return err })
}

func TestProject_ADeletedProjectTakesAllWithIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.make(desk.Resource, `{"name":"Ann"}`)
	w.make(desk.Ticket, `{"title":"T","owner":"Ann"}`)
	w.make(desk.Objective, `{"outcome":"O"}`)
	var took map[desk.Kind]int
	w.must(func(c *clerk.Work) (err error) {
		took, err = c.RemoveProject()
		return err
	})
	raw, _ := json.Marshal(took) // counts are always JSON
	if string(raw) != `{"assignment":1,"objective":1,"resource":1,"ticket":1}` {
		t.Errorf("%s", raw)
	}
	if p, err := w.db.Desk.Records(t.Context(), clerk.Query{Project: w.project}); err != nil || p.Total != 0 {
		t.Errorf("%+v %v", p, err)
	}
	if err := w.do(func(*clerk.Work) error { return nil }); fault.KindOf(err) != fault.NotFound {
		t.Errorf("work in a deleted project: %v", err)
	}
}

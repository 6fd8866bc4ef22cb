package clerk_test

import (
	"encoding/json"
	"testing"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
)

func TestACopyBeginsAsItsSourceIsMade(t *testing.T) {
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
		_, err := w.db.Append(t.Context(), d...)
		return err
	}, func(c *clerk.Work) (err error) {
		made, err = c.CopyProject(w.project, "Second")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	p, err := clerk.LoadPlan(t.Context(), w.db, made.ID)
	if err != nil || len(p.Phases) != 1 || len(p.Checklists) != 1 {
		t.Fatalf("%+v %v", p, err)
	}
	ph, ch := p.Phases[0], p.Checklists[0]
	if ph.StartDate != "" || ph.ID == phase || len(ph.ChecklistIDs) != 1 || ph.ChecklistIDs[0] != ch.ID || ch.PhaseID != ph.ID || ch.Checked() != 0 || ch.Items[0].Assignee != "" {
		t.Errorf("%+v\n%+v", ph, ch)
	}
	objectives, tickets, err := clerk.LoadObjectives(t.Context(), w.db, made.ID)
	if err != nil || len(objectives) != 1 || len(tickets) != 1 {
		t.Fatalf("%+v %+v %v", objectives, tickets, err)
	}
	if o, x := objectives[0], tickets[0]; o.Status != "PROPOSED" || len(o.TicketIDs) != 1 || o.TicketIDs[0] != x.ID || x.Status != desk.Todo || x.ExternalRef != "" || x.ObjectiveIDs[0] != o.ID || ph.ObjectiveIDs[0] != o.ID {
		t.Errorf("%+v\n%+v", o, x)
	}
	if r, err := w.db.Records(t.Context(), clerk.Query{Project: made.ID, Kind: desk.Resource}); err != nil || r.Total != 0 {
		t.Errorf("people were copied: %+v %v", r, err)
	}
	err = w.do(func(c *clerk.Work) error {
		_, err := c.CopyProject(w.project, "Payments")
		return err
	})
	if fault.KindOf(err) != fault.Conflict {
		t.Errorf("a copy of the same name: %v", err)
	}
}

func TestADeletedProjectTakesAllWithIt(t *testing.T) {
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
	if p, err := w.db.Records(t.Context(), clerk.Query{Project: w.project}); err != nil || p.Total != 0 {
		t.Errorf("%+v %v", p, err)
	}
	if err := w.do(func(*clerk.Work) error { return nil }); fault.KindOf(err) != fault.NotFound {
		t.Errorf("work in a deleted project: %v", err)
	}
}

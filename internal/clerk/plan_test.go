package clerk_test

import (
	"slices"
	"strings"
	"testing"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/fault"
)

func TestPlan_AnIdeaBecomesOneTicket(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	thread := w.make(desk.Thread, `{"title":"Retries"}`)
	idea := w.make(desk.Idea, `{"title":"Retry cards","content":"Three times.","tags":["pay"],"threadId":"`+thread+`"}`)
	var made [2]string
	for i := range made {
		w.must(func(c *clerk.Work) error {
			r, err := c.Promote(idea)
			made[i] = r.ID
			return err
		})
	}
	if made[0] != made[1] {
		t.Errorf("promoted twice, it became %v", made)
	}
	ticket, after := open[desk.TicketBody](w, made[0]), open[desk.IdeaBody](w, idea)
	if ticket.Title != "Retry cards" || ticket.Description != "Three times." || ticket.Status != desk.Todo || ticket.Priority != desk.Medium || !slices.Equal(ticket.LinkedThreads, []string{thread}) {
		t.Errorf("%+v", ticket)
	}
	if after.Status != desk.IdeaPromoted || after.TicketID != made[0] {
		t.Errorf("%+v", after)
	}
	// The ticket goes; the idea is free again.
	w.must(func(c *clerk.Work) error {
		_, err := c.Remove(desk.Ticket, made[0])
		return err
	})
	if after := open[desk.IdeaBody](w, idea); after.TicketID != "" {
		t.Errorf("the idea still names %s", after.TicketID)
	}
}

func TestPlan_ItemsAreTickedAllOrNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	template := w.make(desk.ChecklistTemplate, `{"name":"Release","category":"RELEASE_READINESS","items":[{"text":"b","sortOrder":2},{"text":"a","sortOrder":1,"defaultAssigneeRole":"QA"}]}`)
	var items []desk.Item
	w.must(func(c *clerk.Work) (err error) {
		items, err = c.FromTemplate(template)
		return err
	})
	if len(items) != 2 || items[0].Text != "a" || items[0].Notes != "For: QA" {
		t.Fatalf("%+v", items)
	}
	list := w.make(desk.Checklist, `{"name":"2.4","templateId":"`+template+`","items":[{"text":"a"},{"text":"b"},{"text":"c"}]}`)
	tick := func(ops ...clerk.ItemOp) (b desk.ChecklistBody, err error) {
		err = w.do(func(c *clerk.Work) (err error) {
			b, err = c.Tick(list, ops)
			return err
		})
		return b, err
	}
	for _, bad := range []clerk.ItemOp{{Action: "check", Index: 3}, {Action: "check", Index: -1}, {Action: "burn"}, {Action: "add", Value: " "}} {
		if _, err := tick(clerk.ItemOp{Action: "check", Index: 0}, bad); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if b := open[desk.ChecklistBody](w, list); b.Checked() != 0 {
		t.Fatalf("half of a refused change was made: %+v", b)
	}
	b, err := tick(clerk.ItemOp{Action: "check", Index: 0}, clerk.ItemOp{Action: "assign", Index: 1, Value: "Ann"}, clerk.ItemOp{Action: "update_notes", Index: 1, Value: "n"},
		clerk.ItemOp{Action: "remove", Index: 2}, clerk.ItemOp{Action: "add", Value: "d"})
	if err != nil || b.Checked() != 1 || len(b.Items) != 3 || b.Items[1].Assignee != "Ann" || b.Items[1].Notes != "n" || b.Items[2].Text != "d" || b.Items[2].ID == b.Items[1].ID {
		t.Fatalf("%+v %v", b, err)
	}
	b, err = tick(clerk.ItemOp{Action: "check", Index: 1}, clerk.ItemOp{Action: "check", Index: 2})
	if err != nil || b.Status != desk.ChecklistDone {
		t.Fatalf("%+v %v", b, err)
	}
	if b, err = tick(clerk.ItemOp{Action: "uncheck", Index: 1}); err != nil || b.Status != desk.ChecklistOpen {
		t.Fatalf("%+v %v", b, err)
	}
}

func TestPlan_TheEndIsDated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.make(desk.Milestone, `{"name":"Beta","targetDate":"2026-03-01"}`)
	w.patch(desk.Milestone, id, `{"status":"COMPLETED"}`)
	first := open[desk.MilestoneBody](w, id).ActualDate
	if first == "" {
		t.Fatal("a completed milestone has no day")
	}
	w.patch(desk.Milestone, id, `{"actualDate":"2026-02-28"}`)
	w.patch(desk.Milestone, id, `{"owner":"Ann"}`)
	if b := open[desk.MilestoneBody](w, id); b.ActualDate != "2026-02-28" {
		t.Errorf("the day that a person set became %s", b.ActualDate)
	}
}

func TestPlan_ThePlanIsLoadedInOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	second := w.make(desk.Phase, `{"name":"Second","sortOrder":2}`)
	first := w.make(desk.Phase, `{"name":"First","sortOrder":1}`)
	w.make(desk.Milestone, `{"name":"Open"}`)
	w.make(desk.Milestone, `{"name":"Dated","targetDate":"2026-03-01","phaseId":"`+first+`"}`)
	w.make(desk.Checklist, `{"name":"C","phaseId":"`+second+`","items":[{"text":"a"}]}`)
	p, err := clerk.LoadPlan(t.Context(), w.db.Desk, w.project)
	if err != nil || len(p.Phases) != 2 || p.Phases[0].ID != first || len(p.Milestones) != 2 || p.Milestones[0].Name != "Dated" || len(p.Checklists) != 1 {
		t.Fatalf("%+v %v", p, err)
	}
	w.must(func(c *clerk.Work) error {
		touched, err := c.Remove(desk.Phase, first)
		if len(touched) != 1 {
			t.Errorf("deleting a phase touches %v", touched)
		}
		return err
	})
	if p, err = clerk.LoadPlan(t.Context(), w.db.Desk, w.project); err != nil || len(p.Phases) != 1 || strings.Contains(p.Milestones[0].PhaseID, first) {
		t.Fatalf("%+v %v", p, err)
	}
}

package clerk

import (
	"context"
	"strings"

	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/flow"
)

// A Plan is what a project means to do, in order.
type Plan struct {
	Phases     []flow.Phase
	Milestones []flow.Milestone
	Checklists []flow.Checklist
}

// LoadPlan loads a project's phases, milestones and checklists.
func LoadPlan(ctx context.Context, s Store, project string) (Plan, error) {
	var out Plan
	err := firstOf(
		load(ctx, s, project, desk.Phase, func(id string, b desk.PhaseBody) { out.Phases = append(out.Phases, flow.Phase{ID: id, PhaseBody: b}) }),
		load(ctx, s, project, desk.Milestone, func(id string, b desk.MilestoneBody) {
			out.Milestones = append(out.Milestones, flow.Milestone{ID: id, MilestoneBody: b})
		}),
		load(ctx, s, project, desk.Checklist, func(id string, b desk.ChecklistBody) {
			out.Checklists = append(out.Checklists, flow.Checklist{ID: id, ChecklistBody: b})
		}),
	)
	flow.InOrder(out.Phases, out.Milestones)
	return out, err
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// load hands every record of a kind, with its body, to add.
func load[B any](ctx context.Context, s Store, project string, k desk.Kind, add func(id string, b B)) error {
	records, err := Every(ctx, s, Query{Project: project, Kind: k})
	if err != nil {
		return err
	}
	for _, r := range records {
		b, err := desk.Open[B](r)
		if err != nil {
			return err
		}
		add(r.ID, b)
	}
	return nil
}

// Promote plans that an idea becomes a ticket, and returns the ticket. An idea that is
// one already gives that.
func (w *Work) Promote(id string) (desk.Record, error) {
	r, err := w.Get(desk.Idea, id)
	if err != nil {
		return r, err
	}
	defer w.taking(r)()
	idea, err := desk.Open[desk.IdeaBody](r)
	if err != nil {
		return r, err
	}
	if idea.TicketID != "" {
		return w.Get(desk.Ticket, idea.TicketID)
	}
	ticket := &desk.TicketBody{Title: idea.Title, Description: idea.Content, Labels: idea.Tags, Sources: idea.Sources}
	if idea.ThreadID != "" {
		ticket.LinkedThreads = []string{idea.ThreadID}
	}
	made, _, err := Ensure(w, desk.Ticket, ticket)
	if err != nil {
		return made, err
	}
	_, err = Edit(w, desk.Idea, id, func(b *desk.IdeaBody) { b.Status, b.TicketID = desk.IdeaPromoted, made.ID })
	return made, err
}

// FromTemplate returns the items that a checklist of a template begins with.
func (w *Work) FromTemplate(id string) ([]desk.Item, error) {
	r, err := w.Get(desk.ChecklistTemplate, id)
	if err != nil {
		return nil, err
	}
	t, err := desk.Open[desk.ChecklistTemplateBody](r)
	if err != nil {
		return nil, err
	}
	var out []desk.Item
	for _, i := range t.Items {
		out = append(out, desk.Item{Text: i.Text, Notes: roleNote(i.Role)})
	}
	return out, nil
}

func roleNote(role string) string {
	if role == "" {
		return ""
	}
	return "For: " + role
}

// An ItemOp is one change of a checklist's item.
type ItemOp struct {
	Action string // check, uncheck, assign, add, remove, update_notes
	Index  int    // of the item, from 0; not of add
	Value  string // of assign, add and update_notes
}

// Tick plans changes of a checklist's items, all or none.
func (w *Work) Tick(id string, ops []ItemOp) (desk.ChecklistBody, error) {
	r, err := w.Get(desk.Checklist, id)
	if err != nil {
		return desk.ChecklistBody{}, err
	}
	b, err := desk.Open[desk.ChecklistBody](r)
	if err != nil {
		return b, err
	}
	for _, op := range ops {
		if err := op.apply(&b); err != nil {
			return b, err
		}
	}
	next, err := Edit(w, desk.Checklist, id, func(old *desk.ChecklistBody) { old.Items = b.Items })
	if err != nil {
		return b, err
	}
	return desk.Open[desk.ChecklistBody](next)
}

func (op ItemOp) apply(b *desk.ChecklistBody) error {
	if op.Action == "add" {
		b.Items = append(b.Items, desk.Item{Text: strings.TrimSpace(op.Value)})
		return nil
	}
	if op.Index < 0 || op.Index >= len(b.Items) {
		return fault.BadField("operations.itemIndex", "The checklist has no item at that index; items are counted from 0.")
	}
	item := &b.Items[op.Index]
	switch op.Action {
	case "check":
		item.Checked = true
	case "uncheck":
		item.Checked = false
	case "assign":
		item.Assignee = strings.TrimSpace(op.Value)
	case "update_notes":
		item.Notes = op.Value
	case "remove":
		b.Items = append(b.Items[:op.Index:op.Index], b.Items[op.Index+1:]...)
	default:
		return fault.BadField("operations.action", "The action "+op.Action+" is not known.", "check", "uncheck", "assign", "add", "remove", "update_notes")
	}
	return nil
}

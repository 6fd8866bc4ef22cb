package intake

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/extract"
)

// The sprints and milestones that an export names are records. They are merged as tickets are: what only the
// source changed is taken, and where both changed a person decides. What an export does not tell stays.

// A member is a field of a record as a text, with how it is set.
type member struct {
	name string
	mine string // what the record says
	said string // what the export says, "" for nothing
	set  func(string)
}

// adopted takes over what only the source changed, and returns the fields that both did. imported are the hashes of
// the last import, free says that no person wrote the record; taken are those that said something else before.
func adopted(imported map[string]string, free bool, fields []member) (asked, taken []member) {
	for _, f := range fields {
		if f.said == "" {
			continue
		}
		switch choose(imported[f.name], f.mine, f.said, free || f.mine == "") {
		case takes:
			f.set(f.said)
			if f.mine != "" {
				taken = append(taken, f)
			}
		case asks:
			asked = append(asked, f)
		case keeps:
		}
		imported[f.name] = digest(f.said)
	}
	return asked, taken
}

// adopt is [adopted] where nobody is told what was taken.
func adopt(imported map[string]string, free bool, fields []member) []member {
	asked, _ := adopted(imported, free, fields)
	return asked
}

// cloned is a map that may be written to.
func cloned(m map[string]string) map[string]string {
	if m == nil {
		return make(map[string]string)
	}
	return maps.Clone(m)
}

// timeline makes records of the sprints and milestones of an export, or brings them up to date.
func (r *recorder) timeline(t *export, ids []string) error {
	for _, s := range t.Sprints {
		if err := r.sprint(s); err != nil {
			return err
		}
	}
	in := make(map[string][]string) // milestone → its tickets
	for i := range t.Tickets {
		for _, name := range t.Tickets[i].Milestones {
			in[name] = append(in[name], ids[i])
		}
	}
	for _, m := range t.Milestones {
		if err := r.milestone(m, in[m.Name], ids); err != nil {
			return err
		}
	}
	return nil
}

// sprint makes or brings up to date the plan of a sprint.
func (r *recorder) sprint(s extract.SprintRow) error {
	state := cmp.Or(s.State, stateBy(s.Start, s.End, r.p.s.Run.CreatedAt))
	var asked []member
	take := func(b *desk.SprintPlanBody, free bool) {
		b.Imported = cloned(b.Imported)
		asked = adopt(b.Imported, free, []member{
			{"goal", b.Goal, clipped(s.Goal, 5000), func(v string) { b.Goal = v }},
			{"startDate", string(b.StartDate), string(day(s.Start)), func(v string) { b.StartDate = desk.Date(v) }},
			{"endDate", string(b.EndDate), string(day(s.End)), func(v string) { b.EndDate = desk.Date(v) }},
			{"status", string(b.Status), state, func(v string) { b.Status = desk.SprintPlanStatus(v) }},
		})
		if start, end := b.StartDate.Time(), b.EndDate.Time(); !end.IsZero() && end.Before(start) {
			b.EndDate = "" // one of them is a person's
		}
	}
	body := &desk.SprintPlanBody{Name: s.Name, Sources: r.source("sprints", extract.Span{Line: s.Line, EndLine: s.Line, Quote: s.Name})}
	take(body, true)
	rec, isNew, err := clerk.Ensure(r.w, desk.SprintPlan, body)
	if err != nil {
		return fmt.Errorf("line %d: %w", s.Line, err)
	}
	if isNew, err = r.tally(rec, isNew); err != nil || isNew {
		return err
	}
	if _, err = clerk.Edit(r.w, desk.SprintPlan, rec.ID, func(b *desk.SprintPlanBody) { take(b, free(rec)) }); err != nil {
		return fmt.Errorf("line %d: %w", s.Line, err)
	}
	return r.ask(rec, s.Name, asked)
}

// stateBy is where a sprint stands by its days, "" where they do not tell.
func stateBy(start, end, now time.Time) string {
	today := now.UTC().Truncate(24 * time.Hour)
	switch {
	case !end.IsZero() && end.Before(today):
		return "CLOSED"
	case start.IsZero():
		return ""
	case start.After(today):
		return "PLANNED"
	}
	return "ACTIVE"
}

// milestone makes or brings up to date a milestone. tickets are those that the export has in it, all those of the export.
func (r *recorder) milestone(m extract.MilestoneRow, tickets, all []string) error {
	status := m.Status
	switch {
	case m.Closed:
		status = "COMPLETED"
	case status == "" && !m.Planned:
		status = "UPCOMING"
	}
	var asked, taken []member
	from := r.source("milestones", extract.Span{Line: m.Line, EndLine: m.Line, Quote: cmp.Or(m.Quote, m.Name)})
	take := func(b *desk.MilestoneBody, free bool) {
		b.Imported = cloned(b.Imported)
		asked, taken = adopted(b.Imported, free, []member{
			{"description", b.Description, clipped(m.Description, 20_000), func(v string) { b.Description = v }},
			{"targetDate", string(b.TargetDate), string(day(m.Due)), func(v string) { b.TargetDate = desk.Date(v) }},
			{"status", string(b.Status), status, func(v string) { b.Status = desk.MilestoneStatus(v) }},
			{"actualDate", string(b.ActualDate), string(day(reachedOn(m.Reached, m.Closed, m.Due))), func(v string) { b.ActualDate = desk.Date(v) }},
			{"owner", b.Owner, m.Owner, func(v string) { b.Owner = v }},
			{"phaseId", b.PhaseID, r.phases[m.Phase], func(v string) { b.PhaseID = v }},
		})
		if !m.Planned {
			others := slices.DeleteFunc(slices.Clone(b.TicketIDs), func(id string) bool { return slices.Contains(all, id) })
			b.TicketIDs = merged(b.Imported["ticketIds"], b.TicketIDs, union(others, tickets))
			b.Imported["ticketIds"] = digests(tickets)
		}
	}
	body := &desk.MilestoneBody{Name: m.Name, Sources: from}
	take(body, true)
	rec, isNew, err := clerk.Ensure(r.w, desk.Milestone, body)
	if err != nil {
		return fmt.Errorf("line %d: %w", m.Line, err)
	}
	if isNew, err = r.tally(rec, isNew); err != nil || isNew {
		return err
	}
	_, err = clerk.Edit(r.w, desk.Milestone, rec.ID, func(b *desk.MilestoneBody) {
		if take(b, free(rec)); len(taken) > 0 {
			b.Sources = append(slices.Clone(b.Sources), from...)
		}
	})
	if err != nil {
		return fmt.Errorf("line %d: %w", m.Line, err)
	}
	r.tell(rec, m.Name, taken)
	return r.ask(rec, m.Name, asked)
}

// phase makes or brings up to date a phase of a plan, and notes its id by its name. order is its place in the plan.
func (r *recorder) phase(p extract.PhaseRow, order int) error {
	var asked, taken []member
	from := r.source("phases", p.Span)
	take := func(b *desk.PhaseBody, free bool) {
		b.Imported = cloned(b.Imported)
		asked, taken = adopted(b.Imported, free, []member{
			{"startDate", string(b.StartDate), string(day(p.Start)), func(v string) { b.StartDate = desk.Date(v) }},
			{"endDate", string(b.EndDate), string(day(p.End)), func(v string) { b.EndDate = desk.Date(v) }},
			{"status", string(b.Status), p.Status, func(v string) { b.Status = desk.PhaseStatus(v) }},
		})
		if start, end := b.StartDate.Time(), b.EndDate.Time(); !end.IsZero() && end.Before(start) {
			b.EndDate = "" // one of them is a person's
		}
	}
	body := &desk.PhaseBody{Name: clipped(p.Name, 200), SortOrder: order, Sources: from}
	take(body, true)
	rec, isNew, err := clerk.Ensure(r.w, desk.Phase, body)
	if err != nil {
		return fmt.Errorf("line %d: %w", p.Span.Line, err)
	}
	r.phases[p.Name] = rec.ID
	if isNew, err = r.tally(rec, isNew); err != nil || isNew {
		return err
	}
	_, err = clerk.Edit(r.w, desk.Phase, rec.ID, func(b *desk.PhaseBody) {
		if take(b, free(rec)); len(taken) > 0 {
			b.Sources = append(slices.Clone(b.Sources), from...)
		}
	})
	if err != nil {
		return fmt.Errorf("line %d: %w", p.Span.Line, err)
	}
	r.tell(rec, p.Name, taken)
	return r.ask(rec, p.Name, asked)
}

// reachedOn is when a milestone was reached; of a closed one whose day nobody tells, when it was due.
func reachedOn(reached time.Time, closed bool, due time.Time) time.Time {
	if reached.IsZero() && closed {
		return due
	}
	return reached
}

package intake

import (
	"slices"
	"strings"
	"time"

	"chela/internal/desk"
	"chela/internal/extract"
)

// moves proposes the days of milestones that the document says to be moved, for a person to decide: where a sentence names one milestone of the
// project by its name, and the day can be read. The last word on a milestone counts.
func (r *recorder) moves() error {
	for _, m := range extract.MovedIn(r.src.notes()) {
		rec, body, err := r.named(m.Name)
		if err != nil {
			return err
		}
		if rec == nil || body.Status == desk.MilestoneCompleted {
			continue
		}
		base := r.m.Date
		if base.IsZero() {
			begun := r.p.begun.UTC()
			base = time.Date(begun.Year(), begun.Month(), begun.Day(), 0, 0, 0, 0, time.UTC)
		}
		to, ok := m.Day(base, body.TargetDate.Time())
		if !ok || desk.DateOf(to) == desk.DateOf(body.TargetDate.Time()) {
			continue
		}
		r.asked = slices.DeleteFunc(r.asked, func(d desk.Discord) bool { return d.Asked && d.TicketID == rec.ID && d.Field == "targetDate" })
		if err := r.ask(*rec, body.Name, []member{{name: "targetDate", mine: string(body.TargetDate), said: string(desk.DateOf(to))}}); err != nil {
			return err
		}
	}
	return nil
}

// named is the milestone of a name, with or without the word, nil when there is none.
func (r *recorder) named(name string) (*desk.Record, desk.MilestoneBody, error) {
	short := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(name, "milestone "), " milestone"))
	for _, n := range slices.Compact([]string{name, short, "The " + name}) {
		rec, ok, err := r.w.Find(desk.Milestone, desk.Identity(&desk.MilestoneBody{Name: strings.Trim(n, `"'“”„`)}))
		if err != nil {
			return nil, desk.MilestoneBody{}, err
		}
		if ok {
			b, err := desk.Open[desk.MilestoneBody](rec)
			return &rec, b, err
		}
	}
	return nil, desk.MilestoneBody{}, nil
}

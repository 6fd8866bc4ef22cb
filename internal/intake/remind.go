package intake

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/extract"
	"chela/internal/org"
)

// People knows who is a person of the organization, and where they are.
type People interface {
	Persons(ctx context.Context) ([]org.Person, error)
	// ZoneOf is the time zone that a person named, "" when they named none.
	ZoneOf(ctx context.Context, person string) (string, error)
}

// Knowing returns the intake, which then knows whom a text means that asks for reminders.
func (in *Intake) Knowing(p People) *Intake {
	in.people = p
	return in
}

// A listener is who is told of a reminder, of what, and where their clock is.
type listener struct {
	person, message string
	zone            *time.Location
}

// whoAsks finds out whom the reminders mean that the document asks for.
func (r *recorder) whoAsks(ctx context.Context) error {
	r.tells = nil
	asked := r.p.read(r.src, func(string) {}).Reminders
	if len(asked) == 0 || r.p.in.people == nil {
		return nil
	}
	people, err := r.p.in.people.Persons(ctx)
	if err != nil {
		return err
	}
	for _, x := range asked {
		t := r.whom(x, people)
		if id := org.PersonOf(event.Party{AgentID: t.person}); id != "" {
			name, err := r.p.in.people.ZoneOf(ctx, id)
			if err != nil {
				return err
			}
			if loc, err := desk.Zone(name); err == nil { // else they named none
				t.zone = loc
			}
		}
		r.tells = append(r.tells, t)
	}
	return nil
}

// remind makes reminders of what the document asks to be told of. One whose time has passed is told, and not made.
func (r *recorder) remind() error {
	for i, x := range r.m.Reminders {
		t := r.whom(x, nil)
		if len(r.tells) == len(r.m.Reminders) {
			t = r.tells[i]
		}
		if err := r.reminder(x, t); err != nil {
			return err
		}
	}
	return nil
}

func (r *recorder) reminder(x extract.Reminder, to listener) error {
	note := func(why string) {
		r.problem(fmt.Sprintf("%s, line %d: no reminder was made of %q, for %s.", r.src.doc.Name, x.Span.Line, clipped(x.Text, 80), why))
	}
	base := x.On
	if base.IsZero() {
		begun := r.p.begun.In(to.zone)
		base = time.Date(begun.Year(), begun.Month(), begun.Day(), 0, 0, 0, 0, time.UTC)
	}
	often, minute, repeats := x.Repeats()
	day, ok := base, true
	if repeats {
		day = often.First(base)
	} else {
		day, minute, ok = x.At(base)
	}
	if !ok {
		note(fmt.Sprintf("%q, said on %s, may mean more days than one", x.When, base.Format(time.DateOnly)))
		return nil
	}
	body := &desk.ReminderBody{Message: clipped(to.message, 500), Type: desk.ByTime, TriggerAt: desk.DateOf(day), Person: to.person, ThreadID: r.meeting, Sources: r.source("reminders", x.Span)}
	if minute >= 0 {
		at := time.Date(day.Year(), day.Month(), day.Day(), minute/60, minute%60, 0, 0, to.zone)
		body.TriggerAt = desk.Date(at.UTC().Format(time.RFC3339))
	}
	if repeats {
		body.Recur(often.Days, often.Weekdays, often.MonthDay, r.w.Now(), to.zone)
	}
	was, there, err := r.w.Find(desk.Reminder, desk.Identity(body))
	if err != nil {
		return err
	}
	if there {
		old, err := desk.Open[desk.ReminderBody](was)
		if err == nil && old.TriggerAt != body.TriggerAt && !old.Triggered && !(repeats && old.Recurring) {
			note("there is one that waits, for " + string(old.TriggerAt))
		}
		if err == nil {
			_, err = r.tally(was, false)
		}
		return err
	}
	if err := body.Ahead(desk.ReminderBody{}, r.w.Now()); err != nil {
		note(string(body.TriggerAt) + " has passed")
		return nil //nolint:nilerr // which is told
	}
	return r.ensured(clerk.Ensure(r.w, desk.Reminder, body))
}

// whom is who is told, as a sender, and of what: who handed the text in, with the name before it, where the organization has no such person.
func (r *recorder) whom(x extract.Reminder, people []org.Person) listener {
	out := listener{message: x.Text, zone: time.UTC}
	if r.p.s != nil && org.PersonOf(r.p.s.Run.By) != "" {
		out.person = r.p.s.Run.By.AgentID
	}
	if name := cmp.Or(x.Who, x.Speaker); name != "" {
		if p := personNamed(people, name); p != nil {
			out.person = p.Party().AgentID
		} else {
			out.message = name + ": " + x.Text
		}
	}
	return out
}

// personNamed is the person of that name, or the only one of that first name; nil when there is none.
func personNamed(people []org.Person, name string) *org.Person {
	var found []int
	for i, p := range people {
		switch {
		case !p.Enabled:
		case strings.EqualFold(p.Name, name):
			return &people[i]
		case firstOf(p.Name, name):
			found = append(found, i)
		}
	}
	if len(found) != 1 {
		return nil
	}
	return &people[found[0]]
}

// unreminded takes the actions off the lines that ask for reminders.
func unreminded(m *extract.Minutes) {
	m.Actions = slices.DeleteFunc(m.Actions, func(a extract.Action) bool {
		return slices.ContainsFunc(m.Reminders, func(x extract.Reminder) bool { return x.Span.Line == a.Span.Line })
	})
}

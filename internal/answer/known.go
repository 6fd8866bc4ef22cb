package answer

import (
	"slices"
	"strings"
	"time"

	"chela/internal/capacity"
	"chela/internal/desk"
	"chela/internal/query"
	"chela/internal/question"
)

// A Known is one thing that a record says, or that is computed of it.
type Known struct {
	Field  string // in words
	Text   string // as people read it
	Number float64
	Type   query.Type
	Person bool
}

// Known returns what a record says field by field, and what is computed of it: a person's hours and load,
// an objective's coverage, the days a ticket took.
func (s *Snapshot) Known(r *Record, now time.Time) (out []Known) {
	fields, err := desk.Fields(r.Kind)
	if err != nil {
		return nil
	}
	names := r.Kind.Asked().Names
	for _, f := range fields.List {
		if slices.Contains([]string{"id", "version", "refers", "createdBy", "updatedBy", "coveragePercent"}, f.Name) || strings.HasPrefix(f.Name, "sources") || strings.HasPrefix(f.Name, "last") {
			continue
		}
		all := values(r.Kind, f)(r)
		for _, v := range all {
			if !v.set {
				continue
			}
			k := Known{Field: question.FieldWord(f.Name), Text: s.text(f, v), Number: v.number, Type: f.Type}
			k.Person = f.Name == "owner" || slices.Contains(names, f.Name)
			out = append(out, k)
		}
		if f.Many && len(all) > 0 {
			out = append(out, Known{Field: question.FieldWord(f.Name), Number: float64(len(all)), Type: query.Number})
		}
	}
	c := computation{Snapshot: s, now: now}
	if n, ok := lasted(r); ok {
		out = append(out, Known{Field: question.FieldWord(question.Duration), Number: n, Type: query.Number})
	}
	if n, ok := c.aged(r); ok {
		out = append(out, Known{Field: question.FieldWord(question.Age), Number: n, Type: query.Number})
	}
	switch r.Thing.(type) {
	case *desk.ResourceBody:
		lines := s.Report(now).Lines
		i := slices.IndexFunc(lines, func(l capacity.Line) bool { return l.ID == r.ID })
		if i < 0 {
			break
		}
		l := lines[i]
		for name, n := range map[string]float64{
			"hours a week": l.EffectiveHours, "spare hours": l.SpareHours, "allocated %": l.AllocatedPct, "estimated load %": l.EstimatedPct, "open tickets": float64(l.Tickets), "done tickets": float64(l.DoneTickets), "story points": l.AllocatedSP, "availability %": l.Availability * 100,
		} {
			out = append(out, Known{Field: name, Number: n, Type: query.Number})
		}
		out = append(out, Known{Field: "load", Text: Word(string(l.Load)), Type: query.Set})
	case *desk.ObjectiveBody:
		o := c.coverageOf(r)
		for name, n := range map[string]float64{"coverage %": o.Percent, "tickets done": float64(o.Done), "tickets in progress": float64(o.InProgress), "tickets open": float64(o.Open), "tickets": float64(len(o.TicketIDs))} {
			out = append(out, Known{Field: name, Number: n, Type: query.Number})
		}
	}
	return out
}

// Prose is all that people wrote into a record, in one text.
func (r *Record) Prose() string { return strings.Join(desk.Texts(r.Kind, r.Thing), "\n") }

// Total is how many records of a kind there are, and how many of them are open.
func (s *Snapshot) Total(k desk.Kind) (all, open int) {
	fields, err := desk.Fields(k)
	if err != nil {
		return 0, 0
	}
	e, err := query.Parse(k.Asked().Open, fields, time.Time{})
	if err != nil {
		return 0, 0
	}
	holds := s.compile(k, e)
	for _, r := range s.byKind[k] {
		if holds(r) {
			open++
		}
	}
	return len(s.byKind[k]), open
}

// Is reports whether a record is what a word of a state says: a value of a closed set of its kind, or open,
// done, overdue, unassigned. ok is false when the word says nothing of such records.
func (s *Snapshot) Is(r *Record, word string, now time.Time) (is, ok bool) {
	asked := r.Kind.Asked()
	filter := ""
	switch word {
	case "open":
		filter = asked.Open
	case "done":
		filter = asked.Done
	case "overdue":
		filter = asked.Overdue
	case "unassigned":
		if asked.Who == "owner" {
			filter = "owner:none"
		}
	default:
		for _, k := range s.Known(r, now) {
			if k.Type == query.Set && k.Text != "" {
				ok = ok || s.couldBe(r.Kind, word) || k.Field == "load" && slices.Contains([]string{"Overloaded", "Idle", "Balanced", "Underutilized"}, word)
				if strings.EqualFold(k.Text, word) {
					return true, true
				}
			}
		}
		return false, ok
	}
	fields, err := desk.Fields(r.Kind)
	if err != nil || filter == "" {
		return false, false
	}
	e, err := query.Parse(filter, fields, now)
	if err != nil {
		return false, false
	}
	return s.compile(r.Kind, e)(r), true
}

// couldBe reports whether records of a kind may have a value of a closed set.
func (s *Snapshot) couldBe(k desk.Kind, word string) bool {
	fields, err := desk.Fields(k)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(fields.List, func(f query.Field) bool {
		return f.Type == query.Set && slices.ContainsFunc(f.Allowed, func(v string) bool { return strings.EqualFold(Word(v), word) })
	})
}

// Package capacity does the arithmetic of who has room: from people, their tickets
// and allocations to hours, story points and load. It computes; it never guesses.
package capacity

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"chela/internal/desk"
)

// A Person is a resource with its id.
type Person struct {
	ID string
	desk.ResourceBody
}

// A Ticket is a ticket with its id.
type Ticket struct {
	ID string
	*desk.TicketBody
}

// A Share is an assignment.
type Share struct {
	ResourceID, TicketID string
	Percent              float64
}

// A Load says how much somebody has to do.
type Load string

// The loads, from the allocated percent; with no percent given, from the tickets: no
// open ticket is Idle, any is Balanced, because points say nothing about time. Of
// somebody without hours any open ticket is more than they can do.
const (
	Idle          Load = "IDLE"          // 0
	Underutilized Load = "UNDERUTILIZED" // over 0, under 70
	Balanced      Load = "BALANCED"      // 70 to 100
	Overloaded    Load = "OVERLOADED"    // over 100, or anything without hours
	Away          Load = "AWAY"          // without hours, and without an open ticket; or away on all working days of the next week
)

// A Line is one person's capacity. Hours are a week's. Tickets, points and percent
// count what is not done.
type Line struct {
	ID             string   `json:"resourceId"`
	Name           string   `json:"name"`
	Role           string   `json:"role"`
	Skills         []string `json:"skills,omitempty"`
	Capacity       float64  `json:"capacity"`
	Availability   float64  `json:"availability"`
	EffectiveHours float64  `json:"effectiveHours"` // capacity × availability, less the days away
	AwayDays       int      `json:"awayDays,omitempty" doc:"of the five working days among today and the six days that follow"`
	Tickets        int      `json:"tickets"` // open ones
	DoneTickets    int      `json:"doneTickets"`
	AllocatedSP    float64  `json:"allocatedSP"`                // story points of open tickets
	AllocatedPct   float64  `json:"allocatedPercent"`           // of the assignments to open tickets
	EstimatedPct   float64  `json:"estimatedPercent,omitempty"` // where tickets have no share of time; with those that have one
	EstimateCut    bool     `json:"estimateCut,omitempty"`      // it is more than the percent says
	Estimate       string   `json:"estimate,omitempty"`         // what the estimate rests on
	SpareHours     float64  `json:"spareCapacity"`              // effectiveHours × (1 − allocated), at least 0
	Load           Load     `json:"load"`
	TicketIDs      []string `json:"ticketIds,omitempty"`
}

// A Report is the capacity of a project, the most room first.
type Report struct {
	Lines      []Line   `json:"resources"`
	Tickets    int      `json:"tickets"`
	Open       int      `json:"openTickets"`
	Assigned   int      `json:"assigned"`   // open tickets with somebody
	Unassigned []string `json:"unassigned"` // ids of open tickets without anybody
	Overloaded int      `json:"overloaded"`
	IdleCount  int      `json:"idle"`
}

// Compute returns the report, in which nothing is estimated.
func Compute(people []Person, tickets []Ticket, shares []Share) Report {
	return sheetOf(people, tickets, shares).Allocated()
}

// finish counts the loads and sorts the lines.
func (r *Report) finish() {
	for _, l := range r.Lines {
		switch l.Load {
		case Overloaded:
			r.Overloaded++
		case Idle:
			r.IdleCount++
		case Underutilized, Balanced, Away:
		}
	}
	r.sort()
}

func (r *Report) sort() {
	slices.SortFunc(r.Lines, func(a, b Line) int {
		return cmp.Or(cmp.Compare(b.SpareHours, a.SpareHours), cmp.Compare(a.AllocatedSP, b.AllocatedSP), cmp.Compare(a.Tickets, b.Tickets), strings.Compare(a.Name, b.Name))
	})
}

func value(v *float64, d float64) float64 {
	if v == nil {
		return d
	}
	return amount(*v)
}

// amount takes what the desk refuses, such as NaN or a trillion, for nothing: one broken record must
// not take the report away.
func amount(v float64) float64 {
	if v >= 0 && v <= 1e9 {
		return v
	}
	return 0
}

// loadAt is the load of a person of whose time so much is taken.
func (l *Line) loadAt(percent float64) Load {
	switch {
	case l.EffectiveHours == 0 && l.Tickets == 0, l.AwayDays == workDays:
		return Away
	case percent > 100 || l.EffectiveHours == 0:
		return Overloaded
	case percent >= 70:
		return Balanced
	case percent > 0:
		return Underutilized
	case l.Tickets > 0:
		return Balanced
	}
	return Idle
}

func round1(v float64) float64 { return math.Round(v*10) / 10 }

func round2(v float64) float64 { return math.Round(v*100) / 100 }

// A Suggestion proposes who takes a ticket, with reasons.
type Suggestion struct {
	TicketID   string   `json:"ticketId"`
	Title      string   `json:"title"`
	ResourceID string   `json:"resourceId"`
	Name       string   `json:"name"`
	Score      float64  `json:"score"`
	Reasons    []string `json:"reasons"`
}

// Suggest proposes people for those of some tickets that are unassigned and open, the most important
// first. Each suggestion counts as load for the next.
func Suggest(r Report, tickets iter.Seq[Ticket], limit int) []Suggestion {
	open := urgent(r.Unassigned, tickets, limit)
	lines := slices.DeleteFunc(slices.Clone(r.Lines), func(l Line) bool { return l.Load == Overloaded || l.EffectiveHours == 0 })
	var out []Suggestion
	for _, t := range open {
		if len(out) == limit || len(lines) == 0 {
			break
		}
		best := 0
		for i := range lines {
			if fit(lines[i], t) > fit(lines[best], t) {
				best = i
			}
		}
		l := &lines[best]
		out = append(out, Suggestion{TicketID: t.ID, Title: t.Title, ResourceID: l.ID, Name: l.Name, Score: round2(fit(*l, t)), Reasons: reasons(*l, t)})
		l.Tickets++
		l.SpareHours = max(0, l.SpareHours-2*max(amount(t.Points()), 1)) // two hours a point: only to spread suggestions
	}
	return out
}

// urgent returns the first of some tickets whose ids are named, by priority.
func urgent(ids []string, tickets iter.Seq[Ticket], limit int) []Ticket {
	levels := desk.Levels()
	of := make([][]Ticket, len(levels)+1) // the last is of those that have none of the levels
	add := func(t Ticket) {
		at := slices.Index(levels, t.Priority)
		if at < 0 {
			at = len(levels)
		}
		if len(of[at]) < limit {
			of[at] = append(of[at], t)
		}
	}
	left := ids // in the order of the tickets, mostly, so that none is looked up
	for t := range tickets {
		if len(left) == 0 {
			break
		}
		if t.ID == left[0] {
			left = left[1:]
			add(t)
		}
	}
	if len(left) > 0 {
		of = make([][]Ticket, len(levels)+1)
		named := make(map[string]bool, len(ids))
		for _, id := range ids {
			named[id] = true
		}
		for t := range tickets {
			if named[t.ID] {
				add(t)
			}
		}
	}
	var out []Ticket
	for i := len(levels) - 1; i >= 0; i-- {
		out = append(out, of[i]...)
	}
	return append(out, of[len(levels)]...)
}

// fit scores how well l suits t: room, skills named in the ticket, role.
func fit(l Line, t Ticket) float64 {
	s := l.SpareHours/40 - float64(l.Tickets)*0.1
	text := strings.ToLower(t.Title + " " + strings.Join(t.Labels, " "))
	for _, skill := range l.Skills {
		if skill != "" && strings.Contains(text, strings.ToLower(skill)) {
			s++
		}
	}
	if l.Role == "QA" && strings.Contains(text, "test") {
		s += 0.5
	}
	return s
}

func reasons(l Line, t Ticket) []string {
	noun := "tickets"
	if l.Tickets == 1 {
		noun = "ticket"
	}
	out := []string{fmt.Sprintf("%g of %g h free", round1(l.SpareHours), round1(l.EffectiveHours)), fmt.Sprintf("%d open %s", l.Tickets, noun)}
	if l.AwayDays > 0 {
		out = append(out, fmt.Sprintf("away on %d of the next %d working days", l.AwayDays, workDays))
	}
	text := strings.ToLower(t.Title + " " + strings.Join(t.Labels, " "))
	for _, skill := range l.Skills {
		if skill != "" && strings.Contains(text, strings.ToLower(skill)) {
			out = append(out, "knows "+skill)
		}
	}
	return out
}

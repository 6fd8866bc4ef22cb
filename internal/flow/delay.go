package flow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/desk"
)

// Near is how many days before its day a milestone is at risk, while work for it is open.
const Near = 5

// mostOpen bounds the tickets that a delay names.
const mostOpen = 20

// A Why is why a part of a plan is delayed.
type Why string

// The values of Why, the gravest first.
const (
	Late       Why = "OVERDUE"    // its day is over, and nobody has said that it was reached
	AtRisk     Why = "AT_RISK"    // its day is one of the next [Near], and work for it is open
	Unfinished Why = "UNFINISHED" // it is called completed, and work of it is open
)

// A Holder is what has the open tickets for which a milestone waits.
type Holder string

// The values of Holder.
const (
	ByItself  Holder = "ITSELF"
	ByPhase   Holder = "PHASE"
	ByProject Holder = "PROJECT"
)

// A Plan is what a project means to do by which day.
type Plan struct {
	Phases     []Phase
	Milestones []Milestone
	Checklists []Checklist
}

// Add takes in a record, when it is one of a plan.
func (p *Plan) Add(id string, t desk.Thing) {
	switch t := t.(type) {
	case *desk.PhaseBody:
		p.Phases = append(p.Phases, Phase{ID: id, PhaseBody: *t})
	case *desk.MilestoneBody:
		p.Milestones = append(p.Milestones, Milestone{ID: id, MilestoneBody: *t})
	case *desk.ChecklistBody:
		p.Checklists = append(p.Checklists, Checklist{ID: id, ChecklistBody: *t})
	}
}

// A Delay is a milestone or a phase that is late or will be, or that is called completed before its work is.
type Delay struct {
	ID      string    `json:"id"`
	Kind    desk.Kind `json:"kind"`
	Name    string    `json:"name"`
	Day     desk.Date `json:"day,omitempty" doc:"of a milestone its day, of a phase its end"`
	Why     Why       `json:"why"`
	Days    int       `json:"days" doc:"over its day, or until it"`
	Owner   string    `json:"owner,omitempty"`
	Tickets int       `json:"openTickets" doc:"for which it waits"`
	Of      Holder    `json:"openTicketsOf" doc:"whose tickets these are: its own, those of its phase when it names none, else the project's"`
	Items   int       `json:"openItems" doc:"of the checklists of a phase, that nobody ticked"`
	Open    []string  `json:"-"` // ids of the first of these tickets
	Ends    bool      `json:"-"` // it is a phase
}

// delays collects what is delayed, with who waits for which tickets.
type delays struct {
	found                          []Delay
	ticket, objective, phase, list map[string][]int // whose open tickets and items count for which of the found
	project                        []int
}

// Delays returns the milestones and phases that are late or will be, or that are called completed before their work is: the gravest
// first. A milestone waits for the tickets that it and its objectives name, else for those of its phase, else for those of the project that
// are not due after it.
func (p Plan) Delays(objectives []Objective, tickets []Ticket, now time.Time) []Delay {
	d := &delays{ticket: make(map[string][]int), objective: make(map[string][]int), phase: make(map[string][]int), list: make(map[string][]int)}
	for i := range p.Milestones {
		d.milestone(&p.Milestones[i], now)
	}
	for i := range p.Phases {
		d.ending(&p.Phases[i], now)
	}
	if len(d.found) == 0 {
		return nil
	}
	for _, o := range objectives {
		for _, id := range o.TicketIDs {
			d.ticket[id] = append(d.ticket[id], d.objective[o.ID]...)
		}
	}
	for i := range tickets {
		d.count(&tickets[i])
	}
	for _, c := range p.Checklists {
		if c.Status == desk.ChecklistAsTemplate {
			continue
		}
		for n := range unique(d.list[c.ID], d.list["of "+c.PhaseID]) {
			d.found[n].Items += len(c.Items) - c.Checked()
		}
	}
	out := slices.DeleteFunc(d.found, func(x Delay) bool { return x.Why != Late && x.Tickets+x.Items == 0 })
	order := []Why{Late, AtRisk, Unfinished}
	slices.SortStableFunc(out, func(a, b Delay) int {
		left := func(x Delay) int {
			if x.Why == Late {
				return -x.Days
			}
			return x.Days
		}
		return cmp.Or(cmp.Compare(slices.Index(order, a.Why), slices.Index(order, b.Why)), cmp.Compare(left(a), left(b)))
	})
	return out
}

// milestone looks at a milestone that nobody called reached or missed.
func (d *delays) milestone(m *Milestone, now time.Time) {
	if m.Status == desk.MilestoneCompleted || m.Status == desk.MilestoneMissed || m.ActualDate != "" || m.TargetDate.Time().IsZero() {
		return
	}
	x := Delay{ID: m.ID, Kind: desk.Milestone, Name: m.Name, Day: m.TargetDate, Owner: m.Owner, Why: AtRisk, Days: daysUntil(m.TargetDate, now), Of: ByItself}
	switch {
	case x.Days < 0:
		x.Why, x.Days = Late, -x.Days
	case x.Days > Near:
		return
	}
	n := len(d.found)
	switch {
	case len(m.TicketIDs)+len(m.ObjectiveIDs) > 0:
		into(d.ticket, n, m.TicketIDs...)
		into(d.objective, n, m.ObjectiveIDs...)
	case m.PhaseID != "":
		x.Of = ByPhase
		into(d.phase, n, m.PhaseID)
	default:
		x.Of = ByProject
		d.project = append(d.project, n)
	}
	d.found = append(d.found, x)
}

// ending looks at the end of a phase.
func (d *delays) ending(p *Phase, now time.Time) {
	x := Delay{ID: p.ID, Kind: desk.Phase, Name: p.Name, Day: p.EndDate, Why: Late, Of: ByItself, Ends: true}
	if p.Status == desk.PhaseCompleted {
		x.Why = Unfinished
	} else {
		if p.EndDate.Time().IsZero() {
			return
		}
		if x.Days = -daysUntil(p.EndDate, now); x.Days <= 0 {
			return
		}
	}
	n := len(d.found)
	into(d.phase, n, p.ID)
	into(d.list, n, p.ChecklistIDs...)
	into(d.list, n, "of "+p.ID)
	d.found = append(d.found, x)
}

// into notes that what is found at a place waits for what some ids name.
func into(m map[string][]int, n int, ids ...string) {
	for _, id := range ids {
		m[id] = append(m[id], n)
	}
}

// unique is a set of places.
func unique(lists ...[]int) map[int]bool {
	out := make(map[int]bool)
	for _, list := range lists {
		for _, n := range list {
			out[n] = true
		}
	}
	return out
}

// count counts a ticket for what waits for it.
func (d *delays) count(t *Ticket) {
	if !t.Status.Open() {
		return
	}
	lists := [][]int{d.ticket[t.ID]}
	if t.PhaseID != "" {
		lists = append(lists, d.phase[t.PhaseID])
	}
	for _, id := range t.ObjectiveIDs {
		lists = append(lists, d.objective[id])
	}
	for _, n := range d.project {
		if t.DueDate == "" || !dayOf(t.DueDate.Time()).After(dayOf(d.found[n].Day.Time())) {
			lists = append(lists, []int{n})
		}
	}
	for n := range unique(lists...) {
		x := &d.found[n]
		if x.Tickets++; len(x.Open) < mostOpen {
			x.Open = append(x.Open, t.ID)
		}
	}
}

// daysUntil is how many days are left until a day, 0 on the day itself and less than 0 when it is over (UTC).
func daysUntil(day desk.Date, now time.Time) int {
	return int(dayOf(day.Time()).Sub(dayOf(now)) / (24 * time.Hour))
}

// Said says why in words: "3 days over; 2 of its tickets are open".
func (d Delay) Said() string {
	days := counted(d.Days, "day")
	out := days + " over"
	switch {
	case d.Why == Unfinished:
		out = "called completed"
	case d.Why == AtRisk && d.Days == 0:
		out = "due today"
	case d.Why == AtRisk:
		out = "due in " + days
	}
	return strings.Join(append([]string{out}, d.left()...), "; ")
}

// left is what is still open, a clause for each.
func (d Delay) left() (out []string) {
	are := "are"
	if d.Tickets == 1 {
		are = "is"
	}
	switch of := map[Holder]string{ByItself: "of its own", ByPhase: "of its phase", ByProject: "of the project"}[d.Of]; {
	case d.Tickets == 0:
	case d.Ends:
		out = append(out, fmt.Sprintf("%s of it %s open", counted(d.Tickets, "ticket"), are))
	default:
		out = append(out, fmt.Sprintf("%s %s %s open", counted(d.Tickets, "ticket"), of, are))
	}
	if d.Items > 0 {
		out = append(out, counted(d.Items, "item")+" of its checklists not ticked")
	}
	return out
}

// Left is what is still open as a sentence, "" for nothing.
func (d Delay) Left() string {
	text := strings.Join(d.left(), "; ")
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

func counted(n int, word string) string {
	if n != 1 {
		word += "s"
	}
	return fmt.Sprintf("%d %s", n, word)
}

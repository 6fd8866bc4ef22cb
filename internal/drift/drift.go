// Package drift finds, by rule, where records disagree or miss something. What only
// reading shows is an agent's to add.
package drift

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	"chela/internal/capacity"
	"chela/internal/desk"
	"chela/internal/flow"
)

// Stale is how long an open ticket may lie untouched.
const Stale = 14 * 24 * time.Hour

// Of one sort up to maxEach are found one by one. More are one finding with their number, of which maxNamed
// are named and maxRecords linked.
const (
	maxEach    = 20
	maxNamed   = 5
	maxRecords = 200
)

// A Desk is a project's records as drift reads them.
type Desk struct {
	Tickets    []capacity.Ticket
	Touched    map[string]time.Time // by ticket id
	Objectives []flow.Objective
	Plan       flow.Plan
	People     []capacity.Person
	Shares     []capacity.Share
	Threads    []Thread
	Now        time.Time
	Kept       *Kept // what is known of these already; nil has it computed
}

// Kept is what follows the changes of records, so that it is not computed from all of them.
type Kept struct {
	Report  capacity.Report       // in which nothing is estimated
	Touched func(i int) time.Time // when a ticket was changed last, by its number among the tickets
	Titles  []uint64              // the keys of the tickets' titles
}

// report is who has room.
func (d *Desk) report() capacity.Report {
	if d.Kept != nil {
		return d.Kept.Report
	}
	return capacity.Compute(d.People, d.Tickets, d.Shares)
}

// touched is when a ticket was changed last; zero when that is not known.
func (d *Desk) touched(i int) time.Time {
	if d.Kept != nil {
		return d.Kept.Touched(i)
	}
	return d.Touched[d.Tickets[i].ID]
}

// title is the key of a ticket's title.
func (d *Desk) title(i int) uint64 {
	if d.Kept != nil {
		return d.Kept.Titles[i]
	}
	return TitleKey(d.Tickets[i].Title)
}

// TitleKey is the same for titles that differ in case and blanks alone.
func TitleKey(title string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(plain(title))) // it takes all
	return h.Sum64()
}

// plain is a title without case, with single blanks.
func plain(title string) string { return strings.ToLower(strings.Join(strings.Fields(title), " ")) }

// A Thread is a thread with its id.
type Thread struct {
	ID string
	desk.ThreadBody
}

// Found is what Find found.
type Found struct {
	Deltas     []desk.Delta
	Blindspots []desk.BlindspotBody
}

// Find applies every rule.
func Find(d Desk) Found {
	f := finder{candidates: d.candidates(), said: d.asserted()}
	report := d.report()
	f.owners(d)
	f.dates(d)
	f.finished(d)
	f.stated(d)
	f.away(d)
	tickets := make([]flow.Ticket, len(d.Tickets))
	for i, t := range d.Tickets {
		tickets[i] = flow.Ticket(t)
	}
	f.objectives(d, tickets)
	f.plan(d, tickets)
	f.load(report)
	f.stale(d)
	f.doubles(d)
	f.blocked(d)
	f.unassigned(d, report)
	return f.out()
}

// candidates are the tickets that rules look at, by their numbers, so that all are gone through once.
type candidates struct {
	late, stale, blocked []int
	named                map[string]int // those that actions and blocked tickets name: by id, the number of the last one; -1 for none
}

func (d *Desk) candidates() candidates {
	c := candidates{named: make(map[string]int)}
	for _, th := range d.Threads {
		for _, a := range th.Actions {
			c.named[a.TicketID] = -1
		}
		for _, s := range th.Statuses {
			c.named[s.TicketID] = -1
		}
	}
	for i, t := range d.Tickets {
		if !t.Status.Open() {
			continue
		}
		if t.DueDate != "" && over(t.DueDate, d.Now) {
			c.late = append(c.late, i)
		}
		if t.Status != desk.Todo {
			if at := d.touched(i); !at.IsZero() && d.Now.Sub(at) >= Stale {
				c.stale = append(c.stale, i)
			}
		}
		if t.Status == desk.Blocked && len(t.BlockedBy) > 0 {
			c.blocked = append(c.blocked, i)
			for _, by := range t.BlockedBy {
				c.named[by] = -1
			}
		}
	}
	if len(c.named) > 0 {
		for i, t := range d.Tickets {
			if _, ok := c.named[t.ID]; ok {
				c.named[t.ID] = i
			}
		}
	}
	return c
}

type finder struct {
	candidates
	said   map[string][]assertion // by ticket, what the actions of threads say of it
	groups []group
	blind  []desk.BlindspotBody
}

// A group is what was found of one sort.
type group struct {
	of  string // what they have in common, as it is counted: "open tickets serve no objective"
	n   int
	all []desk.Delta // the first, as many as may be linked
}

// add counts what was found, and has the first of a sort made.
func (f *finder) add(of string, x func() desk.Delta) {
	i := slices.IndexFunc(f.groups, func(g group) bool { return g.of == of })
	if i < 0 {
		i, f.groups = len(f.groups), append(f.groups, group{of: of})
	}
	g := &f.groups[i]
	if g.n++; g.n <= maxRecords {
		g.all = append(g.all, x())
	}
}

// out lists what was found. What there is much of is one finding that counts it.
func (f *finder) out() Found {
	out := Found{Blindspots: f.blind}
	for _, g := range f.groups {
		if len(g.all) <= maxEach {
			out.Deltas = append(out.Deltas, g.all...)
			continue
		}
		one := desk.Delta{Type: g.all[0].Type, Severity: g.all[0].Severity, Title: fmt.Sprintf("%d %s", g.n, g.of), Suggestion: g.all[0].Suggestion}
		for i, x := range g.all {
			if i < maxNamed {
				one.Text += x.Title + "\n"
			}
			one.Records = append(one.Records, x.Records...)
		}
		one.Text += fmt.Sprintf("and %d more", g.n-maxNamed)
		one.Records = one.Records[:min(len(one.Records), maxRecords)]
		out.Deltas = append(out.Deltas, one)
	}
	return out
}

// owners compares who a thread's action names with who has the ticket.
func (f *finder) owners(d Desk) {
	if len(d.Threads) == 0 {
		return
	}
	has := make(map[string][]*capacity.Person) // of the tickets that are named
	people := make(map[string]*capacity.Person, len(d.People))
	for i := range d.People {
		people[d.People[i].ID] = &d.People[i]
	}
	for _, s := range d.Shares {
		if _, ok := f.named[s.TicketID]; !ok {
			continue
		}
		if p := people[s.ResourceID]; p != nil {
			has[s.TicketID] = append(has[s.TicketID], p)
		}
	}
	for _, th := range d.Threads {
		for _, a := range th.Actions {
			if a.TicketID == "" || a.Assignee == "" {
				continue
			}
			var names []string
			match := false
			for _, p := range has[a.TicketID] {
				names = append(names, p.Name)
				match = match || slices.ContainsFunc(assignees(a.Assignee), func(name string) bool { return p.Answers(name) || p.First(name) })
			}
			if len(names) > 0 && !match {
				f.add("actions and tickets name two owners", func() desk.Delta {
					return desk.Delta{
						Type: "OWNER_MISMATCH", Severity: desk.High, Title: "Two owners: " + a.Text, Field: "owner",
						SourceA: th.ID, ValueA: a.Assignee, SourceB: a.TicketID, ValueB: strings.Join(names, ", "),
						Suggestion: "Ask who does it and set the ticket's owner.", Records: []string{th.ID, a.TicketID},
					}
				})
			}
		}
	}
}

// assignees are those of an action: the text as it is, and the people that it lists.
func assignees(text string) []string {
	out := []string{text}
	for _, name := range strings.FieldsFunc(strings.NewReplacer(" and ", ",", " und ", ",").Replace(text), func(c rune) bool { return strings.ContainsRune(",;&/+", c) }) {
		out = append(out, strings.TrimSpace(name))
	}
	return out
}

// dates compares due dates, and objectives' ends with their tickets'.
func (f *finder) dates(d Desk) {
	for _, i := range f.late {
		f.add("open tickets are overdue", func() desk.Delta {
			t := d.Tickets[i]
			return desk.Delta{
				Type: "DATE_DRIFT", Severity: desk.High, Title: "Overdue: " + t.Title, Field: "dueDate", SourceA: t.ID, ValueA: string(t.DueDate),
				SourceB: "today", ValueB: string(desk.DateOf(d.Now)), Suggestion: "Finish it or agree on a new date.", Records: []string{t.ID},
			}
		})
	}
	for i := range d.Threads {
		th := &d.Threads[i]
		for _, a := range th.Actions {
			n, ok := f.named[a.TicketID]
			if !ok || n < 0 || endings[a.Status].minutes != "" || again(f.said[a.TicketID], a, th) {
				continue
			}
			if other := d.Tickets[n].DueDate; differ(a.DueDate, other) {
				f.add("actions and tickets have two due dates", func() desk.Delta {
					return desk.Delta{
						Type: "DATE_DRIFT", Severity: desk.Medium, Title: "Two due dates: " + a.Text, Field: "dueDate", SourceA: th.ID, ValueA: string(a.DueDate),
						SourceB: a.TicketID, ValueB: string(other), Suggestion: "Agree on one date.", Records: []string{th.ID, a.TicketID},
					}
				})
			}
		}
	}
}

// over reports whether d is past; a day is past when it has ended.
func over(d desk.Date, now time.Time) bool {
	end := d.Time()
	if end.IsZero() {
		return false
	}
	if isDay(d) {
		end = end.AddDate(0, 0, 1)
	}
	return end.Before(now)
}

// differ reports whether two dates that are both there are other days, or, when both say
// the hour, other instants.
func differ(a, b desk.Date) bool {
	if a.Time().IsZero() || b.Time().IsZero() {
		return false
	}
	if isDay(a) || isDay(b) {
		return a[:len(time.DateOnly)] != b[:len(time.DateOnly)] // as written, in no zone
	}
	return !a.Time().Equal(b.Time())
}

func isDay(d desk.Date) bool { return len(d) == len(time.DateOnly) }

func (f *finder) objectives(d Desk, tickets []flow.Ticket) {
	wanted := slices.DeleteFunc(slices.Clone(d.Objectives), func(o flow.Objective) bool { return !o.Wanted() })
	covers, unmapped := flow.Coverages(wanted, tickets)
	for i, o := range wanted {
		if o.Status == "ACHIEVED" || o.Status == "DROPPED" || o.Status == "MISSED" {
			continue
		}
		c := covers[i]
		if len(c.TicketIDs) == 0 {
			f.add("objectives have no tickets", func() desk.Delta {
				return desk.Delta{Type: "COVERAGE_GAP", Severity: desk.High, Title: "No tickets: " + o.Outcome, SourceA: o.ID, Suggestion: "Link or create the tickets that deliver it.", Records: []string{o.ID}}
			})
			f.blind = append(f.blind, desk.BlindspotBody{Title: "Nobody works on: " + o.Outcome, Category: "UNCOVERED_OBJECTIVE", Severity: desk.High, RecordIDs: []string{o.ID}})
		}
		if over(o.EndDate, d.Now) && c.Percent < 100 {
			f.add("objectives are past their end", func() desk.Delta {
				return desk.Delta{
					Type: "DATE_DRIFT", Severity: desk.High, Title: "Past its end: " + o.Outcome, Field: "endDate", SourceA: o.ID, ValueA: string(o.EndDate),
					SourceB: "coverage", ValueB: fmt.Sprintf("%.1f %%", c.Percent), Suggestion: "Decide: achieved, missed, or a new date.", Records: []string{o.ID},
				}
			})
		}
	}
	if len(wanted) == 0 {
		return // without objectives all work would be orphaned, which says nothing
	}
	for _, t := range d.Tickets { // of which unmapped has the ids of some, in their order
		if len(unmapped) == 0 || t.ID != unmapped[0] {
			continue
		}
		if unmapped = unmapped[1:]; t.Status.Open() {
			f.add("open tickets serve no objective", func() desk.Delta {
				return desk.Delta{Type: "ORPHANED_WORK", Severity: desk.Low, Title: "Serves no objective: " + t.Title, SourceA: t.ID, Suggestion: "Link it to an objective or drop it.", Records: []string{t.ID}}
			})
		}
	}
}

func (f *finder) load(r capacity.Report) {
	for _, l := range r.Lines {
		if l.Load == capacity.Overloaded {
			f.add("people have more than they can do", func() desk.Delta {
				if l.EffectiveHours == 0 {
					return desk.Delta{
						Type: "CAPACITY_OVERLOAD", Severity: desk.High, Title: l.Name + " has more than they can do", Field: "effectiveHours", SourceA: l.ID, SourceB: "open tickets",
						ValueA: "0 hours a week", ValueB: strconv.Itoa(l.Tickets), Suggestion: "Move tickets to somebody with room.", Records: append([]string{l.ID}, l.TicketIDs...),
					}
				}
				return desk.Delta{
					Type: "CAPACITY_OVERLOAD", Severity: desk.High, Title: l.Name + " has more than they can do", Field: "allocatedPercent", SourceA: l.ID, SourceB: "a full load",
					ValueA: fmt.Sprintf("%.0f %%", l.AllocatedPct), ValueB: "100 %", Suggestion: "Move tickets to somebody with room.", Records: append([]string{l.ID}, l.TicketIDs...),
				}
			})
		}
	}
}

func (f *finder) stale(d Desk) {
	for _, i := range f.candidates.stale {
		f.add("tickets in work are untouched", func() desk.Delta {
			t := d.Tickets[i]
			return desk.Delta{
				Type: "STALE_ARTIFACT", Severity: desk.Medium, Title: "Untouched: " + t.Title, Field: "updatedAt", SourceA: t.ID, ValueA: string(desk.DateOf(d.touched(i))),
				Suggestion: "Ask how it stands.", Records: []string{t.ID},
			}
		})
	}
}

func (f *finder) doubles(d Desk) {
	first := make(map[uint64]int, len(d.Tickets))
	for i, t := range d.Tickets {
		key := d.title(i)
		if n, ok := first[key]; ok && t.Status.Open() && plain(d.Tickets[n].Title) == plain(t.Title) {
			f.add("open tickets are there twice", func() desk.Delta {
				other := d.Tickets[n].ID
				return desk.Delta{Type: "DUPLICATE_ENTRY", Severity: desk.Low, Title: "Twice: " + t.Title, Field: "title", SourceA: other, SourceB: t.ID, Suggestion: "Merge them if they are the same.", Records: []string{other, t.ID}}
			})
			continue
		}
		first[key] = i
	}
}

func (f *finder) blocked(d Desk) {
	for _, i := range f.candidates.blocked {
		t := d.Tickets[i]
		for _, by := range t.BlockedBy {
			n := f.named[by]
			if n < 0 || d.Tickets[n].Status.Open() {
				continue
			}
			f.add("tickets are blocked by finished work", func() desk.Delta {
				return desk.Delta{
					Type: "DEPENDENCY_MISMATCH", Severity: desk.Medium, Title: "Blocked by finished work: " + t.Title, Field: "blockedBy", SourceA: t.ID, ValueA: string(t.Status),
					SourceB: by, ValueB: string(d.Tickets[n].Status), Suggestion: "Unblock it.", Records: []string{t.ID, by},
				}
			})
		}
	}
}

func (f *finder) unassigned(d Desk, r capacity.Report) {
	var urgent []string
	nobodys := r.Unassigned // in the order of the tickets
	for _, t := range d.Tickets {
		if len(nobodys) == 0 || t.ID != nobodys[0] {
			continue
		}
		if nobodys = nobodys[1:]; t.Priority == desk.Critical || t.Priority == desk.High {
			urgent = append(urgent, t.ID)
		}
	}
	if len(urgent) > 0 {
		some := "1 open ticket of high or critical priority is unassigned."
		if len(urgent) > 1 {
			some = fmt.Sprintf("%d open tickets of high or critical priority are unassigned.", len(urgent))
		}
		f.blind = append(f.blind, desk.BlindspotBody{
			Title: "Important tickets without anybody", Category: "UNASSIGNED_WORK", Severity: desk.High,
			Description: some, RecordIDs: urgent[:min(len(urgent), 50)],
		})
	}
}

package ask

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"chela/internal/capacity"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/flow"
)

// A page is one record as an answer sees it.
type page struct {
	clerk.Entry
	title   string
	section string // "" for records that are not shown
	text    string
	lower   string // text in small letters
	owners  string
}

func newPage(e clerk.Entry, owners string) *page {
	p := &page{Entry: e, title: desk.SummaryOf(e.Thing).Title, owners: owners}
	p.section, p.text = desk.Line(e.Thing, owners)
	if len(p.text) > maxLine {
		p.text = strings.ToValidUTF8(p.text[:maxLine], "") + "…"
	}
	p.lower = strings.ToLower(p.text)
	return p
}

// maxLine is how much of a record is shown, in bytes.
const maxLine = 1500

// expired reports whether the record is a memory that no longer counts.
func (p *page) expired(now time.Time) bool {
	m, ok := p.Thing.(*desk.MemoryBody)
	if !ok {
		return false
	}
	at := m.ExpiresAt.Time()
	return !at.IsZero() && at.Before(now)
}

// A book is a project as questions see it. It does not change: what has changed makes
// another, which shares the pages that stayed the same.
type book struct {
	project string // name and id
	pages   []*page
	at      map[string]*page  // by id
	room    map[string]string // of a person, by id
	summary string            // the computed tables
}

// readBook reads a whole project.
func readBook(ctx context.Context, s clerk.Store, project string) (*book, error) {
	entries, err := clerk.Read(ctx, s, project)
	if err != nil {
		return nil, err
	}
	return bind(entries, nil), nil
}

// bind computes what a book says beside its records. Pages of before, which may be nil, are
// used again where record and owners are the same.
func bind(entries clerk.Entries, before *book) *book {
	staff := entries.Staffing()
	report := capacity.Compute(staff.People, staff.Tickets, staff.Shares)
	objectives, tickets := entries.Objectives()
	b := &book{pages: make([]*page, 0, len(entries)), at: make(map[string]*page, len(entries)), room: make(map[string]string), summary: summaries(report, staff, objectives, tickets)}
	owners := ownersOf(staff)
	had := map[string]*page{}
	if before != nil {
		had = before.at
	}
	for _, e := range entries {
		p := had[e.ID]
		if own := strings.Join(owners[e.ID], ", "); p == nil || p.Thing != e.Thing || p.owners != own {
			p = newPage(e, own)
		}
		if e.Kind == desk.Project {
			b.project = p.title + " (" + e.ID + ")"
		}
		b.pages, b.at[e.ID] = append(b.pages, p), p
	}
	for _, l := range report.Lines {
		b.room[l.ID] = fmt.Sprintf(" effectiveHours=%s tickets=%d allocatedSP=%s allocatedPercent=%s spareCapacity=%s load=%s", num(l.EffectiveHours), l.Tickets, num(l.AllocatedSP), num(l.AllocatedPct), num(l.SpareHours), l.Load)
	}
	return b
}

func ownersOf(s clerk.Staffing) map[string][]string {
	names := make(map[string]string)
	for _, p := range s.People {
		names[p.ID] = p.Name
	}
	out := make(map[string][]string)
	for _, x := range s.Shares {
		out[x.TicketID] = append(out[x.TicketID], names[x.ResourceID])
	}
	return out
}

// summaries are the computed tables.
func summaries(r capacity.Report, s clerk.Staffing, objectives []flow.Objective, tickets []flow.Ticket) string {
	var b strings.Builder
	status := make(map[desk.TicketStatus]int)
	points := 0.0
	for i := range s.Tickets {
		status[s.Tickets[i].Status]++
		points += s.Tickets[i].StoryPoints
	}
	fmt.Fprintf(&b, "TICKET SUMMARY\nTotal: %d\n", len(s.Tickets))
	for _, st := range desk.TicketStatuses() {
		fmt.Fprintf(&b, "%s: %d\n", st, status[st])
	}
	fmt.Fprintf(&b, "Story points in all: %s\n\nASSIGNMENT SUMMARY\nOpen tickets: %d\nAssigned: %d\nUnassigned: %d\n", num(points), r.Open, r.Assigned, len(r.Unassigned))
	b.WriteString("\nRESOURCE CAPACITY SUMMARY (hours a week, most room first)\n")
	if len(r.Lines) == 0 {
		b.WriteString("No people are recorded.\n")
	}
	for _, l := range r.Lines[:min(len(r.Lines), 100)] {
		fmt.Fprintf(&b, "%s [%s]: effectiveHours=%s, allocatedSP=%s, tickets=%d, allocatedPercent=%s, spareCapacity=%s, load=%s\n", l.Name, l.ID, num(l.EffectiveHours), num(l.AllocatedSP), l.Tickets, num(l.AllocatedPct), num(l.SpareHours), l.Load)
	}
	if len(objectives) > 0 {
		b.WriteString("\nCOVERAGE SUMMARY\n")
		for _, o := range objectives {
			c := flow.Cover(o, tickets)
			fmt.Fprintf(&b, "%s [%s]: coverage=%s%%, done=%d, inProgress=%d, open=%d\n", o.Outcome, o.ID, num(c.Percent), c.Done, c.InProgress, c.Open)
		}
	}
	return b.String()
}

// num has at most one decimal.
func num(v float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
}

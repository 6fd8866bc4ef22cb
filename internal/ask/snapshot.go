package ask

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"chela/internal/answer"
	"chela/internal/capacity"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/flow"
)

// A shown is a record with what a model is shown of it.
type shown struct {
	*answer.Record
	section string // "" for records that are not shown
	text    string
}

func newShown(d *answer.Dictionary, e clerk.Entry, owners, ids []string) *shown {
	s := &shown{Record: d.NewRecord(e.Record, e.Thing, owners, ids)}
	s.section, s.text = desk.Line(e.Thing, strings.Join(owners, ", "))
	if len(s.text) > maxLine {
		s.text = strings.ToValidUTF8(s.text[:maxLine], "") + "…"
	}
	return s
}

// maxLine is how much of a record is shown, in bytes.
const maxLine = 1500

// A snapshot is a project as questions see it. It does not change: what has changed makes another, which
// shares the records that stayed the same.
type snapshot struct {
	*answer.Snapshot
	dict    *answer.Dictionary
	project string // name and id
	records []*shown
	at      map[string]*shown // by id
	staff   clerk.Staffing
	entries clerk.Entries
}

// computed returns the computed tables, and what is computed of each person, by id.
func (s *snapshot) computed(now time.Time) (summary string, lines map[string]string) {
	report := s.Report(now)
	objectives, tickets := s.entries.Objectives()
	lines = make(map[string]string, len(report.Lines))
	for _, l := range report.Lines {
		lines[l.ID] = fmt.Sprintf(" effectiveHours=%s tickets=%d allocatedSP=%s allocatedPercent=%s%s spareCapacity=%s load=%s", num(l.EffectiveHours), l.Tickets, num(l.AllocatedSP), num(l.AllocatedPct), estimated(l), num(l.SpareHours), l.Load)
	}
	return summaries(report, s.staff, objectives, tickets), lines
}

// estimated is a load that is estimated, with what the estimate rests on.
func estimated(l capacity.Line) string {
	if l.Estimate == "" {
		return ""
	}
	return fmt.Sprintf(" estimatedPercent=%s (%s)", num(l.EstimatedPct), l.Estimate)
}

// readSnapshot reads a whole project.
func readSnapshot(ctx context.Context, s clerk.Store, project string) (*snapshot, error) {
	entries, err := clerk.Read(ctx, s, project)
	if err != nil {
		return nil, err
	}
	return bind(entries, nil), nil
}

// bind computes what a snapshot holds beside its records. Records of before, which may be nil, are used
// again where the record and its owners are the same.
func bind(entries clerk.Entries, before *snapshot) *snapshot {
	s := &snapshot{dict: answer.NewDictionary(), records: make([]*shown, 0, len(entries)), at: make(map[string]*shown, len(entries))}
	had := map[string]*shown{}
	if before != nil {
		had, s.dict = before.at, before.dict
	}
	staff := entries.Staffing()
	names, ids := ownersOf(staff)
	records := make([]*answer.Record, 0, len(entries))
	for _, e := range entries {
		r := had[e.ID]
		if r == nil || r.Thing != e.Thing || !slices.Equal(r.OwnerIDs, ids[e.ID]) || !slices.Equal(r.Owners, names[e.ID]) {
			r = newShown(s.dict, e, names[e.ID], ids[e.ID])
		}
		if e.Kind == desk.Project {
			s.project = r.Title + " (" + e.ID + ")"
		}
		s.records, s.at[e.ID] = append(s.records, r), r
		records = append(records, r.Record)
	}
	s.Snapshot = answer.NewSnapshot(s.dict, records)
	s.staff, s.entries = staff, entries
	return s
}

// ownersOf returns the names and the ids of each ticket's owners.
func ownersOf(s clerk.Staffing) (names, ids map[string][]string) {
	person := make(map[string]string)
	for _, p := range s.People {
		person[p.ID] = p.Name
	}
	names, ids = make(map[string][]string), make(map[string][]string)
	for _, x := range s.Shares {
		if name, ok := person[x.ResourceID]; ok {
			names[x.TicketID] = append(names[x.TicketID], name)
			ids[x.TicketID] = append(ids[x.TicketID], x.ResourceID)
		}
	}
	return names, ids
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
		fmt.Fprintf(&b, "%s [%s]: effectiveHours=%s, allocatedSP=%s, tickets=%d, allocatedPercent=%s%s, spareCapacity=%s, load=%s\n", l.Name, l.ID, num(l.EffectiveHours), num(l.AllocatedSP), l.Tickets, num(l.AllocatedPct), estimated(l), num(l.SpareHours), l.Load)
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

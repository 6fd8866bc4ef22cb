package intake

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/capacity"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/drift"
	"chela/internal/extract"
	"chela/internal/flow"
)

// rawLifetime is how long the raw content stays in memory; seed 000 §3.
const rawLifetime = 7 * 24 * time.Hour

// remember keeps the raw content as a memory of the project, by reference when long.
func (p *player) remember(ctx context.Context) (string, error) {
	var b strings.Builder
	for _, s := range p.sources {
		text := s.text()
		if len(text) > 20_000 {
			text = strings.ToValidUTF8(text[:20_000], "") + "\n[the rest is in " + s.doc.Artifact + "]"
		}
		fmt.Fprintf(&b, "%s\n\n%s\n\n", s.doc.Name, text)
	}
	if b.Len() == 0 {
		return "Nothing could be read.", nil
	}
	m := &desk.MemoryBody{
		Key: "intake-" + p.id, Content: b.String(), Tags: []string{"intake", "raw-content"},
		ExpiresAt: desk.Date(p.s.Run.CreatedAt.Add(rawLifetime).Format(time.RFC3339)),
	}
	err := p.change(ctx, func(w *clerk.Work) error {
		_, _, err := clerk.Ensure(w, desk.Memory, m)
		return err
	})
	return many(len(p.sources), "document") + " kept for 7 days.", err
}

// extract makes records of what rules read.
func (p *player) extract(ctx context.Context) (string, error) {
	created := make(map[string]int)
	for _, src := range p.sources {
		err := p.change(ctx, func(w *clerk.Work) error {
			r := recorder{p: p, w: w, src: src, made: make(map[string]int)}
			if err := r.record(); err != nil {
				return err
			}
			for k, n := range r.made {
				created[k] += n
			}
			return nil
		})
		if err != nil {
			return "", fmt.Errorf("record what %s says: %w", src.doc.Name, err)
		}
	}
	p.body.Created = created
	return counted(created), nil
}

// many counts things in words: "1 ticket", "2 tickets".
func many(n int, word string) string {
	if n != 1 {
		word += "s"
	}
	return fmt.Sprintf("%d %s", n, word)
}

func counted(made map[string]int) string {
	var parts []string
	for _, k := range desk.Kinds() {
		if n := made[string(k)]; n > 0 {
			parts = append(parts, many(n, k.Word()))
		}
	}
	if len(parts) == 0 {
		return "The rules found nothing new."
	}
	return "New: " + strings.Join(parts, ", ") + "."
}

// A recorder makes records of one document.
type recorder struct {
	p      *player
	w      *clerk.Work
	src    source
	made   map[string]int
	people map[string]string // name as written → resource id
	m      extract.Minutes
}

func (r *recorder) count(k desk.Kind, isNew bool) {
	if isNew {
		r.made[string(k)]++
	}
}

func (r *recorder) source(rule string, s extract.Span) []desk.Source {
	return []desk.Source{{
		Document: r.src.doc.Name, Artifact: r.src.doc.Artifact, Intake: r.p.id, Line: s.Line, EndLine: s.EndLine,
		Quote: strings.ToValidUTF8(fmt.Sprintf("%.2000s", s.Quote), ""), By: "rule:" + rule,
	}}
}

func (r *recorder) record() error {
	r.people = make(map[string]string)
	for _, t := range r.src.Tables {
		tickets, ok, err := r.table(t)
		if err != nil {
			return err
		}
		if !ok {
			r.problem(fmt.Sprintf("%s%s is no tracker's export that rules know: its columns are %s.", r.src.doc.Name, sheet(t.Sheet), strings.Join(t.Header[:min(len(t.Header), 12)], ", ")))
			continue
		}
		for _, x := range tickets.Problems {
			r.problem(r.src.doc.Name + ", " + x)
		}
		if err := r.tickets(tickets.Tickets); err != nil {
			return err
		}
	}
	if r.src.Text == "" {
		return nil
	}
	return r.minutes()
}

func sheet(name string) string {
	if name == "" {
		return ""
	}
	return ", sheet " + name + ","
}

func (r *recorder) problem(text string) {
	if !slices.Contains(r.p.body.Problems, text) {
		r.p.body.Problems = append(r.p.body.Problems, text)
	}
}

// tickets makes a ticket of every row; one that is there is brought up to date.
func (r *recorder) tickets(rows []extract.TicketRow) error {
	ids := make(map[string]string)
	for _, row := range rows {
		body := ticketOf(row)
		body.Sources = r.source("tickets", row.Span)
		rec, isNew, err := clerk.Ensure(r.w, desk.Ticket, body)
		if err != nil {
			return fmt.Errorf("line %d: %w", row.Span.Line, err)
		}
		r.count(desk.Ticket, isNew)
		ids[row.Ref] = rec.ID
		if !isNew {
			if err := r.refresh(rec, body); err != nil {
				return err
			}
		}
		if row.Owner != "" && isNew {
			if err := r.assign(rec.ID, row.Owner, row.Span, "tickets"); err != nil {
				return err
			}
		}
	}
	return r.relate(rows, ids)
}

// ticketOf is the ticket that a row describes.
func ticketOf(row extract.TicketRow) *desk.TicketBody {
	return &desk.TicketBody{
		Title: row.Title, Description: strings.ToValidUTF8(fmt.Sprintf("%.100000s", row.Description), ""), Status: desk.TicketStatus(row.Status), Priority: desk.Level(row.Priority),
		Type: desk.TicketType(row.Type), ExternalRef: row.Ref, StoryPoints: row.Points, Sprint: row.Sprint, Labels: labels(row), EvidenceLinks: links(row.URL),
		DueDate: day(row.Due), CreatedOn: day(row.Created), ResolvedOn: day(row.Resolved),
	}
}

// differs reports whether a newer export says something else about a ticket.
func differs(old desk.TicketBody, now *desk.TicketBody) bool {
	return old.Title != now.Title || old.Status != now.Status || old.Priority != now.Priority || old.StoryPoints != now.StoryPoints || old.DueDate != now.DueDate ||
		old.Sprint != now.Sprint || old.Description != now.Description
}

// labels are a row's labels, components and versions, each once.
func labels(row extract.TicketRow) (out []string) {
	for _, l := range slices.Concat(row.Labels, row.Components, row.FixVersions) {
		if !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}

func links(url string) []string {
	if url == "" {
		return nil
	}
	return []string{url}
}

// relate sets the parents and what blocks what, among the tickets of one export.
func (r *recorder) relate(rows []extract.TicketRow, ids map[string]string) error {
	blocked := make(map[string][]string)
	for _, row := range rows {
		for _, l := range row.Links {
			by, of := ids[l.Ref], ids[row.Ref]
			if l.Kind == extract.Blocks {
				by, of = of, by
			}
			if l.Kind != extract.Relates && by != "" && of != "" && by != of && !slices.Contains(blocked[of], by) {
				blocked[of] = append(blocked[of], by)
			}
		}
	}
	for _, row := range rows {
		id := ids[row.Ref]
		parent, ok := ids[row.Parent]
		ok = ok && row.Parent != "" && parent != id
		if !ok && len(blocked[id]) == 0 {
			continue
		}
		_, err := clerk.Edit(r.w, desk.Ticket, id, func(b *desk.TicketBody) {
			if ok {
				b.ParentID = parent
			}
			for _, by := range blocked[id] {
				if !slices.Contains(b.BlockedBy, by) {
					b.BlockedBy = append(b.BlockedBy, by)
				}
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func day(t time.Time) desk.Date {
	if t.IsZero() {
		return ""
	}
	return desk.DateOf(t)
}

// refresh brings a ticket that was there up to what a newer export says.
func (r *recorder) refresh(rec desk.Record, now *desk.TicketBody) error {
	old, err := desk.Open[desk.TicketBody](rec)
	if err != nil {
		return err
	}
	if !differs(old, now) {
		return nil
	}
	_, err = clerk.Edit(r.w, desk.Ticket, rec.ID, func(b *desk.TicketBody) {
		b.Title, b.Status, b.Priority, b.StoryPoints, b.DueDate = now.Title, now.Status, now.Priority, now.StoryPoints, now.DueDate
		b.Sprint, b.Description, b.Sources = now.Sprint, now.Description, append(b.Sources, now.Sources...)
	})
	return err
}

// assign gives a ticket to the people that a text names.
func (r *recorder) assign(ticket, owner string, s extract.Span, rule string) error {
	for _, name := range strings.FieldsFunc(strings.ReplaceAll(owner, " and ", ","), func(c rune) bool { return c == ',' || c == '&' || c == ';' }) {
		name = strings.TrimSpace(name)
		if name == "" {
			continue
		}
		id, err := r.person(name, s, rule)
		if err != nil {
			return err
		}
		if _, err := r.w.Assign(ticket, id, 0, r.source(rule, s)); err != nil {
			return err
		}
	}
	return nil
}

// person returns the resource of a name, in the words of the document: an attendee of
// that first name or handle is meant when there is exactly one.
func (r *recorder) person(name string, s extract.Span, rule string) (string, error) {
	key := strings.ToLower(name)
	if id, ok := r.people[key]; ok {
		return id, nil
	}
	var full []string
	for _, a := range r.m.Attendees {
		first, _, _ := strings.Cut(a.Name, " ")
		if strings.EqualFold(a.Name, name) || strings.EqualFold(first, name) || a.Handle != "" && strings.EqualFold(a.Handle, name) {
			full = append(full, a.Name)
		}
	}
	wanted := name
	if len(full) == 1 {
		wanted = full[0]
	}
	rec, isNew, err := r.w.Person(wanted, r.source(rule, s))
	if err != nil {
		return "", err
	}
	r.count(desk.Resource, isNew)
	r.people[key], r.people[strings.ToLower(wanted)] = rec.ID, rec.ID
	return rec.ID, nil
}

// routine are headings that say nothing about a topic of their own.
var routine = []string{
	"agenda", "attendance", "attendees", "present", "links", "notes", "announcements", "announcement", "q&a, other", "other", "aob", "any other business", "upcoming meetings",
	"action items", "actions", "next steps", "decisions", "minutes", "discussion", "introduction", "welcome", "recording", "participants", "regrets", "apologies", "misc", "contents",
	"agenda items", "open questions", "questions", "meeting notes", "updates", "roll call", "admin", "resolutions", "references",
}

// coverage reports the objectives' coverage; the clerk keeps it up to date.
func (p *player) coverage(ctx context.Context) (string, error) {
	objectives, tickets, err := clerk.LoadObjectives(ctx, p.in.clerk.Store(), p.s.Run.Project)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s; %d of %d tickets serve none.", many(len(objectives), "objective"), len(flow.Unmapped(objectives, tickets)), len(tickets)), nil
}

// drift records where records disagree, as one delta pack, and what nobody looks at.
func (p *player) drift(ctx context.Context) (string, error) {
	store, project := p.in.clerk.Store(), p.s.Run.Project
	book, err := clerk.Read(ctx, store, project, desk.Resource, desk.Ticket, desk.Assignment, desk.Objective, desk.Thread)
	if err != nil {
		return "", err
	}
	staff := book.Staffing()
	objectives, _ := book.Objectives()
	d := drift.Desk{Tickets: staff.Tickets, Touched: staff.Touched, Objectives: objectives, People: staff.People, Shares: staff.Shares, Now: p.s.Run.CreatedAt}
	for _, e := range book {
		if t, ok := e.Thing.(*desk.ThreadBody); ok {
			d.Threads = append(d.Threads, drift.Thread{ID: e.ID, ThreadBody: *t})
		}
	}
	found := drift.Find(d)
	err = p.change(ctx, func(w *clerk.Work) error {
		own := []desk.Source{{Intake: p.id, By: "rule:drift"}}
		if len(found.Deltas) > 0 {
			pack := &desk.DeltaPackBody{Title: "After the intake of " + p.body.Title, Compared: []string{"the intake", "the project's records"}, Deltas: found.Deltas, RunID: string(p.s.Run.ID), Sources: own}
			if _, err := clerk.Add(w, desk.DeltaPack, pack); err != nil {
				return err
			}
		}
		for _, b := range found.Blindspots {
			b.Sources = own
			if _, _, err := clerk.Ensure(w, desk.Blindspot, &b); err != nil {
				return err
			}
		}
		return nil
	})
	return many(len(found.Deltas), "delta") + ", " + many(len(found.Blindspots), "blindspot") + ".", err
}

// capacity reports who has room.
func (p *player) capacity(ctx context.Context) (string, error) {
	s, err := clerk.LoadStaffing(ctx, p.in.clerk.Store(), p.s.Run.Project)
	if err != nil {
		return "", err
	}
	r := capacity.Compute(s.People, s.Tickets, s.Shares)
	return fmt.Sprintf("%d people, %d overloaded, %d idle; %d of %d open tickets have nobody.", len(r.Lines), r.Overloaded, r.IdleCount, len(r.Unassigned), r.Open), nil
}

// findings tells a model what rules found.
func (p *player) findings() string {
	var b strings.Builder
	for _, s := range p.sources {
		m := extract.ReadMinutes(s.Text)
		for _, t := range m.Topics[:min(len(m.Topics), 60)] {
			fmt.Fprintf(&b, "topic (line %d): %s\n", t.Span.Line, t.Title)
		}
		for _, d := range m.Decisions[:min(len(m.Decisions), 60)] {
			fmt.Fprintf(&b, "decision (line %d): %s\n", d.Span.Line, d.Text)
		}
		for _, a := range m.Actions[:min(len(m.Actions), 60)] {
			fmt.Fprintf(&b, "action, recorded as a ticket (line %d): %s, owner %q, due %s\n", a.Span.Line, a.Text, a.Owner, day(a.Due))
		}
		for _, t := range s.Tables {
			fmt.Fprintf(&b, "table of %d rows, recorded as tickets where it is an export\n", len(t.Rows))
		}
	}
	if b.Len() == 0 {
		return "nothing"
	}
	return b.String()
}

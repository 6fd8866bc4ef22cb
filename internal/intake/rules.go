package intake

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/extract"
)

// rawLifetime is how long the raw content stays in memory: long enough to look again at what was
// taken in this week.
const rawLifetime = 7 * 24 * time.Hour

// NothingRead is the summary of the first phase when no document could be read.
const NothingRead = "Nothing could be read."

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
		return NothingRead, nil
	}
	m := &desk.MemoryBody{
		Key: "intake-" + p.id, Content: b.String(), Tags: []string{"intake", desk.DocumentTag},
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
	changed := 0
	var absent []string
	for _, src := range exportsFirst(p.sources) {
		r := &recorder{p: p, src: *src}
		if err := r.compare(ctx); err != nil {
			return "", fmt.Errorf("compare %s with the tickets: %w", src.doc.Name, err)
		}
		src.forget() // its tables have been read
		r.src = *src
		changed += r.changed
		if r.absent.Count > 0 {
			absent = append(absent, r.absent.Text)
		}
		if err := r.record(ctx, created); err != nil {
			return "", fmt.Errorf("record what %s says: %w", src.doc.Name, err)
		}
	}
	p.body.Created = created
	changes := numbers(p.told)
	if changed > 0 {
		changes[string(desk.Ticket)] += changed
	}
	said := []string{counted(created)}
	if len(changes) > 0 {
		p.body.Changed = changes
		said = append(said, "Changed: "+byKind(changes)+".")
	}
	if asked := numbers(p.asked); len(asked) > 0 {
		said = append(said, "To be decided under Reconcile: "+byKind(asked)+".")
	}
	return strings.Join(append(said, absent...), " "), nil
}

// noted notes of which kind a record is.
func noted(m *map[string]desk.Kind, rec desk.Record) {
	if *m == nil {
		*m = make(map[string]desk.Kind)
	}
	(*m)[rec.ID] = rec.Kind
}

// numbers counts records by their kind.
func numbers(ids map[string]desk.Kind) map[string]int {
	out := make(map[string]int)
	for _, k := range ids {
		out[string(k)]++
	}
	return out
}

func blank(s string) bool { return s == "" }

// exportsFirst orders documents so that what minutes say finds the tickets of an export,
// whichever was handed in first.
func exportsFirst(in []source) []*source {
	out := make([]*source, len(in))
	for i := range in {
		out[i] = &in[i]
	}
	slices.SortStableFunc(out, func(a, b *source) int { return cmp.Compare(min(len(b.Tables), 1), min(len(a.Tables), 1)) })
	return out
}

// many counts things in words: "1 ticket", "2 tickets".
func many(n int, word string) string {
	if n != 1 {
		word += "s"
	}
	return fmt.Sprintf("%d %s", n, word)
}

func counted(made map[string]int) string {
	if all := byKind(made); all != "" {
		return "New: " + all + "."
	}
	return "The rules found nothing new."
}

// byKind lists how many records there are of each kind, "" for none.
func byKind(n map[string]int) string {
	var parts []string
	for _, k := range desk.Kinds() {
		if n := n[string(k)]; n > 0 {
			parts = append(parts, many(n, k.Word()))
		}
	}
	return strings.Join(parts, ", ")
}

// A recorder makes records of one document.
type recorder struct {
	p       *player
	w       *clerk.Work
	src     source
	tables  []export         // that are exports
	rolls   []roll           // and that are rosters
	team    []extract.Member // whom the text lists
	stock   *stock           // what the project had before, when there are tables
	changed int              // tickets of which the tables say something else
	absent  Absent           // tickets that the tables do not name
	made    map[string]int
	people  map[string]string // name as written → resource id
	seen    map[string]bool   // as the player has it, and what the portion at work counts
	refs    map[string]string // what the portion at work makes, by key and title → id
	ids     []string          // of the rows of the portion
	phases  map[string]string // of plans, by name → phase id
	asked   []desk.Discord    // fields of links, sprints and milestones that a person has to decide
	m       extract.Minutes
	off     []off      // what the minutes say to be cancelled
	tells   []listener // of the reminders that it asks for
	stands  []standing // how the document says that tickets stand
	away    []gone     // who the document says is away
	meeting string     // the thread of the whole document
}

// portion is how many rows are planned at once, and held until they are recorded; a large table is never planned as a
// whole.
const portion = 500

// each plans and records one portion; what it learnt counts when it is recorded.
func (r *recorder) each(ctx context.Context, made map[string]int, plan func(*recorder) error) error {
	var last recorder
	err := r.p.change(ctx, func(w *clerk.Work) error {
		last = *r
		last.w, last.made, last.people, last.seen, last.refs, last.ids = w, make(map[string]int), maps.Clone(r.people), maps.Clone(r.p.seen), make(map[string]string), nil
		last.asked, last.phases = slices.Clone(r.asked), cloned(r.phases)
		return plan(&last)
	})
	if err != nil {
		return err
	}
	for k, n := range last.made {
		made[k] += n
	}
	r.p.seen, r.people, r.refs, r.ids, r.m, r.meeting, r.asked, r.phases, r.team = last.seen, last.people, last.refs, last.ids, last.m, last.meeting, last.asked, last.phases, last.team
	return nil
}

// tally counts a record that is new, and says whether it is: one that an earlier attempt of
// this intake made is, when it comes up first.
func (r *recorder) tally(rec desk.Record, isNew bool) (bool, error) {
	if r.p.again && !isNew && !r.seen[rec.ID] {
		b, err := desk.Open[struct {
			Sources []desk.Source `json:"sources"`
		}](rec)
		if err != nil {
			return false, err
		}
		isNew = r.p.made(rec, b.Sources)
	}
	if r.p.again {
		r.seen[rec.ID] = true
	}
	if isNew {
		r.made[string(rec.Kind)]++
	}
	return isNew, nil
}

func (r *recorder) source(rule string, s extract.Span) []desk.Source {
	return []desk.Source{{
		Document: r.src.doc.Name, Artifact: r.src.doc.Artifact, Intake: r.p.id, Line: s.Line, EndLine: s.EndLine,
		Quote: strings.ToValidUTF8(fmt.Sprintf("%.2000s", s.Quote), ""), By: "rule:" + rule,
	}}
}

// compare reads the tables and records, when there are exports among them, how they
// differ from what is there.
func (r *recorder) compare(ctx context.Context) error {
	if len(r.src.Tables) == 0 {
		return nil
	}
	store, project := r.p.in.clerk.Store(), r.p.s.Run.Project
	var err error
	if r.stock, err = stockOf(ctx, store, project, r.p.made); err != nil {
		return err
	}
	err = r.p.change(ctx, func(w *clerk.Work) error {
		r.w, r.made, r.tables, r.rolls, r.changed = w, make(map[string]int), nil, nil, 0
		for _, t := range r.src.Tables {
			if is, err := r.roster(t); err != nil || is {
				if err != nil {
					return err
				}
				continue
			}
			read, ok, err := r.table(t)
			if err != nil {
				return err
			}
			if !ok {
				r.problem(unknown(r.src.doc.Name, t, read.Mapping))
				continue
			}
			tallied, err := r.stock.tallied(&read)
			if err != nil {
				return err
			}
			r.stock.rekey(&read)
			r.stock.rename(&read)
			known := newExport(read, t.Sheet)
			found, err := r.stock.compare(known)
			if err != nil {
				return err
			}
			for _, x := range slices.DeleteFunc(append(slices.Clone(read.Problems), tallied, read.LeftOut(), found.Repeated), blank) {
				r.problem(strings.TrimSuffix(r.src.doc.Name+sheet(t.Sheet), ",") + ", " + x)
			}
			if err := r.stock.take(known); err != nil {
				return err
			}
			changed, err := r.reconciled(known, found)
			if err != nil {
				return err
			}
			r.tables, r.changed = append(r.tables, *known), r.changed+changed
		}
		if r.p.live { // what it does not name did not change
			return nil
		}
		r.absent, err = r.stock.absent()
		return err
	})
	r.stock.forget()
	return err
}

func (r *recorder) record(ctx context.Context, made map[string]int) error {
	r.people = make(map[string]string)
	for i := range r.rolls {
		if err := r.enrolled(ctx, &r.rolls[i], made); err != nil {
			return err
		}
	}
	for i := range r.tables {
		if err := r.exported(ctx, &r.tables[i], made); err != nil {
			return err
		}
	}
	if r.src.Text != "" {
		if err := r.whoAsks(ctx); err != nil {
			return err
		}
		if err := r.each(ctx, made, (*recorder).minutes); err != nil {
			return err
		}
	}
	return r.each(ctx, made, (*recorder).origin)
}

// exported records what an export says: tickets, then what they say of each other, then what they list to be checked,
// and the sprints and milestones that they are in.
func (r *recorder) exported(ctx context.Context, t *export, made map[string]int) error {
	r.asked = nil
	if err := r.each(ctx, made, func(r *recorder) error {
		for i, p := range t.Phases {
			if err := r.phase(p, i+1); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	ids := make([]string, 0, len(t.Tickets))
	for rows := range slices.Chunk(t.Tickets, portion) {
		if err := r.each(ctx, made, func(r *recorder) error { return r.tickets(t, rows) }); err != nil {
			return err
		}
		maps.Copy(r.stock.refs, r.refs)
		ids = append(ids, r.ids...)
	}
	related := r.related(t.Tickets, ids)
	for some := range slices.Chunk(slices.Sorted(maps.Keys(related)), portion) {
		if err := r.each(ctx, made, func(r *recorder) error { return r.relate(some, related) }); err != nil {
			return err
		}
	}
	for from := 0; from < len(ids); from += portion {
		to := min(from+portion, len(ids))
		if !slices.ContainsFunc(t.Tickets[from:to], func(row extract.TicketRow) bool { return len(row.Checklists) > 0 }) {
			continue
		}
		if err := r.each(ctx, made, func(r *recorder) error { return r.checklists(t.Tickets[from:to], ids[from:to]) }); err != nil {
			return err
		}
	}
	if len(t.Sprints)+len(t.Milestones)+len(r.asked) == 0 {
		return nil
	}
	return r.each(ctx, made, func(r *recorder) error {
		if err := r.timeline(t, ids); err != nil {
			return err
		}
		return r.answerable(t, otherParts)
	})
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
func (r *recorder) tickets(t *export, rows []extract.TicketRow) error {
	if err := r.seek(rows); err != nil {
		return err
	}
	for _, row := range rows {
		body := ticketOf(row)
		body.PhaseID = r.phases[row.Phase]
		body.Sources = r.source("tickets", row.Span)
		body.Evidence = comments(row, body.Sources, t.known(r.stock))
		body.ExternalSync = desk.Date(r.p.s.Run.CreatedAt.UTC().Format(time.RFC3339))
		if err := r.remembered(body, row, t); err != nil {
			return err
		}
		rec, isNew, err := r.ensure(body)
		if err != nil {
			return fmt.Errorf("line %d: %w", row.Span.Line, err)
		}
		if isNew, err = r.tally(rec, isNew); err != nil {
			return err
		}
		r.ids = append(r.ids, rec.ID)
		if row.Ref != "" { // a key names a ticket better than a title
			r.refs[row.Ref] = rec.ID
		}
		if r.refs[row.Title] == "" && r.stock.refs[row.Title] == "" {
			r.refs[row.Title] = rec.ID
		}
		if !isNew {
			if err := r.refresh(rec, row, body, t); err != nil {
				return err
			}
		}
		if row.Owner != "" && isNew {
			if err := r.assign(rec.ID, row.Owner, row.Span, "tickets"); err != nil {
				return err
			}
		}
	}
	return nil
}

// seek looks at once which of the rows are tickets already.
func (r *recorder) seek(rows []extract.TicketRow) error {
	identities := make([]string, 0, len(rows))
	for _, row := range rows {
		b := ticketOf(row)
		if err := b.Check(); err != nil {
			return fmt.Errorf("line %d: %w", row.Span.Line, err)
		}
		if id := desk.Identity(b); id != "" {
			identities = append(identities, id)
		}
	}
	return r.w.Seek(desk.Ticket, identities)
}

// remembered notes on a ticket that is new what the export says of it.
func (r *recorder) remembered(body *desk.TicketBody, row extract.TicketRow, t *export) error {
	checked := *body
	if err := checked.Check(); err != nil {
		return fmt.Errorf("line %d: %w", row.Span.Line, err)
	}
	if _, moved := r.stock.moved[desk.Identity(&checked)]; moved {
		return nil
	}
	if _, is, err := r.w.Find(desk.Ticket, desk.Identity(&checked)); is || err != nil {
		return err
	}
	body.Imported = said(nil, &checked, row, t)
	if !t.tellsOwner(row) {
		return nil
	}
	var people []string
	for _, name := range owners(row.Owner) {
		id, err := r.person(name, row.Span, "tickets")
		if err != nil {
			return err
		}
		people = append(people, id)
	}
	body.Imported["owner"] = ownerSaid(row.Owner, people)
	return nil
}

// ticketOf is the ticket that a row describes.
func ticketOf(row extract.TicketRow) *desk.TicketBody {
	return &desk.TicketBody{
		Title: row.Title, Description: strings.ToValidUTF8(fmt.Sprintf("%.100000s", row.Description), ""), Status: desk.TicketStatus(row.Status), Outcome: desk.Outcome(row.Outcome), Priority: desk.Level(row.Priority),
		Type: desk.TicketType(row.Type), ExternalRef: row.Ref, StoryPoints: row.Points, Sprint: row.Sprint, EarlierSprints: slices.Clone(row.Earlier), Labels: labels(row), EvidenceLinks: links(row),
		Reporter: row.Reporter, DueDate: day(row.Due), CreatedOn: day(row.Created), ResolvedOn: day(row.Resolved),
	}
}

// labels are a row's labels, components and versions, each once. A version that it affects says so, as others are those that mend it.
func labels(row extract.TicketRow) (out []string) {
	affects := make([]string, len(row.Affects))
	for i, v := range row.Affects {
		affects[i] = desk.Affects + " " + v
	}
	for _, l := range slices.Concat(row.Labels, row.Components, row.FixVersions, affects) {
		if !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}

// links are the addresses of a row's page and of the requests that close or name it.
func links(row extract.TicketRow) []string {
	if row.URL == "" {
		return row.Requests
	}
	return append([]string{row.URL}, row.Requests...)
}

func day(t time.Time) desk.Date {
	if t.IsZero() {
		return ""
	}
	return desk.DateOf(t)
}

// routine are headings that say nothing about a topic of their own.
var routine = []string{
	"agenda", "attendance", "attendees", "present", "links", "notes", "announcements", "announcement", "q&a, other", "other", "aob", "any other business", "upcoming meetings",
	"action items", "actions", "next steps", "decisions", "minutes", "discussion", "introduction", "welcome", "recording", "participants", "regrets", "apologies", "misc", "contents",
	"agenda items", "open questions", "questions", "meeting notes", "updates", "roll call", "admin", "resolutions", "references",
}

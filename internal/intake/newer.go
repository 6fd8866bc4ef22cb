package intake

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/extract"
	"chela/internal/fault"
)

// This file compares an export with the tickets that a project has: for a preview, which
// tells the differences, and for an import, which records them as a reconciliation and
// brings the tickets up to date. What the export has no column for stays as it is.

// A FieldChange is a field of which an export says something else than the ticket.
type FieldChange struct {
	Field  string `json:"field"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// A Differing is a ticket of which an export says something else.
type Differing struct {
	Line   int           `json:"line"`
	ID     string        `json:"id"`
	Ref    string        `json:"ref,omitempty"`
	Title  string        `json:"title"`
	Fields []FieldChange `json:"fields"`
}

// A compared is a field that exports tell, the columns that tell it, what is shown of it,
// and how a ticket takes it over.
type compared struct {
	name    string
	columns []string
	text    func(*desk.TicketBody) string
	take    func(into, from *desk.TicketBody)
}

var comparedFields = []compared{
	{"title", []string{"title"}, func(b *desk.TicketBody) string { return b.Title }, func(into, from *desk.TicketBody) { into.Title = from.Title }},
	{"status", []string{"status", "category", "resolution", "resolved", "finished", "archived"}, func(b *desk.TicketBody) string { return strings.TrimSpace(string(b.Status) + " " + string(b.Outcome)) }, func(into, from *desk.TicketBody) { into.Status, into.Outcome = from.Status, from.Outcome }},
	{"priority", []string{"priority"}, func(b *desk.TicketBody) string { return string(b.Priority) }, func(into, from *desk.TicketBody) { into.Priority = from.Priority }},
	{"type", []string{"type"}, func(b *desk.TicketBody) string { return string(b.Type) }, func(into, from *desk.TicketBody) { into.Type = from.Type }},
	{"storyPoints", []string{"points"}, func(b *desk.TicketBody) string { return strconv.FormatFloat(b.StoryPoints, 'g', -1, 64) }, func(into, from *desk.TicketBody) { into.StoryPoints = from.StoryPoints }},
	{"dueDate", []string{"due"}, func(b *desk.TicketBody) string { return string(b.DueDate) }, func(into, from *desk.TicketBody) { into.DueDate = from.DueDate }},
	{"sprint", []string{"sprint"}, func(b *desk.TicketBody) string { return b.Sprint }, func(into, from *desk.TicketBody) { into.Sprint = from.Sprint }},
	{"description", []string{"description"}, func(b *desk.TicketBody) string { return b.Description }, func(into, from *desk.TicketBody) { into.Description = from.Description }},
	{"reporter", []string{"reporter"}, func(b *desk.TicketBody) string { return b.Reporter }, func(into, from *desk.TicketBody) { into.Reporter = from.Reporter }},
	{"externalCreated", []string{"created"}, func(b *desk.TicketBody) string { return string(b.CreatedOn) }, func(into, from *desk.TicketBody) { into.CreatedOn = from.CreatedOn }},
	{"externalResolved", []string{"resolved"}, func(b *desk.TicketBody) string { return string(b.ResolvedOn) }, func(into, from *desk.TicketBody) { into.ResolvedOn = from.ResolvedOn }},
	// Lists grow: people add to them here too.
	{"labels", []string{"labels", "components", "versions", "type", "resolution"}, func(b *desk.TicketBody) string { return strings.Join(b.Labels, ", ") }, func(into, from *desk.TicketBody) { into.Labels = union(into.Labels, from.Labels) }},
	{"evidenceLinks", []string{"url"}, func(b *desk.TicketBody) string { return strings.Join(b.EvidenceLinks, ", ") }, func(into, from *desk.TicketBody) { into.EvidenceLinks = union(into.EvidenceLinks, from.EvidenceLinks) }},
	{"comments", []string{"comments", "relates", "duplicates", "blocks", "blocked by"}, func(b *desk.TicketBody) string { return strconv.Itoa(len(b.Evidence)) }, func(into, from *desk.TicketBody) { into.Evidence = withComments(into.Evidence, from.Evidence) }},
}

// union returns a new list of a and what of b it does not have.
func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, x := range b {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

// maxComments and maxComment bound what of a tracker's comments a ticket carries, the
// latest of them; all are in the document.
const (
	maxComments = 100
	maxComment  = 2000
)

// comments are a row's comments as evidence, and what it is linked with that is no ticket of
// the project.
func comments(row extract.TicketRow, from []desk.Source, known func(ref string) bool) []desk.Evidence {
	var out []desk.Evidence
	add := func(e desk.Evidence) {
		for _, s := range from { // the snippet is the quote
			e.Sources = append(e.Sources, desk.Source{Document: s.Document, Artifact: s.Artifact, Intake: s.Intake, Line: s.Line, EndLine: s.EndLine, By: s.By})
		}
		out = append(out, e)
	}
	for _, c := range row.Comments[max(0, len(row.Comments)-maxComments):] {
		add(desk.Evidence{Type: "comment", Snippet: clipped(c.Text, maxComment), Author: c.Author, Date: day(c.Date)})
	}
	for _, l := range row.Links {
		if !known(l.Ref) {
			add(desk.Evidence{Type: "link", Reference: l.Ref, Snippet: linked[l.Kind] + " " + l.Ref})
		}
	}
	return out
}

// linked says how a ticket stands to another.
var linked = map[extract.LinkKind]string{
	extract.Blocks: "blocks", extract.BlockedBy: "blocked by", extract.Duplicates: "duplicate of", extract.DuplicatedBy: "duplicated by", extract.Relates: "relates to",
}

// withComments returns a new list of a ticket's evidence and the comments it does not
// have; the oldest comments go when they are too many.
func withComments(has, said []desk.Evidence) []desk.Evidence {
	out := slices.Clone(has)
	n := 0
	for _, e := range has {
		if e.Type == "comment" {
			n++
		}
	}
	for _, c := range said {
		if slices.ContainsFunc(has, func(e desk.Evidence) bool { return e.Type == c.Type && e.Snippet == c.Snippet && e.Author == c.Author }) {
			continue
		}
		if out, n = append(out, c), n+1; n > maxComments {
			out = slices.Delete(out, 0, 1+slices.IndexFunc(out, func(e desk.Evidence) bool { return e.Type == "comment" }))
		}
	}
	return out
}

// A share says that somebody does a ticket; imported says that an export said so.
type share struct {
	resource string
	imported bool
}

// A held is a ticket that a project has.
type held struct {
	id     string // "" when a table before this one brings it
	body   []byte // as JSON, which takes less than the struct; nil once the tables are compared
	shares []share
}

// hold keeps what an export is compared with: where the ticket came from is not.
func hold(id string, b *desk.TicketBody) (*held, error) {
	lean := *b
	lean.Sources, lean.ExternalSync = nil, ""
	raw, err := json.Marshal(&lean)
	if err != nil {
		return nil, fmt.Errorf("encode ticket %s: %w", id, err)
	}
	return &held{id: id, body: raw}, nil
}

// open returns the ticket's body.
func (h *held) open() (*desk.TicketBody, error) {
	var b desk.TicketBody
	if err := json.Unmarshal(h.body, &b); err != nil {
		return nil, fmt.Errorf("read ticket %s: %w", h.id, err)
	}
	return &b, nil
}

// A stock is what a project has that an export is compared with.
type stock struct {
	tickets map[string]*held // by identity
	refs    map[string]string
	numbers map[string]string // key by "owner/repository#7", of issues that are numbered
	plain   map[string]bool   // repositories whose issues' keys are their numbers alone
	people  []desk.ResourceBody
	ids     []string // of people
}

// stockOf loads a project's tickets but for those that are ours, its people, and who does what.
func stockOf(ctx context.Context, s clerk.Store, project string, ours func(desk.Record, []desk.Source) bool) (*stock, error) {
	out := &stock{tickets: make(map[string]*held), refs: make(map[string]string), numbers: make(map[string]string), plain: make(map[string]bool)}
	byID := make(map[string]*held)
	err := clerk.EachEntry(ctx, s, project, func(e clerk.Entry) error {
		switch b := e.Thing.(type) {
		case *desk.TicketBody:
			if ours(e.Record, b.Sources) {
				return nil
			}
			h, err := hold(e.ID, b)
			if err != nil {
				return err
			}
			byID[e.ID], out.tickets[desk.Identity(b)] = h, h
			out.number(b)
			for _, ref := range []string{b.Title, b.ExternalRef} { // a key names a ticket better than a title
				if ref != "" {
					out.refs[ref] = e.ID
				}
			}
		case *desk.ResourceBody:
			b.Sources = nil
			out.people, out.ids = append(out.people, *b), append(out.ids, e.ID)
		case *desk.AssignmentBody:
			if h := byID[b.TicketID]; h != nil {
				imported := slices.ContainsFunc(b.Sources, func(s desk.Source) bool { return s.By == importRule })
				h.shares = append(h.shares, share{b.ResourceID, imported})
			}
		}
		return nil
	}, desk.Ticket, desk.Resource, desk.Assignment) // in this order: shares find their tickets
	return out, err
}

// forget lets go of the tickets that were compared; who does them stays.
func (s *stock) forget() {
	for id, h := range s.tickets {
		if h.body = nil; len(h.shares) == 0 {
			delete(s.tickets, id)
		}
	}
}

// importRule is the source of what an export said.
const importRule = "rule:tickets"

// person returns the id of whom a name means, or nothing.
func (s *stock) person(name string) string {
	first := ""
	for i := range s.people {
		if s.people[i].Answers(name) {
			return s.ids[i]
		}
	}
	for i := range s.people {
		if s.people[i].First(name) {
			if first != "" {
				return ""
			}
			first = s.ids[i]
		}
	}
	return first
}

func (s *stock) name(id string) string {
	if i := slices.Index(s.ids, id); i >= 0 {
		return s.people[i].Name
	}
	return id
}

// owners are the people in an owner's cell, each name alone.
func owners(cell string) (out []string) {
	for _, name := range strings.FieldsFunc(strings.ReplaceAll(cell, " and ", ","), func(c rune) bool { return c == ',' || c == '&' || c == ';' }) {
		if name = strings.TrimSpace(name); name != "" {
			out = append(out, name)
		}
	}
	return out
}

// ownership compares who does a ticket with what an export says: who is new, and whom
// only an earlier export named. People whom somebody assigned here stay.
func (s *stock) ownership(h *held, cell string) (come, gone []string) {
	var wanted []string
	for _, name := range owners(cell) {
		id := s.person(name)
		wanted = append(wanted, id)
		if id == "" || !slices.ContainsFunc(h.shares, func(x share) bool { return x.resource == id }) {
			come = append(come, name)
		}
	}
	for _, x := range h.shares {
		if x.imported && !slices.Contains(wanted, x.resource) {
			gone = append(gone, x.resource)
		}
	}
	return come, gone
}

// An export is a table that was read as a tracker's.
type export struct {
	extract.TicketTable
	sheet string
	names map[string]bool // keys and titles of its tickets
}

func newExport(t extract.TicketTable, sheet string) *export {
	out := &export{TicketTable: t, sheet: sheet, names: make(map[string]bool, 2*len(t.Tickets))}
	for i := range t.Tickets {
		out.names[t.Tickets[i].Ref], out.names[t.Tickets[i].Title] = true, true
	}
	return out
}

// known reports a reference to a ticket of the export or of the project.
func (t *export) known(s *stock) func(ref string) bool {
	return func(ref string) bool { return t.names[ref] || s.refs[ref] != "" }
}

func (t *export) says(columns []string) bool {
	return slices.ContainsFunc(columns, func(c string) bool { return t.Mapping[c] != "" })
}

// differences are the fields of which a row says something else than the ticket.
func (s *stock) differences(h *held, was *desk.TicketBody, row extract.TicketRow, now *desk.TicketBody, t *export) (out []FieldChange) {
	for _, f := range comparedFields {
		if !t.says(f.columns) {
			continue
		}
		next := *was
		f.take(&next, now)
		if before, after := f.text(was), f.text(&next); before != after {
			out = append(out, FieldChange{f.name, before, after})
		}
	}
	if t.says([]string{"parent", "epic"}) {
		if id := s.refs[row.Parent]; row.Parent != "" && id != "" && id != was.ParentID {
			out = append(out, FieldChange{"parentTicketId", was.ParentID, row.Parent})
		}
	}
	if come, gone := s.ownership(h, row.Owner); t.says([]string{"owner"}) && len(come)+len(gone) > 0 {
		var before, after []string
		for _, x := range h.shares {
			before = append(before, s.name(x.resource))
			if !slices.Contains(gone, x.resource) {
				after = append(after, s.name(x.resource))
			}
		}
		out = append(out, FieldChange{"owner", strings.Join(before, ", "), strings.Join(append(after, come...), ", ")})
	}
	return out
}

// A comparison is what importing a table would do.
type comparison struct {
	New, Same, Changed int
	First              []Differing // of the changed
	Problems           []string
}

// compare compares a table with what is there. A row that repeats another of the table
// is counted once.
func (s *stock) compare(t *export) (out comparison, err error) {
	seen := make(map[string]bool)
	for _, row := range t.Tickets {
		b := ticketOf(row)
		if err := b.Check(); err != nil {
			out.Problems = append(out.Problems, fmt.Sprintf("line %d: %s", row.Span.Line, fault.TextOf(err)))
			continue
		}
		b.Evidence = comments(row, nil, t.known(s))
		id := desk.Identity(b)
		h, is := s.tickets[id]
		if seen[id] {
			continue
		}
		seen[id] = true
		if !is {
			out.New++
			continue
		}
		if h.id == "" { // a table before this one brings it
			out.Same++
			continue
		}
		was, err := h.open()
		if err != nil {
			return out, err
		}
		if fields := s.differences(h, was, row, b, t); len(fields) > 0 {
			if out.Changed++; out.Changed <= listed {
				out.First = append(out.First, Differing{row.Span.Line, h.id, row.Ref, row.Title, fields})
			}
		} else {
			out.Same++
		}
	}
	return out, nil
}

// take counts the tickets of a table as there, for the tables behind it.
func (s *stock) take(rows []extract.TicketRow) {
	for _, row := range rows {
		b := ticketOf(row)
		if b.Check() == nil && s.tickets[desk.Identity(b)] == nil {
			s.tickets[desk.Identity(b)] = &held{}
		}
	}
}

// listed is how many differing tickets a preview and a reconciliation list, and shown how
// many bytes of a value.
const (
	listed = 500
	shown  = 300
)

// reconciled plans the reconciliation that tells how a table differs from the tickets. It
// is recorded before they are brought up to date, so that a second attempt finds it. It
// returns how many tickets differ.
func (r *recorder) reconciled(t *export, found comparison) (int, error) {
	b := &desk.ReconciliationBody{
		SourceType: strings.ToUpper(string(t.Source)) + "_EXPORT", IntakeID: r.p.id, Part: strings.TrimSpace(r.src.doc.Name + " " + t.sheet), Status: desk.ReconciliationApplied,
		Sources: []desk.Source{{Document: r.src.doc.Name, Artifact: r.src.doc.Artifact, Intake: r.p.id, By: importRule}},
	}
	if was, ok, err := r.w.Find(desk.Reconciliation, desk.Identity(b)); err != nil || ok {
		return told(was, err)
	}
	if found.Changed == 0 {
		return 0, nil
	}
	if t.Source == extract.Jira {
		b.SourceType = "JIRA_DUMP"
	}
	up, ok, err := r.w.Find(desk.Upload, desk.Identity(&desk.UploadBody{Artifact: r.src.doc.Artifact}))
	if err != nil {
		return 0, err
	}
	if ok {
		b.UploadID = up.ID
	}
	b.Left = found.Changed - len(found.First)
	for _, d := range found.First {
		match := "title"
		if d.Ref != "" {
			match = "key"
		}
		b.Mappings = append(b.Mappings, desk.Mapping{Row: strconv.Itoa(d.Line), TicketID: d.ID, Match: match})
		for _, f := range d.Fields {
			before, after := differing(f.Before, f.After)
			b.Conflicts = append(b.Conflicts, desk.Discord{
				TicketID: d.ID, Title: strings.TrimSpace(d.Ref + " " + clipped(d.Title, shown)), Field: f.Field,
				Source: after, Ticket: before, Resolution: "the source's value was taken",
			})
		}
	}
	_, err = clerk.Add(r.w, desk.Reconciliation, b)
	return found.Changed, err
}

// told is how many tickets a reconciliation says differ.
func told(r desk.Record, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	b, err := desk.Open[desk.ReconciliationBody](r)
	return len(b.Mappings) + b.Left, err
}

// refresh brings a ticket that was there up to what the export says.
func (r *recorder) refresh(rec desk.Record, row extract.TicketRow, now *desk.TicketBody, t *export) error {
	old, err := desk.Open[desk.TicketBody](rec)
	if err != nil {
		return err
	}
	h := &held{id: rec.ID}
	if was := r.stock.tickets[desk.Identity(now)]; was != nil {
		h.shares = was.shares
	}
	fields := r.stock.differences(h, &old, row, now, t)
	if len(fields) == 0 {
		return nil
	}
	if t.says([]string{"owner"}) {
		if err := r.hand(h, row); err != nil {
			return err
		}
	}
	_, err = clerk.Edit(r.w, desk.Ticket, rec.ID, func(b *desk.TicketBody) {
		for _, f := range comparedFields {
			if slices.ContainsFunc(fields, func(c FieldChange) bool { return c.Field == f.name }) {
				f.take(b, now)
			}
		}
		b.ExternalSync, b.Sources = now.ExternalSync, append(b.Sources, now.Sources...)
	})
	return err
}

// hand gives a ticket to whom the export names.
func (r *recorder) hand(h *held, row extract.TicketRow) error {
	come, gone := r.stock.ownership(h, row.Owner)
	for _, id := range gone {
		if _, err := r.w.Unassign(h.id, id); err != nil && fault.KindOf(err) != fault.NotFound {
			return err
		}
	}
	for _, name := range come {
		if err := r.assign(h.id, name, row.Span, "tickets"); err != nil && fault.KindOf(err) != fault.Conflict {
			return err
		}
	}
	return nil
}

package intake

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

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
	Field    string `json:"field"`
	Before   string `json:"before"`
	After    string `json:"after"`
	Conflict bool   `json:"conflict,omitempty"` // both were changed since the last import; the ticket stays until a person decides
	set      string // of a conflict: the merge patch that takes over what the export says
	seen     string // of a conflict: a hash of what the ticket said
}

// later reports a conflict that is asked about when the tickets of the export are there.
func (c FieldChange) later() bool {
	return c.Conflict && (c.Field == "parentTicketId" || c.Field == "duplicateOf")
}

// A Differing is a ticket of which an export says something else.
type Differing struct {
	Line   int           `json:"line"`
	ID     string        `json:"id"`
	Ref    string        `json:"ref,omitempty"`
	Title  string        `json:"title"`
	Fields []FieldChange `json:"fields"`
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
	return slices.ContainsFunc(columns, func(c string) bool { return t.Mapping[c] != "" || slices.Contains(t.Labelled, c) })
}

// tells reports whether a row tells a field: the export has a column of it, and what the row says there is known.
func (t *export) tells(row extract.TicketRow, f compared) bool {
	return t.says(f.columns) && !(row.Listed && f.list != nil && t.untold(row, f.columns)) && (f.list != nil || !slices.ContainsFunc(f.columns, func(c string) bool { return slices.Contains(row.Unreadable, c) }))
}

// untold reports a field of which a line of a text says nothing.
func (t *export) untold(row extract.TicketRow, columns []string) bool {
	return row.Listed && !slices.ContainsFunc(columns, func(c string) bool { return t.Mapping[c] != "" && !slices.Contains(row.Unreadable, c) })
}

// tellsOwner reports whether a row tells who has the ticket, or that nobody has.
func (t *export) tellsOwner(row extract.TicketRow) bool {
	return t.says([]string{"owner"}) && !t.untold(row, []string{"owner"})
}

// begun reports whether a sprint has begun, as far as the export tells.
func (t *export) begun(sprint string, now time.Time) bool {
	return !slices.ContainsFunc(t.Sprints, func(s extract.SprintRow) bool {
		return s.Name == sprint && (s.State == "PLANNED" || s.Start.After(now))
	})
}

// differences are the fields that an export changes, and those of which a person has to decide.
func (s *stock) differences(h *held, was *desk.TicketBody, row extract.TicketRow, now *desk.TicketBody, t *export) (out []FieldChange, err error) {
	for _, f := range comparedFields {
		if !t.tells(row, f) {
			continue
		}
		if c, ok := f.difference(h, was, now); ok {
			if row.Listed && f.name == "title" && was.ExternalRef != "" { // a line of a text may say it shorter
				c.Conflict = true
			}
			out = append(out, c)
		}
	}
	if c, ok := keyed(was, row); ok {
		out = append(out, c)
	}
	out = append(out, s.linked(h, was, row, t)...)
	if t.tellsOwner(row) {
		come, gone := s.ownership(h, row.Owner)
		if c := ownerChoice(h, was.Imported["owner"], row.Owner, come, gone); c != keeps {
			change := s.handed(h, come, gone)
			if c == asks {
				change.Conflict, change.After = true, strings.Join(owners(row.Owner), ", ")
			}
			out = append(out, change)
		}
	}
	for i := range out {
		if c := &out[i]; c.Conflict && !c.later() {
			if c.set, err = patchOf(c.Field, row, now); err != nil {
				return nil, err
			}
			if c.seen, err = desk.Seen(was, c.set); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// linked compares what an export says of a ticket's parent and of the ticket that it duplicates.
func (s *stock) linked(h *held, was *desk.TicketBody, row extract.TicketRow, t *export) (out []FieldChange) {
	compare := func(field, mine, ref string) {
		id := s.refs[ref]
		if id == "" && t.names[ref] {
			id = "new " + ref // the export brings it
		}
		if ref == "" || id == "" || id == h.id {
			return
		}
		if c := choose(was.Imported[field], mine, id, h.free || mine == ""); c != keeps {
			out = append(out, FieldChange{Field: field, Before: s.called(mine), After: ref, Conflict: c == asks})
		}
	}
	compare("parentTicketId", was.ParentID, row.Parent)
	duplicate := ""
	for _, l := range row.Links {
		if l.Kind == extract.Duplicates {
			duplicate = l.Ref
		}
	}
	compare("duplicateOf", was.DuplicateOf, duplicate)
	return out
}

// called is the shortest name by which an export may call a ticket.
func (s *stock) called(id string) (name string) {
	for ref, of := range s.refs {
		if of == id && (name == "" || len(ref) < len(name) || len(ref) == len(name) && ref < name) {
			name = ref
		}
	}
	return cmp.Or(name, id)
}

// handed tells who does a ticket before and after an import.
func (s *stock) handed(h *held, come, gone []string) FieldChange {
	var before, after []string
	for _, x := range h.shares {
		before = append(before, s.name(x.resource))
		if !slices.Contains(gone, x.resource) {
			after = append(after, s.name(x.resource))
		}
	}
	return FieldChange{Field: "owner", Before: strings.Join(before, ", "), After: strings.Join(append(after, come...), ", ")}
}

// settled reports whether an export changes nothing of a ticket by itself.
func settled(fields []FieldChange) bool {
	return !slices.ContainsFunc(fields, func(c FieldChange) bool { return !c.Conflict })
}

// A comparison is what importing a table would do.
type comparison struct {
	New, Same, Changed int
	Conflicts          int         // fields that a person has to decide
	Left               int         // changed ones that First leaves out
	First              []Differing // all that have conflicts, and the first of the changed
	Problems           []string
	Earlier            int    // of Changed: tickets that a table before this one brings
	Repeated           string // what the table says otherwise than a table before it, in a sentence
}

// compare compares a table with what is there. A row that repeats another of the table
// is counted once.
func (s *stock) compare(t *export) (out comparison, err error) {
	seen := make(map[string]bool)
	var again retold
	if err := s.follow(t.Tickets); err != nil {
		return out, err
	}
	for _, row := range t.Tickets {
		b := ticketOf(row)
		if err := b.Check(); err != nil {
			out.Problems = append(out.Problems, fmt.Sprintf("line %d: %s", row.Span.Line, fault.TextOf(err)))
			continue
		}
		b.Evidence = comments(row, nil, t.known(s))
		id := desk.Identity(b)
		s.told[strings.ToLower(series(row.Ref))] = true
		if seen[id] {
			continue
		}
		seen[id] = true
		h := s.find(id)
		if h == nil {
			out.New++
			continue
		}
		h.named = true
		was, err := h.open()
		if err != nil {
			return out, err
		}
		if h.id == "" { // a table before this one brings it
			again.add(h, was, row, b, t)
			continue
		}
		fields, err := s.differences(h, was, row, b, t)
		if err != nil {
			return out, err
		}
		out.add(Differing{row.Span.Line, h.id, row.Ref, row.Title, fields})
	}
	out.Same, out.Changed, out.Earlier, out.Repeated = out.Same+again.same, out.Changed+again.changed, again.changed, again.sentence()
	return out, nil
}

// add counts a ticket that is there.
func (c *comparison) add(d Differing) {
	conflicts := 0
	for _, f := range d.Fields {
		if f.Conflict {
			conflicts++
		}
	}
	c.Conflicts += conflicts
	if settled(d.Fields) {
		c.Same++
	} else {
		c.Changed++
	}
	switch {
	case len(d.Fields) == 0:
	case conflicts > 0 || len(c.First) < listed:
		c.First = append(c.First, d)
	default:
		c.Left++
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
	b, err := r.reconciliation(t)
	if err != nil {
		return 0, err
	}
	if was, ok, err := r.w.Find(desk.Reconciliation, desk.Identity(b)); err != nil || ok {
		return told(was, err)
	}
	b.Left = found.Left
	for _, d := range found.First {
		if d.Fields = slices.DeleteFunc(slices.Clone(d.Fields), FieldChange.later); len(d.Fields) == 0 {
			continue
		}
		match := "title"
		if d.Ref != "" {
			match = "key"
		}
		b.Mappings = append(b.Mappings, desk.Mapping{Row: strconv.Itoa(d.Line), TicketID: d.ID, Match: match})
		for _, f := range d.Fields {
			before, after := differing(f.Before, f.After)
			resolution := takenOver
			if f.Conflict {
				resolution, b.Status = "", desk.ReconciliationReviewed
			}
			b.Conflicts = append(b.Conflicts, desk.Discord{
				TicketID: d.ID, Title: strings.TrimSpace(d.Ref + " " + clipped(d.Title, shown)), Field: f.Field,
				Source: after, Ticket: before, Resolution: resolution, Asked: f.Conflict, Set: f.set, Seen: f.seen,
			})
		}
	}
	if len(b.Conflicts)+b.Left == 0 {
		return 0, nil
	}
	_, err = clerk.Add(r.w, desk.Reconciliation, b)
	return found.Changed, err
}

// told is how many tickets a reconciliation says were changed.
func told(r desk.Record, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	b, err := desk.Open[desk.ReconciliationBody](r)
	changed := make(map[string]bool)
	for _, c := range b.Conflicts {
		if !c.Asked {
			changed[c.TicketID] = true
		}
	}
	return len(changed) + b.Left, err
}

// refresh brings a ticket that was there up to what the export says.
func (r *recorder) refresh(rec desk.Record, row extract.TicketRow, now *desk.TicketBody, t *export) error {
	old, err := desk.Open[desk.TicketBody](rec)
	if err != nil {
		return err
	}
	h := &held{id: rec.ID, free: free(rec)}
	if was := r.stock.find(desk.Identity(now)); was != nil {
		h.shares = was.shares
	}
	fields, err := r.stock.differences(h, &old, row, now, t)
	if err != nil {
		return err
	}
	taken := func(field string) bool {
		return slices.ContainsFunc(fields, func(c FieldChange) bool { return c.Field == field && !c.Conflict })
	}
	imported := said(old.Imported, now, row, t)
	if t.tellsOwner(row) {
		source, _, _ := strings.Cut(ownerSaid(row.Owner, nil), " ")
		_, ours, _ := strings.Cut(old.Imported["owner"], " ")
		imported["owner"] = strings.TrimSpace(source + " " + ours)
		if taken("owner") {
			people, err := r.hand(h, row)
			if err != nil {
				return err
			}
			imported["owner"] = ownerSaid(row.Owner, people)
		}
	}
	_, err = clerk.Edit(r.w, desk.Ticket, rec.ID, func(b *desk.TicketBody) {
		for _, f := range comparedFields {
			if taken(f.name) {
				f.take(b, now, old.Imported[f.name])
			}
		}
		if taken("sprint") && old.Sprint != "" && len(row.Earlier) == 0 && t.begun(old.Sprint, r.p.s.Run.CreatedAt) { // the source tells the present one only
			b.EarlierSprints = union(b.EarlierSprints, []string{old.Sprint})
		}
		if now.PhaseID != "" {
			if choose(old.Imported["phase"], b.PhaseID, now.PhaseID, b.PhaseID == "") == takes {
				b.PhaseID = now.PhaseID
			}
			imported["phase"] = digest(now.PhaseID)
		}
		if taken("externalRef") {
			b.ExternalRef = now.ExternalRef
		}
		b.Imported = imported
		if !settled(fields) {
			b.ExternalSync, b.Sources = now.ExternalSync, append(b.Sources, now.Sources...)
		}
	})
	return err
}

// hand gives a ticket to whom the export names, and returns who does it then.
func (r *recorder) hand(h *held, row extract.TicketRow) (people []string, err error) {
	come, gone := r.stock.ownership(h, row.Owner)
	for _, id := range gone {
		if _, err := r.w.Unassign(h.id, id); err != nil && fault.KindOf(err) != fault.NotFound {
			return nil, err
		}
	}
	for _, x := range h.shares {
		if !slices.Contains(gone, x.resource) {
			people = append(people, x.resource)
		}
	}
	for _, name := range come {
		if err := r.assign(h.id, name, row.Span, "tickets"); err != nil && fault.KindOf(err) != fault.Conflict {
			return nil, err
		}
		people = append(people, r.people[strings.ToLower(name)])
	}
	return people, nil
}

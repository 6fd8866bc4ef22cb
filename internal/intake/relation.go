package intake

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/extract"
)

// A relation is what an export says about a ticket and others.
type relation struct {
	parent    string
	duplicate string   // of this
	blocked   []string // by these
	related   []string // to these
}

// related finds the parents and what blocks what, among the tickets of the export and
// those that were there. ids are those of the rows.
func (r *recorder) related(rows []extract.TicketRow, ids []string) map[string]relation {
	out := make(map[string]relation)
	for i, row := range rows {
		if p := r.stock.refs[row.Parent]; row.Parent != "" && p != "" && p != ids[i] {
			if inCircle(out, ids[i], p) {
				r.problem(fmt.Sprintf("%s, line %d: %s is its own parent by way of %s; it was left without one.", r.src.doc.Name, row.Span.Line, cmp.Or(row.Ref, row.Title), row.Parent))
				continue
			}
			x := out[ids[i]]
			x.parent = p
			out[ids[i]] = x
		}
	}
	for i, row := range rows {
		for _, l := range row.Links {
			other, of := r.stock.refs[l.Ref], ids[i]
			if l.Kind == extract.Blocks || l.Kind == extract.DuplicatedBy {
				other, of = of, other
			}
			if other == "" || of == "" || other == of {
				continue
			}
			x := out[of]
			switch l.Kind {
			case extract.Blocks, extract.BlockedBy:
				x.blocked = union(x.blocked, []string{other})
			case extract.Duplicates, extract.DuplicatedBy:
				x.duplicate = other
			case extract.Relates:
				x.related = union(x.related, []string{other})
			}
			out[of] = x
		}
	}
	return out
}

// inCircle reports that a ticket is above its parent already.
func inCircle(known map[string]relation, ticket, parent string) bool {
	for range len(known) + 2 {
		switch parent {
		case "":
			return false
		case ticket:
			return true
		}
		parent = known[parent].parent
	}
	return true
}

// join merges what an export says about a ticket and others into the ticket, and returns the fields of which a person has
// to decide. free says that no person wrote the ticket.
func (x relation) join(b *desk.TicketBody, free bool) (asked []member) {
	imported := cloned(b.Imported)
	asked = adopt(imported, free, []member{
		{"parentTicketId", b.ParentID, x.parent, func(v string) { b.ParentID = v }},
		{"duplicateOf", b.DuplicateOf, x.duplicate, func(v string) { b.DuplicateOf = v }},
	})
	several := func(field string, mine *[]string, theirs []string) { // what a person took out stays out
		had := strings.Split(imported[field], ",")
		for _, id := range theirs {
			if !slices.Contains(had, digest(id)) {
				*mine, had = union(*mine, []string{id}), append(had, digest(id))
			}
		}
		if s := strings.Trim(strings.Join(had, ","), ","); s != "" {
			imported[field] = s
		}
	}
	several("blockedBy", &b.BlockedBy, x.blocked)
	several("relatedTo", &b.RelatedTo, x.related)
	b.Imported = imported
	return asked
}

func (r *recorder) relate(ids []string, related map[string]relation) error {
	for _, id := range ids {
		rec, err := r.w.Get(desk.Ticket, id)
		if err != nil {
			return err
		}
		var asked []member
		title := ""
		if _, err = clerk.Edit(r.w, desk.Ticket, id, func(b *desk.TicketBody) {
			asked, title = related[id].join(b, free(rec)), strings.TrimSpace(b.ExternalRef+" "+b.Title)
		}); err != nil {
			return err
		}
		for _, f := range asked {
			set, err := json.Marshal(map[string]string{f.name: f.said})
			if err != nil {
				return fmt.Errorf("encode what the export says: %w", err)
			}
			if err := r.askOne(rec, title, FieldChange{Field: f.name, Before: r.called(f.mine), After: r.called(f.said), set: string(set)}); err != nil {
				return err
			}
		}
	}
	return nil
}

// called is how people call a ticket.
func (r *recorder) called(id string) string {
	rec, err := r.w.Get(desk.Ticket, id)
	if err != nil {
		return id
	}
	b, err := desk.Open[desk.TicketBody](rec)
	if err != nil {
		return id
	}
	return strings.TrimSpace(b.ExternalRef + " " + b.Title)
}

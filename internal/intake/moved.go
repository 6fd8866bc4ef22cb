package intake

import (
	"strings"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/extract"
)

// This file finds the ticket of an issue whose key is another than at the last import: Jira gives a new one to what is moved to another
// project, and the id of the issue stays.

// issueOf is what a ticket keeps of the issue that a row is: its id, and a hash of the key that the export says.
func issueOf(row extract.TicketRow) string {
	if row.ID == "" || row.Ref == "" {
		return ""
	}
	return row.ID + " " + digest(row.Ref)
}

// identify notes which issue a ticket is.
func (s *stock) identify(h *held, b *desk.TicketBody) {
	if id, _, ok := strings.Cut(b.Imported["id"], " "); ok {
		s.issues[id] = h
	}
}

// follow finds the tickets of issues that have another key than a table says, by the ids of the issues. The title or the day of creation is
// the same, too, for ids of two trackers may be alike.
func (s *stock) follow(rows []extract.TicketRow) error {
	for _, row := range rows {
		h := s.issues[row.ID]
		if h == nil || row.ID == "" || row.Ref == "" || h.named {
			continue
		}
		b := ticketOf(row)
		if b.Check() != nil || s.tickets[desk.Identity(b)] != nil {
			continue
		}
		was, err := h.open()
		if err != nil {
			return err
		}
		if was.Title == b.Title || was.CreatedOn != "" && was.CreatedOn == b.CreatedOn {
			s.moved[desk.Identity(b)], s.refs[row.Ref] = desk.Identity(was), h.id
		}
	}
	return nil
}

// find returns the ticket of an identity, also of one that an issue has since it was moved; nil when there is none.
func (s *stock) find(identity string) *held {
	if before, is := s.moved[identity]; is {
		identity = before
	}
	return s.tickets[identity]
}

// keyed compares the key of an issue with the ticket's.
func keyed(was *desk.TicketBody, row extract.TicketRow) (c FieldChange, ok bool) {
	id, base, kept := strings.Cut(was.Imported["id"], " ")
	if !kept || id != row.ID || strings.EqualFold(was.ExternalRef, row.Ref) {
		return c, false
	}
	c = FieldChange{Field: "externalRef", Before: was.ExternalRef, After: row.Ref}
	ok = c.becomes(choose(base, was.ExternalRef, row.Ref, false))
	return c, ok
}

// ensure makes a ticket unless it is there, also under the key that it had before.
func (r *recorder) ensure(body *desk.TicketBody) (desk.Record, bool, error) {
	if before, is := r.stock.moved[desk.Identity(body)]; is {
		if rec, there, err := r.w.Find(desk.Ticket, before); there || err != nil {
			return rec, false, err
		}
	}
	return clerk.Ensure(r.w, desk.Ticket, body)
}

package intake

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/extract"
)

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
	series string // of its key, case-folded
	free   bool   // no person wrote it
	named  bool   // a table that was compared names it

	// Of one that a table before this one brings: the table's sheet, and who does it.
	sheet  string
	owners []string
}

// hold keeps what an export is compared with: where the ticket came from is not.
func hold(id string, b *desk.TicketBody) (*held, error) {
	lean := *b
	lean.Sources, lean.ExternalSync = nil, ""
	raw, err := json.Marshal(&lean)
	if err != nil {
		return nil, fmt.Errorf("encode ticket %s: %w", id, err)
	}
	return &held{id: id, body: raw, series: strings.ToLower(series(b.ExternalRef))}, nil
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
	issues  map[string]*held  // by the id of their issue, where an export told it
	told    map[string]bool   // series of the keys of tables that were compared, case-folded
	moved   map[string]string // identity in an export that was compared → the one that the ticket has
	plain   map[string]bool   // repositories whose issues' keys are their numbers alone
	people  []desk.ResourceBody
	ids     []string              // of people
	records []desk.Record         // of people, without their bodies
	lists   map[string][]heldList // by ticket: checklists that exports brought
}

// stockOf loads a project's tickets but for those that are ours, its people, and who does what.
func stockOf(ctx context.Context, s clerk.Store, project string, ours func(desk.Record, []desk.Source) bool) (*stock, error) {
	out := &stock{tickets: make(map[string]*held), refs: make(map[string]string), numbers: make(map[string]string), plain: make(map[string]bool), lists: make(map[string][]heldList), issues: make(map[string]*held), moved: make(map[string]string), told: make(map[string]bool)}
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
			h.free = free(e.Record)
			byID[e.ID], out.tickets[desk.Identity(b)] = h, h
			out.number(b)
			out.identify(h, b)
			for _, ref := range []string{b.Title, b.ExternalRef} { // a key names a ticket better than a title
				if ref != "" {
					out.refs[ref] = e.ID
				}
			}
		case *desk.ResourceBody:
			b.Sources = nil
			out.people, out.ids = append(out.people, *b), append(out.ids, e.ID)
			e.Record.Body = nil
			out.records = append(out.records, e.Record)
		case *desk.AssignmentBody:
			if h := byID[b.TicketID]; h != nil {
				imported := slices.ContainsFunc(b.Sources, func(s desk.Source) bool { return s.By == importRule })
				h.shares = append(h.shares, share{b.ResourceID, imported})
			}
		case *desk.ChecklistBody:
			for _, id := range b.TicketIDs {
				if list := b.Imported["list"]; list != "" {
					out.lists[id] = append(out.lists[id], heldList{e.ID, list})
				}
			}
		}
		return nil
	}, desk.Ticket, desk.Resource, desk.Assignment, desk.Checklist) // in this order: shares find their tickets
	return out, err
}

// forget lets go of the tickets that were compared; who does them stays.
func (s *stock) forget() {
	for id, h := range s.tickets {
		if h.body = nil; len(h.shares) == 0 {
			delete(s.tickets, id)
		}
	}
	s.issues = nil
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

// rename has owners' cells of one name with a comma ("Reyes, Dana") say the name that the project has for the person.
func (s *stock) rename(t *extract.TicketTable) {
	for i, row := range t.Tickets {
		if !strings.Contains(row.Owner, ",") {
			continue
		}
		for j := range s.people {
			if s.people[j].Answers(row.Owner) {
				t.Tickets[i].Owner = s.people[j].Name
			}
		}
	}
}

// owners are the people in an owner's cell, each name alone.
func owners(cell string) []string { return extract.Names(cell) }

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

package api

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/org"
)

func compareRoutes(a *api) {
	route(a, http.MethodGet, "/api/projects/{project}/changes/tickets", "compare-tickets", "Compare a list of tickets at two moments: what came into it, left it, and changed in it", org.Viewer, a.compareTickets)
}

// CompareQuery names two moments and a list of tickets.
type CompareQuery struct {
	ProjectPath
	Narrowing
	From   string `query:"from" required:"true" doc:"a day (its end, UTC), an instant, an event's position or its id"`
	To     string `query:"to" doc:"as from; empty means now"`
	Status string `query:"status" doc:"only those that had this status at one of the moments"`
	Text   string `query:"q" maxLength:"1000" doc:"words in the title"`
}

// A TicketDiff is a ticket that is different in a list at two moments.
type TicketDiff struct {
	ID     string      `json:"id"`
	Op     string      `json:"op" enum:"added,removed,changed" doc:"added and removed: the list has it at one of the moments alone"`
	Gone   bool        `json:"gone,omitempty" doc:"it was deleted or merged, and did not only leave the list"`
	Then   *TicketSide `json:"then,omitempty" doc:"left out when the ticket was not there"`
	Now    *TicketSide `json:"now,omitempty" doc:"left out when the ticket is gone"`
	Others []string    `json:"others,omitempty" doc:"fields that differ and are in no cell"`
}

// A TicketSide is a ticket at one moment, as far as a list shows it.
type TicketSide struct {
	Key      string            `json:"key,omitempty"`
	Title    string            `json:"title"`
	Status   desk.TicketStatus `json:"status"`
	Priority desk.Level        `json:"priority"`
	Points   float64           `json:"points,omitempty"`
	Owner    string            `json:"owner,omitempty"`
	Due      desk.Date         `json:"due,omitempty"`
	Sprint   string            `json:"sprint,omitempty"`
}

// CompareOut is what is different in a list of tickets.
type CompareOut struct {
	Items []TicketDiff `json:"items"`
	Total int          `json:"total"`
}

// inCells are the fields of a ticket that a [TicketSide] has.
var inCells = []string{"externalRef", "title", "status", "priority", "storyPoints", "dueDate", "sprint", "sources", "imported"}

// compareTickets reads those tickets at both moments that the log says were changed or assigned between them.
func (a *api) compareTickets(ctx context.Context, in *CompareQuery) (*Body[CompareOut], error) {
	out := CompareOut{Items: []TicketDiff{}}
	if _, err := a.Clerk.Begin(ctx, a.place(ctx), in.Project); err != nil {
		return nil, err
	}
	diffs, err := a.Past.Between(ctx, in.Project, in.From, in.To)
	if err != nil {
		return nil, err
	}
	ids, others := touched(diffs)
	then, err := a.ticketsAt(ctx, in, in.From, ids)
	if err != nil {
		return nil, err
	}
	now, err := a.ticketsAt(ctx, in, in.To, ids)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		d := TicketDiff{ID: id, Then: then.sides[id], Now: now.sides[id], Others: others[id]}
		switch was, is := then.has[id], now.has[id]; {
		case was && is:
			d.Op = "changed"
		case was:
			d.Op, d.Gone = "removed", d.Now == nil
		case is:
			d.Op, d.Others = "added", nil
		}
		if d.Op == "" || d.Op == "changed" && *d.Then == *d.Now && len(d.Others) == 0 {
			continue
		}
		out.Items = append(out.Items, d)
	}
	out.Total = len(out.Items)
	return body(out, nil)
}

// touched returns the tickets that changes are of, in the order in which they were made, and which of their
// fields differ that no cell has.
func touched(diffs []desk.Diff) (ids []string, others map[string][]string) {
	others = make(map[string][]string)
	seen := make(map[string]bool)
	for _, d := range diffs {
		id := d.TicketID()
		if id != "" && !seen[id] {
			seen[id], ids = true, append(ids, id)
		}
		for _, f := range d.Fields {
			if d.ID == id && !slices.Contains(inCells, f.Field) {
				others[id] = append(others[id], f.Field)
			}
		}
	}
	return ids, others
}

// A listed is some tickets at a moment: what they were, and which of them a list had.
type listed struct {
	sides map[string]*TicketSide
	has   map[string]bool
}

// atOnce is how many tickets are asked for in one statement.
const atOnce = 5000

func (a *api) ticketsAt(ctx context.Context, in *CompareQuery, moment string, ids []string) (listed, error) {
	out := listed{make(map[string]*TicketSide), make(map[string]bool)}
	all := clerk.Query{Project: in.Project, Kind: desk.Ticket, Limit: clerk.All}
	narrow, err := in.over(desk.Ticket, all, a.Store.Desk.Mint().Now())
	if err != nil {
		return out, err
	}
	narrow.Status, narrow.Text, narrow.Sort = in.Status, in.Text, nil
	s, done, err := a.at(ctx, in.Project, moment)
	if fault.KindOf(err) == fault.NotFound { // there was no project, hence no tickets
		return out, nil
	}
	if err != nil {
		return out, err
	}
	defer done()
	for some := range slices.Chunk(ids, atOnce) {
		all.IDs, narrow.IDs = some, some
		if err := out.read(ctx, s, all); err != nil {
			return out, err
		}
		page, err := s.Records(ctx, narrow)
		if err != nil {
			return out, err
		}
		for _, r := range page.Records {
			out.has[r.ID] = true
		}
	}
	return out, nil
}

// read adds the sides of the tickets that a query finds.
func (l listed) read(ctx context.Context, s clerk.Store, q clerk.Query) error {
	page, err := s.Records(ctx, q)
	if err != nil {
		return err
	}
	owners, err := clerk.Owners(ctx, s, q.Project, page.Records)
	if err != nil {
		return err
	}
	for _, r := range page.Records {
		b, err := desk.Open[desk.TicketBody](r)
		if err != nil {
			return err
		}
		l.sides[r.ID] = &TicketSide{b.ExternalRef, b.Title, b.Status, b.Priority, b.StoryPoints, strings.Join(owners[r.ID].Names, ", "), b.DueDate, b.Sprint}
	}
	return nil
}

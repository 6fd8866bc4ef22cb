package api

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/org"
)

func compareRoutes(a *api) {
	route(a, http.MethodGet, "/api/projects/{project}/changes/tickets", "compare-tickets", "Compare a list of tickets at two moments: what came into it, left it, and changed in it", org.Viewer, a.compareTickets)
}

// CompareQuery names two moments and a list of tickets.
type CompareQuery struct {
	ProjectPath
	Narrowing
	Between
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
	Points   *float64          `json:"points,omitempty"`
	Owner    string            `json:"owner,omitempty"`
	Due      desk.Date         `json:"due,omitempty"`
	Sprint   string            `json:"sprint,omitempty"`
}

// CompareOut is what is different in a list of tickets.
type CompareOut struct {
	Items []TicketDiff `json:"items"`
	Next  string       `json:"next,omitempty" doc:"cursor of what follows; a page may have fewer items than the limit before the end"`
}

// inCells are the fields of a ticket that a [TicketSide] has.
var inCells = []string{"externalRef", "title", "status", "priority", "storyPoints", "dueDate", "sprint", "sources", "imported"}

// How many tickets are looked at together, and for one page. Fewer may be in the list.
const (
	atOnce   = 500
	mostSeen = 10_000
)

// compareTickets reads those tickets at both moments that were changed or assigned between them.
func (a *api) compareTickets(ctx context.Context, in *CompareQuery) (*Body[CompareOut], error) {
	out := CompareOut{Items: []TicketDiff{}}
	if _, err := a.Clerk.Begin(ctx, a.place(ctx), in.Project); err != nil {
		return nil, err
	}
	s, err := a.between(ctx, in.Project, in.Between)
	if err != nil {
		return nil, err
	}
	wanted := s.Limit
	for seen := 0; seen < mostSeen && len(out.Items) < wanted; seen += s.Limit {
		s.Limit = min(atOnce, wanted-len(out.Items))
		ids, next, err := a.Store.Desk.ChangedTickets(ctx, s)
		if err != nil {
			return nil, err
		}
		if out.Items, err = a.compareSome(ctx, in, s, ids, out.Items); err != nil {
			return nil, err
		}
		if s.After, out.Next = next, nextOf(s, next); next == 0 {
			break
		}
	}
	return body(out, nil)
}

// compareSome adds to out what is different of some tickets in the list.
func (a *api) compareSome(ctx context.Context, in *CompareQuery, s clerk.Span, ids []string, out []TicketDiff) ([]TicketDiff, error) {
	then, err := a.ticketsAt(ctx, in, strconv.FormatInt(int64(s.From), 10), ids)
	if err != nil {
		return nil, err
	}
	now, err := a.ticketsAt(ctx, in, strconv.FormatInt(int64(s.To), 10), ids)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		d := TicketDiff{ID: id, Then: then.sides[id], Now: now.sides[id]}
		switch was, is := then.has[id], now.has[id]; {
		case was && is:
			d.Op = "changed"
			if d.Others, err = others(then.records[id], now.records[id]); err != nil {
				return nil, err
			}
		case was:
			d.Op, d.Gone = "removed", d.Now == nil
		case is:
			d.Op = "added"
		}
		if d.Op == "" || d.Op == "changed" && *d.Then == *d.Now && len(d.Others) == 0 {
			continue
		}
		out = append(out, d)
	}
	return out, nil
}

// others are the fields that differ and that no cell has.
func others(then, now desk.Record) (out []string, err error) {
	d, _, err := desk.DiffOf(then, now)
	for _, f := range d.Fields {
		if !slices.Contains(inCells, f.Field) {
			out = append(out, f.Field)
		}
	}
	return out, err
}

// A listed is some tickets at a moment: what they were, and which of them a list had.
type listed struct {
	sides   map[string]*TicketSide
	records map[string]desk.Record
	has     map[string]bool
}

func (a *api) ticketsAt(ctx context.Context, in *CompareQuery, moment string, ids []string) (listed, error) {
	out := listed{make(map[string]*TicketSide), make(map[string]desk.Record), make(map[string]bool)}
	all := clerk.Query{Project: in.Project, Kind: desk.Ticket, IDs: ids, Limit: clerk.All}
	narrow, err := in.over(desk.Ticket, all, a.Store.Desk.Mint().Now())
	if err != nil || len(ids) == 0 {
		return out, err
	}
	narrow.Status, narrow.Text, narrow.Sort = in.Status, in.Text, nil
	s, err := a.at(ctx, moment)
	if err != nil {
		return out, err
	}
	if err := out.read(ctx, s, all); err != nil {
		return out, err
	}
	page, err := s.Records(ctx, narrow)
	for _, r := range page.Records {
		out.has[r.ID] = true
	}
	return out, err
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
		l.records[r.ID] = r
		l.sides[r.ID] = &TicketSide{b.ExternalRef, b.Title, b.Status, b.Priority, b.StoryPoints, strings.Join(owners[r.ID].Names, ", "), b.DueDate, b.Sprint}
	}
	return nil
}

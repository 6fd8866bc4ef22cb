package clerk

import (
	"context"
	"strings"

	"chela/internal/desk"
)

// Every returns all records that a query asks for.
func Every(ctx context.Context, s Store, q Query) ([]desk.Record, error) {
	q.Limit = All
	p, err := s.Records(ctx, q)
	return p.Records, err
}

// An Owner is who does a ticket, as the assignments say.
type Owner struct {
	Names       []string
	ResourceIDs []string
	Percent     float64
}

// Line is the owner in one line; nobody is UNASSIGNED.
func (o Owner) Line() string {
	if len(o.Names) == 0 {
		return "UNASSIGNED"
	}
	return strings.Join(o.Names, ", ")
}

// Owners returns who does each of the tickets.
func Owners(ctx context.Context, s Store, project string, tickets []desk.Record) (map[string]Owner, error) {
	ids := make([]string, len(tickets))
	for i, t := range tickets {
		ids[i] = t.ID
	}
	out := make(map[string]Owner)
	if len(ids) == 0 {
		return out, nil
	}
	shares, err := s.Records(ctx, Query{Project: project, Kind: desk.Assignment, RefField: "ticketId", RefTo: ids, Limit: 10 * len(ids)})
	if err != nil || len(shares.Records) == 0 {
		return out, err
	}
	people, err := Every(ctx, s, Query{Project: project, Kind: desk.Resource})
	if err != nil {
		return nil, err
	}
	names := make(map[string]string)
	for _, p := range people {
		b, err := desk.Open[desk.ResourceBody](p)
		if err != nil {
			return nil, err
		}
		names[p.ID] = b.Name
	}
	for _, r := range shares.Records {
		a, err := desk.Open[desk.AssignmentBody](r)
		if err != nil {
			return nil, err
		}
		o := out[a.TicketID]
		o.Names, o.ResourceIDs, o.Percent = append(o.Names, names[a.ResourceID]), append(o.ResourceIDs, a.ResourceID), o.Percent+a.Percent
		out[a.TicketID] = o
	}
	return out, nil
}

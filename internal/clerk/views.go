package clerk

import (
	"context"
	"strings"
	"time"

	"chela/internal/capacity"
	"chela/internal/desk"
	"chela/internal/flow"
)

// Every returns all records that a query asks for, page after page.
func Every(ctx context.Context, s Store, q Query) ([]desk.Record, error) {
	var out []desk.Record
	q.Limit = 1000
	for {
		p, err := s.Records(ctx, q)
		if err != nil {
			return nil, err
		}
		out = append(out, p.Records...)
		if q.Cursor = p.Next; p.Next == "" {
			return out, nil
		}
	}
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

// A Staffing is what capacity is computed from.
type Staffing struct {
	People  []capacity.Person
	Tickets []capacity.Ticket
	Shares  []capacity.Share
	Touched map[string]time.Time // when each ticket was changed last
}

// LoadStaffing loads a project's people, tickets and assignments.
func LoadStaffing(ctx context.Context, s Store, project string) (Staffing, error) {
	out := Staffing{Touched: make(map[string]time.Time)}
	people, err := Every(ctx, s, Query{Project: project, Kind: desk.Resource})
	if err != nil {
		return out, err
	}
	for _, r := range people {
		b, err := desk.Open[desk.ResourceBody](r)
		if err != nil {
			return out, err
		}
		out.People = append(out.People, capacity.Person{ID: r.ID, ResourceBody: b})
	}
	tickets, err := Every(ctx, s, Query{Project: project, Kind: desk.Ticket})
	if err != nil {
		return out, err
	}
	for _, r := range tickets {
		b, err := desk.Open[desk.TicketBody](r)
		if err != nil {
			return out, err
		}
		out.Tickets = append(out.Tickets, capacity.Ticket{ID: r.ID, TicketBody: b})
		out.Touched[r.ID] = r.UpdatedAt
	}
	shares, err := Every(ctx, s, Query{Project: project, Kind: desk.Assignment})
	if err != nil {
		return out, err
	}
	for _, r := range shares {
		b, err := desk.Open[desk.AssignmentBody](r)
		if err != nil {
			return out, err
		}
		out.Shares = append(out.Shares, capacity.Share{ResourceID: b.ResourceID, TicketID: b.TicketID, Percent: b.Percent})
	}
	return out, nil
}

// LoadObjectives loads a project's objectives and tickets.
func LoadObjectives(ctx context.Context, s Store, project string) ([]flow.Objective, []flow.Ticket, error) {
	objectives, err := Every(ctx, s, Query{Project: project, Kind: desk.Objective})
	if err != nil {
		return nil, nil, err
	}
	var out []flow.Objective
	for _, r := range objectives {
		b, err := desk.Open[desk.ObjectiveBody](r)
		if err != nil {
			return nil, nil, err
		}
		out = append(out, flow.Objective{ID: r.ID, ObjectiveBody: b})
	}
	records, err := Every(ctx, s, Query{Project: project, Kind: desk.Ticket})
	if err != nil {
		return nil, nil, err
	}
	var tickets []flow.Ticket
	for _, r := range records {
		b, err := desk.Open[desk.TicketBody](r)
		if err != nil {
			return nil, nil, err
		}
		tickets = append(tickets, flow.Ticket{ID: r.ID, TicketBody: b})
	}
	return out, tickets, nil
}

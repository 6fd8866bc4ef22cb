package daemon

import (
	"context"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/store"
)

// records are what contracts of tickets are about.
type records struct {
	store.Desk
	store.People
}

// Keyed implements [agent.Records].
func (r records) Keyed(ctx context.Context, project, key string) (desk.Record, bool, error) {
	p, err := r.Records(ctx, clerk.Query{Project: project, Kind: desk.Ticket, Identity: desk.SummaryOf(&desk.TicketBody{ExternalRef: key}).Identity, Limit: 1})
	if err != nil || len(p.Records) == 0 {
		return desk.Record{}, false, err
	}
	return p.Records[0], true, nil
}

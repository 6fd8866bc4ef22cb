package api

import (
	"context"

	"chela/internal/clerk"
	"chela/internal/desk"
)

// LackingContract is an open ticket whose contract can never be met here as things stand.
type LackingContract struct {
	ID    string   `json:"id"`
	Key   string   `json:"key,omitempty"`
	Title string   `json:"title"`
	Lacks []string `json:"lacks" nullable:"false" doc:"sentences"`
}

// unfinished narrows tickets to those that somebody may still say are done.
const unfinished = "has:contract NOT status:DONE,CLOSED"

func (a *api) lackingContracts(ctx context.Context, in *ProjectPath) (*Body[[]LackingContract], error) {
	q, err := Narrowing{Filter: unfinished}.over(desk.Ticket, clerk.Query{Project: in.Project, Kind: desk.Ticket, Limit: clerk.All}, a.Store.Desk.Mint().Now())
	if err != nil {
		return nil, err
	}
	page, err := a.Store.Desk.Records(ctx, q)
	if err != nil {
		return nil, err
	}
	out := []LackingContract{}
	for _, r := range page.Records {
		t, err := desk.Open[desk.TicketBody](r)
		if err != nil {
			return nil, err
		}
		if lacks := a.Library.TermsLack(ctx, t.Contract); len(lacks) > 0 {
			out = append(out, LackingContract{ID: r.ID, Key: t.ExternalRef, Title: t.Title, Lacks: lacks})
		}
	}
	return body(out, nil)
}

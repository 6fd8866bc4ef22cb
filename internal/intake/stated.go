package intake

import (
	"slices"
	"strings"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/extract"
)

// A standing is what the document says of how a ticket stands. People decide whether it is so.
type standing struct {
	topic int
	desk.SaidStatus
}

// stated records what the document says of tickets by their keys: what blocks them is on the tickets, how they stand is proposed, and what is
// called a risk is something that nobody looks at.
func (r *recorder) stated() error {
	notes := r.src.notes()
	r.stands = nil
	for _, s := range extract.StatedIn(notes) {
		ticket, err := r.keyed(s.Key)
		if err != nil {
			return err
		}
		if ticket == nil {
			continue
		}
		body, err := desk.Open[desk.TicketBody](*ticket)
		if err != nil {
			return err
		}
		if s.Status != "" {
			r.stands = append(r.stands, standing{r.under(s.Span.Line), desk.SaidStatus{TicketID: ticket.ID, Status: desk.TicketStatus(s.Status), Was: body.Status, Sources: r.source("statuses", s.Span)}})
			continue
		}
		if body.Status.Open() {
			if err := r.blockedBy(ticket, s); err != nil {
				return err
			}
		}
	}
	for _, risk := range extract.RisksIn(notes) {
		if err := r.risk(risk); err != nil {
			return err
		}
	}
	return nil
}

// keyed is the ticket of a key, nil when there is none.
func (r *recorder) keyed(key string) (*desk.Record, error) {
	ticket, ok, err := r.w.Find(desk.Ticket, strings.ToLower(key))
	if err != nil || !ok {
		return nil, err
	}
	return &ticket, nil
}

// blockedBy notes on a ticket the others that block it; what a person took out stays out. One that the ticket blocks itself is left out.
func (r *recorder) blockedBy(ticket *desk.Record, s extract.Stated) error {
	var by []string
	for _, key := range s.BlockedBy {
		other, err := r.keyed(key)
		if err != nil {
			return err
		}
		if other == nil || other.ID == ticket.ID {
			continue
		}
		body, err := desk.Open[desk.TicketBody](*other)
		if err != nil {
			return err
		}
		if body.Status.Open() && !slices.Contains(body.BlockedBy, ticket.ID) {
			by = append(by, other.ID)
		}
	}
	if len(by) == 0 {
		return nil
	}
	_, err := clerk.Edit(r.w, desk.Ticket, ticket.ID, func(b *desk.TicketBody) {
		had := len(b.BlockedBy)
		if (relation{blocked: by}).join(b, false); len(b.BlockedBy) > had {
			b.Sources = append(slices.Clone(b.Sources), r.source("dependencies", s.Span)...)
		}
	})
	return err
}

// risk makes what the document calls a risk or a blocker a blindspot, with the tickets that it names.
func (r *recorder) risk(x extract.Risk) error {
	body := &desk.BlindspotBody{Title: clipped(x.Text, 200), Category: "RISK", Severity: desk.Medium, Owner: x.Owner, Sources: r.source("risks", x.Span)}
	if len(x.Text) > 200 {
		body.Description = clipped(x.Text, 2000)
	}
	if x.Blocker {
		body.Severity = desk.High
	}
	for _, key := range extract.TicketKeys(x.Text) {
		ticket, err := r.keyed(key)
		if err != nil {
			return err
		}
		if ticket != nil {
			body.RecordIDs = append(body.RecordIDs, ticket.ID)
		}
	}
	return r.ensured(clerk.Ensure(r.w, desk.Blindspot, body))
}

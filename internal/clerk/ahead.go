package clerk

import (
	"slices"

	"chela/internal/desk"
)

// aheadAt is for how many records one query looks.
const aheadAt = 500

// Ahead reads at once what edits of many records look at: the records, their assignments and the people who have
// them. What it has read is not read again in this work.
func (w *Work) Ahead(records []desk.Record) error {
	var owned []string
	for _, r := range records {
		w.ahead[r.ID] = r
		if r.Kind.Owned() {
			owned = append(owned, r.ID)
		}
	}
	var people []string
	seen := make(map[string]bool)
	for some := range slices.Chunk(owned, aheadAt) {
		found, err := Every(w.ctx, w.store, Query{Project: w.project, Kind: desk.Assignment, RefField: "ticketId", RefTo: some})
		if err != nil {
			return err
		}
		for _, id := range some {
			w.had[id] = nil
		}
		for _, r := range found {
			a, err := desk.Open[desk.AssignmentBody](r)
			if err != nil {
				return err
			}
			w.ahead[r.ID], w.had[a.TicketID] = r, append(w.had[a.TicketID], r)
			if !seen[a.ResourceID] {
				seen[a.ResourceID] = true
				people = append(people, a.ResourceID)
			}
		}
	}
	for some := range slices.Chunk(people, aheadAt) {
		found, err := Every(w.ctx, w.store, Query{Project: w.project, IDs: some, Gone: true})
		if err != nil {
			return err
		}
		for _, r := range found {
			w.ahead[r.ID] = r
		}
	}
	return nil
}

// recorded returns a record as it is in the store.
func (w *Work) recorded(id string) (desk.Record, error) {
	if r, ok := w.ahead[id]; ok {
		return r, nil
	}
	return w.store.Record(w.ctx, id)
}

// sharesOf returns the recorded assignments of a ticket.
func (w *Work) sharesOf(ticket string) ([]desk.Record, error) {
	if had, ok := w.had[ticket]; ok {
		return slices.Clone(had), nil
	}
	p, err := w.store.Records(w.ctx, Query{Project: w.project, Kind: desk.Assignment, RefField: "ticketId", RefTo: []string{ticket}, Limit: 100})
	return p.Records, err
}

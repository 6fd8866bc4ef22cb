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

// Seek looks at once which records of a kind have one of the identities, and which have none: [Work.Find] does not ask
// for those again in this work.
func (w *Work) Seek(k desk.Kind, identities []string) error {
	for some := range slices.Chunk(identities, aheadAt) {
		p, err := w.store.Records(w.ctx, w.among(k, Query{Known: some}))
		if err != nil {
			return err
		}
		for _, identity := range some {
			w.sought[string(k)+" "+identity] = ""
		}
		for _, r := range p.Records {
			s, err := desk.Summarize(r)
			if err != nil {
				return err
			}
			if key := string(k) + " " + s.Identity; w.sought[key] == "" { // the oldest counts
				w.sought[key] = w.read(r)
			}
		}
	}
	return nil
}

// among completes a query by identity for records of a kind.
func (w *Work) among(k desk.Kind, q Query) Query {
	q.Project, q.Shared, q.Kind, q.Limit = w.project, k.Shared(), k, All
	if k.Unique() {
		q.Project = ""
	}
	return q
}

// read keeps a record that was read, and returns its id.
func (w *Work) read(r desk.Record) string {
	w.ahead[r.ID] = r
	return r.ID
}

// recorded returns a record as it is in the store. It is read once in a work.
func (w *Work) recorded(id string) (desk.Record, error) {
	if r, ok := w.ahead[id]; ok {
		return r, nil
	}
	r, err := w.store.Record(w.ctx, id)
	if err == nil {
		w.ahead[id] = r
	}
	return r, err
}

// sharesOf returns the recorded assignments of a ticket.
func (w *Work) sharesOf(ticket string) ([]desk.Record, error) {
	if had, ok := w.had[ticket]; ok {
		return slices.Clone(had), nil
	}
	p, err := w.store.Records(w.ctx, Query{Project: w.project, Kind: desk.Assignment, RefField: "ticketId", RefTo: []string{ticket}, Limit: 100})
	return p.Records, err
}

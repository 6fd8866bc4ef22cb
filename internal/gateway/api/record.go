package api

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/library"
	"chela/internal/org"
)

// AnyRecord is a record whose body depends on its kind.
type AnyRecord = RecordOf[json.RawMessage]

// AnyPath names a record of any kind, and a moment.
type AnyPath struct {
	ID string `path:"id"`
	Moment
}

// mostMentions bounds the records that are listed as referring to one.
const mostMentions = 500

func recordRoutes(a *api) {
	route(a, http.MethodGet, "/api/records/{id}", "get-record", "Get any record by its id", org.Viewer, a.record)
	route(a, http.MethodGet, "/api/records/{id}/references", "record-references", "List references from and to a record", org.Viewer, a.references)
	route(a, http.MethodGet, "/api/records/{id}/history", "record-history", "List the changes of a record, oldest first, from the log", org.Viewer, a.history)
	route(a, http.MethodGet, "/api/records/{id}/evidence", "record-evidence", "List what was found of a ticket's contract, each time an agent said that it was done, the newest first", org.Viewer, a.evidence)
	route(a, http.MethodGet, "/api/agents/{id}/outside", "agent-outside", "List what an agent changed that neither its request nor the ticket that this names does, the newest first", org.Viewer, a.outsideOf)
}

func (a *api) evidence(ctx context.Context, in *IDPath) (*Body[[]library.Proof], error) {
	r, err := a.Store.Desk.Record(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	out, err := a.Store.Workflows.Proofs(ctx, r.ID)
	return body(append([]library.Proof{}, out...), err)
}

// OutsideQuery asks for an agent's work outside of what was asked.
type OutsideQuery struct {
	ID    string `path:"id"`
	Limit int    `query:"limit" minimum:"1" maximum:"500" default:"100"`
}

func (a *api) outsideOf(ctx context.Context, in *OutsideQuery) (*Body[[]library.Outside], error) {
	out, err := a.Store.Workflows.Outside(ctx, string(agentID(in.ID)), in.Limit)
	return body(append([]library.Outside{}, out...), err)
}

// look finds a record as it is or was, with the desk it lies on.
func (a *api) look(ctx context.Context, in AnyPath) (r desk.Record, s Desk, err error) {
	if s, err = a.at(ctx, in.AsOf); err != nil {
		return r, nil, err
	}
	if r, err = s.Record(ctx, in.ID); err == nil && r.Deleted {
		err = fault.New(fault.NotFound, "The %s %s was deleted.", r.Kind.Word(), r.ID)
	}
	return r, s, err
}

func (a *api) record(ctx context.Context, in *AnyPath) (*Body[AnyRecord], error) {
	r, s, err := a.look(ctx, *in)
	if err != nil {
		return nil, err
	}
	owners, err := ownersOf(ctx, s, r)
	if err != nil {
		return nil, err
	}
	r, err = desk.Shown(r)
	return body(recordOf(r, owners, r.Body), err)
}

// A Mention is a record beside another, with the fields that name it.
type Mention struct {
	ID     string    `json:"id"`
	Kind   desk.Kind `json:"kind"`
	Title  string    `json:"title"`
	Status string    `json:"status,omitempty"`
	Fields []string  `json:"fields"`
}

// ReferencesOut is what a record refers to and what refers to it.
type ReferencesOut struct {
	To    []Mention `json:"refersTo"`
	By    []Mention `json:"referredBy"`
	Total int       `json:"referredByTotal" doc:"how many refer to it; at most 500 are listed"`
}

func (a *api) references(ctx context.Context, in *AnyPath) (*Body[ReferencesOut], error) {
	r, s, err := a.look(ctx, *in)
	if err != nil {
		return nil, err
	}
	own, err := desk.Summarize(r)
	if err != nil {
		return nil, err
	}
	out := ReferencesOut{To: []Mention{}, By: []Mention{}}
	fields := make(map[string][]string)
	var ids []string
	for _, ref := range own.Refs {
		if ref.ID != "" && !slices.Contains(fields[ref.ID], ref.Field) {
			fields[ref.ID] = append(fields[ref.ID], ref.Field)
			ids = append(ids, ref.ID)
		}
	}
	if len(ids) > 0 {
		p, err := s.Records(ctx, clerk.Query{Project: r.Project, Shared: true, IDs: ids, Limit: mostMentions})
		if err != nil {
			return nil, err
		}
		for _, to := range p.Records {
			m, err := mention(to, func(desk.Summary) []string { return fields[to.ID] })
			if err != nil {
				return nil, err
			}
			out.To = append(out.To, m)
		}
	}
	p, err := s.Records(ctx, clerk.Query{Project: r.Project, RefTo: []string{r.ID}, Limit: mostMentions})
	if err != nil {
		return nil, err
	}
	out.Total = p.Total
	for _, by := range p.Records {
		m, err := mention(by, func(sum desk.Summary) (names []string) {
			for _, ref := range sum.Refs {
				if ref.ID == r.ID && !slices.Contains(names, ref.Field) {
					names = append(names, ref.Field)
				}
			}
			return names
		})
		if err != nil {
			return nil, err
		}
		out.By = append(out.By, m)
	}
	return body(out, nameShares(ctx, s, r, p.Records, out.By))
}

// nameShares calls each assignment of r by what lies at its other end: of a ticket the
// person, of a person the ticket.
func nameShares(ctx context.Context, s Desk, r desk.Record, found []desk.Record, by []Mention) error {
	ends := make(map[string]string) // assignment → the other end
	var ids []string
	for _, f := range found {
		if f.Kind != desk.Assignment {
			continue
		}
		b, err := desk.Open[desk.AssignmentBody](f)
		if err != nil {
			return err
		}
		ends[f.ID] = b.ResourceID
		if b.ResourceID == r.ID {
			ends[f.ID] = b.TicketID
		}
		ids = append(ids, ends[f.ID])
	}
	if len(ids) == 0 {
		return nil
	}
	p, err := s.Records(ctx, clerk.Query{Project: r.Project, IDs: ids, Limit: mostMentions})
	if err != nil {
		return err
	}
	for _, end := range p.Records {
		sum, err := desk.Summarize(end)
		if err != nil {
			return err
		}
		for i := range by {
			if ends[by[i].ID] == end.ID {
				by[i].Title = sum.Title
			}
		}
	}
	return nil
}

// mention shows a record with the fields that say why it is shown.
func mention(r desk.Record, fields func(desk.Summary) []string) (Mention, error) {
	sum, err := desk.Summarize(r)
	return Mention{ID: r.ID, Kind: r.Kind, Title: sum.Title, Status: sum.Status, Fields: append([]string{}, fields(sum)...)}, err
}

// HistoryOut is what became of a record.
type HistoryOut struct {
	Items []desk.Revised `json:"items"`
}

func (a *api) history(ctx context.Context, in *AnyPath) (*Body[HistoryOut], error) {
	r, err := a.Store.Desk.Record(ctx, in.ID) // also of one that was deleted
	if err != nil {
		return nil, err
	}
	items, err := a.Past.History(ctx, r.ID, in.AsOf)
	return body(HistoryOut{items}, err)
}

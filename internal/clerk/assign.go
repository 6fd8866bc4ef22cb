package clerk

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/flow"
)

// An ownerInput is what a ticket's JSON says of who does it. Those two fields are
// views of the assignments: they are taken out of the ticket and become changes of
// assignments.
type ownerInput struct {
	said     bool
	name     string // a person's name
	resource string // a resource's id
}

func takeOwner(body json.RawMessage) (json.RawMessage, ownerInput, error) {
	var in ownerInput
	var m map[string]json.RawMessage
	if err := json.Unmarshal(body, &m); err != nil || m["owner"] == nil && m["assignedResourceId"] == nil {
		return body, in, nil //nolint:nilerr // the strict decoder says what is wrong
	}
	for field, into := range map[string]*string{"owner": &in.name, "assignedResourceId": &in.resource} {
		raw, ok := m[field]
		if !ok {
			continue
		}
		in.said = true
		if string(raw) != "null" {
			if err := json.Unmarshal(raw, into); err != nil {
				return body, in, fault.BadField(field, "It takes a text, or null for nobody.")
			}
		}
		delete(m, field)
	}
	rest, err := json.Marshal(m)
	return rest, in, err
}

// Own plans that the person of that name does a ticket.
func (w *Work) Own(ticket, name string) error {
	return w.own(ticket, ownerInput{said: true, name: name})
}

func (w *Work) own(ticket string, in ownerInput) error {
	if !in.said {
		return nil
	}
	resource := in.resource
	if resource == "" && in.name != "" {
		r, err := w.doer(in.name)
		if err != nil {
			return err
		}
		resource = r.ID
	}
	shares, err := w.shares(ticket)
	if err != nil {
		return err
	}
	for _, s := range shares {
		a, err := desk.Open[desk.AssignmentBody](s)
		if err != nil {
			return err
		}
		if a.ResourceID != resource {
			w.drop(s)
		} else {
			resource = ""
		}
	}
	if resource == "" {
		return nil
	}
	_, err = w.Assign(ticket, resource, 0, nil)
	return err
}

// shares returns the assignments of a ticket, as planned.
func (w *Work) shares(ticket string) ([]desk.Record, error) {
	var out []desk.Record
	if t, ok := w.now[ticket]; !ok || t.Version > 1 { // a ticket planned here has none elsewhere
		var err error
		if out, err = w.sharesOf(ticket); err != nil {
			return nil, err
		}
	}
	for i, r := range out {
		if planned, ok := w.now[r.ID]; ok {
			out[i] = planned
		}
	}
	for _, id := range w.shared[ticket] {
		if !slices.ContainsFunc(out, func(o desk.Record) bool { return o.ID == id }) {
			out = append(out, w.now[id])
		}
	}
	return slices.DeleteFunc(out, func(r desk.Record) bool { return r.Deleted }), nil
}

// Assign plans that a resource does a ticket; doing so twice is a conflict.
func (w *Work) Assign(ticket, resource string, percent float64, sources []desk.Source) (desk.Record, error) {
	if _, err := w.Get(desk.Ticket, ticket); err != nil {
		return desk.Record{}, err
	}
	if _, err := w.Get(desk.Resource, resource); err != nil {
		return desk.Record{}, err
	}
	shares, err := w.shares(ticket)
	if err != nil {
		return desk.Record{}, err
	}
	for _, s := range shares {
		if a, err := desk.Open[desk.AssignmentBody](s); err != nil {
			return s, err
		} else if a.ResourceID == resource {
			return s, fault.New(fault.Conflict, "The resource %s has the ticket %s already.", resource, ticket)
		}
	}
	return Add(w, desk.Assignment, &desk.AssignmentBody{ResourceID: resource, TicketID: ticket, Percent: percent, Sources: sources})
}

// Unassign plans that a resource does not do a ticket any more; it returns the
// percent that becomes free.
func (w *Work) Unassign(ticket, resource string) (float64, error) {
	shares, err := w.shares(ticket)
	if err != nil {
		return 0, err
	}
	for _, s := range shares {
		a, err := desk.Open[desk.AssignmentBody](s)
		if err != nil {
			return 0, err
		}
		if a.ResourceID == resource {
			w.drop(s)
			return a.Percent, nil
		}
	}
	return 0, fault.New(fault.NotFound, "The resource %s does not have the ticket %s.", resource, ticket)
}

// soil notes which objectives' coverage a change of r may change.
func (w *Work) soil(r desk.Record) {
	switch r.Kind {
	case desk.Objective:
		w.dirty[r.ID] = true
	case desk.Ticket:
		w.dirty[r.ID] = true
	default:
	}
}

// cover recomputes the coverage of every objective that a planned change concerns.
func (w *Work) cover() error {
	if len(w.dirty) == 0 {
		return nil
	}
	p, err := w.store.Records(w.ctx, Query{Project: w.project, Kind: desk.Objective, Limit: 5000})
	if err != nil {
		return err
	}
	byID := make(map[string]desk.Record)
	for _, r := range p.Records {
		byID[r.ID] = r
	}
	for id, r := range w.now {
		if r.Kind == desk.Objective {
			byID[id] = r
		}
	}
	for _, r := range byID {
		if err := w.coverOne(r); err != nil {
			return err
		}
	}
	w.dirty = make(map[string]bool)
	return nil
}

func (w *Work) coverOne(r desk.Record) error {
	if r.Deleted || r.MergedInto != "" {
		return nil
	}
	body, err := desk.Open[desk.ObjectiveBody](r)
	if err != nil {
		return err
	}
	tickets, changed, err := w.ticketsOf(r.ID, body)
	if err != nil || !changed && !w.dirty[r.ID] {
		return err
	}
	c := flow.Cover(flow.Objective{ID: r.ID, ObjectiveBody: body}, tickets)
	if c.Percent == body.Coverage {
		return nil
	}
	change, next, differs, err := desk.Edit(r, json.RawMessage(fmt.Sprintf(`{"coveragePercent":%g}`, c.Percent)))
	if err == nil && differs {
		w.plan(change, next)
	}
	return err
}

// ticketsOf loads the tickets that an objective names or that name it, as planned.
// changed says that the plan changes one of them, or removes it.
func (w *Work) ticketsOf(id string, o desk.ObjectiveBody) (out []flow.Ticket, changed bool, err error) {
	found := make(map[string]desk.Record)
	if len(o.TicketIDs) > 0 {
		p, err := w.store.Records(w.ctx, Query{Project: w.project, Kind: desk.Ticket, IDs: o.TicketIDs, Limit: 10_000})
		if err != nil {
			return nil, false, err
		}
		for _, r := range p.Records {
			found[r.ID] = r
		}
	}
	p, err := w.store.Records(w.ctx, Query{Project: w.project, Kind: desk.Ticket, RefField: "objectiveIds", RefTo: []string{id}, Limit: 10_000})
	if err != nil {
		return nil, false, err
	}
	for _, r := range p.Records {
		found[r.ID] = r
	}
	for tid, r := range w.now {
		if r.Kind == desk.Ticket {
			found[tid] = r
		}
	}
	for tid, r := range found {
		changed = changed || w.dirty[tid]
		if r.Deleted {
			continue
		}
		t, err := desk.Open[desk.TicketBody](r)
		if err != nil {
			return nil, false, err
		}
		out = append(out, flow.Ticket{ID: tid, TicketBody: &t})
	}
	return out, changed, nil
}

// MergeThreads plans that target takes in everything the sources hold and that what
// refers to a source refers to target. The sources stay, as merged ones.
func (w *Work) MergeThreads(target string, sources []string, title string) (desk.Record, error) {
	into, err := w.Get(desk.Thread, target)
	if err != nil {
		return into, err
	}
	all, err := desk.Open[desk.ThreadBody](into)
	if err != nil {
		return into, err
	}
	var taken []desk.Record
	for _, id := range sources {
		if id == target {
			continue
		}
		r, err := w.Get(desk.Thread, id)
		if err != nil {
			return into, err
		}
		if r.MergedInto != "" {
			return into, fault.New(fault.Conflict, "The thread %s is merged into %s already.", id, r.MergedInto)
		}
		b, err := desk.Open[desk.ThreadBody](r)
		if err != nil {
			return into, err
		}
		Absorb(&all, b)
		taken = append(taken, r)
		all.MergedFromIDs = append(append(all.MergedFromIDs, b.MergedFromIDs...), id)
		if err := w.leave(r, target, json.RawMessage(`{"lifecycle":"MERGED"}`)); err != nil {
			return into, err
		}
	}
	if title != "" {
		all.Title = title
	}
	raw, err := json.Marshal(all)
	if err != nil {
		return into, fmt.Errorf("encode thread: %w", err)
	}
	if planned, ok := w.now[target]; ok {
		into = planned
	}
	c, next, changed, err := desk.Edit(into, raw)
	if err == nil && changed {
		defer w.taking(taken...)()
		w.plan(c, next)
	}
	return next, err
}

// leave marks r as merged, with the fields that says so, and points everybody who refers
// to it at target. An assignment that target has already goes.
func (w *Work) leave(r desk.Record, target string, set json.RawMessage) error {
	c := desk.Change{ID: r.ID, Kind: r.Kind, Project: r.Project, Op: desk.Merged, Version: r.Version + 1, MergedInto: target, Set: set}
	next, err := desk.Apply(r, c, r.UpdatedAt, r.UpdatedBy)
	if err != nil {
		return err
	}
	w.plan(c, next)
	users, err := w.users(r)
	if err != nil {
		return err
	}
	for _, u := range users {
		if u.ID == target {
			continue
		}
		if err := w.repoint(u, r.ID, target); err != nil {
			return err
		}
		if !u.Kind.Once() {
			continue
		}
		if err := w.single(w.now[u.ID]); err != nil {
			return err
		}
	}
	return nil
}

// single drops an assignment when another gives the same ticket to the same person.
func (w *Work) single(a desk.Record) error {
	b, err := desk.Open[desk.AssignmentBody](a)
	if err != nil {
		return err
	}
	others, err := w.shares(b.TicketID)
	if err != nil {
		return err
	}
	for _, o := range w.now { // those that were pointed at the ticket just now
		if o.Kind == desk.Assignment && !o.Deleted {
			others = append(others, o)
		}
	}
	for _, o := range others {
		x, err := desk.Open[desk.AssignmentBody](o)
		if err != nil {
			return err
		}
		if o.ID != a.ID && x.TicketID == b.TicketID && x.ResourceID == b.ResourceID {
			w.drop(a)
			return nil
		}
	}
	return nil
}

// Absorb adds to a thread what another holds, without what it has already.
func Absorb(into *desk.ThreadBody, b desk.ThreadBody) {
	switch {
	case strings.Contains(into.Content, b.Content):
	case strings.HasPrefix(b.Content, into.Content): // the same, with more at its end
		into.Content = b.Content
	default:
		into.Content += "\n\n---\n\n" + b.Content
	}
	if into.Summary == "" {
		into.Summary = b.Summary
	}
	for _, d := range b.Decisions {
		if !slices.ContainsFunc(into.Decisions, func(x desk.Decision) bool { return x.Text == d.Text }) {
			into.Decisions = append(into.Decisions, d)
		}
	}
	for _, a := range b.Actions {
		if !slices.ContainsFunc(into.Actions, func(x desk.Action) bool { return x.Text == a.Text }) {
			into.Actions = append(into.Actions, a)
		}
	}
	for _, e := range b.Evidence {
		if !slices.ContainsFunc(into.Evidence, func(x desk.Evidence) bool { return x.Snippet == e.Snippet && x.Reference == e.Reference }) {
			into.Evidence = append(into.Evidence, e)
		}
	}
	into.Questions = union(into.Questions, b.Questions)
	into.Attendees = union(into.Attendees, b.Attendees)
	for _, a := range b.Away {
		if !slices.ContainsFunc(into.Away, func(x desk.SaidAway) bool { return x.ResourceID == a.ResourceID && x.Days == a.Days }) {
			into.Away = append(into.Away, a)
		}
	}
	for _, s := range b.Statuses {
		same := func(x desk.SaidStatus) bool { return x.TicketID == s.TicketID }
		if i := slices.IndexFunc(into.Statuses, same); i < 0 || into.Statuses[i].Status != s.Status { // the last word counts
			into.Statuses = append(slices.DeleteFunc(slices.Clone(into.Statuses), same), s)
		}
	}
	into.ObjectiveIDs = union(into.ObjectiveIDs, b.ObjectiveIDs)
	into.Sources = append(into.Sources, b.Sources...)
}

func union(a, b []string) []string {
	for _, x := range b {
		if !slices.Contains(a, x) {
			a = append(a, x)
		}
	}
	return a
}

// EnsureThread plans a thread, or that the thread of that title takes in what is new.
func (w *Work) EnsureThread(b desk.ThreadBody) (r desk.Record, made bool, err error) {
	old, ok, err := w.Find(desk.Thread, desk.Identity(&b))
	if err != nil {
		return r, false, err
	}
	if !ok {
		r, err = Add(w, desk.Thread, &b)
		return r, true, err
	}
	r, err = Edit(w, desk.Thread, old.ID, func(body *desk.ThreadBody) { Absorb(body, b) })
	return r, false, err
}

// Remember is [Ensure] for a memory that somebody keeps: one that has expired already is refused.
func Remember(w *Work, body *desk.MemoryBody) (r desk.Record, made bool, err error) {
	if err := desk.Alive(body, w.Now()); err != nil {
		return r, false, err
	}
	return Ensure(w, desk.Memory, body)
}

// Ensure plans a record, or returns the one of the same identity.
func Ensure[T desk.Thing](w *Work, k desk.Kind, body T) (r desk.Record, made bool, err error) {
	if err := body.Check(); err != nil {
		return r, false, err
	}
	if r, ok, err := w.Find(k, desk.Identity(body)); err != nil || ok {
		return r, false, err
	}
	r, err = Add(w, k, body)
	return r, true, err
}

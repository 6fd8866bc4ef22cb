package intake

import (
	"cmp"
	"slices"
	"strings"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/extract"
	"chela/internal/fault"
)

// action makes a ticket of an action, or finds the one that the action means, and returns its id. recorded is the thread as
// it was before.
func (r *recorder) action(thread string, recorded *desk.ThreadBody, a extract.Action) (string, error) {
	if len(a.Keys) > 0 { // the action is about a ticket that has a key: link, do not double it
		if old, ok, err := r.w.Find(desk.Ticket, strings.ToLower(a.Keys[0])); err != nil || ok {
			return old.ID, err
		}
	}
	old, ok, err := r.takenBefore(recorded, a)
	if err != nil {
		return "", err
	}
	if ok {
		ours, err := r.tally(old, false)
		if err != nil || !ours || a.Owner == "" {
			return old.ID, err
		}
		return old.ID, r.assign(old.ID, a.Owner, a.Span, "actions") // an attempt that died made it: so are the people of it
	}
	var doers []string
	for _, name := range owners(a.Owner) {
		id, err := r.person(name, a.Span, "actions")
		if err != nil {
			return "", err
		}
		doers = append(doers, id)
	}
	status := desk.Todo
	if a.Done {
		status = desk.Done
	}
	rec, isNew, err := r.task(&desk.TicketBody{Title: clipped(a.Text, 200), Status: status, DueDate: day(a.Due), LinkedThreads: []string{thread}, Labels: []string{"action item"}, Sources: r.source("actions", a.Span)}, doers)
	if err != nil {
		return "", err
	}
	if _, err = r.tally(rec, isNew); err != nil || a.Owner == "" {
		return rec.ID, err
	}
	return rec.ID, r.assign(rec.ID, a.Owner, a.Span, "actions")
}

// takenBefore returns the ticket of an action that the thread has already, when its meeting was taken in before: who does the
// ticket, and whether it is done, may have changed since.
func (r *recorder) takenBefore(recorded *desk.ThreadBody, a extract.Action) (desk.Record, bool, error) {
	if recorded.Date != cmp.Or(day(a.Date), day(r.m.Date)) {
		return desk.Record{}, false, nil
	}
	var ids []string
	who := make(map[string][]string) // by ticket
	for _, x := range recorded.Actions {
		if x.TicketID != "" && x.Text == clipped(a.Text, 2000) {
			ids, who[x.TicketID] = append(ids, x.TicketID), append(who[x.TicketID], owners(x.Assignee)...)
		}
	}
	for _, id := range ids {
		if !clerk.Within(owners(a.Owner), who[id]) || !clerk.Within(who[id], owners(a.Owner)) {
			continue
		}
		ticket, err := r.w.Get(desk.Ticket, id)
		if fault.KindOf(err) == fault.NotFound { // it was deleted
			continue
		}
		if err != nil || ticket.MergedInto == "" {
			return ticket, err == nil, err
		}
	}
	return desk.Record{}, false, nil
}

// task plans a ticket of an action for those who are to do it, or returns the one that is meant.
func (r *recorder) task(body *desk.TicketBody, doers []string) (rec desk.Record, made bool, err error) {
	if err := body.Check(); err != nil {
		return rec, false, err
	}
	found, err := r.w.Meant(desk.Ticket, body)
	if err != nil {
		return rec, false, err
	}
	best := 0
	for _, t := range found {
		n, err := r.fits(t, body.Status == desk.Done, doers)
		if err != nil {
			return rec, false, err
		}
		if n > best {
			rec, best = t, n
		}
	}
	if best > 0 {
		return rec, false, nil
	}
	rec, err = clerk.Add(r.w, desk.Ticket, body)
	return rec, true, err
}

// fits says how well a ticket fits an action of its title: 2 when the same people do it, 1 when one of the two names nobody,
// 0 when others do it, or when it is over and the action is not.
func (r *recorder) fits(ticket desk.Record, done bool, doers []string) (int, error) {
	b, err := desk.Open[desk.TicketBody](ticket)
	if err != nil || !b.Status.Open() && !done {
		return 0, err
	}
	have, err := r.w.DoerIDs(ticket.ID)
	return clerk.SameDoers(have, doers), err
}

// eachDoer returns the actions that a thread keeps of one: one for each of those who are to do it.
func eachDoer(a desk.Action) (out []desk.Action) {
	for _, name := range owners(a.Assignee) {
		one := a
		one.Assignee = name
		out = append(out, one)
	}
	if len(out) == 0 {
		return []desk.Action{a}
	}
	return out
}

// absorb adds actions to those of a thread. One that the thread has is not added, unless it became another ticket since; when it is done or
// cancelled by now, the thread's is.
func absorb(into *desk.ThreadBody, actions []desk.Action) {
	by := make(map[string][]int) // the places of a text
	for i, x := range into.Actions {
		by[x.Text] = append(by[x.Text], i)
	}
	for _, a := range actions {
		of := by[a.Text]
		i := slices.IndexFunc(of, func(i int) bool {
			x := into.Actions[i]
			same := x.TicketID == a.TicketID || x.TicketID == "" || a.TicketID == ""
			return same && clerk.Within(owners(a.Assignee), owners(x.Assignee)) && (a.Assignee != "" || x.Assignee == "")
		})
		switch {
		case i < 0:
			by[a.Text] = append(of, len(into.Actions))
			into.Actions = append(into.Actions, a)
		case a.Status != actionOpen && into.Actions[of[i]].Status == actionOpen:
			into.Actions[of[i]].Status, into.Actions[of[i]].Sources = a.Status, a.Sources
		}
	}
}

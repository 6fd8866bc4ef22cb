package clerk

import (
	"context"
	"encoding/json"
	"strings"

	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
)

// Agents lists the agents of the organization.
type Agents func(context.Context) ([]org.AgentID, error)

// Beside returns a clerk who knows the agents that work beside the people.
func (c *Clerk) Beside(agents Agents) *Clerk { return &Clerk{c.store, agents} }

// ByHand says that what is planned from now on is given by a person or an agent just now: a text has no NUL characters, and no reminder
// is for the past. What an import, an undo or a copy brings is taken as it is.
func (w *Work) ByHand() { w.byHand = true }

// given refuses what nobody may make a record be. before is what it was, nil for a new one.
func (w *Work) given(before *desk.Record, thing desk.Thing) error {
	if err := w.asks(before, thing); err != nil || !w.byHand {
		return err
	}
	raw, err := json.Marshal(thing)
	if err == nil && before != nil {
		raw, err = desk.Difference(before.Body, raw)
	}
	if err == nil {
		err = event.CheckKeys(raw, nil)
	}
	b, ok := thing.(*desk.ReminderBody)
	if err != nil || !ok {
		return err
	}
	var was desk.ReminderBody
	if before != nil {
		if was, err = desk.Open[desk.ReminderBody](*before); err != nil {
			return err
		}
	}
	return b.Ahead(was, w.Now())
}

// doer is the person of that name, of whom one is made when nobody is called so. By hand nobody is made of an agent: a ticket of such a person
// would wait for work that nobody begins.
func (w *Work) doer(name string) (desk.Record, error) {
	r, made, err := w.Person(name, nil)
	if err != nil || !made || !w.byHand || w.agents == nil {
		return r, err
	}
	all, err := w.agents(w.ctx)
	if err != nil {
		return r, err
	}
	called := strings.TrimPrefix(strings.TrimSpace(name), "@")
	for _, a := range all {
		if strings.EqualFold(a.Name(), called) || strings.EqualFold(string(a), called) {
			return r, fault.BadField("owner", a.Name()+" is an agent, and people do tickets. Hand it the ticket with `chela delegate TICKET "+a.Name()+"`, or by Hand to an agent on the ticket's page; a comment that says @"+a.Name()+" … does the same. Where a person is called so, add them to the project first.")
		}
	}
	return r, nil
}

package api

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"chela/internal/budget"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/model"
	"chela/internal/org"
)

func budgetRoutes(a *api) {
	route(a, http.MethodGet, "/api/budgets", "list-budgets", "List budgets with what is used and reserved", org.Viewer, a.budgets)
	route(a, http.MethodPut, "/api/budgets", "set-budget", "Set a budget; runs that wait for it check again", org.Admin, a.setBudget)
	route(a, http.MethodDelete, "/api/budgets/{id}", "remove-budget", "Delete a budget", org.Admin, a.removeBudget)
}

// BudgetOut is a budget and what was taken of it.
type BudgetOut struct {
	ID string `json:"id"`
	budget.Limit
	budget.Use
	Name    string `json:"name,omitempty" doc:"of its project"`
	Problem string `json:"problem,omitempty" doc:"what is wrong with it, and the way out"`
}

func (a *api) budgets(ctx context.Context, _ *struct{}) (*Body[[]BudgetOut], error) {
	list, err := a.Store.Budgets.LimitsNow(ctx)
	if err != nil {
		return nil, err
	}
	budget.Sort(list)
	out := []BudgetOut{}
	for _, l := range list {
		next, err := a.budgetOf(ctx, l)
		if err != nil {
			return nil, err
		}
		out = append(out, next)
	}
	return body(out, nil)
}

// budgetOf returns a budget as people see it.
func (a *api) budgetOf(ctx context.Context, l budget.Limit) (BudgetOut, error) {
	use, err := a.Store.Budgets.Use(ctx, l)
	if err != nil {
		return BudgetOut{}, err
	}
	out := BudgetOut{ID: l.ID(), Limit: l, Use: use, Problem: a.problemOf(ctx, l)}
	if l.Scope == budget.Project {
		if r, err := a.Store.Desk.Record(ctx, l.Of); err == nil { // else the problem says that it is not there
			if s, err := desk.Summarize(r); err == nil {
				out.Name = s.Title
			}
		}
	}
	return out, nil
}

func (a *api) setBudget(ctx context.Context, in *struct{ Body budget.Limit }) (*Body[BudgetOut], error) {
	l := in.Body
	if l.Scope == budget.Agent && l.Of != "" {
		l.Of = string(agentID(l.Of))
	}
	if err := l.Check(); err != nil {
		return nil, err
	}
	if err := a.spendable(ctx, l); err != nil {
		return nil, err
	}
	if err := a.changeBudget(ctx, l.ID(), budget.SetKind.Draft(a.orgPlace(ctx), l)); err != nil {
		return nil, err
	}
	return body(a.budgetOf(ctx, l))
}

// problemOf says what is wrong with a budget that is set.
func (a *api) problemOf(ctx context.Context, l budget.Limit) string {
	if err := a.spendable(ctx, l); err != nil {
		return fault.TextOf(err) + " Remove its budget: `chela budget rm " + l.ID() + "`."
	}
	if name := l.Zero(); name != "" {
		return upper(l.Name()) + " leaves 0 " + name + ", so every call waits or is refused. Set more, or remove it: `chela budget rm " + l.ID() + "`."
	}
	if l.USD != nil && l.Tokens == nil && l.Calls == nil && l.Seconds == nil && a.unpriced() {
		return upper(l.Name()) + " bounds US dollars alone, and no model that is asked here has a known price, so nothing counts. Write their prices into chela.yaml (`prices`), or bound tokens."
	}
	return ""
}

// unpriced reports whether models are asked and the price of none of them is known.
func (a *api) unpriced() bool {
	jobs, next := a.Models.Choices()
	return len(jobs) > 0 && !slices.ContainsFunc(slices.Concat(jobs, next), func(c model.Choice) bool { return c.Price != nil && c.Job != model.Embedding })
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// spendable refuses a budget of what is not there.
func (a *api) spendable(ctx context.Context, l budget.Limit) error {
	switch l.Scope {
	case budget.Agent:
		_, err := a.Store.Roster.Agent(ctx, org.AgentID(l.Of))
		return err
	case budget.Project:
		r, err := a.Store.Desk.Record(ctx, l.Of)
		if err != nil || r.Kind != desk.Project || r.Deleted {
			return fault.New(fault.NotFound, "The project %s does not exist.", l.Of)
		}
	case budget.Key:
		keys, err := a.Store.Credentials.Keys(ctx)
		if err != nil || slices.ContainsFunc(keys, func(k org.Key) bool { return k.ID == l.Of }) {
			return err
		}
		return fault.New(fault.NotFound, "There is no key %s that opens something. `chela key list` shows the ids of those that do.", l.Of)
	case budget.Organization:
	}
	return nil
}

func (a *api) removeBudget(ctx context.Context, in *IDPath) (*struct{}, error) {
	list, err := a.Store.Budgets.LimitsNow(ctx)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(list, func(l budget.Limit) bool { return l.ID() == in.ID }) {
		return nil, fault.New(fault.NotFound, "There is no budget %s.", in.ID)
	}
	return nil, a.changeBudget(ctx, in.ID, budget.RemovedKind.Draft(a.orgPlace(ctx), budget.Removed{ID: in.ID}))
}

func (a *api) changeBudget(ctx context.Context, id string, d event.Draft) error {
	return budget.Change(ctx, a.Store.Questions, a.Runs, id, party(ctx), d)
}

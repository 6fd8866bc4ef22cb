package api

import (
	"context"
	"net/http"
	"time"

	"chela/internal/budget"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/org"
)

func keyRoutes(a *api) {
	route(a, http.MethodGet, "/api/keys", "list-keys", "List your keys for programs, or everybody's for an admin; no token is shown again", org.Viewer, a.programKeys)
	route(a, http.MethodPost, "/api/keys", "make-key", "Make a key with which a program acts for you, within bounds; its token is shown once. DELETE /api/tokens/{id} revokes it", org.Viewer, a.makeKey, status(http.StatusCreated))
}

// KeyBody is a key to make.
type KeyBody struct {
	Name      string        `json:"name" doc:"what the program is for"`
	Role      org.Role      `json:"role,omitempty" enum:"owner,admin,editor,viewer" doc:"what it may do at most; when left out editor, or viewer where you are one"`
	Project   string        `json:"project,omitempty" doc:"the id of the only project that it reaches; all when left out"`
	Tools     []string      `json:"tools,omitempty" doc:"the only tools that are called for it; all when left out"`
	Agent     string        `json:"agent,omitempty" doc:"an agent elsewhere whose tasks it fetches, and nothing else; for admins"`
	PerMinute int           `json:"perMinute,omitempty" doc:"requests that it may make in a minute on one node; no bound when left out"`
	Expires   *time.Time    `json:"expiresAt,omitempty" doc:"when it ends; never when left out"`
	Per       budget.Per    `json:"per,omitempty" enum:"run,day,total" doc:"over what the budget counts; total when left out"`
	Budget    *budget.Bound `json:"budget,omitempty" doc:"what may be spent for it"`
}

// KeyMade is a key with its token.
type KeyMade struct {
	Key   org.Key `json:"key"`
	Token string  `json:"token" doc:"opens; it is shown this once"`
}

func (a *api) programKeys(ctx context.Context, _ *struct{}) (*Body[[]org.Key], error) {
	me := person(ctx)
	all, err := a.Store.Credentials.Keys(ctx)
	out := []org.Key{}
	for _, k := range all {
		if k.Person == me.ID || me.Role.AtLeast(org.Admin) {
			out = append(out, k)
		}
	}
	return body(out, err)
}

func (a *api) makeKey(ctx context.Context, in *struct{ Body KeyBody }) (*Body[KeyMade], error) {
	me, b := person(ctx), in.Body
	k := org.Key{Name: b.Name, Person: me.ID, Role: b.Role, Project: b.Project, Tools: b.Tools, PerMinute: b.PerMinute, Expires: b.Expires}
	if k.Role == "" {
		k.Role = org.Key{Role: org.Editor}.Least(me.Role)
	}
	if b.Agent != "" {
		k.Agent = agentID(b.Agent)
		m, err := a.Store.Roster.Member(ctx, k.Agent)
		switch {
		case err != nil:
			return nil, err
		case !m.Outside():
			return nil, fault.BadField("agent", "The agent "+k.Agent.Name()+" works here; only one that works elsewhere fetches tasks.")
		}
	}
	if err := k.Check(me, a.Store.Desk.Mint().Now()); err != nil {
		return nil, err
	}
	for _, t := range k.Tools {
		if _, ok := a.Tools.Now().Find(org.Whole(t)); !ok {
			return nil, fault.BadField("tools", a.Tools.Now().Missing(t))
		}
	}
	if k.Project != "" {
		if err := a.Clerk.Exists(ctx, k.Project); err != nil {
			return nil, err
		}
	}
	limit := budget.Limit{Scope: budget.Key, Of: "new", Per: b.Per}
	if b.Budget != nil {
		if limit.Bound = *b.Budget; limit.Per == "" {
			limit.Per = budget.Total
		}
		if err := limit.Check(); err != nil {
			return nil, err
		}
	}
	token := gateway.NewToken()
	at := a.orgPlace(ctx)
	k, err := a.Store.Credentials.MakeKey(ctx, token, k, func(k org.Key) []event.Draft {
		out := []event.Draft{org.KeyMadeKind.Draft(at, k), a.hall.LoggedIn(ctx, org.LoggedInKind, org.Login{Person: k.Person, How: org.ByNewKey, Token: k.ID}, at.From)}
		if b.Budget != nil {
			limit.Of = k.ID
			out = append(out, budget.SetKind.Draft(at, limit))
		}
		return out
	})
	return body(KeyMade{k, token}, err)
}

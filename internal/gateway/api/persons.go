package api

import (
	"context"
	"net/http"
	"slices"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
)

func (a *api) personRoutes() {
	route(a, http.MethodPost, "/api/persons/{id}/identities", "link-identity", "Link a channel identity to a person", org.Admin, a.link, status(http.StatusCreated))
	route(a, http.MethodDelete, "/api/persons/{id}/identities", "unlink-identity", "Unlink an identity", org.Admin, a.unlink)
	route(a, http.MethodGet, "/api/tokens", "list-tokens", "List your tokens, or everybody's for an admin; no token is shown again", org.Viewer, a.tokens)
	route(a, http.MethodDelete, "/api/tokens/{id}", "revoke-token", "Revoke a token, a login or an invitation", org.Viewer, a.revoke)
}

// TokenOut describes a token.
type TokenOut struct {
	ID      string      `json:"id" doc:"names the token; it opens nothing"`
	Person  string      `json:"person,omitempty" doc:"whose; nobody's for an invitation"`
	Purpose org.Purpose `json:"purpose" enum:"token,cookie,login,invite"`
	Role    org.Role    `json:"role,omitempty" doc:"of whom is invited"`
	Label   string      `json:"label" doc:"where it came from; for an invitation, who is invited"`
	Created time.Time   `json:"created_at"`
	Expires *time.Time  `json:"expires_at,omitempty"`
	Used    *time.Time  `json:"used_at,omitempty" doc:"when it last opened something, to the hour"`
}

func (a *api) tokens(ctx context.Context, _ *struct{}) (*Body[[]TokenOut], error) {
	me := person(ctx)
	all, err := a.Store.Credentials.Tokens(ctx)
	out := []TokenOut{}
	for _, t := range all {
		if t.Person != me.ID && !me.Role.AtLeast(org.Admin) {
			continue
		}
		shown := TokenOut{ID: t.ID, Person: t.Person, Purpose: t.Purpose, Role: org.Role(t.Role), Label: t.Label, Created: t.CreatedAt}
		if !t.ExpiresAt.IsZero() {
			shown.Expires = &t.ExpiresAt
		}
		if !t.UsedAt.IsZero() {
			shown.Used = &t.UsedAt
		}
		out = append(out, shown)
	}
	return body(out, err)
}

func (a *api) revoke(ctx context.Context, in *IDPath) (*Body[TokenGone], error) {
	me := person(ctx)
	all, err := a.Store.Credentials.Tokens(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(t org.Access) bool {
		return t.ID == in.ID && (t.Person == me.ID || me.Role.AtLeast(org.Admin))
	})
	if i < 0 {
		return nil, fault.New(fault.NotFound, "There is no token %s.", in.ID)
	}
	t := all[i]
	of := org.Person{Role: org.Role(t.Role)} // who is invited
	if t.Person != "" {
		if of, err = a.Store.People.Person(ctx, t.Person); err != nil {
			return nil, err
		}
	}
	if err := org.MayChange(me, org.RevokeToken, of); err != nil {
		return nil, err
	}
	gone := org.TokenRevoked{ID: t.ID, Person: t.Person, Purpose: t.Purpose, Label: t.Label}
	drafts := []event.Draft{org.TokenRevokedKind.Draft(a.orgPlace(ctx), gone)}
	if t.Purpose == org.CookieToken {
		drafts = append(drafts, a.hall.LoggedIn(ctx, org.LoggedOutKind, org.Login{Person: t.Person, How: org.ByRevoking, Token: t.ID}, party(ctx)))
	}
	return body(TokenGone{t.ID}, a.Store.Credentials.Revoke(ctx, t.ID, drafts...))
}

// TokenGone says which token was revoked.
type TokenGone struct {
	Revoked string `json:"revoked"`
}

// IdentityBody is an identity on a channel.
type IdentityBody struct {
	Identity string `json:"identity" doc:"a channel, a colon and a name: email:ann@example.com, slack:T1/U2"`
}

func (a *api) link(ctx context.Context, in *struct {
	IDPath
	Body IdentityBody
},
) (*Body[org.Person], error) {
	all, err := a.Store.People.Persons(ctx)
	if err != nil {
		return nil, err
	}
	if err := a.mayChange(ctx, org.LinkIdentity, in.ID); err != nil {
		return nil, err
	}
	link := org.Identity{Person: in.ID, Identity: in.Body.Identity}
	if err := org.CheckLink(all, link); err != nil {
		return nil, err
	}
	return a.about(ctx, in.ID, org.LinkedKind.Draft(a.orgPlace(ctx), link))
}

func (a *api) unlink(ctx context.Context, in *struct {
	IDPath
	Identity string `query:"identity" required:"true"`
},
) (*Body[org.Person], error) {
	if err := a.mayChange(ctx, org.UnlinkIdentity, in.ID); err != nil {
		return nil, err
	}
	return a.about(ctx, in.ID, org.UnlinkedKind.Draft(a.orgPlace(ctx), org.Identity{Person: in.ID, Identity: in.Identity}))
}

// mayChange refuses what the asker may not do about a person.
func (a *api) mayChange(ctx context.Context, act org.Act, id string) error {
	about, err := a.Store.People.Person(ctx, id)
	if err != nil {
		return err
	}
	return org.MayChange(person(ctx), act, about)
}

// about records a fact about a person and returns how they are then.
func (a *api) about(ctx context.Context, id string, d event.Draft) (*Body[org.Person], error) {
	if _, err := a.Store.Log.Append(ctx, d); err != nil {
		return nil, err
	}
	return body(a.Store.People.Person(ctx, id))
}

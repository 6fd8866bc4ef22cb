package api

import (
	"context"
	"net/http"

	"chela/internal/event"
	"chela/internal/org"
)

func (a *api) personRoutes() {
	route(a, http.MethodPost, "/api/persons/{id}/identities", "link-identity", "Link an identity, by which a channel knows the person", org.Admin, a.link, status(http.StatusCreated))
	route(a, http.MethodDelete, "/api/persons/{id}/identities", "unlink-identity", "Unlink an identity", org.Admin, a.unlink)
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
	all, err := a.Store.Persons(ctx)
	if err != nil {
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
	if _, err := a.Store.Person(ctx, in.ID); err != nil {
		return nil, err
	}
	return a.about(ctx, in.ID, org.UnlinkedKind.Draft(a.orgPlace(ctx), org.Identity{Person: in.ID, Identity: in.Identity}))
}

// about records a fact about a person and returns how they are then.
func (a *api) about(ctx context.Context, id string, d event.Draft) (*Body[org.Person], error) {
	if _, err := a.Store.Append(ctx, d); err != nil {
		return nil, err
	}
	return body(a.Store.Person(ctx, id))
}

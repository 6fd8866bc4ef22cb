package api

import (
	"context"
	"net/http"

	"chela/internal/event"
	"chela/internal/inbox"
	"chela/internal/org"
	"chela/internal/session"
)

// meRoutes add what a person has for themself; whose it is comes from who asks, so that
// nobody reaches another's.
func meRoutes(a *api) {
	route(a, http.MethodGet, "/api/me", "me", "Get the current person", org.Viewer, func(ctx context.Context, _ *struct{}) (*Body[Me], error) {
		size, err := a.Store.People.FontSize(ctx, person(ctx).ID)
		if err != nil {
			return nil, err
		}
		tour, err := a.Store.People.Tour(ctx, person(ctx).ID)
		return body(Me{person(ctx), size, tour}, err)
	})
	route(a, http.MethodPut, "/api/me/tour", "set-tour", "Say where you stand in the page's tour", org.Viewer, a.setTour)
	route(a, http.MethodGet, "/api/me/layouts", "list-layouts", "List your layouts of the page", org.Viewer, func(ctx context.Context, _ *struct{}) (*Body[[]org.Layout], error) {
		out, err := a.Store.People.Layouts(ctx, person(ctx).ID)
		return body(append([]org.Layout{}, out...), err)
	})
	route(a, http.MethodPut, "/api/me/layouts/{name}", "save-layout", "Save a layout of the page under a name", org.Viewer, a.saveLayout)
	route(a, http.MethodDelete, "/api/me/layouts/{name}", "remove-layout", "Delete one of your layouts", org.Viewer, a.removeLayout)
	route(a, http.MethodPut, "/api/conversations/{id}/read", "read-conversation", "Mark a conversation as read up to a message; the mark never moves back", org.Viewer, a.readConversation)
}

// Me is who asks.
type Me struct {
	org.Person
	FontSize int       `json:"fontSize,omitempty" doc:"the size of the page's font for you, in pixels; left out when you never said"`
	Tour     *org.Tour `json:"tour,omitempty" doc:"where you stand in the page's tour; left out when you never began it"`
}

func (a *api) setTour(ctx context.Context, in *struct{ Body org.Tour }) (*Body[org.Tour], error) {
	if err := org.CheckTour(in.Body); err != nil {
		return nil, err
	}
	_, err := a.Store.Log.Append(ctx, org.TourKind.Draft(a.minePlace(ctx), in.Body))
	return body(in.Body, err)
}

// LayoutPath names one of the asker's layouts.
type LayoutPath struct {
	Name string `path:"name" doc:"at most 60 characters"`
}

// LayoutIn is a layout to keep.
type LayoutIn struct {
	Address string `json:"address" doc:"of the page, at most 4,000 characters"`
}

func (a *api) minePlace(ctx context.Context) event.Place {
	at := a.place(ctx)
	at.Stream = event.PersonStream(person(ctx).ID)
	return at
}

func (a *api) saveLayout(ctx context.Context, in *struct {
	LayoutPath
	Body LayoutIn
},
) (*Body[[]org.Layout], error) {
	saved := org.LayoutSaved{Name: in.Name, Address: in.Body.Address}
	if err := a.Store.People.ChangeLayouts(ctx, person(ctx).ID, func(have []org.Layout) (event.Draft, error) {
		return org.LayoutSavedKind.Draft(a.minePlace(ctx), saved), org.CheckLayout(have, saved)
	}); err != nil {
		return nil, err
	}
	return body(a.Store.People.Layouts(ctx, person(ctx).ID))
}

func (a *api) removeLayout(ctx context.Context, in *LayoutPath) (*Body[[]org.Layout], error) {
	if err := a.Store.People.ChangeLayouts(ctx, person(ctx).ID, func(have []org.Layout) (event.Draft, error) {
		return org.LayoutRemovedKind.Draft(a.minePlace(ctx), org.LayoutRemoved{Name: in.Name}), org.CheckRemoval(have, in.Name)
	}); err != nil {
		return nil, err
	}
	out, err := a.Store.People.Layouts(ctx, person(ctx).ID)
	return body(append([]org.Layout{}, out...), err)
}

// ReadBody says how far.
type ReadBody struct {
	Seq event.Seq `json:"seq,omitempty" minimum:"0" doc:"of the last message that was read; left out, everything that was said"`
}

// readConversation records a mark that is further than the one that is there, and not
// further than what was said.
func (a *api) readConversation(ctx context.Context, in *struct {
	IDPath
	Body ReadBody
},
) (*Body[session.View], error) {
	v, err := a.Store.Conversations.View(ctx, in.ID, party(ctx).AgentID)
	if err = inbox.There(v.Thread, err); err != nil {
		return nil, err
	}
	last, err := a.Store.Conversations.LastMessages(ctx, in.ID, event.Newest, 1)
	if err != nil || len(last) == 0 {
		return body(v, err)
	}
	seq := last[0].Seq
	if in.Body.Seq > 0 {
		seq = min(seq, in.Body.Seq)
	}
	if seq <= v.Read {
		return body(v, nil)
	}
	at := a.minePlace(ctx)
	if _, err := a.Store.Log.Append(ctx, session.ReadKind.Draft(at, session.Read{Thread: in.ID, Seq: seq})); err != nil {
		return nil, err
	}
	return body(a.Store.Conversations.View(ctx, in.ID, party(ctx).AgentID))
}

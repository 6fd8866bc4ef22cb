package api

import (
	"context"
	"net/http"

	"chela/internal/fault"
	"chela/internal/notify"
	"chela/internal/org"
)

// Notifications are what the asker was told.
type Notifications interface {
	List(ctx context.Context, person string, all bool, limit int) ([]notify.View, error)
	Count(ctx context.Context, person string) (open, unread int, err error)
	Preferences(ctx context.Context, person string) (notify.Preferences, error)
}

// notificationRoutes add the asker's inbox; whose it is comes from who asks.
func notificationRoutes(a *api) {
	route(a, http.MethodGet, "/api/me/notifications", "list-notifications", "List what concerns you: approvals, mentions, reminders, assignments, failed runs, due tickets and grave findings, newest first", org.Viewer, a.notifications)
	route(a, http.MethodPost, "/api/me/notifications", "settle-notifications", "Mark your notifications as read, as done or as new", org.Viewer, a.settle)
	route(a, http.MethodGet, "/api/me/notifications/preferences", "notification-preferences", "Get of what you are told, where and when", org.Viewer, func(ctx context.Context, _ *struct{}) (*Body[notify.Preferences], error) {
		return body(a.Store.Notifications.Preferences(ctx, person(ctx).ID))
	})
	route(a, http.MethodPut, "/api/me/notifications/preferences", "set-notification-preferences", "Say of what you are told, where and when", org.Viewer, a.prefer)
}

// InboxQuery narrows the asker's notifications.
type InboxQuery struct {
	All   bool `query:"all" doc:"also what is done"`
	Limit int  `query:"limit" minimum:"1" maximum:"500" default:"100"`
}

// InboxOut is what concerns the asker.
type InboxOut struct {
	Items  []notify.View `json:"items"`
	Open   int           `json:"open" doc:"how many are not done"`
	Unread int           `json:"unread" doc:"how many of those are not read"`
}

func (a *api) notifications(ctx context.Context, in *InboxQuery) (*Body[InboxOut], error) {
	return body(a.inbox(ctx, in.All, in.Limit))
}

func (a *api) inbox(ctx context.Context, all bool, limit int) (out InboxOut, err error) {
	who := person(ctx).ID
	if out.Open, out.Unread, err = a.Store.Notifications.Count(ctx, who); err != nil { // first: what is counted is listed
		return out, err
	}
	if out.Items, err = a.Store.Notifications.List(ctx, who, all, limit); err != nil {
		return out, err
	}
	for i, v := range out.Items {
		if v.Reason != notify.Finding || !v.DoneAt.IsZero() {
			continue
		}
		r, err := a.Store.Desk.Record(ctx, v.Record)
		if fault.KindOf(err) == fault.NotFound {
			continue
		}
		if err == nil {
			out.Items[i].Notification, err = v.Refreshed(r)
		}
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// SettleBody says what becomes of which notifications.
type SettleBody struct {
	IDs   []string     `json:"ids,omitempty" maxItems:"500" doc:"none means all that are open"`
	State notify.State `json:"state" enum:"new,read,done"`
}

func (a *api) settle(ctx context.Context, in *struct{ Body SettleBody }) (*Body[InboxOut], error) {
	who, ids := person(ctx).ID, in.Body.IDs
	have, err := a.Store.Notifications.List(ctx, who, len(ids) > 0, 5000)
	if err != nil {
		return nil, err
	}
	mine := make(map[string]bool, len(have))
	for _, v := range have {
		mine[v.ID] = true
		if len(in.Body.IDs) == 0 {
			ids = append(ids, v.ID)
		}
	}
	for _, id := range ids {
		if !mine[id] {
			return nil, fault.New(fault.NotFound, "The notification %s does not exist, or is somebody else's.", id)
		}
	}
	if len(ids) > 0 {
		if _, err := a.Store.Log.Append(ctx, notify.SettledKind.Draft(a.minePlace(ctx), notify.Settled{IDs: ids, State: in.Body.State})); err != nil {
			return nil, err
		}
	}
	return body(a.inbox(ctx, false, 100))
}

func (a *api) prefer(ctx context.Context, in *struct{ Body notify.Preferences }) (*Body[notify.Preferences], error) {
	if err := in.Body.Check(); err != nil {
		return nil, err
	}
	if _, err := a.Store.Log.Append(ctx, notify.PreferencesKind.Draft(a.minePlace(ctx), in.Body)); err != nil {
		return nil, err
	}
	return body(a.Store.Notifications.Preferences(ctx, person(ctx).ID))
}

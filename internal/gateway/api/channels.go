package api

import (
	"context"
	"net/http"
	"slices"

	"github.com/go-chi/chi/v5"
	"rsc.io/qr"

	"chela/internal/channel"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/session"
)

// Channels are the chat platforms that conversations are held on.
type Channels interface {
	Kinds() []channel.Platform
	List(ctx context.Context) ([]channel.Status, error)
	Configure(ctx context.Context, by event.Party, o channel.Options, secrets map[string]string) (channel.Account, error)
	Remove(ctx context.Context, by event.Party, name string) error
	Test(ctx context.Context, name string) (channel.Account, error)
	PairingRequests(ctx context.Context) ([]channel.PairingRequest, error)
	Pair(ctx context.Context, by event.Party, code, person string) (channel.PairingRequest, error)
	Deliveries(ctx context.Context, f channel.Filter) ([]channel.Delivery, error)
	Resend(ctx context.Context, by event.Party, id string) (channel.Delivery, error)
	Listen(name string, w http.ResponseWriter, r *http.Request) bool
}

func channelRoutes(a *api) {
	route(a, http.MethodGet, "/api/channel-kinds", "channel-kinds", "List chat platforms and the settings of each", org.Viewer, func(context.Context, *struct{}) (*Body[[]ChannelKind], error) {
		out := []ChannelKind{}
		for _, p := range a.Channels.Kinds() {
			out = append(out, ChannelKind{Kind: p.Kind, Secrets: append([]channel.Need{}, p.Secrets...), Settings: append([]channel.Need{}, p.Settings...)})
		}
		return body(out, nil)
	})
	route(a, http.MethodGet, "/api/channels", "list-channels", "List channels with their state", org.Viewer, func(ctx context.Context, _ *struct{}) (*Body[[]channel.Status], error) {
		list, err := a.Channels.List(ctx)
		if !person(ctx).Role.AtLeast(org.Admin) {
			for i := range list {
				list[i].Link = "" // who has it has the account
			}
		}
		return body(list, err)
	})
	route(a, http.MethodPut, "/api/channels/{name}", "put-channel", "Create or edit a channel; a secret that is left out stays", org.Admin, a.putChannel)
	route(a, http.MethodDelete, "/api/channels/{name}", "remove-channel", "Delete a channel and its secrets; its conversations stay", org.Admin, func(ctx context.Context, in *ChannelPath) (*struct{}, error) {
		if err := a.mayChangeChannel(ctx, in.Name); err != nil {
			return nil, err
		}
		return nil, a.Channels.Remove(ctx, party(ctx), in.Name)
	})
	route(a, http.MethodPost, "/api/channels/{name}/test", "test-channel", "Test a channel: ask the platform for the account's name", org.Admin, func(ctx context.Context, in *ChannelPath) (*Body[channel.Account], error) {
		return body(a.Channels.Test(ctx, in.Name))
	})
	route(a, http.MethodGet, "/api/pairings", "list-pairings", "List pairing requests of unknown senders", org.Owner, func(ctx context.Context, _ *struct{}) (*Body[[]channel.PairingRequest], error) {
		return body(a.Channels.PairingRequests(ctx))
	})
	route(a, http.MethodPost, "/api/pairings/{code}", "pair", "Accept a pairing request: link its sender to a person", org.Owner, func(ctx context.Context, in *struct {
		Code string `path:"code"`
		Body struct {
			Person string `json:"person" doc:"the id of a member"`
		}
	},
	) (*Body[channel.PairingRequest], error) {
		if err := a.mayChange(ctx, org.PairIdentity, in.Body.Person); err != nil {
			return nil, err
		}
		return body(a.Channels.Pair(ctx, party(ctx), in.Code, in.Body.Person))
	})
	route(a, http.MethodGet, "/api/deliveries", "list-deliveries", "List deliveries to chat platforms, newest first", org.Viewer, func(ctx context.Context, in *DeliveryQuery) (*Body[[]channel.Delivery], error) {
		return body(a.Channels.Deliveries(ctx, channel.Filter{Channel: in.Channel, Thread: in.Thread, State: in.State, Limit: in.Limit}))
	})
	route(a, http.MethodPost, "/api/deliveries/{id}/again", "resend-delivery", "Retry a failed delivery", org.Editor, func(ctx context.Context, in *IDPath) (*Body[channel.Delivery], error) {
		return body(a.Channels.Resend(ctx, party(ctx), in.ID))
	})
}

// ChannelKind is a chat platform.
type ChannelKind struct {
	Kind     channel.Kind   `json:"kind"`
	Secrets  []channel.Need `json:"secrets"`
	Settings []channel.Need `json:"settings"`
}

// ChannelPath names a channel.
type ChannelPath struct {
	Name string `path:"name"`
}

// ChannelBody is a channel with its secrets.
type ChannelBody struct {
	Kind     channel.Kind      `json:"kind"`
	BaseURL  string            `json:"base_url,omitempty" doc:"of the platform's interface; empty is the platform's own"`
	Project  string            `json:"project,omitempty" doc:"in which conversations begin"`
	Agent    string            `json:"agent,omitempty" doc:"spoken to directly"`
	Groups   channel.Trigger   `json:"groups,omitempty" enum:"mention,always,never" doc:"which messages of a group are for us; mention when empty"`
	Chats    []string          `json:"chats,omitempty" doc:"the platform's ids of the only chats that are listened to; empty means all"`
	Settings map[string]string `json:"settings,omitempty"`
	Queue    session.Mode      `json:"queue,omitempty" enum:"steer,collect,followup,interrupt" doc:"what becomes of messages that come while an agent works, where the conversation does not say; steer when empty"`
	Off      bool              `json:"off,omitempty" doc:"it neither receives nor sends"`
	Secrets  map[string]string `json:"secrets,omitempty" writeOnly:"true" doc:"one that is left out stays, an empty one goes"`
}

// DeliveryQuery narrows deliveries.
type DeliveryQuery struct {
	Channel string        `query:"channel"`
	Thread  string        `query:"thread"`
	State   channel.State `query:"state" enum:"queued,sending,sent,delivered,failed"`
	Limit   int           `query:"limit" minimum:"1" maximum:"1000" default:"100"`
}

func (a *api) putChannel(ctx context.Context, in *struct {
	ChannelPath
	Body ChannelBody
},
) (*Body[channel.Account], error) {
	if err := a.mayChangeChannel(ctx, in.Name); err != nil {
		return nil, err
	}
	b := in.Body
	o := channel.Options{Name: in.Name, Kind: b.Kind, BaseURL: b.BaseURL, Project: b.Project, Agent: b.Agent, Groups: b.Groups, Chats: b.Chats, Settings: b.Settings, Queue: b.Queue, Off: b.Off}
	if err := a.checkChannel(ctx, &o); err != nil {
		return nil, err
	}
	return body(a.Channels.Configure(ctx, party(ctx), o, b.Secrets))
}

// checkChannel refuses a channel with an agent that is not there, or with an address that the
// asker may not have called. One that was granted before stays so.
func (a *api) checkChannel(ctx context.Context, o *channel.Options) error {
	if o.Agent != "" {
		o.Agent = string(agentID(o.Agent))
		if _, err := a.Store.Roster.Member(ctx, org.AgentID(o.Agent)); err != nil {
			if fault.KindOf(err) == fault.NotFound {
				return fault.BadField("agent", "There is no agent "+agentID(o.Agent).Name()+"; GET /api/agents lists those there are.")
			}
			return err
		}
	}
	var p channel.Platform
	for _, k := range a.Channels.Kinds() {
		if k.Kind == o.Kind {
			p = k
		}
	}
	to := o.Addresses(p)
	if len(to) == 0 {
		return nil
	}
	list, err := a.Channels.List(ctx)
	if err != nil {
		return err
	}
	if o.Inside = slices.ContainsFunc(list, func(s channel.Status) bool {
		return s.Name == o.Name && s.Kind == o.Kind && s.Inside && slices.Equal(s.Addresses(p), to)
	}); o.Inside {
		return nil
	}
	o.Inside, err = a.mayReach(ctx, "base_url", to...)
	return err
}

// mayChangeChannel refuses who is weaker than somebody whom the channel knows: with its secrets
// and its address anybody speaks as them.
func (a *api) mayChangeChannel(ctx context.Context, name string) error {
	all, err := a.Store.People.Persons(ctx)
	if err != nil {
		return err
	}
	strongest, known := org.Strongest(all, name)
	if !known {
		strongest.Role = org.Viewer
	}
	return org.MayChange(person(ctx), org.ChangeChannel, strongest)
}

// fromPlatform hands on what a platform sends. Who it is from the channel checks itself.
func (a *api) fromPlatform(w http.ResponseWriter, r *http.Request) {
	name := chi.URLParam(r, "name")
	if !a.Channels.Listen(name, w, r) {
		a.hall.Fail(w, r, fault.New(fault.NotFound, "No channel named %q listens here.", name))
	}
}

// drawLink draws the code by which a channel is joined to an account, for the page.
func (a *api) drawLink(w http.ResponseWriter, r *http.Request) {
	if _, err := a.hall.Permit(r, org.Admin); err != nil {
		a.hall.Fail(w, r, err)
		return
	}
	name := chi.URLParam(r, "name")
	list, err := a.Channels.List(r.Context())
	i := slices.IndexFunc(list, func(s channel.Status) bool { return s.Name == name && s.Link != "" })
	if err == nil && i < 0 {
		err = fault.New(fault.NotFound, "There is no code by which a channel named %q could be linked now.", name)
	}
	var code *qr.Code
	if err == nil {
		code, err = qr.Encode(list[i].Link, qr.L)
	}
	if err != nil {
		a.hall.Fail(w, r, err)
		return
	}
	code.Scale = 4
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(code.PNG()) // the client is gone
}

package api

import (
	"context"
	"net/http"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/webhook"
)

func webhookRoutes(a *api) {
	route(a, http.MethodGet, "/api/webhooks", "list-webhooks", "List the addresses outside that are told of events, with how far each was told", org.Admin, a.webhooks)
	route(a, http.MethodPost, "/api/webhooks", "add-webhook", "Tell an address outside of events from now on; its secret is shown once", org.Admin, a.addWebhook, status(http.StatusCreated))
	route(a, http.MethodPut, "/api/webhooks/{id}", "set-webhook", "Change a webhook; switched on again, it is told what happened meanwhile", org.Admin, a.setWebhook)
	route(a, http.MethodDelete, "/api/webhooks/{id}", "remove-webhook", "Delete a webhook", org.Admin, func(ctx context.Context, in *IDPath) (*struct{}, error) {
		return nil, a.Webhooks.Remove(ctx, party(ctx), in.ID)
	})
	route(a, http.MethodPost, "/api/webhooks/{id}/test", "test-webhook", "Send a webhook a message of the type webhook.test", org.Admin, func(ctx context.Context, in *IDPath) (*Body[WebhookTried], error) {
		out, err := a.Webhooks.Try(ctx, party(ctx), in.ID)
		return body(triedOf(out), err)
	})
	route(a, http.MethodPost, "/api/webhooks/{id}/secret", "rotate-webhook", "Change the secret of a webhook, and show it once; the one before signs, too, for a day", org.Admin, func(ctx context.Context, in *IDPath) (*Body[WebhookMade], error) {
		e, secret, err := a.Webhooks.Rotate(ctx, party(ctx), in.ID)
		return body(WebhookMade{e, secret}, err)
	})
	route(a, http.MethodGet, "/api/webhooks/failures", "list-webhook-failures", "List events that webhooks did not take in a day, newest first", org.Admin, func(ctx context.Context, in *struct {
		Endpoint string `query:"endpoint" doc:"the id of a webhook; all when left out"`
		Limit    int    `query:"limit" minimum:"1" maximum:"1000" default:"100"`
	},
	) (*Body[[]webhook.Failure], error) {
		out, err := a.Webhooks.Records.Failures(ctx, in.Endpoint, in.Limit)
		return body(append([]webhook.Failure{}, out...), err)
	})
	route(a, http.MethodPost, "/api/webhooks/failures/{id}/again", "resend-webhook", "Send an event that a webhook did not take once more", org.Admin, func(ctx context.Context, in *IDPath) (*Body[WebhookAgain], error) {
		f, out, err := a.Webhooks.Again(ctx, party(ctx), in.ID)
		return body(WebhookAgain{f, triedOf(out)}, err)
	})
	incomingRoutes(a)
}

func incomingRoutes(a *api) {
	route(a, http.MethodGet, "/api/webhooks/incoming", "list-incoming-webhooks", "List what systems outside may send to", org.Admin, func(ctx context.Context, _ *struct{}) (*Body[[]webhook.Incoming], error) {
		out, err := a.Webhooks.Records.Incoming(ctx)
		return body(append([]webhook.Incoming{}, out...), err)
	})
	route(a, http.MethodPut, "/api/webhooks/incoming/{name}", "set-incoming-webhook", "Let a system outside send what happens there to POST /webhooks/NAME", org.Admin, a.setIncoming)
	route(a, http.MethodDelete, "/api/webhooks/incoming/{name}", "remove-incoming-webhook", "Delete an incoming webhook", org.Admin, func(ctx context.Context, in *IncomingPath) (*struct{}, error) {
		return nil, a.Webhooks.RemoveIncoming(ctx, party(ctx), in.Name)
	})
	route(a, http.MethodGet, "/api/webhooks/incoming/{name}/received", "list-received", "List what came by an incoming webhook, newest first", org.Admin, func(ctx context.Context, in *struct {
		IncomingPath
		Limit int `query:"limit" minimum:"1" maximum:"1000" default:"100"`
	},
	) (*Body[[]webhook.Heard], error) {
		return body(a.Webhooks.Heard(ctx, in.Name, in.Limit))
	})
}

// WebhookBody is a webhook to set.
type WebhookBody struct {
	Name    string   `json:"name" doc:"what listens there"`
	URL     string   `json:"url"`
	Events  []string `json:"events" doc:"patterns of types of events, such as run.finished, desk.ticket.* or *"`
	Project string   `json:"project,omitempty" doc:"the id of the only project whose records it is told of; all when left out"`
	Off     bool     `json:"off,omitempty" doc:"it is told nothing for now"`
}

// WebhookOut is a webhook as it stands.
type WebhookOut struct {
	webhook.Endpoint
	Attempts int        `json:"attempts,omitempty" doc:"of the event that is not taken"`
	Next     *time.Time `json:"nextAt,omitempty" doc:"when it is tried again"`
	Problem  string     `json:"problem,omitempty" doc:"why it was not taken"`
	Behind   int64      `json:"behind" doc:"how many positions of the log it has not been told of"`
}

// WebhookMade is a webhook with its secret.
type WebhookMade struct {
	Webhook webhook.Endpoint `json:"webhook"`
	Secret  string           `json:"secret" doc:"it is shown this once"`
}

// WebhookTried says what came of sending.
type WebhookTried struct {
	Taken bool   `json:"taken"`
	Code  int    `json:"code,omitempty" doc:"of the answer"`
	Why   string `json:"why,omitempty"`
}

func triedOf(o webhook.Outcome) WebhookTried { return WebhookTried{o.Taken(), o.Code, o.Why} }

// WebhookAgain is a failure and what came of sending it again.
type WebhookAgain struct {
	Failure webhook.Failure `json:"failure"`
	WebhookTried
}

func (a *api) webhooks(ctx context.Context, _ *struct{}) (*Body[[]WebhookOut], error) {
	all, err := a.Webhooks.Records.Endpoints(ctx)
	if err != nil {
		return nil, err
	}
	end, err := a.Store.Log.End(ctx)
	if err != nil {
		return nil, err
	}
	out := []WebhookOut{}
	for _, e := range all {
		p, err := a.Webhooks.Records.Progress(ctx, e.ID)
		if err != nil {
			return nil, err
		}
		shown := WebhookOut{Endpoint: e, Attempts: p.Attempts, Problem: p.Why}
		if p.Attempts > 0 || e.Off {
			shown.Behind = int64(end - p.Cursor)
		}
		if !p.Next.IsZero() {
			shown.Next = &p.Next
		}
		out = append(out, shown)
	}
	return body(out, nil)
}

// checked is the endpoint of a body, when its asker may have it called.
func (a *api) checked(ctx context.Context, b WebhookBody, was webhook.Endpoint) (e webhook.Endpoint, err error) {
	e = webhook.Endpoint{ID: was.ID, Name: b.Name, URL: b.URL, Events: b.Events, Project: b.Project, Off: b.Off}
	if err := e.Check(); err != nil {
		return e, err
	}
	for _, p := range e.Events {
		if err := event.CheckPattern("events", p, a.Kinds); err != nil {
			return e, err
		}
	}
	if e.Project != "" {
		if err := a.Clerk.Exists(ctx, e.Project); err != nil {
			return e, err
		}
	}
	if was.Inside && was.URL == e.URL {
		e.Inside = true
		return e, nil
	}
	e.Inside, err = a.mayReach(ctx, "url", e.URL)
	return e, err
}

func (a *api) addWebhook(ctx context.Context, in *struct{ Body WebhookBody }) (*Body[WebhookMade], error) {
	e, err := a.checked(ctx, in.Body, webhook.Endpoint{})
	if err != nil {
		return nil, err
	}
	e, secret, err := a.Webhooks.Add(ctx, party(ctx), e)
	return body(WebhookMade{e, secret}, err)
}

func (a *api) setWebhook(ctx context.Context, in *struct {
	IDPath
	Body WebhookBody
},
) (*Body[webhook.Endpoint], error) {
	was, err := a.Webhooks.Endpoint(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	e, err := a.checked(ctx, in.Body, was)
	if err != nil {
		return nil, err
	}
	return body(a.Webhooks.Change(ctx, party(ctx), e))
}

// IncomingPath names an incoming webhook.
type IncomingPath struct {
	Name string `path:"name"`
}

// IncomingBody is an incoming webhook to set.
type IncomingBody struct {
	Kind    webhook.Kind `json:"kind" enum:"github,gitlab,jira,linear,sentry,pagerduty,generic"`
	Project string       `json:"project,omitempty" doc:"the id of the project that it is about"`
	Events  []string     `json:"events,omitempty" doc:"patterns, such as github.issues.opened or sentry.*, for which the agent is asked; all when left out"`
	Agent   string       `json:"agent,omitempty" doc:"who is asked when something comes; nobody when left out"`
	Say     string       `json:"say,omitempty" doc:"what the agent is told to do with it"`
	Off     bool         `json:"off,omitempty" doc:"it takes nothing for now"`
	Secret  string       `json:"secret,omitempty" writeOnly:"true" doc:"by which the sender signs; left out it stays, and a new webhook gets one"`
}

// IncomingMade is an incoming webhook as it was set.
type IncomingMade struct {
	Incoming webhook.Incoming `json:"incoming"`
	Path     string           `json:"path" doc:"to which the sender posts"`
	Secret   string           `json:"secret,omitempty" doc:"when it was made here; it is shown this once"`
}

func (a *api) setIncoming(ctx context.Context, in *struct {
	IncomingPath
	Body IncomingBody
},
) (*Body[IncomingMade], error) {
	b := in.Body
	w := webhook.Incoming{Name: in.Name, Kind: b.Kind, Project: b.Project, Events: b.Events, Agent: b.Agent, Say: b.Say, Off: b.Off}
	if b.Agent != "" {
		id := agentID(b.Agent)
		if _, err := a.Store.Roster.Member(ctx, id); err != nil {
			if fault.KindOf(err) == fault.NotFound {
				return nil, fault.BadField("agent", "There is no agent "+id.Name()+"; GET /api/agents lists those there are.")
			}
			return nil, err
		}
		w.Agent = string(id)
	}
	if b.Project != "" {
		if err := a.Clerk.Exists(ctx, b.Project); err != nil {
			return nil, err
		}
	}
	w, secret, err := a.Webhooks.SetIncoming(ctx, party(ctx), w, b.Secret)
	return body(IncomingMade{w, "/webhooks/" + w.Name, secret}, err)
}

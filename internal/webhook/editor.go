package webhook

import (
	"context"
	"encoding/json"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
)

// bothSign is how long the secret before the newest signs, too.
const bothSign = 24 * time.Hour

// Records are what is set up, and what failed.
type Records interface {
	Store
	Incoming(ctx context.Context) ([]Incoming, error)
	Progress(ctx context.Context, endpoint string) (Progress, error)
	Failure(ctx context.Context, id string) (Failure, error)
	Failures(ctx context.Context, endpoint string, limit int) ([]Failure, error)
}

// A Vault keeps secrets.
type Vault interface {
	Keep(ctx context.Context, by event.Party, name, value string, drafts ...event.Draft) error
	Kept(ctx context.Context, name string) (string, error)
}

// A Recorder appends to the log and finds events in it.
type Recorder interface {
	Mint() *event.Mint
	Append(ctx context.Context, drafts ...event.Draft) ([]event.Event, error)
	Events(ctx context.Context, after event.Seq, f event.Filter) ([]event.Exported, event.Seq, error)
}

// An Editor sets up webhooks for people. Sender tries deliveries; it may be set after.
type Editor struct {
	Records Records
	Vault   Vault
	Log     Recorder
	Sender  *Sender
}

func secretOf(endpoint string) string { return "webhook/" + endpoint }
func beforeOf(endpoint string) string { return "webhook/" + endpoint + "/before" }
func incomingOf(name string) string   { return "webhook-in/" + name }

// Secrets returns the secrets that sign what an endpoint is sent, the newest first.
func (d *Editor) Secrets(ctx context.Context, e Endpoint) ([]string, error) {
	secret, err := d.Vault.Kept(ctx, secretOf(e.ID))
	if err != nil {
		return nil, err
	}
	if secret == "" {
		return nil, fault.New(fault.Unavailable, "The secret of the webhook %q is not in the vault; change it with `chela webhook secret %s`.", e.Name, e.ID)
	}
	out := []string{secret}
	if e.Rotated != nil && d.Log.Mint().Now().Sub(*e.Rotated) < bothSign {
		before, err := d.Vault.Kept(ctx, beforeOf(e.ID))
		if err != nil {
			return nil, err
		}
		if before != "" {
			out = append(out, before)
		}
	}
	return out, nil
}

// IncomingSecret returns the secret of an incoming webhook.
func (d *Editor) IncomingSecret(ctx context.Context, name string) (string, error) {
	return d.Vault.Kept(ctx, incomingOf(name))
}

// Add makes an endpoint and returns it with its secret, which is shown this once.
func (d *Editor) Add(ctx context.Context, by event.Party, e Endpoint) (Endpoint, string, error) {
	if err := e.Check(); err != nil {
		return e, "", err
	}
	e.ID, e.By, e.Why, e.Rotated = d.Log.Mint().ID("whk"), by, "", nil
	secret := NewSecret()
	return e, secret, d.Vault.Keep(ctx, by, secretOf(e.ID), secret, EndpointSetKind.Draft(Place(d.Log.Mint(), by), e))
}

// Endpoint returns an endpoint; a fault.NotFound says that there is none.
func (d *Editor) Endpoint(ctx context.Context, id string) (Endpoint, error) {
	all, err := d.Records.Endpoints(ctx)
	if err != nil {
		return Endpoint{}, err
	}
	for _, e := range all {
		if e.ID == id {
			return e, nil
		}
	}
	return Endpoint{}, fault.New(fault.NotFound, "There is no webhook %s.", id)
}

// Change sets an endpoint anew. Switched on, it is told what happened meanwhile.
func (d *Editor) Change(ctx context.Context, by event.Party, e Endpoint) (Endpoint, error) {
	if err := e.Check(); err != nil {
		return e, err
	}
	was, err := d.Endpoint(ctx, e.ID)
	if err != nil {
		return e, err
	}
	e.By, e.Rotated, e.Why = by, was.Rotated, ""
	_, err = d.Log.Append(ctx, EndpointSetKind.Draft(Place(d.Log.Mint(), by), e))
	return e, err
}

// Remove takes an endpoint away, with its secrets.
func (d *Editor) Remove(ctx context.Context, by event.Party, id string) error {
	if _, err := d.Endpoint(ctx, id); err != nil {
		return err
	}
	if err := d.Vault.Keep(ctx, by, beforeOf(id), ""); err != nil {
		return err
	}
	return d.Vault.Keep(ctx, by, secretOf(id), "", EndpointRemovedKind.Draft(Place(d.Log.Mint(), by), Removed{id}))
}

// Rotate gives an endpoint a new secret, which is shown this once. The one before signs, too, for a day.
func (d *Editor) Rotate(ctx context.Context, by event.Party, id string) (Endpoint, string, error) {
	e, err := d.Endpoint(ctx, id)
	if err != nil {
		return e, "", err
	}
	before, err := d.Vault.Kept(ctx, secretOf(id))
	if err != nil {
		return e, "", err
	}
	if err := d.Vault.Keep(ctx, by, beforeOf(id), before); err != nil {
		return e, "", err
	}
	e.Rotated = new(d.Log.Mint().Now().UTC())
	secret := NewSecret()
	return e, secret, d.Vault.Keep(ctx, by, secretOf(id), secret, EndpointSetKind.Draft(Place(d.Log.Mint(), by), e))
}

// Try sends an endpoint a message of the type webhook.test, now.
func (d *Editor) Try(ctx context.Context, by event.Party, id string) (Outcome, error) {
	e, err := d.Endpoint(ctx, id)
	if err != nil {
		return Outcome{}, err
	}
	at := Place(d.Log.Mint(), by)
	return d.Sender.Deliver(ctx, e, event.Event{Stream: event.OrgStream, At: d.Log.Mint().Now(), Message: event.Message{
		ID: d.Log.Mint().ID("msg"), Type: namespace + "test", ThreadID: at.Thread, RunID: at.Run, From: by, Payload: json.RawMessage(`{"message":"This is a test."}`),
	}})
}

// Again sends what an endpoint did not take once more, now, and records what came of it.
func (d *Editor) Again(ctx context.Context, by event.Party, id string) (Failure, Outcome, error) {
	f, err := d.Records.Failure(ctx, id)
	if err != nil {
		return f, Outcome{}, err
	}
	e, err := d.Endpoint(ctx, f.Endpoint)
	if err != nil {
		return f, Outcome{}, err
	}
	found, _, err := d.Log.Events(ctx, f.Seq-1, event.Filter{Limit: 1})
	if err != nil {
		return f, Outcome{}, err
	}
	if len(found) == 0 || found[0].Seq != f.Seq || found[0].Erased {
		return f, Outcome{}, fault.New(fault.Conflict, "The event %d was erased, so that it cannot be sent.", f.Seq)
	}
	out, err := d.Sender.Deliver(ctx, e, found[0].Event)
	if err != nil {
		return f, out, err
	}
	if _, err := d.Log.Append(ctx, SentAgainKind.Draft(Place(d.Log.Mint(), by), SentAgain{id, out.Why})); err != nil {
		return f, out, err
	}
	f, err = d.Records.Failure(ctx, id)
	return f, out, err
}

// SetIncoming sets an incoming webhook. A secret that is empty stays; a new webhook of the kind generic
// without one gets one. It returns the secret when it was made here.
func (d *Editor) SetIncoming(ctx context.Context, by event.Party, in Incoming, secret string) (Incoming, string, error) {
	if err := in.Check(); err != nil {
		return in, "", err
	}
	in.By = by
	have, err := d.Vault.Kept(ctx, incomingOf(in.Name))
	if err != nil {
		return in, "", err
	}
	made := ""
	if secret == "" && have == "" {
		made = NewSecret()
		secret = made
	}
	if secret != "" && in.Kind == Generic {
		if _, err := NewSigner(secret); err != nil {
			return in, "", err
		}
	}
	draft := IncomingSetKind.Draft(Place(d.Log.Mint(), by), in)
	if secret == "" {
		_, err = d.Log.Append(ctx, draft)
		return in, "", err
	}
	return in, made, d.Vault.Keep(ctx, by, incomingOf(in.Name), secret, draft)
}

// RemoveIncoming takes an incoming webhook away, with its secret.
func (d *Editor) RemoveIncoming(ctx context.Context, by event.Party, name string) error {
	all, err := d.Records.Incoming(ctx)
	if err != nil {
		return err
	}
	for _, in := range all {
		if in.Name == name {
			return d.Vault.Keep(ctx, by, incomingOf(name), "", IncomingRemovedKind.Draft(Place(d.Log.Mint(), by), Removed{name}))
		}
	}
	return fault.New(fault.NotFound, "There is no incoming webhook named %q.", name)
}

// Heard returns what came by an incoming webhook, the newest first.
func (d *Editor) Heard(ctx context.Context, name string, limit int) ([]Heard, error) {
	found, _, err := d.Log.Events(ctx, 0, event.Filter{Stream: streamOf(name), Type: ReceivedKind.Name, Limit: limit, Newest: true})
	if err != nil {
		return nil, err
	}
	out := make([]Heard, 0, len(found))
	for _, e := range found {
		if r, ok, err := ReceivedKind.Open(e.Event); ok && err == nil && !e.Erased {
			out = append(out, Heard{r, e.Seq, e.At})
		}
	}
	return out, nil
}

// A Heard is something that came, and when.
type Heard struct {
	Received
	Seq event.Seq `json:"seq"`
	At  time.Time `json:"at"`
}

func streamOf(name string) string { return event.ChannelStream("webhook/" + name) }

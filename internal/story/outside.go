package story

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"

	"chela/internal/fault"
	"chela/internal/gateway/client"
)

// A Key is one that somebody makes for a program, or a schedule that they make.
type Key struct {
	Day  int             `json:"day"`
	By   string          `json:"by"`
	Body json.RawMessage `json:"body"`
}

// A Secret is one that the owner puts into the vault.
type Secret struct {
	Day   int    `json:"day"`
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A Hook is an incoming webhook of the kind github, and what came by it.
type Hook struct {
	Day   int             `json:"day"`
	By    string          `json:"by"`
	Name  string          `json:"name"`
	Body  json.RawMessage `json:"body"`
	Posts []Post          `json:"posts"`
}

// A Post is something that came.
type Post struct {
	Day   int             `json:"day"`
	Event string          `json:"event"` // as the sender names it
	Body  json.RawMessage `json:"body"`
}

// outside adds what has to do with programs and systems outside: keys, secrets, skills, webhooks.
func (s Story) outside(add func(day int, name string, do func(ctx context.Context, t *teller) error)) {
	for _, k := range s.Keys {
		add(k.Day, "key", k.make("/api/keys"))
	}
	for _, k := range s.Schedules {
		add(k.Day, "schedule", k.make("/api/schedules"))
	}
	for _, v := range s.Secrets {
		add(v.Day, v.Name, v.put)
	}
	for _, k := range s.Skills {
		add(k.Day, k.Name, k.install)
	}
	for _, h := range s.Hooks {
		add(h.Day, h.Name, h.set)
		for _, p := range h.Posts {
			add(p.Day, h.Name, func(ctx context.Context, t *teller) error { return p.send(ctx, t, h) })
		}
	}
}

// make makes one at an address of the API.
func (k Key) make(at string) func(ctx context.Context, t *teller) error {
	return func(ctx context.Context, t *teller) error { return t.call(ctx, k.By, http.MethodPost, at, k.Body, nil) }
}

func (s Secret) put(ctx context.Context, t *teller) error {
	return t.call(ctx, "", http.MethodPut, "/api/vault/secrets/"+s.Name, client.SecretInBody{Value: s.Value}, nil)
}

// secret signs what comes by a story's webhook.
func (h Hook) secret() string { return "the secret of " + h.Name }

func (h Hook) set(ctx context.Context, t *teller) error {
	var body map[string]any
	if err := json.Unmarshal(h.Body, &body); err != nil {
		return fault.Wrap(err, fault.Invalid, "The story's webhook %s cannot be read.", h.Name)
	}
	body["secret"] = h.secret()
	return t.call(ctx, h.By, http.MethodPut, "/api/webhooks/incoming/"+h.Name, body, nil)
}

// send posts as the system outside does.
func (p Post) send(ctx context.Context, t *teller, h Hook) error {
	c, err := t.as(h.By)
	if err != nil {
		return err
	}
	m := hmac.New(sha256.New, []byte(h.secret()))
	_, _ = m.Write(p.Body) // never fails
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.Address()+"/webhooks/"+h.Name, bytes.NewReader(p.Body))
	if err != nil {
		return fmt.Errorf("prepare a webhook: %w", err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-GitHub-Event", p.Event)
	r.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(m.Sum(nil)))
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return fmt.Errorf("send a webhook: %w", err)
	}
	defer func() { _ = res.Body.Close() }() // nobody reads it
	if res.StatusCode != http.StatusOK {
		return fault.New(fault.Invalid, "The story's webhook %s was answered %s.", h.Name, res.Status)
	}
	return nil
}

package openai

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/org"
	"chela/internal/talk"
)

// A listed model is what programs choose from.
type listed struct {
	ID      string `json:"id"`
	Object  string `json:"object"` // model
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`

	name string // for people
}

// all lists the agents that may be spoken to, and the models to which is passed on.
func (d *door) all(ctx context.Context) ([]listed, error) {
	members, err := d.talk.Store.Agents.Members(ctx)
	if err != nil {
		return nil, err
	}
	created := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Unix() // OpenAI's have one
	out := []listed{{talk.Controller, "model", created, "chela", "Chela"}}
	for _, m := range members {
		if m.Ready() == nil {
			out = append(out, listed{talk.AgentPrefix + m.Card.AgentID.Name(), "model", created, "chela", m.Card.Display.Name})
		}
	}
	for _, p := range d.talk.Models.List() {
		out = append(out, listed{talk.ModelPrefix + p.Name + "/" + p.Model, "model", created, p.Name, p.Model})
	}
	return out, nil
}

func (d *door) models(w http.ResponseWriter, r *http.Request) error {
	all, err := d.look(r)
	if err != nil {
		return err
	}
	if r.Header.Get("Anthropic-Version") != "" {
		return asAnthropic(w, all)
	}
	return write(w, map[string]any{"object": "list", "data": all})
}

func (d *door) oneModel(w http.ResponseWriter, r *http.Request) error {
	all, err := d.look(r)
	if err != nil {
		return err
	}
	id := strings.TrimPrefix(r.URL.Path, "/v1/models/")
	for _, m := range all {
		if m.ID != id {
			continue
		}
		if r.Header.Get("Anthropic-Version") != "" {
			return write(w, ofAnthropic(m))
		}
		return write(w, m)
	}
	return talk.NoModel(id)
}

func (d *door) look(r *http.Request) ([]listed, error) {
	if r.Method != http.MethodGet {
		return nil, gateway.WithStatus(http.StatusMethodNotAllowed, fault.New(fault.Invalid, "%s takes GET, not %s.", r.URL.Path, r.Method))
	}
	if _, err := d.hall.PermitScoped(r, org.Viewer); err != nil {
		return nil, err
	}
	return d.all(r.Context())
}

// An anthropicModel is a listed model in Anthropic's form, which asks at the same address.
type anthropicModel struct {
	ID          string    `json:"id"`
	Type        string    `json:"type"` // model
	DisplayName string    `json:"display_name"`
	CreatedAt   time.Time `json:"created_at"`
}

func ofAnthropic(m listed) anthropicModel {
	return anthropicModel{m.ID, "model", m.name, time.Unix(m.Created, 0).UTC()}
}

func asAnthropic(w http.ResponseWriter, all []listed) error {
	out := make([]anthropicModel, len(all))
	for i, m := range all {
		out[i] = ofAnthropic(m)
	}
	return write(w, map[string]any{"data": out, "has_more": false, "first_id": out[0].ID, "last_id": out[len(out)-1].ID})
}

func write(w http.ResponseWriter, v any) error {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client is gone
	return nil
}

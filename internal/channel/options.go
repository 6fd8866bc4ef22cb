package channel

import (
	"fmt"
	"net/url"
	"slices"

	"chela/internal/fault"
	"chela/internal/pattern"
	"chela/internal/session"
)

// Options are how a channel is configured, without its secrets.
type Options struct {
	Name     string            `json:"name"`
	Kind     Kind              `json:"kind"`
	BaseURL  string            `json:"base_url,omitempty"` // of the platform's interface; empty is the platform's own
	Project  string            `json:"project,omitempty"`  // in which conversations begin
	Agent    string            `json:"agent,omitempty"`    // spoken to directly
	Groups   Trigger           `json:"groups,omitempty"`   // empty is Mention
	Chats    []string          `json:"chats,omitempty"`    // the platform's ids of the only chats that are listened to; empty means all
	Settings map[string]string `json:"settings,omitempty"` // the platform's own
	Queue    session.Mode      `json:"queue,omitempty"`    // what becomes of messages that come while an agent works, where the conversation does not say; empty is steer
	Off      bool              `json:"off,omitempty"`      // it neither receives nor sends
	Inside   bool              `json:"inside,omitempty"`   // an owner has set its addresses, which may lie inside
}

// Addresses are those that somebody has set and that we call.
func (o Options) Addresses(p Platform) []string {
	var out []string
	for _, n := range p.Settings {
		if to := o.Settings[n.Name]; n.Called && to != "" {
			out = append(out, to)
		}
	}
	if o.BaseURL != "" {
		out = append(out, o.BaseURL)
	}
	return out
}

// A Trigger says which messages of a group are for us.
type Trigger string

// The triggers.
const (
	Mention Trigger = "mention" // those that mention us or answer us
	Always  Trigger = "always"
	Never   Trigger = "never"
)

var nameForm = pattern.New(`^[a-z][a-z0-9-]{0,39}$`)

// Check refuses options that cannot be right for the platform.
func (o Options) Check(p Platform) error {
	if !nameForm.MatchString(o.Name) {
		return fault.BadField("name", "The name of a channel has up to 40 small letters, digits and hyphens, and begins with a letter.")
	}
	if o.BaseURL != "" {
		u, err := url.Parse(o.BaseURL)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
			return fault.BadField("base_url", fmt.Sprintf("%q is no address such as https://api.example.com.", o.BaseURL))
		}
	}
	if o.Groups != "" && o.Groups != Mention && o.Groups != Always && o.Groups != Never {
		return fault.BadField("groups", fmt.Sprintf("Groups are listened to by mention, always or never, not %q.", o.Groups))
	}
	if o.Queue != "" && !o.Queue.Valid() {
		return fault.BadField("queue", fmt.Sprintf("The queue mode is steer, collect, followup or interrupt, not %q.", o.Queue))
	}
	for name := range o.Settings {
		if !slices.ContainsFunc(p.Settings, func(n Need) bool { return n.Name == name }) {
			return fault.BadField("settings", fmt.Sprintf("A channel of the kind %s has no setting %q.", p.Kind, name))
		}
	}
	for _, n := range p.Settings {
		if !n.Optional && o.Settings[n.Name] == "" {
			return fault.BadField("settings", fmt.Sprintf("A channel of the kind %s needs the setting %s: %s", p.Kind, n.Name, n.Help))
		}
	}
	return nil
}

package slack

import (
	"cmp"
	"context"
	"net/url"
	"time"
)

const (
	nameLife = time.Hour
	nameWait = 2 * time.Second // Slack wants to hear within three that we have a message
)

// A person is a name and when we heard it.
type person struct {
	name string
	at   time.Time
}

// nameOf returns how Slack shows a person; their id when it does not say
// (docs.slack.dev/reference/methods/users.info, scope users:read).
func (a *Adapter) nameOf(ctx context.Context, id string) string {
	if p, ok := a.people.get(id); ok && time.Since(p.at) < nameLife {
		return p.name
	}
	ctx, cancel := context.WithTimeout(ctx, nameWait)
	defer cancel()
	var out struct {
		User struct {
			Name    string `json:"name"`
			Real    string `json:"real_name"`
			Profile struct {
				Display string `json:"display_name"`
				Real    string `json:"real_name"`
			} `json:"profile"`
		} `json:"user"`
	}
	err := a.api.call(ctx, a.bot, "users.info", url.Values{"user": {id}}, &out)
	u := out.User
	name := oneLine(cmp.Or(u.Profile.Display, u.Profile.Real, u.Real, u.Name, id))
	if err != nil {
		a.log.DebugContext(ctx, "the name of a person is not known", "channel", a.name, "person", id, "error", err)
	}
	a.people.put(id, person{name, time.Now()}) // whoever is not to be asked is not asked each time
	return name
}

// begunWithUs reports whether a thread hangs under a message that mentions us or is ours: what
// is said in it is said to us. The scope is that of the events
// (docs.slack.dev/reference/methods/conversations.history, "Retrieving a single message").
func (a *Adapter) begunWithUs(ctx context.Context, chat, ts string) (bool, error) {
	key := chat + "/" + ts
	if ours, ok := a.begun.get(key); ok {
		return ours, nil
	}
	ctx, cancel := context.WithTimeout(ctx, nameWait)
	defer cancel()
	var out history
	err := a.api.call(ctx, a.bot, "conversations.history", url.Values{"channel": {chat}, "latest": {ts}, "oldest": {ts}, "inclusive": {"true"}, "limit": {"1"}}, &out)
	if err != nil && failureOf(err).passing() {
		return false, err
	}
	if err != nil {
		a.log.WarnContext(ctx, "it is not known who began a thread; who is in it must mention the bot", "channel", a.name, "error", err)
	}
	ours := false
	r := reader{me: *a.me.Load(), name: func(_ context.Context, id string) string { return id }}
	for _, m := range out.Messages {
		ours = ours || m.TS == ts && (m.by(r.me) || r.heard(ctx, m.Text).called)
	}
	a.begun.put(key, ours)
	return ours, nil
}

// passing reports whether the same question may be answered a while later.
func (f *failure) passing() bool {
	if f.Code == "" {
		return true
	}
	w, _ := meaning(f.Code)
	return w == later || w == unclear
}

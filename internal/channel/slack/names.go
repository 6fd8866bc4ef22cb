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
	// So many names, and files, are asked for because of one message.
	mostNames = 8
	mostFiles = 8
)

// A person is a name and when we heard it.
type person struct {
	name string
	at   time.Time
}

// naming returns how the people in one message are called. So many names are asked for, and no
// more: of others the id is told.
func (a *Adapter) naming() func(context.Context, string) string {
	asked := 0
	return func(ctx context.Context, id string) string {
		if p, ok := a.people.Get(id); ok && time.Since(p.at) < nameLife {
			return p.name
		}
		if asked++; asked > mostNames {
			return id
		}
		return a.nameOf(ctx, id)
	}
}

// nameOf asks how Slack shows a person; their id is what they are called when it does not say
// (docs.slack.dev/reference/methods/users.info, scope users:read). Whoever is not to be asked is
// not asked each time, and who does not answer not in the next minute.
func (a *Adapter) nameOf(ctx context.Context, id string) string {
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
	now := time.Now()
	if err != nil {
		a.log.DebugContext(ctx, "the name of a person is not known", "channel", a.name, "person", id, "error", err)
		if failureOf(err).passing() {
			now = now.Add(time.Minute - nameLife)
		}
	}
	u := out.User
	name := oneLine(cmp.Or(u.Profile.Display, u.Profile.Real, u.Real, u.Name, id))
	a.people.Put(id, person{name, now})
	return name
}

// begunWithUs reports whether a thread hangs under a message that mentions us or is ours: what
// is said in it is said to us. The scope is that of the events
// (docs.slack.dev/reference/methods/conversations.history, "Retrieving a single message").
func (a *Adapter) begunWithUs(ctx context.Context, chat, ts string) (bool, error) {
	key := chat + "/" + ts
	if ours, ok := a.begun.Get(key); ok {
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
	a.begun.Put(key, ours)
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

package discord

import (
	"context"
	"encoding/json"
	"time"

	"chela/internal/channel"
)

// markEvery is how often it is kept up to where a session was taken. What was taken after that and
// comes once more is known by its id.
const markEvery = 5 * time.Second

// A mark is what the next life goes on with.
type mark struct {
	Bot     string   `json:"bot"`     // whose session it is: a channel may get another
	Intents int      `json:"intents"` // what the session hears: another version may want more
	Session string   `json:"session"`
	URL     string   `json:"url"`
	Seq     int64    `json:"seq"`
	Roles   []string `json:"roles"` // ours; only the beginning of a session tells them
}

// recall takes up the session of an earlier life, once: over it comes what nobody heard since.
// Discord keeps it for some minutes.
func (a *Adapter) recall(ctx context.Context, in channel.Inbox) error {
	if a.kept.recalled() {
		return nil
	}
	text, err := in.Marked(ctx)
	if err != nil {
		return err
	}
	var m mark
	if json.Unmarshal([]byte(text), &m) != nil || m.Bot != a.kept.self().ID || m.Intents != intents || m.Session == "" || m.Seq <= 0 {
		m = mark{}
	}
	a.kept.recall(session{id: m.Session, url: m.URL, seq: m.Seq}, m.Roles)
	return nil
}

// mark keeps where the session stands: at once after its beginning and after what has no id of its
// own, else now and then.
func (l *link) mark(ctx context.Context, e event) error {
	now := time.Since(l.marked) >= markEvery
	switch e.name {
	case "READY", "MESSAGE_DELETE", "MESSAGE_DELETE_BULK", "MESSAGE_REACTION_ADD", "MESSAGE_REACTION_REMOVE", "INTERACTION_CREATE":
		now = true
	}
	if !now {
		return nil
	}
	s := l.a.kept.open()
	raw, err := json.Marshal(mark{l.a.kept.self().ID, intents, s.id, s.url, s.seq, l.a.kept.ourRoles()})
	if err != nil || s.id == "" {
		return err
	}
	l.marked = time.Now()
	return l.in.Mark(ctx, string(raw))
}

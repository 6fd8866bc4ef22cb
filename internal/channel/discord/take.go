package discord

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"chela/internal/channel"
)

// An event is one that waits to be taken. Those that are nothing for us have only their number.
type event struct {
	seq   int64
	name  string
	raw   json.RawMessage
	chats []recent // of a server
}

// sort has an event wait for its turn. What servers look like is learned at once.
func (l *link) sort(ctx context.Context, f frame) error {
	e := event{seq: f.Seq.V}
	switch f.Name.V {
	case "READY":
		var r ready
		if err := json.Unmarshal(f.Data, &r); err != nil || r.Session == "" || !snowflake(r.User.ID) {
			return l.a.noDiscord("its gateway does not say who the bot is")
		}
		l.a.kept.meet(r.User)
		e.name, e.raw = f.Name.V, f.Data
	case "GUILD_CREATE":
		e.name, e.chats = f.Name.V, l.a.learnGuild(f.Data)
	case "RESUMED", "MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_DELETE", "MESSAGE_DELETE_BULK", "MESSAGE_REACTION_ADD", "MESSAGE_REACTION_REMOVE", "INTERACTION_CREATE":
		if len(f.Data) > maxEvent {
			l.a.log.WarnContext(ctx, "an event of Discord is too large and passed over", "channel", l.a.name, "event", f.Name.V)
			break
		}
		e.name, e.raw = f.Name.V, f.Data
	default:
		l.a.learn(f.Name.V, f.Data)
	}
	select {
	case l.events <- e:
		return nil
	default:
	}
	l.full.Store(true)
	defer l.full.Store(false)
	defer l.heard.Store(true) // the answer may lie behind what was waited for
	select {
	case l.events <- e:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// learnGuild keeps where the channels of a server are and which role is ours, and returns the
// channels in which there may be something new.
func (a *Adapter) learnGuild(raw []byte) []recent {
	var g guild
	if json.Unmarshal(raw, &g) != nil {
		return nil
	}
	for _, r := range g.Roles.V {
		a.kept.learnRole(r)
	}
	var out []recent
	for _, list := range [][]chat{g.Channels.V, g.Threads.V} {
		for _, c := range list {
			if !snowflake(c.ID) {
				continue
			}
			p := c.place()
			a.kept.learn(c.ID, p)
			if c.Type != chatForum && c.Type != chatMedia && a.hears(c.ID, p) && snowflake(c.Last.V) {
				out = append(out, recent{chat: c.ID, last: number(c.Last.V), since: when(g.Joined.V, g.ID)})
			}
		}
	}
	return out
}

// hears reports whether a channel is one that is listened to.
func (a *Adapter) hears(id string, p place) bool {
	if len(a.chats) == 0 {
		return true
	}
	for _, c := range a.chats {
		if c == id || c == p.parent {
			return true
		}
	}
	return false
}

// learn reads what a change of a server says about channels and roles.
func (a *Adapter) learn(name string, raw []byte) {
	switch name {
	case "CHANNEL_CREATE", "CHANNEL_UPDATE", "THREAD_CREATE", "THREAD_UPDATE":
		var c chat
		if json.Unmarshal(raw, &c) == nil && snowflake(c.ID) {
			a.kept.learn(c.ID, c.place())
		}
	case "THREAD_LIST_SYNC":
		a.learnGuild(raw)
	case "GUILD_ROLE_CREATE", "GUILD_ROLE_UPDATE":
		var r struct {
			Role role `json:"role"`
		}
		if json.Unmarshal(raw, &r) == nil {
			a.kept.learnRole(r.Role)
		}
	}
}

// take hands what an event says to in. It counts as received when this returns nil. What
// cannot be read is passed over: it would come again for ever and hold up all others.
func (a *Adapter) take(ctx context.Context, l *link, e event) error {
	var err error
	switch e.name {
	case "READY":
		return a.ready(ctx, l, e)
	case "RESUMED":
		l.in.Up()
	case "GUILD_CREATE":
		return a.catchUp(ctx, l.in, e.chats)
	case "MESSAGE_CREATE":
		err = read(e.raw, func(m *message) error { return a.said(ctx, l.in, m, channel.Said) })
	case "MESSAGE_UPDATE":
		err = read(e.raw, func(m *message) error { return a.said(ctx, l.in, m, channel.Edited) })
	case "MESSAGE_DELETE", "MESSAGE_DELETE_BULK":
		err = read(e.raw, func(d *deletion) error { return a.deleted(ctx, l.in, d) })
	case "MESSAGE_REACTION_ADD", "MESSAGE_REACTION_REMOVE":
		err = read(e.raw, func(r *reaction) error { return a.reacted(ctx, l, e, r) })
	case "INTERACTION_CREATE":
		err = read(e.raw, func(i *interaction) error { return a.pressed(ctx, l.in, i) })
	}
	if u, ok := err.(unread); ok { //nolint:errorlint // read returns it as it is
		a.log.WarnContext(ctx, "an event of Discord cannot be read", "channel", a.name, "event", e.name, "error", u.error)
		return nil
	}
	if err != nil {
		return fmt.Errorf("take event %d of Discord: %w", e.seq, err)
	}
	return nil
}

// unread says that an event is none that we know.
type unread struct{ error }

// read reads an event.
func read[E any](raw []byte, do func(*E) error) error {
	e := new(E)
	if err := json.Unmarshal(raw, e); err != nil {
		return unread{err}
	}
	return do(e)
}

// ready begins a session. It is kept when all that was written before it is taken.
func (a *Adapter) ready(ctx context.Context, l *link, e event) error {
	var r ready
	if err := json.Unmarshal(e.raw, &r); err != nil {
		return a.noDiscord("its gateway does not say who the bot is")
	}
	l.in.Up()
	chats, err := a.missed(ctx, l.in)
	if err != nil {
		return err
	}
	if err := a.catchUp(ctx, l.in, chats); err != nil {
		return err
	}
	l.session = r.Session
	a.kept.begin(session{id: r.Session, url: r.Resume, seq: e.seq})
	return nil
}

func (a *Adapter) said(ctx context.Context, in channel.Inbox, m *message, what channel.What) error {
	if !m.personal() {
		return nil
	}
	if what == channel.Edited && (m.EditedAt.V == "" || m.Content == nil || a.kept.editedAgain(m.ID, m.EditedAt.V)) {
		return nil
	}
	at, err := a.address(ctx, m.Channel, m.Guild)
	if err != nil {
		return err
	}
	out, ok := a.message(m, at, what)
	if !ok {
		return nil
	}
	if err := in.Take(ctx, out); err != nil {
		return err
	}
	if what == channel.Said {
		a.kept.saw(m.Channel, m.ID)
	} else {
		a.kept.edited(m.ID, m.EditedAt.V)
	}
	return nil
}

func (a *Adapter) deleted(ctx context.Context, in channel.Inbox, d *deletion) error {
	if !snowflake(d.Channel) {
		return nil
	}
	at, err := a.address(ctx, d.Channel, d.Guild)
	if err != nil {
		return err
	}
	for _, id := range append(d.IDs, d.ID) {
		if !snowflake(id) {
			continue
		}
		m := channel.Message{Address: at, ID: id, What: channel.Deleted, Group: d.Guild != "", Called: d.Guild == ""}
		if err := in.Take(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// reacted takes a reaction. Discord gives it no id; the number of its event is one.
func (a *Adapter) reacted(ctx context.Context, l *link, e event, r *reaction) error {
	who := r.Member.V.User.V
	if !snowflake(r.User) || !snowflake(r.Channel) || !snowflake(r.Message) || r.User == a.kept.self().ID || who != nil && who.Bot.V {
		return nil
	}
	at, err := a.address(ctx, r.Channel, r.Guild)
	if err != nil {
		return err
	}
	m := channel.Message{
		Address: at, ID: fmt.Sprintf("%s-%s-%d", r.Message, l.session, e.seq), What: channel.Reacted, ReplyTo: r.Message,
		Sender: channel.Sender{ID: r.User, Name: nameOf(who, r.Member.V)},
		Group:  r.Guild != "", Called: r.Guild == "" || r.Author.V == a.kept.self().ID,
	}
	if strings.HasSuffix(e.name, "_ADD") {
		m.Text = r.Emoji.Name.V
		if r.Emoji.ID.V != "" {
			m.Text = ":" + r.Emoji.Name.V + ":"
		}
	}
	return l.in.Take(ctx, m)
}

// The ways to answer an interaction
// (discord.com/developers/docs/interactions/receiving-and-responding#interaction-response-object).
const (
	answerMessage = 4
	answerLater   = 6 // nothing changes in what is seen
	onlyThem      = 1 << 6
	maxToken      = 2000 // characters; more than an interaction's token has
)

type answer struct {
	Type int         `json:"type"`
	Data *answerData `json:"data,omitempty"`
}

type answerData struct {
	Content  string   `json:"content"`
	Flags    int      `json:"flags"`
	Mentions mentions `json:"allowed_mentions"`
}

// pressed takes a press of a button of ours. Who pressed it is told when that did not work.
func (a *Adapter) pressed(ctx context.Context, in channel.Inbox, i *interaction) error {
	who := i.User.V
	if u := i.Member.V.User.V; u != nil {
		who = u
	}
	on := i.Message.V
	if i.Type != pressed || i.Data.V.Type != button || who == nil || !snowflake(who.ID) || who.Bot.V || on == nil || !snowflake(on.ID) || !snowflake(i.ID) || !snowflake(i.Channel) {
		return nil
	}
	at, err := a.address(ctx, i.Channel, i.Guild)
	if err != nil {
		return err
	}
	m := channel.Message{
		Address: at, ID: i.ID, What: channel.Pressed, Press: i.Data.V.Custom, ReplyTo: on.ID,
		Sender: channel.Sender{ID: who.ID, Name: nameOf(who, i.Member.V)},
		Group:  i.Guild != "", Called: true, At: made(i.ID),
	}
	err = in.Take(ctx, m)
	reply := answer{Type: answerLater}
	if err != nil {
		reply = answer{Type: answerMessage, Data: &answerData{Content: "This could not be recorded yet. If nothing follows, press again.", Flags: onlyThem, Mentions: nobody()}}
	}
	a.answerTo(ctx, i, reply)
	return err
}

// answerTo lets a pressed button stop turning. Discord waits three seconds for it; nothing
// depends on it.
func (a *Adapter) answerTo(ctx context.Context, i *interaction, reply answer) {
	raw, err := json.Marshal(reply)
	if err != nil || len(i.Token) > maxToken || !tokenPart.MatchString(i.Token) {
		return
	}
	q := request{method: http.MethodPost, path: "/interactions/" + i.ID + "/" + i.Token + "/callback", route: "callback", chat: i.ID, body: raw, kind: "application/json", open: true}
	if err := a.api.do(ctx, q, nil); err != nil {
		a.log.DebugContext(ctx, "a press was not answered", "channel", a.name, "error", strings.ReplaceAll(err.Error(), i.Token, "***"))
	}
}

package slack

import (
	"context"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"time"

	"chela/internal/channel"
	"chela/internal/pattern"
)

// An event is what we read of one (docs.slack.dev/reference/events/message and its kin).
type event struct {
	Type       string         `json:"type"`
	Subtype    string         `json:"subtype"`
	Channel    string         `json:"channel"`
	ChatKind   string         `json:"channel_type"` // im, mpim, group or channel
	User       string         `json:"user"`
	Bot        string         `json:"bot_id"`
	Text       string         `json:"text"`
	TS         string         `json:"ts"` // when, and the name of the message in its channel
	Thread     string         `json:"thread_ts"`
	ThreadUser string         `json:"parent_user_id"`
	Edited     *edited        `json:"edited"`
	Message    *event         `json:"message"`          // what it is now, of message_changed
	Previous   *event         `json:"previous_message"` // what it was
	DeletedTS  string         `json:"deleted_ts"`
	EventTS    string         `json:"event_ts"`
	Reaction   string         `json:"reaction"`
	Item       item           `json:"item"`      // reacted to
	ItemUser   string         `json:"item_user"` // whose
	Files      list[file]     `json:"files"`
	Attached   list[attached] `json:"attachments"`
	Blocks     list[block]    `json:"blocks"`
}

type edited struct {
	TS string `json:"ts"`
}

type item struct {
	Type    string `json:"type"`
	Channel string `json:"channel"`
	TS      string `json:"ts"`
}

// A list has those of its elements that can be read: one of a kind newer than this program
// does not make a message unreadable.
type list[T any] []T

// UnmarshalJSON never fails.
func (l *list[T]) UnmarshalJSON(raw []byte) error {
	var all []json.RawMessage
	if json.Unmarshal(raw, &all) != nil {
		return nil
	}
	const most = 200
	*l = nil
	for _, one := range all[:min(len(all), most)] {
		var v T
		if json.Unmarshal(one, &v) == nil {
			*l = append(*l, v)
		}
	}
	return nil
}

// A press is a button of ours being pressed
// (docs.slack.dev/reference/interaction-payloads/block_actions-payload).
type press struct {
	Type string `json:"type"`
	User struct {
		ID   string `json:"id"`
		Name string `json:"username"`
	} `json:"user"`
	Container struct {
		Type    string `json:"type"`
		Channel string `json:"channel_id"`
		TS      string `json:"message_ts"`
		Thread  string `json:"thread_ts"`
	} `json:"container"`
	Message struct {
		Thread string `json:"thread_ts"`
	} `json:"message"`
	Actions list[struct {
		Type  string `json:"type"`
		Value string `json:"value"`
		TS    string `json:"action_ts"`
	}] `json:"actions"`
}

var (
	tsForm = pattern.New(`^[0-9]{1,12}\.[0-9]{1,12}$`)
	idForm = pattern.New(`^[A-Z][A-Z0-9]{1,40}$`)
)

// slackbot is Slack itself, as a person.
const slackbot = "USLACKBOT"

// A reader makes of events what a channel takes.
type reader struct {
	me      identity
	name    func(ctx context.Context, user string) string
	thread  func(ctx context.Context, chat, ts string) (bool, error) // whether it was begun with us; nil when nobody asks
	file    func(ctx context.Context, f file) file                   // all that is known of it
	open    func(file) func(context.Context) (io.ReadCloser, error)
	learned func(chat, ts string) // a thread under this message is begun with us
}

func (a *Adapter) reader() reader {
	r := reader{me: *a.me.Load(), name: a.naming(), file: a.whole, open: a.opener, learned: func(chat, ts string) { a.begun.Put(chat+"/"+ts, true) }}
	if a.threads {
		r.thread = a.begunWithUs
	}
	return r
}

// message returns what an event says, and false when it is nothing for us: not a person's, or
// about the channel and not in it.
func (r reader) message(ctx context.Context, e *event) (m channel.Message, ok bool, err error) {
	switch e.Type {
	case "app_mention": // the same message comes as one of the channel, too, with the same ts
		if e.Edited != nil { // it mentions us only since it was edited
			return r.said(ctx, e, channel.Edited)
		}
		return r.said(ctx, e, channel.Said)
	case "message":
	case "reaction_added", "reaction_removed":
		m, ok = r.reacted(ctx, e)
		return m, ok, nil
	default:
		return m, false, nil
	}
	switch e.Subtype {
	case "", "file_share", "me_message", "thread_broadcast":
		return r.said(ctx, e, channel.Said)
	case "message_changed":
		return r.changed(ctx, e)
	case "message_deleted":
		m, ok = r.deleted(ctx, e)
	}
	return m, ok, nil
}

func (r reader) said(ctx context.Context, e *event, what channel.What) (channel.Message, bool, error) {
	if !r.personal(e) || !tsForm.MatchString(e.TS) {
		return channel.Message{}, false, nil
	}
	m := e.frame()
	m.ID, m.What, m.At = e.TS, what, timeOf(e.TS)
	for i := range e.Files[:min(len(e.Files), mostFiles)] {
		e.Files[i] = r.file(ctx, e.Files[i])
	}
	spoken := r.speech(ctx, e)
	m.Text = spoken.text
	for _, f := range e.Files {
		if f.fetchable() {
			m.Media = append(m.Media, channel.Media{Name: f.called(), Type: f.Mime, Size: max(f.Size, 0), Open: r.open(f)})
		}
	}
	if m.Text == "" && len(m.Media) == 0 {
		return channel.Message{}, false, nil
	}
	m.Sender = channel.Sender{ID: e.User, Name: r.name(ctx, e.User)}
	m.Called = !m.Group || spoken.called || e.ThreadUser == r.me.User
	inThread := e.Thread != "" && e.Thread != e.TS
	switch {
	case spoken.called && m.Group && !inThread:
		r.learned(m.Chat, e.TS)
	case !m.Called && inThread && what == channel.Said && r.thread != nil:
		var err error
		if m.Called, err = r.thread(ctx, m.Chat, e.Thread); err != nil {
			return channel.Message{}, false, err
		}
	}
	return m, true, nil
}

// changed is a message that was edited. It comes, too, when Slack shows the page of a link or
// when a thread grows; then nobody has edited anything.
func (r reader) changed(ctx context.Context, e *event) (channel.Message, bool, error) {
	now := e.Message
	if now == nil {
		return channel.Message{}, false, nil
	}
	now.Channel, now.ChatKind = e.Channel, e.ChatKind
	if now.Subtype == "tombstone" { // it was deleted and has a thread under it
		m, ok := r.deleted(ctx, &event{Channel: e.Channel, ChatKind: e.ChatKind, DeletedTS: now.TS, Previous: e.Previous, EventTS: e.EventTS})
		return m, ok, nil
	}
	if now.Edited == nil || e.Previous != nil && e.Previous.Text == now.Text && e.Previous.Edited != nil && *e.Previous.Edited == *now.Edited {
		return channel.Message{}, false, nil
	}
	m, ok, err := r.said(ctx, now, channel.Edited)
	if at := timeOf(now.Edited.TS); !at.IsZero() {
		m.At = at
	}
	return m, ok, err
}

func (r reader) deleted(ctx context.Context, e *event) (channel.Message, bool) {
	if !tsForm.MatchString(e.DeletedTS) || !idForm.MatchString(e.Channel) {
		return channel.Message{}, false
	}
	e.TS = e.DeletedTS
	if p := e.Previous; p != nil {
		if p.User != "" && !r.personal(&event{User: p.User, Bot: p.Bot, Channel: e.Channel}) {
			return channel.Message{}, false
		}
		e.User, e.Thread = p.User, p.Thread
	}
	m := e.frame()
	m.ID, m.What, m.At, m.Called = e.DeletedTS, channel.Deleted, timeOf(e.EventTS), !m.Group
	if e.User != "" {
		m.Sender = channel.Sender{ID: e.User, Name: r.name(ctx, e.User)}
	}
	return m, true
}

func (r reader) reacted(ctx context.Context, e *event) (channel.Message, bool) {
	if e.Channel = e.Item.Channel; e.Item.Type != "message" || !r.personal(e) || !tsForm.MatchString(e.Item.TS) || !tsForm.MatchString(e.EventTS) || e.Reaction == "" {
		return channel.Message{}, false
	}
	m := e.frame()
	m.Branch = "" // Slack does not say in which thread it is
	m.ID, m.What, m.ReplyTo, m.At = e.EventTS, channel.Reacted, e.Item.TS, timeOf(e.EventTS)
	m.Called = !m.Group || e.ItemUser == r.me.User
	m.Sender = channel.Sender{ID: e.User, Name: r.name(ctx, e.User)}
	if e.Type == "reaction_added" {
		m.Text = ":" + oneLine(e.Reaction) + ":"
	}
	return m, true
}

func (r reader) pressed(ctx context.Context, p *press) (channel.Message, bool) {
	if p.Type != "block_actions" || p.Container.Type != "message" || len(p.Actions) == 0 || !tsForm.MatchString(p.Container.TS) {
		return channel.Message{}, false
	}
	e := event{User: p.User.ID, Channel: p.Container.Channel}
	act := p.Actions[0]
	if !r.personal(&e) || act.Type != "button" || act.Value == "" || !tsForm.MatchString(act.TS) {
		return channel.Message{}, false
	}
	m := e.frame()
	if m.Branch = p.Container.Thread; m.Branch == "" {
		m.Branch = p.Message.Thread
	}
	m.ID, m.What, m.Press, m.Called = act.TS+":"+p.User.ID, channel.Pressed, act.Value, true
	m.ReplyTo, m.At = p.Container.TS, timeOf(act.TS)
	m.Sender = channel.Sender{ID: p.User.ID, Name: oneLine(p.User.Name)}
	if m.Sender.Name == "" {
		m.Sender.Name = r.name(ctx, p.User.ID)
	}
	return m, true
}

// personal reports whether a person did it: not we, no other bot, not Slack itself.
func (r reader) personal(e *event) bool {
	return e.Bot == "" && e.Subtype != "bot_message" && idForm.MatchString(e.User) && e.User != r.me.User && e.User != slackbot && idForm.MatchString(e.Channel)
}

// frame is a message with what all kinds have. Among several people each thread is a
// conversation, and a message in none begins one: it is answered in a thread under it. With
// one person there is one conversation, besides threads that they open.
func (e *event) frame() channel.Message {
	m := channel.Message{Address: channel.Address{Chat: e.Channel, Branch: e.Thread}}
	m.Group = e.ChatKind != "im"
	if e.ChatKind == "" || e.ChatKind == "app_home" {
		m.Group = !strings.HasPrefix(e.Channel, "D")
	}
	if !tsForm.MatchString(m.Branch) {
		m.Branch = ""
	}
	if m.Group && m.Branch == "" {
		m.Branch = e.TS
	}
	return m
}

// timeOf reads a ts: seconds, a point, and digits that make it unique, which are microseconds.
func timeOf(ts string) time.Time {
	s, micro, _ := strings.Cut(ts, ".")
	sec, err := strconv.ParseInt(s, 10, 64)
	if err != nil || sec <= 0 || sec > 1<<36 {
		return time.Time{}
	}
	us, err := strconv.ParseInt(micro, 10, 64)
	if err != nil || us < 0 || us > 999_999 {
		us = 0
	}
	return time.Unix(sec, us*1000).UTC()
}

package slacktest

import (
	"encoding/json"
	"net/url"
)

// The objects of the documentation, with the fields that the server here knows.

// A User is a person, or the bot.
type User struct {
	ID      string
	Name    string
	Display string
	Bot     string // id of the bot, if it is one
}

// A Chat is a conversation.
type Chat struct {
	ID   string
	Kind string // im, mpim, group or channel
}

// A Message is one in a conversation (docs.slack.dev/reference/events/message).
type Message struct {
	Type        string          `json:"type"`
	Subtype     string          `json:"subtype,omitempty"`
	User        string          `json:"user,omitempty"`
	Bot         string          `json:"bot_id,omitempty"`
	Text        string          `json:"text"`
	TS          string          `json:"ts"`
	Thread      string          `json:"thread_ts,omitempty"`
	ThreadUser  string          `json:"parent_user_id,omitempty"`
	Edited      *Edited         `json:"edited,omitempty"`
	Files       []File          `json:"files,omitempty"`
	Attachments json.RawMessage `json:"attachments,omitempty"`
	Blocks      json.RawMessage `json:"blocks,omitempty"`
	Metadata    json.RawMessage `json:"metadata,omitempty"`
}

// Edited says who changed a message, and when.
type Edited struct {
	User string `json:"user"`
	TS   string `json:"ts"`
}

// A File is one in a message (docs.slack.dev/reference/objects/file-object).
type File struct {
	ID       string `json:"id"`
	Name     string `json:"name,omitempty"`
	Title    string `json:"title,omitempty"`
	Mime     string `json:"mimetype,omitempty"`
	Mode     string `json:"mode,omitempty"`
	Subtype  string `json:"subtype,omitempty"`
	Size     int64  `json:"size,omitempty"`
	URL      string `json:"url_private,omitempty"`
	Download string `json:"url_private_download,omitempty"`
	External bool   `json:"is_external,omitempty"`
	Access   string `json:"file_access,omitempty"`
}

// messageEvent is a message as the Events API tells of it.
type messageEvent struct {
	Message
	Channel string `json:"channel"`
	Kind    string `json:"channel_type,omitempty"`
	EventTS string `json:"event_ts"`
}

// changeEvent is that of message_changed and message_deleted.
type changeEvent struct {
	Type      string   `json:"type"`
	Subtype   string   `json:"subtype"`
	Hidden    bool     `json:"hidden"`
	Channel   string   `json:"channel"`
	Kind      string   `json:"channel_type"`
	TS        string   `json:"ts"`
	EventTS   string   `json:"event_ts"`
	DeletedTS string   `json:"deleted_ts,omitempty"`
	Message   *Message `json:"message,omitempty"`
	Previous  *Message `json:"previous_message,omitempty"`
}

type reactionEvent struct {
	Type     string       `json:"type"`
	User     string       `json:"user"`
	Reaction string       `json:"reaction"`
	ItemUser string       `json:"item_user,omitempty"`
	Item     reactionItem `json:"item"`
	EventTS  string       `json:"event_ts"`
}

type reactionItem struct {
	Type    string `json:"type"`
	Channel string `json:"channel"`
	TS      string `json:"ts"`
}

// wrapper is what every event comes in (docs.slack.dev/apis/events-api, "Event callbacks").
type wrapper struct {
	Token     string `json:"token"`
	Team      string `json:"team_id"`
	App       string `json:"api_app_id"`
	Event     any    `json:"event"`
	Type      string `json:"type"`
	EventID   string `json:"event_id"`
	EventTime int64  `json:"event_time"`
}

// interaction is a block_actions payload.
type interaction struct {
	Type      string            `json:"type"`
	User      map[string]string `json:"user"`
	App       string            `json:"api_app_id"`
	Container map[string]string `json:"container"`
	Trigger   string            `json:"trigger_id"`
	Channel   map[string]string `json:"channel"`
	Message   Message           `json:"message"`
	Actions   []action          `json:"actions"`
}

type action struct {
	Type   string `json:"type"`
	Action string `json:"action_id"`
	Block  string `json:"block_id"`
	Value  string `json:"value"`
	TS     string `json:"action_ts"`
}

// An answer is that of every method.
type answer map[string]any

func yes(a answer) answer {
	if a == nil {
		a = answer{}
	}
	a["ok"] = true
	return a
}

func no(code string) answer { return answer{"ok": false, "error": code} }

// arguments are those of a method.
type arguments url.Values

func (a arguments) get(name string) string { return url.Values(a).Get(name) }

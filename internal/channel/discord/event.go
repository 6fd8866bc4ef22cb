package discord

import (
	"encoding/json"
	"time"

	"chela/internal/channel"
)

// maybe is a field without which the rest still counts: of a shape that we do not know it is empty.
type maybe[T any] struct{ V T }

// UnmarshalJSON never fails.
func (m *maybe[T]) UnmarshalJSON(raw []byte) error {
	var v T
	if json.Unmarshal(raw, &v) == nil {
		m.V = v
	}
	return nil
}

// What we read of events. The fields are those that the documentation names
// (discord.com/developers/docs/events/gateway-events and …/resources/message).
type (
	user struct {
		ID       string        `json:"id"`
		Username string        `json:"username"`
		Global   maybe[string] `json:"global_name"`
		Bot      maybe[bool]   `json:"bot"`
		System   maybe[bool]   `json:"system"`
	}
	member struct {
		Nick maybe[string] `json:"nick"`
		User maybe[*user]  `json:"user"`
	}
	message struct {
		ID         string              `json:"id"`
		Channel    string              `json:"channel_id"`
		Guild      string              `json:"guild_id"`
		Type       int                 `json:"type"`
		Author     *user               `json:"author"`
		Member     maybe[member]       `json:"member"`
		Webhook    maybe[string]       `json:"webhook_id"`
		Content    *string             `json:"content"`
		Time       maybe[string]       `json:"timestamp"`
		EditedAt   maybe[string]       `json:"edited_timestamp"`
		Flags      maybe[int64]        `json:"flags"`
		Mentions   maybe[[]user]       `json:"mentions"`
		Files      maybe[[]attachment] `json:"attachments"`
		Embeds     maybe[[]embed]      `json:"embeds"`
		Stickers   maybe[[]sticker]    `json:"sticker_items"`
		Poll       maybe[*poll]        `json:"poll"`
		Refers     maybe[*reference]   `json:"message_reference"`
		Referenced maybe[*message]     `json:"referenced_message"`
		Snapshots  maybe[[]snapshot]   `json:"message_snapshots"`
	}
	reference struct {
		Type    maybe[int]    `json:"type"`
		Message maybe[string] `json:"message_id"`
	}
	snapshot struct {
		Message maybe[message] `json:"message"`
	}
	attachment struct {
		ID       string         `json:"id"`
		Name     maybe[string]  `json:"filename"`
		About    maybe[string]  `json:"description"`
		Type     maybe[string]  `json:"content_type"`
		Size     maybe[int64]   `json:"size"`
		URL      string         `json:"url"`
		Duration maybe[float64] `json:"duration_secs"`
	}
	embed struct {
		Title       maybe[string] `json:"title"`
		Description maybe[string] `json:"description"`
		URL         maybe[string] `json:"url"`
	}
	sticker struct {
		Name string `json:"name"`
	}
	poll struct {
		Question struct {
			Text string `json:"text"`
		} `json:"question"`
		Answers []struct {
			Media struct {
				Text string `json:"text"`
			} `json:"poll_media"`
		} `json:"answers"`
	}
	deletion struct {
		ID      string   `json:"id"`
		IDs     []string `json:"ids"` // of MESSAGE_DELETE_BULK
		Channel string   `json:"channel_id"`
		Guild   string   `json:"guild_id"`
	}
	reaction struct {
		User    string        `json:"user_id"`
		Channel string        `json:"channel_id"`
		Message string        `json:"message_id"`
		Guild   string        `json:"guild_id"`
		Member  maybe[member] `json:"member"`
		Author  maybe[string] `json:"message_author_id"`
		Emoji   struct {
			ID   maybe[string] `json:"id"`
			Name maybe[string] `json:"name"`
		} `json:"emoji"`
	}
	interaction struct {
		ID      string          `json:"id"`
		Token   string          `json:"token"`
		Type    int             `json:"type"`
		Channel string          `json:"channel_id"`
		Guild   string          `json:"guild_id"`
		Member  maybe[member]   `json:"member"` // in a server
		User    maybe[*user]    `json:"user"`   // elsewhere
		Message maybe[*message] `json:"message"`
		Data    maybe[struct {
			Custom string `json:"custom_id"`
			Type   int    `json:"component_type"`
		}] `json:"data"`
	}
	chat struct {
		ID     string        `json:"id"`
		Type   int           `json:"type"`
		Guild  string        `json:"guild_id"`
		Parent maybe[string] `json:"parent_id"`
		Last   maybe[string] `json:"last_message_id"`
	}
	role struct {
		ID   string `json:"id"`
		Tags maybe[struct {
			Bot string `json:"bot_id"`
		}] `json:"tags"`
	}
	guild struct {
		ID       string        `json:"id"`
		Joined   maybe[string] `json:"joined_at"`
		Channels maybe[[]chat] `json:"channels"`
		Threads  maybe[[]chat] `json:"threads"`
		Roles    maybe[[]role] `json:"roles"`
	}
	ready struct {
		User    user   `json:"user"`
		Session string `json:"session_id"`
		Resume  string `json:"resume_gateway_url"`
	}
)

// The types of what we read.
const (
	typeDefault   = 0 // of messages; all but these two are about the chat, or of programs
	typeReply     = 19
	referForward  = 1 // of references
	flagVoice     = 1 << 13
	pressed       = 3  // of interactions
	button        = 2  // of components
	chatPrivate   = 1  // of channels
	chatNews      = 10 // the threads
	chatPublic    = 11
	chatPrivately = 12
	chatForum     = 15 // these have threads and no messages
	chatMedia     = 16
)

// place says where a channel is.
func (c chat) place() place {
	switch c.Type {
	case chatPrivate:
		return place{private: true}
	case chatNews, chatPublic, chatPrivately:
		if snowflake(c.Parent.V) {
			return place{parent: c.Parent.V}
		}
	}
	return place{}
}

// when reads a time; what is none is the time that the id was made.
func when(text, id string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return made(id)
	}
	return t.UTC()
}

// epoch is the first millisecond of the ids, after that of Unix.
const epoch = 1420070400000

// made is when an id was made.
func made(id string) time.Time { return time.UnixMilli(int64(number(id)>>22) + epoch).UTC() }

// idAt is the smallest id of a time.
func idAt(t time.Time) uint64 { return uint64(max(t.UnixMilli()-epoch, 0)) << 22 }

// oneLine is another's text as part of a line of ours.
func oneLine(s string) string { return channel.OneLine(s, 300) }

package slack

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strconv"
	"time"

	"github.com/slack-go/slack"

	"chela/internal/channel"
)

const (
	markKind  = "chela_part"
	markField = "key"
	pageSize  = 200
	maxPages  = 10
	lookBack  = 25 * time.Hour // a delivery is given up after a day
)

// markOf is what a message of ours carries besides its text, unseen by people, so that another
// attempt at it can be told: metadata of a message
// (docs.slack.dev/messaging/message-metadata). Slack has no key of its own for that.
func markOf(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:16])
}

func metadata(mark string) (string, error) {
	raw, err := json.Marshal(slack.SlackMetadata{EventType: markKind, EventPayload: map[string]any{markField: mark}})
	return string(raw), err
}

// history is what we read of a page of messages.
type history struct {
	Messages list[posted] `json:"messages"`
	More     bool         `json:"has_more"`
	Metadata struct {
		Next string `json:"next_cursor"`
	} `json:"response_metadata"`
}

type posted struct {
	TS       string     `json:"ts"`
	User     string     `json:"user"`
	Bot      string     `json:"bot_id"`
	Text     string     `json:"text"`
	Files    list[file] `json:"files"`
	Metadata struct {
		Kind    string `json:"event_type"`
		Payload struct {
			Key string `json:"key"`
		} `json:"event_payload"`
	} `json:"metadata"`
}

func (m posted) by(me identity) bool {
	return m.User == me.User || me.Bot != "" && m.Bot == me.Bot
}

// marked reports whether a message is the part with a mark.
func marked(mark string) func(posted) bool {
	return func(m posted) bool { return m.Metadata.Kind == markKind && m.Metadata.Payload.Key == mark }
}

// sent looks for a message of ours, and returns its ts or "". Where Slack does not let us look,
// the part is sent: it may then be there twice, but it is not missing.
func (a *Adapter) sent(ctx context.Context, at channel.Address, is func(posted) bool) (string, error) {
	me := a.me.Load()
	if me == nil {
		var err error
		if me, err = a.ask(ctx); err != nil {
			return "", &channel.Refusal{Text: err.Error()}
		}
	}
	method := "conversations.history"
	oldest := time.Now().Add(-lookBack).Unix()
	args := url.Values{"channel": {at.Chat}, "limit": {strconv.Itoa(pageSize)}, "include_all_metadata": {"true"}, "oldest": {strconv.FormatInt(oldest, 10)}}
	if at.Branch != "" {
		method = "conversations.replies"
		args.Set("ts", at.Branch)
	}
	for range maxPages {
		var page history
		err := a.api.call(ctx, a.bot, method, args, &page)
		if err != nil && failureOf(err).passing() {
			f := failureOf(err)
			return "", &channel.Refusal{Text: "It is not known whether the last attempt arrived: " + f.Text, After: f.After}
		}
		if err != nil {
			a.log.WarnContext(ctx, "it cannot be seen whether a message arrived", "channel", a.name, "error", err)
			return "", nil
		}
		for _, m := range page.Messages {
			if m.by(*me) && is(m) {
				return m.TS, nil
			}
		}
		if page.Metadata.Next == "" {
			return "", nil
		}
		args.Set("cursor", page.Metadata.Next)
	}
	return "", nil
}

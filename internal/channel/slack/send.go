package slack

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/slack-go/slack"

	"chela/internal/channel"
	"chela/internal/channel/httpcall"
)

// maxLabel is how long the text of a button may be
// (docs.slack.dev/reference/block-kit/block-elements/button-element).
const maxLabel = 75

// Send sends a part. What it answers is told by the thread; Slack has no other answers.
func (a *Adapter) Send(ctx context.Context, o channel.Out) (string, error) {
	if err := check(o.Address); err != nil {
		return "", err
	}
	if o.File != nil {
		return a.sendFile(ctx, o)
	}
	return a.post(ctx, o)
}

// check refuses what cannot be a place on Slack.
func check(at channel.Address) error {
	if !idForm.MatchString(at.Chat) {
		return &channel.Refusal{Text: strconv.Quote(at.Chat) + " is no id of a conversation on Slack, such as C0123ABCD", Final: true}
	}
	if at.Branch != "" && !tsForm.MatchString(at.Branch) {
		return &channel.Refusal{Text: strconv.Quote(at.Branch) + " is no thread on Slack, such as 1355517523.000005", Final: true}
	}
	return nil
}

// post sends a text (docs.slack.dev/reference/methods/chat.postMessage). A part of which nobody
// knows whether it arrived is looked for first.
func (a *Adapter) post(ctx context.Context, o channel.Out) (string, error) {
	args, err := texted(o)
	if err != nil {
		return "", err
	}
	args.Set("unfurl_links", "false")
	args.Set("unfurl_media", "false")
	if o.Branch != "" {
		args.Set("thread_ts", o.Branch)
	}
	mark := markOf(o.Key)
	if o.Key != "" {
		if o.Doubt {
			id, err := a.sent(ctx, o.Address, marked(mark))
			if err != nil {
				return "", err
			}
			if id != "" {
				return id, nil
			}
		}
		meta, err := metadata(mark)
		if err != nil {
			return "", &channel.Refusal{Text: err.Error(), Final: true}
		}
		args.Set("metadata", meta)
	}
	var out struct {
		TS string `json:"ts"`
	}
	err = a.api.call(ctx, a.bot, "chat.postMessage", args, &out)
	if err == nil && out.TS == "" {
		err = &httpcall.Failure{Status: http.StatusOK, Written: true, Text: "Slack does not say which message it made"}
	}
	if err == nil {
		return out.TS, nil
	}
	return "", failureOf(err).verdict()
}

// Edit has a message say something else (docs.slack.dev/reference/methods/chat.update).
func (a *Adapter) Edit(ctx context.Context, id string, o channel.Out) error {
	if err := check(o.Address); err != nil {
		return err
	}
	if !tsForm.MatchString(id) {
		return &channel.Refusal{Text: strconv.Quote(id) + " is no message on Slack that can be changed", Final: true}
	}
	args, err := texted(o)
	if err != nil {
		return err
	}
	args.Set("ts", id)
	if len(o.Buttons) == 0 {
		args.Set("blocks", "[]") // those of before go
	}
	if err := a.api.call(ctx, a.bot, "chat.update", args, nil); err != nil {
		return failureOf(err).verdict()
	}
	return nil
}

// texted are the arguments of a text and its buttons. Nothing in it is made a mention: the text
// has its marks escaped, and Slack is told to look for no others.
func texted(o channel.Out) (url.Values, error) {
	args := url.Values{"channel": {o.Chat}, "text": {o.Text}, "parse": {"none"}, "link_names": {"false"}}
	if len(o.Buttons) == 0 {
		return args, nil
	}
	var keys []slack.BlockElement
	for i, b := range o.Buttons {
		label := []rune(b.Text)
		if len(label) > maxLabel {
			label = append(label[:maxLabel-1], '…')
		}
		keys = append(keys, slack.NewButtonBlockElement("press_"+strconv.Itoa(i), b.Press, slack.NewTextBlockObject(slack.PlainTextType, string(label), false, false)))
	}
	var blocks []slack.Block
	if strings.TrimSpace(o.Text) != "" {
		blocks = append(blocks, slack.NewSectionBlock(slack.NewTextBlockObject(slack.MarkdownType, o.Text, false, true), nil, nil))
	}
	raw, err := json.Marshal(append(blocks, slack.NewActionBlock("", keys...)))
	if err != nil {
		return nil, &channel.Refusal{Text: fmt.Sprintf("the buttons cannot be written: %v", err), Final: true}
	}
	args.Set("blocks", string(raw))
	return args, nil
}

// Typing shows in a thread that we write, until we do, at most for two minutes
// (docs.slack.dev/reference/methods/assistant.threads.setStatus, which takes chat:write from any
// bot). Outside a thread Slack has nothing of the kind.
func (a *Adapter) Typing(ctx context.Context, to channel.Address) error {
	if err := check(to); err != nil {
		return err
	}
	if to.Branch == "" {
		return &channel.Refusal{Text: "Slack shows only in threads that a bot writes", Final: true}
	}
	args := url.Values{"channel_id": {to.Chat}, "thread_ts": {to.Branch}, "status": {"is working…"}}
	if err := a.api.call(ctx, a.bot, "assistant.threads.setStatus", args, nil); err != nil {
		return failureOf(err).verdict()
	}
	return nil
}

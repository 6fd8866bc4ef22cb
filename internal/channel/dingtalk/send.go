package dingtalk

import (
	"context"
	"net/http"
	"strings"

	"chela/internal/channel"
	"chela/internal/channel/httpcall"
)

// A chat of ours is the id of a group as it is, or one of these and an id.
const (
	prefixPerson  = "user:"    // whom the organization knows by the id
	prefixSession = "session:" // a conversation with an outsider
)

// A place is where something is sent; one of its fields is not empty.
type place struct {
	group   string
	person  string
	session string
}

func placeOf(chat string) place {
	if id, ok := strings.CutPrefix(chat, prefixPerson); ok {
		return place{person: id}
	}
	if id, ok := strings.CutPrefix(chat, prefixSession); ok {
		return place{session: id}
	}
	return place{group: chat}
}

// The forms of messages (open.dingtalk.com/document/development/robot-message-type).
const (
	formMarkdown = "sampleMarkdown"
	formPicture  = "sampleImageMsg"
	formFile     = "sampleFile"
)

type markdown struct {
	Title string `json:"title"`
	Text  string `json:"text"`
}

type picture struct {
	URL string `json:"photoURL"`
}

type file struct {
	Media string `json:"mediaId"`
	Name  string `json:"fileName"`
	Type  string `json:"fileType"`
}

// Send sends a part. A robot cannot quote, so what it answers is not shown.
func (a *Adapter) Send(ctx context.Context, o channel.Out) (string, error) {
	return a.send(ctx, o, a.say)
}

// send sends the file of a part, if it has one, and then has its text said.
func (a *Adapter) send(ctx context.Context, o channel.Out, say func(context.Context, channel.Out) (string, error)) (string, error) {
	if o.File == nil {
		return say(ctx, o)
	}
	id, err := a.hand(ctx, o)
	if err != nil || o.Text == "" && len(o.Buttons) == 0 {
		return id, err
	}
	return say(ctx, o)
}

// say sends a text. What its buttons answer, the text of a question says, too.
func (a *Adapter) say(ctx context.Context, o channel.Out) (string, error) {
	to := placeOf(o.Chat)
	m := markdown{Title: title(o.Text), Text: o.Text}
	if to.session != "" {
		return a.reply(ctx, o.Chat, m)
	}
	return a.post(ctx, to, formMarkdown, m)
}

// A message of a robot, to a group or to a person.
type message struct {
	Robot  string   `json:"robotCode"`
	People []string `json:"userIds,omitempty"`
	Group  string   `json:"openConversationId,omitempty"`
	Key    string   `json:"msgKey"`
	Param  string   `json:"msgParam"`
}

// post sends a message of a form and returns its processQueryKey. It mentions nobody: only
// what is listed apart from the text does.
func (a *Adapter) post(ctx context.Context, to place, form string, param any) (string, error) {
	raw, err := encode(param)
	if err != nil {
		return "", &channel.Refusal{Text: err.Error(), Final: true}
	}
	m := message{Robot: a.robot, Group: to.group, Key: form, Param: string(raw)}
	address := "/v1.0/robot/groupMessages/send"
	if to.person != "" {
		m.People, address = []string{to.person}, "/v1.0/robot/oToMessages/batchSend"
	}
	var got struct {
		ID      word          `json:"processQueryKey"`
		Invalid loose[[]word] `json:"invalidStaffIdList"`
		Limited loose[[]word] `json:"flowControlledStaffIdList"`
	}
	if err := a.api.call(ctx, http.MethodPost, address, m, &got); err != nil {
		return "", failureOf(err).verdict()
	}
	switch {
	case len(got.Invalid.is) > 0:
		return "", &channel.Refusal{Text: "the robot may not write to " + oneLine(to.person) + ": the organization does not know them, or does not show the robot to them", Final: true}
	case len(got.Limited.is) > 0:
		return "", &channel.Refusal{Text: "too many messages went to " + oneLine(to.person), After: sessionSpan}
	case got.ID == "":
		return "", &httpcall.Failure{Status: http.StatusOK, Written: true, Text: "DingTalk does not say which message it made"}
	}
	return string(got.ID), nil
}

// A replied is a message at a session webhook.
type replied struct {
	Kind     string   `json:"msgtype"`
	Markdown markdown `json:"markdown"`
	At       struct {
		All bool `json:"isAtAll"`
	} `json:"at"`
}

// reply sends a text to an outsider, who can be answered for a while after they wrote. Such
// a message has no id.
func (a *Adapter) reply(ctx context.Context, chat string, m markdown) (string, error) {
	address, wait := a.sessions.use(chat)
	if wait > 0 {
		return "", &channel.Refusal{Text: "DingTalk takes 20 messages a minute for somebody outside the organization", After: wait}
	}
	if address == "" {
		return "", &channel.Refusal{Text: "somebody outside the organization can be answered only for a while after they wrote; it is sent when they write again"}
	}
	u, err := a.api.hosts.at(address)
	if err != nil {
		return "", &channel.Refusal{Text: err.Error(), Final: true}
	}
	raw, err := encode(replied{Kind: "markdown", Markdown: m})
	if err != nil {
		return "", &channel.Refusal{Text: err.Error(), Final: true}
	}
	if err := a.api.do(ctx, http.MethodPost, u.String(), http.Header{"Content-Type": {"application/json"}}, raw, nil); err != nil {
		return "", failureOf(err).verdict()
	}
	return "", nil
}

// maxTitle is as much of a text as a notification shows.
const maxTitle = 60

// title is what is shown of a text in the list of chats: its first line, without marks.
func title(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(strings.NewReplacer("**", "", "`", "", "\\", "").Replace(line), "#>-* \t\u00a0")
		if line = oneLine(line); line == "" {
			continue
		}
		if r := []rune(line); len(r) > maxTitle {
			line = string(r[:maxTitle-1]) + "…"
		}
		return line
	}
	return "…"
}

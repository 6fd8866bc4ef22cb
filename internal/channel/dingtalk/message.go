package dingtalk

import (
	"encoding/json"
	"errors"
	"time"

	"chela/internal/channel"
)

// A said is what we read of a message to the robot
// (open.dingtalk.com/document/development/receive-message).
type said struct {
	ID               word           `json:"msgId"`
	Kind             word           `json:"msgtype"`
	Conversation     word           `json:"conversationId"`
	ConversationType word           `json:"conversationType"` // 1 is one person and the robot, 2 is a group
	Sender           word           `json:"senderId"`         // encrypted; outsiders have nothing else
	Staff            word           `json:"senderStaffId"`
	Nick             word           `json:"senderNick"`
	Robot            word           `json:"chatbotUserId"` // whom senderId and atUsers mean when it is us
	InAtList         flag           `json:"isInAtList"`
	At               loose[[]named] `json:"atUsers"`
	Created          stamp          `json:"createAt"` // ms
	Webhook          word           `json:"sessionWebhook"`
	WebhookUntil     stamp          `json:"sessionWebhookExpiredTime"` // ms
	Text             loose[text]    `json:"text"`
	Content          loose[content] `json:"content"`
}

type named struct {
	ID word `json:"dingtalkId"`
}

type text struct {
	Content word `json:"content"`
	quoting
}

// quoting is in the text of a text and in the content of what else there is.
type quoting struct {
	Is     flag          `json:"isReplyMsg"`
	Quoted loose[quoted] `json:"repliedMsg"`
}

type quoted struct {
	ID      word         `json:"msgId"`
	Sender  word         `json:"senderId"`
	Content loose[words] `json:"content"`
}

type words struct {
	Text word         `json:"text"`
	Rich loose[[]run] `json:"richText"`
}

type content struct {
	DownloadCode word         `json:"downloadCode"`
	Rich         loose[[]run] `json:"richText"`
	Recognition  word         `json:"recognition"` // what DingTalk heard
	Duration     stamp        `json:"duration"`    // ms
	VideoType    word         `json:"videoType"`
	FileName     word         `json:"fileName"`
	quoting
}

// A run is a piece of a rich text: words, or a picture.
type run struct {
	Type         word `json:"type"`
	Text         word `json:"text"`
	DownloadCode word `json:"downloadCode"`
}

var errNoMessage = errors.New("no message of DingTalk")

// decodeSaid reads a message.
func decodeSaid(raw []byte) (said, error) {
	var in said
	if err := json.Unmarshal(raw, &in); err != nil {
		return said{}, errNoMessage
	}
	return in, nil
}

// message returns what a message to the robot says, and false when it is nothing for us.
func (a *Adapter) message(raw []byte) (channel.Message, bool, error) {
	in, err := decodeSaid(raw)
	if err != nil {
		return channel.Message{}, false, err
	}
	who := string(in.Staff)
	if who == "" {
		who = string(in.Sender)
	}
	group := in.ConversationType == "2"
	if in.ID == "" || who == "" || in.Conversation == "" || !group && in.ConversationType != "1" {
		return channel.Message{}, false, errNoMessage
	}
	if in.Robot != "" && in.Sender == in.Robot {
		return channel.Message{}, false, nil // our own
	}
	m := channel.Message{
		Address: channel.Address{Chat: in.chat(group)}, ID: string(in.ID), What: channel.Said, Group: group,
		Sender: channel.Sender{ID: who, Name: oneLine(string(in.Nick))}, At: timeOf(in.Created),
	}
	q := in.quoting()
	m.ReplyTo = string(q.ID)
	m.Called = !group || in.mentions() || q.ID != "" && q.Sender != "" && q.Sender == in.Robot
	m.Text = a.speech(in, q)
	for _, f := range in.files() {
		m.Media = append(m.Media, channel.Media{Name: f.name, Type: f.kind, Open: a.opener(f.code), Transcribed: in.heard() != ""})
	}
	if m.Text == "" && len(m.Media) == 0 {
		return channel.Message{}, false, nil
	}
	if placeOf(m.Chat).session != "" {
		a.sessions.keep(m.Chat, string(in.Webhook), timeOf(in.WebhookUntil))
	}
	return m, true, nil
}

// chat is where an answer is sent to: the group, the person whom the robot talks with, or
// for an outsider, whom a robot cannot write to by itself, the conversation.
func (in said) chat(group bool) string {
	switch {
	case group:
		return string(in.Conversation)
	case in.Staff != "":
		return prefixPerson + string(in.Staff)
	}
	return prefixSession + string(in.Conversation)
}

// mentions reports whether a message in a group is to the robot.
func (in said) mentions() bool {
	if in.InAtList {
		return true
	}
	for _, u := range in.At.is {
		if u.ID != "" && u.ID == in.Robot {
			return true
		}
	}
	return false
}

// quoting returns what a message answers.
func (in said) quoting() quoted {
	for _, q := range []quoting{in.Text.is.quoting, in.Content.is.quoting} {
		if q.Is {
			return q.Quoted.is
		}
	}
	return quoted{}
}

// timeOf is a time as DingTalk writes it, the zero one when it cannot be.
func timeOf(ms stamp) time.Time {
	const year9999 = 253402300799000
	if ms <= 0 || ms > year9999 {
		return time.Time{}
	}
	return time.UnixMilli(int64(ms)).UTC()
}

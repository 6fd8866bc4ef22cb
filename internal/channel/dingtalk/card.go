package dingtalk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"time"

	"chela/internal/channel"
)

// Cards is a robot that has a template for cards: a question has buttons, and a text can grow.
// The template has a variable for the text, in Markdown, and buttons, a list of text and
// press; docs/dingtalk.md says how it is made.
type Cards struct {
	*Adapter
	template string
	content  string // the variable of the text
}

// The ids of what we send, by which we know what can be changed and how.
const (
	prefixCard    = "chela-"
	prefixGrows   = prefixCard + "grows-"
	prefixAsks    = prefixCard + "asks-"
	prefixWaiting = "waits-" // for an outsider, who gets the whole text at the end
)

// The spaces of cards: a group, and a conversation of one person with the robot.
const (
	spaceGroup = "IM_GROUP"
	spaceRobot = "IM_ROBOT"
	openGroup  = "dtv1.card//" + spaceGroup + "."
	openRobot  = "dtv1.card//" + spaceRobot + "."
)

// Shape implements [channel.Adapter].
func (c *Cards) Shape() channel.Shape {
	s := c.Adapter.Shape()
	s.Edit = 500 * time.Millisecond
	return s
}

// Send sends a part, as a card when it grows or asks.
func (c *Cards) Send(ctx context.Context, o channel.Out) (string, error) {
	return c.send(ctx, o, c.show)
}

func (c *Cards) show(ctx context.Context, o channel.Out) (string, error) {
	outside := placeOf(o.Chat).session != ""
	switch {
	case outside && o.Growing:
		return prefixWaiting + mark(o), nil
	case outside, !o.Growing && !c.asks(o):
		return c.say(ctx, o)
	}
	id := prefixAsks + mark(o)
	if o.Growing {
		id = prefixGrows + mark(o)
	}
	if err := c.deliver(ctx, id, o); err != nil {
		return "", err
	}
	if o.Growing { // until then it shows that nothing is written yet
		if err := c.write(ctx, id, o); err != nil {
			c.log.DebugContext(ctx, "a card does not show yet that it grows", "channel", c.name, "error", err)
		}
	}
	return id, nil
}

// asks reports whether a part has buttons that can be heard: a press comes over the stream.
func (c *Cards) asks(o channel.Out) bool { return len(o.Buttons) > 0 && c.mode == modeStream }

// A card as createAndDeliver takes it
// (open.dingtalk.com/document/orgapp/create-and-deliver-cards).
type card struct {
	Template     string        `json:"cardTemplateId"`
	ID           string        `json:"outTrackId"`
	Callback     string        `json:"callbackType"`
	Data         cardData      `json:"cardData"`
	Space        string        `json:"openSpaceId"`
	UserIDType   int           `json:"userIdType"`
	GroupSpace   *forwarding   `json:"imGroupOpenSpaceModel,omitempty"`
	GroupDeliver *groupDeliver `json:"imGroupOpenDeliverModel,omitempty"`
	RobotSpace   *forwarding   `json:"imRobotOpenSpaceModel,omitempty"`
	RobotDeliver *robotDeliver `json:"imRobotOpenDeliverModel,omitempty"`
}

type cardData struct {
	Params map[string]string `json:"cardParamMap"`
}

// A forwarding says whether a card may be forwarded. Ours may not: its buttons would go with it.
type forwarding struct {
	Supported bool `json:"supportForward"`
}

type groupDeliver struct {
	Robot string `json:"robotCode"`
}

type robotDeliver struct {
	Space string `json:"spaceType"`
	Robot string `json:"robotCode"`
}

// deliver makes a card and puts it into a chat. A card of the same id is made once.
func (c *Cards) deliver(ctx context.Context, id string, o channel.Out) error {
	to := placeOf(o.Chat)
	in := card{Template: c.template, ID: id, Callback: "STREAM", Data: c.data(o), UserIDType: 1}
	if to.group != "" {
		in.Space, in.GroupSpace, in.GroupDeliver = openGroup+to.group, &forwarding{}, &groupDeliver{c.robot}
	} else {
		in.Space, in.RobotSpace, in.RobotDeliver = openRobot+to.person, &forwarding{}, &robotDeliver{spaceRobot, c.robot}
	}
	var got struct {
		Result loose[struct {
			Delivered loose[[]struct {
				OK  *bool `json:"success"`
				Why word  `json:"errorMsg"`
			}] `json:"deliverResults"`
		}] `json:"result"`
	}
	err := c.api.call(ctx, http.MethodPost, "/v1.0/card/instances/createAndDeliver", in, &got)
	if err != nil && repeated(failureOf(err)) {
		return nil // an attempt whose answer was lost
	}
	if err != nil {
		return failureOf(err).verdict()
	}
	for _, d := range got.Result.is.Delivered.is {
		if d.OK != nil && !*d.OK {
			return &channel.Refusal{Text: "the card was not delivered: " + c.api.hide(oneLine(string(d.Why))), Final: true}
		}
	}
	return nil
}

// repeated reports whether DingTalk says that a card of this id is there. Its pages do not
// name the code.
func repeated(f *failure) bool {
	code := strings.ToLower(f.Code)
	return strings.Contains(code, "outtrackid") && (strings.Contains(code, "exist") && !strings.Contains(code, "notexist") || strings.Contains(code, "repeat") || strings.Contains(code, "duplicate"))
}

// data is what a card shows.
func (c *Cards) data(o channel.Out) cardData {
	list := []button{}
	if c.asks(o) {
		for _, b := range o.Buttons {
			list = append(list, button(b))
		}
	}
	raw, err := encode(list)
	if err != nil {
		raw = []byte("[]")
	}
	return cardData{Params: map[string]string{c.content: o.Text, "buttons": string(raw)}}
}

type button struct {
	Text  string `json:"text"`
	Press string `json:"press"`
}

// Edit has a card say something else.
func (c *Cards) Edit(ctx context.Context, id string, o channel.Out) error {
	switch {
	case strings.HasPrefix(id, prefixWaiting) && o.Growing:
		return nil
	case strings.HasPrefix(id, prefixWaiting):
		_, err := c.say(ctx, o)
		return err
	case strings.HasPrefix(id, prefixAsks):
		return c.change(ctx, id, c.data(o))
	case !strings.HasPrefix(id, prefixGrows):
		return &channel.Refusal{Text: "only cards can be changed in DingTalk", Final: true}
	}
	if !o.Growing && c.asks(o) {
		data := c.data(o)
		delete(data.Params, c.content) // the stream has it
		if err := c.change(ctx, id, data); err != nil {
			return err
		}
	}
	return c.write(ctx, id, o)
}

// A cardChange is what PUT card/instances takes.
type cardChange struct {
	ID      string   `json:"outTrackId"`
	Data    cardData `json:"cardData"`
	Options struct {
		ByKey bool `json:"updateCardDataByKey"`
	} `json:"cardUpdateOptions"`
}

// change gives some of a card's variables other values.
func (c *Cards) change(ctx context.Context, id string, data cardData) error {
	in := cardChange{ID: id, Data: data}
	in.Options.ByKey = true
	if err := c.api.call(ctx, http.MethodPut, "/v1.0/card/instances", in, nil); err != nil {
		return failureOf(err).verdict()
	}
	return nil
}

// A cardWrite is what PUT card/streaming takes
// (open.dingtalk.com/document/orgapp/api-streamingupdate).
type cardWrite struct {
	ID     string `json:"outTrackId"`
	GUID   string `json:"guid"`
	Key    string `json:"key"`
	Text   string `json:"content"`
	Full   bool   `json:"isFull"`
	Final  bool   `json:"isFinalize"`
	Failed bool   `json:"isError"`
}

// write has the text of a card grow to what o says. The same text is the same update, however
// often it is sent.
func (c *Cards) write(ctx context.Context, id string, o channel.Out) error {
	in := cardWrite{ID: id, Key: c.content, Text: o.Text, Full: true, Final: !o.Growing}
	state := "more"
	if in.Final {
		state = "whole"
	}
	in.GUID = guid(id + "\x00" + state + "\x00" + o.Text)
	if err := c.api.call(ctx, http.MethodPut, "/v1.0/card/streaming", in, nil); err != nil {
		return failureOf(err).verdict()
	}
	return nil
}

// mark is a part as part of an id: the same for each attempt at it.
func mark(o channel.Out) string {
	sum := sha256.Sum256([]byte(o.Chat + "\x00" + o.Key))
	return hex.EncodeToString(sum[:20])
}

// guid is a text as a UUID of version 8 (RFC 9562): always the same.
func guid(text string) string {
	sum := sha256.Sum256([]byte(text))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	h := hex.EncodeToString(sum[:16])
	return strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}

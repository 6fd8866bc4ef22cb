package dingtalk

import (
	"encoding/json"
	"errors"
	"strings"

	"chela/internal/channel"
)

// A pressed is what we read of a card's callback
// (open.dingtalk.com/document/orgapp/event-callback-card).
type pressed struct {
	Card       word `json:"outTrackId"`
	User       word `json:"userId"`
	UserIDType word `json:"userIdType"` // 1 is the id by which the organization knows them
	Space      word `json:"spaceId"`
	SpaceType  word `json:"spaceType"`
	Content    word `json:"content"` // JSON
}

// pressedContent is what the button carries.
type pressedContent struct {
	Private loose[struct {
		Params loose[struct {
			Press word `json:"press"`
		}] `json:"params"`
	}] `json:"cardPrivateData"`
}

var errNoPress = errors.New("no press of a button of ours")

// press returns which button of ours somebody pressed, and false when it was none. id is that
// of the frame in which it came.
func press(id string, raw []byte) (channel.Message, bool, error) {
	var in pressed
	var carries pressedContent
	if json.Unmarshal(raw, &in) != nil || json.Unmarshal([]byte(in.Content), &carries) != nil {
		return channel.Message{}, false, errNoPress
	}
	what := string(carries.Private.is.Params.is.Press)
	if !strings.HasPrefix(string(in.Card), prefixCard) || in.User == "" || what == "" || in.UserIDType != "" && in.UserIDType != "1" {
		return channel.Message{}, false, errNoPress
	}
	m := channel.Message{
		Address: channel.Address{Chat: prefixPerson + string(in.User)},
		ID:      string(in.Card) + "/" + id,
		What:    channel.Pressed, Sender: channel.Sender{ID: string(in.User)},
		Called: true, ReplyTo: string(in.Card), Press: what,
	}
	if group, ok := in.group(); ok {
		m.Chat, m.Group = group, true
	}
	if m.Chat == "" {
		return channel.Message{}, false, errNoPress
	}
	return m, true, nil
}

// group returns the group in which a card is. DingTalk's pages and its answers differ in how
// they write a space; the id of every conversation begins with cid.
func (in pressed) group() (id string, ok bool) {
	id = string(in.Space)
	if n := len(openGroup); len(id) > n && strings.EqualFold(id[:n], openGroup) {
		return id[n:], true
	}
	kind := strings.ToUpper(string(in.SpaceType))
	return id, kind == spaceGroup || kind != spaceRobot && strings.HasPrefix(id, "cid")
}

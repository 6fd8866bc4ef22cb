package dingtalktest

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// A Card is one of the robot's.
type Card struct {
	ID      string
	Params  map[string]string
	Updates []string // the texts that were streamed into it, in order
	Final   bool     // no more of them come

	guids map[string]bool
}

// Card returns a card as it is now.
func (s *Server) Card(id string) Card {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.cards[id]
	if c == nil {
		return Card{}
	}
	now := *c
	now.Params, now.Updates = maps.Clone(c.Params), slices.Clone(c.Updates)
	return now
}

// A Button is one on a card, and what it carries.
type Button struct {
	Text  string `json:"text"`
	Press string `json:"press"`
}

// Buttons are those on a card.
func (c Card) Buttons() []Button {
	var list []Button
	_ = json.Unmarshal([]byte(c.Params["buttons"]), &list) // none is none
	return list
}

// has reports whether a card has a button that carries something.
func (c Card) has(carries string) bool {
	return slices.ContainsFunc(c.Buttons(), func(b Button) bool { return b.Press == carries && b.Text != "" })
}

type cardParams struct {
	Template   string `json:"cardTemplateId"`
	ID         string `json:"outTrackId"`
	Callback   string `json:"callbackType"`
	UserIDType int    `json:"userIdType"`
	Space      string `json:"openSpaceId"`
	Data       struct {
		Params map[string]string `json:"cardParamMap"`
	} `json:"cardData"`
	GroupSpace   *struct{} `json:"imGroupOpenSpaceModel"`
	GroupDeliver *struct {
		Robot string   `json:"robotCode"`
		At    any      `json:"atUserIds"`
		To    []string `json:"recipients"`
	} `json:"imGroupOpenDeliverModel"`
	RobotSpace   *struct{} `json:"imRobotOpenSpaceModel"`
	RobotDeliver *struct {
		Space string `json:"spaceType"`
		Robot string `json:"robotCode"`
	} `json:"imRobotOpenDeliverModel"`
}

// createCard makes a card and delivers it. One of an id that is known is not made again.
func (s *Server) createCard(p cardParams) reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	bad := func(code string) reply { return refusal(http.StatusBadRequest, code, code) }
	kind, id, _ := strings.Cut(strings.TrimPrefix(p.Space, "dtv1.card//"), ".")
	m := &Sent{ID: p.ID, Form: "card", Text: p.Data.Params["content"]}
	switch {
	case p.Template != s.Template:
		return bad("param.cardTemplateNotExist")
	case p.ID == "":
		return bad("param.outTrackIdEmpty")
	case p.Callback != "STREAM", p.UserIDType != 1, len(p.Data.Params) == 0:
		return bad("param.invalid")
	case kind == "IM_GROUP" && p.GroupSpace != nil && p.GroupDeliver != nil && p.GroupDeliver.Robot == s.RobotCode && s.groups[id]:
		m.group = id
	case kind == "IM_ROBOT" && p.RobotSpace != nil && p.RobotDeliver != nil && p.RobotDeliver.Space == "IM_ROBOT":
		if _, ok := s.people[id]; !ok {
			return bad("param.userIdNotExist")
		}
		m.staff = id
	default:
		return bad("param.openSpaceModelInvalid")
	}
	if s.undelivered != "" {
		return result(map[string]any{"success": true, "result": map[string]any{
			"outTrackId": p.ID, "deliverResults": []map[string]any{{"spaceId": id, "spaceType": kind, "success": false, "errorMsg": s.undelivered}},
		}})
	}
	if s.cards[p.ID] == nil {
		m.card = &Card{ID: p.ID, Params: p.Data.Params, guids: make(map[string]bool)}
		s.cards[p.ID] = m.card
		s.took(m)
	}
	return result(map[string]any{"success": true, "result": map[string]any{
		"outTrackId": p.ID, "deliverResults": []map[string]any{{"spaceId": id, "spaceType": kind, "success": true}},
	}})
}

// Undelivered has cards made and not delivered from now on, for a reason; none ends that.
func (s *Server) Undelivered(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.undelivered = why
}

type writeParams struct {
	ID     string `json:"outTrackId"`
	GUID   string `json:"guid"`
	Key    string `json:"key"`
	Text   string `json:"content"`
	Full   bool   `json:"isFull"`
	Final  bool   `json:"isFinalize"`
	Failed bool   `json:"isError"`
}

// writeCard streams text into a card. An update that was made is not made again.
func (s *Server) writeCard(p writeParams) reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.cards[p.ID]
	switch {
	case c == nil:
		return refusal(http.StatusBadRequest, "param.cardNotExist", "card")
	case len(p.GUID) != 36 || p.Key == "":
		return refusal(http.StatusBadRequest, "param.invalid", "guid and key")
	case c.guids[p.GUID]:
		return result(map[string]any{"success": true, "result": true})
	case c.Final:
		return refusal(http.StatusBadRequest, "param.streamingFinished", "final")
	}
	if p.Full {
		c.Params[p.Key] = p.Text
	} else {
		c.Params[p.Key] += p.Text
	}
	c.guids[p.GUID], c.Final = true, p.Final
	c.Updates = append(c.Updates, c.Params[p.Key])
	s.Happened()
	return result(map[string]any{"success": true, "result": true})
}

type changeParams struct {
	ID   string `json:"outTrackId"`
	Data struct {
		Params map[string]string `json:"cardParamMap"`
	} `json:"cardData"`
	Options struct {
		ByKey bool `json:"updateCardDataByKey"`
	} `json:"cardUpdateOptions"`
}

func (s *Server) changeCard(p changeParams) reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.cards[p.ID]
	if c == nil {
		return refusal(http.StatusBadRequest, "param.cardNotExist", "card")
	}
	if !p.Options.ByKey {
		clear(c.Params)
	}
	maps.Copy(c.Params, p.Data.Params)
	s.Happened()
	return result(map[string]any{"success": true, "result": true})
}

package slacktest

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// Bounds of what a bot may post (docs.slack.dev/reference/methods/chat.postMessage and
// docs.slack.dev/reference/block-kit).
const (
	maxText    = 40000
	maxSection = 3000
	maxLabel   = 75
	maxValue   = 2000
	maxActions = 25
)

// chat is what the server knows of a conversation.
type chat struct {
	Chat
	messages []*Sent // by ts
	out      bool    // the bot is not in it
	archived bool
}

// Sent is a message as it is now. What the bot sent has what it asked for, too.
type Sent struct {
	Message
	Buttons []Button
	Edits   int
	Previews,
	Parsed bool // pages of links are shown; names are made mentions
	Rings []string // whom it mentions
}

// A Button is one under a message.
type Button struct{ Text, Value string }

func (c *chat) find(ts string) *Sent {
	i := slices.IndexFunc(c.messages, func(m *Sent) bool { return m.TS == ts })
	if i < 0 {
		return nil
	}
	return c.messages[i]
}

func (s *Server) authTest(arguments) answer {
	return yes(answer{"url": s.URL() + "/", "team": "Team", "team_id": "T0TEAM001", "user": s.Bot.Name, "user_id": s.Bot.ID, "bot_id": s.Bot.Bot})
}

// reach returns a conversation that takes messages of the bot. The caller holds mu.
func (s *Server) reach(id string) (*chat, answer) {
	c := s.chats[id]
	switch {
	case c == nil:
		return nil, no("channel_not_found")
	case c.out:
		return nil, no("not_in_channel")
	case c.archived:
		return nil, no("is_archived")
	}
	return c, nil
}

var ring = regexp.MustCompile(`<(@[UW][A-Z0-9]+|!(?:here|channel|everyone|subteam\^[A-Z0-9]+))[|>]`)

// written reads what a message says, or returns why it cannot be said.
func written(p arguments, m *Sent) answer {
	m.Text = p.get("text")
	raw := p.get("blocks")
	switch {
	case m.Text == "" && (raw == "" || raw == "[]"):
		return no("no_text")
	case len(utf16.Encode([]rune(m.Text))) > maxText:
		return no("msg_too_long")
	}
	m.Rings, m.Buttons, m.Blocks = nil, nil, nil
	m.Parsed = p.get("parse") == "full" || p.get("link_names") == "true" || p.get("link_names") == "1"
	shown := m.Text
	if raw != "" && raw != "[]" {
		text, bad := m.lay(raw)
		if bad {
			return no("invalid_blocks")
		}
		shown += text
	}
	for _, hit := range ring.FindAllStringSubmatch(shown, -1) {
		m.Rings = append(m.Rings, hit[1])
	}
	return nil
}

// lay reads the blocks of a message. A block is a section with a text, or a row of buttons.
func (m *Sent) lay(raw string) (text string, bad bool) {
	var blocks []struct {
		Type string `json:"type"`
		Text *struct {
			Type     string `json:"type"`
			Text     string `json:"text"`
			Verbatim bool   `json:"verbatim"`
		} `json:"text"`
		Elements []struct {
			Type   string `json:"type"`
			Action string `json:"action_id"`
			Value  string `json:"value"`
			Text   struct {
				Type string `json:"type"`
				Text string `json:"text"`
			} `json:"text"`
		} `json:"elements"`
	}
	if json.Unmarshal([]byte(raw), &blocks) != nil || len(blocks) > 50 {
		return "", true
	}
	ids := make(map[string]bool)
	for _, b := range blocks {
		switch {
		case b.Type == "section" && b.Text != nil && b.Text.Type == "mrkdwn" && b.Text.Text != "" && len(utf16.Encode([]rune(b.Text.Text))) <= maxSection:
			text += b.Text.Text
			m.Parsed = m.Parsed || !b.Text.Verbatim
		case b.Type == "actions" && len(b.Elements) > 0 && len(b.Elements) <= maxActions:
			for _, e := range b.Elements {
				if e.Type != "button" || e.Text.Type != "plain_text" || e.Text.Text == "" || len([]rune(e.Text.Text)) > maxLabel || len(e.Value) > maxValue || ids[e.Action] {
					return "", true
				}
				ids[e.Action] = true
				m.Buttons = append(m.Buttons, Button{e.Text.Text, e.Value})
			}
		default:
			return "", true
		}
	}
	m.Blocks = json.RawMessage(raw)
	return text, false
}

func (s *Server) postMessage(p arguments) answer {
	c, refused := s.reach(p.get("channel"))
	if refused != nil {
		return refused
	}
	m := &Sent{Message: Message{Type: "message", User: s.Bot.ID, Bot: s.Bot.Bot, Thread: p.get("thread_ts")}}
	if refused := written(p, m); refused != nil {
		return refused
	}
	m.Previews = p.get("unfurl_links") != "false" || p.get("unfurl_media") != "false"
	if m.Thread != "" && c.find(m.Thread) == nil {
		return no("invalid_thread_ts")
	}
	if raw := p.get("metadata"); raw != "" {
		var meta struct {
			Kind    string          `json:"event_type"`
			Payload json.RawMessage `json:"event_payload"`
		}
		if json.Unmarshal([]byte(raw), &meta) != nil || meta.Kind == "" || !strings.HasPrefix(string(meta.Payload), "{") {
			return no("invalid_metadata_format")
		}
		m.Metadata = json.RawMessage(raw)
	}
	s.say(c, m)
	return yes(answer{"channel": c.ID, "ts": m.TS, "message": m.Message})
}

func (s *Server) update(p arguments) answer {
	c, refused := s.reach(p.get("channel"))
	if refused != nil {
		return refused
	}
	m := c.find(p.get("ts"))
	switch {
	case m == nil:
		return no("message_not_found")
	case m.User != s.Bot.ID:
		return no("cant_update_message")
	}
	before := m.Message
	if refused := written(p, m); refused != nil {
		return refused
	}
	m.Edits++
	m.Edited = &Edited{User: s.Bot.ID, TS: s.stamp()}
	s.tellChange(c, m, before)
	return yes(answer{"channel": c.ID, "ts": m.TS, "text": m.Text})
}

// page returns messages as history and replies give them.
func page(p arguments, all []*Sent, most int) answer {
	size := 100
	if n, err := strconv.Atoi(p.get("limit")); err == nil {
		size = n
	}
	if size < 1 || size > most {
		return no("invalid_limit")
	}
	from := 0
	if cursor := p.get("cursor"); cursor != "" {
		n, err := strconv.Atoi(cursor)
		if err != nil || n < 0 || n > len(all) {
			return no("invalid_cursor")
		}
		from = n
	}
	to := min(from+size, len(all))
	out := make([]Message, 0, size)
	for _, m := range all[from:to] {
		one := m.Message
		if p.get("include_all_metadata") != "true" {
			one.Metadata = nil
		}
		out = append(out, one)
	}
	next := ""
	if to < len(all) {
		next = strconv.Itoa(to)
	}
	return yes(answer{"messages": out, "has_more": next != "", "response_metadata": answer{"next_cursor": next}})
}

// between keeps the messages of a time. The caller holds mu.
func between(p arguments, all []*Sent) []*Sent {
	latest, oldest, inclusive := p.get("latest"), p.get("oldest"), p.get("inclusive") == "true"
	number := func(ts string) float64 {
		n, _ := strconv.ParseFloat(ts, 64)
		return n
	}
	var out []*Sent
	for _, m := range all {
		edge := inclusive && (m.TS == latest || m.TS == oldest)
		if edge || (latest == "" || number(m.TS) < number(latest)) && (oldest == "" || number(m.TS) > number(oldest)) {
			out = append(out, m)
		}
	}
	return out
}

func (s *Server) history(p arguments) answer {
	c, refused := s.reach(p.get("channel"))
	if refused != nil {
		return refused
	}
	var all []*Sent
	for _, m := range between(p, c.messages) {
		if m.Thread == "" || m.Thread == m.TS || m.Subtype == "thread_broadcast" {
			all = append(all, m)
		}
	}
	slices.Reverse(all) // the newest first
	return page(p, all, 999)
}

func (s *Server) replies(p arguments) answer {
	c, refused := s.reach(p.get("channel"))
	if refused != nil {
		return refused
	}
	root := c.find(p.get("ts"))
	if root == nil {
		return no("thread_not_found")
	}
	all := []*Sent{root}
	for _, m := range between(p, c.messages) {
		if m.Thread == root.TS && m.TS != root.TS {
			all = append(all, m)
		}
	}
	return page(p, all, 1000)
}

func (s *Server) usersInfo(p arguments) answer {
	u, ok := s.users[p.get("user")]
	if !ok {
		return no("user_not_found")
	}
	return yes(answer{"user": answer{"id": u.ID, "name": strings.ToLower(u.Name), "real_name": u.Name, "profile": answer{"display_name": u.Display, "real_name": u.Name}}})
}

func (s *Server) setStatus(p arguments) answer {
	c, refused := s.reach(p.get("channel_id"))
	if refused != nil {
		return refused
	}
	if c.find(p.get("thread_ts")) == nil {
		return no("invalid_thread_ts")
	}
	s.statuses[c.ID]++
	return yes(nil)
}

package telegramtest

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
)

// Private returns the chat of a person with the bot.
func Private(u User) Chat {
	return Chat{ID: u.ID, Type: "private", Username: u.Username}
}

// Group returns a supergroup.
func Group(id int64, title string) Chat {
	return Chat{ID: id, Type: "supergroup", Title: title}
}

// Say has a person write a text, and returns the message's id.
func (s *Server) Say(c Chat, from User, text string) int64 {
	return s.Post(Message{Chat: c, From: &from, Text: text})
}

// Post has a message appear in a chat and returns its id. What Telegram adds itself is added:
// id, time, entities, the message that is answered (only its id need be given), and in topics
// the mark.
func (s *Server) Post(m Message) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.enter(m.Chat)
	m.ID = c.nextID()
	m.Date = time.Now().Unix()
	s.mark(&m)
	m.InTopic = m.Topic != 0
	if m.ReplyTo != nil {
		if known := c.messages[m.ReplyTo.ID]; known != nil {
			answered := known.Message
			answered.ReplyTo = nil // one level only
			m.ReplyTo = &answered
		}
	}
	c.messages[m.ID] = &Sent{Message: m}
	said := m
	if m.Chat.Type == "channel" {
		s.updates.add(&update{Post: &said})
	} else {
		s.updates.add(&update{Message: &said})
	}
	s.Happened()
	return m.ID
}

// Edit has a person change the text of a message.
func (s *Server) Edit(c Chat, id int64, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.enter(c).messages[id]
	if m == nil {
		s.t.Errorf("message %d does not exist", id)
		return
	}
	m.Text, m.Entities, m.EditDate = text, nil, time.Now().Unix()
	s.mark(&m.Message)
	now := m.Message
	s.updates.add(&update{Edited: &now})
	s.Happened()
}

// Promote makes the bot an admin of a group.
func (s *Server) Promote(c Chat) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.enter(c).admin = true
}

// React has a person change their reaction to a message to the signs, or take it back when there
// are none. Of a group the bot hears that only as an admin. Without from it is an admin who has no
// name, and reacts as the group.
func (s *Server) React(c Chat, from *User, id int64, signs ...Sign) {
	s.mu.Lock()
	defer s.mu.Unlock()
	in := s.enter(c)
	m := in.messages[id]
	if m == nil {
		s.t.Errorf("message %d does not exist", id)
		return
	}
	by, actor := int64(0), &in.Chat
	if from != nil {
		by, actor = from.ID, nil
	}
	if m.signs == nil {
		m.signs = make(map[int64][]Sign)
	}
	old := m.signs[by]
	m.signs[by] = signs
	if in.Type != "private" && !in.admin {
		return
	}
	s.updates.add(&update{Reaction: &reacted{Chat: in.Chat, ID: id, User: from, Actor: actor, Date: time.Now().Unix(), Old: append([]Sign{}, old...), New: append([]Sign{}, signs...)}})
	s.Happened()
}

// Press has a person press the button with the data under a message of the bot. It returns
// the id of the press.
func (s *Server) Press(c Chat, from User, id int64, data string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.enter(c).messages[id]
	if m == nil || !m.has(data) {
		s.t.Errorf("message %d has no button with %q", id, data)
		return ""
	}
	s.lastID++
	press := strconv.FormatInt(4_382_000_000_000_000_000+s.lastID, 10)
	s.presses[press] = false
	with := m.Message
	s.updates.add(&update{Press: &callbackQuery{ID: press, From: from, Message: &with, ChatInstance: "1", Data: data}})
	s.Happened()
	return press
}

func (m *Sent) has(data string) bool {
	if m.ReplyMarkup == nil {
		return false
	}
	for _, row := range m.ReplyMarkup.Rows {
		for _, b := range row {
			if b.Data == data {
				return true
			}
		}
	}
	return false
}

// Answered reports whether the bot answered a press.
func (s *Server) Answered(press string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.presses[press]
}

// Keep puts a file on the server, by the id that messages name.
func (s *Server) Keep(id string, content []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[id] = content
}

var special = regexp.MustCompile(`(?:^|[\s(,.])(/[A-Za-z0-9_]{1,64}(?:@[A-Za-z0-9_]{3,32})?|@[A-Za-z0-9_]{3,32})`)

// mark finds the commands and mentions in a message's text and caption, as the server does.
func (s *Server) mark(m *Message) {
	m.Entities = append(marks(m.Text), m.Entities...)
	m.CaptionMarks = append(marks(m.Caption), m.CaptionMarks...)
}

func marks(text string) []Entity {
	var out []Entity
	for _, at := range special.FindAllStringSubmatchIndex(text, -1) {
		kind := "mention"
		if strings.HasPrefix(text[at[2]:at[3]], "/") {
			kind = "bot_command"
		}
		out = append(out, Entity{Type: kind, Offset: units(text[:at[2]]), Length: units(text[at[2]:at[3]])})
	}
	return out
}

// units is the length of a text as Telegram counts it.
func units(text string) int { return len(utf16.Encode([]rune(text))) }

package whatsapptest

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"time"
)

// update is one message or status, as it stands in a change.
type update struct {
	number  string // whose it is
	contact any
	message any
	status  any
}

// next makes an id. The caller holds mu.
func (s *Server) next(of string) string {
	s.lastID++
	if of == "" {
		return strconv.Itoa(1_037_543_291_543_000 + s.lastID)
	}
	return "wamid." + base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "HBgL%s%06d", of, s.lastID))
}

func now() string { return strconv.FormatInt(time.Now().Unix(), 10) }

// Say has a person write a text, and returns the message's id.
func (s *Server) Say(c Chat, from User, text string) string {
	return s.Post(c, from, Message{Type: "text", Content: Text{text}})
}

// Reply has a person answer a message.
func (s *Server) Reply(c Chat, from User, to, text string) string {
	author := from.ID
	for _, m := range s.Sent(c) {
		if m.ID == to {
			author = s.Display
		}
	}
	return s.Post(c, from, Message{Type: "text", Content: Text{text}, Context: &Context{From: author, ID: to}})
}

// Post has a message appear in a chat and returns its id. The window of 24 hours begins.
func (s *Server) Post(c Chat, from User, m Message) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.enter(c)
	id := s.next(from.ID)
	known.said[id] = true
	known.closed = false
	s.add(s.of(c, from, id, m))
	return id
}

// of is a message as an update has it.
func (s *Server) of(c Chat, from User, id string, m Message) update {
	body := map[string]any{"id": id, "timestamp": now(), "type": m.Type, "from": from.ID}
	contact := map[string]any{"profile": map[string]any{"name": from.Name}, "wa_id": from.ID}
	if from.UserID != "" {
		body["from_user_id"], contact["user_id"] = from.UserID, from.UserID
	}
	if from.Hidden {
		body["from"], contact["wa_id"] = "", ""
	}
	if m.Content != nil {
		body[m.Type] = m.Content
	}
	if m.Context != nil {
		body["context"] = m.Context
	}
	if len(m.Errors) > 0 {
		body["errors"] = m.Errors
	}
	if c.Group {
		body["group_id"] = c.ID
	}
	return update{number: s.Number, contact: contact, message: body}
}

// Edit has a person change the text of a message.
func (s *Server) Edit(c Chat, from User, id, text string) {
	s.Post(c, from, Message{Type: "edit", Content: map[string]any{
		"original_message_id": id, "message": map[string]any{"type": "text", "text": Text{text}},
	}})
}

// Revoke has a person delete a message.
func (s *Server) Revoke(c Chat, from User, id string) {
	s.Post(c, from, Message{Type: "revoke", Content: map[string]any{"original_message_id": id}})
}

// React has a person react to a message; no sign takes it back.
func (s *Server) React(c Chat, from User, id, sign string) {
	content := map[string]any{"message_id": id}
	if sign != "" {
		content["emoji"] = sign
	}
	s.Post(c, from, Message{Type: "reaction", Content: content})
}

// Press has a person press the button with the id under a message of the number, and returns
// the id of the press.
func (s *Server) Press(c Chat, from User, id, press string) string {
	for _, m := range s.Sent(c) {
		if m.ID != id {
			continue
		}
		for _, b := range m.Buttons {
			if b.ID != press {
				continue
			}
			kind := "button_reply"
			if m.List {
				kind = "list_reply"
			}
			return s.Post(c, from, Message{Type: "interactive", Context: &Context{From: s.Display, ID: id}, Content: map[string]any{
				"type": kind, kind: map[string]any{"id": b.ID, "title": b.Title},
			}})
		}
	}
	s.t.Errorf("message %s has no button %q", id, press)
	return ""
}

// taken notes a message of the number, and has its statuses come. The caller holds mu.
func (s *Server) taken(c *chat, m *Sent) {
	m.ID = s.next(s.Number)
	c.sent = append(c.sent, m)
	c.said[m.ID] = true
	if !s.quiet {
		s.add(s.statusOf(c, m, "sent", nil))
		s.add(s.statusOf(c, m, "delivered", nil))
	}
	s.Happened()
}

// Quiet has no more statuses come by themselves.
func (s *Server) Quiet() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.quiet = true
}

// Status has a status of a message of the number come: sent, delivered, read, played, or failed
// with an error.
func (s *Server) Status(c Chat, id, what string, why ...Trouble) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.enter(c)
	for _, m := range known.sent {
		if m.ID == id {
			s.add(s.statusOf(known, m, what, why))
			return
		}
	}
	s.t.Errorf("message %s does not exist", id)
}

func (s *Server) statusOf(c *chat, m *Sent, what string, why []Trouble) update {
	body := map[string]any{"id": m.ID, "status": what, "timestamp": now(), "recipient_id": c.ID}
	switch {
	case c.Group:
		body["recipient_type"] = "group"
	case len(c.ID) > 3 && c.ID[2] == '.':
		body["recipient_id"], body["recipient_user_id"] = "", c.ID
	}
	if m.Key != "" {
		body["biz_opaque_callback_data"] = m.Key
	}
	if why != nil {
		body["errors"] = why
	}
	return update{number: s.Number, status: body}
}

// add puts an update into the queue. The caller holds mu.
func (s *Server) add(u update) {
	if s.held {
		s.batch = append(s.batch, u)
	} else {
		s.queue = append(s.queue, u)
	}
	s.Happened()
}

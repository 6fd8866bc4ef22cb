package slacktest

import (
	"encoding/json"
	"slices"
	"time"
)

// Private returns the conversation of a person with the bot.
func Private(u User) Chat { return Chat{ID: "D" + u.ID[1:], Kind: "im"} }

// Channel returns a public channel.
func Channel(id string) Chat { return Chat{ID: id, Kind: "channel"} }

// enter returns a conversation and makes it known. The caller holds mu.
func (s *Server) enter(c Chat) *chat {
	known := s.chats[c.ID]
	if known == nil {
		known = &chat{Chat: c}
		s.chats[c.ID] = known
	}
	return known
}

// Enter has the bot be in a conversation in which nobody has said anything.
func (s *Server) Enter(c Chat) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.enter(c).out = false
}

// Kick has the bot be removed from a channel.
func (s *Server) Kick(c Chat) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.enter(c).out = true
}

// Archive archives a channel.
func (s *Server) Archive(c Chat) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.enter(c).archived = true
}

// Say has a person write a text, and returns the message's ts.
func (s *Server) Say(c Chat, from User, text string) string {
	return s.Post(c, from, Message{Text: text})
}

// Reply has a person write in the thread under a message.
func (s *Server) Reply(c Chat, from User, thread, text string) string {
	return s.Post(c, from, Message{Text: text, Thread: thread})
}

// Post has a message of a person appear and returns its ts. What Slack adds itself is added.
func (s *Server) Post(c Chat, from User, m Message) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.enter(c)
	s.users[from.ID] = from
	m.Type = "message"
	m.User = from.ID
	if from.Bot != "" {
		m.Bot = from.Bot
	}
	sent := &Sent{Message: m}
	for _, hit := range ring.FindAllStringSubmatch(m.Text, -1) {
		sent.Rings = append(sent.Rings, hit[1])
	}
	s.say(known, sent)
	return sent.TS
}

// say puts a message into a conversation and tells the app of it: as a message, and once more
// when the app is mentioned. The caller holds mu.
func (s *Server) say(c *chat, m *Sent) {
	m.TS = s.stamp()
	if root := c.find(m.Thread); root != nil {
		m.ThreadUser = root.User
		root.Thread = root.TS
	}
	c.messages = append(c.messages, m)
	told := m.Message
	told.Metadata = nil
	s.tell(messageEvent{Message: told, Channel: c.ID, Kind: c.Kind, EventTS: m.TS})
	if c.Kind != "im" && slices.Contains(m.Rings, "@"+s.Bot.ID) {
		told.Type = "app_mention"
		s.tell(messageEvent{Message: told, Channel: c.ID, EventTS: m.TS})
	}
	s.Happened()
}

// Edit has a person change the text of a message.
func (s *Server) Edit(c Chat, ts, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.enter(c)
	m := known.find(ts)
	if m == nil {
		s.t.Errorf("message %s does not exist", ts)
		return
	}
	before := m.Message
	m.Text, m.Edited = text, &Edited{User: m.User, TS: s.stamp()}
	s.tellChange(known, m, before)
}

// Unfurl has Slack show the page of a link in a message, which changes the message.
func (s *Server) Unfurl(c Chat, ts string, attachments string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.enter(c)
	m := known.find(ts)
	before := m.Message
	m.Attachments = json.RawMessage(attachments)
	s.tellChange(known, m, before)
}

func (s *Server) tellChange(c *chat, m *Sent, before Message) {
	now, at := m.Message, s.stamp()
	s.tell(changeEvent{Type: "message", Subtype: "message_changed", Hidden: true, Channel: c.ID, Kind: c.Kind, TS: at, EventTS: at, Message: &now, Previous: &before})
	s.Happened()
}

// Delete has a person delete a message.
func (s *Server) Delete(c Chat, ts string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.enter(c)
	m := known.find(ts)
	known.messages = slices.DeleteFunc(known.messages, func(m *Sent) bool { return m.TS == ts })
	before, at := m.Message, s.stamp()
	s.tell(changeEvent{Type: "message", Subtype: "message_deleted", Hidden: true, Channel: c.ID, Kind: c.Kind, TS: at, EventTS: at, DeletedTS: ts, Previous: &before})
	s.Happened()
}

// React has a person put a sign on a message, or take it away.
func (s *Server) React(c Chat, from User, ts, name string, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users[from.ID] = from
	e := reactionEvent{Type: "reaction_added", User: from.ID, Reaction: name, Item: reactionItem{"message", c.ID, ts}, EventTS: s.stamp()}
	if m := s.enter(c).find(ts); m != nil {
		e.ItemUser = m.User
	}
	if !on {
		e.Type = "reaction_removed"
	}
	s.tell(e)
	s.Happened()
}

// Press has a person press the button with the value under a message of the bot. It returns
// when, which names the press.
func (s *Server) Press(c Chat, from User, ts, value string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users[from.ID] = from
	m := s.enter(c).find(ts)
	if m == nil || !slices.ContainsFunc(m.Buttons, func(b Button) bool { return b.Value == value }) {
		s.t.Errorf("message %s has no button with %q", ts, value)
		return ""
	}
	at := s.stamp()
	container := map[string]string{"type": "message", "message_ts": ts, "channel_id": c.ID}
	if m.Thread != "" {
		container["thread_ts"] = m.Thread
	}
	s.send("interactive", interaction{
		Type: "block_actions", App: "A0APP0001", Trigger: "12466734323.1395872398." + at, Container: container,
		User: map[string]string{"id": from.ID, "username": from.Name}, Channel: map[string]string{"id": c.ID}, Message: m.Message,
		Actions: []action{{Type: "button", Action: "press_0", Block: "a1", Value: value, TS: at}},
	})
	s.Happened()
	return at
}

// Tell has any event come; it is written as it is.
func (s *Server) Tell(event string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tell(json.RawMessage(event))
	s.Happened()
}

// tell tells the app of an event. The caller holds mu.
func (s *Server) tell(event any) {
	s.send("events_api", wrapper{Token: "legacy", Team: "T0TEAM001", App: "A0APP0001", Event: event, Type: "event_callback", EventID: "Ev" + s.stamp(), EventTime: time.Now().Unix()})
}

// Sent returns the bot's messages in a conversation, in the order in which they were taken.
func (s *Server) Sent(c Chat) []Sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.chats[c.ID]
	if known == nil {
		return nil
	}
	var out []Sent
	for _, m := range known.messages {
		if m.User == s.Bot.ID {
			out = append(out, *m)
		}
	}
	return out
}

// Texts returns what the bot's messages in a conversation say.
func (s *Server) Texts(c Chat) []string {
	var out []string
	for _, m := range s.Sent(c) {
		out = append(out, m.Text)
	}
	return out
}

// After returns what the bot's messages in a conversation say, but for the first n.
func (s *Server) After(c Chat, n int) (texts []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.chats[c.ID]
	if known == nil {
		return nil
	}
	for _, m := range known.messages {
		if m.User != s.Bot.ID {
			continue
		}
		if n--; n < 0 {
			texts = append(texts, m.Text)
		}
	}
	return texts
}

// Typing returns how often the bot showed in a conversation that it writes.
func (s *Server) Typing(c Chat) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.statuses[c.ID]
}

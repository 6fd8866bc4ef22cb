package discordtest

import (
	"regexp"
	"slices"
	"strconv"
	"time"
)

// Private returns the chat of a person with the bot.
func Private(u User) Channel { return Channel{ID: "7" + u.ID, Type: 1} }

// Group returns a channel of the server.
func Group(id, name string) Channel { return Channel{ID: id, GuildID: Guild, Name: name} }

// Thread returns a thread in a channel of the server.
func Thread(id string, in Channel) Channel {
	return Channel{ID: id, Type: 11, GuildID: Guild, Parent: in.ID}
}

const stamp = "2006-01-02T15:04:05.000000-07:00"

// id returns the next id, of a time. The caller holds mu.
func (s *Server) id(at time.Time) string {
	const epoch = 1420070400000
	n := uint64(at.UnixMilli()-epoch) << 22
	if at = at.Add(time.Minute); time.Now().Before(at) { // of now: they only grow
		n = max(n, s.lastID+1)
		s.lastID = n
	} else {
		s.lastOld++
		n += s.lastOld
	}
	return strconv.FormatUint(n, 10)
}

// Say has a person write a text, and returns the message's id.
func (s *Server) Say(c Channel, from User, text string) string {
	return s.Post(c, Message{Author: &from, Content: text}, time.Now())
}

var marks = regexp.MustCompile(`<@(!?|&)([0-9]+)>`)

// Post has a message appear in a channel, as written at some time, and returns its id. What
// Discord adds itself is added: ids, time, mentions, and of what it answers all but the id.
func (s *Server) Post(at Channel, m Message, when time.Time) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.enter(at)
	m.ID, m.ChannelID = s.id(when), at.ID
	m.Timestamp = when.UTC().Format(stamp)
	m.Mentions, m.Roles = s.mentioned(m.Content)
	if r := m.Reference; r != nil {
		r.ChannelID = at.ID
		if known := c.messages[r.MessageID]; known != nil && r.Type == 0 {
			m.Type = 19
			answered := known.Message
			answered.Referenced = nil // one level only
			m.Referenced = &answered
			if !slices.Contains(m.Mentions, *answered.Author) {
				m.Mentions = append(m.Mentions, *answered.Author)
			}
		}
	}
	c.keep(&Sent{Message: m})
	s.tellMessage(c, "MESSAGE_CREATE", m)
	return m.ID
}

// Become has the token be another bot's.
func (s *Server) Become(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Bot.ID = id
}

// mentioned returns whom a text mentions.
func (s *Server) mentioned(text string) (users []User, roles []string) {
	users, roles = []User{}, []string{}
	for _, m := range marks.FindAllStringSubmatch(text, -1) {
		switch {
		case m[1] == "&":
			roles = append(roles, m[2])
		case m[2] == s.Bot.ID:
			users = append(users, s.Bot)
		default:
			users = append(users, User{ID: m[2], Username: "user" + m[2]})
		}
	}
	return users, roles
}

// tellMessage sends what happened to a message. The caller holds mu.
func (s *Server) tellMessage(c *chat, name string, m Message) {
	intent := directMessages
	m.GuildID = c.GuildID
	if c.GuildID != "" {
		intent = guildMessages
		if m.Author != nil && m.WebhookID == "" {
			m.Member = &Member{Nick: c.nicks[m.Author.ID]}
		}
	}
	s.tell(intent, name, func(intents int) any {
		called := slices.ContainsFunc(m.Mentions, func(u User) bool { return u.ID == s.Bot.ID })
		if intents&content != 0 || c.GuildID == "" || called {
			return m
		}
		less := m
		less.Content, less.Attachments, less.Embeds, less.Components, less.Poll = "", nil, nil, nil, nil
		return less
	})
}

// Nick gives a person another name in a channel.
func (s *Server) Nick(at Channel, u User, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.enter(at).nicks[u.ID] = name
}

// Edit has a person change the text of a message.
func (s *Server) Edit(at Channel, id, text string) {
	s.alter(at, id, func(m *Message) {
		m.Content = text
		now := time.Now().UTC().Format(stamp)
		m.Edited = &now
		m.Mentions, m.Roles = s.mentioned(text)
	})
}

// Unfold has the pages of a message's links be found.
func (s *Server) Unfold(at Channel, id string, e Embed) {
	s.alter(at, id, func(m *Message) { m.Embeds = []Embed{e} })
}

func (s *Server) alter(at Channel, id string, do func(*Message)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.enter(at)
	m := c.messages[id]
	if m == nil {
		s.t.Errorf("message %s does not exist", id)
		return
	}
	do(&m.Message)
	s.tellMessage(c, "MESSAGE_UPDATE", m.Message)
}

// Delete has messages of a channel be deleted.
func (s *Server) Delete(at Channel, ids ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.enter(at)
	for _, id := range ids {
		delete(c.messages, id)
	}
	c.order = slices.DeleteFunc(c.order, func(id string) bool { return slices.Contains(ids, id) })
	intent, data, name := directMessages, map[string]any{"channel_id": at.ID}, "MESSAGE_DELETE"
	if at.GuildID != "" {
		intent, data["guild_id"] = guildMessages, at.GuildID
	}
	if len(ids) > 1 {
		name, data["ids"] = "MESSAGE_DELETE_BULK", ids
	} else {
		data["id"] = ids[0]
	}
	s.tell(intent, name, func(int) any { return data })
}

// React has a person put a sign under a message, or take it away.
func (s *Server) React(at Channel, from User, id, emojiID, emoji string, away bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data := map[string]any{
		"user_id": from.ID, "channel_id": at.ID, "message_id": id, "burst": false, "type": 0,
		"emoji": map[string]any{"id": nil, "name": emoji},
	}
	if emojiID != "" {
		data["emoji"] = map[string]any{"id": emojiID, "name": emoji}
	}
	intent, name := directReactions, "MESSAGE_REACTION_ADD"
	if at.GuildID != "" {
		intent, data["guild_id"] = guildReactions, at.GuildID
	}
	if away {
		name = "MESSAGE_REACTION_REMOVE"
	} else {
		if m := s.enter(at).messages[id]; m != nil {
			data["message_author_id"] = m.Author.ID
		}
		if at.GuildID != "" {
			data["member"] = Member{User: &from}
		}
	}
	s.tell(intent, name, func(int) any { return data })
}

// A press is a button being pressed.
type press struct {
	token   string
	answer  int // its type; 0 is none
	flags   int
	content string
}

// Press has a person press the button of a message that carries something, and returns the id
// of the press.
func (s *Server) Press(at Channel, from User, id, custom string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.enter(at).messages[id]
	if m == nil || !m.has(custom) {
		s.t.Errorf("message %s has no button with %q", id, custom)
		return ""
	}
	p := s.id(time.Now())
	s.presses[p] = &press{token: "aW50ZXJhY3Rpb24-" + p}
	data := map[string]any{
		"id": p, "application_id": s.Bot.ID, "type": 3, "token": s.presses[p].token, "version": 1,
		"channel_id": at.ID, "message": m.Message, "data": map[string]any{"custom_id": custom, "component_type": 2},
	}
	if at.GuildID != "" {
		data["guild_id"], data["member"] = at.GuildID, Member{User: &from}
	} else {
		data["user"] = from
	}
	s.tell(always, "INTERACTION_CREATE", func(int) any { return data })
	return p
}

func (m *Sent) has(custom string) bool {
	for _, row := range m.Components {
		for _, b := range row.Inside {
			if b.Custom == custom {
				return true
			}
		}
	}
	return false
}

// Answered returns how the bot answered a press: the type, 0 if it did not, what it says, and
// whether only who pressed sees that.
func (s *Server) Answered(id string) (kind int, says string, alone bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.presses[id]
	return p.answer, p.content, p.flags&(1<<6) != 0
}

// Keep puts a file on the server and returns it as an attachment.
func (s *Server) Keep(name, kind string, content []byte) Attachment {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.id(time.Now())
	s.files[id] = content
	return Attachment{ID: id, Filename: name, ContentType: kind, Size: len(content), URL: s.URL() + "/attachments/" + id + "/" + name}
}

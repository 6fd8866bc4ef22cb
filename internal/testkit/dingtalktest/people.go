package dingtalktest

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// A Person is somebody who uses DingTalk.
type Person struct {
	ID    string // encrypted
	Staff string // by which the organization knows them; empty outside of it
	Nick  string
}

// A Chat is where messages are.
type Chat struct {
	ID    string
	Title string
	With  *Person // the one who talks with the robot; nil in a group
}

// Private returns the conversation of a person with the robot.
func Private(p Person) Chat { return Chat{ID: "cidPrivate" + p.ID, With: &p} }

// Group returns a group.
func Group(id, title string) Chat { return Chat{ID: id, Title: title} }

// A Message is what a person writes.
type Message struct {
	Chat    Chat
	From    Person
	ID      string // given by the server when it is empty
	Kind    string // text when it is empty
	Text    string
	Content any    // of another kind
	Others  bool   // in a group: it does not mention the robot
	Quoted  *Quote // what it answers
}

// A Quote is an answered message.
type Quote struct {
	ID, Sender, Text string
}

// Say has a person write a text, to the robot when they are in a group, and returns the
// message's id.
func (s *Server) Say(c Chat, from Person, text string) string {
	return s.Post(Message{Chat: c, From: from, Text: text})
}

// Post has a message reach the robot and returns its id.
func (s *Server) Post(m Message) string {
	id, raw := s.message(m)
	s.Frame(Callback, TopicMessage, string(raw))
	return id
}

// message writes a message as the robot gets it.
func (s *Server) message(m Message) (string, []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.enter(m.Chat)
	if m.ID == "" {
		m.ID = s.id("msg")
	}
	if m.Kind == "" {
		m.Kind = "text"
	}
	until := time.Now().Add(s.life)
	key := s.id("session-")
	s.sessions[key] = session{m.Chat, until}
	out := map[string]any{
		"conversationId": m.Chat.ID, "conversationType": "1", "msgId": m.ID, "msgtype": m.Kind, "createAt": time.Now().UnixMilli(),
		"senderId": m.From.ID, "senderNick": m.From.Nick, "senderCorpId": "ding1", "chatbotCorpId": "ding1", "chatbotUserId": s.Robot, "robotCode": s.RobotCode,
		"sessionWebhook": "https://oapi.dingtalk.com/robot/sendBySession?session=" + key, "sessionWebhookExpiredTime": until.UnixMilli(),
		"isAdmin": false, "isInAtList": false,
	}
	if m.From.Staff != "" {
		s.people[m.From.Staff] = m.From
		out["senderStaffId"] = m.From.Staff
	}
	if m.Chat.With == nil {
		out["conversationType"], out["conversationTitle"] = "2", m.Chat.Title
		if !m.Others {
			out["isInAtList"] = true
			out["atUsers"] = []map[string]string{{"dingtalkId": s.Robot}}
		}
	}
	text := map[string]any{"content": strings.ReplaceAll(m.Text, "@"+s.Name, "")}
	if m.Quoted != nil {
		text["isReplyMsg"] = true
		text["repliedMsg"] = map[string]any{"msgId": m.Quoted.ID, "msgType": "text", "senderId": m.Quoted.Sender, "content": map[string]string{"text": m.Quoted.Text}}
	}
	if m.Kind == "text" {
		out["text"] = text
	} else {
		out["content"] = m.Content
	}
	raw, err := json.Marshal(out)
	if err != nil {
		s.t.Errorf("message: %v", err)
	}
	return m.ID, raw
}

// enter makes a chat known. The caller holds mu.
func (s *Server) enter(c Chat) {
	if c.With == nil {
		s.groups[c.ID] = true
	}
}

// Press has a person press the button of a card that carries something.
func (s *Server) Press(c Chat, from Person, card, carries string) string {
	s.mu.Lock()
	known := s.cards[card]
	s.people[from.Staff] = from
	s.mu.Unlock()
	if known == nil || !known.has(carries) {
		s.t.Errorf("the card %q has no button with %q", card, carries)
		return ""
	}
	content := fmt.Sprintf(`{"cardPrivateData":{"actionIds":["answer"],"params":{"press":%q}}}`, carries)
	space, kind := c.ID, "IM_GROUP"
	if c.With != nil {
		kind = "IM_ROBOT"
	}
	raw, err := json.Marshal(map[string]any{
		"type": "actionCallback", "outTrackId": card, "userId": from.Staff, "userIdType": 1, "corpId": "ding1", "extension": "{}",
		"spaceId": space, "spaceType": kind, "content": content, "value": content,
	})
	if err != nil {
		s.t.Errorf("press: %v", err)
	}
	return s.Frame(Callback, TopicCard, string(raw))
}

// Push sends a message by HTTP, signed at a time with a secret, and returns the status and the
// body of the answer.
func (s *Server) Push(address string, m Message, at time.Time, secret string) (int, string) {
	_, raw := s.message(m)
	return s.PushRaw(address, raw, at, secret)
}

// PushRaw is Push of what is no message, perhaps.
func (s *Server) PushRaw(address string, raw []byte, at time.Time, secret string) (int, string) {
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, address, bytes.NewReader(raw))
	if err != nil {
		s.t.Errorf("push: %v", err)
		return 0, ""
	}
	stamp := strconv.FormatInt(at.UnixMilli(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(stamp + "\n" + secret))
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	req.Header.Set("timestamp", stamp)
	req.Header.Set("sign", base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Errorf("push: %v", err)
		return 0, ""
	}
	defer func() { _ = resp.Body.Close() }() // it is read
	var body bytes.Buffer
	_, _ = body.ReadFrom(resp.Body)
	return resp.StatusCode, body.String()
}

// Keep puts a file on the server, by the code that messages name.
func (s *Server) Keep(code string, content []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[code] = content
}

// SessionLife sets for how long the session webhooks of messages from now on count.
func (s *Server) SessionLife(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.life = d
}

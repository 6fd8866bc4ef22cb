package whatsapptest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
	"unicode/utf8"
)

// chat is what the server knows of one.
type chat struct {
	Chat
	said    map[string]bool // ids of what was said in it
	sent    []*Sent
	typing  int
	closed  bool // the last message of the person is more than 24 hours old
	blocked bool
	recent  []time.Time
}

// Sent is a message that the number sent, as it asked for it.
type Sent struct {
	ID       string
	Key      string // biz_opaque_callback_data
	Type     string
	Text     string // the body, or the caption
	Answers  string
	Previews bool
	List     bool // its buttons are the rows of a list
	Buttons  []Button
	File     string // the id of what was attached
	Named    string // the name of a document
}

// A Button is something to press.
type Button struct{ ID, Title string }

// enter returns a chat and makes it known. The caller holds mu.
func (s *Server) enter(c Chat) *chat {
	known := s.chats[c.ID]
	if known == nil {
		known = &chat{Chat: c, said: make(map[string]bool)}
		s.chats[c.ID] = known
	}
	return known
}

// Enter makes a chat known in which the number may write.
func (s *Server) Enter(c Chat) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.enter(c)
}

// Close has 24 hours pass since the person last wrote.
func (s *Server) Close(c Chat) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.enter(c).closed = true
}

// Block has a person block the number.
func (s *Server) Block(c Chat) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.enter(c).blocked = true
}

// Sent returns the number's messages in a chat, in the order in which they were taken.
func (s *Server) Sent(c Chat) []Sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Sent
	if known := s.chats[c.ID]; known != nil {
		for _, m := range known.sent {
			out = append(out, *m)
		}
	}
	return out
}

// Texts returns what the number's messages in a chat say.
func (s *Server) Texts(c Chat) []string {
	var out []string
	for _, m := range s.Sent(c) {
		out = append(out, m.Text)
	}
	return out
}

// Typing returns how often the number showed that it writes.
func (s *Server) Typing(c Chat) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.chats[c.ID]; known != nil {
		return known.typing
	}
	return 0
}

// WasRead reports whether a message was marked as read.
func (s *Server) WasRead(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen[id] > 0
}

type attachment struct {
	ID      string  `json:"id"`
	Caption *string `json:"caption"`
	Name    *string `json:"filename"`
}

type row struct {
	ID          string `json:"id"`
	Title       string `json:"title"`
	Description string `json:"description"`
}

// outgoing has all that a message may have; what is more is refused.
type outgoing struct {
	Product   string `json:"messaging_product"`
	Whom      string `json:"recipient_type"`
	To        string `json:"to"`
	Recipient string `json:"recipient"`
	Type      string `json:"type"`
	Key       string `json:"biz_opaque_callback_data"`
	Context   *struct {
		ID string `json:"message_id"`
	} `json:"context"`
	Text *struct {
		Preview bool   `json:"preview_url"`
		Body    string `json:"body"`
	} `json:"text"`
	Image       *attachment  `json:"image"`
	Video       *attachment  `json:"video"`
	Audio       *attachment  `json:"audio"`
	Document    *attachment  `json:"document"`
	Interactive *interactive `json:"interactive"`
}

type interactive struct {
	Type   string `json:"type"`
	Header *struct {
		Type     string      `json:"type"`
		Image    *attachment `json:"image"`
		Video    *attachment `json:"video"`
		Document *attachment `json:"document"`
	} `json:"header"`
	Body struct {
		Text string `json:"text"`
	} `json:"body"`
	Action struct {
		Buttons []struct {
			Type  string `json:"type"`
			Reply row    `json:"reply"`
		} `json:"buttons"`
		Button   string `json:"button"`
		Sections []struct {
			Title string `json:"title"`
			Rows  []row  `json:"rows"`
		} `json:"sections"`
	} `json:"action"`
}

func (s *Server) sendMessage(body []byte) answer {
	var p outgoing
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return parameter(err.Error())
	}
	if p.Product != "whatsapp" {
		return parameter("The parameter messaging_product is required.")
	}
	if len(p.Key) > 512 {
		return parameter("Param biz_opaque_callback_data must be at most 512 characters long.")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c, refused := s.recipient(p)
	if refused != nil {
		return *refused
	}
	m, why := s.content(p)
	if why != "" {
		return parameter(why)
	}
	if p.Context != nil {
		if m.Answers = p.Context.ID; !c.said[m.Answers] {
			return no(http.StatusBadRequest, 131009, "(#131009) Parameter value is not valid: the message to reply to is not known")
		}
	}
	if s.limit.Over(&c.recent, time.Now()) > 0 {
		return no(http.StatusBadRequest, 131056, "(#131056) (Business Account, Consumer Account) pair rate limit hit: Message failed to send because there were too many messages sent from this phone number to the same phone number in a short period of time.")
	}
	m.Key = p.Key
	s.taken(c, m)
	type contact struct {
		Input string `json:"input"`
		WA    string `json:"wa_id,omitempty"`
		User  string `json:"user_id,omitempty"`
	}
	type ref struct {
		ID string `json:"id"`
	}
	return yes(struct {
		Product  string    `json:"messaging_product"`
		Contacts []contact `json:"contacts"`
		Messages []ref     `json:"messages"`
	}{"whatsapp", []contact{{p.To + p.Recipient, p.To, p.Recipient}}, []ref{{m.ID}}})
}

func parameter(why string) answer { return no(http.StatusBadRequest, 100, "(#100) "+why) }

// recipient returns a chat that takes messages of the number. The caller holds mu.
func (s *Server) recipient(p outgoing) (*chat, *answer) {
	var refused answer
	c := s.chats[p.To]
	if p.To == "" {
		c = s.chats[p.Recipient]
	}
	switch {
	case p.Whom != "individual" && p.Whom != "group":
		refused = parameter("Param recipient_type must be one of {INDIVIDUAL, GROUP}.")
	case p.To == "" && p.Recipient == "":
		refused = parameter("The parameter to is required.")
	case c == nil && p.Whom == "group":
		refused = no(http.StatusBadRequest, 131041, "(#131041) Group unknown")
	case c == nil || c.blocked:
		refused = no(http.StatusBadRequest, 131026, "(#131026) Message undeliverable: Message Undeliverable.")
	case c.Group != (p.Whom == "group"):
		refused = parameter("The recipient_type and to do not match.")
	case c.closed:
		refused = no(http.StatusBadRequest, 131047, "(#131047) Re-engagement message: Message failed to send because more than 24 hours have passed since the customer last replied to this number.")
	case c.Group && p.Type == "interactive":
		refused = parameter("Interactive messages are not supported in groups.")
	default:
		return c, nil
	}
	return nil, &refused
}

// content reads what a message says, or why it cannot be. The caller holds mu.
func (s *Server) content(p outgoing) (m *Sent, why string) {
	m = &Sent{Type: p.Type}
	var f *attachment
	most := 0
	switch p.Type {
	case "text":
		if p.Text == nil || p.Text.Body == "" {
			return nil, "The parameter text['body'] is required."
		}
		m.Text, m.Previews = p.Text.Body, p.Text.Preview
		most = 4096
	case "image":
		f, most = p.Image, 1024
	case "video":
		f, most = p.Video, 1024
	case "audio":
		if f = p.Audio; f != nil && f.Caption != nil {
			return nil, `Unexpected key "caption" on param "audio".`
		}
	case "document":
		f, most = p.Document, 1024
	case "interactive":
		return s.pressable(p.Interactive)
	default:
		return nil, "Param type must be one of {TEXT, IMAGE, …}."
	}
	if p.Type != "text" {
		if why := s.attached(m, p.Type, f); why != "" {
			return nil, why
		}
	}
	if n := utf8.RuneCountInString(m.Text); n > most {
		return nil, fmt.Sprintf("Param body must be at most %d characters long, not %d.", most, n)
	}
	return m, ""
}

// attached notes a file that was uploaded. The caller holds mu.
func (s *Server) attached(m *Sent, kind string, f *attachment) string {
	if f == nil || s.files[f.ID].content == nil {
		return "Param " + kind + "['id'] is not a valid whatsapp business account media attachment ID"
	}
	if f.Name != nil && kind != "document" {
		return `Unexpected key "filename" on param "` + kind + `".`
	}
	if got := s.files[f.ID].form(); got != kind {
		return "Media of the type " + got + " cannot be sent as " + kind
	}
	m.File = f.ID
	if f.Caption != nil {
		m.Text = *f.Caption
	}
	if f.Name != nil {
		m.Named = *f.Name
	}
	return ""
}

// pressable reads a message with buttons or a list. The caller holds mu.
func (s *Server) pressable(i *interactive) (m *Sent, why string) {
	if i == nil || i.Body.Text == "" {
		return nil, "The parameter interactive['body']['text'] is required."
	}
	m = &Sent{Type: "interactive", Text: i.Body.Text, List: i.Type == "list"}
	if h := i.Header; h != nil {
		f := map[string]*attachment{"image": h.Image, "video": h.Video, "document": h.Document}[h.Type]
		if why := s.attached(m, h.Type, f); why != "" {
			return nil, why
		}
		m.Text = i.Body.Text
	}
	var all []row
	body, title, id, most := 1024, 20, 256, 3
	switch i.Type {
	case "button":
		for _, b := range i.Action.Buttons {
			if b.Type != "reply" {
				return nil, "Param type must be one of {REPLY}."
			}
			all = append(all, b.Reply)
		}
	case "list":
		body, title, id, most = 4096, 24, 200, 10
		if n := utf8.RuneCountInString(i.Action.Button); n == 0 || n > 20 || i.Header != nil {
			return nil, "Invalid button or header of a list."
		}
		for _, sec := range i.Action.Sections {
			if utf8.RuneCountInString(sec.Title) > 24 {
				return nil, "Section title is too long."
			}
			all = append(all, sec.Rows...)
		}
	default:
		return nil, "Param interactive['type'] must be one of {BUTTON, LIST, …}."
	}
	if n := utf8.RuneCountInString(m.Text); n > body {
		return nil, fmt.Sprintf("Body text length invalid. Min length: 1, Max length: %d", body)
	}
	if len(all) == 0 || len(all) > most {
		return nil, fmt.Sprintf("Invalid buttons count. Min allowed buttons: 1, Max allowed buttons: %d", most)
	}
	had := make(map[string]bool)
	for _, r := range all {
		if n := utf8.RuneCountInString(r.Title); n == 0 || n > title || r.ID == "" || len(r.ID) > id || had[r.Title] || had["id:"+r.ID] {
			return nil, "Invalid or duplicated button " + strconv.Quote(r.Title)
		}
		had[r.Title], had["id:"+r.ID] = true, true
		m.Buttons = append(m.Buttons, Button{r.ID, r.Title})
	}
	return m, ""
}

func (s *Server) markSeen(body []byte) answer {
	var p struct {
		Product string `json:"messaging_product"`
		Status  string `json:"status"`
		ID      string `json:"message_id"`
		Typing  *struct {
			Type string `json:"type"`
		} `json:"typing_indicator"`
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil || p.Product != "whatsapp" || p.Status != "read" || p.Typing != nil && p.Typing.Type != "text" {
		return parameter("Invalid parameter")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.chats {
		if !c.said[p.ID] {
			continue
		}
		s.seen[p.ID]++
		if p.Typing != nil {
			c.typing++
		}
		s.Happened()
		return yes(struct {
			Success bool `json:"success"`
		}{true})
	}
	return no(http.StatusBadRequest, 131009, "(#131009) Parameter value is not valid: Message ID is invalid.")
}

package discordtest

import (
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
)

// What a message of a bot may have.
const (
	maxText   = 2000
	maxNonce  = 25
	maxUpload = 10 << 20
)

// chat is what the server knows of a channel.
type chat struct {
	Channel
	messages map[string]*Sent
	order    []string // of all messages, by id
	made     []string // the bot's, as they were taken
	nicks    map[string]string
	typing   int
	blocked  bool
	hidden   bool
	recent   []time.Time
}

// Sent is a message as it is now. What the bot sent has what it asked for, too.
type Sent struct {
	Message
	Answers string   // the message that it answers
	Rings   []string // whom it rings
	Links   bool     // the pages of links are shown
	Files   map[string][]byte
	Edits   int
}

func (c *chat) keep(m *Sent) {
	c.messages[m.ID] = m
	c.order = append(c.order, m.ID)
	slices.SortFunc(c.order, byID)
	c.Last = c.order[len(c.order)-1]
}

func byID(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// enter returns a channel and makes it known. The caller holds mu.
func (s *Server) enter(at Channel) *chat {
	c := s.chats[at.ID]
	if c == nil {
		c = &chat{Channel: at, messages: make(map[string]*Sent), nicks: make(map[string]string)}
		s.chats[at.ID] = c
	}
	return c
}

// Enter makes a channel known in which nobody has said anything.
func (s *Server) Enter(at Channel) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.enter(at)
}

// Block has a person take no messages of the bot, or a server take its permission to write.
func (s *Server) Block(at Channel) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.enter(at).blocked = true
}

// Hide takes a channel out of the bot's sight.
func (s *Server) Hide(at Channel) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.enter(at).hidden = true
}

// Sent returns the bot's messages in a channel, in the order in which they were taken.
func (s *Server) Sent(at Channel) []Sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.chats[at.ID]
	if c == nil {
		return nil
	}
	var out []Sent
	for _, id := range c.made {
		if m := c.messages[id]; m != nil {
			out = append(out, *m)
		}
	}
	return out
}

// Count returns how many messages of the bot are in a channel.
func (s *Server) Count(at Channel) int { return len(s.Sent(at)) }

// Texts returns what the bot's messages in a channel say.
func (s *Server) Texts(at Channel) []string {
	var out []string
	for _, m := range s.Sent(at) {
		out = append(out, m.Content)
	}
	return out
}

// After returns what the bot's messages in a channel say, but for the first n.
func (s *Server) After(at Channel, n int) (texts []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.chats[at.ID]; c != nil {
		for _, id := range c.made[min(n, len(c.made)):] {
			if m := c.messages[id]; m != nil {
				texts = append(texts, m.Content)
			}
		}
	}
	return texts
}

// Typed returns how often the bot showed that it writes.
func (s *Server) Typed(at Channel) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.chats[at.ID]; c != nil {
		return c.typing
	}
	return 0
}

// seen returns a channel that the bot sees. The caller holds mu.
func (s *Server) seen(id string) (*chat, *answer) {
	c := s.chats[id]
	var a answer
	switch {
	case c == nil:
		a = no(http.StatusNotFound, 10003, "Unknown Channel")
	case c.hidden:
		a = no(http.StatusForbidden, 50001, "Missing Access")
	default:
		return c, nil
	}
	return nil, &a
}

func (s *Server) look(id string) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, a := s.seen(id)
	if a != nil {
		return *a
	}
	return ok(c.Channel)
}

// history returns messages, the newest first; of more than fit after one, those next to it.
func (s *Server) history(id string, q url.Values) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, a := s.seen(id)
	if a != nil {
		return *a
	}
	most := 50
	if text := q.Get("limit"); text != "" {
		var err error
		if most, err = strconv.Atoi(text); err != nil || most < 1 || most > 100 {
			return invalid("limit", "int value should be less than or equal to 100.")
		}
	}
	list := slices.Clone(c.order)
	if after := q.Get("after"); after != "" {
		list = slices.DeleteFunc(list, func(id string) bool { return byID(id, after) <= 0 })
		list = list[:min(len(list), most)]
	} else {
		list = list[max(len(list)-most, 0):]
	}
	slices.Reverse(list)
	out := make([]Message, 0, len(list))
	for _, id := range list {
		out = append(out, c.messages[id].Message)
	}
	return ok(out)
}

// A post is what making and changing a message take.
type post struct {
	Content  *string `json:"content"`
	Nonce    string  `json:"nonce"`
	Enforce  bool    `json:"enforce_nonce"`
	Mentions *struct {
		Parse []string `json:"parse"`
	} `json:"allowed_mentions"`
	Reference *struct {
		MessageID string `json:"message_id"`
		Fail      *bool  `json:"fail_if_not_exists"`
	} `json:"message_reference"`
	Components []Component `json:"components"`
	Flags      int         `json:"flags"`
	Uploads    []struct {
		ID       int    `json:"id"`
		Filename string `json:"filename"`
	} `json:"attachments"`

	files map[string]file // by the field of the form
}

type file struct {
	name, kind string
	content    []byte
}

// posted reads a post, as JSON or as a form with files.
func (s *Server) posted(r *http.Request, do func(post) answer) answer {
	var p post
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	raw := []byte(nil)
	switch kind {
	case "application/json":
		var err error
		if raw, err = io.ReadAll(r.Body); err != nil {
			return no(http.StatusBadRequest, 50109, "The request body contains invalid JSON.")
		}
	case "multipart/form-data":
		if err := r.ParseMultipartForm(64 << 20); err != nil {
			return no(http.StatusBadRequest, 50035, "Invalid Form Body")
		}
		raw = []byte(r.FormValue("payload_json"))
		p.files = make(map[string]file)
		for field, headers := range r.MultipartForm.File {
			f, err := headers[0].Open()
			if err != nil {
				return no(http.StatusBadRequest, 50035, "Invalid Form Body")
			}
			content, err := io.ReadAll(f)
			_ = f.Close() // only read
			if err != nil || len(content) > maxUpload {
				return no(http.StatusRequestEntityTooLarge, 40005, "Request entity too large")
			}
			p.files[field] = file{headers[0].Filename, headers[0].Header.Get("Content-Type"), content}
		}
	default:
		return no(http.StatusBadRequest, 50035, "Invalid Form Body")
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return no(http.StatusBadRequest, 50109, "The request body contains invalid JSON.")
	}
	return do(p)
}

// wrong says what a message cannot have.
func (p *post) wrong() *answer {
	var a answer
	switch {
	case p.Content != nil && len(utf16.Encode([]rune(*p.Content))) > maxText:
		a = invalid("content", "Must be 2000 or fewer in length.")
	case (p.Content == nil || strings.TrimSpace(*p.Content) == "") && len(p.files) == 0:
		a = no(http.StatusBadRequest, 50006, "Cannot send an empty message")
	case len(p.Nonce) > maxNonce:
		a = invalid("nonce", "Must be 25 or fewer in length.")
	case p.Flags&^(1<<2|1<<12) != 0:
		a = invalid("flags", "Invalid flags.")
	case len(p.Components) > 5:
		a = invalid("components", "Must be 5 or fewer in length.")
	default:
		return p.wrongComponents()
	}
	return &a
}

func (p *post) wrongComponents() *answer {
	var a answer
	all := make(map[string]bool)
	for _, row := range p.Components {
		if row.Type != 1 || len(row.Inside) == 0 || len(row.Inside) > 5 {
			a = invalid("components", "Must be between 1 and 5 in length.")
			return &a
		}
		for _, b := range row.Inside {
			if b.Type != 2 || b.Style < 1 || b.Style > 4 || b.Custom == "" || len(b.Custom) > 100 || b.Label == "" || len([]rune(b.Label)) > 80 || all[b.Custom] {
				a = invalid("components", "A button is wrong, or is there twice.")
				return &a
			}
			all[b.Custom] = true
		}
	}
	return nil
}

// rings returns whom a text rings.
func (p *post) rings() []string {
	var out []string
	for _, m := range marks.FindAllStringSubmatch(*p.Content, -1) {
		kind := "users"
		if m[1] == "&" {
			kind = "roles"
		}
		if p.Mentions == nil || p.Mentions.Parse == nil || slices.Contains(p.Mentions.Parse, kind) {
			out = append(out, m[2])
		}
	}
	if strings.Contains(*p.Content, "@everyone") && (p.Mentions == nil || p.Mentions.Parse == nil || slices.Contains(p.Mentions.Parse, "everyone")) {
		out = append(out, "everyone")
	}
	return out
}

func (s *Server) make(id string, p post) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, a := s.seen(id)
	if a != nil {
		return *a
	}
	if c.blocked && c.GuildID == "" {
		return no(http.StatusForbidden, 50007, "Cannot send messages to this user")
	}
	if c.blocked {
		return no(http.StatusForbidden, 50013, "Missing Permissions")
	}
	if a := p.wrong(); a != nil {
		return *a
	}
	m := &Sent{Links: p.Flags&(1<<2) == 0, Files: make(map[string][]byte)}
	if p.Reference != nil {
		answered := c.messages[p.Reference.MessageID]
		if answered == nil && (p.Reference.Fail == nil || *p.Reference.Fail) {
			return invalid("message_reference", "Unknown message")
		}
		if answered != nil {
			m.Answers = answered.ID
		}
	}
	now := time.Now()
	over, header := s.counted(c, now)
	if over > 0 {
		return tooMany(over, false)
	}
	if known := c.messages[s.nonces[id+" "+p.Nonce]]; p.Enforce && p.Nonce != "" && known != nil {
		return answer{status: http.StatusOK, body: known.Message, header: header}
	}
	if p.Content == nil {
		p.Content = new(string)
	}
	m.Rings = p.rings()
	m.Message = Message{ID: s.id(now), ChannelID: id, Author: &s.Bot, Content: *p.Content, Timestamp: now.UTC().Format(stamp), Components: p.Components, Nonce: p.Nonce, Flags: p.Flags}
	for _, u := range p.Uploads {
		f, found := p.files["files["+strconv.Itoa(u.ID)+"]"]
		if !found {
			return invalid("attachments", "The file of an attachment is missing.")
		}
		m.Attachments = append(m.Attachments, Attachment{ID: m.ID, Filename: u.Filename, ContentType: f.kind, Size: len(f.content)})
		m.Files[u.Filename] = f.content
	}
	if p.Nonce != "" {
		s.nonces[id+" "+p.Nonce] = m.ID
	}
	c.keep(m)
	c.made = append(c.made, m.ID)
	s.tellMessage(c, "MESSAGE_CREATE", m.Message)
	return answer{status: http.StatusOK, body: m.Message, header: header}
}

func (s *Server) change(id, message string, p post) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, a := s.seen(id)
	if a != nil {
		return *a
	}
	m := c.messages[message]
	if m == nil {
		return no(http.StatusNotFound, 10008, "Unknown Message")
	}
	if m.Author.ID != s.Bot.ID {
		return no(http.StatusForbidden, 50005, "Cannot edit a message authored by another user")
	}
	if a := p.wrong(); a != nil {
		return *a
	}
	now := time.Now().UTC().Format(stamp)
	m.Content, m.Edited, m.Components = *p.Content, &now, p.Components
	m.Rings = append(m.Rings, p.rings()...)
	m.Edits++
	s.tellMessage(c, "MESSAGE_UPDATE", m.Message)
	return ok(m.Message)
}

func (s *Server) typing(id string) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, a := s.seen(id)
	if a != nil {
		return *a
	}
	c.typing++
	s.Happened()
	return answer{status: http.StatusNoContent}
}

func (s *Server) callback(r *http.Request, id, token string) answer {
	var p struct {
		Type int `json:"type"`
		Data struct {
			Content string `json:"content"`
			Flags   int    `json:"flags"`
		} `json:"data"`
	}
	err := json.NewDecoder(io.LimitReader(r.Body, 1<<20)).Decode(&p)
	s.mu.Lock()
	defer s.mu.Unlock()
	press := s.presses[id]
	switch {
	case err != nil || p.Type != 6 && p.Type != 4 || p.Type == 4 && p.Data.Content == "":
		return no(http.StatusBadRequest, 50035, "Invalid Form Body")
	case press == nil || press.token != token:
		return no(http.StatusNotFound, 10062, "Unknown interaction")
	case press.answer != 0:
		return no(http.StatusBadRequest, 40060, "Interaction has already been acknowledged.")
	}
	press.answer, press.content, press.flags = p.Type, p.Data.Content, p.Data.Flags
	s.Happened()
	return answer{status: http.StatusNoContent}
}

func (s *Server) download(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "" {
		s.t.Error("the token came with the question for a file")
	}
	id, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/attachments/"), "/")
	s.mu.Lock()
	content, found := s.files[id]
	s.mu.Unlock()
	if !found {
		http.Error(w, "This content is no longer available.", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	_, _ = w.Write(content) // who has gone does not read it
}

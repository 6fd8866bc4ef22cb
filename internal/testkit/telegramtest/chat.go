package telegramtest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxFile is the largest file that a bot can fetch, and maxText the longest text it can send.
const (
	maxFile = 20 << 20
	maxText = 4096
	maxData = 64 // bytes of a button's data
)

// chat is what the server knows of one.
type chat struct {
	Chat
	lastID   int64
	messages map[int64]*Sent
	order    []int64 // of the bot's messages, as they were taken
	gone     map[int64]bool
	typing   int
	blocked  bool
	admin    bool // the bot is
	movedTo  int64
	recent   []time.Time
}

// Sent is a message as it is now. What the bot sent has what it asked for, too.
type Sent struct {
	Message
	Source    string // the text as it came, with its marks
	ParseMode string
	Previews  bool // of links
	Answers   int64
	Edits     int
	Upload    []byte // with a photo or a document

	signs map[int64][]Sign // of reactions, by who reacts
}

func (c *chat) nextID() int64 {
	c.lastID++
	return c.lastID
}

// enter returns a chat and makes it known. The caller holds mu.
func (s *Server) enter(c Chat) *chat {
	known := s.chats[c.ID]
	if known == nil {
		known = &chat{Chat: c, messages: make(map[int64]*Sent)}
		s.chats[c.ID] = known
	}
	return known
}

// Enter makes a chat known to the bot in which nobody has said anything.
func (s *Server) Enter(c Chat) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.enter(c)
}

// Block has a person block the bot, or a group throw it out.
func (s *Server) Block(c Chat) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.enter(c).blocked = true
}

// Migrate makes a supergroup with another id of a group.
func (s *Server) Migrate(c Chat, to int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.enter(c).movedTo = to
	c.ID, c.Type = to, "supergroup"
	s.enter(c)
}

// Sent returns the bot's messages in a chat, in the order in which they were taken.
func (s *Server) Sent(c Chat) []Sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.chats[c.ID]
	if known == nil {
		return nil
	}
	out := make([]Sent, 0, len(known.order))
	for _, id := range known.order {
		if !known.gone[id] {
			out = append(out, *known.messages[id])
		}
	}
	return out
}

// Remove has a person delete a message of the bot, of which the bot is not told.
func (s *Server) Remove(c Chat, id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.enter(c)
	if known.gone == nil {
		known.gone = make(map[int64]bool)
	}
	known.gone[id] = true
	s.Happened()
}

// Count returns how many messages of the bot are in a chat.
func (s *Server) Count(c Chat) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.chats[c.ID]; known != nil {
		return len(known.order)
	}
	return 0
}

// Texts returns what the bot's messages in a chat say, without marks.
func (s *Server) Texts(c Chat) []string {
	var out []string
	for _, m := range s.Sent(c) {
		out = append(out, m.Text)
	}
	return out
}

// After returns what the bot's messages in a chat say, without marks, but for the first n.
func (s *Server) After(c Chat, n int) (texts []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.chats[c.ID]; known != nil {
		for _, id := range known.order[min(n, len(known.order)):] {
			texts = append(texts, known.messages[id].Text)
		}
	}
	return texts
}

// Typing returns how often the bot showed that it writes.
func (s *Server) Typing(c Chat) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.chats[c.ID]; known != nil {
		return known.typing
	}
	return 0
}

// chatID is a number, which may also come as text.
type chatID int64

// UnmarshalJSON reads either.
func (c *chatID) UnmarshalJSON(raw []byte) error {
	n, err := strconv.ParseInt(string(bytes.Trim(raw, `"`)), 10, 64)
	*c = chatID(n)
	return err
}

// open returns a chat that takes messages of the bot. The caller holds mu.
func (s *Server) open(id chatID) (*chat, *answer) {
	var no answer
	c := s.chats[int64(id)]
	switch {
	case c == nil:
		no = refusal(http.StatusBadRequest, "Bad Request: chat not found")
	case c.movedTo != 0:
		no = refusal(http.StatusBadRequest, "Bad Request: group chat was upgraded to a supergroup chat")
		no.Parameters = &parameters{MovedTo: c.movedTo}
	case c.blocked && c.Type == "private":
		no = refusal(http.StatusForbidden, "Forbidden: bot was blocked by the user")
	case c.blocked:
		no = refusal(http.StatusForbidden, "Forbidden: bot was kicked from the "+c.Type+" chat")
	default:
		return c, nil
	}
	return nil, &no
}

// texted is what sending and editing have in common.
type texted struct {
	Chat      chatID    `json:"chat_id"`
	Text      string    `json:"text"`
	ParseMode string    `json:"parse_mode"`
	Markup    *Keyboard `json:"reply_markup"`
	Previews  struct {
		Disabled bool `json:"is_disabled"`
	} `json:"link_preview_options"`
}

// plain returns the text without marks, or why it cannot be sent.
func (p *texted) plain() (string, *answer) {
	text := p.Text
	if p.ParseMode == "HTML" {
		var wrong string
		if text, wrong = plainHTML(p.Text); wrong != "" {
			no := refusal(http.StatusBadRequest, "Bad Request: can't parse entities: "+wrong)
			return "", &no
		}
	}
	var wrong string
	switch n := units(text); {
	case p.ParseMode != "" && p.ParseMode != "HTML":
		wrong = "Bad Request: unsupported parse_mode"
	case n == 0:
		wrong = "Bad Request: message text is empty"
	case n > maxText:
		wrong = "Bad Request: message is too long"
	case p.Markup != nil && slices.ContainsFunc(slices.Concat(p.Markup.Rows...), func(b Button) bool { return b.Text == "" || b.Data == "" || len(b.Data) > maxData }):
		wrong = "Bad Request: BUTTON_DATA_INVALID"
	default:
		return text, nil
	}
	no := refusal(http.StatusBadRequest, wrong)
	return "", &no
}

type sendMessage struct {
	texted
	Topic int64     `json:"message_thread_id"`
	Reply *replying `json:"reply_parameters"`
}

type replying struct {
	ID      int64 `json:"message_id"`
	Without bool  `json:"allow_sending_without_reply"`
}

func (s *Server) sendMessage(p sendMessage) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, no := s.open(p.Chat)
	if no != nil {
		return *no
	}
	text, no := p.plain()
	if no != nil {
		return *no
	}
	return s.made(c, p.Topic, p.Reply, p.Markup, &Sent{Source: p.Text, ParseMode: p.ParseMode, Previews: !p.Previews.Disabled, Message: Message{Text: text}})
}

// made puts a message of the bot into a chat. The caller holds mu.
func (s *Server) made(c *chat, topic int64, reply *replying, markup *Keyboard, m *Sent) answer {
	if reply != nil {
		answered := c.messages[reply.ID]
		if answered == nil && !reply.Without {
			return refusal(http.StatusBadRequest, "Bad Request: message to be replied not found")
		}
		if answered != nil {
			m.Answers = reply.ID
		}
	}
	now := time.Now()
	if wait := s.limit.Over(&c.recent, now); wait > 0 {
		return tooMany(wait)
	}
	m.ID, m.Topic, m.InTopic, m.From, m.Date, m.Chat, m.ReplyMarkup = c.nextID(), topic, topic != 0, &s.Bot, now.Unix(), c.Chat, markup
	c.messages[m.ID] = m
	c.order = append(c.order, m.ID)
	s.Happened()
	return result(m.Message)
}

type editMessageText struct {
	texted
	ID int64 `json:"message_id"`
}

func (s *Server) editMessageText(p editMessageText) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, no := s.open(p.Chat)
	if no != nil {
		return *no
	}
	m := c.messages[p.ID]
	if m == nil || c.gone[p.ID] {
		return refusal(http.StatusBadRequest, "Bad Request: message to edit not found")
	}
	if m.From == nil || m.From.ID != s.Bot.ID {
		return refusal(http.StatusBadRequest, "Bad Request: message can't be edited")
	}
	if m.Upload != nil {
		return refusal(http.StatusBadRequest, "Bad Request: there is no text in the message to edit")
	}
	text, no := p.plain()
	if no != nil {
		return *no
	}
	if m.Source == p.Text && m.ParseMode == p.ParseMode && sameKeys(m.ReplyMarkup, p.Markup) {
		return refusal(http.StatusBadRequest, "Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message")
	}
	if wait := s.limit.Over(&c.recent, time.Now()); wait > 0 {
		return tooMany(wait)
	}
	m.Text, m.Source, m.ParseMode, m.ReplyMarkup = text, p.Text, p.ParseMode, p.Markup
	m.EditDate = time.Now().Unix()
	m.Edits++
	s.Happened()
	return result(m.Message)
}

func sameKeys(a, b *Keyboard) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

type sendChatAction struct {
	Chat   chatID `json:"chat_id"`
	Action string `json:"action"`
}

func (s *Server) sendChatAction(p sendChatAction) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, no := s.open(p.Chat)
	if no != nil {
		return *no
	}
	if p.Action != "typing" {
		return refusal(http.StatusBadRequest, "Bad Request: wrong parameter action in request")
	}
	c.typing++
	s.Happened()
	return result(true)
}

type answerCallbackQuery struct {
	ID string `json:"callback_query_id"`
}

func (s *Server) answerCallbackQuery(p answerCallbackQuery) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.presses[p.ID]; !ok {
		return refusal(http.StatusBadRequest, "Bad Request: query is too old and response timeout expired or query ID is invalid")
	}
	s.presses[p.ID] = true
	s.Happened()
	return result(true)
}

type getFile struct {
	ID string `json:"file_id"`
}

func (s *Server) getFile(p getFile) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	content, ok := s.files[p.ID]
	switch {
	case !ok:
		return refusal(http.StatusBadRequest, "Bad Request: wrong file_id or the file is temporarily unavailable")
	case len(content) > maxFile:
		return refusal(http.StatusBadRequest, "Bad Request: file is too big")
	}
	return result(File{FileID: p.ID, FileUniqueID: p.ID, FileSize: int64(len(content)), FilePath: "documents/" + p.ID})
}

func (s *Server) download(w http.ResponseWriter, path string) {
	s.mu.Lock()
	content, found := s.files[strings.TrimPrefix(path, "documents/")]
	s.mu.Unlock()
	if !found {
		write(w, refusal(http.StatusNotFound, "Not Found"))
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	_, _ = w.Write(content) // who has gone does not read it
}

package talk

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"strings"
	"sync"

	"chela/internal/event"
)

// A Turn is one message of a call that carries all that was said.
type Turn struct {
	Role string // system, user or assistant
	Text string
}

// An Exchange is how a program that sends the whole history with every message says which conversation it means.
type Exchange struct {
	Model   string
	Session string // a name of its own, or a thread; empty when it names none
	User    string // of whom it speaks; without a history it names the conversation
	Turns   []Turn
}

// News is where the turns begin that came after the last answer.
func (c Exchange) News() int {
	for i := len(c.Turns) - 1; i >= 0; i-- {
		if c.Turns[i].Role == "assistant" {
			return i + 1
		}
	}
	return 0
}

// A History knows which conversation answered what, so that a program which sends the whole history goes
// on with it. It is bounded, and forgets the oldest: then the history is told anew. Safe for concurrent use.
type History struct {
	mu      sync.Mutex // guards the rest
	threads map[[32]byte]string
	order   [][32]byte
	told    map[string][32]byte // thread → the digest of the instructions that came last with the name of a conversation
}

// mostKept bounds what is known.
const mostKept = 10_000

// NewHistory returns an empty history.
func NewHistory() *History {
	return &History{threads: make(map[[32]byte]string), told: make(map[string][32]byte)}
}

// Place finds the conversation of a message: by the session that the program names, else by what was said
// before, as far as it was answered here, else it begins one, to which instructions and history are told.
func (h *History) Place(c Exchange, m *Message) {
	history, session := c.News() > 0, c.Session
	if session == "" && c.User != "" && !history {
		session = "user " + c.User
	}
	switch {
	case strings.HasPrefix(session, "thr_"):
		m.Thread = session
		return
	case session != "":
		sum := sha256.Sum256([]byte(program(m.From) + "\n" + m.Agent + "\n" + session))
		m.Thread, m.Begins = "thr_"+strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:16])), true
		m.Opening = c.preamble()
		if now, changed := h.instructed(m.Thread, c.instructions()); changed {
			m.Text = now + m.Text
		}
		return
	case history:
		if m.Thread = h.take(m.From, c); m.Thread != "" {
			return
		}
	}
	m.Opening = c.preamble()
}

// instructed notes the instructions that came with a named conversation, and tells those that are others than before.
func (h *History) instructed(thread, now string) (told string, changed bool) {
	digest := sha256.Sum256([]byte(now))
	h.mu.Lock()
	defer h.mu.Unlock()
	before, known := h.told[thread]
	if len(h.told) >= mostKept {
		clear(h.told)
	}
	h.told[thread] = digest
	return "The program that asks gives these instructions from now on:\n" + now + "\n\n", known && now != "" && digest != before
}

// Keep notes that a call was answered with a text in a conversation.
func (h *History) Keep(by event.Party, c Exchange, text, thread string) {
	key := c.digest(by, append(c.Turns[:len(c.Turns):len(c.Turns)], Turn{"assistant", text}))
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.order) >= mostKept {
		delete(h.threads, h.order[0])
		h.order = h.order[1:]
	}
	h.threads[key] = thread
	h.order = append(h.order, key)
}

// take returns the conversation in which the history of a call was said, once: who comes with the same
// history again begins another.
func (h *History) take(by event.Party, c Exchange) string {
	key := c.digest(by, c.Turns[:c.News()])
	h.mu.Lock()
	defer h.mu.Unlock()
	thread := h.threads[key]
	delete(h.threads, key)
	return thread
}

// digest is of who asks which model, and of what was said.
func (c Exchange) digest(by event.Party, turns []Turn) [32]byte {
	all := []string{program(by), c.Model, c.User}
	for _, t := range turns {
		all = append(all, t.Role, strings.TrimSpace(t.Text))
	}
	raw, err := json.Marshal(all)
	if err != nil {
		panic("talk: texts are always JSON: " + err.Error())
	}
	return sha256.Sum256(raw)
}

// program names who asks: a person, or one of their keys. What one of these says is in no conversation of another.
func program(by event.Party) string {
	if by.Key == "" {
		return by.AgentID
	}
	return by.AgentID + "/" + by.Key
}

// instructions are what the program says as the system.
func (c Exchange) instructions() string {
	var system []string
	for _, t := range c.Turns {
		if t.Role == "system" && t.Text != "" {
			system = append(system, t.Text)
		}
	}
	return strings.Join(system, "\n\n")
}

// preamble tells what the program's instructions are, and what was said before, to an agent who does not know it.
func (c Exchange) preamble() string {
	var said []string
	for i, t := range c.Turns {
		if t.Text != "" && t.Role != "system" && i < c.News() {
			said = append(said, t.Role+": "+t.Text)
		}
	}
	var b strings.Builder
	if system := c.instructions(); system != "" {
		b.WriteString("The program that asks gives these instructions:\n" + system + "\n\n")
	}
	if len(said) > 0 {
		b.WriteString("Said before:\n" + strings.Join(said, "\n\n") + "\n\nSaid now:\n")
	}
	return b.String()
}

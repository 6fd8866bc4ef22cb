package openai

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/json"
	"strings"
	"sync"

	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/inbox"
	"chela/internal/talk"
	wire "chela/internal/wire/openai"
)

// message is what a call says to an agent: what came after the last answer, with its pictures. What
// came before is put ahead of it unless the conversation has it, see [door.place].
func (d *door) message(caller gateway.Caller, c call) (talk.Message, error) {
	m := talk.Message{Message: inbox.Message{From: caller.Party(), Channel: caller.How.Channel()}}
	var news []string
	for _, in := range c.req.Messages[c.news():] {
		if in.Role != "user" {
			continue
		}
		text, images, err := d.parts(in)
		if err != nil {
			return m, err
		}
		news, m.Images = append(news, text), append(m.Images, images...)
	}
	m.Text = strings.Join(news, "\n\n")
	if strings.TrimSpace(m.Text) == "" && len(m.Images) == 0 {
		return m, fault.BadField("messages", "The last message has to be the user's, and say something.")
	}
	if f := c.req.ResponseFormat; f != nil && f.Type != "text" {
		m.Text += "\n\nAnswer with one JSON value and nothing else, without a code fence."
		if f.JSONSchema != nil && len(f.JSONSchema.Schema) > 0 {
			m.Text += " It fits this JSON Schema: " + string(f.JSONSchema.Schema)
		}
	}
	return m, nil
}

// news is where the messages begin that came after the last answer.
func (c call) news() int {
	for i := len(c.req.Messages) - 1; i >= 0; i-- {
		if c.req.Messages[i].Role == "assistant" {
			return i + 1
		}
	}
	return 0
}

// parts reads the text and the pictures of a message.
func (d *door) parts(m wire.Message) (text string, images []string, err error) {
	parts, err := m.Parts()
	if err != nil {
		return "", nil, fault.New(fault.Invalid, "%s.", err)
	}
	var texts []string
	for _, p := range parts {
		switch p.Type {
		case "text":
			texts = append(texts, p.Text)
		case "image_url":
			raw, err := picture(p.ImageURL)
			if err != nil {
				return "", nil, err
			}
			ref, err := d.talk.Files.Put(raw)
			if err != nil {
				return "", nil, err
			}
			images = append(images, string(ref))
		default:
			return "", nil, fault.BadField("messages", "A part of the type "+p.Type+" is not taken here.", "text", "image_url")
		}
	}
	return strings.Join(texts, "\n"), images, nil
}

// picture reads a data URL. Another address is not fetched for a caller.
func picture(u *wire.ImageURL) ([]byte, error) {
	bad := fault.BadField("messages", "A picture is sent as a data URL, data:image/png;base64,…; addresses are not fetched.")
	if u == nil {
		return nil, bad
	}
	head, data, ok := strings.Cut(u.URL, ",")
	if !ok || !strings.HasPrefix(head, "data:image/") || !strings.HasSuffix(head, ";base64") {
		return nil, bad
	}
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return nil, bad
	}
	return raw, nil
}

// place finds the conversation of a call: by the session that the program names, else by what was said
// before, as far as this door answered it, else it begins one, to which the history is told. A program that
// names a user and sends no history relies on us to remember.
func (d *door) place(caller gateway.Caller, session string, c call, m *talk.Message) {
	history := c.news() > 0
	if session == "" && c.user != "" && !history {
		session = "user " + c.user
	}
	switch {
	case strings.HasPrefix(session, "thr_"):
		m.Thread = session
		return
	case session != "":
		sum := sha256.Sum256([]byte(caller.Person.ID + "\n" + m.Agent + "\n" + session))
		m.Thread, m.Begins = "thr_"+strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:16])), true
		if d.kept.known(m.Thread) {
			return
		}
		d.kept.note(m.Thread)
	case history:
		if m.Thread = d.kept.take(caller, c); m.Thread != "" {
			return
		}
	}
	m.Text = preamble(c) + m.Text
}

// preamble tells what the program's instructions are, and what was said before, to an agent who does not know it.
func preamble(c call) string {
	var system, said []string
	for i, in := range c.req.Messages {
		parts, err := in.Parts()
		if err != nil {
			continue // it was read before
		}
		var text string
		for _, p := range parts {
			text += p.Text
		}
		switch {
		case text == "":
		case in.Role == "system" || in.Role == "developer":
			system = append(system, text)
		case i < c.news():
			said = append(said, in.Role+": "+text)
		}
	}
	var b strings.Builder
	if len(system) > 0 {
		b.WriteString("The program that asks gives these instructions:\n" + strings.Join(system, "\n\n") + "\n\n")
	}
	if len(said) > 0 {
		b.WriteString("Said before:\n" + strings.Join(said, "\n\n") + "\n\nSaid now:\n")
	}
	return b.String()
}

// kept knows which conversation answered what, so that a program which sends the whole history goes on
// with it. It is bounded, and forgets the oldest: then the history is told anew.
type kept struct {
	mu      sync.Mutex // guards the rest
	threads map[[32]byte]string
	order   [][32]byte
	begun   map[string]bool
}

// mostKept bounds what is known.
const mostKept = 10_000

func newKept() *kept {
	return &kept{threads: make(map[[32]byte]string), begun: make(map[string]bool)}
}

func (k *kept) known(thread string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.begun[thread]
}

func (k *kept) note(thread string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.begun) >= mostKept {
		clear(k.begun)
	}
	k.begun[thread] = true
}

// keep notes that a call was answered with a text in a conversation.
func (k *kept) keep(caller gateway.Caller, c call, text, thread string) {
	answer, err := json.Marshal(text)
	if err != nil {
		return // a text is JSON
	}
	key := digest(caller, c, append(c.req.Messages[:len(c.req.Messages):len(c.req.Messages)], wire.Message{Role: "assistant", Content: answer}))
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.order) >= mostKept {
		delete(k.threads, k.order[0])
		k.order = k.order[1:]
	}
	k.threads[key] = thread
	k.order = append(k.order, key)
}

// take returns the conversation in which the history of a call was said, once: who comes with the same
// history again begins another.
func (k *kept) take(caller gateway.Caller, c call) string {
	key := digest(caller, c, c.req.Messages[:c.news()])
	k.mu.Lock()
	defer k.mu.Unlock()
	thread := k.threads[key]
	delete(k.threads, key)
	return thread
}

// digest is of who asks which model, and of what was said: roles and texts, however they are written.
func digest(caller gateway.Caller, c call, messages []wire.Message) [32]byte {
	all := []string{caller.Person.ID, c.req.Model, c.user}
	for _, m := range messages {
		text := ""
		parts, err := m.Parts()
		if err != nil {
			text = string(m.Content)
		}
		for _, p := range parts {
			text += p.Text
		}
		all = append(all, m.Role, strings.TrimSpace(text))
	}
	raw, err := json.Marshal(all)
	if err != nil {
		panic("openai: texts are always JSON: " + err.Error())
	}
	return sha256.Sum256(raw)
}

package openai

import (
	"encoding/base64"
	"strings"

	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/inbox"
	"chela/internal/talk"
	wire "chela/internal/wire/openai"
)

// message is what a call says to an agent: what came after the last answer, with its pictures. What
// came before is put ahead of it unless the conversation has it, see [talk.History].
// The results are of the program's own tools.
func (d *door) message(caller gateway.Caller, c call) (m talk.Message, results []talk.ClientResult, err error) {
	m = talk.Message{Message: inbox.Message{From: caller.Party(), Channel: caller.How.Channel()}}
	if results, err = c.results(); err != nil {
		return m, nil, err
	}
	var news []string
	for _, in := range c.req.Messages[c.of.News():] {
		if in.Role != "user" {
			continue
		}
		text, images, err := d.parts(in)
		if err != nil {
			return m, nil, err
		}
		news, m.Images = append(news, text), append(m.Images, images...)
	}
	m.Text = strings.Join(news, "\n\n")
	var must string
	if m.Client, must, err = d.client(c); err != nil {
		return m, nil, err
	}
	if strings.TrimSpace(m.Text) == "" && len(m.Images) == 0 {
		if len(results) > 0 {
			return m, results, nil
		}
		return m, nil, fault.BadField("messages", "The last message has to be the user's, and say something.")
	}
	m.Text += must
	if f := c.req.ResponseFormat; f != nil && f.Type != "text" {
		m.Text += "\n\nAnswer with one JSON value and nothing else, without a code fence."
		if f.JSONSchema != nil && len(f.JSONSchema.Schema) > 0 {
			m.Text += " It fits this JSON Schema: " + string(f.JSONSchema.Schema)
		}
	}
	return m, results, nil
}

// turns are the messages of a call as a history has them.
func turns(messages []wire.Message) []talk.Turn {
	out := make([]talk.Turn, len(messages))
	for i, m := range messages {
		role := m.Role
		if role == "developer" {
			role = "system"
		}
		out[i].Role = role
		parts, err := m.Parts()
		if err != nil {
			continue // the wire has read it before
		}
		for _, p := range parts {
			out[i].Text += p.Text
		}
		out[i].Text += calledBefore(m.ToolCalls)
	}
	return out
}

// parts reads the text and the pictures of a message.
func (d *door) parts(m wire.Message) (text string, images []string, err error) {
	parts, err := m.Parts()
	if err != nil {
		return "", nil, gateway.Unread(err)
	}
	var texts []string
	for _, p := range parts {
		switch p.Type {
		case "text":
			texts = append(texts, p.Text)
		case "image_url":
			raw, err := picture("messages", p.ImageURL)
			if err != nil {
				return "", nil, err
			}
			ref, err := d.talk.KeepPicture("messages", raw)
			if err != nil {
				return "", nil, err
			}
			images = append(images, ref)
		default:
			return "", nil, fault.BadField("messages", "A part of the type "+p.Type+" is not taken here.", "text", "image_url")
		}
	}
	return strings.Join(texts, "\n"), images, nil
}

// picture reads a data URL. Another address is not fetched for a caller.
// field is where it stands.
func picture(field string, u *wire.ImageURL) ([]byte, error) {
	bad := fault.BadField(field, "A picture is sent as a data URL, data:image/png;base64,…; addresses are not fetched.")
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

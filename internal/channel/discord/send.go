package discord

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"path"
	"slices"
	"strconv"
	"strings"

	"chela/internal/channel"
	"chela/internal/channel/httpcall"
)

// Bounds of what is under a message (discord.com/developers/docs/components/reference).
const (
	perRow     = 5
	mostRows   = 5
	mostLabel  = 80 // characters
	mostCustom = 100
	nonceSize  = 24     // of 25 characters
	unseen     = 1 << 2 // the flag that keeps the pages of links from being shown
)

// The types of components, and how a button looks that is none more than others.
const (
	componentRow = 1
	plainButton  = 2
)

// A post is a message that is made or changed.
type post struct {
	Content    string      `json:"content"`
	Nonce      string      `json:"nonce,omitempty"`
	Enforce    bool        `json:"enforce_nonce,omitempty"` // a second one with the same nonce makes nothing
	Mentions   mentions    `json:"allowed_mentions"`
	Reference  *answering  `json:"message_reference,omitempty"`
	Components []component `json:"components"`
	Flags      int         `json:"flags"`
	Files      []upload    `json:"attachments,omitempty"`
}

type mentions struct {
	Parse   []string `json:"parse"`
	Replied bool     `json:"replied_user"`
}

// nobody keeps a text from ringing anybody, whatever is in it.
func nobody() mentions { return mentions{Parse: []string{}} }

type answering struct {
	Message string `json:"message_id"`
	Fail    bool   `json:"fail_if_not_exists"`
}

type component struct {
	Type   int         `json:"type"`
	Style  int         `json:"style,omitempty"`
	Label  string      `json:"label,omitempty"`
	Custom string      `json:"custom_id,omitempty"`
	Inside []component `json:"components,omitempty"`
}

type upload struct {
	ID   int    `json:"id"`
	Name string `json:"filename"`
}

// Send sends a part.
func (a *Adapter) Send(ctx context.Context, o channel.Out) (string, error) {
	to, err := target(o.Address)
	if err != nil {
		return "", err
	}
	p, err := newPost(o)
	if err != nil {
		return "", err
	}
	if o.Key != "" {
		sum := sha256.Sum256([]byte(o.Key))
		p.Nonce, p.Enforce = hex.EncodeToString(sum[:])[:nonceSize], true
	}
	if o.ReplyTo != "" {
		if !snowflake(o.ReplyTo) {
			return "", noID(o.ReplyTo, "message")
		}
		p.Reference = &answering{Message: o.ReplyTo}
	}
	q := request{method: http.MethodPost, path: "/channels/" + to + "/messages", route: "messages", chat: to}
	if q.body, q.kind, err = encode(p, o.File); err != nil {
		return "", &channel.Refusal{Text: "the message cannot be written: " + err.Error(), Final: true}
	}
	var made struct {
		ID string `json:"id"`
	}
	err = a.api.do(ctx, q, &made)
	if err == nil && !snowflake(made.ID) {
		err = &httpcall.Failure{Status: http.StatusOK, Written: true, Text: "Discord does not say which message it made"}
	}
	if err != nil {
		return "", failureOf(err).verdict()
	}
	return made.ID, nil
}

// Edit changes a part that was sent.
func (a *Adapter) Edit(ctx context.Context, id string, o channel.Out) error {
	to, err := target(o.Address)
	if err != nil {
		return err
	}
	if !snowflake(id) {
		return noID(id, "message")
	}
	p, err := newPost(o)
	if err != nil {
		return err
	}
	q := request{method: http.MethodPatch, path: "/channels/" + to + "/messages/" + id, route: "messages", chat: to}
	if q.body, q.kind, err = encode(p, nil); err != nil {
		return &channel.Refusal{Text: "the message cannot be written: " + err.Error(), Final: true}
	}
	if err := a.api.do(ctx, q, nil); err != nil {
		return failureOf(err).verdict()
	}
	return nil
}

// Typing shows for ten seconds that we write.
func (a *Adapter) Typing(ctx context.Context, to channel.Address) error {
	id, err := target(to)
	if err != nil {
		return err
	}
	q := request{method: http.MethodPost, path: "/channels/" + id + "/typing", route: "typing", chat: id}
	if err := a.api.do(ctx, q, nil); err != nil {
		return failureOf(err).verdict()
	}
	return nil
}

// target is the channel of Discord that an address is: a thread is one of its own.
func target(at channel.Address) (string, error) {
	if !snowflake(at.Chat) {
		return "", noID(at.Chat, "channel")
	}
	if at.Branch == "" {
		return at.Chat, nil
	}
	if !snowflake(at.Branch) {
		return "", noID(at.Branch, "thread")
	}
	return at.Branch, nil
}

func noID(id, of string) error {
	return &channel.Refusal{Text: strconv.Quote(id) + " is no id of a " + of + " on Discord, which is a number", Final: true}
}

// newPost is what sending and editing have in common.
func newPost(o channel.Out) (*post, error) {
	p := &post{Content: o.Text, Mentions: nobody(), Components: []component{}, Flags: unseen}
	if len(o.Buttons) > perRow*mostRows {
		return nil, &channel.Refusal{Text: fmt.Sprintf("a message of Discord has %d buttons, not %d", perRow*mostRows, len(o.Buttons)), Final: true}
	}
	for row := range slices.Chunk(o.Buttons, perRow) {
		line := component{Type: componentRow}
		for _, b := range row {
			if len(b.Press) > mostCustom {
				return nil, &channel.Refusal{Text: fmt.Sprintf("a button of Discord carries %d bytes, not %d", mostCustom, len(b.Press)), Final: true}
			}
			label := b.Text
			if r := []rune(label); len(r) > mostLabel {
				label = string(r[:mostLabel-1]) + "…"
			}
			line.Inside = append(line.Inside, component{Type: button, Style: plainButton, Label: label, Custom: b.Press})
		}
		p.Components = append(p.Components, line)
	}
	return p, nil
}

// encode writes a post, with a file as a form.
func encode(p *post, f *channel.File) (body []byte, kind string, err error) {
	if f == nil {
		body, err = json.Marshal(p)
		return body, "application/json", err
	}
	name := path.Base(path.Clean("/" + strings.ReplaceAll(f.Name, `\`, "/")))
	if name == "/" {
		name = "file"
	}
	p.Files = []upload{{Name: name}}
	raw, err := json.Marshal(p)
	if err != nil {
		return nil, "", err
	}
	var out bytes.Buffer
	form := multipart.NewWriter(&out)
	part := func(kind, field string, raw []byte, file string) error {
		where := `form-data; name="` + field + `"`
		if file != "" {
			where = multipart.FileContentDisposition(field, file)
		}
		h := textproto.MIMEHeader{"Content-Type": {kind}, "Content-Disposition": {where}}
		w, err := form.CreatePart(h)
		if err == nil {
			_, err = w.Write(raw)
		}
		return err
	}
	if err := part("application/json", "payload_json", raw, ""); err != nil {
		return nil, "", err
	}
	mediaType := f.Type
	if _, _, err := mime.ParseMediaType(mediaType); err != nil {
		mediaType = "application/octet-stream"
	}
	if err := part(mediaType, "files[0]", f.Raw, name); err != nil {
		return nil, "", err
	}
	if err := form.Close(); err != nil {
		return nil, "", err
	}
	return out.Bytes(), form.FormDataContentType(), nil
}

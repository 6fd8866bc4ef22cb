// Package webhook is the channel for whatever has no adapter of its own: messages come and
// go as JSON over HTTP, signed both ways as the Standard Webhooks specification 1.0.0 says
// (https://www.standardwebhooks.com): the headers webhook-id, webhook-timestamp and
// webhook-signature, an HMAC-SHA256 over all three parts. docs/channels.md has the fields.
package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"chela/internal/channel"
	"chela/internal/channel/httpcall"
	"chela/internal/fault"
	"chela/internal/webhook"
)

// Bounds of what comes in.
const (
	maxBody   = 16 << 20 // bytes; files are in it
	maxAnswer = 64 << 10
	idle      = 20 * time.Second // until the other side must have answered
)

// Kind is this platform's.
const Kind channel.Kind = "webhook"

// Platform returns what a channel of this kind needs. now is the clock that timestamps are
// compared with.
func Platform(now func() time.Time) channel.Platform {
	return channel.Platform{
		Kind: Kind,
		Secrets: []channel.Need{
			{Name: "secret", Help: "what both sides sign with: whsec_ and 24 to 64 bytes in base64 (openssl rand -base64 32)"},
		},
		Settings: []channel.Need{
			{Name: "url", Help: "where our messages are sent to", Optional: true, Called: true},
		},
		Open: func(c channel.Config) (channel.Adapter, error) { return open(c, now) },
	}
}

type hook struct {
	c   channel.Config
	key webhook.Signer
	url string
	now func() time.Time
}

func open(c channel.Config, now func() time.Time) (channel.Adapter, error) {
	key, err := webhook.NewSigner(c.Secrets["secret"])
	if err != nil {
		return nil, fault.BadField("secrets", fault.TextOf(err))
	}
	h := &hook{c: c, key: key, url: c.Settings["url"], now: now}
	if h.url != "" {
		u, err := url.Parse(h.url)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, fault.BadField("settings", fmt.Sprintf("The url %q is no address such as https://chat.example.com/hook.", h.url))
		}
	}
	return h, nil
}

// Check implements [channel.Adapter]. There is nobody to ask.
func (h *hook) Check(context.Context) (channel.Account, error) {
	return channel.Account{ID: h.c.Name, Name: h.c.Name}, nil
}

// Run implements [channel.Adapter]: messages come to [hook.Listen].
func (h *hook) Run(ctx context.Context, in channel.Inbox) error {
	in.Up()
	<-ctx.Done()
	return nil
}

// Shape implements [channel.Adapter].
func (h *hook) Shape() channel.Shape { return channel.Shape{} }

// said is a message as it comes in.
type said struct {
	What   channel.What `json:"what"` // said when empty
	ID     string       `json:"id"`
	Chat   string       `json:"chat"`
	Branch string       `json:"branch"`
	Sender struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"sender"`
	Group   bool      `json:"group"`
	Called  bool      `json:"called"`
	Text    string    `json:"text"`
	ReplyTo string    `json:"reply_to"`
	Press   string    `json:"press"`
	At      time.Time `json:"at"`
	Files   []file    `json:"files"`
	// Fate says what became of ReplyTo, a message of ours; nothing is said then.
	Fate channel.Fate `json:"fate"`
	Why  string       `json:"why"`
}

// Listen implements [channel.Listener].
func (h *hook) Listen(w http.ResponseWriter, r *http.Request, in channel.Inbox) {
	if err := h.take(w, r, in); err != nil {
		code := http.StatusServiceUnavailable // it comes again
		switch fault.KindOf(err) {
		case fault.Unauthenticated:
			code = http.StatusUnauthorized
		case fault.TooLarge:
			code = http.StatusRequestEntityTooLarge
		case fault.Invalid:
			code = http.StatusBadRequest
		default:
		}
		http.Error(w, fault.TextOf(err), code)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (h *hook) take(w http.ResponseWriter, r *http.Request, in channel.Inbox) error {
	id, stamp := r.Header.Get(webhook.HeaderID), r.Header.Get(webhook.HeaderTimestamp)
	if err := webhook.Timely(id, stamp, h.now()); err != nil {
		return err
	}
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		return fault.New(fault.TooLarge, "The message is larger than %d MB.", maxBody>>20)
	}
	if err != nil {
		return fault.Wrap(err, fault.Invalid, "The message did not come whole.")
	}
	if !h.key.Signed(r.Header.Get(webhook.HeaderSignature), id, stamp, raw) {
		return fault.New(fault.Unauthenticated, "The signature is not ours.")
	}
	m, receipt, err := decode(raw)
	if err != nil {
		return err
	}
	if receipt != nil {
		return in.Receive(r.Context(), *receipt)
	}
	m.Called = m.Called || !m.Group
	return in.Take(r.Context(), m)
}

// sent is a message of ours.
type sent struct {
	Chat    string   `json:"chat"`
	Branch  string   `json:"branch,omitempty"`
	Text    string   `json:"text"`
	ReplyTo string   `json:"reply_to,omitempty"`
	Buttons []button `json:"buttons,omitempty"`
	File    *file    `json:"file,omitempty"`
}

// A file is one that comes in or goes out.
type file struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Data []byte `json:"data"` // base64
}

type button struct {
	Text  string `json:"text"`
	Press string `json:"press"`
}

// Send implements [channel.Adapter]. The webhook-id is the same for each attempt, so that the
// other side can leave out what it has.
func (h *hook) Send(ctx context.Context, o channel.Out) (string, error) {
	if h.url == "" {
		return "", &channel.Refusal{Text: "The channel has no url to send to.", Final: true}
	}
	out := sent{Chat: o.Chat, Branch: o.Branch, Text: o.Text, ReplyTo: o.ReplyTo}
	for _, b := range o.Buttons {
		out.Buttons = append(out.Buttons, button(b))
	}
	if o.File != nil {
		out.File = &file{o.File.Name, o.File.Type, o.File.Raw}
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return "", &channel.Refusal{Text: err.Error(), Final: true}
	}
	ctx, end := context.WithTimeout(ctx, idle)
	defer end()
	ctx, written := httpcall.Written(ctx)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url, bytes.NewReader(raw))
	if err != nil {
		return "", &channel.Refusal{Text: err.Error(), Final: true}
	}
	stamp := strconv.FormatInt(h.now().Unix(), 10)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(webhook.HeaderID, o.Key)
	r.Header.Set(webhook.HeaderTimestamp, stamp)
	r.Header.Set(webhook.HeaderSignature, h.key.Sign(o.Key, stamp, raw))
	res, err := h.c.Client.Do(r)
	if err != nil && !written() {
		return "", &channel.Refusal{Text: err.Error()}
	}
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }() // it was read
	return answered(res)
}

// answered reads what the other side says.
func answered(res *http.Response) (string, error) {
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return "", fmt.Errorf("read the answer: %w", err)
	}
	switch code := res.StatusCode; {
	case code < 300:
		var out struct {
			ID string `json:"id"`
		}
		_ = json.Unmarshal(raw, &out) // an id is welcome, not needed
		return strings.Join(strings.Fields(out.ID), ""), nil
	case code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable:
		return "", &channel.Refusal{Text: res.Status, After: httpcall.RetryAfter(res.Header)}
	case code < 500 && code != http.StatusRequestTimeout:
		return "", &channel.Refusal{Text: res.Status, Final: true}
	}
	return "", &channel.Refusal{Text: res.Status}
}

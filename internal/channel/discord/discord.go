// Package discord is a bot of Discord (discord.com/developers/docs, version 10 of the API).
// Events come over the gateway, a WebSocket; one counts as received only when it was taken, and
// a broken connection is resumed from the last that was. What was written while there was no
// session is fetched from the history of the chats. ADR 20 says why all of this is our own.
package discord

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"chela/internal/channel"
	"chela/internal/channel/httpcall"
	"chela/internal/fault"
	"chela/internal/markup"
	"chela/internal/pattern"
)

// Kind is this platform's.
const Kind channel.Kind = "discord"

// The names of what a channel is configured with.
const (
	secretToken   = "token"
	settingAnswer = "timeout"
)

const (
	home          = "https://discord.com"
	version       = "/api/v10"
	defaultAnswer = 20 * time.Second
)

var (
	tokenForm = pattern.New(`^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$`)
	tokenPart = pattern.New(`^[A-Za-z0-9_=-]+$`) // an interaction's
)

// Platform says what a Discord channel needs.
func Platform() channel.Platform {
	var kept memories
	return channel.Platform{
		Kind: Kind,
		Secrets: []channel.Need{
			{Name: secretToken, Help: "The token of the bot. discord.com/developers/applications makes applications and shows their tokens on the page Bot."},
		},
		Settings: []channel.Need{
			{Name: settingAnswer, Help: "How long to wait for an answer of Discord: 50ms to 5m, 20s if not given.", Optional: true},
		},
		Open: func(c channel.Config) (channel.Adapter, error) { return open(c, kept.of(c)) },
	}
}

// An Adapter is one bot.
type Adapter struct {
	name   string   // of the channel
	chats  []string // the only ones that are listened to, if any
	api    *caller
	answer time.Duration
	log    *slog.Logger
	kept   *memory
}

var (
	_ channel.Adapter = (*Adapter)(nil)
	_ channel.Typer   = (*Adapter)(nil)
	_ channel.Editor  = (*Adapter)(nil)
)

// open returns the bot of a configuration with what an earlier one of the same bot knew. It
// does not connect.
func open(c channel.Config, kept *memory) (*Adapter, error) {
	token := c.Secrets[secretToken]
	if !tokenForm.MatchString(token) {
		return nil, fault.New(fault.Invalid, "The secret token of the channel %s does not look like a bot's, which has three parts with points between. discord.com/developers/applications shows it on the page Bot.", c.Name)
	}
	answer, err := httpcall.Duration(c.Settings, settingAnswer, defaultAnswer, 50*time.Millisecond, 5*time.Minute)
	if err != nil {
		return nil, err
	}
	a := &Adapter{name: c.Name, chats: c.Chats, answer: answer, log: c.Log, kept: kept}
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	a.api = &caller{
		base:   strings.TrimRight(cmp.Or(c.BaseURL, home), "/"),
		token:  token,
		limits: newLimits(),
	}
	a.api.http = httpcall.Client{HTTP: httpcall.Direct(c.Client), Within: a.answer, Most: maxReply, Hide: a.api.hide}
	return a, nil
}

// memories are what is known of each bot from one connection to the next.
type memories struct {
	mu  sync.Mutex // guards all
	all map[string]*memory
}

// of returns what is known of the bot of a configuration.
func (m *memories) of(c channel.Config) *memory {
	sum := sha256.Sum256([]byte(c.Name + "\x00" + c.BaseURL + "\x00" + c.Secrets[secretToken]))
	key := hex.EncodeToString(sum[:])
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all == nil {
		m.all = make(map[string]*memory)
	}
	if m.all[key] == nil {
		m.all[key] = newMemory()
	}
	return m.all[key]
}

// Check asks who we are.
func (a *Adapter) Check(ctx context.Context) (channel.Account, error) {
	var me user
	if err := a.api.do(ctx, request{method: http.MethodGet, path: "/users/@me", route: "me"}, &me); err != nil {
		return channel.Account{}, a.trouble(err)
	}
	if !snowflake(me.ID) {
		return channel.Account{}, a.noDiscord("it does not say who the bot is")
	}
	a.kept.meet(me)
	return channel.Account{ID: me.ID, Name: me.Username}, nil
}

// Shape is what a message takes. The pace keeps below five messages in five seconds, which is
// what a chat takes as a rule; what Discord says in the headers of its answers counts.
func (a *Adapter) Shape() channel.Shape {
	return channel.Shape{
		Form: markup.DiscordMarkdown, Limits: markup.DiscordText(),
		Chat: time.Second, All: 25 * time.Millisecond, Edit: 1500 * time.Millisecond, Tells: true,
	}
}

func (a *Adapter) noDiscord(why string) error {
	return fault.New(fault.Unavailable, "What answers the channel %s is not Discord: %s. Look at base_url.", a.name, why)
}

// trouble says to people why the connection does not stand.
func (a *Adapter) trouble(err error) error {
	f := failureOf(err)
	switch {
	case f.Spoken && f.Status == http.StatusUnauthorized:
		return a.denied(err)
	case f.Status == http.StatusTooManyRequests:
		return fault.Wrap(err, fault.Unavailable, "Discord asks the channel %s to wait %s.", a.name, f.After)
	}
	return fault.Wrap(err, fault.Unavailable, "The channel %s has no connection with Discord: %s", a.name, f.Text)
}

func (a *Adapter) denied(err error) error {
	return fault.Wrap(err, fault.Denied, "Discord does not know the token of the channel %s. Reset the token on the page Bot of discord.com/developers/applications and give the channel the next one.", a.name)
}

// Package telegram is a bot of Telegram. It speaks the Bot API (core.telegram.org/bots/api):
// updates come by long polling, or to an address of ours when the setting webhook_url is
// given; either way one is confirmed only after it was taken. ADR 18 says what the library
// does and what is ours.
package telegram

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-telegram/bot/models"

	"chela/internal/channel"
	"chela/internal/channel/httpcall"
	"chela/internal/fault"
	"chela/internal/markup"
	"chela/internal/pattern"
)

// The names of what a channel is configured with.
const (
	secretToken   = "token"
	secretWebhook = "webhook_secret"
	settingHook   = "webhook_url"
	settingPoll   = "poll"
	settingAnswer = "timeout"
)

const (
	home          = "https://api.telegram.org"
	defaultPoll   = 50 * time.Second
	defaultAnswer = 20 * time.Second
)

var (
	tokenForm  = pattern.New(`^[0-9]+:[A-Za-z0-9_-]+$`)
	secretForm = pattern.New(`^[A-Za-z0-9_-]{1,256}$`) // what setWebhook takes
)

// Platform says what a Telegram channel needs.
func Platform() channel.Platform {
	return channel.Platform{
		Kind: channel.Telegram,
		Secrets: []channel.Need{
			{Name: secretToken, Help: "The token of the bot. @BotFather on Telegram makes bots and shows their tokens."},
			{Name: secretWebhook, Help: "With webhook_url: 1 to 256 letters, digits, _ and - by which Telegram shows that a request is its own. Without it one is made of the token.", Optional: true},
		},
		Settings: []channel.Need{
			{Name: settingHook, Help: "The https address under which Telegram reaches this channel. Without it the channel asks Telegram for messages.", Optional: true},
			{Name: settingPoll, Help: "How long Telegram holds a question while there is no message, or how often it is looked whether the webhook is still ours: 1s to 10m, 50s if not given.", Optional: true},
			{Name: settingAnswer, Help: "How long to wait for an answer of Telegram: 50ms to 5m, 20s if not given.", Optional: true},
		},
		Open: func(c channel.Config) (channel.Adapter, error) { return New(c) },
	}
}

// An Adapter is one bot.
type Adapter struct {
	name   string // of the channel
	api    caller
	poll   time.Duration
	hook   string // our address; empty when we poll
	secret string // in each request of the webhook
	log    *slog.Logger
	groups *groupPace
	me     atomic.Pointer[models.User] // as last heard
}

var (
	_ channel.Adapter  = (*Adapter)(nil)
	_ channel.Typer    = (*Adapter)(nil)
	_ channel.Editor   = (*Adapter)(nil)
	_ channel.Listener = (*Adapter)(nil)
)

// New returns the bot of a configuration. It does not connect.
func New(c channel.Config) (*Adapter, error) {
	token := c.Secrets[secretToken]
	if !tokenForm.MatchString(token) {
		return nil, fault.New(fault.Invalid, "The secret token of the channel %s does not look like a bot's, which is 123456:ABC-DEF. @BotFather shows it.", c.Name)
	}
	a := &Adapter{name: c.Name, hook: c.Settings[settingHook], log: c.Log, groups: newGroupPace()}
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	answer, err := httpcall.Duration(c.Settings, settingAnswer, defaultAnswer, 50*time.Millisecond, 5*time.Minute)
	if err != nil {
		return nil, err
	}
	if a.poll, err = httpcall.Duration(c.Settings, settingPoll, defaultPoll, time.Second, 10*time.Minute); err != nil {
		return nil, err
	}
	if u, err := url.Parse(a.hook); a.hook != "" && (err != nil || u.Host == "") {
		return nil, fault.BadField(settingHook, "It is the whole address under which Telegram reaches us, such as https://chela.example.com/….")
	}
	a.secret = c.Secrets[secretWebhook]
	if a.secret == "" {
		a.secret = secretOf(token)
	}
	if !secretForm.MatchString(a.secret) {
		return nil, fault.New(fault.Invalid, "The secret webhook_secret of the channel %s has other characters than A-Z, a-z, 0-9, _ and -, or more than 256.", c.Name)
	}
	a.api = caller{
		base:  strings.TrimRight(cmp.Or(c.BaseURL, home), "/"),
		token: token,
	}
	a.api.http = httpcall.Client{HTTP: httpcall.Direct(c.Client), Within: answer, Most: maxReply, Hide: a.api.hide}
	return a, nil
}

// secretOf makes the webhook's secret of the token, so that each node and each start has the
// same and none has to be kept.
func secretOf(token string) string {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte("webhook"))
	return hex.EncodeToString(mac.Sum(nil))
}

// Check asks who we are.
func (a *Adapter) Check(ctx context.Context) (channel.Account, error) {
	me, err := a.ask(ctx)
	if err != nil {
		return channel.Account{}, err
	}
	return channel.Account{ID: strconv.FormatInt(me.ID, 10), Name: me.Username}, nil
}

// ask asks for our own account, whose name people can change, and keeps it.
func (a *Adapter) ask(ctx context.Context) (*models.User, error) {
	me := new(models.User)
	if err := a.api.call(ctx, "getMe", nil, me); err != nil {
		return nil, a.trouble(err)
	}
	if me.ID == 0 {
		return nil, fault.New(fault.Unavailable, "What answers the channel %s is no Bot API: it does not say who the bot is. Look at base_url.", a.name)
	}
	a.me.Store(me)
	return me, nil
}

// Shape is what sendMessage takes. Telegram asks for no more than a message a second in a
// chat and thirty over all; for groups see [groupPace].
func (a *Adapter) Shape() channel.Shape {
	return channel.Shape{Form: markup.TelegramHTML, Limits: markup.TelegramText(), Chat: time.Second, All: 34 * time.Millisecond, Edit: time.Second}
}

// trouble says to people why the connection does not stand.
func (a *Adapter) trouble(err error) error {
	f := failureOf(err)
	code := f.Status
	if !f.Spoken {
		code = 0 // a proxy's no is not Telegram's
	}
	switch code {
	case http.StatusUnauthorized, http.StatusNotFound:
		return fault.Wrap(err, fault.Denied, "Telegram does not know the token of the channel %s. @BotFather shows the one that holds.", a.name)
	case http.StatusConflict:
		return fault.Wrap(err, fault.Conflict, "Another program receives the messages of the bot of the channel %s. Stop it, or revoke the token with @BotFather and give the channel the next one.", a.name)
	case http.StatusTooManyRequests:
		return fault.Wrap(err, fault.Unavailable, "Telegram asks the channel %s to wait %s.", a.name, f.After)
	}
	return fault.Wrap(err, fault.Unavailable, "The channel %s has no connection with Telegram: %s", a.name, f.Text)
}

// Package slack is a bot of Slack (docs.slack.dev). What people say comes over Socket Mode, a
// connection of ours to Slack, or by the Events API to an address of ours when the setting
// receive is http; either way Slack is told that we have it only after it was taken. ADR 19
// says what the library does and what is ours.
package slack

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"chela/internal/channel"
	"chela/internal/channel/httpcall"
	"chela/internal/fault"
	"chela/internal/markup"
	"chela/internal/pattern"
)

// Kind is this platform's.
const Kind channel.Kind = "slack"

// The names of what a channel is configured with.
const (
	secretBot      = "bot_token"
	secretApp      = "app_token"
	secretSigning  = "signing_secret"
	settingReceive = "receive"
	settingPing    = "ping"
	settingAnswer  = "timeout"

	bySocket = "socket"
	byHTTP   = "http"
)

const (
	home          = "https://slack.com"
	defaultPing   = 20 * time.Second
	defaultAnswer = 20 * time.Second
)

var (
	botForm     = pattern.New(`^xoxb-[A-Za-z0-9-]{8,250}$`)
	appForm     = pattern.New(`^xapp-[A-Za-z0-9-]{8,250}$`)
	signingForm = pattern.New(`^[A-Za-z0-9]{16,128}$`)
)

// Platform says what a Slack channel needs.
func Platform() channel.Platform {
	all := channel.NewByName(newPast)
	return channel.Platform{
		Kind: Kind,
		Secrets: []channel.Need{
			{Name: secretBot, Help: "The bot token of the app, xoxb-…: OAuth & Permissions on the app's page, after it was installed."},
			{Name: secretApp, Help: "For Socket Mode: an app-level token, xapp-…, with the scope connections:write: Basic Information on the app's page.", Optional: true},
			{Name: secretSigning, Help: "For receive=http: the signing secret, by which Slack shows that a request is its own: Basic Information on the app's page.", Optional: true},
		},
		Settings: []channel.Need{
			{Name: settingReceive, Help: "socket, which needs no address and is used if nothing is given, or http: Slack sends to the address of this channel.", Optional: true},
			{Name: settingPing, Help: "How often the connection of Socket Mode is asked whether it stands: 50ms to 1m, 20s if not given. After three times without a sign it is opened anew.", Optional: true},
			{Name: settingAnswer, Help: "How long to wait for an answer of Slack: 50ms to 5m, 20s if not given.", Optional: true},
		},
		Open: func(c channel.Config) (channel.Adapter, error) {
			a, err := New(c)
			if err == nil {
				a.past = all.Of(c.Name)
			}
			return a, err
		},
	}
}

// An Adapter is one app in one workspace.
type Adapter struct {
	name    string // of the channel
	api     caller
	bot     string // token
	app     string // token; empty with receive=http
	signing string // empty with Socket Mode
	ping    time.Duration
	threads bool // whether a thread was begun with us matters
	log     *slog.Logger

	me     atomic.Pointer[identity] // as last heard
	people *channel.Kept[person]    // by id
	begun  *channel.Kept[bool]      // by chat and thread: whether it was begun with us
	shown  *channel.Kept[string]    // by mark: files that may have been shown already
	past   *past                    // what earlier connections heard
	turns  turns

	mu      sync.Mutex // guards the rest
	ticket  string     // an address for Socket Mode that was not used yet
	granted time.Time  // when
}

// An identity is who we are, and when Slack, by its own clock, said so.
type identity struct {
	User   string `json:"user_id"`
	Bot    string `json:"bot_id"`
	Name   string `json:"user"`
	Team   string `json:"team"`
	opened time.Time
}

var (
	_ channel.Adapter  = (*Adapter)(nil)
	_ channel.Typer    = (*Adapter)(nil)
	_ channel.Editor   = (*Adapter)(nil)
	_ channel.Listener = (*Adapter)(nil)
)

// New returns the app of a configuration. It does not connect.
func New(c channel.Config) (*Adapter, error) {
	a := &Adapter{name: c.Name, bot: c.Secrets[secretBot], log: c.Log}
	if !botForm.MatchString(a.bot) {
		return nil, fault.New(fault.Invalid, "The secret bot_token of the channel %s does not look like a bot's, which begins with xoxb-. The app's page shows it under OAuth & Permissions.", c.Name)
	}
	switch c.Settings[settingReceive] {
	case "", bySocket:
		if a.app = c.Secrets[secretApp]; !appForm.MatchString(a.app) {
			return nil, fault.New(fault.Invalid, "For Socket Mode the channel %s needs the secret app_token, an app-level token that begins with xapp-. The app's page makes one under Basic Information. Without Socket Mode set receive=http.", c.Name)
		}
	case byHTTP:
		if a.signing = c.Secrets[secretSigning]; !signingForm.MatchString(a.signing) {
			return nil, fault.New(fault.Invalid, "With receive=http the channel %s needs the secret signing_secret. The app's page shows it under Basic Information.", c.Name)
		}
	default:
		return nil, fault.BadField(settingReceive, "It says how messages come.", bySocket, byHTTP)
	}
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	var err error
	if a.ping, err = httpcall.Duration(c.Settings, settingPing, defaultPing, 50*time.Millisecond, time.Minute); err != nil {
		return nil, err
	}
	answer, err := httpcall.Duration(c.Settings, settingAnswer, defaultAnswer, 50*time.Millisecond, 5*time.Minute)
	if err != nil {
		return nil, err
	}
	base, err := httpcall.Base(c, home)
	if err != nil {
		return nil, err
	}
	a.api = caller{base: base, http: httpcall.Client{HTTP: httpcall.Direct(c.Client), Within: answer, Most: maxReply}}
	a.threads = c.Groups == "" || c.Groups == channel.Mention
	a.people, a.begun = channel.NewKept[person](2000), channel.NewKept[bool](2000)
	a.shown = channel.NewKept[string](2000)
	a.past = newPast()
	return a, nil
}

// Check asks who we are, and with Socket Mode whether we may connect. The address that Slack
// gives for that is kept for Run: it gives few of them in a minute.
func (a *Adapter) Check(ctx context.Context) (channel.Account, error) {
	me, err := a.ask(ctx)
	if err != nil {
		return channel.Account{}, err
	}
	if a.app != "" {
		at, err := a.open(ctx)
		if err != nil {
			return channel.Account{}, err
		}
		a.mu.Lock()
		a.ticket, a.granted = at, time.Now()
		a.mu.Unlock()
	}
	return channel.Account{ID: me.User, Name: me.Name}, nil
}

// ask asks for our own account and keeps it (docs.slack.dev/reference/methods/auth.test).
func (a *Adapter) ask(ctx context.Context) (*identity, error) {
	me := new(identity)
	at, err := a.api.dated(ctx, a.bot, "auth.test", nil, me)
	if err != nil {
		return nil, a.trouble(err)
	}
	if me.User == "" {
		return nil, fault.New(fault.Unavailable, "What answers the channel %s is not Slack: it does not say who the bot is. Look at base_url.", a.name)
	}
	me.opened = at
	a.me.Store(me)
	return me, nil
}

// Shape is what a section holds, because a message with buttons is one, and what Slack asks
// for: a message a second in a channel, several hundred a minute over all
// (docs.slack.dev/apis/web-api/rate-limits), and fifty edits a minute.
func (a *Adapter) Shape() channel.Shape {
	return channel.Shape{Form: markup.SlackMrkdwn, Limits: markup.SlackSection(), Chat: time.Second, All: 200 * time.Millisecond, Edit: 1500 * time.Millisecond, Tells: true}
}

// Run receives until ctx is done.
func (a *Adapter) Run(ctx context.Context, in channel.Inbox) error {
	err := a.receive(ctx, in)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (a *Adapter) receive(ctx context.Context, in channel.Inbox) error {
	if a.me.Load() == nil {
		if _, err := a.ask(ctx); err != nil {
			return err
		}
	}
	if a.app != "" {
		return a.socket(ctx, in)
	}
	if err := a.past.opened(ctx, a.me.Load(), in); err != nil {
		return err
	}
	in.Up()
	<-ctx.Done() // messages come to Listen
	return nil
}

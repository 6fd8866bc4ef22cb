// Package dingtalk is a robot of DingTalk (open.dingtalk.com). Messages come over a connection
// that we open ("Stream mode"), or to an address of ours when the setting mode is http; either
// way one is confirmed only after it was taken. Start at stream.go for what comes in and at
// send.go for what goes out. ADR 21 says why there is no library.
package dingtalk

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"chela/internal/channel"
	"chela/internal/channel/httpcall"
	"chela/internal/fault"
	"chela/internal/markup"
)

// Kind is this platform's.
const Kind channel.Kind = "dingtalk"

// The names of what a channel is configured with.
const (
	secretID         = "client_id"
	secretKey        = "client_secret"
	settingRobot     = "robot_code"
	settingName      = "robot_name"
	settingMode      = "mode"
	settingCard      = "card_template"
	settingContent   = "card_content"
	settingKeepalive = "keepalive"
	settingAnswer    = "timeout"
)

const (
	modeStream = "stream"
	modeHTTP   = "http"

	defaultKeepalive = 30 * time.Second
	defaultAnswer    = 15 * time.Second
	defaultContent   = "content"
)

// Platform says what a DingTalk channel needs. now is the clock that timestamps are compared with.
func Platform(now func() time.Time) channel.Platform {
	return channel.Platform{
		Kind: Kind,
		Secrets: []channel.Need{
			{Name: secretID, Help: "The Client ID (AppKey) of the app that has the robot: open-dev.dingtalk.com, the app, Credentials."},
			{Name: secretKey, Help: "The Client Secret (AppSecret) beside it."},
		},
		Settings: []channel.Need{
			{Name: settingRobot, Help: "The RobotCode of the robot, when it is another than the Client ID.", Optional: true},
			{Name: settingName, Help: "The name of the robot in DingTalk, which is taken out of texts that mention it.", Optional: true},
			{Name: settingMode, Help: "How messages come: stream, over a connection that we open, or http, to the address of this channel; stream if not given.", Optional: true},
			{Name: settingCard, Help: "The id of a card template, …….schema, for questions with buttons and answers that grow. Without it both come as plain messages.", Optional: true},
			{Name: settingContent, Help: "The variable of the template that has the text: content if not given.", Optional: true},
			{Name: settingKeepalive, Help: "How often it is looked whether a quiet connection still stands: 50ms to 10m, 30s if not given.", Optional: true},
			{Name: settingAnswer, Help: "How long to wait for an answer of DingTalk: 50ms to 5m, 15s if not given.", Optional: true},
		},
		Open: func(c channel.Config) (channel.Adapter, error) { return open(c, now) },
	}
}

// An Adapter is one robot.
type Adapter struct {
	name      string // of the channel
	robot     string // its robotCode
	called    string // its name in chats; "" when nobody told us
	mode      string
	keepalive time.Duration
	api       *caller
	now       func() time.Time
	log       *slog.Logger
	sessions  *sessions
	files     *delivered
}

var (
	_ channel.Adapter  = (*Adapter)(nil)
	_ channel.Listener = (*Adapter)(nil)
	_ channel.Adapter  = (*Cards)(nil)
	_ channel.Editor   = (*Cards)(nil)
)

// open returns the robot of a configuration, as one that can edit only when it has a template
// for cards: nothing else that a robot sends can be changed. It does not connect.
func open(c channel.Config, now func() time.Time) (channel.Adapter, error) {
	a, err := newAdapter(c, now)
	if err != nil {
		return nil, err
	}
	if t := c.Settings[settingCard]; t != "" {
		return &Cards{Adapter: a, template: t, content: cmp.Or(c.Settings[settingContent], defaultContent)}, nil
	}
	return a, nil
}

func newAdapter(c channel.Config, now func() time.Time) (*Adapter, error) {
	id, key := c.Secrets[secretID], c.Secrets[secretKey]
	if id == "" || key == "" {
		return nil, fault.New(fault.Invalid, "The channel %s needs the secrets client_id and client_secret: open-dev.dingtalk.com shows them with the app, under Credentials.", c.Name)
	}
	a := &Adapter{
		name: c.Name, robot: cmp.Or(c.Settings[settingRobot], id), called: c.Settings[settingName], mode: cmp.Or(c.Settings[settingMode], modeStream),
		now: now, log: c.Log, sessions: newSessions(now), files: newDelivered(),
	}
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	if a.mode != modeStream && a.mode != modeHTTP {
		return nil, fault.BadField(settingMode, "It is stream or http.")
	}
	hosts, err := hostsOf(c.BaseURL)
	if err != nil {
		return nil, err
	}
	answer, err := httpcall.Duration(c.Settings, settingAnswer, defaultAnswer, 50*time.Millisecond, 5*time.Minute)
	if err != nil {
		return nil, err
	}
	if a.keepalive, err = httpcall.Duration(c.Settings, settingKeepalive, defaultKeepalive, 50*time.Millisecond, 10*time.Minute); err != nil {
		return nil, err
	}
	a.api = &caller{hosts: hosts, id: id, secret: key, now: now, asking: make(chan struct{}, 1)}
	a.api.http = httpcall.Client{HTTP: httpcall.Direct(c.Client), Within: answer, Most: maxReply, Hide: a.api.hide}
	return a, nil
}

// Check asks for a new access token, which shows that the app is known. There is nothing by
// which a robot could ask what it is called.
func (a *Adapter) Check(ctx context.Context) (channel.Account, error) {
	if _, err := a.api.renew(ctx); err != nil {
		return channel.Account{}, a.trouble(err)
	}
	return channel.Account{ID: a.robot, Name: cmp.Or(a.called, a.robot)}, nil
}

// Shape is what sampleMarkdown takes. An app may ask each interface twenty times a second.
func (a *Adapter) Shape() channel.Shape {
	return channel.Shape{Form: markup.DingTalkMarkdown, Limits: markup.DingTalkText(), Chat: time.Second, All: 60 * time.Millisecond}
}

// trouble says to people why the connection does not stand.
func (a *Adapter) trouble(err error) error {
	f := failureOf(err)
	switch {
	case f.unknownApp():
		return fault.Wrap(err, fault.Denied, "DingTalk does not know the client_id and client_secret of the channel %s: %s. open-dev.dingtalk.com shows them with the app, under Credentials.", a.name, f.Text)
	case f.limited():
		return fault.Wrap(err, fault.Unavailable, "DingTalk asks the channel %s to wait.", a.name)
	}
	return fault.Wrap(err, fault.Unavailable, "The channel %s has no connection with DingTalk: %s", a.name, f.Text)
}

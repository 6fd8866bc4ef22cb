// Package whatsapp is a business number on WhatsApp. It speaks the Cloud API
// (developers.facebook.com/documentation/business-messaging/whatsapp): what people say, and what
// became of what we said, comes to an address of ours; WhatsApp is told that we have it only
// after it was taken. ADR 22 says why there is no library.
package whatsapp

import (
	"cmp"
	"context"
	"log/slog"
	"net/url"
	"sync/atomic"
	"time"

	"chela/internal/channel"
	"chela/internal/channel/httpcall"
	"chela/internal/fault"
	"chela/internal/markup"
	"chela/internal/pattern"
)

// Kind is this platform's.
const Kind channel.Kind = "whatsapp"

// The names of what a channel is configured with.
const (
	secretToken    = "token"
	secretApp      = "app_secret"
	secretVerify   = "verify_token"
	settingNumber  = "phone_number_id"
	settingVersion = "version"
	settingAnswer  = "timeout"
	settingSettle  = "settle"
	settingCheck   = "check"
)

const (
	home           = "https://graph.facebook.com"
	defaultVersion = "v26.0"
	defaultAnswer  = 20 * time.Second
	defaultSettle  = 10 * time.Second
	defaultCheck   = 10 * time.Minute
)

// misses is how many checks in a row may go without an answer.
const misses = 3

var (
	tokenForm   = pattern.New(`^[A-Za-z0-9._|-]{8,1000}$`)
	secretForm  = pattern.New(`^[A-Za-z0-9]{16,128}$`)
	verifyForm  = pattern.New(`^[!-~]{8,200}$`)
	numberForm  = pattern.New(`^[0-9]{5,30}$`)
	versionForm = pattern.New(`^v[0-9]{1,3}\.[0-9]{1,2}$`)
)

// Platform says what a WhatsApp channel needs.
func Platform() channel.Platform {
	all := channel.NewByName(newLedger)
	return channel.Platform{
		Kind: Kind,
		Secrets: []channel.Need{
			{Name: secretToken, Help: "The access token of a system user of the business, with the permission whatsapp_business_messaging, made for the app that has the app_secret."},
			{Name: secretApp, Help: "The app secret, by which WhatsApp shows that a request is its own: App settings, Basic on the app's page."},
			{Name: secretVerify, Help: "8 to 200 letters, digits and signs of your own choice. The app's page asks for it beside the address of this channel."},
		},
		Settings: []channel.Need{
			{Name: settingNumber, Help: "The id of the phone number, which is not the number: WhatsApp, API Setup on the app's page."},
			{Name: settingVersion, Help: "The version of the Graph API, " + defaultVersion + " if not given.", Optional: true},
			{Name: settingAnswer, Help: "How long to wait for an answer of WhatsApp: 50ms to 25s, 20s if not given.", Optional: true},
			{Name: settingSettle, Help: "How long WhatsApp is given to say that a message arrived whose answer was lost, before it is sent again: 50ms to 25s, 10s if not given.", Optional: true},
			{Name: settingCheck, Help: "How often it is looked whether the token still holds: 50ms to 24h, 10m if not given.", Optional: true},
		},
		Open: func(c channel.Config) (channel.Adapter, error) {
			a, err := New(c)
			if err == nil {
				a.ledger = all.Of(c.Name)
			}
			return a, err
		},
	}
}

// An Adapter is one business number.
type Adapter struct {
	name   string // of the channel
	api    caller
	number string // the id of ours
	secret []byte // of the app
	verify string
	settle time.Duration
	check  time.Duration
	log    *slog.Logger

	me     atomic.Pointer[account]
	newest *channel.Kept[heard]  // by chat: the last message that came
	shown  *channel.Kept[signal] // by chat: when we were last shown to write
	chats  *channel.Kept[string] // by id of a message of ours: the chat that it was sent to
	ledger *ledger
}

// An account is our number as WhatsApp knows it.
type account struct {
	ID      string `json:"id"`
	Display string `json:"display_phone_number"`
	Name    string `json:"verified_name"`
}

var (
	_ channel.Adapter  = (*Adapter)(nil)
	_ channel.Typer    = (*Adapter)(nil)
	_ channel.Reader   = (*Adapter)(nil)
	_ channel.Listener = (*Adapter)(nil)
)

// New returns the number of a configuration. It does not connect.
func New(c channel.Config) (*Adapter, error) {
	token, secret := c.Secrets[secretToken], c.Secrets[secretApp]
	a := &Adapter{name: c.Name, number: c.Settings[settingNumber], secret: []byte(secret), verify: c.Secrets[secretVerify], log: c.Log}
	switch {
	case !tokenForm.MatchString(token):
		return nil, fault.New(fault.Invalid, "The secret token of the channel %s does not look like an access token of WhatsApp, which begins with EAA. Business settings, System users makes one.", c.Name)
	case !secretForm.MatchString(secret):
		return nil, fault.New(fault.Invalid, "The secret app_secret of the channel %s does not look like one: it has 32 digits and letters. The app's page shows it under App settings, Basic.", c.Name)
	case !verifyForm.MatchString(a.verify):
		return nil, fault.New(fault.Invalid, "The secret verify_token of the channel %s has 8 to 200 letters, digits and signs, and no spaces. It is of your own choice.", c.Name)
	case !numberForm.MatchString(a.number):
		return nil, fault.BadField(settingNumber, "It is the id of the phone number, which has digits only. The app's page shows it under WhatsApp, API Setup.")
	}
	version := cmp.Or(c.Settings[settingVersion], defaultVersion)
	if !versionForm.MatchString(version) {
		return nil, fault.BadField(settingVersion, "It is a version of the Graph API such as "+defaultVersion+".")
	}
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	answer, err := httpcall.Duration(c.Settings, settingAnswer, defaultAnswer, 50*time.Millisecond, 25*time.Second)
	if err != nil {
		return nil, err
	}
	if a.settle, err = httpcall.Duration(c.Settings, settingSettle, defaultSettle, 50*time.Millisecond, 25*time.Second); err != nil {
		return nil, err
	}
	if a.check, err = httpcall.Duration(c.Settings, settingCheck, defaultCheck, 50*time.Millisecond, 24*time.Hour); err != nil {
		return nil, err
	}
	base, err := httpcall.Base(c, home)
	if err != nil {
		return nil, err
	}
	a.api = caller{base: base, version: version, token: token, proof: proofOf(token, a.secret)}
	a.api.http = httpcall.Client{HTTP: httpcall.Direct(c.Client), Within: answer, Most: maxReply, Hide: a.api.hide}
	a.newest, a.shown, a.chats, a.ledger = channel.NewKept[heard](5000), channel.NewKept[signal](5000), channel.NewKept[string](5000), newLedger()
	return a, nil
}

// Check asks who we are. It says also when the app_secret is not that of the token's app.
func (a *Adapter) Check(ctx context.Context) (channel.Account, error) {
	me, err := a.ask(ctx)
	if err != nil {
		return channel.Account{}, err
	}
	return channel.Account{ID: me.ID, Name: me.Display}, nil
}

// ask asks for our own account and keeps it.
func (a *Adapter) ask(ctx context.Context) (*account, error) {
	me := new(account)
	if err := a.api.get(ctx, a.number, url.Values{"fields": {"id,display_phone_number,verified_name"}}, me); err != nil {
		return nil, a.trouble(err)
	}
	if me.ID != a.number || me.Display == "" {
		return nil, fault.New(fault.Unavailable, "What answers the channel %s is no phone number of WhatsApp. Look at phone_number_id and base_url.", a.name)
	}
	a.me.Store(me)
	return me, nil
}

// Shape is what a text message takes. WhatsApp takes eighty messages a second over all and, of a
// pair, ten a minute with bursts of 45; what is more is refused and comes later.
func (a *Adapter) Shape() channel.Shape {
	return channel.Shape{Form: markup.WhatsApp, Limits: markup.WhatsAppText(), Chat: time.Second, All: 13 * time.Millisecond}
}

// Run says that the channel stands, and looks from time to time whether its token still holds.
// Messages come to [Adapter.Listen].
func (a *Adapter) Run(ctx context.Context, in channel.Inbox) error {
	if a.me.Load() == nil {
		if _, err := a.ask(ctx); err != nil {
			return ended(ctx, err)
		}
	}
	in.Up()
	tick := time.NewTicker(a.check)
	defer tick.Stop()
	for missed := 0; ; {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		_, err := a.ask(ctx)
		if err == nil {
			missed = 0
			continue
		}
		if missed++; missed >= misses || fault.KindOf(err) == fault.Denied {
			return ended(ctx, err)
		}
	}
}

// ended is how a run ended: that it was told to is no error.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// trouble says to people why the connection does not stand.
func (a *Adapter) trouble(err error) error {
	f := failureOf(err)
	switch {
	case f.Code != 0 && f.proof():
		return fault.Wrap(err, fault.Denied, "The secret app_secret of the channel %s is not that of the app for which the token was made. The app's page shows it under App settings, Basic.", a.name)
	case f.Spoken && f.Code == codeParameter:
		return fault.Wrap(err, fault.Denied, "WhatsApp knows no phone number %s that the token of the channel %s may use. Look at phone_number_id, and whether the system user has the account of the number. (%s)", a.number, a.name, f.Text)
	case f.Spoken && denied(f.Code):
		return fault.Wrap(err, fault.Denied, "WhatsApp does not take the token of the channel %s: %s", a.name, f.Text)
	case f.Spoken && f.verdictWeight() == later:
		return fault.Wrap(err, fault.Unavailable, "WhatsApp asks the channel %s to wait: %s", a.name, f.Text)
	}
	return fault.Wrap(err, fault.Unavailable, "The channel %s has no connection with WhatsApp: %s", a.name, f.Text)
}

package telegram

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"chela/internal/channel"
	"chela/internal/fault"
	"chela/internal/testkit/channeltest"
	"chela/internal/testkit/telegramtest"
)

var (
	anna  = telegramtest.User{ID: 501, FirstName: "Anna", LastName: "Berg", Username: "annab"}
	bela  = telegramtest.User{ID: 502, FirstName: "Béla"}
	team  = telegramtest.Group(-1001234567890, "Team")
	alone = telegramtest.Private(anna)
)

// with makes a channel to a server; settings are pairs of name and value.
func with(t *testing.T, s *telegramtest.Server, settings ...string) *Adapter {
	t.Helper()
	c := channel.Config{
		Options: channel.Options{Name: "tg", Kind: channel.Telegram, BaseURL: s.URL(), Settings: map[string]string{}},
		Secrets: map[string]string{"token": s.Token},
	}
	for pair := range slices.Chunk(settings, 2) {
		c.Settings[pair[0]] = pair[1]
	}
	a, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestTelegram_Connect(t *testing.T) {
	t.Parallel()
	s := telegramtest.New(t)
	who, err := with(t, s).Check(t.Context())
	if err != nil || who != (channel.Account{ID: "110201543", Name: "chela_bot"}) {
		t.Errorf("Check: %+v, %v", who, err)
	}
	in := new(channeltest.Inbox)
	r := channeltest.Run(t, with(t, s), in)
	s.Wait("the connection", func() bool { return in.Ups() == 1 })
	r.Stopped(t)
}

func TestTelegram_WrongToken(t *testing.T) {
	t.Parallel()
	s := telegramtest.New(t)
	a := with(t, s)
	s.Token = "110201543:another"
	_, err := a.Check(t.Context())
	channeltest.WantFault(t, err, fault.Denied, "does not know the token of the channel tg")
	channeltest.WantFault(t, a.Run(t.Context(), new(channeltest.Inbox)), fault.Denied, "BotFather")
	_, err = a.Send(t.Context(), out(alone, "hello"))
	if r, ok := errors.AsType[*channel.Refusal](err); !ok || !r.Final {
		t.Errorf("Send: %v, want a final refusal", err)
	}
}

func TestTelegram_NoConnection(t *testing.T) {
	t.Parallel()
	s := telegramtest.New(t)
	a := with(t, s)
	s.Stop()
	_, err := a.Check(t.Context())
	channeltest.WantFault(t, err, fault.Unavailable, "The channel tg has no connection with Telegram: ")
	if strings.Contains(err.Error(), s.Token) {
		t.Errorf("the error has the token in it: %v", err)
	}
	s.Start()
	s.Fault(telegramtest.Fault{What: telegramtest.Fail, Status: 404})
	_, err = a.Check(t.Context())
	channeltest.WantFault(t, err, fault.Unavailable, "status 404") // a proxy's; the token may be right
}

func TestTelegram_Configuration(t *testing.T) {
	t.Parallel()
	good := channel.Config{
		Options: channel.Options{Name: "tg", Kind: channel.Telegram},
		Secrets: map[string]string{"token": "1:a"},
	}
	if a, err := New(good); err != nil || a.api.base != "https://api.telegram.org" || !secretForm.MatchString(a.secret) {
		t.Errorf("New: %+v, %v", a, err)
	}
	for name, c := range map[string]struct{ secrets, settings map[string]string }{
		"token":          {secrets: map[string]string{"token": "1:a/../x"}},
		"webhook_secret": {secrets: map[string]string{"webhook_secret": "ä"}},
		"poll":           {settings: map[string]string{"poll": "10ms"}},
		"timeout":        {settings: map[string]string{"timeout": "soon"}},
		"webhook_url":    {settings: map[string]string{"webhook_url": "/hook"}},
	} {
		bad := good
		bad.Secrets = maps.Clone(good.Secrets)
		maps.Copy(bad.Secrets, c.secrets)
		bad.Settings = c.settings
		_, err := Platform().Open(bad)
		channeltest.WantFault(t, err, fault.Invalid, name)
	}
}

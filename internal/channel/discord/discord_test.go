package discord

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"chela/internal/channel"
	"chela/internal/fault"
	"chela/internal/testkit/channeltest"
	"chela/internal/testkit/discordtest"
)

var (
	anna   = discordtest.User{ID: "501", Username: "annab", GlobalName: "Anna Berg"}
	bela   = discordtest.User{ID: "502", Username: "bela"}
	team   = discordtest.Group("300", "team")
	thread = discordtest.Thread("301", team)
	alone  = discordtest.Private(anna)
)

// config is a channel to a server; settings are pairs of name and value.
func config(s *discordtest.Server, settings ...string) channel.Config {
	c := channel.Config{
		Options: channel.Options{Name: "dc", Kind: Kind, BaseURL: s.URL(), Settings: map[string]string{}},
		Secrets: map[string]string{"token": s.Token},
	}
	for pair := range slices.Chunk(settings, 2) {
		c.Settings[pair[0]] = pair[1]
	}
	return c
}

// with makes a channel to a server, of which nothing is known from before.
func with(t *testing.T, s *discordtest.Server, settings ...string) *Adapter {
	t.Helper()
	a, err := open(config(s, settings...), newMemory())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// connected runs an adapter until it stands.
func connected(t *testing.T, s *discordtest.Server, a channel.Adapter, in *channeltest.Inbox) channeltest.Running {
	t.Helper()
	before := in.Ups()
	r := channeltest.Run(t, a, in)
	s.Wait("the connection", func() bool { return in.Ups() > before || len(r.End) > 0 })
	if in.Ups() == before {
		t.Fatalf("it ended instead of connecting: %v", <-r.End)
	}
	return r
}

func TestDiscord_Connect(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t)
	a := with(t, s)
	who, err := a.Check(t.Context())
	if err != nil || who != (channel.Account{ID: s.Bot.ID, Name: "chela"}) {
		t.Errorf("Check: %+v, %v", who, err)
	}
	connected(t, s, a, new(channeltest.Inbox)).Stopped(t)
	s.Wait("the connection to be closed", func() bool { return s.Connected() == 0 })
}

func TestDiscord_WrongToken(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t)
	a := with(t, s)
	right := s.Token
	s.Token = "an.other.token"
	_, err := a.Check(t.Context())
	channeltest.WantFault(t, err, fault.Denied, "does not know the token of the channel dc")
	channeltest.WantFault(t, a.Run(t.Context(), new(channeltest.Inbox)), fault.Denied, "Reset the token")
	_, err = a.Send(t.Context(), out(alone, "hello"))
	if r := channeltest.RefusalOf(t, err); !r.Final {
		t.Errorf("refused with %+v", r)
	}
	s.Token = right // it was right when we connected, and is reset
	in := new(channeltest.Inbox)
	r := connected(t, s, a, in)
	s.Token = "an.other.token"
	s.Cut()
	channeltest.WantFault(t, <-r.End, fault.Denied, "does not know the token")
}

func TestDiscord_NoConnection(t *testing.T) {
	t.Parallel()
	s := discordtest.New(t)
	a := with(t, s)
	s.Stop()
	_, err := a.Check(t.Context())
	channeltest.WantFault(t, err, fault.Unavailable, "The channel dc has no connection with Discord: ")
	if strings.Contains(err.Error(), s.Token) {
		t.Errorf("the error has the token in it: %v", err)
	}
	s.Start()
	s.Fault(discordtest.Fault{What: discordtest.Fail, Status: 401})
	_, err = a.Check(t.Context())
	channeltest.WantFault(t, err, fault.Unavailable, "status 401") // a proxy's; the token may be right
	s.Heal()
	s.Fault(discordtest.Fault{What: discordtest.TooMany, For: 1500e6, Times: 1})
	_, err = a.Check(t.Context())
	channeltest.WantFault(t, err, fault.Unavailable, "to wait 1.5s")
}

func TestDiscord_Configuration(t *testing.T) {
	t.Parallel()
	good := channel.Config{
		Options: channel.Options{Name: "dc", Kind: Kind},
		Secrets: map[string]string{"token": "a.b.c"},
	}
	p := Platform()
	one, err := p.Open(good)
	if a, ok := one.(*Adapter); err != nil || !ok || a.api.base != "https://discord.com" {
		t.Errorf("Open: %+v, %v", one, err)
	}
	two, err := p.Open(good)
	if err != nil || one.(*Adapter).kept != two.(*Adapter).kept {
		t.Errorf("the next adapter of the same bot knows nothing: %v", err)
	}
	other := good
	other.Secrets = map[string]string{"token": "a.b.d"}
	if three, err := p.Open(other); err != nil || one.(*Adapter).kept == three.(*Adapter).kept {
		t.Errorf("another bot knows the same: %v", err)
	}
	for name, c := range map[string]struct{ secrets, settings map[string]string }{
		"token":   {secrets: map[string]string{"token": "Bot a.b.c"}},
		"timeout": {settings: map[string]string{"timeout": "soon"}},
	} {
		bad := good
		bad.Secrets = maps.Clone(good.Secrets)
		maps.Copy(bad.Secrets, c.secrets)
		bad.Settings = c.settings
		_, err := p.Open(bad)
		channeltest.WantFault(t, err, fault.Invalid, name)
	}
}

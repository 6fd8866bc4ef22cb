package slack

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
	peers "github.com/slack-go/slack"
	peer "github.com/slack-go/slack/slacktest"

	"chela/internal/channel"
	"chela/internal/fault"
	"chela/internal/testkit/channeltest"
	"chela/internal/testkit/slacktest"
)

var (
	anna  = slacktest.User{ID: "U0ANNA001", Name: "Anna Berg", Display: "anna"}
	bela  = slacktest.User{ID: "U0BELA001", Name: "Béla"}
	robot = slacktest.User{ID: "U0ROBOT01", Name: "robot", Bot: "B0ROBOT01"}
	team  = slacktest.Channel("C0TEAM001")
	alone = slacktest.Private(anna)
)

func config(s *slacktest.Server, settings ...string) channel.Config {
	c := channel.Config{
		Options: channel.Options{Name: "work", Kind: Kind, BaseURL: s.URL(), Settings: map[string]string{}},
		Secrets: map[string]string{"bot_token": s.BotToken, "app_token": s.AppToken, "signing_secret": s.Signing},
	}
	for pair := range slices.Chunk(settings, 2) {
		c.Settings[pair[0]] = pair[1]
	}
	return c
}

// with makes a channel to a server; settings are pairs of name and value.
func with(t *testing.T, s *slacktest.Server, settings ...string) *Adapter {
	t.Helper()
	a, err := New(config(s, settings...))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// keepRunning opens the channel anew whenever it breaks, as the spine does, only sooner.
func keepRunning(t *testing.T, s *slacktest.Server, in channel.Inbox, settings ...string) {
	channeltest.Keep(t, func(ctx context.Context) error {
		a, err := New(config(s, settings...))
		if err == nil {
			_, err = a.Check(ctx)
		}
		if err == nil {
			err = a.Run(ctx, in)
		}
		return err
	})
}

func TestSlack_Connect(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	a := with(t, s)
	who, err := a.Check(t.Context())
	if err != nil || who != (channel.Account{ID: "U0BOT0001", Name: "chela"}) {
		t.Errorf("Check: %+v, %v", who, err)
	}
	in := new(channeltest.Inbox)
	r := channeltest.Run(t, a, in)
	s.Say(alone, anna, "hello")
	s.Wait("the message", func() bool { return in.Count() == 1 && s.Pending() == 0 && in.Ups() == 1 })
	if n := s.Calls("apps.connections.open"); n != 1 {
		t.Errorf("%d addresses were asked for; Slack gives few", n)
	}
	r.Stopped(t)
	s.Wait("its end", func() bool { return s.Links() == 0 })
}

func TestSlack_Denied(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*channel.Config, *slacktest.Server)
		words  string
	}{
		"wrong bot token": {func(c *channel.Config, _ *slacktest.Server) { c.Secrets["bot_token"] = "xoxb-0000000000" }, "invalid_auth: The token does not hold. Install the app again"},
		"wrong app token": {func(c *channel.Config, _ *slacktest.Server) { c.Secrets["app_token"] = "xapp-1-0000000000" }, "invalid_auth"},
		"removed": {func(_ *channel.Config, s *slacktest.Server) {
			s.Fault(slacktest.Fault{Method: "auth.test", What: slacktest.Say, Code: "account_inactive"})
		}, "The bot was removed"},
		"no connections": {func(_ *channel.Config, s *slacktest.Server) { s.Lack("apps.connections.open", "connections:write") }, "It lacks connections:write"},
	} {
		t.Run(name, func(t *testing.T) {
			s := slacktest.New(t)
			conf := config(s)
			c.change(&conf, s)
			a, err := New(conf)
			if err != nil {
				t.Fatal(err)
			}
			_, err = a.Check(t.Context())
			channeltest.WantFault(t, err, fault.Denied, c.words)
			for _, secret := range conf.Secrets {
				if err != nil && strings.Contains(err.Error(), secret) {
					t.Errorf("a secret is in %q", err)
				}
			}
		})
	}
}

func TestSlack_NoConnection(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	a := with(t, s, "timeout", "60ms")
	for name, f := range map[string]slacktest.Fault{
		"a proxy":  {What: slacktest.Fail, Status: 502},
		"too many": {What: slacktest.TooMany, For: 30e9},
		"silence":  {What: slacktest.Silent},
		"cut":      {What: slacktest.CutBefore},
	} {
		t.Run(name, func(t *testing.T) {
			s.Fault(f)
			defer s.Heal()
			_, err := a.Check(t.Context())
			channeltest.WantFault(t, err, fault.Unavailable, "Slack")
		})
	}
	s.Stop()
	_, err := a.Check(t.Context())
	channeltest.WantFault(t, err, fault.Unavailable, "no connection with Slack")
}

func TestSlack_Configuration(t *testing.T) {
	t.Parallel()
	s := slacktest.New(t)
	for name, c := range map[string]struct {
		change func(*channel.Config)
		words  string
	}{
		"no bot":         {func(c *channel.Config) { delete(c.Secrets, "bot_token") }, "begins with xoxb-"},
		"a user's token": {func(c *channel.Config) { c.Secrets["bot_token"] = "xoxp-1234567890" }, "begins with xoxb-"},
		"no app":         {func(c *channel.Config) { delete(c.Secrets, "app_token") }, "app_token"},
		"no signature":   {func(c *channel.Config) { c.Settings["receive"] = "http"; delete(c.Secrets, "signing_secret") }, "signing_secret"},
		"neither":        {func(c *channel.Config) { c.Settings["receive"] = "rtm" }, "socket, http"},
		"ping":           {func(c *channel.Config) { c.Settings["ping"] = "1h" }, "50ms to 1m"},
		"timeout":        {func(c *channel.Config) { c.Settings["timeout"] = "soon" }, "50ms to 5m"},
	} {
		t.Run(name, func(t *testing.T) {
			conf := config(s)
			c.change(&conf)
			_, err := New(conf)
			channeltest.WantFault(t, err, fault.Invalid, c.words)
		})
	}
	p := Platform()
	if err := (channel.Options{Name: "work", Kind: Kind, Settings: map[string]string{"receive": "http"}}).Check(p); err != nil {
		t.Error(err)
	}
	if _, err := p.Open(config(s)); err != nil {
		t.Error(err)
	}
}

// TestSlack_AgainstThePeersServer has the adapter speak with the test server of the library, which
// others made: who we are, a text, and a message with buttons.
func TestSlack_AgainstThePeersServer(t *testing.T) {
	t.Parallel()
	their := peer.NewTestServer()
	their.Start()
	t.Cleanup(their.Stop)
	to, err := url.Parse(their.GetAPIURL())
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(http.StripPrefix("/api", httputil.NewSingleHostReverseProxy(to)))
	t.Cleanup(front.Close)
	s := slacktest.New(t)
	conf := config(s, "receive", "http")
	conf.BaseURL = front.URL
	a, err := New(conf)
	if err != nil {
		t.Fatal(err)
	}
	if who, err := a.Check(t.Context()); err != nil || who.ID == "" || who.Name == "" {
		t.Errorf("Check: %+v, %v", who, err)
	}
	if name := a.nameOf(t.Context(), "W012A3CDE"); name == "" || name == "W012A3CDE" {
		t.Errorf("a person is called %q", name)
	}
	conn, resp, err := websocket.DefaultDialer.DialContext(t.Context(), their.GetWSURL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	defer conn.Close()
	for _, o := range []channel.Out{
		{Address: channel.Address{Chat: "C024BE91L"}, Text: "plain *text*"},
		{Address: channel.Address{Chat: "C024BE91L"}, Text: "with buttons", Buttons: []channel.Button{{Text: "Approve", Press: "approve:1"}}},
	} {
		if id, err := a.Send(t.Context(), o); err != nil || id == "" {
			t.Errorf("Send: %q, %v", id, err)
		}
		var m peers.Message // their server tells whoever is connected what was posted
		if err := conn.ReadJSON(&m); err != nil || m.Text != o.Text || m.Channel != o.Chat || len(m.Blocks.BlockSet) != 2*len(o.Buttons) {
			t.Errorf("their server took %+v, %v", m, err)
		}
	}
}

func TestSlack_WhereATokenIsShown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ base, raw, want string }{
		{"https://slack.com", "https://files.slack.com/files-pri/T1-F1/a.png", "https://files.slack.com/files-pri/T1-F1/a.png"},
		{"https://slack.com", "wss://wss-primary.slack.com/link/?ticket=1", "wss://wss-primary.slack.com/link/?ticket=1"},
		{"https://slack.com", "https://files.slack-files.com/x", "https://files.slack-files.com/x"},
		{"https://slack.com", "https://slack.com.evil.example/x", ""},
		{"https://slack.com", "https://evilslack.com/x", ""},
		{"https://slack.com", "http://files.slack.com/x", ""},
		{"https://slack.com", "ws://wss-primary.slack.com/x", ""},
		{"https://slack.com", "https://files.slack.com:444/x", ""},
		{"https://slack.com", "https://me@files.slack.com/x", ""},
		{"https://slack.com", "file:///etc/passwd", ""},
		{"https://slack.com", "://", ""},
		{"https://proxy.example.com/slack", "https://files.slack.com/x?y=1", "https://proxy.example.com/slack/x?y=1"},
		{"https://proxy.example.com/slack", "wss://wss-primary.slack.com/link/?ticket=1", "wss://proxy.example.com/slack/link/?ticket=1"},
		{"http://127.0.0.1:80", "wss://wss-primary.slack.com/link", "ws://127.0.0.1:80/link"},
		{"http://127.0.0.1:80", "ws://127.0.0.1:80/link", "ws://127.0.0.1:80/link"},
		{"http://127.0.0.1:80", "http://127.0.0.1:81/x", ""},
		{"https://slack-gov.com", "https://files.slack-gov.com/x", "https://files.slack-gov.com/x"},
	} {
		base, err := url.Parse(c.base)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if u, err := (caller{base: base}).place(c.raw); err == nil {
			got = u.String()
		}
		if got != c.want {
			t.Errorf("from %s, %s is looked for at %q, not %q", c.base, c.raw, got, c.want)
		}
	}
}

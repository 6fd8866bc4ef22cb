package dingtalk

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"chela/internal/channel"
	"chela/internal/fault"
	"chela/internal/testkit/channeltest"
	"chela/internal/testkit/dingtalktest"
)

var (
	ann      = dingtalktest.Person{ID: "$:LWCP_v1:$ann", Staff: "manager1234", Nick: "Ann  Archer"}
	bob      = dingtalktest.Person{ID: "$:LWCP_v1:$bob", Staff: "0123", Nick: "Bob"}
	outsider = dingtalktest.Person{ID: "$:LWCP_v1:$out", Nick: "Olga"}
	team     = dingtalktest.Group("cidTEAM==", "Team")
)

// configured returns a configuration for a server; settings are pairs of name and value.
func configured(s *dingtalktest.Server, settings ...string) channel.Config {
	c := channel.Config{
		Options: channel.Options{Name: "ding", Kind: Kind, BaseURL: s.URL(), Settings: map[string]string{settingAnswer: "5s", settingName: s.Name}},
		Secrets: map[string]string{secretID: s.ClientID, secretKey: s.ClientSecret},
	}
	for i := 0; i < len(settings); i += 2 {
		c.Settings[settings[i]] = settings[i+1]
	}
	return c
}

func opened(t *testing.T, c channel.Config) channel.Adapter {
	t.Helper()
	a, err := Platform(time.Now).Open(c)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// runs has an adapter receive, over and over.
func runs(t *testing.T, a channel.Adapter, in channel.Inbox) (end func() []error) {
	return channeltest.Keep(t, func(ctx context.Context) error { return a.Run(ctx, in) })
}

func receiving(t *testing.T, settings ...string) (*dingtalktest.Server, channel.Adapter, *channeltest.Inbox) {
	t.Helper()
	s := dingtalktest.New(t)
	a := opened(t, configured(s, settings...))
	in := new(channeltest.Inbox)
	runs(t, a, in)
	s.Wait("the connection", func() bool { return s.Opened() > 0 })
	return s, a, in
}

func TestDingtalk_Open(t *testing.T) {
	t.Parallel()
	s := dingtalktest.New(t)
	for name, change := range map[string]func(*channel.Config){
		"client_id":     func(c *channel.Config) { delete(c.Secrets, secretID) },
		"client_secret": func(c *channel.Config) { delete(c.Secrets, secretKey) },
		"mode":          func(c *channel.Config) { c.Settings[settingMode] = "carrier pigeon" },
		"timeout":       func(c *channel.Config) { c.Settings[settingAnswer] = "soon" },
		"keepalive":     func(c *channel.Config) { c.Settings[settingKeepalive] = "1ms" },
		"base_url":      func(c *channel.Config) { c.BaseURL = "nowhere" },
	} {
		c := configured(s)
		change(&c)
		if _, err := Platform(time.Now).Open(c); fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.TextOf(err), name) {
			t.Errorf("a wrong %s is answered with %v", name, err)
		}
	}
	a := opened(t, configured(s))
	if _, ok := a.(channel.Editor); ok {
		t.Error("what has no template for cards says that it can edit")
	}
	if a.Shape().Edit != 0 {
		t.Error("what cannot edit has a pace for it")
	}
	a = opened(t, configured(s, settingCard, s.Template))
	if _, ok := a.(channel.Editor); !ok || a.Shape().Edit == 0 {
		t.Error("what has a template for cards cannot edit")
	}
}

func TestDingtalk_Check(t *testing.T) {
	t.Parallel()
	s := dingtalktest.New(t)
	got, err := opened(t, configured(s)).Check(t.Context())
	if want := (channel.Account{ID: s.RobotCode, Name: "Chela"}); err != nil || got != want {
		t.Errorf("we are %+v, %v", got, err)
	}
	c := configured(s)
	c.Secrets[secretKey] = "another"
	_, err = opened(t, c).Check(t.Context())
	if fault.KindOf(err) != fault.Denied || strings.Contains(fault.TextOf(err), "another") {
		t.Errorf("a wrong secret is answered with %v", err)
	}
	for what, f := range map[string]dingtalktest.Fault{
		"a proxy's no":   {What: dingtalktest.Fail, Status: 403},
		"too many":       {What: dingtalktest.Refuse, Status: 403, Code: "Forbidden.AccessDenied.QpsLimitForApi"},
		"nothing inside": {What: dingtalktest.Empty},
		"a cut":          {What: dingtalktest.CutAfter},
	} {
		f.Times = 2 // the transport itself asks again after a cut
		s.Fault(f)
		if _, err := opened(t, configured(s)).Check(t.Context()); fault.KindOf(err) != fault.Unavailable || err == nil {
			t.Errorf("%s is answered with %v", what, err)
		}
		s.Heal()
	}
	s.Stop()
	if _, err := opened(t, configured(s)).Check(t.Context()); fault.KindOf(err) != fault.Unavailable || err == nil {
		t.Errorf("nobody there is answered with %v", err)
	}
}

// TestDingtalk_Hosts: nothing leads away from DingTalk's own hosts, or from the one that stands for them.
func TestDingtalk_Hosts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ base, named, want string }{
		{"", "wss://wss-open-connection.dingtalk.com:443/connect", "wss://wss-open-connection.dingtalk.com:443/connect"},
		{"", "ws://wss-open-connection.dingtalk.com/connect", "wss://wss-open-connection.dingtalk.com/connect"},
		{"", "http://bucket.oss-cn-shanghai.aliyuncs.com:80/f?Signature=a%2Fb", "https://bucket.oss-cn-shanghai.aliyuncs.com/f?Signature=a%2Fb"},
		{"", "https://evil.example.com/dingtalk.com", ""},
		{"", "https://notdingtalk.com/", ""},
		{"", "https://dingtalk.com@evil.example.com/", ""},
		{"", "file:///etc/passwd", ""},
		{"", "https:///x", ""},
		{"", "\x7f", ""},
		{"https://api.dingtalk.io", "wss://x.dingtalk.io/connect", "wss://x.dingtalk.io/connect"},
		{"https://proxy.example.com/ding/", "wss://wss-open-connection.dingtalk.com/connect?a=b", "wss://proxy.example.com/ding/connect?a=b"},
		{"http://127.0.0.1:1", "https://evil.example.com/x", "http://127.0.0.1:1/x"},
		{"http://127.0.0.1:1", "ws://127.0.0.1:1/connect", "ws://127.0.0.1:1/connect"},
	} {
		h, err := hostsOf(c.base)
		if err != nil {
			t.Fatal(err)
		}
		got, err := h.at(c.named)
		switch {
		case c.want == "" && !errors.Is(err, errOtherHost):
			t.Errorf("with %q, %q leads to %v", c.base, c.named, got)
		case c.want != "" && (err != nil || got.String() != c.want):
			t.Errorf("with %q, %q leads to %v, %v", c.base, c.named, got, err)
		}
	}
	h, err := hostsOf("https://api.dingtalk.io")
	if err != nil || h.api != "https://api.dingtalk.io" || h.old != "https://oapi.dingtalk.io" {
		t.Errorf("the international edition is at %+v, %v", h, err)
	}
}

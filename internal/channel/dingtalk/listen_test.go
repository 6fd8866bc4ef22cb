package dingtalk

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"chela/internal/channel"
	"chela/internal/testkit/channeltest"
	"chela/internal/testkit/dingtalktest"
)

// listening opens a robot to whose address DingTalk sends.
func listening(t *testing.T, in *channeltest.Inbox, settings ...string) (*dingtalktest.Server, string) {
	t.Helper()
	s := dingtalktest.New(t)
	a := opened(t, configured(s, settings...))
	l, ok := a.(channel.Listener)
	if !ok {
		t.Fatal("it does not listen")
	}
	return s, channeltest.Listen(t, l, in)
}

func TestListen(t *testing.T) {
	t.Parallel()
	in := new(channeltest.Inbox)
	s, address := listening(t, in, settingMode, modeHTTP)
	m := dingtalktest.Message{Chat: team, From: ann, Text: "Hello"}
	if status, body := s.Push(address, m, time.Now(), s.ClientSecret); status != 200 || body != `{"msgtype":"empty"}` {
		t.Errorf("it is answered with %d, %s", status, body)
	}
	all := in.Came()
	if len(all) != 1 || all[0].Text != "Hello" || all[0].Chat != team.ID || !all[0].Called {
		t.Errorf("came %+v", all)
	}
	for name, c := range map[string]struct {
		at     time.Time
		secret string
	}{
		"another secret": {time.Now(), "another"},
		"an old time":    {time.Now().Add(-6 * time.Minute), s.ClientSecret},
		"a time to come": {time.Now().Add(6 * time.Minute), s.ClientSecret},
		"no time":        {time.UnixMilli(-1 << 62), s.ClientSecret},
	} {
		if status, _ := s.Push(address, m, c.at, c.secret); status != 401 {
			t.Errorf("%s is answered with %d", name, status)
		}
	}
	if status, _ := s.PushRaw(address, []byte("no message"), time.Now(), "another"); status != 401 {
		t.Errorf("what nobody signed was read: %d", status)
	}
	if status, _ := s.PushRaw(address, []byte("no message"), time.Now(), s.ClientSecret); status != 400 {
		t.Errorf("what is no message is answered with %d", status)
	}
	if status, _ := s.PushRaw(address, []byte(strings.Repeat(" ", maxFrame+1)), time.Now(), s.ClientSecret); status != 413 {
		t.Errorf("what is too large is answered with %d", status)
	}
	in.Refuse = func(channel.Message) error { return errors.New("the disk is full") }
	if status, _ := s.Push(address, m, time.Now(), s.ClientSecret); status != 503 {
		t.Errorf("what is not taken is answered with %d", status)
	}
	if len(in.Came()) != 1 {
		t.Errorf("%d messages came", len(in.Came()))
	}
	r, err := http.Get(address) //nolint:noctx // a test
	if err != nil || r.StatusCode != 405 {
		t.Errorf("GET is answered with %v, %v", r, err)
	}
	if r != nil {
		_ = r.Body.Close()
	}
}

// TestListen_NotAsked: over the stream nothing comes by HTTP, signed or not.
func TestListen_NotAsked(t *testing.T) {
	t.Parallel()
	in := new(channeltest.Inbox)
	s, address := listening(t, in)
	if status, _ := s.Push(address, dingtalktest.Message{Chat: team, From: ann, Text: "Hello"}, time.Now(), s.ClientSecret); status != 404 || len(in.Came()) != 0 {
		t.Errorf("it is answered with %d", status)
	}
}

// TestListen_RunHTTP: it is up once DingTalk knows the app, and opens no connection.
func TestListen_RunHTTP(t *testing.T) {
	t.Parallel()
	s := dingtalktest.New(t)
	in := new(channeltest.Inbox)
	end := runs(t, opened(t, configured(s, settingMode, modeHTTP)), in)
	in.Wait(t, "it to be up", func() bool { return in.Ups() > 0 })
	if errs := end(); len(errs) != 0 || s.Opened() != 0 {
		t.Errorf("%d connections, and %v", s.Opened(), errs)
	}
	c := configured(s, settingMode, modeHTTP)
	c.Secrets[secretKey] = "another"
	if err := opened(t, c).Run(t.Context(), in); err == nil {
		t.Error("a wrong secret is not noticed")
	}
}

// FuzzGenuine: nothing but a time that is near, with the signature of the secret, counts.
func FuzzGenuine(f *testing.F) {
	f.Add("1577262236757", "xxxxxxxxxx")
	f.Add("-9223372036854775808", "")
	f.Add("9223372036854775807", "é")
	now := time.UnixMilli(1577262236757)
	a := &Adapter{now: func() time.Time { return now }, api: &caller{secret: "this is a secret"}}
	f.Fuzz(func(t *testing.T, stamp, sign string) {
		if a.genuine(stamp, sign) {
			t.Errorf("%q and %q count", stamp, sign)
		}
	})
}

// TestListen_Signature is the example of DingTalk's page, counted with another program.
func TestListen_Signature(t *testing.T) {
	t.Parallel()
	if got, want := signature("1577262236757", "this is a secret"), "DJrE6qdyVGCQz9z5r2MDuNcNAhwYnuAkyj13cx169CA="; got != want {
		t.Errorf("the signature is %s", got)
	}
}

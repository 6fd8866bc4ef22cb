package telegram

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"chela/internal/channel"
	"chela/internal/channel/telegram/telegramtest"
	"chela/internal/fault"
)

var (
	anna  = telegramtest.User{ID: 501, FirstName: "Anna", LastName: "Berg", Username: "annab"}
	bela  = telegramtest.User{ID: 502, FirstName: "Béla"}
	team  = telegramtest.Group(-1001234567890, "Team")
	alone = telegramtest.Private(anna)
)

// inbox is a log: it has each message once.
type inbox struct {
	mu     sync.Mutex
	took   []channel.Message
	again  int                         // messages that were there already
	ups    int                         // how often a connection stood
	refuse func(channel.Message) error // may be nil
}

func (*inbox) Receive(context.Context, channel.Receipt) error { return nil }

func (i *inbox) Up() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.ups++
}

func (i *inbox) Take(_ context.Context, m channel.Message) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.refuse != nil {
		if err := i.refuse(m); err != nil {
			return err
		}
	}
	for _, had := range i.took {
		if had.Chat == m.Chat && had.ID == m.ID && had.What == m.What && had.Text == m.Text {
			i.again++
			return nil
		}
	}
	i.took = append(i.took, m)
	return nil
}

func (i *inbox) all() []channel.Message {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.took)
}

func (i *inbox) texts() []string {
	var out []string
	for _, m := range i.all() {
		out = append(out, m.Text)
	}
	return out
}

func (i *inbox) count() int { return len(i.all()) }

func (i *inbox) upTimes() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.ups
}

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

// running is a Run that is under way.
type running struct {
	stop func()
	end  chan error
}

func run(t *testing.T, a *Adapter, in channel.Inbox) running {
	ctx, cancel := context.WithCancel(t.Context())
	r := running{cancel, make(chan error, 1)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.end <- a.Run(ctx, in)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return r
}

// stopped ends a run that is to end without an error.
func (r running) stopped(t *testing.T) {
	t.Helper()
	r.stop()
	if err := <-r.end; err != nil {
		t.Errorf("Run ended with %v", err)
	}
}

func kindOf(err error) (fault.Kind, bool) {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return 0, false
	}
	return f.Kind, true
}

func wantFault(t *testing.T, err error, kind fault.Kind, words string) {
	t.Helper()
	if k, ok := kindOf(err); !ok || k != kind || !strings.Contains(fault.TextOf(err), words) {
		t.Errorf("got %v, want a fault of kind %d with %q", err, kind, words)
	}
}

func TestConnect(t *testing.T) {
	s := telegramtest.New(t)
	who, err := with(t, s).Check(t.Context())
	if err != nil || who != (channel.Account{ID: "110201543", Name: "chela_bot"}) {
		t.Errorf("Check: %+v, %v", who, err)
	}
	in := new(inbox)
	r := run(t, with(t, s), in)
	s.Wait("the connection", func() bool { return in.upTimes() == 1 })
	r.stopped(t)
}

func TestWrongToken(t *testing.T) {
	s := telegramtest.New(t)
	a := with(t, s)
	s.Token = "110201543:another"
	_, err := a.Check(t.Context())
	wantFault(t, err, fault.Denied, "does not know the token of the channel tg")
	wantFault(t, a.Run(t.Context(), new(inbox)), fault.Denied, "BotFather")
	_, err = a.Send(t.Context(), out(alone, "hello"))
	if r, ok := errors.AsType[*channel.Refusal](err); !ok || !r.Final {
		t.Errorf("Send: %v, want a final refusal", err)
	}
}

func TestNoConnection(t *testing.T) {
	s := telegramtest.New(t)
	a := with(t, s)
	s.Stop()
	_, err := a.Check(t.Context())
	wantFault(t, err, fault.Unavailable, "The channel tg has no connection with Telegram: ")
	if strings.Contains(err.Error(), s.Token) {
		t.Errorf("the error has the token in it: %v", err)
	}
	s.Start()
	s.Fault(telegramtest.Fault{What: telegramtest.Fail, Status: 404})
	_, err = a.Check(t.Context())
	wantFault(t, err, fault.Unavailable, "status 404") // a proxy's; the token may be right
}

func TestConfiguration(t *testing.T) {
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
		wantFault(t, err, fault.Invalid, name)
	}
}

package telegram

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"chela/internal/channel"
	"chela/internal/fault"
	"chela/internal/testkit/channeltest"
	"chela/internal/testkit/telegramtest"
)

func TestReceive_MessagesComeInOrder(t *testing.T) {
	t.Parallel()
	s := telegramtest.New(t)
	in := new(channeltest.Inbox)
	r := channeltest.Run(t, with(t, s), in)
	var want []string
	for i := range 250 { // more than two batches
		text := fmt.Sprintf("message %d", i)
		s.Say(alone, anna, text)
		want = append(want, text)
	}
	s.Wait("all to be confirmed", func() bool { return s.Pending() == 0 })
	if got := in.Texts(); !slices.Equal(got, want) {
		t.Errorf("took %d messages: %q", len(got), got)
	}
	r.Stopped(t)
}

func TestReceive_UpdateIsConfirmedOnlyWhenTaken(t *testing.T) {
	t.Parallel()
	s := telegramtest.New(t)
	in := &channeltest.Inbox{Refuse: func(m channel.Message) error {
		if m.Text == "two" {
			return errors.New("the log is full")
		}
		return nil
	}}
	for _, text := range []string{"one", "two", "three"} {
		s.Say(alone, anna, text)
	}
	a := with(t, s)
	if err := a.Run(t.Context(), in); err == nil || !strings.Contains(err.Error(), "the log is full") {
		t.Errorf("Run: %v", err)
	}
	if s.Pending() != 3 || !slices.Equal(in.Texts(), []string{"one"}) {
		t.Errorf("%d are not confirmed, %q were taken", s.Pending(), in.Texts())
	}
	in.Refuse = nil
	r := channeltest.Run(t, a, in)
	s.Wait("all to be confirmed", func() bool { return s.Pending() == 0 })
	r.Stopped(t)
	if got := in.Texts(); !slices.Equal(got, []string{"one", "two", "three"}) || in.Again() != 1 {
		t.Errorf("took %q, %d again", got, in.Again())
	}
}

func TestReceive_Redelivery(t *testing.T) {
	t.Parallel()
	s := telegramtest.New(t)
	in := new(channeltest.Inbox)
	r := channeltest.Run(t, with(t, s), in)
	s.Say(alone, anna, "once")
	s.Wait("the message", func() bool { return in.Count() == 1 && s.Pending() == 0 })
	s.Redeliver()
	s.Say(alone, anna, "twice")
	s.Wait("both", func() bool { return in.Count() == 2 && s.Pending() == 0 })
	r.Stopped(t)
	if in.Again() != 1 {
		t.Errorf("%d came again", in.Again())
	}
}

func TestReceive_Reconnect(t *testing.T) {
	t.Parallel()
	s := telegramtest.New(t)
	in := new(channeltest.Inbox)
	a := with(t, s)
	r := channeltest.Run(t, a, in)
	s.Wait("the connection", func() bool { return in.Ups() == 1 })
	s.Stop()
	channeltest.WantFault(t, <-r.End, fault.Unavailable, "no connection")
	s.Say(alone, anna, "while nobody listened")
	channeltest.WantFault(t, a.Run(t.Context(), in), fault.Unavailable, "no connection")
	s.Start()
	r = channeltest.Run(t, a, in)
	s.Wait("the message", func() bool { return in.Count() == 1 && s.Pending() == 0 })
	r.Stopped(t)
}

func TestReceive_RestartWithUnconfirmedUpdates(t *testing.T) {
	t.Parallel()
	s := telegramtest.New(t)
	in := new(channeltest.Inbox)
	r := channeltest.Run(t, with(t, s), in)
	s.Wait("the second question", func() bool { return s.Calls("getUpdates") == 2 })
	s.Fault(telegramtest.Fault{Method: "getUpdates", What: telegramtest.CutBefore}) // what confirms is lost
	s.Say(alone, anna, "before")
	if err := <-r.End; err == nil {
		t.Error("Run ended without an error")
	}
	if s.Pending() != 1 || in.Count() != 1 {
		t.Errorf("%d are not confirmed, %d were taken", s.Pending(), in.Count())
	}
	s.Heal()
	s.Say(alone, anna, "after")
	r = channeltest.Run(t, with(t, s), in)
	s.Wait("all to be confirmed", func() bool { return s.Pending() == 0 })
	r.Stopped(t)
	if got := in.Texts(); !slices.Equal(got, []string{"before", "after"}) || in.Again() != 1 {
		t.Errorf("took %q, %d again", got, in.Again())
	}
}

func TestReceive_HalfOpenPoll(t *testing.T) {
	t.Parallel()
	s := telegramtest.New(t)
	s.Fault(telegramtest.Fault{Method: "getUpdates", What: telegramtest.Silent, Times: 1})
	a := with(t, s, "timeout", "100ms", "poll", "1s")
	channeltest.WantFault(t, a.Run(t.Context(), new(channeltest.Inbox)), fault.Unavailable, "no answer in time")
}

func TestReceive_TroubleWhilePolling(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fault telegramtest.Fault
		kind  fault.Kind
		words string
	}{
		{telegramtest.Fault{What: telegramtest.Fail, Status: 502}, fault.Unavailable, "status 502"},
		{telegramtest.Fault{What: telegramtest.TooMany, For: 7e9}, fault.Unavailable, "wait 7s"},
		{telegramtest.Fault{What: telegramtest.CutBefore}, fault.Unavailable, "no connection"},
		{telegramtest.Fault{What: telegramtest.CutAfter}, fault.Unavailable, "no connection"},
	} {
		for _, method := range []string{"getMe", "deleteWebhook", "getUpdates"} {
			s := telegramtest.New(t)
			c.fault.Method = method
			s.Fault(c.fault)
			channeltest.WantFault(t, with(t, s).Run(t.Context(), new(channeltest.Inbox)), c.kind, c.words)
		}
	}
}

// TestReceive_TwoPollers: the one that asks later ends the other, whichever that is.
func TestReceive_TwoPollers(t *testing.T) {
	t.Parallel()
	s := telegramtest.New(t)
	first := channeltest.Run(t, with(t, s), new(channeltest.Inbox))
	s.Wait("the first to ask", func() bool { return s.Calls("getUpdates") == 2 })
	second := channeltest.Run(t, with(t, s), new(channeltest.Inbox))
	var err error
	left := second
	select {
	case err = <-first.End:
	case err = <-second.End:
		left = first
	}
	channeltest.WantFault(t, err, fault.Conflict, "Another program receives the messages of the bot of the channel tg")
	left.Stopped(t)
}

func TestReceive_NothingIsLostOrDoubledWhileThingsBreak(t *testing.T) {
	t.Parallel()
	s := telegramtest.New(t)
	in := new(channeltest.Inbox)
	a := with(t, s, "poll", "1s")
	const chats, each = 5, 40
	random := rand.New(rand.NewPCG(1, 2))
	mishaps := []telegramtest.Mishap{telegramtest.Fail, telegramtest.TooMany, telegramtest.CutBefore, telegramtest.CutAfter}
	channeltest.Keep(t, func(ctx context.Context) error { return a.Run(ctx, in) })
	for i := range each {
		for c := range chats {
			u := telegramtest.User{ID: int64(600 + c), FirstName: "P"}
			s.Say(telegramtest.Private(u), u, strconv.Itoa(i))
		}
		switch i % 4 {
		case 0:
			s.Fault(telegramtest.Fault{What: mishaps[random.IntN(len(mishaps))], Times: 1})
		case 2:
			s.Redeliver()
		case 3:
			s.Restart()
		}
	}
	s.Heal()
	s.Wait("all to be confirmed", func() bool { return s.Pending() == 0 })
	byChat := make(map[string][]string)
	for _, m := range in.All() {
		byChat[m.Chat] = append(byChat[m.Chat], m.Text)
	}
	for c := range chats {
		got := byChat[strconv.Itoa(600+c)]
		if len(got) != each || !slices.IsSortedFunc(got, func(x, y string) int { n, _ := strconv.Atoi(x); m, _ := strconv.Atoi(y); return n - m }) {
			t.Errorf("chat %d: %q", 600+c, got)
		}
	}
}

func TestReceive_UnreadableUpdateHoldsUpNothing(t *testing.T) {
	t.Parallel()
	a, in := with(t, telegramtest.New(t)), new(channeltest.Inbox)
	if _, err := a.ask(t.Context()); err != nil {
		t.Fatal(err)
	}
	id, err := a.take(t.Context(), in, []byte(`{"update_id":7,"message":{"message_id":"of a new form"}}`))
	if id != 7 || err != nil || in.Count() != 0 {
		t.Errorf("take: %d, %v", id, err)
	}
	_, err = a.take(t.Context(), in, []byte(`{"message":{}}`))
	channeltest.WantFault(t, err, fault.Unavailable, "Look at base_url")
}

// listening puts a channel's listener on an address; the channel is of the returned function.
func listening(t *testing.T, in channel.Inbox) (url string, serve func(*Adapter)) {
	ready := make(chan *Adapter, 1)
	var a *Adapter
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a == nil {
			a = <-ready
		}
		a.Listen(w, r, in)
	}))
	t.Cleanup(web.Close)
	return web.URL + "/channels/tg", func(a *Adapter) { ready <- a }
}

func TestReceive_Webhook(t *testing.T) {
	t.Parallel()
	s := telegramtest.New(t)
	in := new(channeltest.Inbox)
	url, serve := listening(t, in)
	a := with(t, s, "webhook_url", url)
	serve(a)
	s.Say(alone, anna, "one")
	failures := 2
	in.Refuse = func(channel.Message) error {
		if failures--; failures >= 0 {
			return errors.New("the log is full")
		}
		return nil
	}
	r := channeltest.Run(t, a, in)
	s.Say(alone, anna, "two")
	s.Wait("both", func() bool { return s.Pending() == 0 && in.Count() == 2 })
	if got := in.Texts(); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("took %q", got)
	}
	r.Stopped(t)
}

func TestReceive_WebhookTakenAway(t *testing.T) {
	t.Parallel()
	s := telegramtest.New(t)
	in := new(channeltest.Inbox)
	url, serve := listening(t, in)
	a := with(t, s, "webhook_url", url, "poll", "1s")
	serve(a)
	r := channeltest.Run(t, a, in)
	s.Wait("the first look", func() bool { return s.Calls("getWebhookInfo") == 1 })
	poller := channeltest.Run(t, with(t, s), in)
	channeltest.WantFault(t, <-r.End, fault.Conflict, "The webhook of the channel tg was changed by another program")
	poller.Stopped(t)
}

func TestReceive_WebhookThatTelegramDoesNotReach(t *testing.T) {
	t.Parallel()
	s := telegramtest.New(t)
	gone := httptest.NewServer(http.NotFoundHandler())
	r := channeltest.Run(t, with(t, s, "webhook_url", gone.URL, "poll", "1s"), new(channeltest.Inbox))
	s.Wait("the first look", func() bool { return s.Calls("getWebhookInfo") == 1 })
	s.Say(alone, anna, "hello?")
	channeltest.WantFault(t, <-r.End, fault.Unavailable, "404 Not Found")
	gone.Close()
}

func TestReceive_WebhookAddressRefused(t *testing.T) {
	t.Parallel()
	a := with(t, telegramtest.New(t), "webhook_url", "http://chela.example.com/hook")
	channeltest.WantFault(t, a.Run(t.Context(), new(channeltest.Inbox)), fault.Invalid, "An HTTPS URL must be provided")
}

func TestReceive_WhoMaySendToTheWebhook(t *testing.T) {
	t.Parallel()
	s := telegramtest.New(t)
	const update = `{"update_id":5,"message":{"message_id":1,"date":1,"from":{"id":501,"first_name":"A"},"chat":{"id":501,"type":"private"},"text":"hi"}}`
	hooked := with(t, s, "webhook_url", "https://chela.example.com/hook")
	for name, c := range map[string]struct {
		a      *Adapter
		method string
		secret string
		body   string
		status int
		taken  int
	}{
		"right":       {hooked, "POST", hooked.secret, update, 200, 1},
		"no secret":   {hooked, "POST", "", update, 401, 0},
		"wrong":       {hooked, "POST", hooked.secret[1:] + "0", update, 401, 0},
		"a longer":    {hooked, "POST", hooked.secret + "0", update, 401, 0},
		"GET":         {hooked, "GET", hooked.secret, "", 405, 0},
		"too much":    {hooked, "POST", hooked.secret, update + strings.Repeat(" ", maxUpdate), 413, 0},
		"not JSON":    {hooked, "POST", hooked.secret, "hello", 400, 0},
		"no update":   {hooked, "POST", hooked.secret, "{}", 400, 0},
		"unknown":     {hooked, "POST", hooked.secret, `{"update_id":6,"poll":{}}`, 200, 0},
		"not set up":  {with(t, s), "POST", hooked.secret, update, 404, 0},
		"wrong, much": {hooked, "POST", "x", update + strings.Repeat(" ", maxUpdate), 401, 0},
	} {
		in := new(channeltest.Inbox)
		body := &readCounter{r: strings.NewReader(c.body)}
		r := httptest.NewRequestWithContext(t.Context(), c.method, "/hook", body)
		r.Header.Set("X-Telegram-Bot-Api-Secret-Token", c.secret)
		w := httptest.NewRecorder()
		c.a.Listen(w, r, in)
		if w.Code != c.status || in.Count() != c.taken {
			t.Errorf("%s: %d with %d taken, want %d with %d", name, w.Code, in.Count(), c.status, c.taken)
		}
		if c.status == 401 && body.n > 0 {
			t.Errorf("%s: %d bytes of the body were read", name, body.n)
		}
		if body.n > maxUpdate+bytes.MinRead {
			t.Errorf("%s: %d bytes of the body were read", name, body.n)
		}
	}
}

type readCounter struct {
	r *strings.Reader
	n int
}

func (r *readCounter) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	r.n += n
	return n, err
}

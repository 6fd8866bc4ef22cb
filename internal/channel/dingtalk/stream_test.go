package dingtalk

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"chela/internal/channel"
	"chela/internal/fault"
	"chela/internal/testkit/channeltest"
	"chela/internal/testkit/dingtalktest"
)

// answered waits for an answer to a frame and returns the last.
func answered(s *dingtalktest.Server, id string) dingtalktest.Answer {
	s.Wait("an answer to "+id, func() bool { return len(s.Answers(id)) > 0 })
	list := s.Answers(id)
	return list[len(list)-1]
}

func TestStream_Receive(t *testing.T) {
	t.Parallel()
	s, _, in := receiving(t)
	s.Say(dingtalktest.Private(ann), ann, "  Hello ")
	s.Say(team, bob, "@Chela what is up?")
	s.Wait("both to be confirmed", func() bool { return s.Pending() == 0 })
	all := in.Came()
	if len(all) != 2 {
		t.Fatalf("%d messages came", len(all))
	}
	slices.SortFunc(all, func(a, b channel.Message) int { return strings.Compare(a.Text, b.Text) })
	hello, up := all[0], all[1]
	if hello.Chat != "user:manager1234" || hello.Group || !hello.Called || hello.Text != "Hello" || hello.What != channel.Said ||
		hello.Sender != (channel.Sender{ID: "manager1234", Name: "Ann Archer"}) || hello.ID == "" || hello.At.IsZero() {
		t.Errorf("a message of one person comes as %+v", hello)
	}
	if up.Chat != "cidTEAM==" || !up.Group || !up.Called || up.Text != "what is up?" || up.Sender.ID != "0123" {
		t.Errorf("a message of a group comes as %+v", up)
	}
}

// TestStream_Ticket: the ticket has characters that an address cannot have, and counts once.
func TestStream_Ticket(t *testing.T) {
	t.Parallel()
	s, _, _ := receiving(t)
	s.Drop()
	s.Wait("another connection", func() bool { return s.Opened() == 2 })
	if s.Calls(dingtalktest.Open) < 2 {
		t.Error("a ticket was used again")
	}
}

func TestStream_WrongSecret(t *testing.T) {
	t.Parallel()
	s := dingtalktest.New(t)
	c := configured(s)
	c.Secrets[secretKey] = "another"
	err := opened(t, c).Run(t.Context(), new(channeltest.Inbox))
	if fault.KindOf(err) != fault.Denied || s.Calls(dingtalktest.Open) != 1 {
		t.Errorf("a wrong secret is answered with %v after %d calls", err, s.Calls(dingtalktest.Open))
	}
}

func TestStream_OpenGoesWrong(t *testing.T) {
	t.Parallel()
	for what, f := range map[string]dingtalktest.Fault{
		"no ticket":         {Method: dingtalktest.Open, What: dingtalktest.Empty},
		"a proxy's no":      {Method: dingtalktest.Open, What: dingtalktest.Fail},
		"a refused socket":  {Method: dingtalktest.Socket, What: dingtalktest.Refuse, Status: 401, Code: "invalidTicket"},
		"a cut socket":      {Method: dingtalktest.Socket, What: dingtalktest.CutBefore},
		"too many at once":  {Method: dingtalktest.Open, What: dingtalktest.TooMany},
		"a call that hangs": {Method: dingtalktest.Open, What: dingtalktest.Silent},
	} {
		t.Run(what, func(t *testing.T) {
			s := dingtalktest.New(t)
			a := opened(t, configured(s, settingAnswer, "200ms"))
			s.Fault(f)
			in := new(channeltest.Inbox)
			if err := a.Run(t.Context(), in); fault.KindOf(err) != fault.Unavailable || err == nil || in.Ups() != 0 {
				t.Errorf("it is answered with %v, up %d times", err, in.Ups())
			}
			s.Heal() // the caller comes back
			s.Say(team, ann, "Hello")
			runs(t, a, in)
			s.Wait("what was said meanwhile", func() bool { return s.Pending() == 0 })
		})
	}
}

func TestStream_Ping(t *testing.T) {
	t.Parallel()
	s, _, _ := receiving(t)
	id := s.Frame(dingtalktest.System, "ping", `{"opaque":"x\"y"}`)
	if got := answered(s, id); got.Code != 200 || got.Data != `{"opaque":"x\"y"}` {
		t.Errorf("a ping is answered with %+v", got)
	}
	if got := answered(s, s.Frame(dingtalktest.System, "KEEPALIVE", `{}`)); got.Code != 200 {
		t.Errorf("another frame of the system is answered with %+v", got)
	}
}

// TestStream_Slow: the system's frames are answered while hundreds of messages wait.
func TestStream_Slow(t *testing.T) {
	t.Parallel()
	s := dingtalktest.New(t)
	release := make(chan struct{})
	in := &channeltest.Inbox{Refuse: func(channel.Message) error { <-release; return nil }}
	runs(t, opened(t, configured(s)), in)
	s.Wait("the connection", func() bool { return s.Opened() > 0 })
	var want []string
	for i := range 200 {
		text := fmt.Sprint("Number ", i)
		want = append(want, text)
		s.Say(dingtalktest.Group(fmt.Sprint("cid", i%3), "G"), ann, text)
	}
	if got := answered(s, s.Frame(dingtalktest.System, "ping", `{}`)); got.Code != 200 {
		t.Errorf("the ping is answered with %+v", got)
	}
	if n := s.Pending(); n != 200 {
		t.Errorf("%d of 200 wait", n)
	}
	close(release)
	s.Wait("all", func() bool { return s.Pending() == 0 })
	got := make(map[string][]string)
	for _, m := range in.Came() {
		got[m.Chat] = append(got[m.Chat], m.Text)
	}
	for i := range 3 {
		var of []string
		for n := i; n < 200; n += 3 {
			of = append(of, want[n])
		}
		if chat := fmt.Sprint("cid", i); !slices.Equal(got[chat], of) {
			t.Errorf("in %s came %v", chat, got[chat])
		}
	}
}

// TestStream_Disconnect: DingTalk says that it ends a connection; the next one is opened while a
// message that came over the old one is still being taken, and nothing is lost.
func TestStream_Disconnect(t *testing.T) {
	t.Parallel()
	s := dingtalktest.New(t)
	release, begun := make(chan struct{}), make(chan struct{}, 8)
	in := &channeltest.Inbox{Refuse: func(channel.Message) error { begun <- struct{}{}; <-release; return nil }}
	end := runs(t, opened(t, configured(s)), in)
	s.Wait("the connection", func() bool { return s.Opened() == 1 })
	s.Say(team, ann, "One")
	<-begun
	if got := answered(s, s.Disconnect("time is over")); got.Code != 200 {
		t.Errorf("it is answered with %+v", got)
	}
	s.Wait("the next connection", func() bool { return s.Opened() == 2 })
	s.Say(team, ann, "Two")
	close(release)
	s.Wait("both", func() bool { return s.Pending() == 0 })
	if errs := end(); len(errs) != 0 {
		t.Errorf("it is said to be broken: %v", errs)
	}
	if got := slices.Compact(channeltest.TextsOf(in.Came())); !slices.Equal(got, []string{"One", "Two"}) { // One came over the next connection, too
		t.Errorf("came %v", got)
	}
}

// TestStream_DisconnectAtOnce: whoever is sent away from each connection rests.
func TestStream_DisconnectAtOnce(t *testing.T) {
	t.Parallel()
	s := dingtalktest.New(t)
	a := opened(t, configured(s))
	r := channeltest.Run(t, a, new(channeltest.Inbox))
	for i := range quickMoves + 1 {
		s.Wait("a connection", func() bool { return s.Opened() == i+1 })
		s.Disconnect("no")
	}
	if err := <-r.End; fault.KindOf(err) != fault.Unavailable || err == nil || !strings.Contains(fault.TextOf(err), "ended the connection") {
		t.Errorf("it ends with %v", err)
	}
}

// TestStream_Cut: a connection breaks while a message is taken; it comes again as what it was.
func TestStream_Cut(t *testing.T) {
	t.Parallel()
	s := dingtalktest.New(t)
	release, begun := make(chan struct{}), make(chan struct{}, 8)
	in := &channeltest.Inbox{Refuse: func(channel.Message) error { begun <- struct{}{}; <-release; return nil }}
	runs(t, opened(t, configured(s)), in)
	s.Wait("the connection", func() bool { return s.Opened() == 1 })
	s.Say(team, ann, "One")
	<-begun
	s.Drop()
	close(release)
	s.Wait("it to be confirmed", func() bool { return s.Pending() == 0 })
	all := in.Came()
	for _, m := range all {
		if m.ID != all[0].ID {
			t.Errorf("it comes again as another: %+v", m)
		}
	}
}

// TestStream_NotTaken: what was not taken is not confirmed, and comes again before what came later.
func TestStream_NotTaken(t *testing.T) {
	t.Parallel()
	s := dingtalktest.New(t)
	var tries atomic.Int32
	in := &channeltest.Inbox{Refuse: func(m channel.Message) error {
		if m.Text == "One" && tries.Add(1) < 3 {
			return errors.New("the disk is full")
		}
		return nil
	}}
	s.Say(team, ann, "One")
	s.Say(team, ann, "Two")
	end := runs(t, opened(t, configured(s)), in)
	s.Wait("both", func() bool { return s.Pending() == 0 })
	if got := channeltest.TextsOf(in.Came()); !slices.Equal(got, []string{"One", "Two"}) {
		t.Errorf("came %v", got)
	}
	if errs := end(); len(errs) != 2 || !strings.Contains(errs[0].Error(), "the disk is full") {
		t.Errorf("went wrong: %v", errs)
	}
}

// TestStream_Twice: a message in another frame is the same message.
func TestStream_Twice(t *testing.T) {
	t.Parallel()
	s, _, in := receiving(t)
	s.Post(dingtalktest.Message{Chat: team, From: ann, ID: "msgX", Text: "One"})
	s.Post(dingtalktest.Message{Chat: team, From: ann, ID: "msgX", Text: "One"})
	s.Redeliver()
	s.Wait("all", func() bool { return s.Pending() == 0 && len(in.Came()) == 4 })
	for _, m := range in.Came() {
		if m.ID != "msgX" || m.Chat != team.ID {
			t.Errorf("it comes as %+v", m)
		}
	}
}

func TestStream_Panic(t *testing.T) {
	t.Parallel()
	s := dingtalktest.New(t)
	var tries atomic.Int32
	in := &channeltest.Inbox{Refuse: func(channel.Message) error {
		if tries.Add(1) == 1 {
			panic("a bug")
		}
		return nil
	}}
	end := runs(t, opened(t, configured(s)), in)
	s.Say(team, ann, "One")
	s.Wait("it to be taken after all", func() bool { return s.Pending() == 0 })
	s.Wait("the panic to be told", func() bool { return slices.Contains(s.Codes(), 500) })
	if errs := end(); len(errs) != 1 || !strings.Contains(errs[0].Error(), "a bug") {
		t.Errorf("went wrong: %v", errs)
	}
}

func TestStream_UnknownFrames(t *testing.T) {
	t.Parallel()
	s, _, in := receiving(t)
	if got := answered(s, s.Frame(dingtalktest.Callback, "/v1.0/graph/api/invoke", `{}`)); got.Code != 404 {
		t.Errorf("an unknown topic is answered with %+v", got)
	}
	if got := answered(s, s.Frame("RUMOUR", "x", `{}`)); got.Code != 404 {
		t.Errorf("an unknown type is answered with %+v", got)
	}
	if got := answered(s, s.Frame(dingtalktest.Event, "*", `{}`)); got.Code != 200 || !strings.Contains(got.Data, "SUCCESS") {
		t.Errorf("an event is answered with %+v", got)
	}
	for _, data := range []string{``, `no JSON`, `[]`, `{}`, `{"msgId":"m","conversationType":"7","conversationId":"c","senderId":"s"}`} {
		for _, topic := range []string{dingtalktest.TopicMessage, dingtalktest.TopicCard} {
			if got := answered(s, s.Frame(dingtalktest.Callback, topic, data)); got.Code != 200 {
				t.Errorf("%s on %s is answered with %+v, and would come for ever", data, topic, got)
			}
		}
	}
	for _, raw := range []string{
		`x`, `[]`, `"x"`, `{}`, `{"type":1}`, `{"type":"CALLBACK"}`, `{"type":{},"headers":[],"data":{}}`,
		`{"type":"CALLBACK","headers":{"topic":"/v1.0/im/bot/messages/get","messageId":{}},"data":{"msgId":"m"}}`,
		strings.Repeat(`[`, 20000),
		`{"type":"CALLBACK","data":"` + strings.Repeat("x", 3*maxFrame) + `"}`,
	} {
		s.Raw("", raw)
	}
	s.Raw("odd", `{"type":"SYSTEM","time":"soon","headers":{"topic":"ping","messageId":"odd","contentType":7,"more":[1]}}`)
	if got := answered(s, "odd"); got.Code != 200 {
		t.Errorf("a frame with odd headers is answered with %+v", got)
	}
	if s.Opened() != 1 || len(in.Came()) != 0 {
		t.Errorf("%d connections, and came %v", s.Opened(), in.Came())
	}
}

// TestStream_Silent: a connection over which nothing comes any more is left, and the next one taken.
func TestStream_Silent(t *testing.T) {
	t.Parallel()
	s := dingtalktest.New(t)
	in := new(channeltest.Inbox)
	end := runs(t, opened(t, configured(s, settingKeepalive, "50ms", settingAnswer, "100ms")), in)
	s.Wait("the connection", func() bool { return s.Opened() == 1 })
	s.Freeze()
	s.Say(team, ann, "Hello")
	s.Wait("others", func() bool { return s.Opened() > 2 })
	s.Thaw()
	s.Wait("the message", func() bool { return s.Pending() == 0 })
	if errs := end(); !slices.ContainsFunc(errs, func(err error) bool { return strings.Contains(fault.TextOf(err), "silent") }) {
		t.Errorf("went wrong: %v", errs)
	}
}

// TestStream_LeftUnheard: DingTalk ends a connection and we do not hear it say so.
func TestStream_LeftUnheard(t *testing.T) {
	t.Parallel()
	s := dingtalktest.New(t)
	end := runs(t, opened(t, configured(s, settingKeepalive, "1m")), new(channeltest.Inbox))
	s.Wait("the connection", func() bool { return s.Opened() == 1 })
	s.Freeze()
	s.Disconnect("time is over")
	s.Thaw()
	s.Say(team, ann, "Hello")
	s.Wait("the next connection", func() bool { return s.Opened() == 2 && s.Pending() == 1 }) // that it would end is not answered any more
	if errs := end(); len(errs) != 1 {
		t.Errorf("went wrong: %v", errs)
	}
}

// TestStream_Quiet: a connection over which nothing is said stands as long as pings are answered.
func TestStream_Quiet(t *testing.T) {
	t.Parallel()
	s, _, _ := receiving(t, settingKeepalive, "50ms", settingAnswer, "2s")
	for i := range 3 {
		id := s.Frame(dingtalktest.System, "ping", fmt.Sprint(i))
		answered(s, id)
	}
	s.Wait("some pings", func() bool { return s.Pings() > 8 })
	if s.Opened() != 1 {
		t.Errorf("%d connections were opened", s.Opened())
	}
}

func TestStream_Restart(t *testing.T) {
	t.Parallel()
	s, _, in := receiving(t)
	s.Stop()
	s.Say(team, ann, "Meanwhile")
	s.Start()
	s.Wait("it", func() bool { return s.Pending() == 0 })
	if got := channeltest.TextsOf(in.Came()); !slices.Equal(got, []string{"Meanwhile"}) {
		t.Errorf("came %v", got)
	}
}

func TestStream_TooMuchInHand(t *testing.T) {
	t.Parallel()
	l := newLanes()
	hold := make(chan struct{})
	if !l.put(t.Context(), "a", 1, func() { <-hold }) || !l.put(t.Context(), "a", mostBytes-1, func() {}) || l.put(t.Context(), "b", 1, func() {}) {
		t.Error("the bytes in hand are not counted")
	}
	close(hold)
	l.all.Wait()
	if l.frames != 0 || l.bytes != 0 || len(l.waiting) != 0 {
		t.Errorf("what is done is in hand: %d, %d, %v", l.frames, l.bytes, l.waiting)
	}
}

package channel

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chela/internal/approval"
	"chela/internal/artifact"
	"chela/internal/fault"
)

func TestGate_WhichMessagesAreForUs(t *testing.T) {
	t.Parallel()
	group := Message{Group: true, What: Said, Address: Address{Chat: "c1"}}
	called := group
	called.Called = true
	pressed := group
	pressed.What = Pressed
	alone := Message{What: Said, Address: Address{Chat: "c2"}}
	for name, c := range map[string]struct {
		o    Options
		m    Message
		want bool
	}{
		"a mention":                 {Options{}, called, true},
		"no mention":                {Options{}, group, false},
		"no mention is needed":      {Options{Groups: Always}, group, true},
		"groups are left alone":     {Options{Groups: Never}, called, false},
		"a button of ours":          {Options{}, pressed, true},
		"nobody else is there":      {Options{Groups: Never}, alone, true},
		"a chat that is listed":     {Options{Chats: []string{"c2"}}, alone, true},
		"a chat that is not listed": {Options{Chats: []string{"c9"}}, alone, false},
		"its button neither":        {Options{Chats: []string{"c9"}}, pressed, false},
	} {
		if got := c.o.hears(c.m); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestGate_MessagesSayWhereTheyAreFrom(t *testing.T) {
	t.Parallel()
	good := Message{ID: "m", Address: Address{Chat: "c", Branch: "b"}, Sender: Sender{ID: "u"}}
	if !good.whole() {
		t.Error("a whole message is left out")
	}
	for name, change := range map[string]func(*Message){
		"no id":      func(m *Message) { m.ID = "" },
		"no chat":    func(m *Message) { m.Chat = "" },
		"no sender":  func(m *Message) { m.Sender.ID = "" },
		"NUL":        func(m *Message) { m.Branch = "b\x00" },
		"no text":    func(m *Message) { m.Chat = "\xff" },
		"no end":     func(m *Message) { m.Sender.ID = strings.Repeat("u", 301) },
		"the answer": func(m *Message) { m.ReplyTo = "\x00" },
	} {
		m := good
		if change(&m); m.whole() {
			t.Errorf("%s: %+v is taken", name, m)
		}
	}
}

func TestGate_OptionsAreChecked(t *testing.T) {
	t.Parallel()
	p := Platform{Kind: "x", Settings: []Need{{Name: "url", Help: "Where to."}, {Name: "more", Optional: true}}}
	good := Options{Name: "team-1", Kind: "x", BaseURL: "https://api.example.com", Groups: Always, Settings: map[string]string{"url": "u"}}
	if err := good.Check(p); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*Options){
		"name":             func(o *Options) { o.Name = "Team" },
		"long name":        func(o *Options) { o.Name = strings.Repeat("a", 41) },
		"address":          func(o *Options) { o.BaseURL = "file:///etc/passwd" },
		"trigger":          func(o *Options) { o.Groups = "sometimes" },
		"unknown setting":  func(o *Options) { o.Settings = map[string]string{"url": "u", "rul": "u"} },
		"missing settings": func(o *Options) { o.Settings = nil },
	} {
		o := good
		change(&o)
		if err := o.Check(p); err == nil || strings.Contains(err.Error(), "%") {
			t.Errorf("%s: %+v is taken, or not well: %v", name, o, err)
		}
	}
}

func TestGate_Codes(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for range 1000 {
		c := newCode()
		if len(c) != 8 || strings.Trim(c, codeLetters) != "" || seen[c] {
			t.Fatalf("the code %q", c)
		}
		seen[c] = true
	}
}

func TestGate_ButtonsFitTheirPlatforms(t *testing.T) {
	t.Parallel()
	out := buttons(approval.Request{ID: "apr_06h01q3c2x1k2y7rs3z5b9fjp8", Choices: []string{approval.Approve, approval.Always, approval.Refuse, approval.Found}})
	if len(out) != 2 || out[0].Text != "Approve" || out[1].Press != "deny:apr_06h01q3c2x1k2y7rs3z5b9fjp8" || len(out[0].Press) > 64 {
		t.Errorf("%+v", out)
	}
}

// TestGate_DeliveriesEnd: whatever happens to a delivery, it comes to one of its ends when the
// platform takes it at last, and what was sent stays so.
func TestGate_DeliveriesEnd(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := Queued
		for range rapid.IntRange(0, 20).Draw(t, "steps") {
			var next []State
			for _, to := range States() {
				if s.CanBecome(to) {
					next = append(next, to)
				}
			}
			if len(next) == 0 {
				break
			}
			s = rapid.SampledFrom(next).Draw(t, "next")
		}
		if s == Failed {
			s = Queued // a person wants it tried again
		}
		if s != Done && s != Delivered && (!s.CanBecome(Sending) || !Sending.CanBecome(Done)) {
			t.Fatalf("a delivery stays %s", s)
		}
		for _, to := range States() {
			if Delivered.CanBecome(to) || Done.CanBecome(to) && to != Delivered && to != Failed {
				t.Fatalf("what was sent becomes %s", to)
			}
		}
	})
}

func TestGate_Pauses(t *testing.T) {
	t.Parallel()
	for tries, want := range map[int]time.Duration{1: time.Second, 2: 2 * time.Second, 4: 8 * time.Second, 9: 256 * time.Second, 10: longPause, 1000: longPause} {
		if got := pause(tries); got != want {
			t.Errorf("after %d: %s, want %s", tries, got, want)
		}
	}
}

func TestGate_WhatComesAfterARefusal(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 3, 0, 0, 0, time.UTC)
	d := Delivery{ID: "msg_1", Attempts: 1, CreatedAt: now}
	for name, c := range map[string]struct {
		d       Delivery
		err     error
		after   time.Duration // 0 is never
		unknown bool
	}{
		"the first":              {d, &Refusal{Text: "busy"}, time.Second, false},
		"the fourth":             {Delivery{Attempts: 4, CreatedAt: now}, &Refusal{}, 8 * time.Second, false},
		"nine parts are there":   {Delivery{Attempts: 10, Part: 9, CreatedAt: now}, &Refusal{}, time.Second, false},
		"the platform says when": {d, &Refusal{After: time.Minute}, time.Minute, false},
		"for good":               {d, &Refusal{Final: true}, 0, false},
		"an answer was lost":     {d, errors.New("cut"), time.Second, true},
		"one before was lost":    {Delivery{Attempts: 2, CreatedAt: now, Unknown: true}, &Refusal{}, 2 * time.Second, true},
		"wrapped":                {d, errors.Join(&Refusal{Final: true}), 0, false},
		"a day is over":          {Delivery{Attempts: 9, CreatedAt: now.Add(-25 * time.Hour)}, &Refusal{}, 0, false},
	} {
		r := refused(now, c.d, c.err)
		if got := r.Again.Sub(now); r.Unknown != c.unknown || r.Again.IsZero() != (c.after == 0) || c.after > 0 && got != c.after {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// TestGate_ARefusalNamesNoField: who writes in a chat fills in no form.
func TestGate_ARefusalNamesNoField(t *testing.T) {
	t.Parallel()
	for want, f := range map[string]*fault.Error{
		"The message is empty.":        fault.BadField("text", "The message is empty."),
		"Not known. Allowed: a, b.":    fault.BadField("mode", "Not known.", "a", "b"),
		"There is no thread \"x: y\".": fault.New(fault.NotFound, "There is no thread %q.", "x: y"),
	} {
		if got := refusalOf(f); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// panicking is an adapter that cannot.
type panicking struct{ Adapter }

func (panicking) Send(context.Context, Out) (string, error)     { panic("send") }
func (panicking) Typing(context.Context, Address) error         { panic("typing") }
func (panicking) broken(context.Context) (io.ReadCloser, error) { return nil, errors.New("gone") }

func TestGate_APanicOfAPlatformIsAnError(t *testing.T) {
	t.Parallel()
	if id, err := hand(t.Context(), panicking{}, Out{}); err == nil || id != "" {
		t.Errorf("sending: %q %v", id, err)
	}
	if err := show(t.Context(), panicking{}, Address{}); err == nil {
		t.Error("typing ends well")
	}
}

// TestGate_AFileThatIsGoneHoldsNothingBack: the message is taken without it, and says so.
func TestGate_AFileThatIsGoneHoldsNothingBack(t *testing.T) {
	t.Parallel()
	files, err := artifact.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	g := &Gate{files: files, log: slog.New(slog.DiscardHandler)}
	there := func(context.Context) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("picture")), nil }
	came, err := g.media(t.Context(), []Media{
		{Name: "a.png", Type: "image/png", Open: there}, {Name: "gone.pdf", Open: panicking{}.broken}, {Name: "big.pdf", Size: maxFile + 1, Open: there}, {Name: "b.txt", Type: "text/plain", Open: there},
	})
	notes := came.notes
	if err != nil || len(came.images) != 1 || len(came.audio) != 0 || len(notes) != 3 || !strings.Contains(notes[0], "gone.pdf was left out") || !strings.Contains(notes[1], "larger than 50 MB") || !strings.Contains(notes[2], "b.txt (text/plain, 7 bytes)") {
		t.Errorf("%+v %v", came, err)
	}
}

// TestGate_Audio: what nobody can hear is a file like others; the rest waits to be transcribed.
func TestGate_Audio(t *testing.T) {
	t.Parallel()
	files, err := artifact.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	there := func(context.Context) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("OggS")), nil }
	large := func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(io.LimitReader(strings.NewReader(strings.Repeat("x", maxAudio+1)), maxAudio+1)), nil
	}
	voice := Media{Name: "voice.ogg", Type: "Audio/ogg; codecs=opus", Open: there}
	for name, c := range map[string]struct {
		transcribes func() bool
		media       Media
		audio       int
		note        string
	}{
		"nothing is transcribed":      {nil, voice, 0, "Nobody here can hear it."},
		"none now":                    {func() bool { return false }, voice, 0, "Nobody here can hear it."},
		"audio files are transcribed": {func() bool { return true }, voice, 1, ""},
		"too large":                   {func() bool { return true }, Media{Name: "a.wav", Type: "audio/wav", Open: large}, 0, "too large to be transcribed: 25 MB at most"},
		"transcribed before":          {func() bool { return true }, Media{Name: "a.amr", Type: "audio/amr", Open: there, Transcribed: true}, 0, "stands above, as the platform heard it"},
		"it is no audio file":         {func() bool { return true }, Media{Name: "a.mp4", Type: "video/mp4", Open: there}, 0, "You do not see what is in it."},
		"of an unknown":               {func() bool { return true }, Media{Name: "a", Open: there}, 0, "of a type that is not told"},
		"without its name":            {func() bool { return true }, Media{Type: "audio/ogg", Open: there}, 1, ""},
	} {
		g := &Gate{files: files, transcribes: c.transcribes, log: slog.New(slog.DiscardHandler)}
		came, err := g.media(t.Context(), []Media{c.media})
		if err != nil || len(came.audio) != c.audio || len(came.notes) != 1-c.audio || !strings.Contains(strings.Join(came.notes, ""), c.note) {
			t.Errorf("%s: %+v %v", name, came, err)
		}
		for _, s := range came.audio {
			if s.Ref == "" || s.Name == "" || s.Size != 4 || s.Settled() {
				t.Errorf("%s: %+v", name, s)
			}
		}
	}
}

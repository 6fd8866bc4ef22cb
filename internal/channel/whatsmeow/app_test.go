//go:build whatsmeow

package whatsmeow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	lib "go.mau.fi/whatsmeow"
	waBinary "go.mau.fi/whatsmeow/binary"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/types"
	"google.golang.org/protobuf/proto"

	"chela/internal/channel"
	"chela/internal/fault"
	"chela/internal/testkit/channeltest"
	"chela/internal/testkit/whatsmeowtest"
)

// opened opens a channel as the daemon does, over and over with the same memory and file.
func opened(t *testing.T, s *whatsmeowtest.Server) func() *Adapter {
	t.Helper()
	p := Platform(t.TempDir())
	return func() *Adapter {
		a, err := p.Open(channel.Config{Options: channel.Options{Name: "own", Kind: Kind, BaseURL: s.URL()}})
		if err != nil {
			t.Fatal(err)
		}
		return a.(*Adapter)
	}
}

// linkedTo is a channel whose code was shown to the phone.
func linkedTo(t *testing.T, s *whatsmeowtest.Server) func() *Adapter {
	t.Helper()
	again := opened(t, s)
	codes := 0
	if err := again().Link(t.Context(), func(code string) {
		if codes++; codes == 1 {
			s.Scan(code)
		}
	}); err != nil {
		t.Fatal(err)
	}
	return again
}

// running is a channel that is up.
func running(t *testing.T, s *whatsmeowtest.Server, in *channeltest.Inbox) *Adapter {
	t.Helper()
	a := linkedTo(t, s)()
	channeltest.Run(t, a, in)
	in.Wait(t, "the connection", func() bool { return in.Ups() == 1 })
	return a
}

func wrote(s string) *waE2E.Message { return &waE2E.Message{Conversation: proto.String(s)} }

func TestApp_ADeviceIsLinkedByItsCode(t *testing.T) { //nolint:paralleltest // the server's key is a variable of the library
	s := whatsmeowtest.New(t)
	again := opened(t, s)
	_, err := again().Check(t.Context())
	channeltest.WantFault(t, err, fault.Unavailable, "`chela channel link own`")
	channeltest.WantFault(t, again().Run(t.Context(), new(channeltest.Inbox)), fault.Unavailable, "not linked")
	var codes []string
	if err := again().Link(t.Context(), func(code string) {
		codes = append(codes, code)
		s.Scan(code)
	}); err != nil {
		t.Fatal(err)
	}
	if len(codes) != 1 || !strings.HasPrefix(codes[0], "2@ref1,") {
		t.Errorf("the codes %q were shown", codes)
	}
	if err := again().Link(t.Context(), func(string) { t.Error("a code is shown though it is linked") }); err != nil {
		t.Error(err)
	}
	who, err := again().Check(t.Context())
	if err != nil || who != (channel.Account{ID: s.Owner.Number.User, Name: "+" + s.Owner.Number.User}) {
		t.Errorf("we are %+v: %v", who, err)
	}
	info, err := os.Stat(again().file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the keys: %v, %v", info.Mode(), err)
	}
}

func TestApp_LinkingEndsWhenItIsToldTo(t *testing.T) { //nolint:paralleltest // the server's key is a variable of the library
	s := whatsmeowtest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	if err := opened(t, s)().Link(ctx, func(string) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
}

func TestApp_AnotherFileIsNotTouched(t *testing.T) { //nolint:paralleltest // the server's key is a variable of the library
	s := whatsmeowtest.New(t)
	file := filepath.Join(t.TempDir(), "notes.db")
	if err := os.WriteFile(file, []byte(strings.Repeat("mine ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := Platform(t.TempDir()).Open(channel.Config{Options: channel.Options{Name: "own", BaseURL: s.URL(), Settings: map[string]string{settingFile: file}}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.Check(t.Context())
	channeltest.WantFault(t, err, fault.Denied, "Choose another")
	_, err = Platform(t.TempDir()).Open(channel.Config{Options: channel.Options{Name: "own", Settings: map[string]string{settingFile: "keys.db"}}})
	channeltest.WantFault(t, err, fault.Invalid, "whole path")
}

// TestApp_MessagesComeAndGo: with real encryption on both sides, alone and in a group.
func TestApp_MessagesComeAndGo(t *testing.T) { //nolint:paralleltest // the server's key is a variable of the library
	s, in := whatsmeowtest.New(t), new(channeltest.Inbox)
	anna := s.Person("Anna", "4915550000002", "100000000000002")
	ben := s.Person("Ben", "4915550000003", "100000000000003")
	crew := s.Group("120363000000000001", anna, ben)
	a := running(t, s, in)
	for i := range 3 {
		s.Say(anna, types.JID{}, wrote(fmt.Sprint("hello ", i)))
	}
	asked := s.Say(ben, crew, &waE2E.Message{ExtendedTextMessage: &waE2E.ExtendedTextMessage{Text: proto.String("@" + s.Owner.LID.User + " what now?"), ContextInfo: &waE2E.ContextInfo{MentionedJID: []string{s.Owner.LID.String()}}}})
	s.Wait("the device has all", func() bool { return s.Waiting() == 0 })
	if got := in.Texts(); !slices.Equal(got, []string{"hello 0", "hello 1", "hello 2", "what now?"}) {
		t.Fatalf("it has %q", got)
	}
	if m := in.All()[0]; m.Chat != "100000000000002@lid" || m.Sender != (channel.Sender{ID: "100000000000002@lid", Name: "Anna"}) || m.Group || !m.Called {
		t.Errorf("Anna's: %+v", m)
	}
	if m := in.All()[3]; m.Chat != crew.String() || m.Sender.ID != "100000000000003@lid" || !m.Group || !m.Called || m.ID != asked {
		t.Errorf("Ben's: %+v", m)
	}

	first, err := a.Send(t.Context(), channel.Out{Address: channel.Address{Chat: in.All()[0].Chat}, Text: "*hi*", Key: "k1"})
	if err != nil {
		t.Fatal(err)
	}
	second, err := a.Send(t.Context(), channel.Out{Address: channel.Address{Chat: crew.String()}, Text: "this", ReplyTo: asked, Key: "k2", Buttons: channeltest.Buttons("Yes", "yes:1")})
	if err != nil {
		t.Fatal(err)
	}
	sent := s.Sent()
	if len(sent) != 3 || sent[0].For != anna || sent[0].What.GetConversation() != "*hi*" || sent[0].ID != first {
		t.Fatalf("sent: %+v", sent)
	}
	for _, m := range sent[1:] {
		x := m.What.GetExtendedTextMessage()
		if m.ID != second || m.To != crew || x.GetText() != "this" || x.GetContextInfo().GetStanzaID() != asked || x.GetContextInfo().GetParticipant() != ben.LID.String() {
			t.Errorf("to the group: %+v", m)
		}
	}
	s.Tell(anna, first, "")
	s.Tell(anna, first, "read")
	s.Wait("the device has the receipts", func() bool { return s.Waiting() == 0 })
	if got := in.Receipts(); len(got) != 2 || got[0].Fate != channel.Arrived || got[1].Fate != channel.Seen || got[0].ID != first || got[0].Chat != "100000000000002@lid" {
		t.Errorf("receipts: %+v", got)
	}
	at := channel.Address{Chat: in.All()[0].Chat}
	if err := errors.Join(a.Typing(t.Context(), at), a.Read(t.Context(), at, in.All()[0].ID)); err != nil {
		t.Error(err)
	}
	s.Wait("it is shown", func() bool {
		return len(s.Came("chatstate")) == 1 && slices.ContainsFunc(s.Came("receipt"), func(n waBinary.Node) bool { return n.Attrs["type"] == "read" && n.Attrs["id"] == in.All()[0].ID })
	})
}

// TestApp_WhatWasNotTakenComesAgain: in its order, over the next connection, and nothing after it before it.
func TestApp_WhatWasNotTakenComesAgain(t *testing.T) { //nolint:paralleltest // the server's key is a variable of the library
	s := whatsmeowtest.New(t)
	anna := s.Person("Anna", "4915550000002", "100000000000002")
	refused := make(map[string]int) // by chat; what comes is taken one after the other
	in := &channeltest.Inbox{}
	in.Refuse = func(m channel.Message) error {
		if m.Text == "two" && refused[m.Chat] < 2 {
			refused[m.Chat]++
			return errors.New("the disk is full")
		}
		return nil
	}
	again := linkedTo(t, s)
	end := channeltest.Keep(t, func(ctx context.Context) error { return again().Run(ctx, in) })
	crew := s.Group("120363000000000001", anna)
	for _, what := range []string{"one", "two", "three"} {
		for _, where := range []types.JID{{}, crew} {
			s.Say(anna, where, wrote(what))
		}
	}
	s.Wait("the device has all", func() bool { return s.Waiting() == 0 })
	if got := channeltest.TextsOf(in.Came()); !slices.Equal(got, []string{"one", "one", "two", "two", "three", "three"}) {
		t.Errorf("it has %q", got)
	}
	if errs := end(); len(errs) < 4 || !strings.Contains(errors.Join(errs...).Error(), "the disk is full") {
		t.Errorf("the connections ended with %v", errs)
	}
}

// TestApp_WhatIsSaidMeanwhileComes: while the connection is broken, and over many breaks.
func TestApp_WhatIsSaidMeanwhileComes(t *testing.T) { //nolint:paralleltest // the server's key is a variable of the library
	s, in := whatsmeowtest.New(t), new(channeltest.Inbox)
	anna := s.Person("Anna", "4915550000002", "100000000000002")
	again := linkedTo(t, s)
	channeltest.Keep(t, func(ctx context.Context) error { return again().Run(ctx, in) })
	var want []string
	for i := range 12 {
		want = append(want, fmt.Sprint(i))
		s.Say(anna, types.JID{}, wrote(want[i]))
		switch i {
		case 3, 7:
			s.Cut()
		case 9:
			s.Restart()
		}
	}
	s.Wait("the device has all", func() bool { return s.Waiting() == 0 })
	if got := in.Texts(); !slices.Equal(got, want) {
		t.Errorf("it has %q", got)
	}
}

// TestApp_AnAttemptIsTheSameMessage: when the answer is lost the next attempt has the same id.
func TestApp_AnAttemptIsTheSameMessage(t *testing.T) { //nolint:paralleltest // the server's key is a variable of the library
	s, in := whatsmeowtest.New(t), new(channeltest.Inbox)
	anna := s.Person("Anna", "4915550000002", "100000000000002")
	a := running(t, s, in)
	out := channel.Out{Address: channel.Address{Chat: idOf(anna.LID)}, Text: "once", Key: "k"}
	s.Deafen(true)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		s.Wait("it is sent", func() bool { return len(s.Sent()) == 1 })
		cancel()
	}()
	_, err := a.Send(ctx, out)
	if _, no := errors.AsType[*channel.Refusal](err); err == nil || no {
		t.Errorf("without an answer: %v", err)
	}
	s.Deafen(false)
	id, err := a.Send(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Sent(); len(got) != 2 || got[0].ID != id || got[1].ID != id {
		t.Errorf("sent: %+v", got)
	}
	for chat, final := range map[string]bool{"4915559999999": true, "nobody at all": true, "1@broadcast": true, "120363000000000009@g.us": true, "": true} {
		_, err := a.Send(t.Context(), channel.Out{Address: channel.Address{Chat: chat}, Text: "x", Key: "k"})
		if no := channeltest.RefusalOf(t, err); no.Final != final {
			t.Errorf("to %q: %+v", chat, no)
		}
	}
}

// TestApp_FilesComeAndGo: a file that was sent is sent on by whom it was for, and fetched.
func TestApp_FilesComeAndGo(t *testing.T) { //nolint:paralleltest // the server's key is a variable of the library
	s, in := whatsmeowtest.New(t), new(channeltest.Inbox)
	anna := s.Person("Anna", "4915550000002", "100000000000002")
	a := running(t, s, in)
	to := channel.Address{Chat: idOf(anna.LID)}
	for _, f := range []channel.File{{Name: "a.png", Type: "image/png"}, {Name: "b.mp4", Type: "video/mp4"}, {Name: "c.ogg", Type: "audio/ogg"}, {Name: "../d.pdf", Type: "application/pdf"}} {
		f.Raw = []byte("content of " + f.Name)
		before := len(s.Sent())
		if _, err := a.Send(t.Context(), channel.Out{Address: to, File: &f, Text: "look", Key: f.Name}); err != nil {
			t.Fatal(err)
		}
		got := s.Sent()[before:]
		if want := 1 + strings.Count(f.Type, "audio"); len(got) != want || want == 2 && got[1].What.GetConversation() != "look" {
			t.Fatalf("%s was sent as %+v", f.Name, got)
		}
		was := in.Count()
		s.Say(anna, types.JID{}, got[0].What)
		s.Wait("the device has it", func() bool { return s.Waiting() == 0 && in.Count() == was+1 })
		m := in.All()[was]
		if len(m.Media) != 1 || f.Type == "application/pdf" && m.Media[0].Name != "d.pdf" {
			t.Fatalf("%s came as %+v", f.Name, m)
		}
		r, err := m.Media[0].Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if raw, err := io.ReadAll(r); err != nil || string(raw) != string(f.Raw) || m.Media[0].Size != int64(len(raw)) {
			t.Errorf("%s has %q: %v", f.Name, raw, err)
		}
	}
	_, err := a.Send(t.Context(), channel.Out{Address: to, File: &channel.File{Name: "none"}, Key: "none"})
	if !channeltest.RefusalOf(t, err).Final {
		t.Error("an empty file may be tried again")
	}
	// A sender names any address; only WhatsApp's own is asked.
	f := attachment{from: &waE2E.ImageMessage{URL: proto.String(s.URL() + "/file/1"), MediaKey: make([]byte, 32)}, name: "x"}
	_, err = a.fetch(t.Context(), f)
	channeltest.WantFault(t, err, fault.Unavailable, "is not WhatsApp's")
}

func TestApp_ThePhoneUnlinksUs(t *testing.T) { //nolint:paralleltest // the server's key is a variable of the library
	s, in := whatsmeowtest.New(t), new(channeltest.Inbox)
	again := linkedTo(t, s)
	r := channeltest.Run(t, again(), in)
	in.Wait(t, "the connection", func() bool { return in.Ups() == 1 })
	s.Unlink()
	channeltest.WantFault(t, <-r.End, fault.Unavailable, "has unlinked the channel own")
	_, err := again().Check(t.Context())
	channeltest.WantFault(t, err, fault.Unavailable, "is not linked")
	if err := again().Link(t.Context(), s.Scan); err != nil {
		t.Fatal(err)
	}
	channeltest.Run(t, again(), in)
	in.Wait(t, "the connection after it was linked again", func() bool { return in.Ups() == 2 })
}

func TestApp_Stopping(t *testing.T) { //nolint:paralleltest // the server's key is a variable of the library
	s, in := whatsmeowtest.New(t), new(channeltest.Inbox)
	a := linkedTo(t, s)()
	r := channeltest.Run(t, a, in)
	in.Wait(t, "the connection", func() bool { return in.Ups() == 1 })
	r.Stopped(t)
	_, err := a.Send(t.Context(), channel.Out{Address: channel.Address{Chat: "1"}, Text: "x"})
	if no := channeltest.RefusalOf(t, err); no.Final {
		t.Errorf("after the end: %+v", no)
	}
	s.Stop()
	channeltest.WantFault(t, a.Run(t.Context(), in), fault.Unavailable, "no connection with WhatsApp")
}

// TestApp_WhyWhatsAppDoesNotLetUsIn: in words, with the way out.
func TestApp_WhyWhatsAppDoesNotLetUsIn(t *testing.T) { //nolint:paralleltest // the server's key is a variable of the library
	s, in := whatsmeowtest.New(t), new(channeltest.Inbox)
	again := linkedTo(t, s)
	was, payload := store.GetWAVersion(), store.BaseClientPayload.UserAgent.AppVersion
	t.Cleanup(func() {
		store.SetWAVersion(was)
		store.BaseClientPayload.UserAgent.AppVersion = payload
	})
	for _, c := range []struct {
		why   waBinary.Attrs
		words string
	}{
		{waBinary.Attrs{"reason": "402", "code": "101", "expire": "3600"}, "has blocked the number of the channel own for a while"},
		{waBinary.Attrs{"reason": "405"}, "It is tried with 2.3000.1999999999"},
		{waBinary.Attrs{"reason": "405"}, "A newer version of Chela is needed"},
		{waBinary.Attrs{"reason": "409", "message": "no"}, "client user agent was rejected"},
		{waBinary.Attrs{"reason": "401"}, "has unlinked the channel own"},
	} {
		s.Refuse(c.why)
		channeltest.WantFault(t, again().Run(t.Context(), in), fault.Unavailable, c.words)
	}
	s.Refuse(nil)
	_, err := again().Check(t.Context())
	channeltest.WantFault(t, err, fault.Unavailable, "is not linked")
	if in.Ups() != 0 {
		t.Error("it was up")
	}
}

func TestApp_WhatARefusalMeans(t *testing.T) { //nolint:paralleltest // the server's key is a variable of the library
	for name, c := range map[string]struct {
		err    error
		final  bool
		after  time.Duration
		unsure bool
	}{
		"not connected": {err: lib.ErrNotConnected},
		"no such kind":  {err: fmt.Errorf("%w x", lib.ErrUnknownServer), final: true},
		"too many":      {err: fmt.Errorf("%w %d", lib.ErrServerReturnedError, 429), after: time.Minute},
		"strangers":     {err: fmt.Errorf("%w %d", lib.ErrServerReturnedError, 463), final: true},
		"stale":         {err: fmt.Errorf("%w %d", lib.ErrServerReturnedError, 421)},
		"not accepted":  {err: fmt.Errorf("%w %d", lib.ErrServerReturnedError, 479), final: true},
		"broken":        {err: fmt.Errorf("%w %d", lib.ErrServerReturnedError, 500)},
		"not in it":     {err: fmt.Errorf("x: %w", &lib.IQError{Code: 403}), final: true},
		"asked again":   {err: fmt.Errorf("x: %w", &lib.IQError{Code: 500})},
		"no answer":     {err: lib.ErrMessageTimedOut, unsure: true},
		"broken off":    {err: &lib.DisconnectedError{}, unsure: true},
	} {
		no, is := errors.AsType[*channel.Refusal](verdict(c.err))
		if is == c.unsure || is && (no.Final != c.final || no.After != c.after) {
			t.Errorf("%s: %+v", name, no)
		}
	}
}

func TestApp_FilesHaveTheFormOfTheApps(t *testing.T) { //nolint:paralleltest // the server's key is a variable of the library
	for given, want := range map[string]struct {
		what lib.MediaType
		kind string
	}{
		"image/png": {lib.MediaImage, "image/png"}, "image/gif": {lib.MediaDocument, "image/gif"}, "video/mp4; x=y": {lib.MediaVideo, "video/mp4"}, "audio/ogg": {lib.MediaAudio, "audio/ogg; codecs=opus"},
		"audio/wav": {lib.MediaDocument, "audio/wav"}, "text/plain; charset=utf-8": {lib.MediaDocument, "text/plain"}, "": {lib.MediaDocument, "application/octet-stream"},
	} {
		if what, kind := form(&channel.File{Type: given}); what != want.what || kind != want.kind {
			t.Errorf("%q is %s, %s", given, what, kind)
		}
	}
}

func TestApp_NothingIsAskedButWhatsApp(t *testing.T) { //nolint:paralleltest // the server's key is a variable of the library
	for at, ok := range map[string]bool{
		"https://mmg.whatsapp.net/v/x": true, "https://web.whatsapp.com/ws/chat": true, "https://whatsapp.net": true, "http://mmg.whatsapp.net/": false, "https://mmg.whatsapp.net:8443/": false,
		"https://u@mmg.whatsapp.net/": false, "https://mmg.whatsapp.net.example.com/": false, "https://evilwhatsapp.net/": false, "https://169.254.169.254/": false,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at, nil)
		if err != nil {
			t.Fatal(err)
		}
		asked := false
		c := over(&http.Client{Transport: tripper(func(*http.Request) (*http.Response, error) {
			asked = true
			return &http.Response{StatusCode: http.StatusFound, Header: http.Header{"Location": {"https://example.com/"}}, Body: io.NopCloser(strings.NewReader(""))}, nil
		})}, nil)
		resp, err := c.Do(r)
		if err == nil {
			_ = resp.Body.Close()
		}
		if asked != ok || (err == nil) != ok {
			t.Errorf("%s: asked %v, %v", at, asked, err)
		}
	}
	large := &bounded{io.NopCloser(strings.NewReader(strings.Repeat("x", 100))), 60}
	if _, err := io.ReadAll(large); err == nil {
		t.Error("it has no bound")
	}
}

type tripper func(*http.Request) (*http.Response, error)

func (f tripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

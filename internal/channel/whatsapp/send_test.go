package whatsapp

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/channel"
	"chela/internal/markup"
	"chela/internal/testkit/channeltest"
	"chela/internal/testkit/whatsapptest"
)

func out(c whatsapptest.Chat, text string) channel.Out {
	return channel.Out{Address: channel.Address{Chat: c.ID}, Text: text, Key: "delivery/" + text[:min(len(text), 40)]}
}

func TestSend(t *testing.T) {
	t.Parallel()
	s, a, _ := listening(t)
	asked := s.Say(alone, anna, "hello")
	delivered(s)
	o := out(alone, "*Said*: https://example.com")
	o.ReplyTo = asked
	id, err := a.Send(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	sent := s.Sent(alone)[0]
	if sent.ID != id || sent.Text != o.Text || sent.Answers != asked || sent.Previews || sent.Key != o.Key || sent.Type != "text" {
		t.Errorf("sent %+v", sent)
	}
	hidden := whatsapptest.Private(bela)
	s.Say(hidden, bela, "hello")
	delivered(s)
	if _, err := a.Send(t.Context(), out(hidden, "to an id")); err != nil || !slices.Equal(s.Texts(hidden), []string{"to an id"}) {
		t.Errorf("%q, %v", s.Texts(hidden), err)
	}
	long := strings.Repeat("One *two* three.\n\n", 1000)
	for _, part := range markup.Parts(long, a.Shape().Form, a.Shape().Limits) {
		if _, err := a.Send(t.Context(), channel.Out{Address: channel.Address{Chat: anna.ID}, Text: part}); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(strings.Join(s.Texts(alone)[1:], "\n"), "three."); n != 1000 {
		t.Errorf("%d of 1000 paragraphs arrived", n)
	}
}

func TestSend_Buttons(t *testing.T) {
	t.Parallel()
	s, a, in := listening(t)
	s.Say(alone, anna, "hello")
	s.Say(team, anna, "hello")
	delivered(s)
	question := []channel.Button{{Text: "Allow", Press: "allow:ap-1"}, {Text: "Deny for all of the time to come", Press: "deny:ap-1"}, {Text: "Deny for all of the time that is", Press: "why:ap-1"}}
	ask := func(c whatsapptest.Chat, text string, buttons []channel.Button) whatsapptest.Sent {
		t.Helper()
		o := out(c, text)
		o.Buttons = buttons
		if _, err := a.Send(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		all := s.Sent(c)
		return all[len(all)-1]
	}
	few := ask(alone, "Shall I?", question)
	if len(few.Buttons) != 3 || few.List || few.Buttons[0] != (whatsapptest.Button{ID: "chela:allow:ap-1", Title: "Allow"}) || few.Buttons[1].Title == few.Buttons[2].Title {
		t.Errorf("asked %+v", few)
	}
	s.Press(alone, anna, few.ID, "chela:allow:ap-1")
	wide := ask(alone, "Wide? "+strings.Repeat("x", 3000), question)
	if !wide.List || len(wide.Buttons) != 3 {
		t.Errorf("asked %+v", wide)
	}
	s.Press(alone, anna, wide.ID, "chela:deny:ap-1")
	if many := ask(alone, "Many?", slices.Repeat([]channel.Button{{Text: "Same", Press: "x"}}, 1)); many.List {
		t.Errorf("asked %+v", many)
	}
	eleven := make([]channel.Button, 11)
	for i := range eleven {
		eleven[i] = channel.Button{Text: "B", Press: string(rune('a' + i))}
	}
	if listed := ask(alone, "Ten?", eleven[:9]); !listed.List || len(listed.Buttons) != 9 {
		t.Errorf("asked %+v", listed)
	}
	if plain := ask(alone, "Eleven?", eleven); plain.Type != "text" {
		t.Errorf("asked %+v", plain)
	}
	if plain := ask(team, "In a group?", question); plain.Type != "text" {
		t.Errorf("asked %+v", plain)
	}
	delivered(s)
	var got []string
	for _, m := range in.All() {
		if m.What == channel.Pressed {
			got = append(got, m.Press)
			if m.Sender.ID != anna.ID || !m.Called || m.ReplyTo == "" {
				t.Errorf("pressed %+v", m)
			}
		}
	}
	if !slices.Equal(got, []string{"allow:ap-1", "deny:ap-1"}) {
		t.Errorf("pressed %q", got)
	}
}

func TestSend_Files(t *testing.T) {
	t.Parallel()
	s, a, _ := listening(t)
	s.Say(alone, anna, "hello")
	s.Say(team, anna, "hello")
	delivered(s)
	allow := []channel.Button{{Text: "Allow", Press: "allow:1"}}
	for _, c := range []struct {
		name, kind, text string
		chat             whatsapptest.Chat
		buttons          []channel.Button
		want             []string // type, text and number of buttons of each message
		uploaded         string
	}{
		{"plot.png", "image/png", "a plot", alone, nil, []string{"image a plot 0"}, "image/png"},
		{"a.md", "text/markdown; charset=utf-8", "", alone, nil, []string{"document  0"}, "text/plain"},
		{"a.pdf", "application/pdf", "Shall I?", alone, allow, []string{"interactive Shall I? 1"}, "application/pdf"},
		{"a.pdf", "application/pdf", "", alone, allow, []string{"interactive a.pdf 1"}, "application/pdf"},
		{"a.mp3", "audio/mpeg", "listen", alone, nil, []string{"audio  0", "text listen 0"}, "audio/mpeg"},
		{"a.mp4", "video/mp4", strings.Repeat("x", 1025), alone, nil, []string{"video  0", "text " + strings.Repeat("x", 1025) + " 0"}, "video/mp4"},
		{"plot.png", "image/png", "Shall I?", team, allow, []string{"image Shall I? 0"}, "image/png"},
	} {
		before := len(s.Sent(c.chat))
		o := channel.Out{Address: channel.Address{Chat: c.chat.ID}, Text: c.text, Buttons: c.buttons, File: &channel.File{Name: "dir/" + c.name, Type: c.kind, Raw: []byte("content")}}
		if _, err := a.Send(t.Context(), o); err != nil {
			t.Errorf("%s: %v", c.kind, err)
			continue
		}
		var got []string
		sent := s.Sent(c.chat)[before:]
		for _, m := range sent {
			got = append(got, m.Type+" "+m.Text+" "+string(rune('0'+len(m.Buttons))))
		}
		kind, name, raw := s.Uploaded(sent[0].File)
		if !slices.Equal(got, c.want) || kind != c.uploaded || name != c.name || string(raw) != "content" {
			t.Errorf("%s: sent %q, uploaded %s %s %q", c.kind, got, kind, name, raw)
		}
		if sent[0].Type == "document" && sent[0].Named != c.name {
			t.Errorf("the document is called %q", sent[0].Named)
		}
	}
	o := out(alone, "x")
	o.File = &channel.File{Name: "a.zip", Type: "application/zip", Raw: []byte("PK")}
	if _, err := a.Send(t.Context(), o); !channeltest.RefusalOf(t, err).Final {
		t.Errorf("a.zip: %v", err)
	}
	o.File = &channel.File{Name: "a.txt", Type: "text/plain"}
	if _, err := a.Send(t.Context(), o); !channeltest.RefusalOf(t, err).Final {
		t.Errorf("an empty file: %v", err)
	}
	o.File.Raw = []byte("x")
	s.Fault(whatsapptest.Fault{Method: whatsapptest.Upload, What: whatsapptest.CutAfter, Times: 1})
	if _, err := a.Send(t.Context(), o); channeltest.RefusalOf(t, err).Final { // nobody saw what was uploaded
		t.Errorf("a cut upload: %v", err)
	}
}

func TestSend_FileBeforeItsTextIsSentOnce(t *testing.T) {
	t.Parallel()
	s, a, _ := listening(t)
	s.Say(alone, anna, "hello")
	delivered(s)
	o := out(alone, "listen")
	o.File = &channel.File{Name: "a.mp3", Type: "audio/mpeg", Raw: []byte("x")}
	s.Fault(whatsapptest.Fault{Method: whatsapptest.Messages, What: whatsapptest.CutAfter, Times: 1})
	if _, err := a.Send(t.Context(), o); err == nil {
		t.Error("the answer was lost and nothing is said")
	}
	s.Fault(whatsapptest.Fault{Method: whatsapptest.Messages, What: whatsapptest.Say, Code: 131056, Text: "(#131056) pair rate limit hit", Times: 1})
	if _, err := a.Send(t.Context(), o); channeltest.RefusalOf(t, err).After != 30*time.Second {
		t.Errorf("got %v", err)
	}
	if _, err := a.Send(t.Context(), o); err != nil || !slices.Equal(s.Texts(alone), []string{"", "listen"}) {
		t.Errorf("sent %q, %v", s.Texts(alone), err)
	}
}

func TestSend_Refusals(t *testing.T) {
	t.Parallel()
	s, a, _ := listening(t)
	s.Say(alone, anna, "hello")
	delivered(s)
	blocked, late, nobody := whatsapptest.Chat{ID: "1601"}, whatsapptest.Chat{ID: "1602"}, whatsapptest.Chat{ID: "1603"}
	s.Block(blocked)
	s.Close(late)
	for chat, words := range map[string]string{
		blocked.ID: "cannot be reached", nobody.ID: "cannot be reached", late.ID: "24 hours ago", "no one": "is no number", "": "is no number", "Y2Fwa": "cannot write to this group",
	} {
		_, err := a.Send(t.Context(), channel.Out{Address: channel.Address{Chat: chat}, Text: "x"})
		if r := channeltest.RefusalOf(t, err); !r.Final || !strings.Contains(r.Text, words) {
			t.Errorf("%s: %+v", chat, r)
		}
	}
	for code, want := range map[int]struct {
		after time.Duration
		final bool
		words string
	}{
		190: {5 * time.Minute, false, "token does not hold"}, 131056: {30 * time.Second, false, "one person"}, 130429: {5 * time.Second, false, "at once"},
		80007: {5 * time.Minute, false, "within an hour"}, 368: {time.Hour, false, "policies"}, 131026: {0, true, "cannot be reached"},
		100: {0, true, "as it is"}, 10: {5 * time.Minute, false, "permission"}, 250: {5 * time.Minute, false, "permission"}, 139999: {0, true, "(139999)"},
	} {
		s.Fault(whatsapptest.Fault{Method: whatsapptest.Messages, What: whatsapptest.Say, Code: code, Text: "Something", Times: 1})
		_, err := a.Send(t.Context(), out(alone, "x"))
		if r := channeltest.RefusalOf(t, err); r.After != want.after || r.Final != want.final || !strings.Contains(r.Text, want.words) {
			t.Errorf("%d: %+v", code, r)
		}
	}
	s.Fault(whatsapptest.Fault{Method: whatsapptest.Messages, What: whatsapptest.Fail, Status: http.StatusTooManyRequests, Times: 1})
	if _, err := a.Send(t.Context(), out(alone, "x")); channeltest.RefusalOf(t, err).After != time.Second {
		t.Errorf("a proxy's 429: %v", err)
	}
	s.Limit(1, time.Hour)
	for i := range 2 {
		_, err := a.Send(t.Context(), out(alone, "limited"+string(rune('0'+i))))
		if (err == nil) != (i == 0) {
			t.Errorf("message %d: %v", i, err)
		}
	}
	s.Stop()
	http.DefaultClient.CloseIdleConnections()
	if _, err := a.Send(t.Context(), out(alone, "x")); channeltest.RefusalOf(t, err).Final {
		t.Errorf("nobody there: %v", err)
	}
}

// What was taken and whose answer was lost is not sent again once WhatsApp says that it is there.
func TestSend_LostAnswers(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]whatsapptest.Fault{
		"cut":    {What: whatsapptest.CutAfter},
		"silent": {What: whatsapptest.TakeSilently},
		"broken": {What: whatsapptest.SayAfter, Status: 500, Code: 131000, Text: "(#131000) Something went wrong"},
	} {
		t.Run(name, func(t *testing.T) {
			s, a, in := listening(t, "timeout", "200ms")
			s.Say(alone, anna, "hello")
			delivered(s)
			f.Method, f.Times = whatsapptest.Messages, 1
			s.Fault(f)
			_, err := a.Send(t.Context(), out(alone, "once"))
			if _, ok := errors.AsType[*channel.Refusal](err); ok || err == nil {
				t.Fatalf("got %v, want that nobody knows", err)
			}
			id, err := a.Send(t.Context(), out(alone, "once"))
			if err != nil || !slices.Equal(s.Texts(alone), []string{"once"}) || s.Sent(alone)[0].ID != id {
				t.Errorf("sent %q, %v", s.Texts(alone), err)
			}
			s.Wait("the receipts", func() bool { return len(in.Receipts()) == 2 })
		})
	}
}

// What was not taken is sent again after a while without a sign.
func TestSend_LostRequests(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]whatsapptest.Fault{
		"cut":    {What: whatsapptest.CutBefore},
		"silent": {What: whatsapptest.Silent},
		"proxy":  {What: whatsapptest.Fail},
	} {
		t.Run(name, func(t *testing.T) {
			s, a, _ := listening(t, "timeout", "200ms", "settle", "50ms")
			s.Say(alone, anna, "hello")
			delivered(s)
			f.Method, f.Times = whatsapptest.Messages, 1
			s.Fault(f)
			_, err := a.Send(t.Context(), out(alone, "once"))
			if _, ok := errors.AsType[*channel.Refusal](err); ok || err == nil {
				t.Fatalf("got %v, want that nobody knows", err)
			}
			if _, err = a.Send(t.Context(), out(alone, "once")); err != nil || !slices.Equal(s.Texts(alone), []string{"once"}) {
				t.Errorf("sent %q, %v", s.Texts(alone), err)
			}
		})
	}
}

// A channel that was opened anew hears of what the earlier one sent, before or while it sends.
func TestSend_StatusAfterARestart(t *testing.T) {
	t.Parallel()
	for name, when := range map[string]func(*whatsapptest.Server, string){
		"before": func(s *whatsapptest.Server, id string) {
			s.Status(alone, id, "sent")
			delivered(s)
		},
		"while": func(s *whatsapptest.Server, id string) {
			s.Status(alone, id, "delivered")
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := whatsapptest.New(t)
			s.Quiet()
			s.Enter(alone)
			id, err := with(t, s, "settle", "50ms").Send(t.Context(), out(alone, "once"))
			if err != nil {
				t.Fatal(err)
			}
			a := with(t, s)
			if err := s.Hook(address(t, a, new(channeltest.Inbox))); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(s.Unhook)
			when(s, id)
			o := out(alone, "once")
			o.Doubt = true
			if again, err := a.Send(t.Context(), o); err != nil || again != id || len(s.Sent(alone)) != 1 {
				t.Errorf("sent %q, %v", s.Texts(alone), err)
			}
			began := time.Now()
			if _, err := a.Send(t.Context(), out(alone, "the next")); err != nil || time.Since(began) > 4*time.Second {
				t.Errorf("the next waited %s: %v", time.Since(began), err)
			}
		})
	}
}

// What was taken, whose answer was lost, and that could not be delivered is a refusal.
func TestSend_LostForGood(t *testing.T) {
	t.Parallel()
	s, a, _ := listening(t)
	s.Quiet()
	s.Say(alone, anna, "hello")
	delivered(s)
	s.Fault(whatsapptest.Fault{Method: whatsapptest.Messages, What: whatsapptest.CutAfter, Times: 1})
	if _, err := a.Send(t.Context(), out(alone, "once")); err == nil {
		t.Error("nothing is said")
	}
	s.Status(alone, s.Sent(alone)[0].ID, "failed", whatsapptest.Trouble{Code: 131047, Title: "Re-engagement message"})
	_, err := a.Send(t.Context(), out(alone, "once"))
	if r := channeltest.RefusalOf(t, err); !r.Final || !strings.Contains(r.Text, "24 hours") {
		t.Errorf("got %+v", r)
	}
	if _, err := a.Send(t.Context(), out(alone, "once")); err != nil || len(s.Sent(alone)) != 2 { // a person wants it again
		t.Errorf("sent %q, %v", s.Texts(alone), err)
	}
}

func TestSend_TypingAndRead(t *testing.T) {
	t.Parallel()
	s, a, _ := listening(t)
	at := channel.Address{Chat: anna.ID}
	if err := a.Typing(t.Context(), at); err != nil || s.Calls(whatsapptest.Seen) != 0 {
		t.Errorf("nobody wrote: %v", err)
	}
	first := s.Say(alone, anna, "one")
	second := s.Say(alone, anna, "two")
	delivered(s)
	s.Say(team, anna, "three")
	delivered(s)
	for range 3 {
		if err := a.Typing(t.Context(), at); err != nil {
			t.Fatal(err)
		}
	}
	if s.Typing(alone) != 1 || !s.WasRead(second) || s.WasRead(first) {
		t.Errorf("shown %d times", s.Typing(alone))
	}
	if _, err := a.Send(t.Context(), out(alone, "an answer")); err != nil {
		t.Fatal(err)
	}
	if err := a.Typing(t.Context(), at); err != nil || s.Typing(alone) != 2 {
		t.Errorf("after an answer: shown %d times, %v", s.Typing(alone), err)
	}
	if err := a.Typing(t.Context(), channel.Address{Chat: team.ID}); err != nil || s.Typing(team) != 0 {
		t.Errorf("in a group: %v", err)
	}
	if err := a.Read(t.Context(), at, first); err != nil || !s.WasRead(first) {
		t.Errorf("Read: %v", err)
	}
	if err := a.Read(t.Context(), at, "wamid.other"); !channeltest.RefusalOf(t, err).Final {
		t.Errorf("Read of another's: %v", err)
	}
}

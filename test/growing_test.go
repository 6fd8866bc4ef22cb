package test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"chela/internal/testkit/discordtest"
	"chela/internal/testkit/telegramtest"
)

// inSteps is an answer whose first piece comes at once, and each other when next receives.
type inSteps struct {
	pieces []string
	next   <-chan struct{}
}

// send sends all but the last piece, which it returns.
func (s inSteps) send(rw http.ResponseWriter, gone <-chan struct{}) any {
	for _, p := range s.pieces[:len(s.pieces)-1] {
		raw, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"delta": text(p)}}})
		_, _ = fmt.Fprintf(rw, "data: %s\n\n", raw)
		_ = http.NewResponseController(rw).Flush()
		select {
		case <-s.next:
		case <-gone:
		}
	}
	return text(s.pieces[len(s.pieces)-1])
}

// A pad is a chat on a platform whose messages can be edited, as a fake of the platform shows it.
type pad struct {
	say    func(text string)
	texts  func() []string
	edits  func() int // of all messages
	wait   func(what string, holds func() bool)
	remove func() // the newest message of ours
	slow   func() // the next edit is to come later
}

func telegramPad(t *testing.T, d *daemon) pad {
	t.Helper()
	fake := telegramtest.New(t)
	d.must(t, http.MethodPut, "/api/channels/team", map[string]any{
		"kind": "telegram", "agent": "agent:pm", "base_url": fake.URL(), "secrets": map[string]string{"token": fake.Token}, "settings": map[string]string{"poll": "1s", "timeout": "1s"},
	}, nil)
	ann := telegramtest.User{ID: 77, FirstName: "Ann"}
	chat := telegramtest.Private(ann)
	return pad{
		say: func(text string) { fake.Say(chat, ann, text) }, texts: func() []string { return fake.Texts(chat) }, wait: fake.Wait,
		edits: func() (n int) {
			for _, m := range fake.Sent(chat) {
				n += m.Edits
			}
			return n
		},
		remove: func() { sent := fake.Sent(chat); fake.Remove(chat, sent[len(sent)-1].ID) },
		slow: func() {
			fake.Fault(telegramtest.Fault{Method: "editMessageText", What: telegramtest.TooMany, For: 1, Times: 1})
		},
	}
}

func discordPad(t *testing.T, d *daemon) pad {
	t.Helper()
	fake := discordtest.New(t)
	d.must(t, http.MethodPut, "/api/channels/team", map[string]any{
		"kind": "discord", "agent": "agent:pm", "base_url": fake.URL(), "secrets": map[string]string{"token": fake.Token}, "settings": map[string]string{"timeout": "1s"},
	}, nil)
	ann := discordtest.User{ID: "77", Username: "ann"}
	chat := discordtest.Private(ann)
	discordConnected(t, fake, 1)
	return pad{
		say: func(text string) { fake.Say(chat, ann, text) }, texts: func() []string { return fake.Texts(chat) }, wait: fake.Wait,
		edits: func() (n int) {
			for _, m := range fake.Sent(chat) {
				n += m.Edits
			}
			return n
		},
		remove: func() { sent := fake.Sent(chat); fake.Delete(chat, sent[len(sent)-1].ID) },
		slow: func() {
			fake.Fault(discordtest.Fault{Method: discordtest.Change, What: discordtest.TooMany, For: 1, Times: 1})
		},
	}
}

// TestGrowing_Answers: what an agent writes is shown while it does, and is there once and whole in
// the end, also when the platform is slow, the message is gone, or the daemon is killed meanwhile.
func TestGrowing_Answers(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*testing.T, *daemon) pad{"telegram": telegramPad, "discord": discordPad} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			growing(t, open)
		})
	}
}

func growing(t *testing.T, open func(*testing.T, *daemon) pad) {
	next := make(chan struct{})
	first, second := strings.Repeat("First words. ", 8), strings.Repeat("Then others. ", 8)
	w := newWorld(t, func(r request) any {
		_, said := r.since()
		last := "This is for " + strconv.Quote(strings.Trim(said, `"`)) + "."
		if strings.Contains(said, "long") {
			last += strings.Repeat("\n\nA paragraph of it.", 230)
		}
		return inSteps{[]string{first, second, last}, next}
	})
	s := setup{data: t.TempDir(), env: w.env()}
	d := s.running(t)
	p := open(t, d)
	_, id := d.member(t, "Ann", "viewer")
	d.must(t, http.MethodPost, "/api/persons/"+id+"/identities", map[string]string{"identity": "team:77"}, nil)

	n := 0 // messages of ours that stay
	newest := func() string {
		if got := p.texts(); len(got) == n+1 {
			return got[n]
		}
		return ""
	}
	whole := func(said string) string { return first + second + "This is for " + strconv.Quote(said) + "." }
	begin := func(said string) {
		t.Helper()
		p.say(said)
		p.wait("the first words", func() bool { return newest() == strings.TrimSpace(first) })
	}
	end := func(said string) {
		t.Helper()
		p.wait("the whole answer to "+said, func() bool { return newest() == whole(said) })
		discordDelivered(t, d)
		n++
	}

	begin("Number 0")
	p.slow()
	next <- struct{}{}
	p.wait("more words", func() bool { return newest() == strings.TrimSpace(first+second) })
	next <- struct{}{}
	end("Number 0")
	if p.edits() < 2 {
		t.Errorf("%d edits", p.edits())
	}

	begin("Number 1")
	p.remove()
	next <- struct{}{}
	next <- struct{}{}
	end("Number 1")

	begin("Number 2")
	next <- struct{}{}
	p.wait("more words", func() bool { return newest() == strings.TrimSpace(first+second) }) // so the first are in the log
	d.kill()
	d = s.running(t)
	next <- struct{}{}
	next <- struct{}{}
	end("Number 2")

	begin("A long one")
	next <- struct{}{}
	next <- struct{}{}
	p.wait("all of the long answer", func() bool { return strings.Count(strings.Join(p.texts()[n:], "\n"), "A paragraph of it.") == 230 })
	discordDelivered(t, d)
	got := p.texts()
	if got := got[:n]; !slices.Equal(got, []string{whole("Number 0"), whole("Number 1"), whole("Number 2")}) {
		t.Errorf("the chat says %q", got)
	}
	if strings.Count(strings.Join(got[n:], "\n"), strings.TrimSpace(first)) != 1 {
		t.Errorf("the long answer is %q", got[n:])
	}
	d.stop()
	s.verified(t)
}

// TestGrowing_AnAnsweredQuestionHasNoButtons: a question in a chat that is answered elsewhere, or whose run
// is cancelled, says so and has no buttons any more, also when the daemon was killed meanwhile.
func TestGrowing_AnAnsweredQuestionHasNoButtons(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(r request) any {
		if n, _ := r.since(); n == 0 {
			return toolCall("write_file", `{"path":"a.txt","content":"A"}`)
		}
		return text("Done.")
	})
	fake := telegramtest.New(t)
	s := setup{data: t.TempDir(), env: w.env()}
	d := s.running(t)
	d.must(t, http.MethodPut, "/api/channels/team", map[string]any{
		"kind": "telegram", "agent": "agent:coder", "base_url": fake.URL(), "secrets": map[string]string{"token": fake.Token}, "settings": map[string]string{"poll": "1s", "timeout": "1s"},
	}, nil)
	_, id := d.member(t, "Ann", "editor")
	d.must(t, http.MethodPost, "/api/persons/"+id+"/identities", map[string]string{"identity": "team:77"}, nil)
	ann := telegramtest.User{ID: 77, FirstName: "Ann"}
	chat := telegramtest.Private(ann)
	asked := func(n int) (id, digest string) {
		t.Helper()
		fake.Wait("the question", func() bool {
			all := fake.Sent(chat)
			if len(all) != n || all[n-1].ReplyMarkup == nil {
				return false
			}
			_, id, _ = strings.Cut(all[n-1].ReplyMarkup.Rows[0][0].Data, ":")
			return true
		})
		discordDelivered(t, d)
		var q struct{ Digest string }
		d.must(t, http.MethodGet, "/api/approvals/"+id, nil, &q)
		return id, q.Digest
	}
	ended := func(n int, how string) {
		t.Helper()
		fake.Wait(how, func() bool {
			m := fake.Sent(chat)[n-1]
			return m.ReplyMarkup == nil && strings.Contains(m.Text, how) && strings.Contains(m.Text, "a.txt")
		})
	}
	fake.Say(chat, ann, "Write it")
	q, digest := asked(1)
	fake.Fault(telegramtest.Fault{Method: "editMessageText", What: telegramtest.Fail})
	d.must(t, http.MethodPost, "/api/approvals/"+q, map[string]string{"choice": "deny", "digest": digest}, nil)
	fake.Wait("an attempt", func() bool { return fake.Calls("editMessageText") > 0 || len(fake.Sent(chat)) == 1 })
	d.kill()
	fake.Heal()
	d = s.running(t)
	ended(1, "Answered by")
	fake.Wait("the answer", func() bool { return slices.Contains(fake.Texts(chat), "Done.") })

	fake.Say(chat, ann, "Write it again")
	asked(3)
	fake.Say(chat, ann, "/stop")
	ended(3, "its run has ended")
	discordDelivered(t, d)
	if m := fake.Sent(chat)[0]; m.Edits != 1 {
		t.Errorf("the first question was edited %d times", m.Edits)
	}
	d.stop()
	s.verified(t)
}

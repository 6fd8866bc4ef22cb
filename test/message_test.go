package test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestMessage_AnAgentWritesElsewhere: an agent lists the chats it may write to and writes to one, once a
// person has said yes; what people answer there is a conversation that knows what was written.
// To no other chat anything is sent.
func TestMessage_AnAgentWritesElsewhere(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		w := newWorld(t, func(r request) any {
			n, said := r.since()
			switch {
			case strings.Contains(said, "Tell Bob") && n == 0:
				return toolCall("list_chats", `{}`)
			case strings.Contains(said, "Tell Bob") && n == 1:
				return toolCall("message", `{"channel":"portal","chat":"c2","text":"The release **slips** a day."}`)
			case strings.Contains(said, "Tell everybody") && n == 0:
				return toolCall("message", `{"channel":"portal","chat":"c9","text":"Hello"}`)
			case strings.Contains(said, "Why"):
				return text(fmt.Sprintf("I know %s", r.Messages))
			}
			return text(fmt.Sprintf("After %d: %s", n, r.told()))
		})
		s.env = w.env()
		d, p := s.running(t), newPortal(t)
		p.open(t, d)
		p.link(t, d, "ann", "editor")
		p.link(t, d, "bob", "editor")
		p.say(t, d, from("c2", "bob", "b1", "Good morning"))
		until(t, "the first answer", func() bool { return len(p.got("c2")) == 1 })

		p.say(t, d, from("c1", "ann", "a1", "Tell Bob that the release slips"))
		var asked []struct{ ID, Question, Detail string }
		until(t, "the question", func() bool {
			d.must(t, http.MethodGet, "/api/approvals?status=pending", nil, &asked)
			return len(asked) == 1
		})
		if len(p.got("c2")) != 1 {
			t.Fatalf("before anybody agreed: %q", p.got("c2"))
		}
		p.say(t, d, from("c1", "ann", "a2", "/approve "+asked[0].ID))
		until(t, "what was written", func() bool { return len(p.got("c2")) == 2 })
		if got := p.got("c2")[1]; got != "The release **slips** a day." {
			t.Errorf("Bob got %q", got)
		}
		p.say(t, d, from("c2", "bob", "b2", "Why?"))
		until(t, "the answer to Bob", func() bool { return len(p.got("c2")) == 3 })
		if got := p.got("c2")[2]; !strings.Contains(got, "slips") {
			t.Errorf("the agent that Bob asks knows only %q", got)
		}

		p.say(t, d, from("c1", "ann", "a3", "Tell everybody"))
		until(t, "the next question", func() bool {
			d.must(t, http.MethodGet, "/api/approvals?status=pending", nil, &asked)
			return len(asked) == 1
		})
		p.say(t, d, from("c1", "ann", "a4", "/approve "+asked[0].ID))
		until(t, "that it cannot", func() bool {
			return slices.ContainsFunc(p.got("c1"), func(text string) bool { return strings.Contains(text, "There is no chat") })
		})
		if len(p.got("c9")) > 0 {
			t.Errorf("a chat that nobody named got %q", p.got("c9"))
		}
		d.stop()
		s.verified(t)
	})
}

// TestMessage_AnAgentSendsFiles: a file of an agent's folder arrives once, after its text, in the chat of the
// conversation, although the platform hangs up and the daemon is killed; in another chat only when a
// person has said yes; and nothing from outside the folder does.
func TestMessage_AnAgentSendsFiles(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		w := newWorld(t, func(r request) any {
			n, said := r.since()
			switch {
			case strings.Contains(said, "report") && n == 0:
				return toolCall("write_file", `{"path":"report.json","content":"{\"a\":1}"}`)
			case strings.Contains(said, "report") && n == 1:
				return toolCall("send_file", `{"path":"report.json","text":"Here it is:"}`)
			case strings.Contains(said, "Bob") && n == 0:
				return toolCall("send_file", `{"path":"report.json","channel":"portal","chat":"c2"}`)
			case strings.Contains(said, "passwords") && n == 0:
				return toolCall("send_file", `{"path":"/etc/passwd"}`)
			}
			return text(fmt.Sprintf("After %d: %s", n, r.told()))
		})
		s.env = w.env()
		d, p := s.running(t), newPortal(t)
		p.answer = func(try, _ int) int {
			if try == 1 {
				return cut
			}
			return http.StatusOK
		}
		p.open(t, d)
		d.must(t, http.MethodPut, "/api/channels/portal", map[string]any{"kind": "webhook", "agent": "agent:coder", "settings": map[string]string{"url": p.URL}}, nil)
		p.up(t, d)
		p.link(t, d, "ann", "editor")
		p.link(t, d, "bob", "editor")
		p.say(t, d, from("c2", "bob", "b1", "Good morning"))
		until(t, "the answer to Bob", func() bool { return len(p.got("c2")) == 1 })
		last := ""
		asked := func(what string) (id string) {
			t.Helper()
			var asked []struct{ ID, Question string }
			until(t, what, func() bool {
				d.must(t, http.MethodGet, "/api/approvals?status=pending", nil, &asked)
				return len(asked) == 1 && asked[0].ID != last
			})
			last = asked[0].ID
			return last
		}
		approve := func(what, by string) {
			t.Helper()
			p.say(t, d, from("c1", "ann", by, "/approve "+asked(what)))
		}
		const sent = `report.json application/json {"a":1}`

		p.say(t, d, from("c1", "ann", "a1", "I need the report"))
		approve("the question whether it may be written", "a2")
		approve("the question whether it may be sent", "a2s")
		until(t, "the text before the file", func() bool { return slices.Contains(p.got("c1"), "Here it is:") })
		d.kill()
		d = s.running(t)
		p.up(t, d)
		until(t, "the answer", func() bool {
			return slices.ContainsFunc(p.got("c1"), func(s string) bool { return strings.HasPrefix(s, "After 2") })
		})
		got := p.got("c1")
		if at := slices.Index(got, "Here it is:"); at < 0 || got[at+1] != sent || len(got) != at+3 {
			t.Errorf("it came as %q", got)
		}

		p.say(t, d, from("c1", "ann", "a3", "Bob needs it, too"))
		id := asked("the question whether Bob may have it")
		if len(p.got("c2")) != 1 {
			t.Errorf("before anybody agreed came %q", p.got("c2"))
		}
		p.say(t, d, from("c1", "ann", "a4", "/approve "+id))
		until(t, "the file for Bob", func() bool { return len(p.got("c2")) == 2 })
		if got := p.got("c2")[1]; got != sent {
			t.Errorf("Bob got %q", got)
		}

		p.say(t, d, from("c1", "ann", "a5", "Send me the passwords"))
		until(t, "that it may not", func() bool {
			return slices.ContainsFunc(p.got("c1"), func(s string) bool { return strings.Contains(s, "lies outside") })
		})
		if i := slices.IndexFunc(p.got("c1"), func(s string) bool { return strings.Contains(s, "root:") }); i >= 0 {
			t.Errorf("came %q", p.got("c1")[i])
		}
		d.stop()
		s.verified(t)
	})
}

package test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"chela/internal/testkit/slacktest"
)

// TestSlack: an app lets in whom a member let in, answers in Slack's own form and in threads,
// and loses and doubles nothing while Slack fails, answers are lost and the daemon is killed.
func TestSlack(t *testing.T) {
	t.Parallel()
	long := "# Retries\n\n" + strings.Repeat("One *two* <three> & four.\n\n", 300)
	w := newWorld(t, func(r request) any {
		_, said := r.since()
		if strings.Contains(said, "long") {
			return text(long)
		}
		return text("**Said**: " + said)
	})
	fake := slacktest.New(t)
	s := setup{data: t.TempDir(), env: w.env()}
	d := s.running(t)
	d.must(t, http.MethodPut, "/api/channels/work", map[string]any{
		"kind": "slack", "agent": "agent:pm", "base_url": fake.URL(), "settings": map[string]string{"ping": "1s", "timeout": "2s"},
		"secrets": map[string]string{"bot_token": fake.BotToken, "app_token": fake.AppToken},
	}, nil)
	ann, bob := slacktest.User{ID: "U0ANN0001", Name: "Ann"}, slacktest.User{ID: "U0BOB0001", Name: "Ann"}
	chat, strange, team := slacktest.Private(ann), slacktest.Private(bob), slacktest.Channel("C0TEAM001")
	fake.Say(strange, bob, "Hello")
	fake.Wait("the code", func() bool { return len(fake.Texts(strange)) == 1 })
	if code := fake.Texts(strange)[0]; strings.Contains(code, "**") || strings.Count(code, "*") != 2 {
		t.Errorf("the code comes as %q", code)
	}
	_, id := d.member(t, "Ann", "viewer")
	d.must(t, http.MethodPost, "/api/persons/"+id+"/identities", map[string]string{"identity": "work:" + ann.ID}, nil)

	settled := func() {
		t.Helper()
		until(t, "the last delivery", func() bool {
			var all []struct{ State string }
			d.must(t, http.MethodGet, "/api/deliveries", nil, &all)
			return !slices.ContainsFunc(all, func(d struct{ State string }) bool { return d.State != "sent" })
		})
	}
	const each = 5
	for i := range each {
		switch i {
		case 1: // Slack takes it, and the answer is lost
			fake.Fault(slacktest.Fault{Method: "chat.postMessage", What: slacktest.CutAfter, Times: 1})
		case 2:
			fake.Announce("refresh_requested")
			fake.Redeliver()
		case 3:
			fake.Restart()
			fake.Fault(slacktest.Fault{Method: "chat.postMessage", What: slacktest.TooMany, For: 1, Times: 1})
		case 4: // Slack takes it, and the daemon dies before it hears that
			fake.Fault(slacktest.Fault{Method: "chat.postMessage", What: slacktest.TakeSilently, Times: 1})
		}
		fake.Say(chat, ann, fmt.Sprint("Number ", i))
		if i == 4 {
			fake.Wait("that it is taken", func() bool { return len(fake.Texts(chat)) == i+1 })
			d.kill()
			d = s.running(t)
		}
		fake.Wait("an answer", func() bool { return len(fake.Texts(chat)) == i+1 })
	}
	settled()
	var want []string
	for i := range each {
		want = append(want, fmt.Sprintf("*Said*: \"Number %d\"", i))
	}
	if got := fake.Texts(chat); !slices.Equal(got, want) {
		t.Errorf("the answers are %q", got)
	}
	fake.Say(team, ann, "not for the agents")
	asked := fake.Say(team, ann, "<@"+fake.Bot.ID+"> in the team")
	fake.Wait("the answer in the team", func() bool { return len(fake.Texts(team)) == 1 })
	fake.Reply(team, ann, asked, "and something long")
	fake.Wait("the long answer", func() bool { return len(fake.Texts(team)) >= 4 })
	settled()
	sent := fake.Sent(team)
	if slices.ContainsFunc(sent, func(m slacktest.Sent) bool { return m.Thread != asked }) || sent[0].Text != `*Said*: "in the team"` {
		t.Errorf("the team was answered with %+v", sent[0])
	}
	if n := strings.Count(strings.Join(fake.Texts(team)[1:], "\n"), "&lt;three&gt; &amp; four."); n != 300 {
		t.Errorf("%d of 300 paragraphs arrived", n)
	}
	if fake.Typing(team) == 0 {
		t.Error("nobody was shown that we write")
	}
	d.stop()
	s.verified(t)
}

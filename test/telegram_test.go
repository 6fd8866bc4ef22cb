package test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"chela/internal/testkit/telegramtest"
)

// TestTelegram: a bot lets in whom a member let in, answers in Telegram's own form, cuts what is
// too long, and loses and doubles nothing while Telegram fails and the daemon is killed.
func TestTelegram(t *testing.T) {
	t.Parallel()
	long := "# Retries\n\n" + strings.Repeat("One *two* <three> & four.\n\n", 300)
	typed := make(chan struct{})
	w := newWorld(t, func(r request) any {
		_, said := r.since()
		if strings.Contains(said, "Number 0") {
			<-typed
		}
		if strings.Contains(said, "long") {
			return text(long)
		}
		return text("**Said**: " + said)
	})
	fake := telegramtest.New(t)
	s := setup{data: t.TempDir(), env: w.env()}
	d := s.running(t)
	d.must(t, http.MethodPut, "/api/channels/team", map[string]any{
		"kind": "telegram", "agent": "agent:pm", "base_url": fake.URL(), "secrets": map[string]string{"token": fake.Token}, "settings": map[string]string{"poll": "1s", "timeout": "1s"},
	}, nil)
	ann, bob := telegramtest.User{ID: 77, FirstName: "Ann"}, telegramtest.User{ID: 78, FirstName: "Ann"}
	chat, strange := telegramtest.Private(ann), telegramtest.Private(bob)
	fake.Say(strange, bob, "Hello")
	fake.Wait("the code", func() bool { return len(fake.Texts(strange)) == 1 })
	if sent := fake.Sent(strange)[0]; !strings.Contains(sent.Source, "<b>") || strings.Contains(sent.Text, "**") {
		t.Errorf("the code comes as %q", sent.Source)
	}
	_, id := d.member(t, "Ann", "viewer")
	d.must(t, http.MethodPost, "/api/persons/"+id+"/identities", map[string]string{"identity": "team:77"}, nil)

	settled := func() {
		t.Helper()
		until(t, "the last delivery", func() bool {
			var all []struct{ State string }
			d.must(t, http.MethodGet, "/api/deliveries", nil, &all)
			return !slices.ContainsFunc(all, func(d struct{ State string }) bool { return d.State != "sent" })
		})
	}
	const each = 4
	for i := range each {
		switch i {
		case 1:
			fake.Fault(telegramtest.Fault{Method: "sendMessage", What: telegramtest.Fail, Times: 2})
		case 2:
			settled() // an answer that the restart cuts off would be sent again, as Telegram cannot tell
			fake.Restart()
			fake.Redeliver()
		case 3:
			settled() // what is under way when a daemon dies may come twice: Telegram cannot tell
			d.kill()
			d = s.running(t)
		}
		fake.Say(chat, ann, fmt.Sprint("Number ", i))
		if i == 0 {
			fake.Wait("that we are shown to write", func() bool { return fake.Typing(chat) > 0 })
			close(typed)
		}
		fake.Wait("an answer", func() bool { return len(fake.Texts(chat)) == i+1 })
	}
	var want []string
	for i := range each {
		want = append(want, fmt.Sprintf("Said: \"Number %d\"", i))
	}
	if got := fake.Texts(chat); !slices.Equal(got, want) {
		t.Errorf("the answers are %q", got)
	}
	fake.Say(chat, ann, "Something long")
	fake.Wait("the long answer", func() bool { return len(fake.Texts(chat)) >= each+2 })
	settled()
	shown := strings.Join(fake.Texts(chat)[each:], "\n")
	if n := strings.Count(shown, "<three> & four."); n != 300 {
		t.Errorf("%d of 300 paragraphs arrived", n)
	}
	d.stop()
	s.verified(t)
}

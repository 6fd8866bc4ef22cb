package test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/testkit/whatsapptest"
)

// TestWhatsApp: a number lets in whom a member let in, answers in WhatsApp's own form, and loses
// and doubles nothing while WhatsApp fails, answers are lost and the daemon is killed.
func TestWhatsApp(t *testing.T) {
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
	fake := whatsapptest.New(t)
	s := setup{data: t.TempDir(), env: w.env()}
	d := s.running(t)
	d.must(t, http.MethodPut, "/api/channels/wa", map[string]any{
		"kind": "whatsapp", "agent": "agent:pm", "base_url": fake.URL(), "settings": map[string]string{"phone_number_id": fake.Number, "timeout": "2s", "settle": "2s"},
		"secrets": map[string]string{"token": fake.Token, "app_secret": fake.AppSecret, "verify_token": fake.Verify},
	}, nil)
	hook := func() {
		t.Helper()
		until(t, "the address to be ours", func() bool { return fake.Hook(d.address+"/channels/wa") == nil })
	}
	hook()
	ann, bob := whatsapptest.User{ID: "16505551234", Name: "Ann"}, whatsapptest.User{ID: "16505559999", UserID: "US.13491208655302741918", Name: "Ann", Hidden: true}
	chat, strange := whatsapptest.Private(ann), whatsapptest.Private(bob)
	fake.Say(strange, bob, "Hello")
	fake.Wait("the code", func() bool { return len(fake.Texts(strange)) == 1 })
	if code := fake.Texts(strange)[0]; strings.Contains(code, "**") || strings.Count(code, "*") != 2 {
		t.Errorf("the code comes as %q", code)
	}
	_, id := d.member(t, "Ann", "viewer")
	d.must(t, http.MethodPost, "/api/persons/"+id+"/identities", map[string]string{"identity": "wa:" + ann.ID}, nil)

	settled := func() {
		t.Helper()
		until(t, "the last delivery", func() bool {
			var all []struct{ State string }
			d.must(t, http.MethodGet, "/api/deliveries", nil, &all)
			return !slices.ContainsFunc(all, func(d struct{ State string }) bool { return d.State != "sent" && d.State != "delivered" })
		})
	}
	const each = 6
	for i := range each {
		switch i {
		case 1, 5: // WhatsApp takes it, and the answer is lost
			fake.Fault(whatsapptest.Fault{Method: whatsapptest.Messages, What: whatsapptest.CutAfter, Times: 1})
		case 2:
			fake.Restart()
			fake.Redeliver()
			fake.Fault(whatsapptest.Fault{Method: whatsapptest.Messages, What: whatsapptest.Fail, Status: http.StatusTooManyRequests, Times: 1})
		case 3:
			settled()
			d.kill()
			fake.Unhook()
		case 4: // WhatsApp takes it, and the daemon dies before it hears that
			fake.Fault(whatsapptest.Fault{Method: whatsapptest.Messages, What: whatsapptest.TakeSilently, Times: 1})
		}
		fake.Say(chat, ann, fmt.Sprint("Number ", i))
		switch i {
		case 0:
			fake.Wait("that we are shown to write", func() bool { return fake.Typing(chat) > 0 })
			close(typed)
		case 3:
			d = s.running(t)
			hook()
		case 4:
			fake.Wait("that it is taken", func() bool { return len(fake.Texts(chat)) == i+1 })
			d.kill()
			fake.Unhook()
			d = s.running(t)
			hook()
			settled()
		case 5: // the daemon dies before the next attempt; what was reported by then comes again
			fake.Wait("that it is taken", func() bool { return len(fake.Texts(chat)) == i+1 })
			until(t, "that nobody knows whether it is there", func() bool {
				var waits []struct{ Unknown bool }
				d.must(t, http.MethodGet, "/api/deliveries?state=queued", nil, &waits)
				return len(waits) == 1 && waits[0].Unknown
			})
			taken := time.Now()
			until(t, "that reports are taken, or are not for a while", func() bool { return fake.Pending() == 0 || time.Since(taken) > 300*time.Millisecond })
			d.kill()
			fake.Unhook()
			d = s.running(t)
			hook()
			settled()
		}
		fake.Wait("an answer", func() bool { return len(fake.Texts(chat)) == i+1 })
	}
	var want []string
	for i := range each {
		want = append(want, fmt.Sprintf("*Said*: \"Number %d\"", i))
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
	fake.Unhook()
	d.stop()
	s.verified(t)
}

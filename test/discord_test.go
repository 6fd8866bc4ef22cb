package test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"chela/internal/testkit/discordtest"
)

// TestDiscord: a bot lets in whom a member let in, answers in Discord's own form, reads back what
// it missed, cuts what is too long, and loses and doubles nothing while Discord fails, connections
// break and the daemon is killed.
func TestDiscord(t *testing.T) {
	t.Parallel()
	long := "# Retries\n\n" + strings.Repeat("One *two* <three> & @everyone.\n\n", 150)
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
	fake := discordtest.New(t)
	team := discordtest.Group("300", "team")
	fake.Enter(team)
	s := setup{data: t.TempDir(), env: w.env()}
	d := s.running(t)
	d.must(t, http.MethodPut, "/api/channels/team", map[string]any{
		"kind": "discord", "agent": "agent:pm", "base_url": fake.URL(), "secrets": map[string]string{"token": fake.Token}, "settings": map[string]string{"timeout": "1s"},
	}, nil)
	ann, bob := discordtest.User{ID: "77", Username: "ann"}, discordtest.User{ID: "78", Username: "ann"}
	chat, strange := discordtest.Private(ann), discordtest.Private(bob)
	discordConnected(t, fake, 1)
	fake.Say(strange, bob, "Hello")
	fake.Wait("the code", func() bool { return len(fake.Texts(strange)) == 1 })
	if sent := fake.Texts(strange)[0]; !strings.Contains(sent, "**") {
		t.Errorf("the code comes as %q", sent)
	}
	_, id := d.member(t, "Ann", "viewer")
	d.must(t, http.MethodPost, "/api/persons/"+id+"/identities", map[string]string{"identity": "team:77"}, nil)

	const each = 6
	for i := range each {
		if d = discordExchange(t, s, d, fake, ann, i); i == 0 {
			close(typed)
		}
		fake.Wait("an answer", func() bool { return len(fake.Texts(chat)) == i+1 })
	}
	discordDelivered(t, d)
	var want []string
	for i := range each {
		want = append(want, fmt.Sprintf("**Said**: \"Number %d\"", i))
	}
	if got := fake.Texts(chat); !slices.Equal(got, want) {
		t.Errorf("the answers are %q", got)
	}
	d.kill()
	fake.Say(team, ann, "<@"+fake.Bot.ID+"> while nobody is there")
	d = s.running(t)
	fake.Wait("the answer to what was missed", func() bool { return len(fake.Texts(team)) == 1 })
	fake.Say(chat, ann, "Something long")
	fake.Wait("the long answer", func() bool { return len(fake.Texts(chat)) >= each+3 })
	discordDelivered(t, d)
	shown := strings.Join(fake.Texts(chat)[each:], "\n")
	if n := strings.Count(shown, "three"); n != 150 {
		t.Errorf("%d of 150 paragraphs arrived", n)
	}
	for _, m := range append(fake.Sent(chat), fake.Sent(team)...) {
		if len(m.Rings) > 0 {
			t.Errorf("%q rings %q", m.Content, m.Rings)
		}
	}
	d.stop()
	s.verified(t)
}

// discordExchange has Ann say the next thing while something goes wrong, each time another.
func discordExchange(t *testing.T, s setup, d *daemon, fake *discordtest.Server, ann discordtest.User, i int) *daemon {
	t.Helper()
	chat := discordtest.Private(ann)
	say := func() { fake.Say(chat, ann, fmt.Sprint("Number ", i)) }
	switch i {
	case 0:
		say()
		fake.Wait("that we are shown to write", func() bool { return fake.Typed(chat) > 0 })
		return d
	case 1: // taken or not, nobody tells
		fake.Fault(discordtest.Fault{Method: discordtest.Make, What: discordtest.CutAfter, Times: 1})
		fake.Fault(discordtest.Fault{Method: discordtest.Make, What: discordtest.Fail, Times: 1})
	case 2:
		fake.Restart()
		fake.Redeliver()
	case 3:
		fake.Cut()
	case 4:
		fake.Fault(discordtest.Fault{Method: discordtest.Make, What: discordtest.CutAfter, Times: 1})
		say()
		fake.Wait("the answer to be made", func() bool { return len(fake.Texts(chat)) == i+1 })
		d.kill() // it may not know yet that it was
		before := discordConnections(fake)
		d = s.running(t)
		discordConnected(t, fake, before+1)
		return d
	}
	say()
	return d
}

func discordConnected(t *testing.T, fake *discordtest.Server, connections int) {
	t.Helper()
	fake.Wait("the connection", func() bool {
		return discordConnections(fake) >= connections && fake.Connected() == 1 && fake.Pending() == 0
	})
}

// discordConnections is how often a connection stood.
func discordConnections(fake *discordtest.Server) int {
	began, wentOn := fake.Sessions()
	return began + wentOn
}

// discordDelivered waits until nothing waits to be sent.
func discordDelivered(t *testing.T, d *daemon) {
	t.Helper()
	until(t, "the last delivery", func() bool {
		var all []struct{ State string }
		d.must(t, http.MethodGet, "/api/deliveries", nil, &all)
		return !slices.ContainsFunc(all, func(d struct{ State string }) bool { return d.State != "sent" })
	})
}

package test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"chela/internal/fault"
	"chela/internal/testkit/dingtalktest"
)

// TestDingTalk: a robot lets in whom a member let in, answers in DingTalk's Markdown, cuts what
// is too long, has a question answered with a button, and loses and doubles nothing while
// DingTalk fails and the daemon is killed.
func TestDingTalk(t *testing.T) {
	t.Parallel()
	long := "# Retries\n\n" + strings.Repeat("One *two* three & four, and some more of it.\n\n", 300)
	w := newWorld(t, func(r request) any {
		_, said := r.since()
		if strings.Contains(said, "long") {
			return text(long)
		}
		return text("**Said**: " + said)
	})
	fake := dingtalktest.New(t)
	s := setup{data: t.TempDir(), env: w.env()}
	d := s.running(t)
	configure := map[string]any{
		"kind": "dingtalk", "agent": "agent:pm", "base_url": fake.URL(), "settings": map[string]string{"timeout": "10s", "keepalive": "1s", "card_template": fake.Template},
		"secrets": map[string]string{"client_id": fake.ClientID, "client_secret": "wrong"},
	}
	if err := d.try(http.MethodPut, "/api/channels/team", configure, nil); fault.KindOf(err) != fault.Denied || err == nil {
		t.Errorf("a wrong secret is answered with %v", err)
	}
	configure["secrets"] = map[string]string{"client_id": fake.ClientID, "client_secret": fake.ClientSecret}
	d.must(t, http.MethodPut, "/api/channels/team", configure, nil)
	ann, bob := dingtalktest.Person{ID: "$:ann", Staff: "0123", Nick: "Ann"}, dingtalktest.Person{ID: "$:bob", Staff: "4567", Nick: "Ann"}
	chat, strange, group := dingtalktest.Private(ann), dingtalktest.Private(bob), dingtalktest.Group("cidTEAM==", "Team")
	fake.Say(strange, bob, "Hello")
	fake.Wait("the code", func() bool { return len(fake.Texts(strange)) == 1 })
	if sent := fake.Sent(strange)[0]; !strings.Contains(sent.Text, "**") || strings.Contains(sent.Title, "**") {
		t.Errorf("the code comes as %+v", sent)
	}
	_, id := d.member(t, "Ann", "viewer")
	d.must(t, http.MethodPost, "/api/persons/"+id+"/identities", map[string]string{"identity": "team:0123"}, nil)

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
		case 1:
			fake.Fault(dingtalktest.Fault{Method: dingtalktest.SendPerson, What: dingtalktest.TooMany, Times: 1})
			fake.ExpireTokens()
		case 2:
			settled() // what is under way when a connection is cut may come twice: DingTalk cannot tell
			fake.Restart()
			fake.Redeliver()
		case 3:
			settled()
			d.kill()
			d = s.running(t)
			fake.Redeliver()
		case 4:
			fake.Disconnect("time is over")
		}
		fake.Say(chat, ann, fmt.Sprint("Number ", i))
		fake.Wait("an answer", func() bool { return len(fake.Texts(chat)) == i+1 })
	}
	var want []string
	for i := range each {
		want = append(want, fmt.Sprintf("**Said**: \"Number %d\"", i))
	}
	if got := fake.Texts(chat); !slices.Equal(got, want) {
		t.Errorf("the answers are %q", got)
	}
	fake.Say(group, ann, "@Chela Something long")
	fake.Wait("the long answer", func() bool { return len(fake.Texts(group)) >= 2 })
	settled()
	shown := strings.Join(fake.Texts(group), "\n")
	if n := strings.Count(shown, "three & four"); n != 300 {
		t.Errorf("%d of 300 paragraphs arrived", n)
	}
	fake.Wait("all to be confirmed", func() bool { return fake.Pending() == 0 })
	d.stop()
	s.verified(t)
}

// TestDingTalk_Question: a question in a group is a card, whose button counts when a member whose
// role allows it presses it.
func TestDingTalk_Question(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(r request) any {
		n, said := r.since()
		if n == 0 && strings.Contains(said, "write") {
			return toolCall("write_file", `{"path":"a.txt","content":"A"}`)
		}
		return text(fmt.Sprintf("Done after %d.", n))
	})
	fake := dingtalktest.New(t)
	s := setup{data: t.TempDir(), env: w.env()}
	d := s.running(t)
	d.must(t, http.MethodPut, "/api/channels/team", map[string]any{
		"kind": "dingtalk", "agent": "agent:coder", "base_url": fake.URL(), "settings": map[string]string{"card_template": fake.Template, "robot_name": fake.Name},
		"secrets": map[string]string{"client_id": fake.ClientID, "client_secret": fake.ClientSecret},
	}, nil)
	group := dingtalktest.Group("cidTEAM==", "Team")
	people := make(map[string]dingtalktest.Person)
	for _, role := range []string{"viewer", "editor"} {
		_, id := d.member(t, role, role)
		people[role] = dingtalktest.Person{ID: "$:" + role, Staff: "staff-" + role, Nick: role}
		d.must(t, http.MethodPost, "/api/persons/"+id+"/identities", map[string]string{"identity": "team:staff-" + role}, nil)
	}
	fake.Post(dingtalktest.Message{Chat: group, From: people["editor"], Text: "Not for you", Others: true})
	fake.Say(group, people["editor"], "@Chela please write the file")
	fake.Wait("the question", func() bool { return len(fake.Sent(group)) == 1 })
	card := fake.Sent(group)[0].ID
	var approve string
	for _, b := range fake.Card(card).Buttons() {
		if b.Text == "Approve" {
			approve = b.Press
		}
	}
	_, question, _ := strings.Cut(approve, ":")
	if question == "" || !strings.Contains(fake.Sent(group)[0].Text, question) {
		t.Fatalf("the question is %+v", fake.Card(card))
	}
	fake.Press(group, people["viewer"], card, approve)
	fake.Wait("the refusal", func() bool { return len(fake.Sent(group)) == 2 })
	if got := fake.Texts(group)[1]; !strings.Contains(got, "role") {
		t.Errorf("a viewer's press is answered %q", got)
	}
	fake.Press(group, people["editor"], card, approve)
	fake.Wait("the answer", func() bool { return slices.Contains(fake.Texts(group), "Done after 1.") })
	fake.Redeliver()
	fake.Wait("all to be confirmed", func() bool { return fake.Pending() == 0 })
	if n := len(fake.Sent(group)); n != 3 {
		t.Errorf("%d came: %q", n, fake.Texts(group))
	}
	d.stop()
	s.verified(t)
}

package dingtalk

import (
	"slices"
	"strings"
	"testing"

	"chela/internal/channel"
	"chela/internal/testkit/channeltest"
	"chela/internal/testkit/dingtalktest"
)

func question(chat string) channel.Out {
	o := out(chat, "Deploy? /approve A1 or /deny A1")
	o.Buttons = []channel.Button{{Text: "Approve", Press: "approve:A1"}, {Text: "Deny", Press: "deny:A1"}}
	return o
}

func TestCard_Question(t *testing.T) {
	t.Parallel()
	s, a, in := receiving(t, settingCard, "test-template.schema")
	s.Say(dingtalktest.Private(ann), ann, "Hello")
	s.Say(team, bob, "Hello")
	s.Wait("both", func() bool { return len(in.Came()) == 2 })
	for chat, c := range map[string]dingtalktest.Chat{toAnn: dingtalktest.Private(ann), team.ID: team} {
		id, err := a.Send(t.Context(), question(chat))
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Sent(c); len(got) != 1 || got[0].ID != id || got[0].Form != "card" || !strings.Contains(got[0].Text, "Deploy?") {
			t.Errorf("to %s came %+v", chat, got)
		}
		before := len(in.Came())
		s.Press(c, ann, id, "deny:A1")
		s.Wait("the press", func() bool { return s.Pending() == 0 })
		all := in.Came()[before:]
		if len(all) != 1 || all[0].What != channel.Pressed || all[0].Press != "deny:A1" || all[0].Sender.ID != ann.Staff || all[0].Chat != chat || all[0].ReplyTo != id {
			t.Errorf("in %s the press comes as %+v", chat, all)
		}
	}
}

// TestCard_QuestionPlain: without a template, from outside, and where presses are not heard, a
// question is a text that names the commands.
func TestCard_QuestionPlain(t *testing.T) {
	t.Parallel()
	s, a := sending(t)
	if _, err := a.Send(t.Context(), question(team.ID)); err != nil {
		t.Error(err)
	}
	if got := s.Sent(team); len(got) != 1 || got[0].Form != formMarkdown || !strings.Contains(got[0].Text, "/approve A1") {
		t.Errorf("without a template came %+v", got)
	}
	s, a = sending(t, settingCard, "test-template.schema")
	if _, err := a.Send(t.Context(), question(toOut)); err != nil {
		t.Error(err)
	}
	if got := s.Sent(dingtalktest.Private(outsider)); len(got) != 1 || got[0].Form != "markdown" {
		t.Errorf("outside came %+v", got)
	}
	byHTTP := opened(t, configured(s, settingCard, s.Template, settingMode, modeHTTP))
	if _, err := byHTTP.Send(t.Context(), question(team.ID)); err != nil {
		t.Error(err)
	}
	if got := s.Sent(team); len(got) != 1 || got[0].Form != formMarkdown {
		t.Errorf("by HTTP came %+v", got)
	}
	if _, err := a.Send(t.Context(), out(team.ID, "No question")); err != nil || s.Sent(team)[1].Form != formMarkdown {
		t.Errorf("what asks nothing came as %+v, %v", s.Sent(team)[1], err)
	}
}

func TestCard_Grows(t *testing.T) {
	t.Parallel()
	s, a := sending(t, settingCard, "test-template.schema")
	e, ok := a.(channel.Editor)
	if !ok {
		t.Fatal("it cannot edit")
	}
	o := out(team.ID, "One")
	o.Growing = true
	id, err := a.Send(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := a.Send(t.Context(), o); err != nil || again != id || len(s.Sent(team)) != 1 {
		t.Errorf("another attempt makes %q beside %q, %v", again, id, err)
	}
	edit := func(text string, growing bool) error {
		return e.Edit(t.Context(), id, channel.Out{Address: o.Address, Text: text, Growing: growing, Key: o.Key})
	}
	s.Fault(dingtalktest.Fault{Method: dingtalktest.WriteCard, What: dingtalktest.CutAfter, Times: 1})
	if err := edit("One two", true); err == nil {
		t.Error("a lost answer is not noticed")
	}
	for range 2 {
		if err := edit("One two", true); err != nil {
			t.Error(err)
		}
	}
	s.Fault(dingtalktest.Fault{Method: dingtalktest.WriteCard, What: dingtalktest.Refuse, Status: 403, Code: "Forbidden.AccessDenied.QpsLimitForApi", Times: 1})
	if no := channeltest.RefusalOf(t, edit("One two three", false)); no.Final || no.After == 0 {
		t.Errorf("too many edits: %+v", no)
	}
	for range 2 {
		if err := edit("One two three", false); err != nil {
			t.Error(err)
		}
	}
	card := s.Card(id)
	if !card.Final || !slices.Equal(card.Updates, []string{"One", "One two", "One two three"}) {
		t.Errorf("the card grew as %+v", card)
	}
	if no := channeltest.RefusalOf(t, edit("Four", true)); !no.Final {
		t.Errorf("after its end: %+v", no)
	}
	if got := s.Texts(team); !slices.Equal(got, []string{"One two three"}) {
		t.Errorf("the group shows %q", got)
	}
}

// TestCard_GrowsIntoQuestion: the buttons of an edit come with the end of the text.
func TestCard_GrowsIntoQuestion(t *testing.T) {
	t.Parallel()
	s, a := sending(t, settingCard, "test-template.schema")
	o := question(toAnn)
	o.Growing, o.Buttons = true, nil
	id, err := a.Send(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.(channel.Editor).Edit(t.Context(), id, question(toAnn)); err != nil {
		t.Error(err)
	}
	if card := s.Card(id); !card.Final || !strings.Contains(card.Params["buttons"], `"press":"approve:A1"`) || card.Params["content"] != o.Text {
		t.Errorf("the card is %+v", card)
	}
}

// TestCard_Answered: a question that was answered says so, and has no buttons any more.
func TestCard_Answered(t *testing.T) {
	t.Parallel()
	s, a := sending(t, settingCard, "test-template.schema")
	id, err := a.Send(t.Context(), question(team.ID))
	if err != nil {
		t.Fatal(err)
	}
	if err := a.(channel.Editor).Edit(t.Context(), id, out(team.ID, "Approved by Ann.")); err != nil {
		t.Error(err)
	}
	if card := s.Card(id); card.Params["buttons"] != "[]" || card.Params["content"] != "Approved by Ann." {
		t.Errorf("the card is %+v", card)
	}
	if no := channeltest.RefusalOf(t, a.(channel.Editor).Edit(t.Context(), "query-1", out(team.ID, "x"))); !no.Final {
		t.Errorf("what is no card: %+v", no)
	}
}

// TestCard_GrowsOutside: somebody outside gets the whole text when it is whole.
func TestCard_GrowsOutside(t *testing.T) {
	t.Parallel()
	s, a := sending(t, settingCard, "test-template.schema")
	o := out(toOut, "One")
	o.Growing = true
	id, err := a.Send(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	e := a.(channel.Editor)
	o.Text = "One two"
	if err := e.Edit(t.Context(), id, o); err != nil || len(s.Sent(dingtalktest.Private(outsider))) != 0 {
		t.Errorf("a part: %v", err)
	}
	o.Text, o.Growing = "One two three", false
	if err := e.Edit(t.Context(), id, o); err != nil {
		t.Error(err)
	}
	if got := s.Texts(dingtalktest.Private(outsider)); !slices.Equal(got, []string{"One two three"}) {
		t.Errorf("came %q", got)
	}
}

func TestCard_Refused(t *testing.T) {
	t.Parallel()
	s, a := sending(t, settingCard, "test-template.schema")
	if no := channeltest.RefusalOf(t, second(a.Send(t.Context(), question("cidNONE==")))); !no.Final {
		t.Errorf("to no group: %+v", no)
	}
	c := opened(t, configured(s, settingCard, "gone.schema"))
	if no := channeltest.RefusalOf(t, second(c.Send(t.Context(), question(team.ID)))); !no.Final {
		t.Errorf("with no such template: %+v", no)
	}
	s.Undelivered("the robot is not in the group")
	if no := channeltest.RefusalOf(t, second(a.Send(t.Context(), question(team.ID)))); !no.Final || !strings.Contains(no.Text, "not in the group") {
		t.Errorf("a card that is not delivered: %+v", no)
	}
	s.Undelivered("")
	s.Fault(dingtalktest.Fault{Method: dingtalktest.CreateCard, What: dingtalktest.CutAfter, Times: 1})
	if _, err := a.Send(t.Context(), question(team.ID)); err == nil {
		t.Error("a lost answer is not noticed")
	}
	s.Fault(dingtalktest.Fault{Method: dingtalktest.CreateCard, What: dingtalktest.Refuse, Status: 400, Code: "param.outTrackIdExisted", Times: 1})
	if _, err := a.Send(t.Context(), question(team.ID)); err != nil || len(s.Sent(team)) != 1 {
		t.Errorf("a card that is there: %v, %d came", err, len(s.Sent(team)))
	}
}

func TestCard_GUID(t *testing.T) {
	t.Parallel()
	if a, b := guid("x"), guid("x"); a != b || len(a) != 36 || a[14] != '8' {
		t.Errorf("%s, %s", a, b)
	}
	if guid("x") == guid("y") {
		t.Error("two texts are the same update")
	}
}

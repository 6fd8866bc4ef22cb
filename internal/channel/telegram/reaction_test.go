package telegram

import (
	"strconv"
	"testing"

	"chela/internal/channel"
	"chela/internal/testkit/channeltest"
	"chela/internal/testkit/telegramtest"
)

// TestReaction_Reacted: of a reaction its last form counts, and each change is told once.
func TestReaction_Reacted(t *testing.T) {
	t.Parallel()
	s := telegramtest.New(t)
	in := new(channeltest.Inbox)
	r := channeltest.Run(t, with(t, s), in)
	id := s.Say(alone, anna, "we ship")
	s.Wait("the message", func() bool { return s.Pending() == 0 && in.Count() == 1 })
	custom := telegramtest.Sign{Type: "custom_emoji", Custom: "5368324170671202286"}
	steps := []struct {
		signs []telegramtest.Sign
		want  string
	}{
		{[]telegramtest.Sign{telegramtest.Emoji("👍")}, "👍"},
		{[]telegramtest.Sign{telegramtest.Emoji("👍"), custom}, "👍 (a custom emoji)"},
		{[]telegramtest.Sign{{Type: "paid"}}, "⭐"},
		{nil, ""},
	}
	for _, step := range steps {
		s.React(alone, &anna, id, step.signs...)
	}
	s.Wait("all", func() bool { return s.Pending() == 0 && in.Count() == 1+len(steps) })
	r.Stopped(t)
	ids := map[string]bool{}
	for i, step := range steps {
		m := in.All()[1+i]
		if m.What != channel.Reacted || m.Text != step.want || m.ReplyTo != strconv.FormatInt(id, 10) || m.Chat != "501" || m.Sender.ID != "501" || !m.Called || m.Group || ids[m.ID] || m.At.IsZero() {
			t.Errorf("reaction %d: %+v, want the sign %q", i, m, step.want)
		}
		ids[m.ID] = true
	}
}

// TestReaction_ReactedInAGroup: Telegram tells it to admins, and nobody is known by the group's own name.
func TestReaction_ReactedInAGroup(t *testing.T) {
	t.Parallel()
	s := telegramtest.New(t)
	in := new(channeltest.Inbox)
	r := channeltest.Run(t, with(t, s), in)
	id := s.Say(team, anna, "we ship")
	s.Wait("the message", func() bool { return s.Pending() == 0 && in.Count() == 1 })
	s.React(team, &bela, id, telegramtest.Emoji("🎉"))
	s.Promote(team)
	s.React(team, nil, id, telegramtest.Emoji("👎"))
	s.React(team, &bela, id, telegramtest.Emoji("👍"))
	s.Wait("the reaction", func() bool { return s.Pending() == 0 && in.Count() >= 2 })
	r.Stopped(t)
	if got := in.All()[1:]; len(got) != 1 || got[0].What != channel.Reacted || got[0].Text != "👍" || got[0].Sender.ID != "502" || !got[0].Group || got[0].Called {
		t.Errorf("took %+v", got)
	}
}

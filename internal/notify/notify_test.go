package notify_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chela/internal/notify"
	"chela/internal/org"
)

func TestPreferences_SayWhenSomethingGoesToAChat(t *testing.T) {
	t.Parallel()
	at := func(s string) time.Time {
		out, err := time.Parse("2006-01-02 15:04", s)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	all := notify.Reasons()
	for name, c := range map[string]struct {
		p         notify.Preferences
		r         notify.Reason
		now, want string // "" is never
	}{
		"never said":                  {notify.Usual(), notify.Comment, "2026-03-02 10:00", ""},
		"an approval at once":         {notify.Usual(), notify.Approval, "2026-03-02 10:00", "2026-03-02 10:00"},
		"a digest later today":        {notify.Preferences{Chat: all, Digest: "16:30"}, notify.Comment, "2026-03-02 10:00", "2026-03-02 16:30"},
		"a digest tomorrow":           {notify.Preferences{Chat: all, Digest: "08:30"}, notify.Due, "2026-03-02 10:00", "2026-03-03 08:30"},
		"a mention before a digest":   {notify.Preferences{Chat: all, Digest: "08:30"}, notify.Mention, "2026-03-02 10:00", "2026-03-02 10:00"},
		"quiet over midnight":         {notify.Preferences{Chat: all, Quiet: "19:00-08:00"}, notify.Mention, "2026-03-02 23:10", "2026-03-03 08:00"},
		"quiet after midnight":        {notify.Preferences{Chat: all, Quiet: "19:00-08:00"}, notify.Mention, "2026-03-02 03:10", "2026-03-02 08:00"},
		"not quiet any more":          {notify.Preferences{Chat: all, Quiet: "19:00-08:00"}, notify.Mention, "2026-03-02 08:00", "2026-03-02 08:00"},
		"quiet where they live":       {notify.Preferences{Chat: all, Quiet: "19:00-08:00", Zone: "Asia/Tokyo"}, notify.Mention, "2026-03-02 12:00", "2026-03-02 23:00"},
		"a digest in a quiet hour":    {notify.Preferences{Chat: all, Quiet: "19:00-08:00", Digest: "07:00"}, notify.Due, "2026-03-02 10:00", "2026-03-03 08:00"},
		"no chat for this reason":     {notify.Preferences{Chat: []notify.Reason{notify.Due}}, notify.Failed, "2026-03-02 10:00", ""},
		"a day with a change of zone": {notify.Preferences{Chat: all, Digest: "08:30", Zone: "Europe/Berlin"}, notify.Due, "2026-03-28 20:00", "2026-03-29 06:30"},
	} {
		want := time.Time{}
		if c.want != "" {
			want = at(c.want)
		}
		if got := c.p.ChatAt(c.r, at(c.now)); !got.Equal(want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

// TestPreferences_NeverTellInQuietHours holds for all preferences and times, and that nothing is told in the past.
func TestPreferences_NeverTellInQuietHours(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		minute := func(name string) string {
			return time.Date(2026, 1, 1, 0, rapid.IntRange(0, 24*60-1).Draw(t, name), 0, 0, time.UTC).Format("15:04")
		}
		from, to := minute("from"), minute("to")
		if from == to {
			t.Skip("which is refused")
		}
		p := notify.Preferences{Chat: notify.Reasons(), Quiet: from + "-" + to, Digest: minute("digest")}
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		now := time.Date(2026, 3, 2, 0, rapid.IntRange(0, 24*60-1).Draw(t, "now"), 0, 0, time.UTC)
		r := rapid.SampledFrom(notify.Reasons()).Draw(t, "reason")
		got := p.ChatAt(r, now)
		hour := got.Format("15:04")
		quiet := from < to && from <= hour && hour < to || from > to && (hour >= from || hour < to)
		if got.Before(now) || got.After(now.Add(48*time.Hour)) || quiet {
			t.Errorf("%s at %v with quiet hours %s and the digest at %s goes at %v", r, now, p.Quiet, p.Digest, got)
		}
	})
}

func TestPreferences_BadOnesAreNamed(t *testing.T) {
	t.Parallel()
	for _, p := range []notify.Preferences{{Quiet: "08:00-08:00"}, {Quiet: "25:00-08:00"}, {Zone: "Local"}, {Digest: "24:00"}} {
		if err := p.Check(); err == nil {
			t.Errorf("%+v is taken", p)
		}
	}
	for field, p := range map[string]notify.Preferences{
		"off": {Off: []notify.Reason{"NEWS"}}, "chat": {Chat: []notify.Reason{"x"}}, "zone": {Zone: "Mars/Base"}, "digest": {Digest: "8 o'clock"}, "quiet": {Quiet: "19:00"},
	} {
		if err := p.Check(); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%+v gives %v, want that %s is wrong", p, err, field)
		}
	}
}

func TestMentioned_FindsWhoIsMeant(t *testing.T) {
	t.Parallel()
	people := []org.Person{
		{ID: "per_dana", Name: "Dana Reyes", Enabled: true, Identities: []string{"email:dreyes@example.com"}},
		{ID: "per_joe", Name: "Joe Martinez", Enabled: true},
		{ID: "per_joe2", Name: "Joe Chan", Enabled: true},
		{ID: "per_gone", Name: "Gone Girl"},
		{ID: "per_jose", Name: "José", Enabled: true},
	}
	agents := []org.AgentID{"agent:pm"}
	for text, want := range map[string][]string{
		"@Dana Reyes, look":           {"per_dana"},
		"look, @dana":                 {"per_dana"},
		"@dreyes!":                    {"per_dana"},
		"@joe which one?":             nil,
		"@Joe Chan and @joe martinez": {"per_joe2", "per_joe"},
		"mail dana@dana.com":          nil,
		"`@Dana` is code":             nil,
		"@Danae is somebody else":     nil,
		"@gone girl left":             nil,
		"@José and @pm, twice @josé":  {"per_jose", "agent:pm"},
		"":                            nil,
		"@":                           nil,
		"(@Dana)":                     {"per_dana"},
		"@dana\u200b":                 {"per_dana"},
	} {
		if got := notify.Mentioned(text, people, agents); !slices.Equal(got, want) {
			t.Errorf("%q mentions %v, want %v", text, got, want)
		}
	}
}

func FuzzMentioned(f *testing.F) {
	f.Add("@Dana Reyes and `@x` \xff@")
	people := []org.Person{{ID: "per_dana", Name: "Dana Reyes", Enabled: true}}
	f.Fuzz(func(t *testing.T, text string) {
		if got := notify.Mentioned(text, people, nil); len(got) > 1 {
			t.Errorf("%q mentions %v, want one at most", text, got)
		}
	})
}

package intent_test

import (
	"fmt"
	"strings"
	"testing"

	"chela/internal/intent"
)

func few() []intent.Intent {
	of := func(id string, texts ...string) intent.Intent {
		in := intent.Intent{ID: id}
		for _, t := range texts {
			in.Phrases = append(in.Phrases, intent.Phrase{Text: t})
		}
		return in
	}
	return []intent.Intent{
		of("report", "Weekly status report", "Send the weekly status", "What happened this week?"),
		of("onboard", "Onboarding of a new member", "Onboard Mia as a developer", "A new colleague begins on Monday"),
		of("incident", "Incident review", "Review the outage of last night", "Write a postmortem for the incident"),
	}
}

func TestIndex_FindsWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	x := intent.New(few(), nil)
	for text, want := range map[string]string{
		"please send the weekly status": "report", "we have a new colleague starting on monday": "onboard", "write the postmortem of the outage": "incident",
	} {
		got := x.Match(text, 3)
		if len(got) == 0 || got[0].ID != want || got[0].Confidence < 0.4 {
			t.Errorf("%q: %+v", text, got)
		}
	}
	for _, text := range []string{"How tall is the Eiffel tower?", "good morning everybody", ""} {
		if got := x.Match(text, 3); len(got) > 0 && got[0].Confidence >= 0.4 {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

func TestIndex_LearnsWhatIsNotAskedFor(t *testing.T) {
	t.Parallel()
	const text = "send the weekly menu"
	before, after := intent.New(few(), nil).Match(text, 1), intent.New(few(), []string{"Send me the weekly menu"}).Match(text, 1)
	if len(before) == 0 || len(after) == 0 || after[0].Confidence >= before[0].Confidence/2 {
		t.Errorf("%+v, then %+v", before, after)
	}
}

func TestIndex_IsEmpty(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]*intent.Index{"nothing": intent.New(nil, nil), "no phrases": intent.New([]intent.Intent{{ID: "a"}}, nil), "others": intent.New(nil, []string{"hello"})} {
		if got := x.Match("hello", 5); len(got) != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// many are intents with enough phrases to draw lines between them.
func many() []intent.Intent {
	var out []intent.Intent
	for i := range 12 {
		in := intent.Intent{ID: fmt.Sprintf("i%02d", i)}
		for j := range 10 {
			in.Phrases = append(in.Phrases, intent.Phrase{Text: fmt.Sprintf("please %s the thing%d now and%d", strings.Repeat("do", j%3+1), i, j)})
		}
		out = append(out, in)
	}
	return out
}

func TestIndex_IsAlwaysTheSame(t *testing.T) {
	t.Parallel()
	a, b := intent.New(many(), []string{"hello"}), intent.New(many(), []string{"hello"})
	for _, text := range []string{"do the thing3 now", "hello", "something else altogether"} {
		if x, y := fmt.Sprint(a.Match(text, 5)), fmt.Sprint(b.Match(text, 5)); x != y {
			t.Errorf("%q: %s and %s", text, x, y)
		}
	}
	if got := a.Match("will you do the thing3 now", 1); len(got) != 1 || got[0].ID != "i03" || got[0].Confidence < 0.4 {
		t.Errorf("%+v", got)
	}
}

func FuzzMatch(f *testing.F) {
	f.Add("Send the weekly status")
	f.Add("hello how are you, a new one")
	f.Add("\xff\x00 ' 12345678901234567890")
	x := intent.New(few(), []string{"hello"})
	f.Fuzz(func(t *testing.T, text string) {
		found := x.Match(text, 5)
		for _, m := range found {
			if m.Confidence > found[0].Confidence || !(m.Confidence >= 0 && m.Confidence <= 1) || m.ID == "" {
				t.Errorf("%q: %+v", text, m)
			}
		}
	})
}

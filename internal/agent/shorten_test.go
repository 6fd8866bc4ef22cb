package agent

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"chela/internal/event"
	"chela/internal/model"
)

func answerOf(parts ...model.Part) model.Answer {
	a := model.Answer{Parts: parts}
	a.Finish()
	return a
}

// TestIdentify_EachCallHasAnIDOfItsOwn holds it for ids that a provider leaves out, says twice, or that look like ours.
func TestIdentify_EachCallHasAnIDOfItsOwn(t *testing.T) {
	t.Parallel()
	var parts []model.Part
	for _, id := range []string{"call_0", "call_0", "", "call_3_1", "", "call_0"} {
		parts = append(parts, model.Part{Call: &model.ToolCall{ID: id, Name: "x"}})
	}
	a := answerOf(parts...)
	identify(&a, 3)
	seen := make(map[string]bool)
	for n, c := range a.Calls {
		if c.ID == "" || seen[c.ID] || a.Parts[n].Call.ID != c.ID {
			t.Errorf("the ids are %v", a.Calls)
		}
		seen[c.ID] = true
	}
	if len(seen) != 6 || a.Calls[0].ID != "call_0" {
		t.Errorf("the ids are %v", a.Calls)
	}
}

// TestShorten_EveryAnswerCanBeRecorded holds that an answer of any length fits into an event, and that one which does is left as it is.
func TestShorten_EveryAnswerCanBeRecorded(t *testing.T) {
	t.Parallel()
	long := func(unit string, n int) string { return strings.Repeat(unit, n/len(unit)) }
	call := func(n int) model.Part {
		return model.Part{Call: &model.ToolCall{ID: "c", Name: "write_file", Args: json.RawMessage(`{"text":"` + long("x", n) + `"}`)}}
	}
	for name, c := range map[string]struct {
		parts []model.Part
		cut   bool
	}{
		"short":               {[]model.Part{{Text: "Hello."}, call(10)}, false},
		"a long text":         {[]model.Part{{Text: long("word ", 1_080_000)}}, true},
		"letters that grow":   {[]model.Part{{Text: long("\x01", 300_000)}}, true},
		"letters of markup":   {[]model.Part{{Text: long("<", 60_000)}, {Text: long("<", 60_000)}, {Text: long("<", 60_000)}, {Text: long("<", 60_000)}}, true},
		"markup in arguments": {[]model.Part{{Call: &model.ToolCall{ID: "c", Name: "write_file", Args: json.RawMessage(`{"text":"` + long("<", 300_000) + `"}`)}}}, true},
		"letters of bytes":    {[]model.Part{{Text: long("ä", 500_000)}}, true},
		"long arguments":      {[]model.Part{call(1_500_000)}, true},
		"many long arguments": {[]model.Part{{Text: "I write."}, call(300_000), call(300_000), call(300_000)}, true},
		"nearly too long":     {[]model.Part{{Text: long("word ", mostAnswered-10)}}, false},
	} {
		a := answerOf(c.parts...)
		before := a.Text
		calls := len(a.Calls)
		shorten(&a)
		raw, err := json.Marshal(Answered{Agent: "agent:coder", Answer: a})
		if err != nil || len(raw) > event.MaxPayload {
			t.Errorf("%s takes %d bytes, %v", name, len(raw), err)
		}
		said := strings.Contains(string(raw), "left out")
		if said != c.cut || !c.cut && a.Text != before || len(a.Calls) != calls {
			t.Errorf("%s: cut %t, want %t", name, said, c.cut)
		}
	}
}

// TestFewer_KeepsAsManyCallsAsAreMade holds that the calls of an answer that are too many are left out and counted, also beside those
// that a client left out before.
func TestFewer_KeepsAsManyCallsAsAreMade(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ calls, before, kept, out int }{{0, 0, 0, 0}, {128, 0, 128, 0}, {128, 72, 128, 72}, {200, 0, 128, 72}, {256, 44, 128, 172}} {
		parts := []model.Part{{Text: "I look."}}
		for n := range c.calls {
			parts = append(parts, model.Part{Call: &model.ToolCall{ID: fmt.Sprint(n), Name: "look"}})
		}
		a := answerOf(append(parts, model.Part{Text: " Now."})...)
		a.LeftOut = c.before
		if fewer(&a); len(a.Calls) != c.kept || a.LeftOut != c.out || a.Text != "I look. Now." {
			t.Errorf("%d calls: %d are kept and %d left out, want %d and %d; %q", c.calls, len(a.Calls), a.LeftOut, c.kept, c.out, a.Text)
		}
	}
}

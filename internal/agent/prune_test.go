package agent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"chela/internal/agent"
	"chela/internal/model"
	"chela/internal/run"
)

// small is a window of 30,000 tokens.
func small(string, model.Job) (model.Price, bool) { return model.Price{Context: 30_000}, true }

func TestPrune_OldResultsMakeRoomAndAreReadAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{Price: small})
	const rounds = 45
	w.answer = func(_ context.Context, _ model.Request, n int) (model.Answer, error) {
		switch {
		case n < rounds:
			return uses(fmt.Sprintf(`long {"what":"%d"}`, n)), nil
		case n == rounds:
			return uses(`reread {"of":"call_0_0"}`), nil
		case n == rounds+1:
			return uses(`reread {"of":"nothing"}`), nil
		}
		return says("Read."), nil
	}
	r, last := w.tell("Read many long texts.")
	if r.State != run.Done || last.Message != "Read." {
		t.Fatalf("%s: %q", r.State, last.Message)
	}
	most, soft, hard := 0, false, false
	for _, q := range w.asked {
		text := sent(q)
		most = max(most, len(text)/4)
		soft = soft || strings.Contains(text, "bytes of the result of long")
		hard = hard || strings.Contains(text, "the result of long, ")
	}
	if most > 30_000*85/100 || !soft || !hard {
		t.Errorf("a call had %d tokens of a window of 30,000; shortened: %v, taken out: %v", most, soft, hard)
	}
	got := w.results()
	if len(got) < 2 || !strings.Contains(got[len(got)-2].Text, strings.Repeat("long ", 2000)) {
		t.Errorf("what was left out is not read again: %.200s", got[len(got)-2].Text)
	}
	if end := got[len(got)-1]; !end.IsError || !strings.Contains(end.Text, `"nothing"`) {
		t.Errorf("got %+v, want that nothing of that name was left out", end)
	}
}

func TestPrune_LeavesOutTheOldestMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{Price: small})
	w.answer = func(_ context.Context, _ model.Request, n int) (model.Answer, error) {
		if n == 11 {
			return uses(`reread {"of":"messages"}`), nil
		}
		return says("Noted."), nil
	}
	r, _ := w.tellIn("", "The code word is Xylophone. "+strings.Repeat("And so on it goes. ", 600))
	for i := range 11 {
		w.tellIn(r.Thread, fmt.Sprintf("Part %d. %s", i, strings.Repeat("And so on it goes. ", 600)))
	}
	for i, q := range w.asked {
		if n := len(sent(q)) / 4; n > 30_000*85/100 {
			t.Errorf("call %d had %d tokens of a window of 30,000", i, n)
		}
	}
	got := w.results()
	if len(got) == 0 || !strings.Contains(got[len(got)-1].Text, "Xylophone") {
		t.Errorf("the oldest messages are not read again: %.300v", got)
	}
}

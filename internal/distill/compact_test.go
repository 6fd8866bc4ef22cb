package distill_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"chela/internal/clerk"
	"chela/internal/distill"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/session"
)

// members are a controller with a strategy, and who condenses.
type members struct{ strategy org.Strategy }

func (m members) Agent(_ context.Context, id org.AgentID) (org.Agent, error) {
	if id != distill.Distiller {
		return org.Agent{}, fault.New(fault.NotFound, "There is no such agent.")
	}
	return org.Agent{Card: org.Card{AgentID: id}, Profile: org.Profile{Kind: org.Checker, Enabled: true, Prompt: "You condense."}}, nil
}

func (m members) Agents(context.Context) ([]org.Agent, error) {
	return []org.Agent{{Card: org.Card{AgentID: "agent:lead"}, Profile: org.Profile{Kind: org.Controller, Enabled: true, Context: m.strategy}}}, nil
}

// summers sum up with what a test says, and have a window.
type summers struct {
	text   string
	window int
	fail   error
	asked  []model.Request
}

func (s *summers) Generate(_ context.Context, r model.Request, _ func(model.Delta)) (model.Answer, error) {
	s.asked = append(s.asked, r)
	a := model.Answer{Provider: "p", Model: "m", Stop: model.StopEnd, Parts: []model.Part{{Text: s.text}}, Usage: model.Usage{InputTokens: 10, OutputTokens: 5}}
	a.Finish()
	return a, s.fail
}
func (s *summers) Ready() bool { return s.text != "" || s.fail != nil }
func (s *summers) Price(string, model.Job) (model.Price, bool) {
	return model.Price{Context: s.window}, s.window > 0
}

func (w *world) compactor(s *summers, strategy org.Strategy) *distill.Compactor {
	k := distill.NewKeeper(clerk.New(w.db.Desk), w.db.Desk, w.db.Conversations, w.db.Recall, w.db.Log, distill.Options{
		Condenser: &distill.Condenser{Models: s, Limits: w.db.Budgets, Roster: members{}},
	})
	return distill.NewCompactor(k, w.db.Conversations, members{strategy})
}

func (w *world) compacted(thread string) session.Compacted {
	w.t.Helper()
	c, err := w.db.Conversations.Compacted(w.t.Context(), thread, event.Newest)
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

func (w *world) pass(c *distill.Compactor, want int) {
	w.t.Helper()
	if n, err := c.Pass(w.t.Context()); err != nil || n != want {
		w.t.Errorf("made room in %d conversations, %v; want %d", n, err, want)
	}
}

// remarks are n things said, each of about size bytes.
func remarks(n, size int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = strings.TrimSpace(fmt.Sprintf("Remark %d. %s", i, strings.Repeat("talk ", size/5)))
	}
	return out
}

func TestCompact_ASummaryStandsForWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.say("thr_long", []string{"web:a.example"}, remarks(200, 20)...)
	w.say("thr_short", nil, remarks(60, 20)...)
	s := &summers{text: "Remark 7 was made. Nobody paid 4711 Euro to Zoe."}
	c := w.compactor(s, "")
	w.pass(c, 1)
	got := w.compacted("thr_long")
	if got.Messages != 160 || got.Summary != "Remark 7 was made." || got.By != "model:p/m" || got.Strategy != "summarize" || len(got.Origins) != 1 || got.Since.IsZero() || got.Until.IsZero() {
		t.Errorf("%+v; want 160 messages, what was said, and where it is from", got)
	}
	if short := w.compacted("thr_short"); short.Messages != 0 {
		t.Errorf("a short conversation: %+v", short)
	}
	asked := len(s.asked)
	w.pass(c, 0)
	w.pass(w.compactor(s, ""), 0) // another daemon, or this one after it died
	if len(s.asked) != asked {
		t.Errorf("%d calls although nothing was said", len(s.asked)-asked)
	}
	before, err := w.db.Conversations.Compacted(t.Context(), "thr_long", 1)
	if err != nil || before.Messages != 0 {
		t.Errorf("before it was made: %+v %v", before, err)
	}
	if r, err := w.db.Rebuild(t.Context()); err != nil || len(r.Different()) > 0 {
		t.Errorf("a rebuild: %v %v", r.Different(), err)
	}
}

func TestCompact_WithoutAModelRulesDo(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]*summers{"none": {}, "fails": {fail: &model.Error{Reason: model.Server}}} {
		w := newWorld(t)
		w.say("thr_long", nil, append([]string{"Decision: we use PostgreSQL 18."}, remarks(199, 20)...)...)
		w.pass(w.compactor(s, org.Summarize), 1)
		if got := w.compacted("thr_long"); got.By != "rules" || !strings.Contains(got.Summary, "PostgreSQL 18") || got.Messages != 160 {
			t.Errorf("%s: %+v", name, got)
		}
		if got := w.memories(); s.fail == nil && !strings.Contains(got, "PostgreSQL 18") { // a model that fails is asked again later
			t.Errorf("%s: what was decided is not remembered: %s", name, got)
		}
	}
}

func TestCompact_ByStrategy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		strategy org.Strategy
		window   int
		messages int  // that are left out
		summary  bool // stands for them
	}{
		{org.Sliding, 8000, 0, false},
		{org.Truncate, 128_000, 0, false},
		{org.Truncate, 8000, 40, false},
		{org.Summarize, 128_000, 0, false},
		{org.Summarize, 8000, 40, true},
	} {
		w := newWorld(t)
		w.say("thr_long", nil, remarks(50, 1000)...)
		w.pass(w.compactor(&summers{text: "Remark 7 was made.", window: c.window}, c.strategy), min(c.messages, 1))
		got := w.compacted("thr_long")
		if got.Messages < c.messages || c.messages == 0 && got.Messages != 0 || (got.Summary != "") != c.summary {
			t.Errorf("%s in a window of %d: %+v", c.strategy, c.window, got)
		}
		rest, err := w.db.Conversations.Messages(t.Context(), "thr_long", got.UpTo, 100)
		if err != nil || got.Messages > 0 && (len(rest) < 6 || rest[0].Role != session.FromPerson) {
			t.Errorf("%s: %d messages are shown, %v", c.strategy, len(rest), err)
		}
	}
}

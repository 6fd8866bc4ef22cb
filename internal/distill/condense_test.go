package distill_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/distill"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/prompt"
	"chela/internal/run"
)

// A fake answers as a test says, and knows no price.
type fake struct {
	mu     sync.Mutex // guards asked
	asked  []model.Request
	answer func(r model.Request) (model.Answer, error)
}

// Ready implements [distill.Models].
func (f *fake) Ready() bool { return true }

// Price implements [distill.Models].
func (f *fake) Price(string, model.Job) (model.Price, bool) { return model.Price{}, false }

// Generate implements [model.Model].
func (f *fake) Generate(_ context.Context, r model.Request, _ func(model.Delta)) (model.Answer, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, r)
	return f.answer(r)
}

// condensing is a keeper that asks a model.
func (w *world) condensing(m *fake) *distill.Keeper {
	w.t.Helper()
	for _, a := range prompt.Defaults(func([]string) []org.Permission { return nil }) {
		if a.Card.AgentID == distill.Distiller {
			if err := w.append([]event.Draft{org.RegisterKind.Draft(event.Place{Stream: event.OrgStream, Thread: "thr_o", Run: "run_o", Task: "task_o", From: run.Chela()}, org.Registration{Card: a.Card, Profile: &a.Profile})}); err != nil {
				w.t.Fatal(err)
			}
		}
	}
	return distill.NewKeeper(clerk.New(w.db.Desk), w.db.Desk, w.db.Conversations, w.db.Recall, w.db.Log, distill.Options{
		Condenser: &distill.Condenser{Models: m, Limits: w.db.Budgets, Roster: w.db.Roster},
	})
}

const spoken = "We met the auditors of Norddata. They want each export signed, and they come back on 14 April. " +
	"I would rather have the report in the morning than at night. For a release we first freeze the branch, then run the soak, then tag; that is how it is done since the outage in January. " +
	"Nobody knows yet who pays for the hardware."

// messageOf finds the id of the message that a model was shown.
func messageOf(r model.Request, words string) string {
	text := r.Messages[0].Parts[0].Text
	for l := range strings.Lines(text) {
		if strings.Contains(l, words) {
			id, _, _ := strings.Cut(strings.TrimPrefix(l, "["), "]")
			return id
		}
	}
	return ""
}

// says is an answer with these claims, each as type, text, words.
func says(r model.Request, history string, claims ...[3]string) model.Answer {
	id := messageOf(r, "auditors")
	var list []map[string]string
	for _, c := range claims {
		list = append(list, map[string]string{"type": c[0], "text": c[1], "message": id, "quote": c[2]})
	}
	raw, err := json.Marshal(map[string]any{"history_entry": history, "memory_update": list})
	if err != nil {
		panic(err)
	}
	return model.Answer{Text: string(raw), Provider: "fake", Model: "one", Usage: model.Usage{InputTokens: 100, OutputTokens: 10}}
}

// TestCondense_KeepsWhatHasItsWords: a claim without its words, with a number or a name that nobody said, or of a message that
// is not there is dropped, and so is such a sentence of what happened.
func TestCondense_KeepsWhatHasItsWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.say("thr_1", nil, spoken, "Noted.")
	m := &fake{answer: func(r model.Request) (model.Answer, error) {
		return says(
			r, "The auditors of Norddata were there. They paid 5000 euros. They return on 14 April.",
			[3]string{"fact", "The auditors want every export signed.", "They want each   export signed"},
			[3]string{"procedure", "A release: freeze the branch, run the soak, tag.", "first freeze the branch, then run the soak, then tag"},
			[3]string{"fact", "The auditors come back on 15 April.", "they come back on 14 April"},
			[3]string{"fact", "The auditors like Dana.", "We met the auditors"},
			[3]string{"decision", "Exports are encrypted.", "each export is encrypted"},
			[3]string{"summary", "All of it.", "We met the auditors"},
			[3]string{"question", "Who pays for the hardware?", "Nobody knows yet who pays for the hardware."},
		), nil
	}}
	k := w.condensing(m)
	w.db.Mint().Forward(time.Hour)
	if n, err := k.Pass(t.Context()); err != nil || n != 1 {
		t.Fatalf("%d, %v", n, err)
	}
	got := w.memories()
	for _, want := range []string{"fact: The auditors want every export signed.", "procedure: A release:", "question: Who pays for the hardware?", "The auditors of Norddata were there. They return on 14 April."} {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwant %q", got, want)
		}
	}
	for _, not := range []string{"15 April", "Dana", "encrypted", "All of it", "5000"} {
		if strings.Contains(got, not) {
			t.Errorf("%q was not said: %s", not, got)
		}
	}
	if len(m.asked) != 1 || m.asked[0].Output == nil || !strings.Contains(m.asked[0].System, "history_entry") || !strings.Contains(m.asked[0].Messages[0].Parts[0].Text, "DATA") {
		t.Errorf("%d calls: %+v", len(m.asked), m.asked)
	}
	if spent, err := w.db.Spending.SpendBy(t.Context(), time.Time{}); err != nil || spent[distill.Distiller].InputTokens != 100 {
		t.Errorf("spent %+v, %v", spent, err)
	}
	if _, err := k.Pass(t.Context()); err != nil || len(m.asked) != 1 {
		t.Errorf("an idle pass: %d calls, %v", len(m.asked), err)
	}
	if r, err := w.db.Rebuild(t.Context()); err != nil || len(r.Different()) > 0 {
		t.Errorf("different after a rebuild: %v, %v", r.Different(), err)
	}
}

// TestCondense_AFailureLosesNothing: a part of a conversation is tried three times, and then what rules found is kept.
func TestCondense_AFailureLosesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.say("thr_1", nil, "Decision: we use PostgreSQL for the ledger.\n"+spoken, "Noted.")
	m := &fake{answer: func(model.Request) (model.Answer, error) {
		return model.Answer{}, fault.New(fault.Unavailable, "The provider is down.")
	}}
	k := w.condensing(m)
	w.db.Mint().Forward(time.Hour)
	for range 5 {
		if _, err := k.Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.db.Mint().Forward(15 * time.Minute)
	}
	if got := w.memories(); len(m.asked) != 3 || !strings.Contains(got, "PostgreSQL for the ledger") || !strings.Contains(got, "summary: Weekly") {
		t.Errorf("%d calls, got\n%s", len(m.asked), got)
	}
}

// TestCondense_OneAtATime: of keepers beside one another one asks.
func TestCondense_OneAtATime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.say("thr_1", nil, spoken, "Noted.")
	m := &fake{answer: func(r model.Request) (model.Answer, error) {
		return says(r, "The auditors were there.", [3]string{"fact", "The auditors want every export signed.", "They want each export signed"}), nil
	}}
	k := w.condensing(m)
	w.db.Mint().Forward(time.Hour)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if _, err := k.Pass(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := w.memories(); len(m.asked) != 1 || strings.Count(got, "fact: ") != 1 {
		t.Errorf("%d calls, got\n%s", len(m.asked), got)
	}
}

// TestCondense_TakesThePlaceOfWhatIsKnown: what is out of date is marked, and nothing that came from outside is condensed.
func TestCondense_TakesThePlaceOfWhatIsKnown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	old := ""
	w.do(w.project, func(x *clerk.Work) error {
		r, err := clerk.Add(x, desk.Memory, &desk.MemoryBody{Scope: desk.ForProject, Content: "Exports are not signed.", Sources: []desk.Source{{Document: "doc", Quote: "x"}}})
		old = r.ID
		return err
	})
	w.say("thr_1", nil, spoken, "Noted.")
	w.say("thr_2", []string{"evil.example"}, "auditors "+spoken, "Noted.")
	m := &fake{answer: func(r model.Request) (model.Answer, error) {
		a := says(r, "The auditors were there.", [3]string{"fact", "The auditors want every export signed.", "They want each export signed"})
		a.Text = strings.Replace(a.Text, `"type":"fact"`, fmt.Sprintf(`"type":"fact","supersedes":%q,"contradicts":"mem_none"`, old), 1)
		return a, nil
	}}
	k := w.condensing(m)
	w.db.Mint().Forward(time.Hour)
	if _, err := k.Pass(t.Context()); err != nil {
		t.Fatal(err)
	}
	p, err := w.db.Desk.Records(t.Context(), clerk.Query{Project: w.project, Kind: desk.Memory, Limit: clerk.All})
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, r := range p.Records {
		b, err := desk.Open[desk.MemoryBody](r)
		if err != nil {
			t.Fatal(err)
		}
		if b.Type == "fact" && strings.Contains(b.Content, "every export") {
			found = len(b.Supersedes) == 1 && b.Supersedes[0] == old && len(b.Contradicts) == 0 && strings.HasPrefix(b.Sources[0].By, "model:")
		}
	}
	if !found || len(m.asked) != 1 {
		t.Errorf("%d calls; %s", len(m.asked), w.memories())
	}
}

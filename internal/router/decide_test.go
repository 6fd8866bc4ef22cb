package router

import (
	"fmt"
	"strings"
	"testing"

	"chela/internal/definition"
	"chela/internal/intent"
	"chela/internal/library"
)

// trip is a workflow that needs three inputs.
func trip(t *testing.T) offered {
	t.Helper()
	c, problems := definition.ReadFile([]byte(`
slug: trip
name: Trip
inputs:
  - {name: destination, type: string, required: true, description: Where it goes.}
  - {name: day, type: date, required: true, description: When.}
  - {name: class, type: string, enum: [first, second], default: second}
triggers: [{message: true}]
steps: [{id: a, transform: 1}]
`))
	if problems != nil {
		t.Fatal(problems)
	}
	return offered{library.Version{Slug: "trip", Number: 3}, c}
}

func said(id, text string) Said { return Said{ID: id, Text: text, Facts: facts} }

func near(confidence float64) opinion {
	return opinion{slug: "trip", confidence: confidence, by: byModel, reason: "It fits."}
}

func TestFresh_FollowsTheThresholds(t *testing.T) {
	t.Parallel()
	w := trip(t)
	whole := "destination: Rome, day: 2026-12-01"
	for _, c := range []struct {
		text string
		o    opinion
		want Kind
	}{
		{whole, near(0.75), Trigger},
		{whole, near(0.74), Confirm},
		{whole, near(0.40), Confirm},
		{whole, near(0.39), Direct},
		{"Go", near(0.9), Clarify},
		{"Go", near(0.5), Confirm},
		{whole, opinion{slug: "trip", confidence: 0.8, by: byCode}, Confirm},
		{whole, opinion{slug: "trip", confidence: 0.95, by: byCode}, Trigger},
		{whole, opinion{by: byModel}, Direct},
		{"to Rome", opinion{slug: "trip", confidence: 0.9, by: byModel, inputs: map[string]any{"destination": "Rome", "day": "2026-12-01", "class": "third", "x": 1}}, Trigger},
		{"to Rome", opinion{slug: "trip", confidence: 0.9, by: byModel, inputs: map[string]any{"destination": "Rome", "day": "soon"}}, Clarify},
	} {
		d := fresh(said("m1", c.text), c.o, w, nil)
		if d.Kind != c.want || (d.Kind == Clarify || d.Kind == Confirm) != (d.Gathering != nil) || (d.Kind == Trigger) != (d.Accepted == "m1") {
			t.Errorf("%q at %.2f by %s: %+v, want %s", c.text, c.o.confidence, c.o.by, d, c.want)
		}
	}
}

// gathering is one that asks for both inputs.
func gathering(t *testing.T, w offered) *Gathering {
	t.Helper()
	d := fresh(said("m1", "Book a trip"), near(0.9), w, nil)
	if d.Gathering == nil || d.Question != "I can run **Trip** for you, but I need a bit more info:\n\n- **destination** (string): Where it goes.\n- **day** (date): When.\n\nPlease provide the missing details." {
		t.Fatalf("%+v", d)
	}
	return d.Gathering
}

func TestGathering_TakesAnswers(t *testing.T) {
	t.Parallel()
	w := trip(t)
	g := gathering(t, w)
	if d, ok := g.answers(said("m2", "day: 2026-12-01"), w); ok || d.Kind != Clarify || strings.Join(d.Missing, " ") != "destination" {
		t.Fatalf("%+v %v", d, ok)
	}
	if d, ok := g.answers(said("m3", "Who pays for it?"), w); !ok || d.Kind != Direct || d.Gathering == nil {
		t.Fatalf("a question of its own: %+v", d)
	}
	if d, _ := g.answers(said("m4", "day: 2026-12-02"), w); d.Kind != Clarify || d.Inputs["day"].Value != "2026-12-02" {
		t.Fatalf("a correction: %+v", d)
	}
	if d, ok := g.answers(said("m5", "Rome, first class"), w); !ok || d.Kind != Trigger || texts(d.Inputs) != "class=first day=2026-12-02 destination=Rome, first class" || d.Accepted != "m1" {
		t.Fatalf("%+v %v", d, ok)
	}
}

func TestGathering_ReadsEditedMessagesAgain(t *testing.T) {
	t.Parallel()
	w := trip(t)
	g := gathering(t, w)
	g.answers(said("m2", "day: 2026-12-01"), w)
	now := map[string]string{"m1": "Book a trip, destination: Oslo", "m2": ""}
	if !g.revise(w, facts, func(id string) (string, bool) { text, ok := now[id]; return text, ok }) || texts(g.Values) != "destination=Oslo" {
		t.Errorf("%s", texts(g.Values))
	}
	if g.revise(w, facts, func(string) (string, bool) { return "", false }) {
		t.Error("what is not known changes nothing")
	}
}

func TestGathering_AsksTenTimes(t *testing.T) {
	t.Parallel()
	w := trip(t)
	g := gathering(t, w)
	for n := 2; n <= MostRounds; n++ {
		d, _ := g.answers(said(fmt.Sprint("m", n), "Hm"), w)
		if d.Kind != Clarify || g.Rounds != n || !strings.HasPrefix(d.Question, "I did not find destination, day in what you said.") || !strings.HasSuffix(d.Question, "each in a line such as `destination: …`.") {
			t.Fatalf("round %d: %+v", n, d)
		}
	}
	if d, _ := g.answers(said("m11", "Hm"), w); d.Kind != Cancelled || d.Gathering != nil {
		t.Fatalf("%+v", d)
	}
}

func TestGathering_IsConfirmed(t *testing.T) {
	t.Parallel()
	w := trip(t)
	for text, want := range map[string]Kind{"yes": Clarify, "Yes, day: 2026-12-01 destination: Rome": Trigger, "no": Direct, "No, I meant the weather": Direct, "ja": Clarify} {
		d, ok := fresh(said("m1", "trip"), near(0.5), w, nil).Gathering.confirmed(said("m2", text), w)
		if !ok || d.Kind != want || (want == Direct) != (d.Declined == "m1") {
			t.Errorf("%q: %+v %v", text, d, ok)
		}
	}
	if _, ok := fresh(said("m1", "trip"), near(0.5), w, nil).Gathering.confirmed(said("m2", "What is the time?"), w); ok {
		t.Error("that is no answer")
	}
}

func TestGathering_OtherNeedsToBeSure(t *testing.T) {
	t.Parallel()
	g := gathering(t, trip(t))
	for _, c := range []struct {
		m     intent.Match
		found int
		want  bool
	}{{intent.Match{ID: "pay", Confidence: 0.8}, 0, true}, {intent.Match{ID: "pay", Confidence: 0.8}, 1, false}, {intent.Match{ID: "pay", Confidence: 0.7}, 0, false}, {intent.Match{ID: "trip", Confidence: 1}, 0, false}} {
		if got := g.other([]intent.Match{c.m}, c.found); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestAnew_AnAnswerAsksForNothing(t *testing.T) {
	t.Parallel()
	w := trip(t)
	list := []intent.Match{{ID: "trip", Confidence: 0.95, Nearest: "Yesterday's trip"}, {ID: "trip", Confidence: 0.9, Nearest: "OK"}}
	for text, want := range map[string]Kind{"yes": Direct, "Ok, thanks!": Direct, "approve": Direct, "nein danke": Direct, "yes, book a trip": Clarify, "start": Clarify} {
		d, err := (&Router{}).anew(t.Context(), nil, &shelf{bySlug: map[string]offered{"trip": w}}, said("m1", text), list[:1])
		if err != nil || d.Kind != want {
			t.Errorf("%q: %+v, %v; want %s", text, d, err, want)
		}
	}
	if d, err := (&Router{}).anew(t.Context(), nil, &shelf{bySlug: map[string]offered{"trip": w}}, said("m1", "ok"), list[1:]); err != nil || d.Kind != Clarify { // a workflow says that it begins so
		t.Errorf("%+v, %v", d, err)
	}
}

func TestAnew_WhatIsNotWishedIsAnswered(t *testing.T) {
	t.Parallel()
	w := trip(t)
	index := intent.New([]intent.Intent{{ID: "trip", Phrases: phrasesOf(w.Compiled)}, {ID: "pay", Phrases: []intent.Phrase{{Text: "Pay a bill"}}}}, nil)
	for text, want := range map[string]Kind{
		"Trip": Clarify, "Can we have a trip?": Clarify, "No trip, please": Direct, "Please do not plan a trip": Direct,
		"Is the trip done?": Direct, "I already did the trip": Direct, "The trip went well yesterday": Direct, "Stop the trip": Direct,
	} {
		list := index.Match(text, shortest)
		d, err := (&Router{}).anew(t.Context(), nil, &shelf{bySlug: map[string]offered{"trip": w}}, said("m1", text), list)
		if err != nil || d.Kind != want {
			t.Errorf("%q: %s %s, %v; want %s", text, d.Kind, d.Explain(), err, want)
		}
	}
}

func TestWith_AProjectIsShownByItsName(t *testing.T) {
	t.Parallel()
	in := definition.Input{Name: "where", Type: definition.Project}
	w := trip(t)
	w.Compiled.Inputs = []definition.Input{in}
	for _, text := range []string{"where: Apollo", "where: prj_1", "it is for Apollo"} {
		if got := with(w, Extract(text, w.Inputs, nil, facts)); got != "\n\n- **where**: Apollo" {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestCancels(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"cancel": true, "Cancel it, please.": true, "Oh, never mind!": true, "forget it": true, "Cancel the order of PAY-1": false, "": false, "stop": true, "please": false, "don’t stop": false} {
		if got := cancels(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

package router

import (
	"fmt"
	"slices"
	"strings"

	"chela/internal/intent"
	"chela/internal/query"
)

// A reply to a question, as its words say. Words are compared whole.
var (
	yesWords    = []string{"yes", "y", "yep", "yeah", "sure", "ok", "okay", "please", "go", "do", "ja", "gerne", "klar", "confirm", "confirmed", "correct", "right", "start", "run", "true"}
	noWords     = []string{"no", "n", "nope", "nah", "nein", "not", "dont", "false"}
	cancelWords = [][]string{
		{"cancel"},
		{"cancel", "it"},
		{"cancel", "that"},
		{"cancel", "this"},
		{"stop"},
		{"stop", "it"},
		{"stop", "that"},
		{"abort"},
		{"quit"},
		{"never", "mind"},
		{"nevermind"},
		{"forget", "it"},
		{"forget", "that"},
		{"leave", "it"},
		{"drop", "it"},
		{"abbrechen"},
		{"abbruch"},
		{"vergiss", "es"},
		{"lass", "es"},
		{"egal"},
	}
	answerWords = []string{"yes", "y", "yep", "yeah", "sure", "ok", "okay", "please", "ja", "gerne", "klar", "confirm", "confirmed", "correct", "right", "true", "no", "n", "nope", "nah", "nein", "false", "approve", "approved", "deny", "denied", "fine", "great", "thanks", "thank", "you", "danke", "bitte"}
	polite      = []string{"please", "sorry", "thanks", "thank", "you", "oh", "well", "bitte", "danke", "no", "actually", "ok", "okay", "hm", "hmm"}
	asksFor     = []string{"what", "why", "how", "who", "when", "where", "which", "is", "are", "can", "could", "does", "do", "was", "wie", "warum", "wer", "wann", "wo", "welche"}
)

func wordsOf(text string) []string {
	var out []string
	for _, w := range query.Words(strings.NewReplacer("'", "", "’", "").Replace(text)) {
		out = append(out, w.Text)
	}
	return out
}

// cancels reports whether a text says that all is to be left, and nothing else.
func cancels(text string) bool {
	ws := wordsOf(text)
	if len(ws) > 8 {
		return false
	}
	rest := slices.DeleteFunc(slices.Clone(ws), func(w string) bool { return slices.Contains(polite, w) })
	return slices.ContainsFunc(cancelWords, func(c []string) bool { return slices.Equal(c, rest) })
}

// answersOnly reports whether a text is nothing but an answer to something: yes, no, approve. Such a word is like many phrases by its letters, as yes is
// like yesterday.
func answersOnly(text string) bool {
	ws := wordsOf(text)
	for _, w := range ws {
		if !slices.Contains(answerWords, w) {
			return false
		}
	}
	return len(ws) > 0
}

// yesNo reads an answer to a question; ok is false when it is neither.
func yesNo(text string) (yes, ok bool) {
	ws := wordsOf(text)
	if len(ws) == 0 {
		return false, false
	}
	switch {
	case slices.Contains(noWords, ws[0]):
		return false, true
	case slices.Contains(yesWords, ws[0]) && (len(ws) < 4 || ws[0] == "yes" || ws[0] == "ja" || ws[0] == "ok" || ws[0] == "okay" || ws[0] == "sure") && !strings.HasSuffix(strings.TrimSpace(text), "?"):
		return true, true
	}
	return false, false
}

// asks reports whether a text is a question of its own.
func asks(text string) bool {
	ws := wordsOf(text)
	return strings.HasSuffix(strings.TrimSpace(text), "?") || len(ws) > 3 && slices.Contains(asksFor[:7], ws[0])
}

// revise takes in again what messages say that were changed or taken back since. Now is what a message says by now,
// nothing when it was taken back; ok is false for one that is not known.
func (g *Gathering) revise(w offered, f Facts, now func(id string) (text string, ok bool)) (changed bool) {
	for i := range g.Heard {
		h := &g.Heard[i]
		text, ok := now(h.ID)
		if !ok || text == h.Text {
			continue
		}
		changed = true
		for name, v := range g.Values {
			if v.Message == h.ID {
				delete(g.Values, name)
			}
		}
		if h.Text = text; text != "" {
			g.take(Said{ID: h.ID, Text: text, Facts: f}, w, h.Asked)
		}
	}
	return changed
}

// cancelled drops what is gathered.
func (g *Gathering) cancelled(s Said) Decided {
	return Decided{Message: s.ID, Decision: Decision{
		Kind: Cancelled, Slug: g.Slug, Version: g.Version, Name: g.Name, Confidence: g.Confidence, By: byPerson, Reason: "Its sender says so.", Question: fmt.Sprintf("**%s** is not run.", g.Name),
	}}
}

// base is a decision of who is asked.
func (g *Gathering) base(s Said, by, reason string) Decided {
	return Decided{Message: s.ID, Decision: Decision{Confidence: g.Confidence, By: by, Reason: reason}}
}

// confirmed decides about an answer to the question whether a workflow is meant; ok is false when it is no answer.
func (g *Gathering) confirmed(s Said, w offered) (d Decided, ok bool) {
	yes, ok := yesNo(s.Text)
	if !ok {
		return d, false
	}
	if !yes {
		d = g.base(s, byPerson, "Its sender does not mean "+g.Name+".")
		d.Kind, d.Slug, d.Name, d.Declined = Direct, g.Slug, g.Name, g.Heard[0].ID
		return d, true
	}
	g.Confirming = false
	g.hear(s, w, nil)
	return g.next(g.base(s, byPerson, "Its sender means "+g.Name+"."), w), true
}

// other reports whether a message asks for another workflow than the one that is gathered for: surely, and without
// what was asked for.
func (g *Gathering) other(list []intent.Match, found int) bool {
	return found == 0 && len(list) > 0 && list[0].ID != g.Slug && list[0].Confidence >= Certain
}

// answers decides about a message while inputs are gathered, by rules; ok is false when the rules do not know. A
// message that is a question of its own is answered, and what is gathered stays.
func (g *Gathering) answers(s Said, w offered) (d Decided, ok bool) {
	asked := g.Asked
	if asks(s.Text) {
		asked = nil
	}
	before := len(g.missing(w))
	g.Heard = append(g.Heard, Heard{ID: s.ID, Text: s.Text, Asked: asked})
	found := g.take(s, w, asked)
	left := len(g.missing(w))
	switch {
	case left == 0 || found > 0 && left < before:
		return g.next(g.base(s, byCode, "It gives what was asked for."), w), left == 0
	case found > 0:
		return g.next(g.base(s, byCode, "It changes what was known."), w), false
	case asks(s.Text):
		g.Heard = g.Heard[:len(g.Heard)-1]
		d = g.base(s, byCode, "It is a question of its own; what "+g.Name+" needs is asked for again afterwards.")
		d.Kind, d.Slug, d.Name, d.Gathering = Direct, g.Slug, g.Name, g
		return d, true
	}
	return g.next(g.base(s, byCode, "It gives nothing that was asked for."), w), false
}

package agent

import (
	"encoding/json"
	"fmt"
	"slices"

	"chela/internal/event"
	"chela/internal/model"
)

// identify gives the calls of answer i ids of their own: providers may leave them out or say one twice, and people approve calls
// by them.
func identify(a *model.Answer, i int) {
	seen := make(map[string]bool, len(a.Calls))
	n, changed := 0, false
	for p := range a.Parts {
		if a.Parts[p].Call == nil {
			continue
		}
		c := *a.Parts[p].Call
		for again := 0; c.ID == "" || seen[c.ID]; again++ {
			c.ID, changed = fmt.Sprintf("call_%d_%d", i, n+again*len(a.Calls)), true
		}
		seen[c.ID] = true
		a.Parts[p].Call = &c
		n++
	}
	if changed {
		a.Finish()
	}
}

// mostCalls is how many calls of one answer are made.
const mostCalls = 128

// fewer leaves the calls out of an answer that are too many, and counts them.
func fewer(a *model.Answer) {
	if len(a.Calls) <= mostCalls {
		return
	}
	a.LeftOut += len(a.Calls) - mostCalls
	kept := 0
	a.Parts = slices.DeleteFunc(a.Parts, func(p model.Part) bool {
		if p.Call != nil {
			kept++
		}
		return p.Call != nil && kept > mostCalls
	})
	a.Finish()
}

// mostAnswered is how many bytes of JSON the texts and arguments of an answer take at most: an event has them twice, and more.
const mostAnswered = event.MaxPayload * 3 / 8

// shorten cuts an answer that is too long to be recorded: texts end, and arguments are left out, where there is no more room for them. A
// call without its arguments is refused, with the sentence that stands in their place.
func shorten(a *model.Answer) {
	left, changed := mostAnswered, false
	for p := range a.Parts {
		part := &a.Parts[p]
		if n := encoded(part.Text); n > left {
			part.Text, changed = head(part.Text, len(part.Text)*left/n)+"\n\n[The rest was left out: the answer was too long to be kept.]", true
			left = 0
		} else {
			left -= n
		}
		if part.Call == nil {
			continue
		}
		if n := encoded(part.Call.Args); n > left {
			c := *part.Call
			c.Args = json.RawMessage(fmt.Sprintf(`"%d bytes were left out: the arguments were too long to be kept"`, len(c.Args)))
			part.Call, changed = &c, true
		} else {
			left -= n
		}
	}
	if changed {
		a.Finish()
	}
}

// encoded is how many bytes something takes as JSON.
func encoded(v any) int {
	raw, err := json.Marshal(v)
	if err != nil {
		return event.MaxPayload // it is left out
	}
	return len(raw)
}

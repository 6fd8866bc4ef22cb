package talk

import (
	"context"
	"strings"
	"time"
	"unicode"

	"chela/internal/inbox"
	"chela/internal/run"
	"chela/internal/stream"
)

// A Viewer is shown an answer while it comes. A function that returns an error ends the following.
type Viewer struct {
	Text  func(more string) error   // a piece of the answer
	Waits func(reason string) error // the run waits for a person, a sentence
}

// Follow shows the answer to a message as it is written, and returns it when its run has ended. While the
// run waits for a person it is waited for; it goes on when they have answered, or when ctx ends. A run that waits for
// the program that asked ends the following: [Reply.Calls] says what it has to call.
func (t *Talk) Follow(ctx context.Context, acc inbox.Accepted, v Viewer) (Reply, error) {
	if acc.Run == "" {
		return Reply{Accepted: acc}, v.Text(acc.Reply)
	}
	var shown Written
	told := ""
	for {
		for tick, err := range t.Stream(ctx, acc) {
			if err != nil {
				return Reply{Accepted: acc}, err
			}
			if more := shown.Take(tick); more != "" {
				if err := v.Text(more); err != nil {
					return Reply{Accepted: acc}, err
				}
			}
		}
		out := Reply{Accepted: acc}
		if over, err := t.settle(ctx, &out, run.Finished{}); err != nil || ctx.Err() != nil {
			return out, err
		} else if over && out.State.Final() {
			if out.State == run.Done {
				err = v.Text(shown.Rest(out.Reply))
			}
			return out, err
		}
		if len(out.Calls) > 0 {
			if rest := shown.Rest(out.Reply); out.Reply != "" && rest != "" {
				return out, v.Text(rest)
			}
			return out, nil
		}
		if out.State == run.Waiting && out.Reply != told {
			told = out.Reply
			if err := v.Waits(told); err != nil {
				return out, err
			}
		}
		select {
		case <-ctx.Done():
			return out, nil
		case <-time.After(lookEvery):
		}
	}
}

// Written is what was shown of an answer, draft by draft. What was shown cannot be taken back. The zero value has shown nothing.
type Written struct {
	draft []rune // the newest
	some  bool   // something was shown before
}

// Take adds a tick and returns what is new. A draft that is begun anew begins a paragraph.
func (w *Written) Take(tick stream.Tick) string {
	if tick.Kind != "delta" || tick.Text == "" {
		return ""
	}
	text := []rune(tick.Text)
	gap := ""
	if tick.At == 0 && len(w.draft) > 0 {
		if strings.HasPrefix(string(w.draft), tick.Text) {
			return "" // heard before
		}
		w.draft, gap = nil, "\n\n"
	}
	if tick.At > len(w.draft) {
		return "" // something was lost; the end brings the rest
	}
	news := text[min(len(text), len(w.draft)-tick.At):]
	w.draft = append(w.draft, news...)
	w.some = w.some || len(news) > 0
	if len(news) == 0 {
		return ""
	}
	return gap + string(news)
}

// Rest is what is left to show of the whole answer, which has no white space around it; drafts may.
func (w *Written) Rest(whole string) string {
	draft := strings.TrimLeftFunc(string(w.draft), unicode.IsSpace)
	if rest, ok := strings.CutPrefix(whole, draft); ok {
		return rest
	}
	if strings.TrimSpace(draft) == whole {
		return ""
	}
	if w.some {
		return "\n\n" + whole
	}
	return whole
}

package worker

import (
	"strings"

	"chela/internal/event"
	"chela/internal/run"
)

// mostTitle bounds the title of a task, in characters.
const mostTitle = 100

// Messages are what a worker is told of a task, as messages of the protocol: a task.request, and a chat.message for each answer to what
// it asked. to is the worker.
func (t Task) Messages(to event.Party) []event.Message {
	out := make([]event.Message, len(t.Said))
	for i, w := range t.Said {
		at := t.place(t.Giver, t.ID)
		at.To = []event.Party{to}
		var d event.Draft
		if i == 0 {
			req := run.TaskRequest{Title: title(w.Text), Description: w.Text}
			if t.Seconds > 0 {
				req.Constraints = &run.Constraints{MaxRuntimeSec: t.Seconds}
			}
			d = run.RequestKind.Draft(at, req)
			d.Message.Attempt = t.Attempt + 1
		} else {
			at.Key = w.ID
			d = event.Kind[Spoken]{Name: event.ChatMessage}.Draft(at, Spoken{w.Text})
		}
		d.Message.V, d.Message.ID, d.Message.TS = event.Version, w.ID, w.At
		out[i] = d.Message
	}
	return out
}

// Spoken is the payload of what a worker is told beside the request.
type Spoken struct {
	Message string `json:"message"`
}

// title is the first line of a text.
func title(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	short := []rune(strings.TrimSpace(line))
	if len(short) <= mostTitle {
		return string(short)
	}
	return string(short[:mostTitle-1]) + "…"
}

package intake

import (
	"encoding/json"
	"fmt"
	"strings"

	"chela/internal/desk"
	"chela/internal/event"
)

// mostOfThread is how many bytes of decisions, questions and actions a thread keeps: an event that changes one of these lists holds the
// whole list.
const mostOfThread = event.MaxPayload / 4 * 3

// fit takes out of a thread what an intake added beyond the room that is there, and says so. before is the thread without it.
func (r *recorder) fit(before, now *desk.ThreadBody) {
	left := mostOfThread
	var less []string
	keep := func(what string, had, n int) {
		if n < had {
			less = append(less, fmt.Sprintf("%d of %s", n, many(had, what)))
		}
	}
	n := len(now.Decisions)
	now.Decisions = roomy(len(before.Decisions), now.Decisions, &left)
	keep("decision", n, len(now.Decisions))
	n = len(now.Questions)
	now.Questions = roomy(len(before.Questions), now.Questions, &left)
	keep("question", n, len(now.Questions))
	n = len(now.Actions)
	now.Actions = roomy(len(before.Actions), now.Actions, &left)
	keep("action", n, len(now.Actions))
	if len(less) > 0 {
		r.problem(fmt.Sprintf("%s: the thread %q keeps %s; there is no room in it for more. Each action is a ticket all the same. Hand in so long a document in parts, a thread each.", r.src.doc.Name, clipped(now.Title, 80), strings.Join(less, ", ")))
	}
}

// roomy are the first of a list for which there is room, and at least those that it had.
func roomy[T any](had int, list []T, left *int) []T {
	for i, x := range list {
		raw, err := json.Marshal(x)
		if i >= had && (err != nil || len(raw) > *left) {
			return list[:i]
		}
		*left -= len(raw)
	}
	return list
}

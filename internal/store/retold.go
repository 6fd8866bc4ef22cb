package store

import (
	"slices"

	"chela/internal/builder"
	"chela/internal/event"
	"chela/internal/instance"
	"chela/internal/memory"
	"chela/internal/router"
	"chela/internal/run"
)

// retold takes a person's words out of what was done for them: the answer to their question about a project, the messages in which the
// router looks for inputs, the events that a workflow waited for, and the request from which a workflow was planned.
func (q *quotes) retold(m event.Message, p object) bool {
	switch m.Type {
	case run.ResultKind.Name:
		if !q.asked[m.ThreadID] || p["output"] == memory.ErasedWords {
			return false
		}
		p["output"] = memory.ErasedWords
		return true
	case router.DecidedKind.Name:
		return q.gathered(p)
	case router.ChangedKind.Name:
		s, _ := p["session"].(object)
		return q.gathered(s)
	case instance.HeardKind.Name:
		return q.heard(p, "event")
	case instance.StepKind.Name:
		return q.heard(p, "output")
	case builder.PlannedKind.Name:
		plan, _ := p["plan"].(object)
		return textOf(p, "person") == q.sender && erasedIn(plan, "context", "userIntent")
	}
	return false
}

// gathered takes out the person's messages in which a workflow's inputs were looked for.
func (q *quotes) gathered(p object) bool {
	g, _ := p["gathering"].(object)
	heard, _ := g["heard"].([]any)
	done := false
	for _, h := range heard {
		if h, ok := h.(object); ok && q.messages[textOf(h, "id")] {
			done = erased(h, "text") || done
		}
	}
	return done
}

// heard takes out the payload of an event of the person's that a workflow waited for: the types whose payloads are a person's words.
func (q *quotes) heard(p object, field string) bool {
	e, _ := p[field].(object)
	if textOf(e, "by") != q.sender || !slices.Contains(erasable, textOf(e, "type")) {
		return false
	}
	if was, _ := e["payload"].(object); textOf(was, "message") == memory.ErasedWords {
		return false
	}
	e["payload"] = object{"message": memory.ErasedWords}
	return true
}

// erasedIn takes out the text of a field within another and reports whether there was one.
func erasedIn(p object, field, inner string) bool {
	in, _ := p[field].(object)
	return in != nil && erased(in, inner)
}

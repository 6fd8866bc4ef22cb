package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/desk"
	"chela/internal/memory"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/prompt"
	"chela/internal/tool"
)

// Memories find what is known.
type Memories interface {
	Recall(ctx context.Context, who memory.Reader, q memory.Question) ([]memory.Hit, error)
}

// What a prompt has of memory: so many passages of so many bytes, within [prompt.MaxMemory]. Messages of the conversation
// are among them only when they are older than what the history shows.
const (
	maxRemembered = 8
	maxPassage    = 500
	cutFrom       = 40 // messages: a shorter history is all of its conversation
)

// remember puts what is known for what is asked behind the last message of a person. It stands there and not in the
// system prompt so that everything before it is, byte by byte, what the call of the turn before began with. An error
// leaves it out: an agent that remembers nothing still works.
func (sc *Scope) remember(ctx context.Context, a Assignment, history []model.Message) []model.Message {
	who := a.Task.agent
	last := lastOf(history)
	if sc.g.opts.Memory == nil || who.Kind == org.Checker || last < 0 {
		return history
	}
	asked := strings.TrimSpace(a.Context.Task + "\n" + textOf(history[last]))
	text, err := sc.g.Remembered(ctx, memory.Reader{Person: org.PersonOf(sc.s.Run.By), Agent: who.Card.AgentID, Teams: who.Card.Teams(), Project: sc.s.Run.Project, Thread: sc.s.Run.Thread},
		asked, history, sc.s.Run.CreatedAt, len(tool.Untrusted(sc.seenFrom.list())) > 0)
	if err != nil {
		sc.g.opts.Log.Warn("recall for a prompt", "run", sc.s.Run.ID, "agent", who.Card.AgentID, "err", err)
	}
	if text == "" {
		return history
	}
	sc.seenFrom.add([]string{tool.FromRecords})
	history[last].Parts = append(slices.Clone(history[last].Parts), model.Part{Text: prompt.Remembered(text)})
	return history
}

// lastOf is the last message of a person, -1 for none.
func lastOf(history []model.Message) int {
	for i, m := range slices.Backward(history) {
		if m.Role == model.User {
			return i
		}
	}
	return -1
}

// Remembered is what an agent is shown of memory for a question: a line each with its source, the best first; "" for
// nothing. Words from outside are shown only to who has seen such already, and messages of the conversation only when they
// were said before: those since come by themselves.
func (g *Runner) Remembered(ctx context.Context, who memory.Reader, asked string, history []model.Message, before time.Time, outside bool) (string, error) {
	if g.opts.Memory == nil {
		return "", nil
	}
	q := memory.Question{Text: asked, Limit: 4 * maxRemembered, Strong: true, Here: true}
	if len(history) < cutFrom && !leavesOut(history) {
		q.Scopes = memory.Kept()
	}
	hits, err := g.opts.Memory.Recall(ctx, who, q)
	var b strings.Builder
	n := 0
	for _, h := range hits {
		if h.Outside && !outside || h.Scope == memory.Said && (!h.At.Before(before) || shows(history, h.Text)) || strings.Contains(h.Title, desk.DocumentTag) {
			continue
		}
		row := remembered(h)
		if b.Len()+len(row) > prompt.MaxMemory {
			break
		}
		b.WriteString(row)
		if n++; n == maxRemembered {
			break
		}
	}
	return strings.TrimSuffix(b.String(), "\n"), err
}

// leavesOut reports whether a history begins with what stands for messages before it.
func leavesOut(history []model.Message) bool {
	return len(history) > 0 && strings.HasPrefix(textOf(history[0]), leftMark)
}

// shows reports whether the history has a text already.
func shows(history []model.Message, text string) bool {
	text = head(strings.TrimSpace(text), 200)
	return slices.ContainsFunc(history, func(m model.Message) bool { return strings.Contains(textOf(m), text) })
}

// remembered is a line of what is known.
func remembered(h memory.Hit) string {
	about := []string{h.At.UTC().Format(time.DateOnly)}
	if h.Type != "" && h.Type != "fact" {
		about = append(about, h.Type)
	}
	if h.Speaker != "" {
		about = append(about, "by "+h.Speaker)
	}
	if h.Superseded {
		about = append(about, "superseded")
	}
	if h.Outside {
		about = append(about, "from outside")
	}
	text := strings.Join(strings.Fields(h.Text), " ")
	if len(text) > maxPassage {
		text = head(text, maxPassage) + "…"
	}
	return fmt.Sprintf("- [%s] (%s) %s\n", h.Source, strings.Join(about, ", "), text)
}

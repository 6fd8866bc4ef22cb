package terminal

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"chela/internal/approval"
	"chela/internal/event"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/stream"
	"chela/internal/tool"
)

// mostEarly bounds what is kept of other threads until the conversation has an id.
const mostEarly = 2000

// heard takes a frame of the stream.
func (m Model) heard(h heardMsg) (Model, effect) {
	var e effect
	if h.Opened {
		m.connected = true
		return m, e
	}
	if h.Tick {
		var t stream.Tick
		if json.Unmarshal(h.Data, &t) != nil {
			return m, e
		}
		switch {
		case m.thread.ID == "":
			m.early = append(m.early[max(0, len(m.early)-mostEarly):], h)
		case t.Thread == m.thread.ID:
			m.draft = m.draft.take(t)
		}
		return m, e
	}
	var l logged
	if json.Unmarshal(h.Data, &l) != nil {
		return m, e
	}
	m.note = ""
	switch {
	case m.thread.ID == "":
		m.early = append(m.early[max(0, len(m.early)-mostEarly):], h)
		return m, e
	case l.Thread != m.thread.ID || l.Seq <= m.seen:
		return m, e
	}
	m.seen = l.Seq
	return m.recorded(l)
}

// read decodes a payload; what cannot be read is shown as empty.
func read[T any](l logged) (out T) {
	_ = json.Unmarshal(l.Payload, &out) // a newer daemon's
	return out
}

// recorded shows an event of the conversation.
func (m Model) recorded(l logged) (Model, effect) {
	var e effect
	switch l.Type {
	case session.SaidKind.Name, session.NoticeKind.Name:
		said := session.Message{Run: l.Run, Actor: l.From, Said: read[session.Said](l), Role: session.FromAgent}
		switch {
		case l.Type == session.NoticeKind.Name:
			said.Role, m.told = session.FromSystem, said.Message
		case org.PersonOf(event.Party{AgentID: l.From, Role: "person"}) != "":
			said.Role = session.FromPerson
			m = m.arrived(said.Message)
		case m.draft.run == l.Run: // the next run may write already
			m.draft = draft{}
		}
		e.say(m.message(said))
	case session.ChangedKind.Name:
		c := read[session.Changed](l)
		for to, v := range map[*string]*string{&m.thread.Project: c.Project, &m.thread.Agent: c.Agent, &m.thread.Title: c.Title, &m.thread.Model: c.Model} {
			if v != nil {
				*to = *v
			}
		}
	case session.OpenedKind.Name:
		o := read[session.Opened](l)
		m.thread.Project, m.thread.Agent, m.thread.Title = o.Project, o.Agent, o.Title
	case tool.CallKind.Name, tool.ResultKind.Name, tool.ErrorKind.Name:
		return m.called(l)
	case approval.RequestedKind.Name:
		return m.asks(read[approval.Request](l))
	case approval.AnsweredKind.Name:
		a := read[approval.Answer](l)
		m = m.answered(a.ID)
		e.say(m.look.muted.Render("  " + Clean(a.ID) + ": " + Clean(a.Choice)))
		return m.readied(e)
	case run.QueuedKind.Name, run.StartedKind.Name:
		m.run = l.Run
	case run.FinishedKind.Name:
		return m.finished(l)
	}
	return m, e
}

// finished ends a run.
func (m Model) finished(l logged) (Model, effect) {
	var e effect
	f := read[run.Finished](l)
	if m.run == l.Run {
		m.run = ""
	}
	if m.draft.run == l.Run {
		if text := strings.TrimSpace(m.draft.text); text != "" && f.State != run.Done {
			e.say(markdown(text, m.width, m.look) + " …")
		}
		m.draft = draft{}
	}
	m.asked = slices.DeleteFunc(slices.Clone(m.asked), func(q approval.Request) bool { return string(q.Run) == l.Run })
	if f.State != run.Done && (f.Reason == "" || !strings.Contains(m.told, f.Reason)) { // it is said once
		e.say(m.look.warn.Render(wrap(fmt.Sprintf("  The run %s: %s", f.State, Clean(f.Reason)), m.width)))
	}
	if m.wide {
		m.wide = false
		m.follow(m.thread.ID, m.seen)
	}
	return m, e
}

// A call is one use of a tool.
type call struct {
	Call string          `json:"call"`
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
	MS   int64           `json:"ms"`
	Err  string          `json:"error"`
}

// called shows a use of a tool as one line, when it has ended.
func (m Model) called(l logged) (Model, effect) {
	var e effect
	c := read[call](l)
	key := l.Task + " " + c.Call
	if l.Type == tool.CallKind.Name {
		m.calls[key] = c
		return m, e
	}
	if began, ok := m.calls[key]; ok {
		delete(m.calls, key)
		c.Tool, c.Args = began.Tool, began.Args
	}
	line, look := fmt.Sprintf("  · %s %s", Clean(c.Tool), oneLine(string(c.Args))), m.look.muted
	if l.Type == tool.ErrorKind.Name {
		line, look = fmt.Sprintf("  ✗ %s: %s", Clean(c.Tool), oneLine(c.Err)), m.look.bad
	}
	e.say(look.Render(short(line, m.width-1)))
	return m, e
}

// oneLine shows a text in one line.
func oneLine(text string) string { return Clean(strings.Join(strings.Fields(text), " ")) }

// short cuts a line to a width, in characters.
func short(line string, width int) string {
	if r := []rune(line); len(r) > width {
		return string(r[:max(width-1, 0)]) + "…"
	}
	return line
}

// settledMsg says that a question has been on the screen long enough for a key to be meant for
// it, and not for what was being written when it came.
type settledMsg string

const settlesAfter = 500 * time.Millisecond

// asks puts a question: exactly what would be done stays on the screen.
func (m Model) asks(q approval.Request) (Model, effect) {
	var e effect
	if slices.ContainsFunc(m.asked, func(o approval.Request) bool { return o.ID == q.ID }) {
		return m, e
	}
	m.asked = append(slices.Clone(m.asked), q)
	e.say(m.question(q))
	return m.readied(e)
}

// readied lets the first question be answered once it has been seen.
func (m Model) readied(e effect) (Model, effect) {
	if len(m.asked) == 0 || m.ready == m.asked[0].ID {
		return m, e
	}
	m.ready = ""
	id := settledMsg(m.asked[0].ID)
	e.do = append(e.do, tea.Tick(settlesAfter, func(time.Time) tea.Msg { return id }))
	return m, e
}

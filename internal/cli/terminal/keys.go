package terminal

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"chela/internal/approval"
	"chela/internal/inbox"
)

// key does what a key says: to the list that is open, to the question that waits, or to what
// is being written.
func (m Model) key(k tea.KeyPressMsg) (Model, effect) {
	m.note = ""
	name := k.String()
	switch {
	case name == "ctrl+c":
		return m.interrupted()
	case name == "ctrl+d" && m.input.Value() == "":
		m.done = true
		return m, effect{}
	case m.sessions != nil:
		return m.choosing(name)
	}
	if fitting := m.fitting(); len(fitting) > 0 {
		if next, e, ok := m.completing(name, fitting); ok {
			return next, e
		}
	}
	if len(m.asked) > 0 && m.ready == m.asked[0].ID && m.input.Value() == "" {
		if next, e, ok := m.deciding(name); ok {
			return next, e
		}
	}
	switch name {
	case "enter":
		return m.entered()
	case "up":
		if m.input.Line() == 0 {
			return m.recalled(m.back + 1), effect{}
		}
	case "down":
		if m.back > 0 && m.input.Line() == m.input.LineCount()-1 {
			return m.recalled(m.back - 1), effect{}
		}
	case "backspace":
		if m.input.Value() == "" && len(m.files) > 0 {
			m.files = m.files[:len(m.files)-1]
			return m, effect{}
		}
	}
	return m.typed(k)
}

// typed passes a message on to the field.
func (m Model) typed(msg tea.Msg) (Model, effect) {
	before := m.input.Value()
	var do tea.Cmd
	m.input, do = m.input.Update(msg)
	if m.input.Value() != before {
		m.closed, m.chosen = false, 0
	}
	return m, effect{do: []tea.Cmd{do}}
}

// interrupted stops the run, and the program when it comes twice.
func (m Model) interrupted() (Model, effect) {
	if m.leaving != 0 {
		m.done = true
		return m, effect{}
	}
	m.presses++
	m.leaving = m.presses
	n := lapsedMsg(m.presses)
	e := effect{do: []tea.Cmd{tea.Tick(leaveWithin, func(time.Time) tea.Msg { return n })}}
	switch {
	case m.sessions != nil:
		m.sessions = nil
	case m.run != "" || m.draft.text != "": // its words may come before the answer that names the run
		e.do = append(e.do, m.stop(cmp.Or(m.run, m.draft.run)))
		m.note = "Stopping. "
	case m.input.Value() != "":
		m.input.Reset()
		m.files = nil
	}
	m.note += "Ctrl-C once more leaves."
	return m, e
}

// recalled shows what was written so many messages before; 0 is what is being written.
func (m Model) recalled(back int) Model {
	text, ok := m.history.At(back)
	switch {
	case back == 0:
		text = m.written
	case !ok:
		return m
	case m.back == 0:
		m.written = m.input.Value()
	}
	m.back, m.closed = back, true
	m.input.SetValue(text)
	m.input.MoveToEnd()
	return m
}

// entered begins a line after a backslash, and else sends what is written.
func (m Model) entered() (Model, effect) {
	text := m.input.Value()
	if strings.HasSuffix(text, "\\") && m.input.Line() == m.input.LineCount()-1 {
		m.input.SetValue(strings.TrimSuffix(text, "\\") + "\n")
		m.input.MoveToEnd()
		return m, effect{}
	}
	said := strings.TrimSpace(text)
	if said == "" && len(m.files) == 0 {
		return m, effect{}
	}
	var e effect
	if err := m.history.Add(strings.TrimRight(text, " \n")); err != nil {
		m.note = "What you write is not kept: " + err.Error()
	}
	m.back, m.written = 0, ""
	m.input.Reset()
	switch said {
	case "/sessions":
		e.do = append(e.do, m.list)
		return m, e
	case "/quit":
		m.done = true
		return m, e
	}
	return m.sent(said)
}

// sent says a text, with the pictures that were pasted; documents go through the intake.
func (m Model) sent(said string) (Model, effect) {
	var e effect
	var pictures [][]byte
	for _, f := range m.files {
		project := m.thread.Project
		if project == "" {
			project = m.project
		}
		switch {
		case f.picture:
			pictures = append(pictures, f.data)
		case project == "":
			e.say(m.look.warn.Render(wrap("  "+Clean(f.name)+" is a document and goes through the intake of a project, and this conversation has none. Say `/project NAME` first.", m.width)))
		default:
			e.do = append(e.do, m.takeIn(project, f))
		}
	}
	m.files = nil
	if said != "" || len(pictures) > 0 {
		m.pending = append(slices.Clone(m.pending), said)
		e.do = append(e.do, m.say(said, pictures))
	}
	return m, e
}

// pasted takes a path as an attachment, and anything else as text with its lines.
func (m Model) pasted(msg tea.PasteMsg) (Model, effect) {
	m.note = ""
	if path := pathIn(msg.Content); path != "" {
		switch a, ok, wrong := attach(path); {
		case wrong != "":
			m.note = Clean(wrong)
			return m, effect{}
		case ok:
			m.files = append(slices.Clone(m.files), a)
			return m, effect{}
		}
	}
	return m.typed(tea.PasteMsg{Content: Clean(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(msg.Content))})
}

// fitting are the commands that fit what is being written.
func (m Model) fitting() []inbox.Command {
	word, ok := strings.CutPrefix(m.input.Value(), "/")
	if !ok || m.closed || strings.ContainsAny(word, " \n/") {
		return nil
	}
	var out []inbox.Command
	for _, c := range m.commands {
		if strings.HasPrefix(c.Name, word) {
			out = append(out, c)
		}
	}
	return out
}

func (m Model) completing(name string, fitting []inbox.Command) (Model, effect, bool) {
	at := min(m.chosen, len(fitting)-1)
	switch name {
	case "up", "down":
		m.chosen = moved(at, len(fitting), name)
		return m, effect{}, true
	case "esc":
		m.closed = true
		return m, effect{}, true
	case "enter":
		if "/"+fitting[at].Name == m.input.Value() { // it is whole, and is sent
			return m, effect{}, false
		}
	case "tab":
	default:
		return m, effect{}, false
	}
	m.input.SetValue("/" + fitting[at].Name + " ")
	m.input.MoveToEnd()
	return m, effect{}, true
}

func moved(at, of int, key string) int {
	if key == "up" {
		return (at + of - 1) % of
	}
	return (at + 1) % of
}

// choosing goes through the conversations that are listed.
func (m Model) choosing(name string) (Model, effect) {
	var e effect
	switch name {
	case "up", "down":
		m.chosen = moved(m.chosen, len(m.sessions), name)
	case "enter":
		e.do = append(e.do, m.open(m.sessions[m.chosen].ID))
		m.sessions = nil
	case "esc", "q":
		m.sessions = nil
	}
	return m, e
}

// deciding answers the question that waits: y and n where a yes and a no are answers, else its
// choices by number.
func (m Model) deciding(name string) (Model, effect, bool) {
	q := m.asked[0]
	choice := ""
	switch name {
	case "d":
		return m, effect{print: m.diffs(q)}, true
	case "y":
		if q.Kind != approval.LookUp && (q.Form == nil || q.Form.Complete()) {
			choice = q.Yes()
		}
	case "n":
		choice = q.No()
	case "a":
		if slices.Contains(q.Choices, approval.Always) {
			choice = approval.Always
		}
	default:
		for i, c := range q.Choices {
			if name == fmt.Sprint(i+1) && numbered(q) {
				choice = c
			}
		}
	}
	if choice == "" {
		return m, effect{}, false
	}
	return m, effect{do: []tea.Cmd{m.decide(q, choice)}}, true
}

// numbered reports whether a question is answered by the number of a choice.
func numbered(q approval.Request) bool { return q.Yes() == "" }

// answered forgets a question that was answered.
func (m Model) answered(id string) Model {
	m.asked = slices.DeleteFunc(slices.Clone(m.asked), func(q approval.Request) bool { return q.ID == id })
	return m
}

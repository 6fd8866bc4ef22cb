package terminal

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"chela/internal/approval"
	"chela/internal/org"
	"chela/internal/session"
)

// View implements [tea.Model]: only what still changes. What was said is above, in the
// terminal's own scrollback.
func (m Model) View() tea.View {
	content := m.frame()
	if !m.lowering {
		return tea.NewView(content)
	}
	v := tea.NewView(content + strings.Repeat("\n", max(0, m.drawn-lipgloss.Height(content))))
	v.Cursor = tea.NewCursor(0, 0)
	return v
}

// frame is what is to be drawn.
func (m Model) frame() string {
	switch {
	case m.printing:
		return m.frozen
	case m.done:
		return " "
	}
	return m.live()
}

// live is what is drawn below what was printed, never higher than the terminal.
func (m Model) live() string {
	var below []string
	for _, p := range m.pending {
		below = append(below, m.look.muted.Render(short("› "+oneLine(p), m.width-1)))
	}
	if s := m.working(); s != "" {
		below = append(below, s)
	}
	if len(m.asked) > 0 && m.ready == m.asked[0].ID {
		below = append(below, m.look.warn.Render(short(hints(m.asked[0]), m.width-1)))
	}
	below = append(below, m.offered()...)
	for _, f := range m.files {
		kind := "document, through the intake"
		if f.picture {
			kind = "picture"
		}
		below = append(below, m.look.accent.Render(short("  + "+Clean(f.name)+" ("+kind+"); Backspace leaves it out", m.width-1)))
	}
	below = append(below, m.input.View(), m.look.muted.Render(short(m.footer(), m.width-1)))
	tail := strings.Join(below, "\n")
	room := m.height - strings.Count(tail, "\n") - 2
	if text := strings.TrimSpace(m.draft.text); text != "" && room > 0 {
		lines := strings.Split(markdown(lately(text), m.width-1, m.look), "\n")
		return strings.Join(lines[max(0, len(lines)-room):], "\n") + "\n" + tail
	}
	return tail
}

// lately is the end of a long draft, from the beginning of a line on: it is shown anew with each
// of its words, and only its last lines are on the screen.
func lately(text string) string {
	const most = 16_000
	if len(text) <= most {
		return text
	}
	_, rest, _ := strings.Cut(text[len(text)-most:], "\n")
	return rest
}

// working says who works, in a line.
func (m Model) working() string {
	who := "the agents"
	if m.draft.agent != "" {
		who = org.AgentID(m.draft.agent).Name()
	}
	switch {
	case m.run == "" || len(m.asked) > 0:
		return ""
	case m.draft.tool != "":
		return m.look.muted.Render(short(fmt.Sprintf("  %s calls %s… Ctrl-C stops it.", Clean(who), oneLine(m.draft.tool)), m.width-1))
	case m.draft.text != "":
		return m.look.muted.Render(short("  "+Clean(who)+" writes… Ctrl-C stops it.", m.width-1))
	}
	return m.look.muted.Render(short("  "+Clean(who)+" works… Ctrl-C stops it.", m.width-1))
}

// mostOffered is how many commands or conversations are listed at once.
const mostOffered = 8

// offered lists what can be chosen: conversations, or the commands that fit.
func (m Model) offered() []string {
	var rows []string
	if m.sessions != nil {
		for _, s := range m.sessions {
			title := s.Title
			if title == "" {
				title = "New conversation"
			}
			rows = append(rows, fmt.Sprintf("%s  %s", s.UpdatedAt.Local().Format("01-02 15:04"), oneLine(title)))
		}
	} else {
		for _, c := range m.fitting() {
			rows = append(rows, fmt.Sprintf("%-20s %s", strings.TrimSpace("/"+c.Name+" "+c.Args), oneLine(c.Help)))
		}
	}
	if len(rows) == 0 {
		return nil
	}
	at := min(m.chosen, len(rows)-1)
	from := max(0, min(at-mostOffered/2, len(rows)-mostOffered))
	var out []string
	for i := from; i < min(from+mostOffered, len(rows)); i++ {
		row := short("  "+rows[i], m.width-1)
		if i == at {
			row = m.look.accent.Render(short("▸ "+rows[i], m.width-1))
		}
		out = append(out, row)
	}
	return out
}

func (m Model) footer() string {
	switch {
	case m.note != "":
		return m.note
	case m.sessions != nil:
		return "Enter goes on with it · Esc puts the list away"
	}
	parts := []string{"Enter sends", "Alt-Enter new line"}
	if !m.connected {
		parts[0] = "Connecting…"
	}
	if m.thread.Title != "" {
		parts = append([]string{oneLine(m.thread.Title)}, parts...)
	}
	if m.thread.Model != "" {
		parts = append(parts, Clean(m.thread.Model))
	}
	return strings.Join(parts, " · ")
}

// message shows what somebody said.
func (m Model) message(s session.Message) string {
	switch s.Role {
	case session.FromSystem:
		return prefixed(markdown(s.Message, m.width-3, m.look), m.look.muted.Render("│ "), m.look.muted.Render("│ "))
	case session.FromPerson, session.Commanded:
		text := wrap(Clean(s.Message), m.width-3)
		if n := len(s.Images); n > 0 {
			text = strings.TrimSpace(fmt.Sprintf("%s\n(with %d pictures)", text, n))
		}
		for _, audio := range s.Audio {
			text = strings.TrimSpace(text + "\n" + wrap(Clean(heard(audio)), m.width-3))
		}
		return prefixed(text, m.look.accent.Render("› "), "  ")
	case session.FromAgent:
	}
	out := m.look.strong.Render(Clean(org.AgentID(s.Actor).Name())) + "\n" + markdown(s.Message, m.width-1, m.look) + "\n"
	for _, f := range s.Files {
		out += m.look.muted.Render(wrap(fmt.Sprintf("The file %s, %d bytes: /api/artifacts/%s", Clean(f.Name), f.Size, Clean(f.Ref)), m.width-1)) + "\n"
	}
	if s.Confirmed != nil && !*s.Confirmed {
		out += m.look.warn.Render(wrap("Not confirmed: "+Clean(s.Review), m.width-1)) + "\n"
	}
	if s.Broken {
		out += m.look.bad.Render("The answer broke off here.") + "\n"
	}
	return out
}

// heard is an audio file as people see it.
func heard(s session.Audio) string {
	switch {
	case s.Text != "":
		return fmt.Sprintf("(%s) %s", s.Name, s.Text)
	case s.Why != "":
		return fmt.Sprintf("(%s could not be transcribed: %s)", s.Name, s.Why)
	case s.Below:
		return fmt.Sprintf("(%s, transcribed below)", s.Name)
	}
	return fmt.Sprintf("(%s is being transcribed)", s.Name)
}

// question shows what is asked, with exactly what would be done.
func (m Model) question(q approval.Request) string {
	out := []string{m.look.warn.Render(wrap("? "+Clean(q.Question)+" ("+Clean(q.ID)+")", m.width-1))}
	for _, c := range q.Calls {
		head := fmt.Sprintf("  %s (%s)", Clean(c.Tool), Clean(c.Risk))
		if c.Folder != "" {
			head += " in " + Clean(c.Folder)
		}
		out = append(out, m.look.strong.Render(wrap(head, m.width-1)), wrap(prefixed(Clean(c.Shown), "    ", "    "), m.width-1), m.look.muted.Render(wrap("    "+Clean(c.Why), m.width-1)))
		for _, n := range c.Notes {
			out = append(out, m.look.warn.Render(wrap("    ! "+Clean(n), m.width-1)))
		}
		if c.Shape != "" {
			out = append(out, m.look.muted.Render(wrap("    always would allow: "+Clean(c.Shape), m.width-1)))
		}
		if added, removed := count(c.Diff); added+removed > 0 {
			out = append(out, m.look.muted.Render(fmt.Sprintf("    %d lines more, %d lines less", added, removed)))
		}
	}
	if q.Detail != "" {
		out = append(out, wrap(prefixed(Clean(q.Detail), "    ", "    "), m.width-1))
	}
	if q.Note != "" {
		out = append(out, wrap("    A hook notes: "+Clean(q.Note), m.width-1))
	}
	return strings.Join(out, "\n")
}

// count counts the lines that a diff adds and removes.
func count(diff string) (added, removed int) {
	for line := range strings.SplitSeq(diff, "\n") {
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
		case strings.HasPrefix(line, "+"):
			added++
		case strings.HasPrefix(line, "-"):
			removed++
		}
	}
	return added, removed
}

// hints says which keys answer a question.
func hints(q approval.Request) string {
	var keys []string
	switch {
	case q.Kind == approval.LookUp:
		keys = []string{"/approve " + q.ID + " what you found", "n skips it"}
	case q.Form != nil && !q.Form.Complete():
		keys = []string{"/approve " + q.ID + " name=value; name=value", "n declines it"}
	case numbered(q):
		for i, c := range q.Choices {
			keys = append(keys, fmt.Sprintf("%d %s", i+1, c))
		}
	default:
		keys = []string{"y " + q.Yes(), "n " + q.No()}
		if slices.Contains(q.Choices, approval.Always) {
			keys = append(keys, "a always")
		}
	}
	for _, c := range q.Calls {
		if c.Diff != "" {
			keys = append(keys, "d shows the changes")
			break
		}
	}
	return "? " + oneLine(strings.Join(keys, " · "))
}

// diffs shows what the calls of a question would change.
func (m Model) diffs(q approval.Request) (out []string) {
	for _, c := range q.Calls {
		if c.Diff == "" {
			continue
		}
		lines := strings.Split(Clean(strings.TrimRight(c.Diff, "\n")), "\n")
		for i, line := range lines {
			line = strings.ReplaceAll(line, "\t", "    ")
			switch {
			case strings.HasPrefix(line, "+"):
				line = m.look.added.Render(line)
			case strings.HasPrefix(line, "-"):
				line = m.look.removed.Render(line)
			}
			lines[i] = line
		}
		out = append(out, strings.Join(lines, "\n"))
	}
	if len(out) == 0 {
		return []string{m.look.muted.Render("  It shows no changes.")}
	}
	return out
}

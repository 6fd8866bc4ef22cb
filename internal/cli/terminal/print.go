package terminal

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// What happens while lines are printed above: the frame is on the screen, and a piece is. A
// frame that becomes lower is ready to.
type (
	framedMsg  struct{}
	printedMsg struct{}
	loweredMsg struct{}
)

// frames is how many frames are drawn in a second, and drawn how long a frame surely takes.
const (
	frames = 120
	drawn  = 40 * time.Millisecond
)

// printed prints lines above what is drawn, in their order. The program inserts them above the
// frame that it believes to be on the screen; so the frame is made small, drawn, and not changed
// until all lines are there, and a piece of them never pushes it off the screen.
func (m Model) printed(msg tea.Msg, more []string) (Model, []tea.Cmd) {
	for _, text := range more {
		for line := range strings.SplitSeq(text, "\n") {
			if lipgloss.Width(line) > 4*m.width {
				line = ansi.Hardwrap(line, m.width, true)
			}
			m.queue = append(m.queue, strings.Split(line, "\n")...)
		}
	}
	switch msg.(type) {
	case framedMsg, printedMsg:
		if len(m.queue) > 0 {
			var piece string
			m, piece = m.piece()
			return m, []tea.Cmd{tea.Sequence(tea.Println(piece), func() tea.Msg { return printedMsg{} })}
		}
		m.printing, m.frozen = false, ""
	}
	if len(m.queue) > 0 && !m.printing {
		m.printing, m.frozen = true, m.small()
		return m, []tea.Cmd{tea.Tick(3*drawn, func(time.Time) tea.Msg { return framedMsg{} })} // it may be lowered before
	}
	return m, nil
}

// framed follows the height of the frame. The program loses its place on the screen when a frame
// becomes lower than where it left the cursor; so before that the cursor is put into the frame's
// first line, and drawn there. When nothing is left to do, it leaves.
func (m Model) framed(msg tea.Msg) (Model, []tea.Cmd) {
	want := lipgloss.Height(m.frame())
	if _, ok := msg.(loweredMsg); ok {
		m.drawn, m.lowering = want, false
	}
	switch {
	case want > m.drawn:
		m.drawn = want
	case want < m.drawn && !m.lowering:
		m.lowering = true
		return m, []tea.Cmd{tea.Tick(drawn, func(time.Time) tea.Msg { return loweredMsg{} })}
	case m.done && !m.printing && !m.lowering:
		return m, []tea.Cmd{tea.Quit}
	}
	return m, nil
}

// piece takes as many lines from the queue as fit above the frame.
func (m Model) piece() (Model, string) {
	room := max(m.height-lipgloss.Height(m.frozen)-1, 1)
	n := 0
	for n < len(m.queue) {
		if room -= 1 + lipgloss.Width(m.queue[n])/m.width; room < 0 && n > 0 {
			break
		}
		n++
	}
	piece := strings.Join(m.queue[:n], "\n")
	m.queue = m.queue[n:]
	if piece == "" {
		piece = " " // nothing at all would not be printed
	}
	return m, piece
}

// small is the frame while lines are printed.
func (m Model) small() string {
	if m.done {
		return " "
	}
	return m.input.View() + "\n" + m.look.muted.Render(short(m.footer(), m.width-1))
}

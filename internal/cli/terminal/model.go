package terminal

import (
	"context"
	"strings"
	"time"

	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"

	"chela/internal/approval"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/inbox"
	"chela/internal/run"
	"chela/internal/session"
)

// A Model is all that the terminal shows and knows. It is changed by [Model.next] alone, which
// does nothing itself: what is to be printed and done comes back as an effect.
type Model struct {
	ctx     context.Context //nolint:containedctx // of the program: commands run long after they were made
	daemon  *client.Client
	follow  func(thread string, after event.Seq) // has what follows be heard, as heardMsg
	history *History
	look    look

	width, height int
	input         textarea.Model
	files         []attachment
	back          int    // how far back in the history it is; 0 is what is being written
	written       string // what was being written

	project, agent string         // of conversations that begin
	thread         session.Thread // ID is empty before the first message
	wide           bool           // all threads are followed, until the conversation has an id
	early          []heardMsg     // what was heard meanwhile
	connected      bool           // the stream has been opened once
	seen           event.Seq      // the last event that was shown
	end            event.Seq
	pending        []string // sent, and not in the log yet
	draft          draft
	run            string // that is under way
	calls          map[string]call
	asked          []approval.Request
	ready          string // the question that was shown long enough for a key to be meant for it

	commands []inbox.Command
	chosen   int
	closed   bool           // the list of commands was put away
	sessions []session.View // to choose from; nil for none

	leaving  int // the last Ctrl-C; another one before it lapses leaves
	presses  int
	note     string   // of the last key, until the next one
	queue    []string // lines that are to be printed
	frozen   string   // what is drawn while they are; see printed
	printing bool
	drawn    int  // how high the frame on the screen is
	lowering bool // to a lower one; see framed
	done     bool
	err      error // why it ended
	opening  []string
	told     string // what the system said last
}

// An effect is what follows from a message: what is printed above, for good, and what is done.
type effect struct {
	print []string
	do    []tea.Cmd
}

func (e *effect) say(text string) { e.print = append(e.print, text) }

// most rows of the field where a message is written, and lines of one.
const (
	mostRows  = 8
	mostLines = 5000
)

func newModel(ctx context.Context, o Options, l look) Model {
	field := textarea.New()
	field.Prompt, field.ShowLineNumbers, field.Placeholder = "› ", false, "Say something; / for commands"
	field.MaxHeight, field.MaxContentHeight, field.DynamicHeight, field.MinHeight = mostRows, mostLines, true, 1
	styles := textarea.Styles{}
	styles.Focused.Prompt, styles.Focused.Placeholder = l.accent, l.muted
	field.SetStyles(styles)
	field.SetVirtualCursor(true)
	field.KeyMap.InsertNewline.SetKeys("alt+enter", "shift+enter", "ctrl+j")
	field.Focus()
	m := Model{
		ctx: ctx, daemon: o.Daemon, history: o.History, look: l, input: field, project: o.Project, agent: o.Agent, opening: o.Opening,
		calls: make(map[string]call),
	}
	if m.history == nil {
		m.history = new(History)
	}
	m.thread.ID = o.Thread
	return m.sized(80, 24)
}

func (m Model) sized(width, height int) Model {
	m.width, m.height = max(width, narrowest), max(height, 6)
	m.input.SetWidth(m.width - 1)
	return m
}

// Init implements [tea.Model].
func (m Model) Init() tea.Cmd { return tea.Batch(textarea.Blink, m.begin) }

// Update implements [tea.Model].
func (m Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m, e := m.next(msg)
	m, print := m.printed(msg, e.print)
	m, draw := m.framed(msg)
	return m, tea.Batch(append(append(e.do, print...), draw...)...)
}

// next is the model after a message, and what follows from it.
func (m Model) next(msg tea.Msg) (Model, effect) {
	var e effect
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		return m.sized(msg.Width, msg.Height), e
	case tea.KeyPressMsg:
		return m.key(msg)
	case tea.PasteMsg:
		return m.pasted(msg)
	case lapsedMsg:
		if int(msg) == m.leaving {
			m.leaving, m.note = 0, ""
		}
	case settledMsg:
		m.ready = string(msg)
	case begunMsg:
		return m.begun(msg)
	case openedMsg:
		return m.opened(msg)
	case heardMsg:
		return m.heard(msg)
	case acceptedMsg:
		return m.accepted(msg)
	case takenInMsg:
		if msg.err != nil {
			e.say(m.failure(msg.name+" was not taken in.", msg.err))
			break
		}
		e.say(m.look.muted.Render("  " + Clean(msg.name) + " goes through the intake of the project (" + msg.run + "); its records follow."))
	case decidedMsg:
		if msg.err != nil {
			e.say(m.failure("That was not decided.", msg.err))
			return m, e
		}
		return m.answered(msg.id).next(settledMsg(""))
	case listedMsg:
		return m.listed(msg)
	case stoppedMsg:
		if msg.err != nil && fault.KindOf(msg.err) != fault.Conflict { // that it has ended is as good
			e.say(m.failure("It was not stopped.", msg.err))
		}
	case cutMsg:
		m.note = "The daemon cannot be reached; trying again…"
	default:
		var do tea.Cmd
		m.input, do = m.input.Update(msg)
		e.do = append(e.do, do)
	}
	return m, e
}

// failure says what went wrong and why.
func (m Model) failure(what string, err error) string {
	return m.look.bad.Render(wrap("✗ "+what+" "+Clean(fault.TextOf(err)), m.width))
}

// begun goes on with a conversation, or waits for the first message of a new one.
func (m Model) begun(msg begunMsg) (Model, effect) {
	var e effect
	if msg.err != nil {
		m.err, m.done = msg.err, true
		return m, e
	}
	m.commands, m.end = append(msg.commands, local()...), msg.end
	if m.thread.ID != "" {
		e.do = append(e.do, m.open(m.thread.ID))
		return m, e
	}
	m.wide = true
	m.follow("", m.end)
	for _, line := range m.opening {
		e.say(m.look.muted.Render(wrap("  "+Clean(line), m.width)))
	}
	return m, e
}

// local are the commands that the terminal answers itself.
func local() []inbox.Command {
	return []inbox.Command{
		{Name: "sessions", Help: "Lists the conversations; Enter goes on with one."},
		{Name: "quit", Help: "Leaves; what works goes on."},
	}
}

// opened shows a conversation that is gone on with.
func (m Model) opened(msg openedMsg) (Model, effect) {
	var e effect
	if msg.err != nil {
		e.say(m.failure("The conversation was not opened.", msg.err))
		if m.seen == 0 && m.thread.Title == "" { // it is none
			m.err, m.done = msg.err, true
		}
		return m, e
	}
	m.thread, m.wide, m.early, m.draft, m.run, m.asked, m.seen = msg.thread, false, nil, draft{}, "", nil, 0
	title := msg.thread.Title
	if title == "" {
		title = "New conversation"
	}
	e.say(m.look.muted.Render(wrap("── "+Clean(title)+" · "+msg.thread.ID+" ──", m.width)))
	for _, said := range msg.messages {
		e.say(m.message(said))
		m.seen = said.Seq
	}
	for _, r := range msg.runs {
		if !run.State(r.State).Final() {
			m.run = r.ID
		}
	}
	for _, q := range msg.asked {
		var more effect
		m, more = m.asks(q.Request)
		e.print, e.do = append(e.print, more.print...), append(e.do, more.do...)
	}
	m.follow(m.thread.ID, m.seen)
	return m, e
}

// accepted is what became of a message that was sent.
func (m Model) accepted(msg acceptedMsg) (Model, effect) {
	var e effect
	if msg.err != nil {
		m = m.arrived(msg.text)
		e.say(m.failure("That was not said.", msg.err))
		if m.input.Value() == "" {
			m.input.SetValue(msg.text)
		}
		return m, e
	}
	if msg.out.Run != "" {
		m.run = msg.out.Run
	}
	switch {
	case m.thread.ID == "":
		m.thread.ID = msg.out.Thread
		early := m.early
		m.early = nil
		for _, h := range early {
			var more effect
			m, more = m.heard(h)
			e.print, e.do = append(e.print, more.print...), append(e.do, more.do...)
		}
	case msg.out.Thread != m.thread.ID: // a command has led elsewhere
		m = m.arrived(msg.text)
		e.do = append(e.do, m.open(msg.out.Thread))
	}
	return m, e
}

// arrived forgets a message that was on its way.
func (m Model) arrived(text string) Model {
	for i, p := range m.pending {
		if p == text || strings.HasPrefix(p, "//") && p[1:] == text {
			m.pending = append(append([]string(nil), m.pending[:i]...), m.pending[i+1:]...)
			break
		}
	}
	return m
}

// listed offers conversations to go on with.
func (m Model) listed(msg listedMsg) (Model, effect) {
	var e effect
	switch {
	case msg.err != nil:
		e.say(m.failure("The conversations were not listed.", msg.err))
	case len(msg.all) == 0:
		e.say(m.look.muted.Render("  There are no conversations yet."))
	default:
		m.sessions, m.chosen = msg.all, 0
	}
	return m, e
}

// lapsedMsg ends the time in which another Ctrl-C leaves.
type lapsedMsg int

// leaveWithin is how soon a second Ctrl-C leaves.
const leaveWithin = 2 * time.Second

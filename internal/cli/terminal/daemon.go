package terminal

import (
	"encoding/json"
	"slices"

	tea "charm.land/bubbletea/v2"

	"chela/internal/approval"
	"chela/internal/event"
	"chela/internal/gateway/client"
	"chela/internal/inbox"
	"chela/internal/session"
)

// logged is an event as the stream has it.
type logged struct {
	Seq     event.Seq       `json:"seq"`
	Type    string          `json:"type"`
	Thread  string          `json:"thread_id"`
	Run     string          `json:"run_id"`
	Task    string          `json:"task_id"`
	From    string          `json:"from"`
	Payload json.RawMessage `json:"payload"`
}

// What comes back from the daemon, as messages to the model.
type (
	begunMsg struct {
		commands []inbox.Command
		end      event.Seq // of the log, when the terminal began
		err      error
	}
	openedMsg struct {
		thread   session.Thread
		messages []session.Message
		runs     []client.RunRow
		asked    []approval.Approval
		err      error
	}
	acceptedMsg struct {
		text string
		out  inbox.Accepted
		err  error
	}
	takenInMsg struct {
		name string
		run  string
		err  error
	}
	decidedMsg struct {
		id  string
		err error
	}
	listedMsg struct {
		all []session.View
		err error
	}
	stoppedMsg struct{ err error }
	heardMsg   struct{ client.Heard }
	cutMsg     struct{} // the stream ended; it is followed again
)

// begin asks what can be completed, and where the log ends.
func (m Model) begin() tea.Msg {
	commands, err := m.daemon.ListCommands(m.ctx)
	if err != nil {
		return begunMsg{err: err}
	}
	status, err := m.daemon.Status(m.ctx)
	return begunMsg{commands, event.Seq(status.LogEnd), err}
}

// shownAgain is how many messages of a conversation are shown when it is gone on with.
const shownAgain = 30

func (m Model) open(thread string) tea.Cmd {
	return func() tea.Msg {
		var out openedMsg
		view, err := m.daemon.GetConversation(m.ctx, thread)
		if err != nil {
			return openedMsg{err: err}
		}
		out.thread = view.Thread
		if out.messages, err = m.daemon.ListMessages(m.ctx, thread, client.ListMessagesQuery{Newest: true, Limit: shownAgain}); err != nil {
			return openedMsg{err: err}
		}
		if out.runs, err = m.daemon.ListRuns(m.ctx, client.ListRunsQuery{Thread: thread, Limit: 5}); err != nil {
			return openedMsg{err: err}
		}
		out.asked, out.err = m.daemon.ListApprovals(m.ctx, client.ListApprovalsQuery{Status: string(approval.Pending), Limit: 200})
		out.asked = slices.DeleteFunc(out.asked, func(a approval.Approval) bool {
			return !slices.ContainsFunc(out.runs, func(r client.RunRow) bool { return r.ID == string(a.Run) })
		})
		return out
	}
}

func (m Model) say(text string, pictures [][]byte) tea.Cmd {
	in := client.ChatBody{ThreadID: client.Given(m.thread.ID), Agent: client.Given(m.agent), Text: text, Images: pictures}
	if in.ThreadID == nil {
		in.ProjectID = client.Given(m.project)
	}
	return func() tea.Msg {
		out, err := m.daemon.Chat(m.ctx, in)
		return acceptedMsg{text, out.Accepted, err}
	}
}

func (m Model) takeIn(project string, a attachment) tea.Cmd {
	return func() tea.Msg {
		out, err := m.daemon.Intake(m.ctx, client.IntakeBody{ProjectID: project, Files: []client.IntakeFile{{Name: a.name, Data: a.data}}})
		return takenInMsg{a.name, out.Run, err}
	}
}

func (m Model) decide(q approval.Request, choice string) tea.Cmd {
	return func() tea.Msg {
		_, err := m.daemon.AnswerApproval(m.ctx, q.ID, client.AnswerBody{Choice: choice, Digest: client.Given(q.Digest)})
		return decidedMsg{q.ID, err}
	}
}

func (m Model) stop(id string) tea.Cmd {
	return func() tea.Msg {
		_, err := m.daemon.CancelRun(m.ctx, id)
		return stoppedMsg{err}
	}
}

func (m Model) list() tea.Msg {
	all, err := m.daemon.ListConversations(m.ctx, client.ListConversationsQuery{Project: m.project, Limit: 20})
	return listedMsg{all, err}
}

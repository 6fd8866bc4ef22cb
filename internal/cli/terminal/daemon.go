package terminal

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"

	tea "charm.land/bubbletea/v2"

	"chela/internal/approval"
	"chela/internal/event"
	"chela/internal/gateway/client"
	"chela/internal/inbox"
	"chela/internal/run"
	"chela/internal/session"
)

// A Daemon is what the terminal speaks to; [client.Client] is one.
type Daemon interface {
	Call(ctx context.Context, method, path string, in, out any) error
	Follow(ctx context.Context, thread string, after event.Seq, hear func(client.Heard)) error
}

var _ Daemon = (*client.Client)(nil)

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
		runs     []run.Run
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

func get[T any](m Model, path string) (out T, err error) {
	err = m.daemon.Call(m.ctx, "GET", path, nil, &out)
	return out, err
}

// begin asks what can be completed, and where the log ends.
func (m Model) begin() tea.Msg {
	commands, err := get[[]inbox.Command](m, "/api/commands")
	if err != nil {
		return begunMsg{err: err}
	}
	status, err := get[struct {
		End event.Seq `json:"log_end"`
	}](m, "/api/status")
	return begunMsg{commands, status.End, err}
}

// shownAgain is how many messages of a conversation are shown when it is gone on with.
const shownAgain = "30"

func (m Model) open(thread string) tea.Cmd {
	return func() tea.Msg {
		at := "/api/conversations/" + url.PathEscape(thread)
		var out openedMsg
		if out.thread, out.err = get[session.Thread](m, at); out.err != nil {
			return out
		}
		if out.messages, out.err = get[[]session.Message](m, at+"/messages?newest=true&limit="+shownAgain); out.err != nil {
			return out
		}
		if out.runs, out.err = get[[]run.Run](m, "/api/runs?limit=5&thread="+url.QueryEscape(thread)); out.err != nil {
			return out
		}
		out.asked, out.err = get[[]approval.Approval](m, "/api/approvals?status=pending&limit=200")
		out.asked = slices.DeleteFunc(out.asked, func(a approval.Approval) bool {
			return !slices.ContainsFunc(out.runs, func(r run.Run) bool { return r.ID == a.Run })
		})
		return out
	}
}

func (m Model) say(text string, pictures [][]byte) tea.Cmd {
	in := struct {
		Thread  string   `json:"threadId,omitempty"`
		Project string   `json:"projectId,omitempty"`
		Agent   string   `json:"agent,omitempty"`
		Text    string   `json:"text"`
		Images  [][]byte `json:"images,omitempty"`
	}{Thread: m.thread.ID, Agent: m.agent, Text: text, Images: pictures}
	if in.Thread == "" {
		in.Project = m.project
	}
	return func() tea.Msg {
		out := acceptedMsg{text: text}
		out.err = m.daemon.Call(m.ctx, "POST", "/api/chat", in, &out.out)
		return out
	}
}

func (m Model) takeIn(project string, a attachment) tea.Cmd {
	type file struct {
		Name string `json:"name"`
		Data []byte `json:"data"`
	}
	in := struct {
		Project string `json:"projectId"`
		Files   []file `json:"files"`
	}{project, []file{{a.name, a.data}}}
	return func() tea.Msg {
		var out struct {
			Run string `json:"runId"`
		}
		err := m.daemon.Call(m.ctx, "POST", "/api/intake", in, &out)
		return takenInMsg{a.name, out.Run, err}
	}
}

func (m Model) decide(q approval.Request, choice string) tea.Cmd {
	in := struct {
		Choice string `json:"choice"`
		Digest string `json:"digest,omitempty"`
	}{choice, q.Digest}
	return func() tea.Msg {
		return decidedMsg{q.ID, m.daemon.Call(m.ctx, "POST", "/api/approvals/"+url.PathEscape(q.ID), in, nil)}
	}
}

func (m Model) stop(id string) tea.Cmd {
	return func() tea.Msg {
		return stoppedMsg{m.daemon.Call(m.ctx, "POST", "/api/runs/"+url.PathEscape(id)+"/cancel", nil, nil)}
	}
}

func (m Model) list() tea.Msg {
	all, err := get[[]session.View](m, "/api/conversations?limit=20&project="+url.QueryEscape(m.project))
	return listedMsg{all, err}
}

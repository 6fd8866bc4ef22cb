package acp

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"chela/internal/approval"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/stream"
	"chela/internal/talk"
	"chela/internal/tool"
)

// hear shows a frame of the daemon's stream.
func (v *conversation) hear(ctx context.Context, h client.Heard) {
	switch {
	case h.Opened:
	case h.Tick:
		var t stream.Tick
		if json.Unmarshal(h.Data, &t) == nil && t.Thread == v.id {
			v.wrote(t)
		}
	default:
		var l client.Logged
		if json.Unmarshal(h.Data, &l) == nil && l.ThreadID == v.id && event.Seq(l.Seq) > v.seen {
			v.seen = event.Seq(l.Seq)
			v.recorded(ctx, l, false)
		}
	}
}

// wrote shows a piece of an answer that is being written.
func (v *conversation) wrote(t stream.Tick) {
	if t.Kind != "delta" {
		return
	}
	if t.Run == v.over.run {
		if t.At > 0 || strings.HasPrefix(v.over.text, strings.TrimSpace(t.Text)) {
			return
		}
		v.over.run = ""
	}
	if t.Run != v.writing {
		v.writing, v.shown = t.Run, talk.Written{}
	}
	if more := v.shown.Take(t); more != "" {
		v.editor.show(v.id, update{agent: more})
	}
}

// read decodes a payload. What cannot be read is not shown.
func read[P any](l client.Logged, do func(p P)) {
	var p P
	if json.Unmarshal(l.Payload, &p) == nil {
		do(p)
	}
}

// recorded shows an event. One that is told again, of what was before, asks and ends nothing.
func (v *conversation) recorded(ctx context.Context, l client.Logged, before bool) {
	switch l.Type {
	case session.SaidKind.Name:
		read(l, func(m session.Said) { v.said(l, m, before) })
	case session.NoticeKind.Name:
		read(l, func(n session.Notice) { v.noticed(l, n, before) })
	case session.ChangedKind.Name:
		read(l, v.changed)
	case session.DroppedKind.Name:
		read(l, v.dropped)
	case tool.CallKind.Name:
		read(l, func(p tool.CallPayload) { v.called(l, p) })
	case tool.ResultKind.Name:
		read(l, func(p tool.ResultPayload) {
			v.returned(l, p.Call, call{title: p.Tool, state: stateOf(p.Success), text: p.Result, places: changedIn(p.Changed)})
		})
	case tool.ErrorKind.Name:
		read(l, func(p tool.ErrorPayload) {
			v.returned(l, p.Call, call{title: p.Tool, state: failed, text: p.Error, places: changedIn(p.Changed)})
		})
	case approval.RequestedKind.Name:
		if !before {
			read(l, func(q approval.Request) { v.ask(ctx, q) })
		}
	case approval.AnsweredKind.Name:
		read(l, func(a approval.Answer) { v.answered(a) })
	case run.QueuedKind.Name, run.StartedKind.Name:
		v.current = l.RunID
	case session.ClientCallsKind.Name:
		read(l, func(q session.ClientCalls) {
			if before {
				v.unmade[l.RunID] = q
			} else if p := v.prompt; p != nil && p.run == l.RunID { // else it is another program's
				v.serve(ctx, l.RunID, q)
			}
		})
	case run.ResumedKind.Name:
		delete(v.unmade, l.RunID)
	case run.WaitingKind.Name:
		if !before {
			read(l, func(w run.Waits) { v.waits(l.RunID, w) })
		}
	case run.FinishedKind.Name:
		if before {
			v.current = ""
			delete(v.unmade, l.RunID)
			break
		}
		read(l, func(f run.Finished) { v.finished(l.RunID, f) })
	}
}

func stateOf(success bool) string {
	if success {
		return finished
	}
	return failed
}

// said shows what somebody said, unless the editor has it.
func (v *conversation) said(l client.Logged, m session.Said, before bool) {
	own := v.own[l.ID] || v.own[m.Held] && m.Held != ""
	delete(v.own, l.ID)
	delete(v.own, m.Held)
	if p := v.prompt; p != nil && p.held && p.message == m.Held {
		p.held, p.run = false, l.RunID
	}
	if org.PersonOf(event.Party{AgentID: l.From, Role: "person"}) != "" {
		if own && m.Command {
			v.quiet = l.RunID
		}
		if !own {
			v.editor.show(v.id, update{person: m.Words()})
		}
		return
	}
	text := m.Message
	v.over.run, v.over.text = l.RunID, text
	if !before && v.writing == l.RunID {
		text = v.shown.Rest(text)
		v.writing, v.shown = "", talk.Written{}
	}
	if m.Confirmed != nil && !*m.Confirmed {
		text += "\n\n[Not confirmed: " + m.Review + "]"
	}
	for _, f := range m.Files {
		text += "\n\n[File: " + f.Name + ", " + f.Ref + "]"
	}
	if text != "" {
		v.editor.show(v.id, update{agent: text})
	}
}

// noticed shows what the daemon says by itself. The reason of a failure is the prompt's end, too, and is not said twice.
func (v *conversation) noticed(l client.Logged, n session.Notice, before bool) {
	if l.RunID != "" && l.RunID == v.quiet {
		v.quiet = ""
		return
	}
	if p := v.prompt; !before && p != nil && p.run == l.RunID && v.notice == "" {
		v.notice = n.Message
		return
	}
	v.editor.show(v.id, update{agent: n.Message})
}

// changed shows what is different about the conversation.
func (v *conversation) changed(c session.Changed) {
	if c.Title != nil {
		v.thread.Title = *c.Title
		v.editor.show(v.id, update{title: *c.Title})
	}
	if c.Agent != nil {
		v.thread.Agent = *c.Agent
	}
	if c.Model != nil {
		v.thread.Model = *c.Model
	}
	if c.Agent != nil || c.Model != nil {
		v.editor.show(v.id, update{options: v.options()})
	}
}

// dropped ends the prompt whose message waited and is not said any more.
func (v *conversation) dropped(d session.Dropped) {
	if p := v.prompt; p != nil && p.held && p.message == d.ID {
		out := outcome{cancelled: p.cancelled}
		if !p.cancelled {
			out.err = fault.New(fault.Conflict, "The message was not said: %s Send it again.", d.Why)
		}
		v.finish(out)
	}
}

// waits says what a run waits for that nobody here is asked.
func (v *conversation) waits(id string, w run.Waits) {
	if p := v.prompt; p != nil && p.run == id && w.For == run.ForResume {
		v.editor.show(v.id, update{agent: talk.Waits(w.Reason)})
	}
}

// callID is how the editor knows a call of a run. first says that it does not yet.
func (v *conversation) callID(id, of string) (name string, first bool) {
	key := id + "/" + of
	if name, known := v.calls[key]; known {
		return name, false
	}
	name = key
	if n := v.rounds[key]; n > 0 { // a model may use its ids again
		name += "." + strconv.Itoa(n)
	}
	v.rounds[key]++
	v.calls[key] = name
	return name, true
}

// called shows that a tool is called.
func (v *conversation) called(l client.Logged, p tool.CallPayload) {
	id, first := v.callID(l.RunID, p.Call)
	v.editor.show(v.id, update{call: &call{id: id, first: first, title: titleOf(p.Tool, p.Args), kind: kindOf(p.Tool, p.Risk), state: working, args: p.Args, places: pathIn(p.Args, "")}})
}

// mostResult bounds what the editor is shown of a result, in characters.
const mostResult = 8000

// returned shows what came of a call.
func (v *conversation) returned(l client.Logged, of string, c call) {
	c.id, c.first = v.callID(l.RunID, of)
	delete(v.calls, l.RunID+"/"+of)
	if !c.first {
		c.title = ""
	}
	c.text = fenced(short(strings.TrimSpace(c.text), mostResult))
	v.editor.show(v.id, update{call: &c})
}

package agent

import (
	"bytes"
	"context"
	"errors"

	"chela/internal/approval"
	"chela/internal/confusable"
	"chela/internal/fault"
	"chela/internal/guard"
	"chela/internal/hook"
)

// hooked asks hooks about calls that are permitted or will be asked about. Arguments that
// a hook alters are judged as if the model had given them. A call whose result is recorded
// is past that.
func (l *loop) hooked(ctx context.Context, i int, plans []plan) error {
	if l.g.opts.Hooks == nil {
		return nil
	}
	for n := range plans {
		p := &plans[n]
		if p.tool == nil || p.verdict.Verdict == guard.Deny || l.s.Recorded(l.callKey(i, n)).Done {
			continue
		}
		asked := hook.ToolUse{Run: string(l.s.Run.ID), Project: l.s.Run.Project, Agent: string(l.agentID()), Tool: p.tool.Name, Args: object(p.call.Args)}
		now, err := hook.Ask(ctx, l.g.opts.Hooks, hook.BeforeTool, asked.Run, p.tool.Of(p.act.Part).Name, asked)
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		if err != nil {
			p.verdict = guard.Decision{Verdict: guard.Deny, Rule: "hook", Text: fault.TextOf(err)}
			continue
		}
		if bytes.Equal(now.Args, asked.Args) {
			continue
		}
		p.call.Args = now.Args
		by, err := l.g.permitted(ctx, l.agentID(), l.s.Run.Project)
		if err != nil {
			p.verdict = unread(err)
			continue
		}
		l.decide(p, by)
	}
	return nil
}

// mayCompact asks hooks whether the history may be cut down.
func (l *loop) mayCompact(ctx context.Context) error {
	_, err := hook.Ask(ctx, l.g.opts.Hooks, hook.BeforeCompaction, string(l.s.Run.ID), "",
		hook.Compaction{Run: string(l.s.Run.ID), Agent: string(l.agentID()), Messages: len(l.history)})
	if cause := context.Cause(ctx); cause != nil {
		return errors.Join(err, cause)
	}
	return err
}

// maxNote bounds what hooks tell who answers a question.
const maxNote = 2000

// mayAsk asks hooks whether a question may be put to a person, and takes in what they note
// for them. Whatever they answer, it is for the person to allow.
func (l *loop) mayAsk(ctx context.Context, q *approval.Request) error {
	if l.g.opts.Hooks == nil {
		return nil
	}
	asking := hook.Asking{Run: string(l.s.Run.ID), Project: l.s.Run.Project, Agent: string(l.agentID()), Kind: string(q.Kind), Question: q.Question, Detail: q.Detail}
	for _, c := range q.Calls {
		asking.Calls = append(asking.Calls, hook.AskedCall{Tool: c.Tool, Risk: c.Risk, Args: c.Args, Folder: c.Folder, Why: c.Why})
	}
	now, err := hook.Ask(ctx, l.g.opts.Hooks, hook.Approval, asking.Run, q.Tool, asking)
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	q.Note = confusable.Reveal(head(l.g.opts.Redact(ctx, now.Note), maxNote))
	return err
}

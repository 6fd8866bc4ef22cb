package acp

import (
	"context"
	"slices"
	"strings"

	"chela/internal/approval"
	"chela/internal/fault"
	"chela/internal/gateway/client"
)

// An asking is a question that the editor's person was put.
type asking struct {
	run      string
	withdraw context.CancelFunc // somebody has answered it
}

// ask puts a question to the editor's person, beside what else happens. It can be answered elsewhere, too; the first answer counts.
func (v *conversation) ask(ctx context.Context, q approval.Request) {
	if _, there := v.asks[q.ID]; there {
		return
	}
	var put func(ctx context.Context) (client.AnswerBody, bool)
	switch q.Kind {
	case approval.ToolCalls:
		put = v.aboutCalls(q)
	case approval.Decision, approval.BudgetReached, approval.OutcomeUnknown:
		put = v.aboutChoices(q)
	case approval.LookUp, approval.Elicitation: // what is to be filled in has no place here
		v.editor.show(v.id, update{agent: aside("Waiting: " + q.Question + " Answer it on the page or with `chela approval show " + q.ID + "`.")})
		return
	}
	ctx, withdraw := context.WithCancel(ctx)
	v.asks[q.ID] = asking{string(q.Run), withdraw}
	v.all.Go(func() {
		defer withdraw()
		in, answers := put(ctx)
		if !answers || ctx.Err() != nil {
			return
		}
		in.Digest = client.Given(q.Digest)
		err := v.retry(func(cl *client.Client) error {
			_, err := cl.AnswerApproval(ctx, q.ID, in)
			return err
		})
		if err != nil && ctx.Err() == nil && fault.KindOf(err) != fault.Conflict { // then somebody else was first
			v.within(func() { v.editor.show(v.id, update{agent: aside(fault.TextOf(err))}) })
		}
	})
}

// answered takes note that a question is answered, here or elsewhere.
func (v *conversation) answered(a approval.Answer) {
	if asked, ok := v.asks[a.ID]; ok {
		asked.withdraw()
		delete(v.asks, a.ID)
	}
	if id, ok := v.calls[question(a.ID)]; ok {
		delete(v.calls, question(a.ID))
		v.editor.show(v.id, update{call: &call{id: id, state: finished, text: "Answered: " + a.Choice + "."}})
	}
}

// question is how a question that is about no call is known among the calls.
func question(id string) string { return "/" + id }

// aboutCalls shows what is asked about, and returns what asks the person about each call, one after the other. What they deny is denied, and the rest
// approved.
func (v *conversation) aboutCalls(q approval.Request) func(ctx context.Context) (client.AnswerBody, bool) {
	calls := make([]call, len(q.Calls))
	for i, a := range q.Calls {
		c := asked(a)
		c.id, c.first = v.callID(string(q.Run), a.Call)
		if q.Note != "" {
			c.text += "\n\n**Note:** " + q.Note
		}
		v.editor.show(v.id, update{call: &c})
		c.first = false
		calls[i] = c
	}
	return func(ctx context.Context) (client.AnswerBody, bool) {
		var allowed []string
		always := 0
		for i, c := range calls {
			options := []choice{{id: approval.Approve, name: "Allow", allows: true}}
			if q.Calls[i].Shape != "" && slices.Contains(q.Choices, approval.Always) {
				options = append(options, choice{id: approval.Always, name: "Always allow " + short(q.Calls[i].Shape, mostTitle), allows: true, always: true})
			}
			options = append(options, choice{id: approval.Refuse, name: "Deny"})
			said, err := v.editor.permit(ctx, v.id, c, options)
			switch {
			case err != nil && ctx.Err() == nil:
				v.logf("The editor did not ask about %s: %v", q.ID, err)
				return client.AnswerBody{}, false
			case err != nil || said == "":
				return client.AnswerBody{}, false
			case said == approval.Always:
				always++
				allowed = append(allowed, q.Calls[i].Call)
			case said == approval.Approve:
				allowed = append(allowed, q.Calls[i].Call)
			}
		}
		return verdict(len(calls), allowed, always), true
	}
}

// verdict is the answer to a question about calls. It is for always when the person said so of each call that they allow.
func verdict(calls int, allowed []string, always int) client.AnswerBody {
	out := client.AnswerBody{Choice: approval.Approve}
	switch {
	case len(allowed) == 0:
		out.Choice = approval.Refuse
		return out
	case always == len(allowed):
		out.Choice = approval.Always
	}
	if len(allowed) < calls {
		out.Calls = allowed
	}
	return out
}

// aboutChoices returns what asks the person for one of the choices of a question that is about no call.
func (v *conversation) aboutChoices(q approval.Request) func(ctx context.Context) (client.AnswerBody, bool) {
	c := call{first: true, title: q.Question, kind: "other", state: pending, text: strings.TrimSpace(q.Detail + "\n\n" + q.Note)}
	c.id = q.ID
	v.calls[question(q.ID)] = q.ID
	v.editor.show(v.id, update{call: &c})
	var options []choice
	for _, name := range q.Choices {
		if name == approval.Room || name == approval.Expired {
			continue
		}
		refuses := name == approval.Refuse || name == approval.Stop || name == approval.Skip || name == approval.Decline
		options = append(options, choice{id: name, name: strings.ToUpper(name[:min(1, len(name))]) + name[min(1, len(name)):], allows: !refuses})
	}
	c.first = false
	return func(ctx context.Context) (client.AnswerBody, bool) {
		said, err := v.editor.permit(ctx, v.id, c, options)
		return client.AnswerBody{Choice: said}, err == nil && said != ""
	}
}

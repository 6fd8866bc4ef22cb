package notify

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"chela/internal/approval"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/tool"
)

// answerKey begins the keys of comments in which it is put on a record what came of a run that a comment there asked for. Nobody is mentioned in them: the words are the
// agent's answer to who asked.
const answerKey = "notify/answer/"

// longestAnswer is how many characters of an answer stand in a comment.
const longestAnswer = 8000

// A result is what is put on a record of a run.
type result struct {
	text    string
	outside bool // words of it may come from outside
	key     string
}

// answers puts on records what came, between two positions, of runs that comments on them asked for.
func (k *Keeper) answers(ctx context.Context, people []org.Person, from, end event.Seq) error {
	each := func(kind string, fn func(event.Event) error) error {
		return k.each(ctx, kind, from, end, func(e event.Event) error {
			if !session.IsAbout(e.Message.ThreadID) {
				return nil
			}
			if err := fn(e); err != nil && fault.KindOf(err) != fault.NotFound {
				return fmt.Errorf("put on its record what came of %s: %w", e.Message.RunID, err)
			}
			return nil
		})
	}
	if err := each(approval.RequestedKind.Name, func(e event.Event) error { return k.waits(ctx, people, e) }); err != nil {
		return err
	}
	return each(run.FinishedKind.Name, func(e event.Event) error { return k.ended(ctx, e) })
}

// waits says that a run waits for somebody, once of each run.
func (k *Keeper) waits(ctx context.Context, people []org.Person, e event.Event) error {
	q, _, err := approval.RequestedKind.Open(e)
	if err != nil {
		return err
	}
	now, err := k.Asked.Approval(ctx, q.ID)
	if err != nil || now.Status != approval.Pending {
		return err
	}
	r, err := k.Runs.Run(ctx, q.Run)
	if err != nil {
		return err
	}
	record, err := k.aboutOf(ctx, r, e.Seq)
	if err != nil || record == "" {
		return err
	}
	var who []string
	for _, c := range asked(e, q, Known{People: people, Run: r}) {
		i := slices.IndexFunc(people, func(p org.Person) bool { return p.ID == c.Person })
		who = append(who, people[i].Name)
	}
	slices.Sort(who)
	text := fmt.Sprintf("I wait for an answer from %s. %s It stands under Approvals, as %s.", orOf(who), strings.TrimSpace(q.Question), q.ID)
	ours := q.Kind == approval.ToolCalls || q.Kind == approval.BudgetReached // others may be in words of the agent or of a server
	return k.put(ctx, r, record, result{text, !ours, answerKey + "waits/" + string(r.ID)})
}

// orOf lists who may answer.
func orOf(names []string) string {
	const some = 3
	switch n := len(names); {
	case n == 0:
		return "somebody who may give it"
	case n == 1:
		return names[0]
	case n > some+1:
		return fmt.Sprintf("%s or %d others", strings.Join(names[:some], ", "), n-some)
	default:
		return strings.Join(names[:n-1], ", ") + " or " + names[n-1]
	}
}

// ended says what a run came to, unless the agent itself said something about the record in it.
func (k *Keeper) ended(ctx context.Context, e event.Event) error {
	f, _, err := run.FinishedKind.Open(e)
	if err != nil {
		return err
	}
	r, err := k.Runs.Run(ctx, run.ID(e.Message.RunID))
	if err != nil {
		return err
	}
	record, err := k.aboutOf(ctx, r, e.Seq)
	if err != nil || record == "" {
		return err
	}
	out := result{outside: true, key: answerKey + string(r.ID)} // a reason may quote others
	switch f.State {
	case run.Done:
		if said, err := k.saidIn(ctx, r, record); said || err != nil {
			return err
		}
		if out, err = k.replied(ctx, r, f, out); err != nil {
			return err
		}
	case run.Cancelled:
		out.text = strings.TrimSpace("This was stopped before I had an answer. " + f.Reason)
	case run.Failed, run.Queued, run.Running, run.Waiting:
		out.text = strings.TrimSpace("I could not do this. " + f.Reason)
	}
	return k.put(ctx, r, record, out)
}

// replied is the answer of a run that is done.
func (k *Keeper) replied(ctx context.Context, r run.Run, f run.Finished, out result) (result, error) {
	var said session.Said
	if len(f.Result) > 0 {
		if err := json.Unmarshal(f.Result, &said); err != nil {
			return out, fmt.Errorf("read the result of %s: %w", r.ID, err)
		}
	} else {
		messages, err := k.Said.Messages(ctx, r.Thread, r.Seq, most)
		if err != nil {
			return out, err
		}
		for _, m := range messages {
			if m.Run == string(r.ID) && m.Role == session.FromAgent {
				said = m.Said
			}
		}
	}
	out.text, out.outside = strings.TrimSpace(said.Message), len(tool.Untrusted(said.Origins)) > 0
	if cut := short(out.text, longestAnswer); cut != out.text {
		out.text = cut + "\n\nThe whole answer stands in the conversation " + r.Thread + "."
	}
	if out.text == "" {
		out.text = "I am done, and have nothing to say about it."
	}
	if said.Confirmed != nil && !*said.Confirmed {
		out.text += "\n\nThe review did not pass this: " + said.Review
	}
	return out, nil
}

// aboutOf is the record on which it was asked, in a comment, for what a run does up to a position; "" when it was said elsewhere.
func (k *Keeper) aboutOf(ctx context.Context, r run.Run, end event.Seq) (string, error) {
	if !session.IsTurn(r.Kind) || len(r.Input) == 0 {
		return "", nil
	}
	var in session.TurnInput
	if err := json.Unmarshal(r.Input, &in); err != nil || in.About != "" {
		return in.About, err
	}
	later, err := k.Said.Messages(ctx, r.Thread, r.Seq, most) // what it took in
	for _, m := range later {
		if m.About != "" && m.Seq < end && m.Role == session.FromPerson {
			return m.About, err
		}
	}
	return "", err
}

// saidIn reports whether the agent commented on a record in a run.
func (k *Keeper) saidIn(ctx context.Context, r run.Run, record string) (bool, error) {
	events, _, err := k.Log.Events(ctx, r.Seq, event.Filter{Run: string(r.ID), Type: desk.EventType(desk.Comment, desk.Created), Limit: most})
	if err != nil {
		return false, fmt.Errorf("read what %s said: %w", r.ID, err)
	}
	for _, e := range events {
		c, ok, err := desk.ChangeOf(e.Event)
		if err != nil || !ok || strings.HasPrefix(e.Message.IdempotencyKey, answerKey) {
			continue
		}
		if b, err := bodyOf[desk.CommentBody](c); err == nil && b.RecordID == record {
			return true, nil
		}
	}
	return false, nil
}

// refused says that an agent could not be asked.
func (k *Keeper) refused(ctx context.Context, e event.Event, a Asked, why error) error {
	r := run.Run{Spec: run.Spec{ID: run.ID(k.Log.Mint().ID("run")), Thread: e.Message.ThreadID, Project: a.Project, Agent: string(a.Agent), By: a.By}}
	return k.put(ctx, r, a.Record, result{text: "I could not begin this. " + fault.TextOf(why), key: answerKey + a.Key})
}

// put records a comment by the agent of a run, once under its key. A record that is gone has none.
func (k *Keeper) put(ctx context.Context, r run.Run, record string, res result) error {
	by := org.AgentID(r.Agent).Party()
	if _, err := k.Log.ByKey(ctx, by.AgentID, res.key); fault.KindOf(err) != fault.NotFound || err == nil {
		return err
	}
	about, err := k.Desk.Record(ctx, record)
	if err == nil && about.MergedInto != "" {
		about, err = k.Desk.Record(ctx, about.MergedInto)
	}
	if err != nil || about.Deleted || about.Project != r.Project {
		return err
	}
	at := event.Place{Thread: r.Thread, Run: string(r.ID), Task: run.RootTask(r.ID), From: by}
	err = clerk.New(k.Desk).Do(ctx, at, r.Project, func(drafts []event.Draft) error {
		for i := range drafts {
			if drafts[i].Message.Type == desk.EventType(desk.Comment, desk.Created) {
				drafts[i].Message.IdempotencyKey = res.key
			}
		}
		_, err := k.Log.Append(ctx, drafts...)
		return err
	}, func(w *clerk.Work) error {
		w.For(r.By)
		w.Settle()
		if res.outside {
			w.FromOutside()
		}
		_, err := clerk.Add(w, desk.Comment, &desk.CommentBody{RecordID: about.ID, Text: res.text})
		return err
	})
	if err != nil && fault.KindOf(err) != fault.Internal && ctx.Err() == nil {
		k.Out.Warn("what came of a run does not stand on its record", "run", r.ID, "record", about.ID, "err", err)
		return nil
	}
	return err
}

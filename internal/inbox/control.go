package inbox

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"chela/internal/approval"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/run"
	"chela/internal/session"
)

// Runs finds the runs of a conversation.
type Runs interface {
	RunList(ctx context.Context, f run.Filter) ([]run.Run, error)
}

// Questions finds what runs ask people.
type Questions interface {
	approval.Reader
	ApprovalsOf(ctx context.Context, id run.ID) ([]approval.Approval, error)
}

// Answers takes what a person decides; see [approval.Decider].
type Answers interface {
	Decide(ctx context.Context, by approval.Approver, a approval.Answer) error
}

// open returns the runs of a conversation that are not over.
func (in *Inbox) open(ctx context.Context, thread string) ([]run.Run, error) {
	if thread == "" {
		return nil, nil
	}
	var out []run.Run
	for _, state := range []run.State{run.Running, run.Waiting, run.Queued} {
		some, err := in.records.Runs.RunList(ctx, run.Filter{Thread: thread, State: state})
		if err != nil {
			return nil, err
		}
		out = append(out, some...)
	}
	return out, nil
}

func (in *Inbox) status(ctx context.Context, m *Message, _ string) (*reply, error) {
	here, err := in.whereami(ctx, m, "")
	if err != nil {
		return nil, err
	}
	s, _, err := in.session(ctx, m)
	if err != nil {
		return nil, err
	}
	lines := []string{here.text}
	if s.Agent != "" {
		lines = append(lines, fmt.Sprintf("%s answers in it.", strings.TrimPrefix(s.Agent, "agent:")))
	}
	if s.Model != "" {
		lines = append(lines, fmt.Sprintf("Its agents ask the model %s.", s.Model))
	}
	runs, err := in.open(ctx, m.Thread)
	if err != nil {
		return nil, err
	}
	for _, r := range runs {
		lines = append(lines, fmt.Sprintf("The run %s is %s.", r.ID, r.State))
	}
	if len(runs) == 0 {
		lines = append(lines, "Nothing works on it.")
	}
	asked, err := in.asked(ctx, runs)
	if err != nil {
		return nil, err
	}
	for _, q := range asked {
		lines = append(lines, fmt.Sprintf("%s waits for a person: %s", q.ID, q.Question))
	}
	held, err := in.waitingIn(ctx, m.Thread)
	if err != nil {
		return nil, err
	}
	if len(held) > 0 {
		lines = append(lines, waits(len(held)))
	}
	return &reply{text: "- " + strings.Join(lines, "\n- ")}, nil
}

func (in *Inbox) stop(ctx context.Context, m *Message, _ string) (*reply, error) {
	dropped, err := in.drop(ctx, m) // first: what waits would go on when the work is stopped
	if err != nil {
		return nil, err
	}
	runs, err := in.open(ctx, m.Thread)
	if err != nil {
		return nil, err
	}
	var stopped []string
	for _, r := range runs {
		err := in.runs.Write(ctx, func(b *run.Batch) error { return b.Cancel(r.ID, m.From, "A person cancelled it.") })
		switch {
		case err == nil:
			stopped = append(stopped, string(r.ID))
		case fault.KindOf(err) != fault.Conflict: // that it has ended meanwhile is as good
			return nil, err
		}
	}
	text := "Nothing works on this conversation."
	if len(stopped) > 0 {
		text = "Cancelled: " + strings.Join(stopped, ", ") + "."
	}
	if dropped > 0 {
		text += fmt.Sprintf(" Of the messages that waited, %d will not be answered.", dropped)
	}
	return &reply{text: text}, nil
}

// drop forgets what waits in a conversation.
func (in *Inbox) drop(ctx context.Context, m *Message) (n int, err error) {
	held, err := in.waitingIn(ctx, m.Thread)
	for _, w := range held {
		if err := in.Drop(ctx, m.From, m.Thread, w.ID); err == nil {
			n++
		} else if fault.KindOf(err) != fault.NotFound { // it has its turn meanwhile
			return n, err
		}
	}
	return n, err
}

// Drop forgets a message that waits.
func (in *Inbox) Drop(ctx context.Context, by event.Party, thread, id string) error {
	return in.write(ctx, func(b *run.Batch, tx Tx) error {
		tx.Hold(event.ThreadStream(thread))
		held, err := tx.Conversations().Waiting(thread)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(held, func(w session.Waiting) bool { return w.ID == id }) {
			return fault.New(fault.NotFound, "The message %s does not wait; it may have had its turn.", id)
		}
		made := run.ID(b.Mint().ID("run"))
		at := event.Place{Stream: event.ThreadStream(thread), Thread: thread, Run: string(made), Task: run.RootTask(made), From: by}
		_, err = b.Append(session.DroppedKind.Draft(at, session.Dropped{ID: id, Why: "A person dropped it."}))
		return err
	})
}

// asked returns what runs ask and nobody has answered.
func (in *Inbox) asked(ctx context.Context, runs []run.Run) ([]approval.Approval, error) {
	var out []approval.Approval
	for _, r := range runs {
		all, err := in.records.Questions.ApprovalsOf(ctx, r.ID)
		if err != nil {
			return nil, err
		}
		for _, q := range all {
			if q.Status == approval.Pending {
				out = append(out, q)
			}
		}
	}
	return out, nil
}

func (in *Inbox) approve(ctx context.Context, m *Message, args string) (*reply, error) {
	return in.decide(ctx, m, args, approval.Request.Yes, "Approved")
}

func (in *Inbox) deny(ctx context.Context, m *Message, args string) (*reply, error) {
	return in.decide(ctx, m, args, approval.Request.No, "Denied")
}

// decide answers a question. It must be named: what was asked meanwhile is not what its
// sender has looked at.
func (in *Inbox) decide(ctx context.Context, m *Message, args string, choose func(approval.Request) string, done string) (*reply, error) {
	id, why := args, ""
	if i := strings.IndexAny(args, " \t\n"); i >= 0 {
		id, why = args[:i], strings.TrimSpace(args[i:])
	}
	if id == "" {
		return in.waiting(ctx, m)
	}
	q, err := in.records.Questions.Approval(ctx, id)
	if err == nil && m.Bound {
		err = in.asks(ctx, m.Thread, id)
	}
	if err != nil {
		return nil, err
	}
	choice := choose(q.Request)
	if choice == "" {
		return nil, fault.New(fault.Invalid, "The question %s takes more than a yes or a no: %s Answer it on the page, or with `chela approval answer %s` and one of: %s.", id, q.Question, id, strings.Join(q.Choices, ", "))
	}
	role, err := in.records.Members.RoleOf(ctx, m.From)
	if err != nil {
		return nil, err
	}
	if err := in.opts.Answers.Decide(ctx, approval.Approver{Party: m.From, Role: role}, approval.Answer{ID: id, Choice: choice, Note: why, Digest: q.Digest}); err != nil {
		return nil, err
	}
	return &reply{text: fmt.Sprintf("%s: %s (%s)", done, q.Question, id)}, nil
}

// asks refuses a question that the conversation does not ask.
func (in *Inbox) asks(ctx context.Context, thread, id string) error {
	runs, err := in.open(ctx, thread)
	if err != nil {
		return err
	}
	all, err := in.asked(ctx, runs)
	if err == nil && !slices.ContainsFunc(all, func(q approval.Approval) bool { return q.ID == id }) {
		err = fault.New(fault.Denied, "The key is for one project, so it answers what its conversation asks, and %s is not asked here.", id)
	}
	return err
}

// waiting shows what the conversation asks, with exactly what would be done.
func (in *Inbox) waiting(ctx context.Context, m *Message) (*reply, error) {
	runs, err := in.open(ctx, m.Thread)
	if err != nil {
		return nil, err
	}
	all, err := in.asked(ctx, runs)
	if err != nil || len(all) == 0 {
		return &reply{text: "This conversation asks nothing."}, err
	}
	var shown []string
	for _, q := range all {
		shown = append(shown, q.Markdown())
	}
	return &reply{text: strings.Join(shown, "\n\n")}, nil
}

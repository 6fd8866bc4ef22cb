// Package approval is how a run asks a person and waits. The question is an event;
// the answer is an event that starts the run's next segment.
package approval

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/form"
	"chela/internal/org"
	"chela/internal/run"
)

// A Kind says what is asked.
type Kind string

// The sorts. OutcomeUnknown asks what to do about a step that was under way when the
// daemon died and cannot be known to have happened; ToolCalls asks whether calls may be
// made; LookUp asks a person to look something up, whose note is the answer; BudgetReached
// asks whether a run may go over a limit once; Decision asks for a choice on which a workflow goes on;
// Elicitation puts the form of a server of others to the person for whom a call is made, whose run does not wait but works.
const (
	OutcomeUnknown Kind = "outcome_unknown"
	ToolCalls      Kind = "tool_calls"
	LookUp         Kind = "look_up"
	BudgetReached  Kind = "budget_reached"
	Decision       Kind = "decision"
	Elicitation    Kind = "elicitation"
)

// The choices for [BudgetReached]. Room is said by the daemon alone: the limit was changed
// or the day has turned, and the run looks again.
const (
	RaiseOnce = "raise"
	Stop      = "stop"
	Room      = "room"
)

// Found is the choice for [LookUp] beside [Skip].
const Found = "found"

// The choices for [Elicitation].
const (
	Accept  = "accept"  // send what is filled in
	Decline = "decline" // say no to the server
	Cancel  = "cancel"  // close it, and say neither
)

// The choices for [OutcomeUnknown].
const (
	Happened = "happened" // treat the step as done
	Repeat   = "repeat"   // do it again
	Skip     = "skip"     // it did not happen, go on without it
)

// The choices for [ToolCalls].
const (
	Approve = "approve" // make the calls
	Always  = "always"  // make them, and do not ask again about exactly these commands
	Refuse  = "deny"
	Expired = "expired" // nobody answered in time; only the daemon says so
)

// A Request is the payload of approval.requested.
type Request struct {
	ID       string   `json:"id"` // "apr_…"
	Run      run.ID   `json:"run"`
	Kind     Kind     `json:"kind"`
	Question string   `json:"question"` // a sentence
	Step     string   `json:"step,omitempty"`
	Tool     string   `json:"tool,omitempty"`
	Detail   string   `json:"detail,omitempty"` // the exact arguments
	Note     string   `json:"note,omitempty"`   // of a hook, for who answers
	Choices  []string `json:"choices"`
	// Of ToolCalls: what is asked about, a digest over all of it, which an answer repeats,
	// how long it is waited for, and the least role of who may approve.
	Project string    `json:"project,omitempty"`
	Calls   []Asked   `json:"calls,omitempty"`
	Digest  string    `json:"digest,omitempty"`
	Until   time.Time `json:"until,omitzero"`
	Role    org.Role  `json:"role,omitempty"`
	// Of Decision and Elicitation: the ids of the persons who alone may answer, and of those who may not, of whom Voted have given another
	// verdict of the same review.
	Only   []string `json:"only,omitempty"`
	Except []string `json:"except,omitempty"`
	Voted  []string `json:"voted,omitempty"`
	// Of Decision: to approve counts with a note alone, which says why.
	Reasons bool `json:"reasons,omitempty"`
	// Of Elicitation: the server that asks, and its form, which is data from outside.
	Server string     `json:"server,omitempty"`
	Form   *form.Form `json:"form,omitempty"`
	// Of BudgetReached: what RaiseOnce grants the run on top of a limit.
	Raise *Raise `json:"raise,omitempty"`
}

// A Raise is what a run may take once beyond a limit.
type Raise struct {
	Limit    string `json:"limit"` // its id
	Tokens   int64  `json:"tokens,omitempty"`
	MicroUSD int64  `json:"micro_usd,omitempty"`
	Millis   int64  `json:"millis,omitempty"`
	Calls    int64  `json:"calls,omitempty"`
}

// An Asked is one call that a person is asked about.
type Asked struct {
	Call   string          `json:"call"` // the model's id of it
	Agent  string          `json:"agent"`
	Tool   string          `json:"tool"`
	Risk   string          `json:"risk"`
	Args   json.RawMessage `json:"args"` // exact
	Digest string          `json:"digest"`
	Folder string          `json:"folder,omitempty"` // where it works
	Shown  string          `json:"shown,omitempty"`  // the arguments for people, with every character visible
	Diff   string          `json:"diff,omitempty"`   // what it would change, as things were when it was asked
	Notes  []string        `json:"notes,omitempty"`  // what to look at twice
	Why    string          `json:"why"`              // it is asked, a sentence
	Rule   string          `json:"rule"`
	Shape  string          `json:"shape,omitempty"` // what Always would allow
	Bound  []Bound         `json:"bound,omitempty"` // what it depends on, as that was when it was asked
}

// DigestOf binds a call: its agent, tool, exact arguments, folder, and what it depends on.
func DigestOf(a Asked) (string, error) {
	parts := []any{a.Agent, a.Tool, a.Args, a.Folder}
	if len(a.Bound) > 0 {
		parts = append(parts, a.Bound)
	}
	raw, err := json.Marshal(parts)
	if err != nil {
		return "", fmt.Errorf("encode a call: %w", err)
	}
	if raw, err = event.Canonical(raw); err != nil {
		return "", err
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]), nil
}

// Bind fills in the digests of a request.
func Bind(r *Request) error {
	whole := sha256.New()
	for i := range r.Calls {
		d, err := DigestOf(r.Calls[i])
		if err != nil {
			return err
		}
		r.Calls[i].Digest = d
		whole.Write([]byte(d))
	}
	r.Digest = hex.EncodeToString(whole.Sum(nil))
	return nil
}

// Of returns the question about a call with that digest.
func (r Request) Of(call, digest string) (Asked, bool) {
	for _, a := range r.Calls {
		if a.Call == call && a.Digest == digest {
			return a, true
		}
	}
	return Asked{}, false
}

// An Answer is the payload of approval.answered.
type Answer struct {
	ID     string `json:"id"`
	Choice string `json:"choice"`
	Note   string `json:"note,omitempty"`
	// Digest is that of the request, so that what is approved is what was looked at.
	Digest string `json:"digest,omitempty"`
	// Calls narrows an approval to these calls; the others are denied. None means all.
	Calls []string `json:"calls,omitempty"`
	// Values are what is filled in of a form, by the names of its fields.
	Values json.RawMessage `json:"values,omitempty"`
}

// Allows reports whether the answer lets that call be made.
func (a Answer) Allows(call string) bool {
	return (a.Choice == Approve || a.Choice == Always) && (len(a.Calls) == 0 || slices.Contains(a.Calls, call))
}

// The facts of this package.
var (
	RequestedKind = event.Kind[Request]{Name: "approval.requested", PayloadType: "approval.requested.v1"}
	AnsweredKind  = event.Kind[Answer]{Name: "approval.answered", PayloadType: "approval.answered.v1"}
)

// A Status is where an approval stands.
type Status string

// The states of an approval. It lapses when its run ends otherwise.
const (
	Pending  Status = "pending"
	Answered Status = "answered"
	Lapsed   Status = "lapsed"
)

// An Approval is a question as people see it.
type Approval struct {
	Request
	Status    Status    `json:"status"`
	Answer    *Answer   `json:"answer,omitempty"`
	By        string    `json:"by,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	EndedAt   time.Time `json:"ended_at,omitzero"`
}

// Decided reports whether by has answered so.
func (a Approval) Decided(by event.Party, choice string) bool {
	return a.Status == Answered && a.Answer != nil && a.By == by.AgentID && a.Answer.Choice == choice
}

// A Reader finds approvals.
type Reader interface {
	Approval(ctx context.Context, id string) (Approval, error) // fault.NotFound
}

// An Allower drafts what is remembered of calls that are allowed for always.
type Allower func(mint *event.Mint, by event.Party, calls []Asked, project string) []event.Draft

// An Approver is a person who answers.
type Approver struct {
	event.Party
	Role org.Role
}

// Decide records a person's answer and lets the run go on. A run that has something else in hand reads the answer to a
// [Decision] before it waits; for other answers it is given a moment.
func Decide(ctx context.Context, from Reader, runs *run.Engine, by Approver, a Answer, always Allower) error {
	return run.Retry(ctx, func() (again bool, err error) {
		asked, err := from.Approval(ctx, a.ID)
		if err != nil {
			return false, err
		}
		if err := asked.check(by, a, runs.Mint().Now()); err != nil {
			return false, err
		}
		if a, err = asked.filled(a); err != nil {
			return false, err
		}
		err = runs.Write(ctx, func(b *run.Batch) error {
			r, err := b.Runs().Run(asked.Run)
			if err != nil {
				return err
			}
			if asked.Kind == Elicitation {
				return asked.fill(b, r, by, a)
			}
			b.Hold(event.ThreadStream(r.Thread))
			if r, err = b.Runs().Run(r.ID); err != nil {
				return err
			}
			if answered, err := b.Runs().Answered(a.ID); err != nil {
				return err
			} else if answered {
				return fault.New(fault.Conflict, "The question %s is answered already.", a.ID)
			}
			working := r.State == run.Running || r.State == run.Queued
			if working && asked.Kind == Decision {
				_, err := b.Append(AnsweredKind.Draft(place(r, by.Party, a.ID), a))
				return err
			}
			if again = working; again {
				return fault.New(fault.Conflict, "Run %s has something in hand and does not wait for the answer yet; answer again in a moment.", r.ID)
			}
			return asked.answer(b, r, by, a, always)
		})
		return again, err
	})
}

// answer records an answer in the transaction that lets the run go on; one that somebody paused finds it when it is resumed.
func (asked Approval) answer(b *run.Batch, r run.Run, by Approver, a Answer, always Allower) error {
	drafts := []event.Draft{AnsweredKind.Draft(place(r, by.Party, a.ID), a)}
	if a.Choice == Always {
		calls := slices.DeleteFunc(slices.Clone(asked.Calls), func(c Asked) bool { return c.Shape == "" || !a.Allows(c.Call) })
		drafts = append(drafts, always(b.Mint(), by.Party, calls, asked.Project)...)
	}
	if _, err := b.Append(drafts...); err != nil {
		return err
	}
	return b.Wake(r.ID, by.Party, "The question "+a.ID+" was answered: "+a.Choice+".") // refuses a run that does not wait, so one answer counts
}

// place is where an answer to a question of r belongs; one per sender.
func place(r run.Run, by event.Party, id string) event.Place {
	return event.Place{
		Stream: event.ThreadStream(r.Thread), Thread: r.Thread, Run: string(r.ID), Task: run.RootTask(r.ID),
		From: by, Key: "approval:" + id,
	}
}

// Lapse drafts that nobody answered in time.
func Lapse(r run.Run, id string) event.Draft {
	return AnsweredKind.Draft(place(r, run.Chela(), id), Answer{ID: id, Choice: Expired, Note: "Nobody answered in time."})
}

// Moved drafts that what a run waited for has changed without anybody's answer.
func Moved(r run.Run, id, why string) event.Draft {
	return AnsweredKind.Draft(place(r, run.Chela(), id), Answer{ID: id, Choice: Room, Note: why})
}

// answerer is the least role of who answers. What may have happened is for an editor to say, also where the question of an
// earlier version names no role: the answer may have it done again.
func (asked Approval) answerer() org.Role {
	if asked.Kind == OutcomeUnknown && !asked.Role.AtLeast(org.Editor) {
		return org.Editor
	}
	return asked.Role
}

// check says why an answer does not count.
func (asked Approval) check(by Approver, a Answer, now time.Time) error {
	switch {
	case asked.Status != Pending:
		return fault.New(fault.Conflict, "The question %s is %s already.", a.ID, asked.Status)
	case !slices.Contains(asked.Choices, a.Choice):
		return fault.BadField("choice", "That is not one of the choices.", asked.Choices...)
	case asked.Kind == LookUp && a.Choice == Found && strings.TrimSpace(a.Note) == "":
		return fault.BadField("note", "The note says what was found.")
	case asked.Reasons && a.Choice == Approve && strings.TrimSpace(a.Note) == "":
		return fault.BadField("note", "Say why you pass it; without reasons nothing is passed. In a chat they stand behind the id, in the terminal behind --note.")
	case by.Key != "":
		return fault.New(fault.Denied, "Only a person answers %s, not a program with a key.", a.ID)
	case org.PersonOf(by.Party) == "":
		return fault.New(fault.Denied, "Only a person answers %s.", a.ID)
	case slices.Contains(asked.Voted, org.PersonOf(by.Party)):
		return fault.New(fault.Denied, "You have given a verdict of this review already; somebody else answers %s.", a.ID)
	case slices.Contains(asked.Except, org.PersonOf(by.Party)):
		return fault.New(fault.Denied, "Who began this or wrote it does not answer %s; somebody else does.", a.ID)
	case len(asked.Only) > 0 && !slices.Contains(asked.Only, org.PersonOf(by.Party)):
		return fault.New(fault.Denied, "The question %s is for other persons.", a.ID)
	case !by.Role.AtLeast(asked.answerer()):
		return fault.New(fault.Denied, "Answering %s needs the role %s.", a.ID, asked.answerer())
	case !asked.Until.IsZero() && now.After(asked.Until):
		return fault.New(fault.Conflict, "The question %s was to be answered until %s; it counts as denied.", a.ID, asked.Until.UTC().Format(time.RFC3339))
	case a.Digest != asked.Digest:
		return fault.BadField("digest", "The answer names another digest than the question; look at the question again and repeat its digest.")
	}
	for i, c := range a.Calls {
		if !slices.ContainsFunc(asked.Calls, func(q Asked) bool { return q.Call == c }) {
			return fault.BadField(fmt.Sprintf("calls.%d", i), "The question "+a.ID+" asks about no call "+c+".")
		}
	}
	return nil
}

package builder

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"chela/internal/blueprint"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/router"
	"chela/internal/run"
)

// An Otherwise decides about messages that are not for the builder.
type Otherwise interface {
	Route(ctx context.Context, a router.Ask) (router.Answer, error)
}

// A Front hears messages before the router does.
type Front struct {
	*Builder
	Next Otherwise
}

var (
	yes    = regexp.MustCompile(`(?i)^\s*(?:yes|ok|okay|build it|run it|do it|go ahead|go on|approve|approved|yes,? (?:please|build it|run it|do it))\s*[.!]*\s*$`)
	no     = regexp.MustCompile(`(?i)^\s*(?:no|no,? thanks|cancel|drop it|discard it|stop|never mind|forget it)\s*[.!]*\s*$`)
	undo   = regexp.MustCompile(`(?i)^\s*(?:undo|undo it|undo that|take it back|revert it)\s*[.!]*\s*$`)
	deploy = regexp.MustCompile(`(?i)^\s*(?:deploy|deploy it|deploy that|yes,? deploy it)\s*[.!]*\s*$`)
)

// reply is the result of the step that answers a message; "" when it is for others.
type reply struct {
	Text string `json:"text"`
}

// Route answers messages that ask to build or change a workflow, and those that say what becomes of the plan that was made
// of them. All others go to the router.
func (f Front) Route(ctx context.Context, a router.Ask) (router.Answer, error) {
	by := a.Message.By()
	intent, slug := blueprint.Asks(a.Message.Message)
	says := yes.MatchString(a.Message.Message) || no.MatchString(a.Message.Message) || undo.MatchString(a.Message.Message) || deploy.MatchString(a.Message.Message)
	if org.PersonOf(by) == "" || intent == blueprint.Unknown && !says {
		return f.Next.Route(ctx, a)
	}
	role, err := f.Members.RoleOf(ctx, by)
	if err != nil {
		return router.Answer{}, err
	}
	if !role.AtLeast(org.Editor) {
		return f.Next.Route(ctx, a)
	}
	key := "builder/" + a.Message.ID
	var text string
	if intent == blueprint.Unknown {
		text, err = f.heard(ctx, a, by, key)
	} else {
		text, err = f.planned(ctx, a, by, slug, key)
	}
	if err != nil || text != "" {
		return router.Answer{Replies: text != "", Text: text}, err
	}
	return f.Next.Route(ctx, a)
}

// planned answers a request with its plan.
func (f Front) planned(ctx context.Context, a router.Ask, by event.Party, slug, key string) (string, error) {
	if r := a.Segment.Recorded(key); r.Done {
		got, err := run.Step(ctx, a.Segment, key, func(context.Context) (reply, error) { return reply{}, nil })
		return got.Text, err
	}
	answer, err := f.Plan(ctx, Request{
		Plan: "pln_" + strings.TrimPrefix(a.Message.ID, "msg_"), Text: a.Message.Message, Slug: slug, Thread: a.Thread.ID, By: by, Segment: a.Segment, Scope: a.Scope, Key: key + "/plan",
	})
	text := answer.Text
	switch {
	case refused(err):
		text = fault.TextOf(err)
	case err != nil:
		return "", err
	case answer.Plan != nil:
		text = "I would build " + answer.Plan.Describe() + "\n\nSay **build it** to have it built, or **cancel**. It can be changed before: `chela workflow plan " + answer.Plan.ID + "`."
		if !answer.Plan.Fresh {
			text = strings.Replace(text, "I would build ", "I would make the ", 1)
		}
	}
	got, err := run.Step(ctx, a.Segment, key, func(context.Context) (reply, error) { return reply{text}, nil })
	return got.Text, err
}

// refused reports whether an error is one to tell its sender.
func refused(err error) bool {
	var f *fault.Error
	return errors.As(err, &f) && fault.KindOf(err) != fault.Internal && fault.KindOf(err) != fault.Unavailable
}

// heard answers what says what becomes of the plan that was made last in the conversation; "" when there is none that it
// could be about: what is said to another answer is not the builder's.
func (f Front) heard(ctx context.Context, a router.Ask, by event.Party, key string) (string, error) {
	if !a.Segment.Recorded(key).Done {
		k, ok, err := f.Store.LatestPlan(ctx, a.Thread.ID, by.AgentID)
		if err != nil || !ok || !spoken(k, a.Last) || !concerns(k, a.Message.Message) {
			return "", err
		}
	}
	got, err := run.Step(ctx, a.Segment, key, func(ctx context.Context) (reply, error) {
		k, ok, err := f.Store.LatestPlan(ctx, a.Thread.ID, by.AgentID)
		if err != nil || !ok {
			return reply{}, err
		}
		text, err := f.does(ctx, by, k, a.Message.Message)
		if refused(err) {
			return reply{fault.TextOf(err)}, nil
		}
		return reply{text}, err
	})
	return got.Text, err
}

// spoken reports whether an answer of the builder speaks of a plan: it names the plan, or what that builds.
func spoken(k Kept, answer string) bool {
	return strings.Contains(answer, k.Plan.ID) || strings.Contains(answer, k.Plan.Named())
}

// concerns reports whether a message can be about a plan as it stands. One that was interrupted goes on when it is said
// again.
func concerns(k Kept, text string) bool {
	switch k.State {
	case Pending:
		return yes.MatchString(text) || no.MatchString(text)
	case Executing:
		return yes.MatchString(text)
	case Failed:
		return yes.MatchString(text) || undo.MatchString(text)
	case Completed:
		return undo.MatchString(text) || deploy.MatchString(text)
	case Dropped, Undone:
	}
	return false
}

// does what a message says of a plan.
func (f Front) does(ctx context.Context, by event.Party, k Kept, text string) (string, error) {
	name := k.Plan.Named()
	switch {
	case deploy.MatchString(text):
		v, err := f.Deploy(ctx, by, k.Plan.ID)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%s is deployed as version %d. A message may begin it now, such as “%s”.", name, v.Number, k.Plan.Metadata.Name), nil
	case undo.MatchString(text):
		_, err := f.Undo(ctx, by, k.Plan.ID)
		return name + " is undone.", err
	case no.MatchString(text):
		return "The plan for " + name + " is dropped. Nothing was changed.", f.Drop(ctx, by, k.Plan.ID)
	}
	done, err := f.Execute(ctx, by, k.Plan.ID)
	if err != nil {
		return "", err
	}
	if done.State != Completed {
		var lines []string
		for _, r := range done.Results {
			if !r.Success {
				lines = append(lines, fmt.Sprintf("- `%s`: %s", r.Step, r.Error))
			}
		}
		return name + " is not done:\n" + strings.Join(lines, "\n") + "\n\nSay **go on** to try again, or **undo**.", nil
	}
	if len(done.Plan.Findings) > 0 {
		return name + " is in the draft. Put right before it can be deployed: " + strings.Join(done.Plan.Findings, " "), nil
	}
	return name + " is built, as a draft. Say **deploy it** to deploy it, or **undo**.", nil
}

package a2a

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	sdk "github.com/a2aproject/a2a-go/v2/a2a"

	"chela/internal/artifact"
	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/inbox"
	"chela/internal/org"
	"chela/internal/prompt"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/talk"
	"chela/internal/tool"
)

// What a message may bring.
const (
	mostImages = 8
	mostID     = 200 // characters of a message's id
)

// SendMessage implements [srv.RequestHandler].
func (d *door) SendMessage(ctx context.Context, r *sdk.SendMessageRequest) (sdk.SendMessageResult, error) {
	out, err := d.send(ctx, r)
	if err != nil {
		return nil, d.protocols(ctx, err)
	}
	return out, nil
}

func (d *door) send(ctx context.Context, r *sdk.SendMessageRequest) (sdk.SendMessageResult, error) {
	l, err := lookFor(r)
	if err != nil {
		return nil, err
	}
	acc, err := d.accept(ctx, r)
	if err != nil {
		return nil, err
	}
	if acc.Run == "" {
		return replied(acc), nil
	}
	w, err := d.taken(ctx, acc)
	if err != nil {
		return nil, err
	}
	if w.run.ID == "" {
		return replied(acc), nil
	}
	if r.Config == nil || !r.Config.ReturnImmediately {
		if w, err = d.settled(ctx, w); err != nil {
			return nil, err
		}
	}
	return d.task(ctx, w, l)
}

// settled waits until a work has ended or asks, for as long as a caller waits, and returns it as it stands then.
func (d *door) settled(ctx context.Context, w work) (work, error) {
	wait, cancel := context.WithTimeout(ctx, talk.MaxWait)
	defer cancel()
	w, err := d.begun(wait, w)
	if err != nil || w.held != nil {
		return w, err
	}
	if _, err := d.Talk.Await(wait, w.accepted()); err != nil {
		return w, err
	}
	return d.now(ctx, w)
}

// lookEvery is how often a message that waits for its turn is looked at.
const lookEvery = 250 * time.Millisecond

// begun waits until the run of a message has begun, or the message will have none, or ctx is done.
func (d *door) begun(ctx context.Context, w work) (work, error) {
	for w.held != nil {
		now, err := d.now(ctx, w)
		if ctx.Err() != nil {
			return w, nil //nolint:nilerr // nobody waits any more
		}
		if err != nil || now.held == nil {
			return now, err
		}
		if s, err := d.status(ctx, w); err != nil || s.State.Terminal() {
			return w, err
		}
		select {
		case <-ctx.Done():
			return w, nil
		case <-time.After(lookEvery):
		}
	}
	return w, nil
}

// taken is the work that a message became; without a run when another took it in before.
func (d *door) taken(ctx context.Context, acc inbox.Accepted) (work, error) {
	r, err := d.Talk.Store.Runs.Run(ctx, run.ID(acc.Run))
	if err == nil {
		return work{run: r}, nil
	}
	if fault.KindOf(err) != fault.NotFound {
		return work{}, err
	}
	w, err := d.own(ctx, sdk.TaskID(acc.Run))
	if err != nil && errors.Is(err, sdk.ErrTaskNotFound) && acc.Again {
		return work{}, nil
	}
	return w, err
}

// replied is the answer to what began no run: a command, or a message that is answered with others.
func replied(acc inbox.Accepted) *sdk.Message {
	text := acc.Reply
	if text == "" {
		text = "The message was accepted before."
	}
	return &sdk.Message{ID: "reply_" + acc.Message, Role: sdk.MessageRoleAgent, ContextID: acc.Thread, Parts: sdk.ContentParts{textPart(text)}}
}

func lookFor(r *sdk.SendMessageRequest) (look, error) {
	var n *int
	if r.Config != nil {
		n = r.Config.HistoryLength
	}
	return lookOf(n, mostHistory, true)
}

// accept takes a message of a caller: as the answer to what its task asks, or as what is said in a conversation.
func (d *door) accept(ctx context.Context, r *sdk.SendMessageRequest) (acc inbox.Accepted, err error) {
	m := r.Message
	switch {
	case m == nil:
		return acc, fault.BadField("message", "The request has none.")
	case m.Role != sdk.MessageRoleUser:
		return acc, fault.BadField("message.role", "A message to an agent is the user's.", string(sdk.MessageRoleUser))
	case m.ID == "" || len(m.ID) > mostID:
		return acc, fault.BadField("message.messageId", fmt.Sprintf("A message has an id of 1 to %d characters, which its sender makes up.", mostID))
	case r.Config != nil && r.Config.PushConfig != nil:
		return acc, errNoPush()
	}
	if err := needs(ctx, org.Editor); err != nil {
		return acc, err
	}
	context := m.ContextID
	if m.TaskID != "" {
		w, err := d.own(ctx, m.TaskID)
		switch {
		case err != nil:
			return acc, err
		case context != "" && context != w.run.Thread:
			return acc, fault.BadField("message.contextId", fmt.Sprintf("The task %s is in the context %s.", m.TaskID, w.run.Thread))
		case d.answered(ctx, w, m):
			return w.accepted(), nil
		case w.run.State.Final():
			return acc, sdk.NewError(sdk.ErrUnsupportedOperation, fmt.Sprintf("The task %s has ended. Send the message without taskId: in the context %s it begins a new task.", w.run.ID, w.run.Thread))
		case w.run.State == run.Waiting && w.run.WaitsFor != run.ForTime:
			return w.accepted(), d.decide(ctx, w, m)
		}
		context = w.run.Thread
	}
	to, c := aimOf(ctx), gateway.CallerOf(ctx)
	said := talk.Message{Message: inbox.Message{Thread: context, Project: to.project, From: c.Party(), Channel: c.How.Channel(), Key: "a2a/" + m.ID}}
	if to.agent != "" {
		said.Agent = "agent:" + to.agent
	}
	if err := d.parts(&said, m.Parts); err != nil {
		return acc, err
	}
	return d.Talk.Say(ctx, said)
}

// answered reports whether a message is an answer that its caller has given before: sent again, it does nothing.
func (d *door) answered(ctx context.Context, w work, m *sdk.Message) bool {
	a, ok, err := readAnswer(m)
	if !ok || err != nil {
		return false
	}
	q, err := d.Store.Questions.Approval(ctx, a.Approval)
	return err == nil && q.Run == w.run.ID && q.Answer != nil && q.Decided(gateway.CallerOf(ctx).Party(), q.Answer.Choice)
}

// parts puts what a message brings into what is said: words as they are, data and files of text marked as data, pictures beside
// them. Addresses are not fetched for a caller.
func (d *door) parts(said *talk.Message, parts sdk.ContentParts) error {
	var words []string
	data := func(what, text string) {
		words = append(words, prompt.Data(what, text))
		said.Origins = []string{tool.FromClient}
	}
	for i, p := range parts {
		field := fmt.Sprintf("message.parts[%d]", i)
		switch content := p.Content.(type) {
		case sdk.Text:
			words = append(words, string(content))
		case sdk.Data:
			raw, err := json.Marshal(content.Value)
			if err != nil {
				return fault.Wrap(err, fault.Invalid, "The data of %s cannot be read.", field)
			}
			data("JSON that the caller sent", string(raw))
		case sdk.URL:
			return fault.BadField(field, "Addresses are not fetched for a caller. Send the file's bytes, or tell the address in the text.", "text", "raw", "data")
		case sdk.Raw:
			if strings.HasPrefix(http.DetectContentType(content), "image/") {
				ref, err := d.Talk.KeepPicture(field, content)
				if err != nil {
					return err
				}
				if said.Images = append(said.Images, ref); len(said.Images) > mostImages {
					return fault.BadField("message.parts", fmt.Sprintf("A message has at most %d pictures.", mostImages))
				}
				continue
			}
			if !utf8.Valid(content) || strings.ContainsRune(string(content), 0) {
				return fault.BadField(field, "The file is neither a picture nor text. Hand other files in as an intake.", reads...)
			}
			data("the file "+nameOf(p)+" that the caller sent", string(content))
		}
	}
	said.Text = strings.Join(words, "\n\n")
	return nil
}

func nameOf(p *sdk.Part) string {
	if p.Filename == "" {
		return "without a name"
	}
	return p.Filename
}

// file reads a file that an agent made.
func (d *door) file(f session.File) ([]byte, error) { return d.Talk.Files.Get(artifact.Ref(f.Ref)) }

// errNoPush says that nobody is called back. An address to call would have to be checked and kept; webhooks do that for owners.
func errNoPush() error {
	return sdk.NewError(sdk.ErrPushNotificationNotSupported, "No address is called for a task. Follow it by SubscribeToTask, or have an owner set a webhook.")
}

// GetTaskPushConfig implements [srv.RequestHandler].
func (d *door) GetTaskPushConfig(context.Context, *sdk.GetTaskPushConfigRequest) (*sdk.PushConfig, error) {
	return nil, errNoPush()
}

// ListTaskPushConfigs implements [srv.RequestHandler].
func (d *door) ListTaskPushConfigs(context.Context, *sdk.ListTaskPushConfigRequest) (*sdk.ListTaskPushConfigResponse, error) {
	return nil, errNoPush()
}

// CreateTaskPushConfig implements [srv.RequestHandler].
func (d *door) CreateTaskPushConfig(context.Context, *sdk.PushConfig) (*sdk.PushConfig, error) {
	return nil, errNoPush()
}

// DeleteTaskPushConfig implements [srv.RequestHandler].
func (d *door) DeleteTaskPushConfig(context.Context, *sdk.DeleteTaskPushConfigRequest) error {
	return errNoPush()
}

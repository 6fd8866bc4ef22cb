package a2a

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
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

// fromFiles is where data comes from that a caller sends beside its words.
const fromFiles = tool.FromClient

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
		case w.run.State.Final():
			return d.afterEnd(ctx, w, m)
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

// afterEnd takes a message of a task that has ended: one that was sent before is no second one, others begin a task of their own.
func (d *door) afterEnd(ctx context.Context, w work, m *sdk.Message) (inbox.Accepted, error) {
	c := gateway.CallerOf(ctx)
	if a, ok, err := readAnswer(m); ok && err == nil {
		q, err := d.Store.Questions.Approval(ctx, a.Approval)
		if err == nil && q.Run == w.run.ID && q.Answer != nil && q.Decided(c.Party(), q.Answer.Choice) {
			return w.accepted(), nil
		}
	}
	return inbox.Accepted{}, sdk.NewError(sdk.ErrUnsupportedOperation, fmt.Sprintf("The task %s has ended. Send the message without taskId: in the context %s it begins a new task.", w.run.ID, w.run.Thread))
}

// parts puts what a message brings into what is said: words as they are, data and files of text marked as data, pictures beside
// them. Addresses are not fetched for a caller.
func (d *door) parts(said *talk.Message, parts sdk.ContentParts) error {
	var words []string
	data := func(what, text string) {
		words = append(words, prompt.Data(what, text))
		said.Origins = []string{fromFiles}
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

// SendStreamingMessage implements [srv.RequestHandler].
func (d *door) SendStreamingMessage(ctx context.Context, r *sdk.SendMessageRequest) iter.Seq2[sdk.Event, error] {
	return func(yield func(sdk.Event, error) bool) {
		if err := d.stream(ctx, r, yield); err != nil {
			yield(nil, d.protocols(ctx, err))
		}
	}
}

func (d *door) stream(ctx context.Context, r *sdk.SendMessageRequest, yield func(sdk.Event, error) bool) error {
	l, err := lookFor(r)
	if err != nil {
		return err
	}
	acc, err := d.accept(ctx, r)
	if err != nil {
		return err
	}
	if acc.Run == "" {
		yield(replied(acc), nil)
		return nil
	}
	w, err := d.taken(ctx, acc)
	if err != nil {
		return err
	}
	if w.run.ID == "" {
		yield(replied(acc), nil)
		return nil
	}
	return d.follow(ctx, w, l, false, yield)
}

// errStop ends the following of a run: its client has left, or is told to come again.
var errStop = errors.New("the client hears no more")

// follow tells a client of a task until it has ended, and, unless through, until it waits for somebody. It returns no error after
// the client has left.
func (d *door) follow(ctx context.Context, w work, l look, through bool, yield func(sdk.Event, error) bool) error {
	first, err := d.task(ctx, w, l)
	if err != nil {
		return err
	}
	if !yield(first, nil) || first.Status.State.Terminal() {
		return nil
	}
	if w, err = d.begun(ctx, w); err != nil {
		return err
	}
	if w.held != nil {
		return d.end(ctx, w, &writer{info: w.info(), yield: yield})
	}
	told := first.Status.State
	tell := func() error {
		now, err := d.now(ctx, w)
		if err != nil {
			return err
		}
		s, err := d.status(ctx, now)
		if err != nil || s.State == told || s.State.Terminal() {
			return err // the end tells of it
		}
		if told = s.State; !yield(&sdk.TaskStatusUpdateEvent{TaskID: first.ID, ContextID: first.ContextID, Status: s}, nil) {
			return errStop
		}
		return nil
	}
	written := &writer{info: w.info(), yield: yield}
	_, err = d.Talk.Follow(ctx, w.accepted(), talk.Viewer{
		Text: func(more string) error {
			if told != sdk.TaskStateWorking {
				told = sdk.TaskStateWorking
				at := d.Talk.Store.Desk.Mint().Now().UTC()
				if !yield(&sdk.TaskStatusUpdateEvent{TaskID: first.ID, ContextID: first.ContextID, Status: sdk.TaskStatus{State: told, Timestamp: &at}}, nil) {
					return errStop
				}
			}
			return written.write(more)
		},
		Waits: func(string) error {
			if err := tell(); err != nil || through {
				return err
			}
			return errStop
		},
	})
	if errors.Is(err, errStop) || ctx.Err() != nil {
		return nil //nolint:nilerr // nobody hears it
	}
	if err != nil {
		return err
	}
	return d.end(ctx, w, written)
}

// now is a work as it stands now.
func (d *door) now(ctx context.Context, w work) (work, error) {
	r, err := d.Talk.Store.Runs.Run(ctx, w.run.ID)
	if err != nil && fault.KindOf(err) == fault.NotFound && w.held != nil {
		return w, nil
	}
	return work{run: r}, err
}

// end tells what a task came to: what was not shown of its answer, and its state.
func (d *door) end(ctx context.Context, w work, shown *writer) error {
	now, err := d.now(ctx, w)
	if err != nil {
		return err
	}
	last, err := d.task(ctx, now, look{artifacts: true})
	if err != nil {
		return err
	}
	for _, a := range last.Artifacts {
		if err := shown.finish(a); err != nil {
			return nil //nolint:nilerr // the client has left
		}
	}
	shown.yield(&sdk.TaskStatusUpdateEvent{TaskID: last.ID, ContextID: last.ContextID, Status: last.Status}, nil)
	return nil
}

// A writer shows the answer of a task while it is written.
type writer struct {
	info  sdk.TaskInfo
	yield func(sdk.Event, error) bool
	text  strings.Builder // what was shown
}

// write shows a piece.
func (w *writer) write(more string) error {
	if more == "" {
		return nil
	}
	e := &sdk.TaskArtifactUpdateEvent{TaskID: w.info.TaskID, ContextID: w.info.ContextID, Append: w.text.Len() > 0, Artifact: &sdk.Artifact{ID: answerID, Name: "answer", Parts: sdk.ContentParts{textPart(more)}}}
	w.text.WriteString(more)
	if !w.yield(e, nil) {
		return errStop
	}
	return nil
}

// finish shows what is left of the whole answer: nothing, its files, or all of it where it was shown otherwise.
func (w *writer) finish(whole *sdk.Artifact) error {
	rest := *whole
	rest.Parts = whole.Parts
	same := len(rest.Parts) > 0 && rest.Parts[0].Text() == strings.TrimSpace(w.text.String())
	if same {
		rest.Parts = rest.Parts[1:]
	}
	if len(rest.Parts) == 0 {
		return nil
	}
	if !w.yield(&sdk.TaskArtifactUpdateEvent{TaskID: w.info.TaskID, ContextID: w.info.ContextID, Append: same, LastChunk: true, Artifact: &rest}, nil) {
		return errStop
	}
	return nil
}

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

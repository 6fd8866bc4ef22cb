package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"chela/internal/ask"
	files "chela/internal/document"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/inbox"
	"chela/internal/intake"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/session"
)

func (a *api) workRoutes() {
	route(a, http.MethodPost, "/api/intake", "intake", "Take content in: pasted text and up to 20 files", org.Editor, a.takeIn, status(http.StatusAccepted), largeBody[IntakeBody](a))
	route(a, http.MethodPost, "/api/intake/preview", "preview-import", "What importing a tracker's export would create and change; nothing is recorded", org.Viewer, a.preview, largeBody[PreviewBody](a))
	route(a, http.MethodPost, "/api/projects/{project}/intakes/{id}/retry", "retry-intake", "Go on with an intake that failed", org.Editor, func(ctx context.Context, in *RecordPath) (*Body[intake.Receipt], error) {
		return body(a.Intake.Retry(ctx, in.Project, in.ID, party(ctx)))
	}, status(http.StatusAccepted))
	route(a, http.MethodPost, "/api/ask", "ask", "Ask about a project; the answer cites records", org.Viewer, a.ask)
	route(a, http.MethodPost, "/api/chat", "chat", "Say something to the agents", org.Viewer, a.chat, status(http.StatusAccepted), largeMessage)
	route(a, http.MethodPost, "/api/clutch", "clutch", "Send a Clutch Protocol message", org.Editor, a.clutch, status(http.StatusAccepted))
	route(a, http.MethodGet, "/api/conversations", "list-conversations", "List conversations, the latest first", org.Viewer, a.conversations)
	route(a, http.MethodGet, "/api/conversations/{id}", "get-conversation", "Get a conversation", org.Viewer, a.conversation)
	route(a, http.MethodGet, "/api/conversations/{id}/waiting", "list-waiting", "Messages of a conversation that wait for their turn, oldest first", org.Viewer, func(ctx context.Context, in *IDPath) (*Body[[]session.Waiting], error) {
		out, err := a.Store.Waiting(ctx, in.ID)
		return body(append([]session.Waiting{}, out...), err)
	})
	route(a, http.MethodDelete, "/api/conversations/{id}/waiting/{message}", "drop-waiting", "Have a message that waits not be said", org.Editor, func(ctx context.Context, in *WaitingPath) (*struct{}, error) {
		return nil, a.Inbox.Drop(ctx, party(ctx), in.ID, in.Message)
	})
	route(a, http.MethodGet, "/api/conversations/{id}/messages", "list-messages", "Messages of a conversation, oldest first", org.Viewer, a.messages)
}

// IDPath names anything by its id in a path.
type IDPath struct {
	ID string `path:"id"`
}

// IntakeBody is content to take in.
type IntakeBody struct {
	Project string       `json:"projectId"`
	Content LargeText    `json:"content,omitempty" doc:"pasted text"`
	Title   string       `json:"title,omitempty" doc:"what the text is called"`
	Files   []IntakeFile `json:"files,omitempty" maxItems:"20"`
	Uploads []string     `json:"uploadIds,omitempty" maxItems:"20" doc:"files that were uploaded before"`
	// Mapping corrects how a tracker's export is read; it is remembered for files with the
	// same columns.
	Mapping map[string]string `json:"mapping,omitempty" doc:"field of a ticket to column name, empty for none; what is left out is read as found"`
}

// PreviewBody is a file to look at.
type PreviewBody struct {
	Project string            `json:"projectId"`
	File    IntakeFile        `json:"file"`
	Mapping map[string]string `json:"mapping,omitempty" doc:"as for an intake"`
}

// IntakeFile is one file.
type IntakeFile struct {
	Name string    `json:"name" maxLength:"255"`
	Data LargeFile `json:"data" doc:"base64"`
}

func (b IntakeBody) check() error {
	if b.Project == "" {
		return fault.BadField("projectId", "Say which project it belongs to.")
	}
	if n := max(len(b.Files), len(b.Uploads)); n > intake.MaxFiles {
		return fault.BadField("files", fmt.Sprintf("These are %d; one intake takes up to %d.", n, intake.MaxFiles))
	}
	if len(b.Content) > files.MaxBytes {
		return fileTooLarge("The text", int64(len(b.Content)))
	}
	for _, f := range b.Files {
		if err := f.check("files."); err != nil {
			return err
		}
	}
	return nil
}

func (b PreviewBody) check() error {
	if b.Project == "" {
		return fault.BadField("projectId", "Say which project it belongs to.")
	}
	return b.File.check("file.")
}

// maxFileName is how long the name of a file may be, in letters.
const maxFileName = 255

func (f IntakeFile) check(at string) error {
	if f.Name == "" || utf8.RuneCountInString(f.Name) > maxFileName {
		return fault.BadField(at+"name", fmt.Sprintf("A file has a name of at most %d letters.", maxFileName))
	}
	if len(f.Data) > files.MaxBytes {
		return fileTooLarge(f.Name, int64(len(f.Data)))
	}
	return nil
}

func fileTooLarge(name string, size int64) error {
	return fault.New(fault.TooLarge, "%s has %d MB; a file may have %d. Split it, or export fewer columns.", name, size>>20, files.MaxBytes>>20)
}

func (a *api) takeIn(ctx context.Context, in *struct{ Taken Large[IntakeBody] }) (*Body[intake.Receipt], error) {
	b, err := in.Taken.open()
	if err != nil {
		return nil, err
	}
	return body(a.intake(ctx, b))
}

func (a *api) intake(ctx context.Context, b IntakeBody) (intake.Receipt, error) {
	s := intake.Submission{Project: b.Project, Text: b.Content, Title: b.Title, By: party(ctx), Mapping: b.Mapping, Uploads: b.Uploads}
	for _, f := range b.Files {
		s.Files = append(s.Files, intake.File{Name: f.Name, Data: f.Data})
	}
	return a.Intake.Submit(ctx, s)
}

func (a *api) preview(ctx context.Context, in *struct{ Taken Large[PreviewBody] }) (*Body[intake.Preview], error) {
	b, err := in.Taken.open()
	if err != nil {
		return nil, err
	}
	return body(a.Intake.Preview(ctx, b.Project, intake.File{Name: b.File.Name, Data: b.File.Data}, b.Mapping))
}

// AskBody is a question.
type AskBody struct {
	Project  string `json:"projectId"`
	Question string `json:"question"`
	AsOf     string `json:"asOf,omitempty" doc:"answer from the records as they were then: a day (its end, UTC), an instant, an event's position or its id"`
}

func (a *api) ask(ctx context.Context, in *struct{ Body AskBody }) (*Body[ask.Answer], error) {
	s, done, err := a.at(ctx, in.Body.Project, in.Body.AsOf)
	if err != nil {
		return nil, err
	}
	defer done()
	q := ask.Question{Project: in.Body.Project, Text: in.Body.Question, By: party(ctx), AsOf: in.Body.AsOf}
	if q.AsOf != "" {
		q.Records = s
	}
	return body(a.Ask.Ask(ctx, q))
}

// ChatBody is something a person says.
type ChatBody struct {
	Thread  string   `json:"threadId,omitempty" doc:"empty begins a conversation"`
	Project string   `json:"projectId,omitempty"`
	Agent   string   `json:"agent,omitempty" doc:"an agent's name, to speak to it directly"`
	Text    string   `json:"text"`
	Images  [][]byte `json:"images,omitempty" maxItems:"8" doc:"base64"`
	Key     string   `json:"idempotencyKey,omitempty" maxLength:"200"`
	Channel string   `json:"channel,omitempty" enum:"page,cli,api" default:"api"`
	Timeout int      `json:"timeoutSec,omitempty" minimum:"0" maximum:"86400" doc:"seconds the run may take; 0 means 30 minutes"`
	Wait    bool     `json:"wait,omitempty" doc:"answer only when the run has ended or waits, for up to 5 minutes"`
}

// ChatOut says what became of it.
type ChatOut struct {
	inbox.Accepted
	State     run.State `json:"state,omitempty"`
	Confirmed *bool     `json:"confirmed,omitempty"`
	Review    string    `json:"review,omitempty"`
}

func (a *api) chat(ctx context.Context, in *struct{ Body ChatBody }) (*Body[ChatOut], error) {
	b := in.Body
	m := inbox.Message{Thread: b.Thread, Project: b.Project, Text: b.Text, From: party(ctx), Channel: b.Channel, Key: b.Key, Timeout: b.Timeout}
	if m.Channel == "" {
		m.Channel = "api"
	}
	if b.Agent != "" {
		m.Agent = "agent:" + org.AgentID(b.Agent).Name()
		if _, err := a.Store.Agent(ctx, org.AgentID(m.Agent)); err != nil {
			return nil, err
		}
	}
	for _, img := range b.Images {
		ref, err := a.Artifacts.Put(img)
		if err != nil {
			return nil, err
		}
		m.Images = append(m.Images, string(ref))
	}
	if !b.Wait {
		acc, err := a.take(ctx, m)
		return body(ChatOut{Accepted: acc}, err)
	}
	m.Run = run.ID(a.Store.Mint().ID("run"))
	settled, stop := a.Store.Settled(m.Run)
	defer stop()
	acc, err := a.take(ctx, m)
	out := ChatOut{Accepted: acc}
	if err != nil || acc.Run == "" {
		return body(out, err)
	}
	return body(a.await(ctx, out, m.Run, settled))
}

// take hands a message on, into a thread that is there or can be: one that is a record
// has no conversation before the first message.
func (a *api) take(ctx context.Context, m inbox.Message) (inbox.Accepted, error) {
	if m.Thread == "" {
		if m.Project != "" {
			if _, err := a.Clerk.Begin(ctx, a.place(ctx), m.Project); err != nil {
				return inbox.Accepted{}, err
			}
		}
		return a.Inbox.Take(ctx, m)
	}
	m.Begun = true
	acc, err := a.Inbox.Take(ctx, m)
	if err == nil || fault.KindOf(err) != fault.NotFound {
		return acc, err
	}
	r, missing := a.Store.Record(ctx, m.Thread)
	if missing != nil {
		return inbox.Accepted{}, fault.New(fault.NotFound, "The thread %s does not exist.", m.Thread)
	}
	m.Begun, m.Project = false, r.Project
	return a.Inbox.Take(ctx, m)
}

// maxWait bounds how long a request waits for its answer.
const maxWait = 5 * time.Minute

// await returns when the run of out has ended or waits. settled is the channel of the
// run that was to be started; the message may have gone to another.
func (a *api) await(ctx context.Context, out ChatOut, started run.ID, settled <-chan run.Finished) (ChatOut, error) {
	ctx, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	if id := run.ID(out.Run); id != started {
		other, stop := a.Store.Settled(id)
		defer stop()
		settled = other
		if done, err := a.settled(ctx, &out, run.Finished{}); done || err != nil {
			return out, err
		}
	}
	tick := time.NewTicker(time.Second) // a lost wake-up costs a second, no more
	defer tick.Stop()
	for {
		var how run.Finished
		select {
		case <-ctx.Done():
			return out, nil
		case how = <-settled:
		case <-tick.C:
		}
		if done, err := a.settled(ctx, &out, how); done || err != nil {
			return out, err
		}
	}
}

// settled fills out in when the run has ended or waits for somebody. How that came is
// looked up when it is not known. A run that waits for a time goes on by itself, and so
// does whoever waits for it.
func (a *api) settled(ctx context.Context, out *ChatOut, how run.Finished) (bool, error) {
	if how.State == "" || how.State == run.Waiting {
		r, err := a.Store.Run(ctx, run.ID(out.Run))
		if out.Queued && fault.KindOf(err) == fault.NotFound && err != nil {
			return false, nil // it begins when the message has its turn
		}
		if err != nil {
			return false, err
		}
		how = run.Finished{State: r.State, Reason: r.Reason}
		if r.State == run.Waiting && r.WaitsFor == run.ForTime {
			out.State = how.State
			return false, nil
		}
	}
	out.State = how.State
	switch {
	case how.State != run.Waiting && !how.State.Final():
		return false, nil
	case how.State != run.Done:
		out.Reply = how.Reason
		return true, nil
	case len(how.Result) == 0:
		return true, a.lastReply(ctx, out)
	}
	var said session.Said
	if err := json.Unmarshal(how.Result, &said); err != nil {
		return true, fmt.Errorf("read the result of %s: %w", out.Run, err)
	}
	out.Reply, out.Confirmed, out.Review = said.Message, said.Confirmed, said.Review
	return true, nil
}

func (a *api) lastReply(ctx context.Context, out *ChatOut) error {
	r, err := a.Store.Run(ctx, run.ID(out.Run))
	if err != nil {
		return err
	}
	messages, err := a.Store.Messages(ctx, out.Thread, r.Seq, 500)
	for _, m := range messages {
		if m.Run == out.Run && m.Role == session.FromAgent {
			out.Reply, out.Confirmed, out.Review = m.Message, m.Confirmed, m.Review
		}
	}
	return err
}

func (a *api) conversations(ctx context.Context, in *struct {
	Project string `query:"project"`
	Limit   int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Offset  int    `query:"offset" minimum:"0"`
},
) (*Body[[]session.View], error) {
	out, err := a.Store.Sessions(ctx, in.Project, party(ctx).AgentID, in.Limit, in.Offset)
	return body(append([]session.View{}, out...), err)
}

// WaitingPath names a message that waits.
type WaitingPath struct {
	IDPath
	Message string `path:"message"`
}

func (a *api) messages(ctx context.Context, in *struct {
	IDPath
	After  int64 `query:"after" doc:"only past this position"`
	Before int64 `query:"before" doc:"only before this position, with newest"`
	Newest bool  `query:"newest" doc:"the last ones instead of the first; still oldest first"`
	Limit  int   `query:"limit" minimum:"1" maximum:"500" default:"200"`
},
) (*Body[[]session.Message], error) {
	if in.Newest {
		upTo := event.Newest
		if in.Before > 0 {
			upTo = event.Seq(in.Before) - 1
		}
		out, err := a.Store.LastMessages(ctx, in.ID, upTo, in.Limit)
		return body(append([]session.Message{}, out...), err)
	}
	out, err := a.Store.Messages(ctx, in.ID, event.Seq(in.After), in.Limit)
	return body(append([]session.Message{}, out...), err)
}

// clutch takes a protocol message from a program. It may speak for the person whose
// token it sends (chat.message, task.request, task.cancel) and for agents that run
// outside (agent.register, agent.heartbeat, agent.update).
func (a *api) clutch(ctx context.Context, in *struct{ RawBody []byte }) (*Body[ClutchOut], error) {
	m, err := event.DecodeMessage(in.RawBody)
	if err != nil {
		return nil, err
	}
	switch m.Type {
	case event.ChatMessage, event.TaskRequest:
		return a.clutchChat(ctx, m)
	case event.TaskCancel:
		return a.clutchCancel(ctx, m)
	case event.AgentRegister, event.AgentHeartbeat, event.AgentUpdate:
		return a.clutchAgent(ctx, m)
	}
	return nil, fault.BadField("type", "Programs may send only these types; the others are written by the daemon.", event.ChatMessage, event.TaskRequest, event.TaskCancel, event.AgentRegister, event.AgentHeartbeat, event.AgentUpdate)
}

// ClutchOut says what became of a message.
type ClutchOut struct {
	MessageID string `json:"message_id"`
	ThreadID  string `json:"thread_id"`
	RunID     string `json:"run_id,omitempty"`
	Again     bool   `json:"again,omitempty"`
}

func (a *api) clutchChat(ctx context.Context, m event.Message) (*Body[ClutchOut], error) {
	var text struct {
		Message     string `json:"message"`
		Title       string `json:"title"`
		Description string `json:"description"`
	}
	if err := json.Unmarshal(m.Payload, &text); err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "payload: it is an object with message, or with title and description.")
	}
	var names map[string]json.RawMessage
	if err := json.Unmarshal(m.Payload, &names); err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "payload: it is an object with message, or with title and description.")
	}
	for name := range names { // programs may send more, but nothing that is read as one of these
		for _, known := range []string{"message", "title", "description"} {
			if name != known && strings.EqualFold(name, known) {
				return nil, fault.BadField("payload."+name, "The key is spelt "+known+".")
			}
		}
	}
	if text.Message == "" {
		text.Message = text.Title
		if text.Description != "" {
			text.Message += "\n" + text.Description
		}
	}
	key := m.IdempotencyKey
	if key == "" {
		key = m.ID
	}
	d := inbox.Message{Thread: m.ThreadID, Text: text.Message, From: party(ctx), Channel: "clutch", Key: key, Requires: m.Requires, Prefers: m.Prefers, Trace: m.Trace}
	if m.Security != nil {
		d.Policy = m.Security.Policy
	}
	if len(m.To) == 1 && m.To[0].AgentID != "agent:controller" && m.To[0].AgentID != "agent:chela" {
		d.Agent = m.To[0].AgentID
	}
	acc, err := a.Inbox.Take(ctx, d)
	return body(ClutchOut{MessageID: acc.Message, ThreadID: acc.Thread, RunID: acc.Run, Again: acc.Again}, err)
}

func (a *api) clutchCancel(ctx context.Context, m event.Message) (*Body[ClutchOut], error) {
	err := a.Runs.Write(ctx, func(b *run.Batch) error { return b.Cancel(run.ID(m.RunID), party(ctx), "A message cancelled it.") })
	return body(ClutchOut{MessageID: m.ID, ThreadID: m.ThreadID, RunID: m.RunID}, err)
}

func (a *api) clutchAgent(ctx context.Context, m event.Message) (*Body[ClutchOut], error) {
	if !person(ctx).Role.AtLeast(org.Admin) {
		return nil, fault.New(fault.Denied, "Speaking for agents needs the role admin; %s has the role %s.", person(ctx).Name, person(ctx).Role)
	}
	if err := a.checkAgent(ctx, m); err != nil {
		return nil, err
	}
	recorded, err := a.Store.Append(ctx, event.Draft{Stream: event.OrgStream, Message: m})
	return body(ClutchOut{MessageID: m.ID, ThreadID: m.ThreadID, Again: err == nil && len(recorded) == 0}, err)
}

// checkAgent refuses what would speak for one of our own agents.
func (a *api) checkAgent(ctx context.Context, m event.Message) error {
	id := org.AgentID(m.From.AgentID)
	member, err := a.Store.Member(ctx, id)
	known := err == nil
	if known && member.Card.Endpoints == nil {
		return fault.New(fault.Denied, "The agent %s runs inside Chela and speaks for itself.", id)
	}
	switch m.Type {
	case event.AgentRegister:
		var r org.Registration
		if err := event.DecodeStrict(m.Payload, &r); err != nil {
			return err
		}
		if r.Profile != nil || r.Card.AgentID != id || r.Card.Endpoints == nil {
			return fault.BadField("payload.card", "A registration carries the sender's own card with its endpoints, and no profile.")
		}
		return org.Agent{Card: r.Card, Profile: org.Profile{Kind: org.Specialist, Prompt: "outside", Enabled: true}}.Check()
	case event.AgentHeartbeat:
		var h org.Heartbeat
		if err := event.DecodeStrict(m.Payload, &h); err != nil {
			return err
		}
		if err := h.Check(); err != nil {
			return err
		}
	case event.AgentUpdate:
		var u org.Update
		if err := event.DecodeStrict(m.Payload, &u); err != nil {
			return err
		}
		if u.AgentID != id || u.Profile != nil || u.Card != nil && (u.Card.AgentID != id || u.Card.Endpoints == nil) {
			return fault.BadField("payload", "An update is about the sender itself, carries no profile, and a card keeps its endpoints.")
		}
		if err := u.Check(); err != nil {
			return err
		}
	}
	if !known {
		return fault.New(fault.NotFound, "The agent %s has not registered.", id)
	}
	return nil
}

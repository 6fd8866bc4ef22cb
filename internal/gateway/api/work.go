package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"unicode/utf8"

	"chela/internal/ask"
	"chela/internal/desk"
	files "chela/internal/document"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/inbox"
	"chela/internal/intake"
	"chela/internal/memory"
	"chela/internal/org"
	"chela/internal/question"
	"chela/internal/session"
	"chela/internal/talk"
)

func (a *api) workRoutes() {
	route(a, http.MethodPost, "/api/intake", "intake", "Import content: pasted text and up to 20 files", org.Editor, a.takeIn, status(http.StatusAccepted), largeBody[IntakeBody](a))
	route(a, http.MethodPost, "/api/intake/preview", "preview-import", "Preview what a tracker's export would create and change; nothing is recorded", org.Viewer, a.preview, largeBody[PreviewBody](a))
	route(a, http.MethodPost, "/api/projects/{project}/intakes/{id}/retry", "retry-intake", "Retry an intake that failed, or that no model has read", org.Editor, func(ctx context.Context, in *RecordPath) (*Body[intake.Receipt], error) {
		return body(a.Intake.Retry(ctx, in.Project, in.ID, party(ctx)))
	}, status(http.StatusAccepted))
	route(a, http.MethodPost, "/api/ask", "ask", "Ask about a project; the answer is computed, cites records, and is worded by a model when there is one", org.Viewer, a.ask)
	route(a, http.MethodGet, "/api/projects/{project}/answers", "answers", "Answer the questions that are asked most about a project; no model is asked and nothing is recorded", org.Viewer, a.answers)
	route(a, http.MethodPost, "/api/chat", "chat", "Send a message to the agents", org.Viewer, a.chat, status(http.StatusAccepted), largeMessage)
	route(a, http.MethodGet, "/api/conversations", "list-conversations", "List conversations, latest first", org.Viewer, a.conversations)
	route(a, http.MethodGet, "/api/conversations/{id}", "get-conversation", "Get a conversation", org.Viewer, a.conversation)
	route(a, http.MethodGet, "/api/conversations/{id}/waiting", "list-waiting", "List queued messages of a conversation, oldest first", org.Viewer, func(ctx context.Context, in *IDPath) (*Body[[]session.Waiting], error) {
		out, err := a.Store.Conversations.Waiting(ctx, in.ID)
		return body(append([]session.Waiting{}, out...), err)
	})
	route(a, http.MethodDelete, "/api/conversations/{id}/waiting/{message}", "drop-waiting", "Delete a queued message", org.Editor, func(ctx context.Context, in *WaitingPath) (*struct{}, error) {
		return nil, a.Inbox.Drop(ctx, party(ctx), in.ID, in.Message)
	})
	route(a, http.MethodGet, "/api/conversations/{id}/messages", "list-messages", "List messages of a conversation, oldest first", org.Viewer, a.messages)
}

// IDPath names anything by its id in a path.
type IDPath struct {
	ID string `path:"id"`
}

// IntakeBody is content to import.
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
	if err := ofKey(ctx, b.Project); err != nil {
		return intake.Receipt{}, err
	}
	if k := gateway.CallerOf(ctx).Key; k != nil && k.Project != "" && len(b.Uploads) > 0 { // these are of the whole organization
		return intake.Receipt{}, fault.New(fault.Denied, "The key %q is for one project, and uploads are of none. Send the files with the call.", k.Name)
	}
	s := intake.Submission{Project: b.Project, Text: b.Content, Title: b.Title, By: party(ctx), Mapping: b.Mapping, Uploads: b.Uploads}
	for _, f := range b.Files {
		s.Files = append(s.Files, intake.File{Name: f.Name, Data: f.Data})
	}
	return a.Intake.Submit(ctx, s)
}

func (a *api) preview(ctx context.Context, in *struct{ Taken Large[PreviewBody] }) (*Body[intake.Preview], error) {
	b, err := in.Taken.open()
	if err == nil {
		err = ofKey(ctx, b.Project)
	}
	if err != nil {
		return nil, err
	}
	return body(a.Intake.Preview(ctx, b.Project, intake.File{Name: b.File.Name, Data: b.File.Data}, b.Mapping))
}

// AskBody is a question.
type AskBody struct {
	Project  string `json:"projectId"`
	Question string `json:"question" doc:"in English or German"`
	// Plan answers a plan instead of the question.
	Plan     *question.Plan `json:"plan,omitempty" doc:"what the question is read as, such as an answer's plan with another filter; without it the question is read"`
	Computed bool           `json:"computed,omitempty" doc:"ask no model: only the computed answer, at once"`
	AsOf     string         `json:"asOf,omitempty" doc:"answer from the records as they were then: a day (its end, UTC), an instant, an event's position or its id"`
}

func (a *api) ask(ctx context.Context, in *struct{ Body AskBody }) (*Body[ask.Answer], error) {
	if err := ofKey(ctx, in.Body.Project); err != nil {
		return nil, err
	}
	s, err := a.of(ctx, in.Body.Project, in.Body.AsOf)
	if err != nil {
		return nil, err
	}
	q := ask.Question{Project: in.Body.Project, Text: in.Body.Question, Plan: in.Body.Plan, Computed: in.Body.Computed, By: party(ctx), Asker: person(ctx).Name, AsOf: in.Body.AsOf}
	if key := gateway.CallerOf(ctx).Key; key != nil && key.Project != "" {
		q.Unnamed = true
	}
	if q.AsOf != "" {
		q.Records = s
	} else {
		hits, err := a.Memory.Recall(ctx, memory.Reader{Person: person(ctx).ID, Project: q.Project}, memory.Question{Text: q.Text, Scopes: []string{desk.ForAll, desk.ForProject}, Strong: true})
		if err != nil {
			return nil, err
		}
		for _, h := range hits {
			q.Recalled = append(q.Recalled, h.Source)
		}
	}
	return body(a.Ask.Ask(ctx, q))
}

func (a *api) answers(ctx context.Context, in *LookPath) (*Body[[]ask.Line], error) {
	s, err := a.of(ctx, in.Project, in.AsOf)
	if err != nil {
		return nil, err
	}
	if in.AsOf == "" {
		return body(a.Ask.Usual(ctx, in.Project, nil))
	}
	return body(a.Ask.Usual(ctx, in.Project, s))
}

// ChatBody is something a person says.
type ChatBody struct {
	Thread  string   `json:"threadId,omitempty" doc:"empty begins a conversation"`
	Project string   `json:"projectId,omitempty"`
	Agent   string   `json:"agent,omitempty" doc:"an agent's name, to speak to it directly"`
	Text    string   `json:"text"`
	Images  [][]byte `json:"images,omitempty" maxItems:"8" doc:"base64"`
	Key     string   `json:"idempotencyKey,omitempty" maxLength:"200"`
	Timeout int      `json:"timeoutSec,omitempty" minimum:"0" maximum:"86400" doc:"seconds the run may take; 0 means 30 minutes"`
	Wait    bool     `json:"wait,omitempty" doc:"answer only when the run has ended or waits, for up to 5 minutes"`
	// Tools are the program's own.
	Tools []ClientTool `json:"tools,omitempty" maxItems:"128" doc:"tools of the program that says it: an agent calls them beside its own, and its run waits until the program brings the results"`
}

// ClientTool is a tool that a program brings with what it says, and calls itself for an agent.
type ClientTool struct {
	Name   string          `json:"name" doc:"1 to 64 letters, digits, _ and -; the agent gets another name for it when one of ours has this"`
	Help   string          `json:"help,omitempty" doc:"what it does, for the agent"`
	Schema json.RawMessage `json:"schema,omitempty" doc:"JSON Schema of its arguments, an object; left out, it takes none"`
}

func (a *api) chat(ctx context.Context, in *struct{ Body ChatBody }) (*Body[talk.Reply], error) {
	m, err := a.messageOf(ctx, in.Body)
	if err != nil {
		return nil, err
	}
	if in.Body.Wait {
		return body(a.Talk.Ask(ctx, m))
	}
	acc, err := a.Talk.Say(ctx, m)
	return body(talk.Reply{Accepted: acc}, err)
}

// messageOf is what a body says, with its pictures kept.
func (a *api) messageOf(ctx context.Context, b ChatBody) (talk.Message, error) {
	m := talk.Message{Message: inbox.Message{
		Thread: b.Thread, Project: b.Project, Text: b.Text, From: party(ctx), Channel: gateway.CallerOf(ctx).How.Channel(), Key: b.Key, Timeout: b.Timeout,
	}}
	if b.Agent != "" {
		m.Agent = string(agentID(b.Agent))
	}
	offers := make([]talk.Offer, len(b.Tools))
	for i, t := range b.Tools {
		offers[i] = talk.Offer{Name: t.Name, Help: t.Help, Schema: t.Schema}
	}
	var err error
	if m.Client, err = a.Talk.Client(offers, false); err != nil {
		return m, err
	}
	for _, img := range b.Images {
		ref, err := a.Talk.KeepPicture("images", img)
		if err != nil {
			return m, err
		}
		m.Images = append(m.Images, ref)
	}
	return m, nil
}

func (a *api) conversations(ctx context.Context, in *struct {
	Project string `query:"project"`
	Limit   int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Offset  int    `query:"offset" minimum:"0"`
},
) (*Body[[]session.View], error) {
	out, err := a.Store.Conversations.Sessions(ctx, in.Project, party(ctx).AgentID, in.Limit, in.Offset)
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
	if live, err := a.Store.Conversations.Session(ctx, in.ID); err == nil && live.Removed {
		return nil, inbox.There(live, err)
	}
	if in.Newest {
		upTo := event.Newest
		if in.Before > 0 {
			upTo = event.Seq(in.Before) - 1
		}
		out, err := a.Store.Conversations.LastMessages(ctx, in.ID, upTo, in.Limit)
		return body(append([]session.Message{}, out...), err)
	}
	out, err := a.Store.Conversations.Messages(ctx, in.ID, event.Seq(in.After), in.Limit)
	return body(append([]session.Message{}, out...), err)
}

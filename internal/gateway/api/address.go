package api

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/intake"
	"chela/internal/org"
	"chela/internal/session"
	"chela/internal/talk"
)

// addressRoutes adds second addresses of what is there: those by which programs know it
// that were written for the system whose exports and scenarios we take.
func addressRoutes(a *api) {
	route(a, http.MethodGet, "/api/resources/{id}/assignments", "assignments-of-resource", "List a person's assignments", org.Viewer, a.assignmentsOf, listAnswers(a, desk.Assignment))
	route(a, http.MethodPost, "/api/ask/dedup", "dedup-by-query", "Same as POST /api/projects/{project}/dedup", org.Editor, func(ctx context.Context, in *struct {
		Project string `query:"projectId" required:"true"`
	},
	) (*Body[DedupOut], error) {
		return a.dedup(ctx, &dedupIn{ProjectPath: ProjectPath{in.Project}})
	})
	route(a, http.MethodPost, "/api/intake/pipeline", "intake-pipeline", "Same as POST /api/intake, with more names in the answer", org.Editor, a.pipeline, status(http.StatusAccepted), largeBody[PipelineBody](a))
	route(a, http.MethodPost, "/api/search/response", "answer-search", "Answer an agent's search, as POST /api/approvals/{id} does", org.Viewer, a.searched)
	route(a, http.MethodGet, "/api/sessions", "list-sessions", "Same as GET /api/conversations", org.Viewer, a.conversations)
	route(a, http.MethodGet, "/api/sessions/{id}", "get-session", "Same as GET /api/conversations/{id}", org.Viewer, a.conversation)
	route(a, http.MethodGet, "/api/sessions/{id}/messages", "list-session-messages", "Same as GET /api/conversations/{id}/messages", org.Viewer, a.messages)
	route(a, http.MethodPost, "/api/sessions/{id}/messages", "say-in-session", "Send a message in a conversation, as POST /api/chat does", org.Viewer, func(ctx context.Context, in *struct {
		IDPath
		Body SayBody
	},
	) (*Body[talk.Reply], error) {
		return a.say(ctx, in.ID, in.Body)
	}, status(http.StatusAccepted), largeMessage)
	route(a, http.MethodPost, "/api/projects/{project}/threads/{id}/messages", "say-in-thread", "Send a message in a thread, as POST /api/chat does", org.Viewer, func(ctx context.Context, in *struct {
		RecordPath
		Body SayBody
	},
	) (*Body[talk.Reply], error) {
		if _, err := a.threadIn(ctx, &in.RecordPath); err != nil {
			return nil, err
		}
		return a.say(ctx, in.ID, in.Body)
	}, status(http.StatusAccepted), largeMessage)
}

// largeMessage lets a message have pictures.
func largeMessage(op *huma.Operation) { op.MaxBodyBytes = maxChat }

// PipelineBody is content to import.
type PipelineBody struct {
	IntakeBody
	Paths []string `json:"filePaths,omitempty" maxItems:"20" doc:"as uploadIds: files that were uploaded before; no file of the daemon's machine is read"`
}

// PipelineOut is the receipt of an intake.
type PipelineOut struct {
	intake.Receipt
	Pipeline string `json:"pipelineId" doc:"the intake"`
	Status   string `json:"status" enum:"PIPELINE_STARTED"`
}

func (a *api) pipeline(ctx context.Context, in *struct{ Taken Large[PipelineBody] }) (*Body[PipelineOut], error) {
	said, err := in.Taken.open()
	if err != nil {
		return nil, err
	}
	b := said.IntakeBody
	b.Uploads = slices.Concat(b.Uploads, said.Paths)
	got, err := a.intake(ctx, b)
	if err != nil {
		return nil, err
	}
	return body(PipelineOut{got, got.Intake, "PIPELINE_STARTED"}, nil)
}

// SayBody is something a person says in a conversation that is named.
type SayBody struct {
	Content string    `json:"content,omitempty"`
	Role    string    `json:"role,omitempty" enum:"user" doc:"who says it: whoever asks, so it is user"`
	Parts   []SayPart `json:"parts,omitempty" maxItems:"20" doc:"more texts, and pictures"`
}

// SayPart is a text or a picture of a message.
type SayPart struct {
	Type      string `json:"type" enum:"text,image"`
	Text      string `json:"text,omitempty"`
	MediaType string `json:"mediaType,omitempty" doc:"of a picture; what it is, its bytes say"`
	Data      []byte `json:"data,omitempty" doc:"base64"`
}

// say hands it on; a run begins by itself.
func (a *api) say(ctx context.Context, thread string, b SayBody) (*Body[talk.Reply], error) {
	words, images := []string{b.Content}, [][]byte(nil)
	for _, p := range b.Parts {
		switch {
		case p.Type == "image" && len(p.Data) == 0:
			return nil, fault.BadField("parts.data", "A picture has bytes.")
		case p.Type == "image":
			images = append(images, p.Data)
		default:
			words = append(words, p.Text)
		}
	}
	text := strings.TrimSpace(strings.Join(words, "\n"))
	return a.chat(ctx, &struct{ Body ChatBody }{ChatBody{Thread: thread, Text: text, Images: images}})
}

func (a *api) conversation(ctx context.Context, in *IDPath) (*Body[session.View], error) {
	if err := a.there(ctx, in.ID); err != nil {
		return nil, err
	}
	return body(a.Store.Conversations.View(ctx, in.ID, party(ctx).AgentID))
}

func (a *api) assignmentsOf(ctx context.Context, in *IDPath) (*Body[ListOut], error) {
	r, err := a.loose(ctx, desk.Resource, in.ID)
	if err != nil {
		return nil, err
	}
	q := ListQuery{RefTo: in.ID, Limit: 500}
	q.Project = r.Project
	return body(listRecords(ctx, a, desk.Assignment, q))
}

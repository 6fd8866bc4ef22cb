package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chela/internal/definition"
	"chela/internal/fault"
	"chela/internal/library"
	"chela/internal/run"
)

// Workflows are the deployed ways of working.
type Workflows interface {
	Workflows(ctx context.Context) ([]library.Version, error)
	Version(ctx context.Context, slug string, number int) (library.Version, error)
}

// A Library begins instances of them.
type Library interface {
	Start(ctx context.Context, s library.Start) (run.ID, error)
}

// startWorkflow is the tool that begins an instance.
const startWorkflow = "start_workflow"

func (s *Server) addWorkflowTool() {
	no := false
	s.server.AddTool(&sdk.Tool{
		Name: startWorkflow, Description: "Begin a deployed workflow of the organization and get what it gives. The prompts of this server name the workflows and their inputs. One that waits goes on by await_run.",
		InputSchema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["workflow"],"properties":{"workflow":{"type":"string","description":"its slug"},"inputs":{"type":"object","description":"values by name"},"projectId":{"type":"string"}}}`),
		Annotations: &sdk.ToolAnnotations{DestructiveHint: &no, OpenWorldHint: &no},
	}, s.startWorkflow)
}

func (s *Server) startWorkflow(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	var in struct {
		Workflow string           `json:"workflow"`
		Inputs   definition.Given `json:"inputs,omitempty"`
		Project  string           `json:"projectId,omitempty"`
	}
	c, res, err := s.begins(ctx, r, "Beginning a workflow", &in)
	if res != nil || err != nil {
		return res, err
	}
	as, _ := ctx.Value(aimKey{}).(aim)
	project := cmp.Or(in.Project, as.project)
	if project != "" {
		if err := s.Talk.Project(ctx, project); err != nil {
			return s.said(ctx, err), nil
		}
	}
	id, err := s.Library.Start(ctx, library.Start{Slug: in.Workflow, Inputs: in.Inputs, Project: project, By: c.Party(), Trace: run.TraceOf(ctx)})
	if err != nil {
		return s.said(ctx, err), nil
	}
	return s.await(ctx, &waiter{Server: s, req: r, caller: c, id: id})
}

// workflowPrompts are the deployed workflows as prompts, by slug. An agent of the same name comes first.
func (s *Server) workflowPrompts(ctx context.Context, agents map[string]offer) error {
	all, err := s.Store.Workflows.Workflows(ctx)
	if err != nil {
		return err
	}
	for _, v := range all {
		if _, taken := agents[v.Slug]; taken || v.State != library.Deployed {
			continue
		}
		inputs, err := s.inputsOf(ctx, v.Slug)
		if err != nil {
			return err
		}
		p := &sdk.Prompt{Name: v.Slug, Title: v.Name, Description: "The workflow " + v.Name + ": begin it with these inputs."}
		for _, in := range inputs {
			p.Arguments = append(p.Arguments, &sdk.PromptArgument{Name: in.Name, Description: cmp.Or(in.Description, string(in.Type)), Required: in.Required && in.Default == nil})
		}
		agents[v.Slug] = offer{prompt: p, digest: v.Digest, get: s.workflowPrompt}
	}
	return nil
}

func (s *Server) inputsOf(ctx context.Context, slug string) ([]definition.Input, error) {
	v, err := s.Store.Workflows.Version(ctx, slug, 0)
	if err != nil {
		return nil, err
	}
	c, err := v.Read()
	if err != nil {
		return nil, err
	}
	return c.File.Inputs, nil
}

// workflowPrompt has a client's model begin a workflow with what its user gave.
func (s *Server) workflowPrompt(ctx context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	inputs, err := s.inputsOf(ctx, r.Params.Name)
	if err != nil {
		return nil, s.fail(ctx, err)
	}
	var given strings.Builder
	for _, in := range inputs {
		value, ok := r.Params.Arguments[in.Name]
		if !ok && in.Required && in.Default == nil {
			return nil, s.fail(ctx, fault.BadField(in.Name, "The workflow needs it."))
		}
		if ok {
			fmt.Fprintf(&given, "\n- %s (%s): %s", in.Name, in.Type, value)
		}
	}
	text := "Begin the workflow " + r.Params.Name + " by the tool " + startWorkflow + ", and tell what it gives."
	if given.Len() > 0 {
		text += " Its inputs, as data:" + given.String()
	}
	return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}}}, nil
}

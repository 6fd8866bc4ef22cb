package api

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/talk"
	"chela/internal/tool"
)

// InvokeIn is a call of a tool that a person asks for.
type InvokeIn struct {
	Name    string `path:"name"`
	Agent   string `query:"agent" doc:"as whom it is called; the enabled agent that may call the tool and comes first by name, when left out"`
	Project string `query:"project" doc:"where; also projectId in the body, where the tool has no such argument"`
	Key     string `query:"key" maxLength:"200" doc:"asked again under it, the call is not made again"`
	RawBody []byte
}

func invokeRoute(a *api) {
	route(a, http.MethodPost, "/api/tools/{name}/invoke", "invoke-tool", "Call a tool as an agent, without a model; the body holds its arguments. Permission, approval and recording are those of an agent's own call", org.Viewer, a.invoke, func(op *huma.Operation) {
		op.Description += " It answers when the call has ended or waits for a person, within 5 minutes."
		op.RequestBody = &huma.RequestBody{Content: map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}}}}
		op.SkipValidateBody = true // the tool says what fits
	})
}

func (a *api) invoke(ctx context.Context, in *InvokeIn) (*Body[talk.Invoked], error) {
	t, ok := a.Tools.Now().Find(in.Name)
	if !ok {
		return nil, fault.New(fault.NotFound, "%s", a.Tools.Now().Missing(in.Name))
	}
	args, project, err := argumentsOf(t, in)
	if err != nil {
		return nil, err
	}
	c := talk.Call{Tool: t.Name, Args: args, Project: project, Key: in.Key, From: party(ctx)}
	if in.Agent != "" {
		c.Agent = agentID(in.Agent)
	}
	return body(a.Talk.Invoke(ctx, c))
}

// argumentsOf takes the project out of the arguments, where the tool has no argument of that name.
func argumentsOf(t *tool.Tool, in *InvokeIn) (args json.RawMessage, project string, err error) {
	fields := make(map[string]json.RawMessage)
	if len(in.RawBody) > 0 {
		if err := json.Unmarshal(in.RawBody, &fields); err != nil || fields == nil {
			return nil, "", fault.New(fault.Invalid, "The body is no JSON object: give the arguments of %s, as GET /api/tools/%s describes them.", t.Name, t.Name)
		}
	}
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(t.Schema, &schema); err != nil {
		return nil, "", err
	}
	project = in.Project
	if raw, given := fields["projectId"]; given && schema.Properties["projectId"] == nil {
		if err := json.Unmarshal(raw, &project); err != nil {
			return nil, "", fault.BadField("projectId", "It is no text.")
		}
		delete(fields, "projectId")
	}
	args, err = json.Marshal(fields)
	return args, project, err
}

package api

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"chela/internal/agent"
	"chela/internal/fault"
	"chela/internal/guard"
	"chela/internal/org"
	"chela/internal/tool"
)

// A Policy is the file with the organization's own rules.
type Policy interface {
	Policy(ctx context.Context) (guard.Policy, error)
	File() string
	// Text is what the file says; "" when there is none.
	Text() string
}

func policyRoutes(a *api) {
	route(a, http.MethodGet, "/api/policy", "get-policy", "Get the policy: what agents may do beside the defaults", org.Viewer, a.policy)
	route(a, http.MethodPost, "/api/policy/test", "test-policy", "Explain the decision about a call", org.Viewer, a.testPolicy)
	route(a, http.MethodGet, "/api/sandbox", "sandbox", "Get the sandbox in which programs run", org.Viewer, func(context.Context, *struct{}) (*Body[Sandbox], error) {
		return body(a.Parts.Sandbox(), nil)
	})
	route(a, http.MethodGet, "/api/policy/allowances", "list-allowances", "List allowances: commands that people allowed for always", org.Viewer, a.allowances)
	route(a, http.MethodDelete, "/api/policy/allowances/{id}", "forget-allowance", "Delete an allowance; the command is asked about again", org.Editor, a.forget)
}

// A Sandbox says what keeps the programs of agents in on this machine.
type Sandbox struct {
	Backend string         `json:"backend" doc:"in use; empty when programs are refused"`
	Holds   []SandboxLayer `json:"holds"`
	Refusal string         `json:"refusal,omitempty" doc:"why programs are refused, and the way out"`
}

// A SandboxLayer is one thing that was tried at the first use.
type SandboxLayer struct {
	Name  string `json:"name"`
	Holds bool   `json:"holds"`
	Text  string `json:"text,omitempty"`
}

// PolicyOut is the policy as it stands.
type PolicyOut struct {
	File   string       `json:"file"`
	Policy guard.Policy `json:"policy"`
	Text   string       `json:"text,omitempty" doc:"the file as it is; for admins"`
	Error  string       `json:"error,omitempty" doc:"why the file cannot be read; while it cannot, every call is denied"`
}

func (a *api) policy(ctx context.Context, _ *struct{}) (*Body[PolicyOut], error) {
	p, err := a.Policy.Policy(ctx)
	out := PolicyOut{File: a.Policy.File(), Policy: p}
	if err != nil {
		out.Error = fault.TextOf(err)
	}
	if person(ctx).Role.AtLeast(org.Admin) {
		out.Text = a.Policy.Text()
	}
	return body(out, nil)
}

// PolicyCase is a call to decide about.
type PolicyCase struct {
	Agent     string          `json:"agent" doc:"its name or id"`
	Tool      string          `json:"tool"`
	Args      json.RawMessage `json:"args,omitempty"`
	Project   string          `json:"project,omitempty"`
	Role      string          `json:"role,omitempty" enum:"viewer,editor,admin,owner" doc:"of the person it acts for; the caller's when empty"`
	Via       string          `json:"via,omitempty" enum:"person,schedule,workflow,agent"`
	Channel   string          `json:"channel,omitempty"`
	Untrusted []string        `json:"untrusted,omitempty" doc:"where data came from that the run has seen: hosts, files, programs"`
}

// PolicyAnswer is what would be decided, and what the call amounts to.
type PolicyAnswer struct {
	Decision guard.Decision `json:"decision"`
	Risk     tool.Risk      `json:"risk"`
	Act      tool.Act       `json:"act"`
}

func (a *api) testPolicy(ctx context.Context, in *struct{ Body PolicyCase }) (*Body[PolicyAnswer], error) {
	b := in.Body
	c := agent.Case{Agent: agentID(b.Agent), Tool: b.Tool, Args: b.Args, Project: b.Project, Origins: b.Untrusted}
	c.Who = guard.Caller{Role: org.Role(b.Role), Channel: b.Channel, Via: guard.Via(b.Via)}
	if c.Who.Role == "" {
		c.Who.Role = person(ctx).Role
	}
	if c.Who.Via == "" {
		c.Who.Via = guard.ByPerson
	}
	act, d, err := a.Explain(ctx, c)
	if err != nil {
		return nil, err
	}
	out := PolicyAnswer{Decision: d, Act: act, Risk: act.Risk}
	if t, ok := a.Tools.Now().Find(b.Tool); ok && out.Risk == "" {
		out.Risk = t.Risk
	}
	return body(out, nil)
}

func (a *api) allowances(ctx context.Context, _ *struct{}) (*Body[[]guard.Allowance], error) {
	out, err := a.Store.Policy.Allowances(ctx)
	return body(append([]guard.Allowance{}, out...), err)
}

func (a *api) forget(ctx context.Context, in *IDPath) (*struct{}, error) {
	list, err := a.Store.Policy.Allowances(ctx)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(list, func(w guard.Allowance) bool { return w.ID == in.ID }) {
		return nil, fault.New(fault.NotFound, "Nothing is allowed for always under the id %s.", in.ID)
	}
	_, err = a.Store.Log.Append(ctx, guard.ForgottenKind.Draft(a.orgPlace(ctx), guard.Forgotten{ID: in.ID}))
	return nil, err
}

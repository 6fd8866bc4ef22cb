package api

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"chela/internal/agent"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/schedule"
)

func (a *api) orgRoutes() {
	route(a, http.MethodGet, "/api/agents", "list-agents", "List agents with their current work", org.Viewer, a.agents)
	route(a, http.MethodGet, "/api/agents/{id}", "get-agent", "Get an agent", org.Viewer, func(ctx context.Context, in *IDPath) (*Body[agent.Member], error) {
		return body(a.Store.Roster.Member(ctx, agentID(in.ID)))
	})
	edit(a, "/api/agents/{id}", "agent", "Edit an agent's card, prompt, tools, permissions or budget", org.Admin, a.editAgent, rawBody(a, reflect.TypeFor[org.Agent](), true))
	route(a, http.MethodDelete, "/api/agents/{id}", "delete-agent", "Delete an idle agent and its schedules", org.Admin, a.deleteAgent)
	route(a, http.MethodPost, "/api/agents", "create-agent", "Add an agent", org.Admin, a.createAgent, status(http.StatusCreated), rawBody(a, reflect.TypeFor[org.Agent](), false))
	route(a, http.MethodGet, "/api/persons", "list-persons", "List persons", org.Viewer, func(ctx context.Context, _ *struct{}) (*Body[[]org.Person], error) {
		return body(a.Store.People.Persons(ctx))
	})
	route(a, http.MethodPatch, "/api/persons/{id}", "edit-person", "Change a person's name, role or access", org.Admin, a.editPerson)
	route(a, http.MethodPost, "/api/persons/invite", "invite", "Create a one-time invitation", org.Admin, a.invite, status(http.StatusCreated))
	route(a, http.MethodPost, "/api/persons/accept", "accept-invite", "Accept an invitation; returns the person's token", "", a.accept, status(http.StatusCreated), func(op *huma.Operation) { op.MaxBodyBytes = maxNobody })
	route(a, http.MethodPost, "/api/login-link", "login-link", "Create a one-time login link for the page", org.Viewer, a.loginLink, status(http.StatusCreated))
	route(a, http.MethodGet, "/api/models", "list-models", "List providers and models in cooldown; keys are never shown", org.Viewer, func(context.Context, *struct{}) (*Body[[]model.State], error) {
		return body(a.Models.States(), nil)
	})
	route(a, http.MethodGet, "/api/models/choices", "list-model-choices", "Get the model of each job and the failover order", org.Viewer, func(context.Context, *struct{}) (*Body[ModelChoices], error) {
		return body(a.choices(), nil)
	})
	route(a, http.MethodPut, "/api/models/choices", "choose-models", "Set the model of each job and the failover order; this overrides chela.yaml", org.Admin, a.chooseModels)
	route(a, http.MethodPost, "/api/models/{name}/test", "test-model", "Test a provider: ask its model for one word", org.Admin, func(ctx context.Context, in *struct {
		Name string `path:"name"`
	},
	) (*Body[model.State], error) {
		return body(a.Talk.Probe(ctx, a.place(ctx).From, in.Name))
	})
	route(a, http.MethodPut, "/api/models", "set-models", "Replace the providers", org.Admin, a.setModels)
}

func agentID(s string) org.AgentID { return org.AgentID("agent:" + org.AgentID(s).Name()) }

func (a *api) orgPlace(ctx context.Context) event.Place {
	at := a.place(ctx)
	at.Stream = event.OrgStream
	return at
}

func (a *api) editAgent(ctx context.Context, in *struct {
	IDPath
	Seen
	RawBody []byte
},
) (*Body[agent.Member], error) {
	id := agentID(in.ID)
	fields, err := agentFields(in.RawBody)
	if err != nil {
		return nil, err
	}
	if err := a.Store.Roster.ChangeAgent(ctx, id, func(m agent.Member) (event.Draft, error) {
		if in.IfMatch != 0 && in.IfMatch != m.Version {
			return event.Draft{}, fault.New(fault.Conflict, "The agent %s was changed meanwhile. Look at it again, then repeat your change.", id.Name())
		}
		next, err := org.Patch(m.Agent, fields)
		if err != nil {
			return event.Draft{}, err
		}
		u := org.Update{AgentID: next.Card.AgentID, Card: &next.Card, Profile: &next.Profile, Reason: "edited by a person"}
		return org.UpdateKind.Draft(a.orgPlace(ctx), u), nil
	}); err != nil {
		return nil, err
	}
	return body(a.Store.Roster.Member(ctx, id))
}

// A Presence says whether an agent can be spoken to, and whether it is at work.
type Presence string

// The presences.
const (
	Idle     Presence = "idle"
	Working  Presence = "working"
	Waits    Presence = "waiting" // for a person, a time or a slot
	Disabled Presence = "disabled"
	Outside  Presence = "unreachable" // it works elsewhere, and nothing says how it is given work
)

// AgentOut is an agent with what it is doing.
type AgentOut struct {
	agent.Member
	Presence Presence      `json:"presence" enum:"idle,working,waiting,disabled,unreachable"`
	Doing    []agent.Doing `json:"doing" doc:"the oldest first"`
	Today    agent.Spend   `json:"today" doc:"its calls of models since midnight (UTC)"`
}

func presence(m agent.Member, doing []agent.Doing) Presence {
	switch {
	case slices.ContainsFunc(doing, func(d agent.Doing) bool { return d.State == run.Running }):
		return Working
	case len(doing) > 0:
		return Waits
	case !m.Enabled:
		return Disabled
	case m.Agent.Unreached():
		return Outside
	}
	return Idle
}

func (a *api) agents(ctx context.Context, _ *struct{}) (*Body[[]AgentOut], error) {
	members, err := a.Store.Roster.Members(ctx)
	if err != nil {
		return nil, err
	}
	doing, err := a.Store.Roster.Doing(ctx)
	if err != nil {
		return nil, err
	}
	spent, err := a.Store.Spending.SpendBy(ctx, a.Store.Desk.Mint().Now().UTC().Truncate(24*time.Hour))
	if err != nil {
		return nil, err
	}
	out := make([]AgentOut, 0, len(members))
	for _, m := range members {
		id := m.Card.AgentID
		out = append(out, AgentOut{Member: m, Presence: presence(m, doing[id]), Doing: append([]agent.Doing{}, doing[id]...), Today: spent[id]})
	}
	return body(out, nil)
}

func (a *api) createAgent(ctx context.Context, in *struct{ RawBody []byte }) (*Body[agent.Member], error) {
	next := org.Agent{Card: org.Card{V: event.Version, Limits: org.Limits{MaxConcurrency: 10, MaxRuntimeSec: 900}, Security: org.Security{Sandbox: true, Network: "none"}}, Profile: org.Profile{Kind: org.Specialist, Enabled: true}}
	fields, err := agentFields(in.RawBody)
	if err != nil {
		return nil, err
	}
	if err := event.DecodeStrict(fields, &next); err != nil {
		return nil, err
	}
	if err := next.Check(); err != nil {
		return nil, err
	}
	if _, err := a.Store.Roster.Member(ctx, next.Card.AgentID); err == nil {
		return nil, fault.New(fault.Conflict, "There is an agent %s already.", next.Card.AgentID)
	}
	at := a.orgPlace(ctx)
	if _, err := a.Store.Log.Append(ctx, org.RegisterKind.Draft(at, org.Registration{Card: next.Card, Status: org.Online, Profile: &next.Profile})); err != nil {
		return nil, err
	}
	return body(a.Store.Roster.Member(ctx, next.Card.AgentID))
}

// AgentGone says what a deleted agent took with it.
type AgentGone struct {
	Deleted   string        `json:"deleted"`
	Schedules []schedule.ID `json:"schedules" doc:"that it worked by; they are deleted too"`
}

func (a *api) deleteAgent(ctx context.Context, in *IDPath) (*Body[AgentGone], error) {
	id := agentID(in.ID)
	if _, err := a.Store.Roster.Member(ctx, id); err != nil {
		return nil, err
	}
	gone, err := a.Schedules.Dismiss(ctx, party(ctx), id)
	return body(AgentGone{id.Name(), append([]schedule.ID{}, gone...)}, err)
}

// PersonEdit changes a person; fields left out stay.
type PersonEdit struct {
	Name    *string   `json:"name,omitempty"`
	Role    *org.Role `json:"role,omitempty"`
	Enabled *bool     `json:"enabled,omitempty"`
}

func (a *api) editPerson(ctx context.Context, in *struct {
	IDPath
	Body PersonEdit
},
) (*Body[org.Person], error) {
	c := org.PersonChanged{ID: in.ID, Name: in.Body.Name, Role: in.Body.Role, Enabled: in.Body.Enabled}
	all, err := a.Store.People.Persons(ctx)
	if err != nil {
		return nil, err
	}
	if err := org.CheckChange(all, c); err != nil {
		return nil, err
	}
	old, err := a.Store.People.Person(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	acts := map[org.Act]org.Person{org.RenamePerson: old}
	if c.Role != nil {
		acts[org.ChangeRole], acts[org.GiveRole] = old, org.Person{Role: *c.Role}
	}
	if c.Enabled != nil {
		acts[org.SwitchPerson] = old
	}
	for act, about := range acts {
		if err := org.MayChange(person(ctx), act, about); err != nil {
			return nil, err
		}
	}
	return a.about(ctx, in.ID, org.PersonChangedKind.Draft(a.orgPlace(ctx), c))
}

// InviteBody says whom.
type InviteBody struct {
	Name string   `json:"name" minLength:"1" maxLength:"100"`
	Role org.Role `json:"role" enum:"owner,admin,editor,viewer"`
}

// Link is a one-time link.
type Link struct {
	Token   string    `json:"token"`
	Path    string    `json:"path,omitempty"`
	Expires time.Time `json:"expires"`
}

// Lives of one-time links.
const (
	inviteLife = 7 * 24 * time.Hour
	loginLife  = 10 * time.Minute
)

func (a *api) invite(ctx context.Context, in *struct{ Body InviteBody }) (*Body[Link], error) {
	if err := org.MayChange(person(ctx), org.InvitePerson, org.Person{Role: in.Body.Role}); err != nil {
		return nil, err
	}
	l := Link{Token: gateway.NewToken(), Expires: a.Store.Desk.Mint().Now().Add(inviteLife).UTC()}
	err := a.Store.Credentials.Grant(ctx, l.Token, org.Access{
		Purpose: org.InviteToken, Role: string(in.Body.Role), By: person(ctx).ID, Label: in.Body.Name, ExpiresAt: l.Expires,
	})
	return body(l, err)
}

// AcceptBody is the invitation's token.
type AcceptBody struct {
	Token string `json:"token"`
	Name  string `json:"name,omitempty" doc:"the name to go by; the invitation's when left out"`
}

// Accepted is a new person with their token.
type Accepted struct {
	Person org.Person `json:"person"`
	Token  string     `json:"token"`
}

func (a *api) accept(ctx context.Context, in *struct{ Body AcceptBody }) (*Body[Accepted], error) {
	access, err := a.Store.Credentials.Access(ctx, in.Body.Token)
	if err == nil && access.Purpose != org.InviteToken {
		err = fault.New(fault.Unauthenticated, "That is no invitation.")
	}
	if err != nil {
		return nil, a.hall.WrongToken(ctx, err)
	}
	if err := a.mayInvite(ctx, access); err != nil {
		return nil, err
	}
	name := in.Body.Name
	if name == "" {
		name = access.Label
	}
	p := org.PersonAdded{ID: a.Store.Desk.Mint().ID("per"), Name: name, Role: org.Role(access.Role), InvitedBy: access.By}
	by := org.Person{ID: p.ID}.Party()
	at := a.orgPlace(ctx)
	at.From = by
	out := Accepted{Token: gateway.NewToken()}
	err = a.Store.Credentials.LogIn(ctx, in.Body.Token, out.Token, org.Access{Person: p.ID, Purpose: org.APIToken, Label: "invitation"}, func(id string) []event.Draft {
		return []event.Draft{org.PersonAddedKind.Draft(at, p), a.hall.LoggedIn(ctx, org.LoggedInKind, org.Login{Person: p.ID, How: org.ByInvitation, Token: id}, by)}
	})
	if err != nil {
		return nil, a.hall.WrongToken(ctx, err)
	}
	out.Person, err = a.Store.People.Person(ctx, p.ID)
	return body(out, err)
}

// mayInvite refuses an invitation when whoever made it may not make it now.
func (a *api) mayInvite(ctx context.Context, access org.Access) error {
	if access.By == "" { // an older daemon's
		return nil
	}
	by, err := a.Store.People.Person(ctx, access.By)
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return err
	}
	invited := org.Person{Role: org.Role(access.Role)}
	if err != nil || org.MayChange(by, org.InvitePerson, invited) != nil {
		return fault.New(fault.Denied, "Whoever invited %s may not give the role %s any more. Ask somebody with the role %s for another invitation.", access.Label, access.Role, org.LeastFor(org.InvitePerson, invited))
	}
	return nil
}

func (a *api) loginLink(ctx context.Context, _ *struct{}) (*Body[Link], error) {
	l := Link{Token: gateway.NewToken(), Expires: a.Store.Desk.Mint().Now().Add(loginLife).UTC()}
	l.Path = "/login?t=" + l.Token
	err := a.Store.Credentials.Grant(ctx, l.Token, org.Access{Person: person(ctx).ID, Purpose: org.LoginToken, Label: "login link", ExpiresAt: l.Expires})
	return body(l, err)
}

// ModelChoices says which models are asked.
type ModelChoices struct {
	Jobs                 []model.Choice `json:"jobs" doc:"of agents that name no model"`
	Failover             []model.Choice `json:"failover"`
	Named                ChoiceBody     `json:"named" doc:"as it was said"`
	From                 string         `json:"from" enum:"file,settings" doc:"chela.yaml, or what was said while running"`
	TranscriptionProblem string         `json:"transcription_problem,omitempty" doc:"why no audio file is transcribed, although a model is named for it"`
}

// ChoiceBody says which models are asked.
type ChoiceBody struct {
	Jobs     model.Jobs `json:"jobs" doc:"as provider/model, or a model of the first provider; left out, that provider's own; transcription is provider/model, and left out nothing is transcribed; embedding is provider/model, or static/NAME for a file, and left out memories are found by words alone"`
	Failover []string   `json:"failover" nullable:"false" doc:"as provider/model, in the order in which they are asked"`
}

func (a *api) choices() ModelChoices {
	jobs, next := a.Models.Choices()
	c := a.Models.Chosen()
	out := ModelChoices{
		Jobs: append([]model.Choice{}, jobs...), Failover: append([]model.Choice{}, next...),
		Named: ChoiceBody{c.Jobs, append([]string{}, c.Failover...)}, From: "file",
	}
	if c.Settings {
		out.From = "settings"
	}
	if err := a.Models.Transcribes(); fault.KindOf(err) == fault.Invalid && err != nil {
		out.TranscriptionProblem = fault.TextOf(err)
	}
	return out
}

func (a *api) chooseModels(ctx context.Context, in *struct{ Body ChoiceBody }) (*Body[ModelChoices], error) {
	if err := a.Choose(ctx, party(ctx), model.Chosen{Jobs: in.Body.Jobs, Failover: append([]string{}, in.Body.Failover...)}); err != nil {
		return nil, err
	}
	return body(a.choices(), nil)
}

// ProviderBody is a provider to configure.
type ProviderBody struct {
	Name    string     `json:"name"`
	Kind    model.Kind `json:"kind" enum:"anthropic,openai,gemini"`
	BaseURL string     `json:"base_url,omitempty"`
	Key     string     `json:"key,omitempty" doc:"left out, the key that is there stays"`
	Model   string     `json:"model,omitempty"`
}

func (a *api) setModels(ctx context.Context, in *struct{ Body []ProviderBody }) (*Body[[]model.State], error) {
	var list []model.Provider
	for _, p := range in.Body {
		next := model.Provider{Name: p.Name, Kind: p.Kind, BaseURL: p.BaseURL, Key: p.Key, Model: p.Model, From: "settings"}
		there := slices.ContainsFunc(a.Models.List(), func(o model.Provider) bool { return o.Name == p.Name && o.BaseURL == p.BaseURL })
		if p.BaseURL != "" && !there {
			inside, err := a.mayReach(ctx, "base_url", p.BaseURL)
			if err != nil {
				return nil, err
			}
			next.Inside = inside
		}
		list = append(list, next)
	}
	if err := a.Configure(ctx, party(ctx), list); err != nil {
		return nil, err
	}
	return body(a.Models.States(), nil)
}

package api

import (
	"context"
	"net/http"
	"unicode/utf8"

	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/skill"
)

// SkillPath names a skill, and the agent in whose workspace it lies.
type SkillPath struct {
	Name  string      `path:"name" maxLength:"64"`
	Agent org.AgentID `query:"agent" doc:"in whose workspace it lies; empty for those that ship or were installed"`
}

// SkillList is the skills there are.
type SkillList struct {
	Skills []skill.Entry  `json:"skills" nullable:"false"`
	Broken []skill.Broken `json:"broken" nullable:"false" doc:"folders of workspaces that hold no skill"`
}

// SkillText is a file of a skill.
type SkillText struct {
	Text   string `json:"text"`
	Binary bool   `json:"binary,omitempty" doc:"it is no text"`
}

// SkillArchive is an archive with a skill.
type SkillArchive struct {
	Archive []byte       `json:"archive" doc:"a zip, in base64"`
	Source  skill.Source `json:"source" doc:"where it is from; path says for a repository in which folder of the archive the skill lies"`
	Digest  string       `json:"digest,omitempty" doc:"of the skill, as the review gave it"`
}

func skillRoutes(a *api) {
	route(a, http.MethodGet, "/api/skills", "list-skills", "List the skills of agents: those that ship, those that were installed, those of workspaces", org.Viewer, a.skills)
	route(a, http.MethodGet, "/api/skills/{name}", "get-skill", "Get a skill with its instructions and what a person should see of it", org.Viewer, a.skill)
	route(a, http.MethodGet, "/api/skills/{name}/file", "get-skill-file", "Get a file of a skill", org.Viewer, a.skillFile)
	route(a, http.MethodPost, "/api/skills/review", "review-skill", "Read the skill of an archive: what it allows, runs and names, and how it differs from the one there is; nothing is kept", org.Admin, func(ctx context.Context, in *struct{ Body SkillArchive }) (*Body[skill.Review], error) {
		return body(a.Skills.Review(ctx, in.Body.Archive, in.Body.Source.Within()))
	})
	route(a, http.MethodPost, "/api/skills", "install-skill", "Install the skill of an archive that was reviewed, by its digest", org.Admin, func(ctx context.Context, in *struct{ Body SkillArchive }) (*Body[skill.Entry], error) {
		return body(a.Skills.Install(ctx, a.orgPlace(ctx), in.Body.Archive, in.Body.Source, in.Body.Digest))
	}, status(http.StatusCreated))
	route(a, http.MethodPatch, "/api/skills/{name}", "set-skill", "Say who has a skill, and whether it is used", org.Admin, func(ctx context.Context, in *struct {
		Name string `path:"name" maxLength:"64"`
		Body skill.Change
	},
	) (*Body[skill.Entry], error) {
		if in.Body.Agents != nil {
			for i, name := range *in.Body.Agents {
				who, err := a.Store.Roster.Agent(ctx, agentID(name))
				if err != nil {
					return nil, err
				}
				(*in.Body.Agents)[i] = who.Card.AgentID.Name()
			}
		}
		return body(a.Skills.Set(ctx, a.orgPlace(ctx), in.Name, in.Body))
	})
	route(a, http.MethodDelete, "/api/skills/{name}", "remove-skill", "Remove an installed skill; its files stay in the log", org.Admin, func(ctx context.Context, in *struct {
		Name string `path:"name" maxLength:"64"`
	},
	) (*struct{}, error) {
		return nil, a.Skills.Remove(ctx, a.orgPlace(ctx), in.Name)
	})
}

func (a *api) skills(ctx context.Context, _ *struct{}) (*Body[SkillList], error) {
	agents, err := a.Store.Roster.Members(ctx)
	if err != nil {
		return nil, err
	}
	ids := make([]org.AgentID, len(agents))
	for i, x := range agents {
		ids[i] = x.Card.AgentID
	}
	all, broken, err := a.Skills.All(ctx, ids)
	return body(SkillList{append([]skill.Entry{}, all...), append([]skill.Broken{}, broken...)}, err)
}

func (a *api) skill(ctx context.Context, in *SkillPath) (*Body[skill.Whole], error) {
	e, err := a.Skills.Look(ctx, in.Agent, in.Name)
	if err != nil {
		return nil, err
	}
	return body(skill.Whole{Entry: e, Instructions: e.Body, Findings: e.Scan()}, nil)
}

func (a *api) skillFile(ctx context.Context, in *struct {
	SkillPath
	Path string `query:"path" required:"true" maxLength:"500"`
},
) (*Body[SkillText], error) {
	e, err := a.Skills.Look(ctx, in.Agent, in.Name)
	if err != nil {
		return nil, err
	}
	raw, ok := e.Bytes(in.Path)
	if !ok {
		return nil, fault.New(fault.NotFound, "The skill %s has no file %q.", e.Name, in.Path)
	}
	if !utf8.Valid(raw) {
		return body(SkillText{Binary: true}, nil)
	}
	return body(SkillText{Text: string(raw)}, nil)
}

package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/skill"
)

func (a *app) skills() *cobra.Command {
	c := &cobra.Command{Use: "skill", Aliases: []string{"skills"}, Short: "What agents are taught: list, look at, install and bound skills"}
	c.AddCommand(a.skillList(), a.skillShow(), a.skillCheck(), a.skillInstall(), a.skillUpdate(), a.skillSet(), a.skillRemove())
	return c
}

// skillState is how a skill stands, in a few words.
func skillState(e skill.Entry) string {
	switch {
	case e.Disabled:
		return "disabled"
	case len(e.Missing) > 0:
		return "missing " + strings.Join(e.Missing, ", ")
	case e.Always:
		return "always in the prompt"
	case len(e.Agents) > 0:
		return "for " + strings.Join(e.Agents, ", ")
	}
	return "for all"
}

func (a *app) skillList() *cobra.Command {
	return a.asked("list", "List the skills, where each is from, and who has it", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		all, err := cl.ListSkills(ctx)
		if err != nil {
			return err
		}
		return a.print(all, func() {
			for _, e := range all.Skills {
				from := e.Source.String()
				if e.Agent != "" {
					from = "workspace of " + e.Agent.Name()
				}
				a.printf("%-24s %-24s %s\n  %s\n", e.Name, skillState(e), from, e.Description)
			}
			for _, b := range all.Broken {
				a.printf("%s/skills/%s is no skill: %s\n", b.Agent.Name(), b.Folder, b.Why)
			}
		})
	})
}

func (a *app) skillShow() *cobra.Command {
	var file, agent string
	c := a.asked("show NAME", "Show a skill: what it allows, needs and holds, and its instructions", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		of := ""
		if agent != "" {
			of = "agent:" + strings.TrimPrefix(agent, "agent:")
		}
		if file != "" {
			f, err := cl.GetSkillFile(ctx, args[0], client.GetSkillFileQuery{Path: file, Agent: of})
			if err != nil {
				return err
			}
			if f.Binary != nil && *f.Binary {
				return fault.New(fault.Invalid, "The file %s is no text.", file)
			}
			return a.print(f, func() { a.printf("%s", f.Text) })
		}
		s, err := cl.GetSkill(ctx, args[0], client.GetSkillQuery{Agent: of})
		if err != nil {
			return err
		}
		return a.print(s, func() {
			a.printf("%s: %s\n%s; %s\n", s.Name, s.Description, s.Source, skillState(s.Entry))
			a.showSkill(s.Skill, s.Findings)
			a.printf("\n%s\n", s.Instructions)
		})
	})
	c.Flags().StringVar(&file, "file", "", "show this file of it")
	c.Flags().StringVar(&agent, "agent", "", "look in the workspace of this agent")
	return c
}

// showSkill shows what a person should know of a skill before an agent follows it.
func (a *app) showSkill(s skill.Skill, findings []skill.Finding) {
	switch {
	case !s.Declared:
		a.printf("It declares no tools.\n")
	case len(s.Allowed) == 0:
		a.printf("It allows no tools.\n")
	default:
		a.printf("It allows: %s\n", strings.Join(s.Allowed, ", "))
	}
	for _, n := range []struct {
		what string
		list []string
	}{{"It needs the programs", s.Needs.Programs}, {"It needs one of", s.Needs.AnyOf}, {"It needs the secrets", s.Needs.Secrets}, {"It is for", s.Needs.Systems}, {"Settings that mean nothing here", s.Ignored}} {
		if len(n.list) > 0 {
			a.printf("%s: %s\n", n.what, strings.Join(n.list, ", "))
		}
	}
	for _, f := range s.Files {
		a.printf("  %-40s %8d bytes\n", f.Path, f.Bytes)
	}
	for _, f := range findings {
		at := f.File
		if f.Line > 0 {
			at = fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		a.printf("%-8s %s: %s\n", f.Kind, at, f.Text)
	}
}

func (a *app) skillCheck() *cobra.Command {
	return &cobra.Command{Use: "check SOURCE", Short: "Read a folder, an archive or a repository as a skill and say what is wrong; no daemon is asked", Args: cobra.ExactArgs(1), RunE: func(cmd *cobra.Command, args []string) error {
		got, err := a.fetchSkill(cmd.Context(), args[0], "", "")
		if err != nil {
			return err
		}
		s, err := skill.ReadZip(got.Archive, got.Source.Within())
		if err != nil {
			return err
		}
		findings := s.Scan()
		if err := a.print(map[string]any{"skill": s, "findings": findings}, func() {
			a.printf("%s: %s\n", s.Name, s.Description)
			a.showSkill(s, findings)
		}); err != nil {
			return err
		}
		if i := slices.IndexFunc(findings, func(f skill.Finding) bool { return f.Refused }); i >= 0 {
			return fault.New(fault.Invalid, "The skill %s would not be installed: %s, line %d, holds characters that read otherwise than they are. Take them out.", s.Name, findings[i].File, findings[i].Line)
		}
		return nil
	}}
}

func (a *app) skillInstall() *cobra.Command {
	var ref, path string
	var yes bool
	c := a.asked("install SOURCE", "Show what the skill of a folder, an archive (.zip, .tar.gz) or a Git repository allows and holds; --yes installs it", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		got, err := a.fetchSkill(ctx, args[0], ref, path)
		if err != nil {
			return err
		}
		return a.installSkill(ctx, cl, got, yes)
	})
	c.Example = "chela skill install ./skills/release-notes\nchela skill install https://git.example/team/skills.git --path skills/release-notes --ref v2 --yes"
	c.Flags().StringVar(&ref, "ref", "", "branch or tag of the repository (default its own)")
	c.Flags().StringVar(&path, "path", "", "folder of the skill in the repository")
	c.Flags().BoolVar(&yes, "yes", false, "install it")
	return c
}

func (a *app) skillUpdate() *cobra.Command {
	var yes bool
	c := a.asked("update NAME", "Fetch an installed skill from its repository again and show the difference; --yes installs it", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		s, err := cl.GetSkill(ctx, args[0], client.GetSkillQuery{})
		if err != nil {
			return err
		}
		if s.Source.Kind != "git" {
			return fault.New(fault.Invalid, "The skill %s is not from a repository (%s). Install it again from where it is now.", s.Name, s.Source)
		}
		got, err := a.fetchSkill(ctx, s.Source.URL, s.Source.Ref, s.Source.Path)
		if err != nil {
			return err
		}
		return a.installSkill(ctx, cl, got, yes)
	})
	c.Flags().BoolVar(&yes, "yes", false, "install it")
	return c
}

// installSkill shows a skill from elsewhere, and installs exactly that one when it may.
func (a *app) installSkill(ctx context.Context, cl *client.Client, got client.SkillArchive, yes bool) error {
	r, err := cl.ReviewSkill(ctx, got)
	if err != nil {
		return err
	}
	if r.Refused != "" {
		return fault.New(fault.Invalid, "The skill %s cannot be installed: %s", r.Name, r.Refused)
	}
	if !yes {
		return a.print(r, func() {
			a.printf("%s: %s\nFrom %s\n", r.Name, r.Description, got.Source)
			a.showSkill(r.Skill, r.Findings)
			for _, s := range r.Scripts {
				a.printf("Agents may run %s, each time after an approval.\n", s)
			}
			switch {
			case r.Same:
				a.printf("\nIt is the one that is there.\n")
				return
			case r.Diff != "":
				a.printf("\n%s", r.Diff)
			default:
				a.printf("\n%s\n", r.Instructions)
			}
			a.printf("\nNothing was kept. --yes installs it.\n")
		})
	}
	got.Digest = &r.Digest
	e, err := cl.InstallSkill(ctx, got)
	if err != nil {
		return err
	}
	return a.print(e, func() { a.printf("%s is installed, %.12s; %s.\n", e.Name, e.Digest, skillState(e)) })
}

func (a *app) skillSet() *cobra.Command {
	var enable, disable, always, read, all bool
	var agents []string
	c := a.asked("set NAME", "Say who has a skill, whether it is used, and whether its instructions always stand in the prompt", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		var ch skill.Change
		yes, no := true, false
		if disable {
			ch.Disabled = &yes
		} else if enable {
			ch.Disabled = &no
		}
		if always {
			ch.Always = &yes
		} else if read {
			ch.Always = &no
		}
		if len(agents) > 0 {
			ch.Agents = &agents
		} else if all {
			ch.Agents = &[]string{}
		}
		if ch == (skill.Change{}) {
			return fault.New(fault.Invalid, "Say what to set: --disable, --enable, --always, --when-needed, --agents NAMES or --all-agents.")
		}
		e, err := cl.SetSkill(ctx, args[0], ch)
		if err != nil {
			return err
		}
		return a.print(e, func() { a.printf("%s: %s\n", e.Name, skillState(e)) })
	})
	f := c.Flags()
	f.BoolVar(&disable, "disable", false, "no agent has it")
	f.BoolVar(&enable, "enable", false, "it is used again")
	f.BoolVar(&always, "always", false, "its instructions stand in the prompt whole; it narrows nothing then")
	f.BoolVar(&read, "when-needed", false, "agents read it when they need it")
	f.StringSliceVar(&agents, "agents", nil, "only these have it")
	f.BoolVar(&all, "all-agents", false, "all have it")
	c.MarkFlagsMutuallyExclusive("disable", "enable")
	c.MarkFlagsMutuallyExclusive("always", "when-needed")
	c.MarkFlagsMutuallyExclusive("agents", "all-agents")
	return c
}

func (a *app) skillRemove() *cobra.Command {
	return a.asked("remove NAME", "Remove an installed skill", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		return cl.RemoveSkill(ctx, args[0])
	})
}

// examineSkills checks that the skills can be used.
func (a *app) examineSkills(ctx context.Context, cl *client.Client) []check {
	all, err := cl.ListSkills(ctx)
	if err != nil {
		return []check{{"skills", false, textOf(err)}}
	}
	var out []check
	used := 0
	for _, e := range all.Skills {
		switch {
		case e.Disabled:
		case len(e.Missing) > 0:
			out = append(out, check{"skills", false, fmt.Sprintf("The skill %s is offered to nobody: it needs %s. `chela skill set %s --disable` is the way without it.", e.Name, strings.Join(e.Missing, ", "), e.Name)})
		default:
			used++
		}
	}
	for _, b := range all.Broken {
		out = append(out, check{"skills", false, fmt.Sprintf("The folder agents/%s/skills/%s of the data is no skill: %s", b.Agent.Name(), b.Folder, b.Why)})
	}
	return append([]check{{"skills", true, fmt.Sprintf("%d skills are offered.", used)}}, out...)
}

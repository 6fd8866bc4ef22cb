package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/guard"
)

func (a *app) policy() *cobra.Command {
	c := &cobra.Command{Use: "policy", Short: "Show the policy, and explain the decision about a call"}
	c.AddCommand(a.policyShow(), a.policyTest(), a.policyAllowances(), a.policyForget())
	return c
}

func (a *app) policyShow() *cobra.Command {
	return a.asked("show", "Show the policy as the daemon reads it", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		out, err := cl.GetPolicy(ctx)
		if err != nil {
			return err
		}
		return a.print(out, func() {
			a.printf("%s\n", out.File)
			if out.Error != "" {
				a.printf("It cannot be read, so every call is denied: %s\n", out.Error)
				return
			}
			p := out.Policy
			a.printf("Approvals are waited for %s; they need the role %s. After data from outside: %s.\n", p.Wait, p.Approver, p.AfterUntrustedData)
			for _, f := range p.Folders {
				a.printf("folder %s (write %v, secrets %v) for %s in %s\n", f.Path, f.Write, f.Secrets, someOf(f.Agents, "all agents"), someOf(f.Projects, "all projects"))
			}
			for _, r := range p.Rules {
				a.printf("rule %q: %s\n", r.Name, r.Answer)
			}
		})
	})
}

func someOf(list []string, none string) string {
	if len(list) == 0 {
		return none
	}
	return strings.Join(list, ", ")
}

func (a *app) policyTest() *cobra.Command {
	var in client.PolicyCase
	var role, via, channel string
	c := a.asked("test AGENT TOOL [ARGUMENTS]", "Explain the decision about a call; the arguments are JSON", cobra.RangeArgs(2, 3), func(ctx context.Context, cl *client.Client, args []string) error {
		in.Agent, in.Tool = args[0], args[1]
		if len(args) == 3 {
			in.Args = json.RawMessage(args[2])
			if !json.Valid(in.Args) {
				return fault.New(fault.Invalid, "The arguments are no JSON: %s", args[2])
			}
		}
		if a.project != "" {
			project, err := a.findProject(ctx, cl)
			if err != nil {
				return err
			}
			in.Project = &project
		}
		in.Role, in.Via, in.Channel = client.Given(role), client.Given(via), client.Given(channel)
		out, err := cl.TestPolicy(ctx, in)
		if err != nil {
			return err
		}
		return a.print(out, func() {
			a.printf("%s, by the rule %s (%s)\n", out.Decision.Verdict, out.Decision.Rule, out.Risk)
			if out.Decision.Text != "" {
				a.printf("%s\n", out.Decision.Text)
			}
			if out.Decision.Verdict == guard.Ask {
				a.printf("A person with the role %s is asked, for %s.\n", out.Decision.Approver, out.Decision.Wait)
			}
		})
	})
	c.Example = `chela policy test coder shell_exec '{"command":"go test ./..."}'`
	c.Flags().StringVar(&role, "role", "", "role of the person it acts for: viewer, editor, admin or owner; yours when empty")
	c.Flags().StringVar(&via, "via", "", "how the call came about: person, schedule, workflow or agent")
	c.Flags().StringVar(&channel, "channel", "", "where it was asked: page, cli, api, …")
	c.Flags().StringSliceVar(&in.Untrusted, "untrusted", nil, "where data came from that the run has seen: hosts, files, programs")
	a.projectFlag(c)
	return c
}

func (a *app) policyAllowances() *cobra.Command {
	return a.asked("allowances", "List allowances: commands that people allowed for always", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		out, err := cl.ListAllowances(ctx)
		if err != nil {
			return err
		}
		return a.print(out, func() {
			for _, w := range out {
				a.printf("%s  %s by %s in %s: %s\n", w.ID, w.Tool, w.Agent.Name(), w.Folder, w.Shape)
			}
			if len(out) == 0 {
				a.printf("Nothing is allowed for always.\n")
			}
		})
	})
}

func (a *app) policyForget() *cobra.Command {
	return a.asked("forget ALLOWANCE", "Delete an allowance; the command is asked about again", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		if err := cl.ForgetAllowance(ctx, args[0]); err != nil {
			return err
		}
		return a.print(map[string]bool{"done": true}, func() { a.printf("Done.\n") })
	})
}

// examinePermissions checks the policy and what the sandbox holds.
func (a *app) examinePermissions(ctx context.Context, cl *client.Client) []check {
	var out []check
	p, err := cl.GetPolicy(ctx)
	if err != nil {
		return []check{{"policy", false, textOf(err)}}
	}
	out = append(out, check{"policy", p.Error == "", cmp.Or(p.Error, fmt.Sprintf("%s: %d rules, %d granted folders.", p.File, len(p.Policy.Rules), len(p.Policy.Folders)))})
	for _, f := range p.Policy.Folders {
		if info, err := os.Stat(f.Path); err != nil || !info.IsDir() {
			out = append(out, check{"policy", false, "The granted folder " + f.Path + " is not there."})
		}
	}
	if p.Error == "" {
		out = append(out, examineNames(ctx, cl, p.Policy)...)
	}
	w, err := cl.Sandbox(ctx)
	if err != nil {
		return append(out, check{"sandbox", false, textOf(err)})
	}
	if open := openings(p.Policy); p.Error == "" && len(open) > 0 {
		out = append(out, check{"policy", true, "It opens: " + strings.Join(open, "; ") + "."})
	}
	var holds, lacks []string
	for _, h := range w.Holds {
		if h.Holds {
			holds = append(holds, h.Name+" ("+h.Text+")")
		} else {
			lacks = append(lacks, strings.TrimSpace(h.Name+" "+h.Text))
		}
	}
	text := fmt.Sprintf("Programs run behind %s: %s.", w.Backend, strings.Join(holds, ", "))
	if w.Backend == "none" {
		text = "Programs run WITHOUT a sandbox, as chela.yaml says (sandbox.unconfined): they may do all that the daemon's user may."
	}
	if len(lacks) > 0 {
		text += " These do not hold on this machine: " + strings.Join(lacks, "; ") + "."
	}
	return append(out, check{"sandbox", w.Refusal == "", cmp.Or(w.Refusal, text)})
}

// openings says what a policy allows beyond the defaults that matters to security.
func openings(p guard.Policy) []string {
	var out []string
	if p.AfterUntrustedData == "trust" {
		out = append(out, "data from outside and private data are never a reason to ask (after_untrusted_data: trust)")
	}
	for _, r := range p.Rules {
		if r.Answer == guard.Allow && r.Trusting {
			out = append(out, fmt.Sprintf("the rule %q allows also after data from outside", r.Name))
		}
	}
	if len(p.Network) > 0 {
		out = append(out, "tools may reach "+strings.Join(p.Network, ", ")+" inside")
	}
	for _, f := range p.Folders {
		if f.Secrets {
			out = append(out, "files with secrets in "+f.Path+" may be read")
		}
	}
	return out
}

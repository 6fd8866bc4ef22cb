package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/definition"
	"chela/internal/gateway/client"
	"chela/internal/library"
	"chela/internal/run"
	"chela/internal/webhook"
)

// When an instance has stood still for too long: one that waits for a person, and one that works.
const (
	stuckWaiting = 7 * 24 * time.Hour
	stuckWorking = 2 * time.Hour
)

// lately is for how long a failure of a trigger is named.
const lately = 7 * 24 * time.Hour

// examineWorkflows says which deployed workflows cannot do what they say, and which instances stand still.
func (a *app) examineWorkflows(ctx context.Context, cl *client.Client) []check {
	list, err := cl.ListWorkflows(ctx)
	if err != nil {
		return []check{{"workflows", false, textOf(err)}}
	}
	has, err := a.workflowNeeds(ctx, cl)
	if err != nil {
		return []check{{"workflows", false, textOf(err)}}
	}
	var out []check
	deployed := 0
	for _, w := range list {
		if w.State != string(library.Deployed) {
			continue
		}
		deployed++
		whole, err := cl.GetWorkflow(ctx, w.Slug, client.GetWorkflowQuery{Version: w.Version})
		if err != nil {
			return append(out, check{"workflows", false, textOf(err)})
		}
		said, err := cl.CheckWorkflow(ctx, client.SourceBody{Source: whole.Source})
		if err != nil {
			return append(out, check{"workflows", false, textOf(err)})
		}
		var wrong []string
		for _, p := range said.Problems {
			wrong = append(wrong, p.Text)
		}
		wrong = append(append(append(wrong, said.Lacks...), has.lacks(whole.Source)...), failedLately(w.Failures, time.Now())...)
		for _, text := range wrong {
			out = append(out, check{"workflow", false, fmt.Sprintf("%s, version %d: %s", w.Slug, w.Version, text)})
		}
	}
	open, err := cl.ListInstances(ctx, client.ListInstancesQuery{Open: true, Limit: 500})
	if err != nil {
		return append(out, check{"workflows", false, textOf(err)})
	}
	for _, in := range open {
		if text := stuck(in, time.Now()); text != "" {
			out = append(out, check{"workflow", false, text})
		}
	}
	if deployed == 0 && len(open) == 0 {
		return out
	}
	return append(out, check{"workflows", true, fmt.Sprintf("%d are deployed, %d instances are open.", deployed, len(open))})
}

// needs is what workflows may need of the daemon.
type needs struct {
	secrets  []string
	vault    bool // whether the secrets could be read
	incoming []webhook.Incoming
}

func (a *app) workflowNeeds(ctx context.Context, cl *client.Client) (needs, error) {
	var n needs
	if v, err := cl.Vault(ctx); err == nil { // who is no admin does not see it
		n.vault = true
		for _, s := range v.Secrets {
			n.secrets = append(n.secrets, s.Name)
		}
	}
	var err error
	n.incoming, err = cl.ListIncomingWebhooks(ctx)
	return n, err
}

// anyType takes a payload type for an object: whether it is registered is checked where the schemas are.
func anyType(string) (schema map[string]any, ok bool) { return map[string]any{"type": "object"}, true }

// lacks says what a workflow needs that is not there, beside what its check says.
func (n needs) lacks(source string) []string {
	c, problems := definition.ReadFile([]byte(source), anyType)
	if problems != nil {
		return nil // its check says so
	}
	var out []string
	m := library.ManifestOf(c)
	for _, s := range m.Secrets {
		if n.vault && !slices.Contains(n.secrets, s) {
			out = append(out, fmt.Sprintf("It needs the secret %s, which the vault does not hold; `chela vault set %s`.", s, s))
		}
	}
	for _, t := range c.Triggers {
		if t.Webhook != "" && !slices.ContainsFunc(n.incoming, func(w webhook.Incoming) bool { return w.Name == t.Webhook }) {
			out = append(out, fmt.Sprintf("Its trigger listens to the incoming webhook %s, which does not exist; `chela webhook incoming` sets one up.", t.Webhook))
		}
	}
	return out
}

// examineContracts says which open tickets have a contract that can never be met here.
func (a *app) examineContracts(ctx context.Context, cl *client.Client) []check {
	projects, err := listProjects(ctx, cl)
	if err != nil {
		return []check{{"contracts", false, textOf(err)}}
	}
	var out []check
	for _, p := range projects.Items {
		list, err := cl.ListLackingContracts(ctx, p.ID)
		if err != nil {
			return append(out, check{"contracts", false, textOf(err)})
		}
		for _, t := range list {
			for _, text := range t.Lacks {
				out = append(out, check{"contract", false, fmt.Sprintf("%s %s: %s", cmp.Or(t.Key, t.ID), t.Title, text)})
			}
		}
	}
	return out
}

// failedLately says which triggers of a version failed within the last days, newest first.
func failedLately(all []library.TriggerFailure, now time.Time) (out []string) {
	times, last := make(map[int]int), []library.TriggerFailure{}
	for _, f := range all {
		if f.At.Before(now.Add(-lately)) {
			continue
		}
		if times[f.Trigger] == 0 {
			last = append(last, f)
		}
		times[f.Trigger] += f.Count
	}
	for _, f := range last {
		n := "once"
		if times[f.Trigger] > 1 {
			n = fmt.Sprintf("%d times", times[f.Trigger])
		}
		out = append(out, fmt.Sprintf("Its trigger on %s failed %s in the last days, last at %s: %s `chela workflow show %s` lists them. Change the trigger in its file and deploy it.", f.On, n, moment(f.At), f.Problem, f.Slug))
	}
	return out
}

// stuck says that an instance stands still, "" for one that does not.
func stuck(in library.Instance, now time.Time) string {
	still := now.Sub(in.Run.UpdatedAt)
	switch {
	case in.Run.State == run.Waiting && strings.HasPrefix(in.Run.WaitsFor, run.ForPerson) && still > stuckWaiting:
		return fmt.Sprintf("The instance %s of %s has waited for a person for %d days: %s Answer it in the Inbox, or cancel it.", in.Run.ID, in.Slug, int(still.Hours()/24), in.Run.Reason)
	case in.Run.Paused() && still > stuckWaiting:
		return fmt.Sprintf("The instance %s of %s has been paused for %d days; `chela run resume %s`, or cancel it.", in.Run.ID, in.Slug, int(still.Hours()/24), in.Run.ID)
	case (in.Run.State == run.Running || in.Run.State == run.Queued) && still > stuckWorking:
		return fmt.Sprintf("The instance %s of %s has not moved for %d hours; `chela why %s` says more.", in.Run.ID, in.Slug, int(still.Hours()), in.Run.ID)
	}
	return ""
}

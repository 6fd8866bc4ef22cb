package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/webhook"
)

func (a *app) webhooks() *cobra.Command {
	c := &cobra.Command{Use: "webhook", Short: "Tell systems outside of events, and hear from them"}
	c.AddCommand(a.webhookList(), a.webhookAdd(), a.webhookRemove(), a.webhookSecret(), a.webhookTest(), a.webhookFailures(), a.webhookAgain(), a.incoming())
	return c
}

func (a *app) webhookList() *cobra.Command {
	return a.asked("list", "List the addresses that are told of events", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		out, err := cl.ListWebhooks(ctx)
		if err != nil {
			return err
		}
		return a.print(out, func() {
			for _, w := range out {
				a.printf("%s  %s  %s  (%s)%s\n", w.ID, w.Name, w.URL, strings.Join(w.Events, " "), map[bool]string{true: ", off"}[w.Off != nil && *w.Off])
				if w.Problem != "" && w.Attempts != nil {
					a.printf("  %s Tried %d times, behind by %d.\n", w.Problem, *w.Attempts, w.Behind)
				}
			}
			if len(out) == 0 {
				a.printf("Nobody outside is told. `chela webhook add URL --name NAME --events run.finished` adds an address.\n")
			}
		})
	})
}

func (a *app) webhookAdd() *cobra.Command {
	var in client.WebhookBody
	c := a.asked("add URL", "Tell an address of events from now on; prints its secret once", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		in.URL = args[0]
		if a.project != "" {
			id, err := a.findProject(ctx, cl)
			if err != nil {
				return err
			}
			in.Project = &id
		}
		out, err := cl.AddWebhook(ctx, in)
		if err != nil {
			return err
		}
		return a.print(out, func() { a.printf("%s\nIts secret, shown this once:\n%s\n", out.Webhook.ID, out.Secret) })
	})
	c.Flags().StringVar(&in.Name, "name", "", "what listens there")
	c.Flags().StringSliceVar(&in.Events, "events", nil, "patterns of types of events, with commas between: run.finished, desk.ticket.*, *")
	c.Flags().StringVarP(&a.project, "project", "p", "", "only of this project's records, by name or id")
	_ = c.MarkFlagRequired("name")   // it exists
	_ = c.MarkFlagRequired("events") // it exists
	return c
}

func (a *app) webhookRemove() *cobra.Command {
	return a.asked("rm ID", "Delete a webhook", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		return cl.RemoveWebhook(ctx, args[0])
	})
}

func (a *app) webhookSecret() *cobra.Command {
	return a.asked("secret ID", "Change the secret of a webhook; the one before signs, too, for a day", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		out, err := cl.RotateWebhook(ctx, args[0])
		if err != nil {
			return err
		}
		return a.print(out, func() { a.printf("Its secret, shown this once:\n%s\n", out.Secret) })
	})
}

func (a *app) webhookTest() *cobra.Command {
	return a.asked("test ID", "Send a webhook a message of the type webhook.test", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		out, err := cl.TestWebhook(ctx, args[0])
		if err != nil {
			return err
		}
		return a.print(out, func() { a.tried(out) })
	})
}

func (a *app) tried(out client.WebhookTried) {
	if out.Taken {
		a.printf("It was taken.\n")
		return
	}
	a.printf("It was not taken: %s\n", out.Why)
}

func (a *app) webhookFailures() *cobra.Command {
	return a.asked("failures", "List events that webhooks did not take in a day", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		out, err := cl.ListWebhookFailures(ctx, client.ListWebhookFailuresQuery{})
		if err != nil {
			return err
		}
		return a.print(out, func() {
			for _, f := range out {
				state := "not sent"
				if f.SentAt != nil {
					state = "sent again on " + f.SentAt.Format(time.RFC3339)
				}
				a.printf("%s  %s  event %d  %s  %s (%s)\n", f.ID, f.Endpoint, f.Seq, f.Type, f.Why, state)
			}
		})
	})
}

func (a *app) webhookAgain() *cobra.Command {
	return a.asked("again FAILURE-ID", "Send an event that a webhook did not take once more", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		out, err := cl.ResendWebhook(ctx, args[0])
		if err != nil {
			return err
		}
		return a.print(out, func() { a.tried(client.WebhookTried{Taken: out.Taken, Why: out.Why}) })
	})
}

func (a *app) incoming() *cobra.Command {
	c := &cobra.Command{Use: "incoming", Short: "Hear from systems outside: " + strings.Join(webhook.Kinds(), ", ")}
	c.AddCommand(a.incomingSet(), a.asked("list", "List the incoming webhooks", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		out, err := cl.ListIncomingWebhooks(ctx)
		if err != nil {
			return err
		}
		return a.print(out, func() {
			for _, w := range out {
				asks := "nobody is asked"
				if w.Agent != "" {
					asks = "asks " + w.Agent
				}
				a.printf("%s  %s  /webhooks/%s  (%s)\n", w.Name, w.Kind, w.Name, asks)
			}
		})
	}), a.asked("rm NAME", "Delete an incoming webhook", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		return cl.RemoveIncomingWebhook(ctx, args[0])
	}), a.asked("received NAME", "List what came by an incoming webhook", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		out, err := cl.ListReceived(ctx, args[0], client.ListReceivedQuery{})
		if err != nil {
			return err
		}
		return a.print(out, func() {
			for _, r := range out {
				a.printf("%s  %s  %s  %s\n", r.At.Format(time.RFC3339), r.Event, r.Subject.Key, r.Title)
			}
		})
	}))
	return c
}

func (a *app) incomingSet() *cobra.Command {
	var in client.IncomingBody
	var agent, say, secret string
	c := a.asked("set NAME KIND", "Take what a system sends to /webhooks/NAME", cobra.ExactArgs(2), func(ctx context.Context, cl *client.Client, args []string) error {
		in.Kind = args[1]
		if a.project != "" {
			id, err := a.findProject(ctx, cl)
			if err != nil {
				return err
			}
			in.Project = &id
		}
		for to, flag := range map[**string]*string{&in.Agent: &agent, &in.Say: &say, &in.Secret: &secret} {
			if *flag != "" {
				*to = flag
			}
		}
		out, err := cl.SetIncomingWebhook(ctx, args[0], in)
		if err != nil {
			return err
		}
		return a.print(out, func() {
			a.printf("The sender posts to %s of this daemon.\n", out.Path)
			if out.Secret != "" {
				a.printf("Its secret, shown this once:\n%s\n", out.Secret)
			}
		})
	})
	f := c.Flags()
	f.StringVarP(&a.project, "project", "p", "", "the project that it is about, by name or id")
	f.StringVar(&agent, "agent", "", "who is asked when something comes")
	f.StringVar(&say, "say", "", "what the agent is told to do with it")
	f.StringSliceVar(&in.Events, "events", nil, "patterns for which the agent is asked, such as github.issues.opened; all when left out")
	f.StringVar(&secret, "secret", "", "by which the sender signs; one is made when left out")
	return c
}

// patientWith is how many attempts an address outside may need before it is a finding.
const patientWith = 3

// examineWebhooks says which addresses outside do not take what they are told.
func (a *app) examineWebhooks(ctx context.Context, cl *client.Client) []check {
	list, err := cl.ListWebhooks(ctx)
	if fault.KindOf(err) == fault.Denied && err != nil || err == nil && len(list) == 0 {
		return nil // an admin's, or there are none
	}
	if err != nil {
		return []check{{"webhooks", false, textOf(err)}}
	}
	var out []check
	for _, w := range list {
		switch {
		case w.Why != "":
			out = append(out, check{"webhook " + w.Name, false, w.Why + " Remove it with `chela webhook rm " + w.ID + "`, or switch it on again."})
		case client.Value(w.Attempts) >= patientWith:
			out = append(out, check{"webhook " + w.Name, false, w.Problem + " `chela webhook test " + w.ID + "` tries it now."})
		}
	}
	if len(out) == 0 {
		out = append(out, check{"webhooks", true, fmt.Sprintf("%d addresses outside are told of events.", len(list))})
	}
	return out
}

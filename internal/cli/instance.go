package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"chela/internal/gateway/client"
)

// followInstance waits until an instance has ended or waits, and shows it. One that ended and is not done is an error.
func (a *app) followInstance(ctx context.Context, cl *client.Client, id string) error {
	for {
		in, err := cl.GetInstance(ctx, id)
		if err != nil {
			return err
		}
		if in.Run.State.Final() || in.Run.State == "waiting" {
			if err := a.print(in, func() { a.instance(in) }); err != nil || !in.Run.State.Final() || in.Run.State == "done" {
				return err
			}
			return fmt.Errorf("the instance %s is %s: %s", in.Run.ID, in.Run.State, in.Run.Reason)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func (a *app) instanceList() *cobra.Command {
	var slug string
	var open bool
	c := a.asked("instances", "List instances of workflows, newest first", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		all, err := cl.ListInstances(ctx, client.ListInstancesQuery{Workflow: slug, Open: open})
		if err != nil {
			return err
		}
		return a.print(all, func() {
			for _, in := range all {
				a.printf("%s  %s@%d  %s  %s  %s\n", in.Run.ID, in.Slug, in.Version, in.Run.State, moment(in.Run.CreatedAt), in.Run.Reason)
			}
		})
	})
	c.Flags().StringVar(&slug, "workflow", "", "only this workflow's")
	c.Flags().BoolVar(&open, "open", false, "only those that have not ended")
	return c
}

func (a *app) instanceShow() *cobra.Command {
	return a.asked("status RUN", "Show where an instance and its steps stand", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		in, err := cl.GetInstance(ctx, args[0])
		if err != nil {
			return err
		}
		return a.print(in, func() { a.instance(in) })
	})
}

func (a *app) instance(in client.InstanceOut) {
	a.printf("%s  %s, version %d  %s\n", in.Run.ID, in.Name, in.Version, in.Run.State)
	if in.Run.Reason != "" {
		a.printf("  %s\n", in.Run.Reason)
	}
	for _, s := range in.Steps {
		says := s.Error + s.Reason
		if s.Event != "" && s.State == "waiting" {
			says = "It waits for an event of the type " + s.Event + "."
		}
		a.printf("  %-24s %-10s %-9s %s\n", s.Path, s.Kind, s.State, says)
	}
	for _, r := range in.Reviews {
		a.printf("  review of %s: %s after %d reworks. %s\n", r.Path, r.To, r.Reworks, r.Reason)
	}
	for _, e := range in.Evidence {
		for _, f := range e.Found {
			a.printf("  %s  %s: %s %s\n", map[bool]string{true: "met    ", false: "not met"}[f.Met], e.Path, f.Condition, f.Detail)
		}
	}
	if client.Value(in.Unproven) {
		a.printf("It is unproven: it was said to be done, and its contract was not met.\n")
	}
	if len(in.Output) > 0 && string(in.Output) != "{}" {
		a.printf("%s\n", in.Output)
	}
}

func (a *app) instanceUndo() *cobra.Command {
	return a.asked("undo RUN", "Compensate what a cancelled instance had done, the last step first", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		begun, err := cl.UndoInstance(ctx, args[0])
		if err != nil {
			return err
		}
		return a.print(begun, func() { a.printf("Began %s.\n", begun.RunID) })
	})
}

func (a *app) instanceRetry() *cobra.Command {
	var given []string
	var file string
	c := a.asked("retry RUN STEP", "Begin an ended instance anew from a step; what the other steps gave is taken over", cobra.ExactArgs(2), func(ctx context.Context, cl *client.Client, args []string) error {
		old, err := cl.GetInstance(ctx, args[0])
		if err != nil {
			return err
		}
		w, err := cl.GetWorkflow(ctx, old.Slug, client.GetWorkflowQuery{Version: old.Version})
		if err != nil {
			return err
		}
		inputs, err := inputsOf(w.Inputs, file, given, projectNamed(ctx, cl))
		if err != nil {
			return err
		}
		begun, err := cl.RetryInstance(ctx, args[0], client.RetryBody{From: args[1], Inputs: inputs})
		if err != nil {
			return err
		}
		return a.print(begun, func() { a.printf("Began %s.\n", begun.RunID) })
	})
	c.Flags().StringArrayVarP(&given, "input", "i", nil, "an input that replaces the old one, as name=value")
	c.Flags().StringVar(&file, "inputs", "", "a JSON file with inputs")
	return c
}

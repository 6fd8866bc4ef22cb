package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/run"
	"chela/internal/tracker"
)

func (a *app) trackers() *cobra.Command {
	c := &cobra.Command{Use: "tracker", Short: "Read trackers live: " + strings.Join(tracker.Kinds(), ", ")}
	c.AddCommand(a.trackerAdd(), a.trackerList(), a.trackerShow(), a.trackerSync(), a.trackerRemove())
	return c
}

func (a *app) trackerAdd() *cobra.Command {
	var in client.TrackerBody
	var address, secret string
	var every time.Duration
	var off bool
	c := a.asked("add NAME KIND SCOPE", "Read a tracker live, or change the one of that name", cobra.ExactArgs(3), func(ctx context.Context, cl *client.Client, args []string) error {
		in.Kind, in.Scope = args[1], args[2]
		id, err := a.findProject(ctx, cl)
		if err != nil {
			return err
		}
		minutes := int(every / time.Minute)
		if every%time.Minute != 0 || minutes < 1 {
			return fault.BadField("every", "--every is a number of minutes or hours, such as 15m or 2h.")
		}
		in.ProjectID, in.EveryMinutes = id, &minutes
		if address != "" {
			in.Address = &address
		}
		if secret != "" {
			in.Secret = &secret
		}
		if off {
			in.Off = &off
		}
		out, err := cl.SetTracker(ctx, args[0], in)
		if err != nil {
			return err
		}
		return a.print(out, func() {
			when := "It is looked at every " + strings.TrimPrefix(plural(out.Every, "minute"), "1 ") + "."
			if out.Off {
				when = "It is read when somebody asks."
			}
			a.printf("%s reads %s of %s. %s `chela tracker sync %s` reads it now.\n", out.Name, out.Scope, out.Host(), when, out.Name)
		})
	})
	c.Long = "Reads the issues of a tracker into a project, now and whenever something changed there. SCOPE is owner/repository of GitHub, the key of a project of Jira, group/project of GitLab, the key of a team of Linear. The token lies in the vault; `chela vault set NAME` puts it there."
	c.Example = "  chela tracker add web github acme/web -p Payments --secret TRACKER_GITHUB\n  chela tracker add pay jira PAY -p Payments --address https://acme.atlassian.net --secret TRACKER_JIRA --every 30m"
	a.projectFlag(c)
	c.Flags().StringVar(&address, "address", "", "of its API; needed for Jira, and for a server of your own")
	c.Flags().StringVar(&secret, "secret", "", "the name of the token in the vault")
	c.Flags().DurationVar(&every, "every", tracker.Usual*time.Minute, "how often it is looked at")
	c.Flags().BoolVar(&off, "off", false, "read it only when somebody asks")
	return c
}

// trackerState is how a tracker is doing, in a few words.
func trackerState(s tracker.State) string {
	switch {
	case s.Failures > 0:
		return fmt.Sprintf("failed %d times", s.Failures)
	case s.SyncedAt == nil:
		return "not read yet"
	case s.Off:
		return "read when asked"
	}
	return "read " + s.SyncedAt.Local().Format("2006-01-02 15:04")
}

func (a *app) trackerList() *cobra.Command {
	return a.asked("list", "List the trackers that are read live", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		all, err := cl.ListTrackers(ctx)
		if err != nil {
			return err
		}
		return a.print(all, func() {
			for _, t := range all {
				a.printf("%-16s %-7s %-24s %-22s %s\n", t.Name, t.Kind, t.Scope, trackerState(t), t.Address)
				if t.Problem != "" {
					a.printf("  %s\n", t.Problem)
				}
			}
			if len(all) == 0 {
				a.printf("None is read live. `chela tracker add NAME KIND SCOPE -p PROJECT` adds one.\n")
			}
		})
	})
}

func (a *app) trackerShow() *cobra.Command {
	return a.asked("show NAME", "Show a tracker that is read live, with its last syncs", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		out, err := cl.GetTracker(ctx, args[0])
		if err != nil {
			return err
		}
		return a.print(out, func() {
			a.printf("%s  %s  %s  %s\n", out.Name, out.Kind, out.Scope, out.Address)
			if p := out.Problem; p != "" {
				a.printf("%s\n", p)
			}
			for _, s := range out.Syncs {
				a.printf("%s  %s  %-9s  %s\n", s.RunID, s.At.Local().Format("2006-01-02 15:04"), s.State, s.Text)
				if b := s.Brought; b != nil && b.Run != "" {
					a.printf("  chela undo %s takes its import back.\n", b.Run)
				}
			}
			if len(out.Syncs) == 0 {
				a.printf("It was not read yet. `chela tracker sync %s` reads it.\n", out.Name)
			}
		})
	})
}

func (a *app) trackerSync() *cobra.Command {
	var in client.TrackerSync
	var all, wait bool
	c := a.asked("sync NAME", "Read now what changed in a tracker", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		in.All = &all
		begun, err := cl.SyncTracker(ctx, args[0], in)
		if err != nil || !wait {
			if err == nil {
				err = a.print(begun, func() { a.printf("%s\n", begun.RunID) })
			}
			return err
		}
		return a.trackerWait(ctx, cl, args[0], begun.RunID)
	})
	c.Flags().BoolVar(&all, "all", false, "all of it, whatever was read before")
	c.Flags().BoolVar(&wait, "wait", true, "wait for its end; --wait=false prints the run")
	return c
}

// trackerWait waits for the end of a sync and says what came of it.
func (a *app) trackerWait(ctx context.Context, cl *client.Client, name, id string) error {
	for {
		out, err := cl.GetTracker(ctx, name)
		if err != nil {
			return err
		}
		for _, s := range out.Syncs {
			state := run.State(s.State)
			switch {
			case s.RunID != id:
			case state == run.Waiting:
				return a.print(s, func() { a.printf("%s %s\n", id, s.Text) })
			case state.Final() && state != run.Done:
				return fault.New(fault.Unavailable, "%s", s.Text)
			case state == run.Done:
				return a.print(s, func() {
					a.printf("%s\n", s.Text)
					if s.Brought != nil {
						for _, p := range s.Brought.Left {
							a.printf("  %s\n", p)
						}
						if s.Brought.Run != "" {
							a.printf("  chela undo %s takes it back.\n", s.Brought.Run)
						}
					}
				})
			}
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(300 * time.Millisecond):
		}
	}
}

func (a *app) trackerRemove() *cobra.Command {
	return a.asked("remove NAME", "Do not read a tracker any more; its tickets stay", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		return cl.RemoveTracker(ctx, args[0])
	})
}

// examineTrackers says which trackers cannot be read.
func (a *app) examineTrackers(ctx context.Context, cl *client.Client) []check {
	list, err := cl.ListTrackers(ctx)
	if fault.KindOf(err) == fault.Denied && err != nil || err == nil && len(list) == 0 {
		return nil // an editor's, or there are none
	}
	if err != nil {
		return []check{{"trackers", false, textOf(err)}}
	}
	kept := make(map[string]bool)
	vault, vaultErr := cl.Vault(ctx)
	for _, s := range vault.Secrets {
		kept[s.Name] = true
	}
	var out []check
	for _, t := range list {
		switch {
		case t.Secret != "" && vaultErr == nil && !kept[t.Secret]:
			out = append(out, check{"tracker " + t.Name, false, "The vault has no " + t.Secret + ", its token. `chela vault set " + t.Secret + "` puts it there."})
		case t.Failures > 0:
			out = append(out, check{"tracker " + t.Name, false, fmt.Sprintf("%s It failed %d times. `chela tracker sync %s` tries it now.", t.Problem, t.Failures, t.Name)})
		}
	}
	if len(out) == 0 {
		out = append(out, check{"trackers", true, fmt.Sprintf("%d trackers are read live.", len(list))})
	}
	return out
}

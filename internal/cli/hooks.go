package cli

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"chela/internal/fault"
	"chela/internal/gateway/client"
)

// did says what a hook did last.
func did(l client.HookLast) string {
	switch {
	case l.Failed != "":
		return "failed: " + l.Failed
	case l.Denied != "":
		return "denied: " + l.Denied
	}
	return "altered what it was asked about"
}

func (a *app) hooks() *cobra.Command {
	c := &cobra.Command{Use: "hooks", Short: "List and test hooks: your programs that are notified, and may deny or change things"}
	c.AddCommand(a.hooksList(), a.hooksTest())
	return c
}

func (a *app) hooksList() *cobra.Command {
	return a.asked("list", "List hooks and the points at which hooks can be called", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		out, err := cl.Hooks(ctx)
		if err != nil {
			return err
		}
		return a.print(out, func() {
			a.printf("%s\n", out.File)
			if out.Error != "" {
				a.printf("It cannot be read, so whatever hooks could deny is denied: %s\n", out.Error)
			}
			for _, e := range out.Hooks {
				target := e.URL
				if target == "" {
					target = strings.Join(e.Command, " ")
				}
				a.printf("hook %s at %s: %s\n", e.Name, strings.Join(e.Points, ", "), target)
				if e.Problem != "" {
					a.printf("  %s\n", e.Problem)
				}
				if e.Last != nil {
					a.printf("  %s at %s it %s\n", e.Last.At.Local().Format(time.DateTime), e.Last.Point, did(*e.Last))
				}
			}
			a.printf("Points:\n")
			for _, p := range out.Points {
				may := "told"
				if p.Blocking {
					may = "may deny"
				}
				a.printf("  %-19s %-9s %s\n", p.Point, may, p.Text)
			}
		})
	})
}

func (a *app) hooksTest() *cobra.Command {
	var in client.HookTest
	var point string
	c := a.asked("test HOOK [DATA]", "Call a hook and show its answer; the data is JSON", cobra.RangeArgs(1, 2), func(ctx context.Context, cl *client.Client, args []string) error {
		in.Hook = args[0]
		if len(args) == 2 {
			in.Data = json.RawMessage(args[1])
			if !json.Valid(in.Data) {
				return fault.New(fault.Invalid, "The data is no JSON: %s", args[1])
			}
		}
		in.Point = client.Given(point)
		out, err := cl.TestHook(ctx, in)
		if err != nil {
			return err
		}
		return a.print(out, func() {
			switch {
			case out.Deny != "":
				a.printf("It denies: %s\n", out.Deny)
			case len(out.Data) > 0:
				a.printf("It alters: %s\n", out.Data)
			default:
				a.printf("It lets things be.\n")
			}
		})
	})
	c.Flags().StringVar(&point, "point", "", "the point; the hook's first when empty")
	return c
}

// examineHooks checks that the hooks can be read, and that what they call is there.
func (a *app) examineHooks(ctx context.Context, cl *client.Client) []check {
	out, err := cl.Hooks(ctx)
	if err != nil {
		return []check{{"hooks", false, textOf(err)}}
	}
	switch {
	case out.Error != "":
		return []check{{"hooks", false, out.Error}}
	case len(out.Hooks) == 0:
		return []check{{"hooks", true, "There are none."}}
	}
	var wrong []check
	names := make([]string, len(out.Hooks))
	for i, h := range out.Hooks {
		names[i] = h.Name
		if h.Problem != "" {
			wrong = append(wrong, check{"hooks", false, h.Problem})
		}
	}
	return append([]check{{"hooks", true, out.File + ": " + strings.Join(names, ", ") + "."}}, wrong...)
}

package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"chela/internal/gateway/client"
)

func (a *app) prompts() *cobra.Command {
	var thread string
	var short bool
	show := &cobra.Command{
		Use: "show AGENT", Short: "Show what an agent would be told now, part by part", Args: cobra.ExactArgs(1),
		Long:    "Prints the exact prompt of an agent with the tokens of each part and what was cut. With a conversation it is what the agent would be told if something was said there now.",
		Example: "  chela prompt show pm\n  chela prompt show pm --thread thr_06h0q --short",
		RunE: func(cmd *cobra.Command, args []string) error {
			cl, err := a.client()
			if err != nil {
				return err
			}
			out, err := cl.ShowPrompt(cmd.Context(), args[0], client.ShowPromptQuery{ThreadID: thread})
			if err != nil {
				return err
			}
			return a.print(out, func() {
				for _, l := range out.Layers {
					cut := ""
					if l.Cut {
						cut = "  (cut)"
					}
					a.printf("%-13s priority %2d %6d tokens%s\n", l.Name, l.Priority, l.Tokens, cut)
					if !short {
						a.printf("  %s\n", strings.ReplaceAll(strings.TrimSpace(l.Text), "\n", "\n  "))
					}
				}
				if out.Counted > 0 {
					a.printf("A token of its model has %.1f bytes, by %d calls that were counted; estimates were off by %.0f %%.\n", out.BytesPerToken, out.Counted, out.Off*100)
				}
				a.printf("%d tokens: the system prompt %d of at most %d, tools %d\n", out.Tokens, out.System, out.Most, out.Tools)
			})
		},
	}
	show.Flags().StringVar(&thread, "thread", "", "a conversation")
	show.Flags().BoolVar(&short, "short", false, "print the parts without their texts")
	c := &cobra.Command{Use: "prompt", Short: "Show what agents are told"}
	c.AddCommand(show)
	return c
}

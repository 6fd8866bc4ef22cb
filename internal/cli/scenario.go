package cli

import (
	"os"

	"github.com/spf13/cobra"

	"chela/internal/fault"
	"chela/internal/scenario"
)

func (a *app) scenario() *cobra.Command {
	c := &cobra.Command{Use: "scenario", Short: "Play scenario files"}
	run := &cobra.Command{
		Use: "run FILE...", Short: "Play scenario files, each against a daemon of its own with a scripted model", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var results []scenario.Result
			failed := 0
			for _, name := range args {
				raw, err := os.ReadFile(name) //nolint:gosec // the caller names it
				if err != nil {
					return fault.Wrap(err, fault.NotFound, "The file %s cannot be read.", name)
				}
				f, err := scenario.Read(raw)
				if err != nil {
					return fault.Wrap(err, fault.Invalid, "%s does not fit: %s", name, textOf(err))
				}
				r := scenario.Play(cmd.Context(), name, f)
				if !r.OK() {
					failed++
				}
				results = append(results, r)
			}
			if err := a.print(results, func() {
				for _, r := range results {
					for _, c := range r.Checks {
						mark := "PASS"
						if !c.OK {
							mark = "FAIL"
						}
						a.printf("%s  %s: %s\n", mark, r.Name, c.Text)
					}
				}
				a.printf("%d scenarios, %d failed\n", len(results), failed)
			}); err != nil {
				return err
			}
			if failed > 0 {
				return fault.New(fault.Conflict, "%d scenarios failed.", failed)
			}
			return nil
		},
	}
	c.AddCommand(run)
	return c
}

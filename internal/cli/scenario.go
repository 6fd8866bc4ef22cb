package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"chela/internal/fault"
	"chela/internal/scenario"
)

func (a *app) scenario() *cobra.Command {
	c := &cobra.Command{Use: "scenario", Short: "Play scenario files"}
	c.AddCommand(a.scenarioRun())
	return c
}

func (a *app) scenarioRun() *cobra.Command {
	var parallel int
	var report, out string
	c := &cobra.Command{
		Use: "run FILE...", Short: "Play scenario files, each against a daemon of its own with a scripted model", Args: cobra.MinimumNArgs(1),
		Long: "Plays scenario files, several at once, each against a daemon of its own with a scripted model.\nThe exit code is 0 when everything held, 1 when something did not, 2 when a file cannot be read or the command is wrong.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.json {
				report = "json"
			}
			if !slices.Contains(scenario.Formats(), report) {
				return usageError{fmt.Errorf("--report %s: there are %s", report, strings.Join(scenario.Formats(), ", "))}
			}
			if parallel < 1 {
				return usageError{fmt.Errorf("--parallel %d: at least one is played at once", parallel)}
			}
			files, err := scenario.Load(args)
			if err != nil {
				return usageError{errors.New(textOf(err))}
			}
			results := scenario.PlayAll(cmd.Context(), files, parallel)
			if err := a.reportTo(out, report, results); err != nil {
				return err
			}
			if n := scenario.Failed(results); n > 0 {
				return fmt.Errorf("%d of %d scenarios failed", n, len(results))
			}
			return nil
		},
	}
	c.Flags().IntVar(&parallel, "parallel", runtime.NumCPU(), "how many are played at once")
	c.Flags().StringVar(&report, "report", "text", "text, json or junit")
	c.Flags().StringVar(&out, "out", "", "file for the report; empty is the terminal")
	return c
}

// reportTo writes a report into a file, or to the terminal.
func (a *app) reportTo(file, format string, results []scenario.Result) error {
	if file == "" {
		return scenario.Report(a.out, format, results)
	}
	var b bytes.Buffer
	if err := scenario.Report(&b, format, results); err != nil {
		return err
	}
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		return usageError{errors.New(fault.TextOf(fault.Wrap(err, fault.Invalid, "The report cannot be written to %s.", file)))}
	}
	a.printf("%d scenarios, %d failed; the report is %s\n", len(results), scenario.Failed(results), file)
	return nil
}

package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"chela/internal/cli/terminal"
	"chela/internal/fault"
	"chela/internal/scenario"
)

func (a *app) scenario() *cobra.Command {
	c := &cobra.Command{Use: "scenario", Short: "Play scenario files, and record runs as such"}
	c.AddCommand(a.scenarioRun(), a.scenarioRecord())
	return c
}

func (a *app) scenarioRun() *cobra.Command {
	var o scenario.Options
	var report, out string
	c := &cobra.Command{
		Use: "run FILE...", Short: "Play scenario files, each against a daemon of its own with a scripted model", Args: cobra.MinimumNArgs(1),
		Long: "Plays scenario files, several at once, each against a daemon of its own with a scripted model.\nIts clock shows startAt of the file's defaults, or 2026-01-05T09:00:00Z, and moves on by a minute before each step; ids are\ncounted: a file gives the same log whenever it is played, and log in the JSON report is a digest of it.\nThe exit code is 0 when everything held, 1 when something did not, 2 when a file cannot be read or the command is wrong.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.json {
				report = "json"
			}
			if !slices.Contains(scenario.Formats(), report) {
				return usageError{fmt.Errorf("--report %s: there are %s", report, strings.Join(scenario.Formats(), ", "))}
			}
			if o.Parallel < 1 {
				return usageError{fmt.Errorf("--parallel %d: at least one is played at once", o.Parallel)}
			}
			files, err := scenario.Load(args)
			if err != nil {
				return usageError{errors.New(textOf(err))}
			}
			results := scenario.PlayAll(cmd.Context(), files, o)
			if err := a.reportTo(out, report, results); err != nil {
				return err
			}
			if n := scenario.Failed(results); n > 0 {
				return fmt.Errorf("%d of %d scenarios failed", n, len(results))
			}
			return nil
		},
	}
	c.Flags().IntVar(&o.Parallel, "parallel", runtime.NumCPU(), "how many are played at once")
	c.Flags().StringVar(&o.Postgres, "postgres", "", "PostgreSQL server on which each scenario has a database of its own while it plays; SQLite when empty")
	c.Flags().StringVar(&report, "report", "text", "text, json or junit")
	c.Flags().StringVar(&out, "out", "", "file for the report; empty is the terminal")
	return c
}

func (a *app) scenarioRecord() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use: "record RUN", Short: "Freeze a run of a conversation as a scenario", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cl, err := a.client()
			if err != nil {
				return err
			}
			f, err := scenario.Record(cmd.Context(), cl, args[0])
			if err != nil {
				return err
			}
			raw, err := json.MarshalIndent(f, "", "  ")
			if err != nil {
				return fmt.Errorf("encode the scenario: %w", err)
			}
			raw = append(raw, '\n')
			if out == "" {
				_, err = a.out.Write(raw)
				return err
			}
			if err := os.WriteFile(out, raw, 0o600); err != nil {
				return fault.Wrap(err, fault.Invalid, "The scenario cannot be written to %s.", out)
			}
			a.printf("The run is the scenario %s; `chela scenario run` plays it.\n", out)
			return nil
		},
	}
	c.Flags().StringVar(&out, "out", "", "file for the scenario; empty is the terminal")
	return c
}

// reportTo writes a report into a file, or to the terminal.
func (a *app) reportTo(file, format string, results []scenario.Result) error {
	if file == "" {
		return scenario.Report(terminal.Cleaned(a.out), format, results)
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

package cli

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/library"
)

func (a *app) contract() *cobra.Command {
	var file string
	var clearIt bool
	c := a.inProject("contract TICKET", "Show or set what has to be true before a ticket counts as done, and what was found", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, project string, args []string) error {
		id, err := recordNamed(ctx, cl, project, args[0])
		if err != nil {
			return err
		}
		if file != "" || clearIt {
			set, err := a.contractIn(file)
			if err != nil {
				return err
			}
			if _, err := cl.EditTicket(ctx, project, id, map[string]any{"contract": set}); err != nil {
				return err
			}
		}
		t, err := cl.GetTicket(ctx, project, id, client.GetTicketQuery{})
		if err != nil {
			return err
		}
		found, err := cl.RecordEvidence(ctx, id)
		if err != nil {
			return err
		}
		out := map[string]any{"contract": t.Body.Contract, "proof": t.Body.Proof, "evidence": found}
		return a.print(out, func() { a.proven(t.Body, found) })
	})
	c.Long = "Shows the contract of a ticket, how much its status is worth, and what was found each time an agent said that it was done. " +
		"--set FILE writes the contract, a YAML or JSON list of terms: holds, file, command, record, number, cites or verdict, as in docs/workflows.md."
	c.Example = "  chela contract PAY-202 --set done.yaml"
	c.Flags().StringVar(&file, "set", "", "write the contract that this file says; - reads standard input")
	c.Flags().BoolVar(&clearIt, "clear", false, "take the contract away")
	c.MarkFlagsMutuallyExclusive("set", "clear")
	return c
}

// contractIn reads the terms of a contract; no file has none.
func (a *app) contractIn(file string) ([]desk.Term, error) {
	if file == "" {
		return nil, nil
	}
	raw, err := a.read(file)
	if err != nil {
		return nil, err
	}
	text, err := asJSON(file, raw)
	if err != nil {
		return nil, err
	}
	var out []desk.Term
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.DisallowUnknownFields()
	if err := d.Decode(&out); err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "%s has a term that does not fit: %s", file, err)
	}
	return out, nil
}

// proven prints a contract with what was found of it.
func (a *app) proven(t desk.TicketBody, found []library.Proof) {
	if len(t.Contract) == 0 {
		a.printf("The ticket has no contract, so anybody's word counts that it is done.\n")
	}
	for _, term := range t.Contract {
		a.printf("- %s\n", term.Title())
	}
	switch t.Proof {
	case desk.Proven:
		a.printf("Proven: the contract was met.\n")
	case desk.Unproven:
		a.printf("Unproven: an agent said that it was done, and the contract was not met.\n")
	case desk.Waived:
		a.printf("Waived: a person closed it without proof.\n")
	}
	for _, p := range found {
		word := "met"
		if !p.Met {
			word = "not met"
		}
		a.printf("\n%s  %s said that it is done: %s  (%s)\n", p.At.Format("2006-01-02 15:04"), strings.TrimPrefix(p.Agent, "agent:"), word, p.Run)
		for _, f := range p.Found {
			mark := "+"
			if !f.Met {
				mark = "-"
			}
			a.printf("  %s %s  %s\n", mark, f.Condition, strings.ReplaceAll(f.Detail, "\n", "\n    "))
		}
		if did := p.Changed.Words(); did != "" {
			a.printf("  changed: %s\n", did)
		}
	}
}

package cli

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"chela/internal/canvas"
	"chela/internal/fault"
	"chela/internal/gateway/client"
)

func (a *app) workflowDraft() *cobra.Command {
	var source bool
	c := a.asked("draft SLUG", "Show the draft of a workflow: its nodes, what the linter finds, and its last edits", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		d, err := cl.GetWorkflowDraft(ctx, args[0])
		if err != nil {
			return err
		}
		edits, err := cl.ListWorkflowEdits(ctx, args[0], client.ListWorkflowEditsQuery{After: max(0, d.Revision-10)})
		if err != nil {
			return err
		}
		return a.print(d, func() {
			if source {
				a.printf("%s", d.Source)
				return
			}
			a.draft(d)
			for _, e := range edits {
				a.printf("  revision %d  %s  %s  %s\n", e.Revision, moment(e.At), e.Name, editText(e))
			}
		})
	})
	c.Flags().BoolVar(&source, "source", false, "print the text")
	return c
}

// editText says what an edit did.
func editText(e client.EditOut) string {
	if e.Undoes != nil && *e.Undoes != 0 {
		return "took revision " + strconv.Itoa(*e.Undoes) + " back"
	}
	var out []string
	for _, op := range e.Operations {
		out = append(out, op.String())
	}
	if len(out) == 0 {
		return "wrote the text"
	}
	return strings.Join(out, ", ")
}

func (a *app) draft(d client.DraftOut) {
	state := "as saved"
	if !d.Saved {
		state = "edited"
	}
	a.printf("%s, draft at revision %d, %s\n", d.Slug, d.Revision, state)
	for _, n := range d.Graph.Nodes {
		var after []string
		for _, e := range d.Graph.Edges {
			if e.To == n.Path {
				after = append(after, strings.TrimSuffix(e.From+"."+e.Outcome, "."))
			}
		}
		a.printf("  %-24s %-10s %s\n", n.Path, n.Kind, afterWhat(after))
		for _, f := range n.Findings {
			a.printf("      line %d: %s\n", f.Line, f.Text)
		}
	}
	for _, f := range d.Graph.Findings {
		a.printf("  line %d: %s\n", f.Line, f.Text)
	}
	for _, note := range d.Notes {
		a.printf("%s\n", note)
	}
}

func (a *app) workflowEdit() *cobra.Command {
	var file, text, note string
	var undo, redo, save, discard bool
	c := a.asked("edit SLUG [OPERATION…]", "Edit the draft of a workflow by operations or as a text; undo, redo, save or discard it", cobra.MinimumNArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		slug := args[0]
		switch {
		case undo:
			return a.drafted(cl.UndoWorkflowEdit(ctx, slug, client.UndoEditBody{}))
		case redo:
			return a.drafted(cl.RedoWorkflowEdit(ctx, slug))
		case discard:
			if err := cl.DiscardWorkflowDraft(ctx, slug); err != nil {
				return err
			}
			return a.print(map[string]string{"discarded": slug}, func() { a.printf("Discarded the draft of %s.\n", slug) })
		case save:
			w, err := cl.SaveWorkflowDraft(ctx, slug, client.NoteBody{Note: client.Given(note)})
			if err != nil {
				return err
			}
			return a.print(w, func() { a.workflow(w) })
		}
		base := 0
		now, err := cl.GetWorkflowDraft(ctx, slug)
		if err == nil {
			base = now.Revision
		} else if fault.KindOf(err) != fault.NotFound || text == "" {
			return err
		}
		if text != "" {
			raw, err := readWorkflow(text)
			if err != nil {
				return err
			}
			return a.drafted(cl.WriteWorkflowDraft(ctx, slug, client.DraftBody{Base: base, Source: string(raw), Note: client.Given(note)}))
		}
		ops, err := operations(file, args[1:])
		if err != nil {
			return err
		}
		return a.drafted(cl.EditWorkflowDraft(ctx, slug, client.EditsBody{Base: base, Operations: ops}))
	})
	c.Long = c.Short + `.

An OPERATION is JSON, as docs/workflows.md lists them:

  chela workflow edit triage '{"op":"update_property","node":"write","path":"agent.task","value":"Write it."}'
  chela workflow edit triage '{"op":"connect_nodes","from":"write","to":"ask"}'`
	c.Flags().StringVar(&file, "operations", "", "read a JSON list of operations from this file, - is standard input")
	c.Flags().StringVar(&text, "text", "", "write the whole text from this file")
	c.Flags().StringVar(&note, "note", "", "what changed")
	c.Flags().BoolVar(&undo, "undo", false, "take your newest edit back")
	c.Flags().BoolVar(&redo, "redo", false, "do again what you undid last")
	c.Flags().BoolVar(&save, "save", false, "save the draft as a version, which is not deployed yet")
	c.Flags().BoolVar(&discard, "discard", false, "discard the draft")
	c.MarkFlagsMutuallyExclusive("operations", "text", "undo", "redo", "save", "discard")
	return c
}

func (a *app) drafted(d client.DraftOut, err error) error {
	if err != nil {
		return err
	}
	return a.print(d, func() { a.draft(d) })
}

// operations reads operations from a file and from arguments.
func operations(file string, args []string) ([]canvas.Operation, error) {
	var out []canvas.Operation
	if file != "" {
		var raw []byte
		var err error
		if file == "-" {
			raw, err = io.ReadAll(io.LimitReader(os.Stdin, 4<<20))
		} else {
			raw, err = os.ReadFile(filepath.Clean(file))
		}
		if err == nil {
			err = json.Unmarshal(raw, &out)
		}
		if err != nil {
			return nil, fault.Wrap(err, fault.Invalid, "The operations of %s cannot be read: %s.", file, err)
		}
	}
	for _, arg := range args {
		var op canvas.Operation
		if err := json.Unmarshal([]byte(arg), &op); err != nil {
			return nil, fault.Wrap(err, fault.Invalid, "The operation %s cannot be read: %s.", arg, err)
		}
		out = append(out, op)
	}
	if len(out) == 0 {
		return nil, fault.New(fault.Invalid, "Say what to change: an operation as JSON, --operations FILE, --text FILE, --undo, --redo, --save or --discard.")
	}
	return out, nil
}

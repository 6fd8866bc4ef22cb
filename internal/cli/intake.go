package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"chela/internal/desk"
	"chela/internal/document"
	"chela/internal/extract"
	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/intake"
)

func (a *app) intake() *cobra.Command {
	c := &cobra.Command{
		Use: "intake FILE...", Short: "Import content: minutes, exports, notes; - reads standard input", Args: cobra.RangeArgs(1, 20),
		RunE: func(cmd *cobra.Command, args []string) error { return a.takeIn(cmd.Context(), args, nil) },
	}
	a.projectFlag(c)
	return c
}

func (a *app) importFile() *cobra.Command {
	var preview bool
	var columns map[string]string
	c := &cobra.Command{
		Use: "import FILE", Short: "Import a tracker's export", Args: cobra.ExactArgs(1),
		Long:    "Imports a tracker's export. --preview shows how its columns are read and what would change. --map corrects that; the project remembers it for files with the same columns.",
		Example: "  chela import jira.csv -p Payments --preview --map title=Headline --map points=",
		RunE: func(cmd *cobra.Command, args []string) error {
			if !preview {
				return a.takeIn(cmd.Context(), args, columns)
			}
			return a.previewImport(cmd.Context(), args[0], columns)
		},
	}
	a.projectFlag(c)
	c.Flags().BoolVar(&preview, "preview", false, "show what would be created and changed, and change nothing")
	c.Flags().StringToStringVar(&columns, "map", nil, "field=column, as the preview shows them; an empty column drops the field")
	return c
}

func (a *app) previewImport(ctx context.Context, file string, mapping map[string]string) error {
	cl, err := a.client()
	if err != nil {
		return err
	}
	project, err := a.findProject(ctx, cl)
	if err != nil {
		return err
	}
	raw, err := a.read(file)
	if err != nil {
		return err
	}
	out, err := cl.PreviewImport(ctx, client.PreviewBody{ProjectID: project, File: client.IntakeFile{Name: filepath.Base(file), Data: raw}, Mapping: mapping})
	if err != nil {
		return err
	}
	return a.print(out, func() { a.previewed(filepath.Base(file), out) })
}

func (a *app) previewed(file string, out intake.Preview) {
	if len(out.Tables) == 0 && len(out.Problems) == 0 {
		a.printf("%s has no table of tickets, so there is nothing to preview: an import would read it as a text.\n", file)
	}
	for _, t := range out.Tables {
		name := t.Document
		if t.Sheet != "" {
			name += ", sheet " + t.Sheet
		}
		a.printf("%s: %s\n", name, cmp.Or(string(t.Source), "no tracker's export that rules know"))
		fields, what := out.Fields, "Tickets"
		if t.Source == intake.RosterSource {
			fields, what = extract.RosterFields(), "People"
		}
		for _, f := range fields {
			if c := t.Mapping[f]; c != "" {
				a.printf("  %-12s %s\n", f, c)
			}
		}
		if n := len(t.Unread); t.Known && n > 0 {
			const shown = 12
			more := ""
			if n > shown {
				more = fmt.Sprintf(" and %d more", n-shown)
			}
			a.printf("  %-12s %s%s\n", "not read", strings.Join(t.Unread[:min(n, shown)], ", "), more)
		}
		for _, p := range t.Problems {
			a.printf("  %s\n", p)
		}
		for _, d := range t.Differs {
			for _, f := range d.Fields {
				name := f.Field
				if f.Conflict {
					name = "to decide, " + name
				}
				a.differs(strings.TrimSpace(d.Ref+" "+d.Title), name, f.Before, f.After)
			}
		}
		if more := t.Changed - t.Earlier - len(t.Differs); more > 0 && what == "Tickets" {
			a.printf("  and %s\n", plural(more, "more ticket"))
		}
		if t.Known {
			a.printf("%s: %d would be created, %d changed, %d stay as they are.\n", what, t.New, t.Changed, t.Same)
			if t.Asked > 0 {
				a.printf("To decide: %s changed here and in the source; what is here stays until somebody decides.\n", plural(t.Asked, "field"))
			}
		}
	}
	for _, p := range append(out.Problems, out.Absent.Text) {
		if p != "" {
			a.printf("%s\n", p)
		}
	}
}

// differs prints one field of a ticket that an export changes.
func (a *app) differs(ticket, field, before, after string) {
	was, is := []rune(words(before)), []rune(words(after))
	same := 0
	for same < min(len(was), len(is)) && was[same] == is[same] {
		same++
	}
	from := 0
	if same > 40 { // what is the same for long is left out
		from = same - 20
	}
	a.printf("  %s: %s %s → %s\n", short([]rune(words(ticket)), 0), field, short(was, from), short(is, from))
}

func words(s string) string { return strings.Join(strings.Fields(s), " ") }

// short shows 60 characters of a text.
func short(r []rune, from int) string {
	s := string(r[from:min(len(r), from+60)])
	if from > 0 {
		s = "…" + s
	}
	if from+60 < len(r) {
		s += "…"
	}
	return cmp.Or(s, "nothing")
}

// reconciled prints what an intake brought up to date, field by field.
func (a *app) reconciled(ctx context.Context, cl *client.Client, project, intake string) error {
	found, err := cl.ListReconciliations(ctx, project, client.ListReconciliationsQuery{RefersTo: intake})
	if err != nil {
		return err
	}
	for _, r := range found.Items {
		open := 0
		for _, c := range r.Body.Conflicts {
			if c.Asked {
				open++
				continue
			}
			a.differs(c.Title, c.Field, c.Ticket, c.Source)
		}
		if open > 0 {
			a.printf("To decide: %s changed here and in the source. See `chela reconcile show %s%s`.\n", plural(open, "field"), r.ID, a.ofProject())
		}
		if r.Body.Left > 0 {
			a.printf("  and %d more tickets\n", r.Body.Left)
		}
	}
	return nil
}

// takeIn hands files in and follows the phases.
func (a *app) takeIn(ctx context.Context, names []string, mapping map[string]string) error {
	cl, err := a.client()
	if err != nil {
		return err
	}
	project, err := a.findProject(ctx, cl)
	if err != nil {
		return err
	}
	var files []client.IntakeFile
	for _, name := range names {
		raw, err := a.read(name)
		if err != nil {
			return err
		}
		base := filepath.Base(name)
		if name == "-" {
			base = "standard input.txt"
		}
		files = append(files, client.IntakeFile{Name: base, Data: raw})
	}
	in, err := a.submit(ctx, cl, project, files, mapping)
	if err != nil {
		return err
	}
	return a.print(in, func() {})
}

func (a *app) read(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(a.in)
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.NotFound, "The file %s does not exist.", name)
	case err == nil && info.Size() > document.MaxBytes:
		return nil, fault.New(fault.TooLarge, "%s has %d MB; a file may have %d. Split it, or export fewer columns.", name, info.Size()>>20, document.MaxBytes>>20)
	case err == nil && info.IsDir():
		return nil, fault.New(fault.Invalid, "%s is a folder; name the files in it.", name)
	}
	return os.ReadFile(name) //nolint:gosec // the caller names it
}

// phaseNames are the phases of an intake in words, which the page has, too.
var phaseNames = map[string]string{
	"memory": "Keep the documents", "extract": "Read by rules", "triage": "Sort with a model", "hydration": "Read with a model",
	"objectives": "Match objectives", "reconcile": "Compare records", "resources": "Compute loads",
}

// handedIn says of a daemon that goes away what becomes of an intake that it has recorded.
func handedIn(err error, intake string) error {
	if fault.KindOf(err) != fault.Unavailable {
		return err
	}
	return fault.Wrap(err, fault.Unavailable, "The content was handed in as %s, and the daemon went away before it was read whole. It goes on by itself once the daemon runs; handing the same in again shows where it stands, and adds nothing.", intake)
}

// submit hands files in and waits until the intake is over, printing each phase.
func (a *app) submit(ctx context.Context, cl *client.Client, project string, files []client.IntakeFile, mapping map[string]string) (client.RecordOfIntakeBody, error) {
	var rec client.RecordOfIntakeBody
	r, err := cl.Intake(ctx, client.IntakeBody{ProjectID: project, Files: files, Mapping: mapping})
	if err != nil {
		return rec, err
	}
	if r.Again && !a.json {
		a.printf("The same content was taken in before as %s; nothing was added.\n", r.Intake)
	}
	shown := make(map[string]bool)
	for {
		if rec, err = cl.GetIntake(ctx, project, r.Intake, client.GetIntakeQuery{}); err != nil {
			return rec, handedIn(err, r.Intake)
		}
		for _, p := range rec.Body.Phases {
			if !shown[p.Name] && p.Status != "pending" && p.Status != "running" {
				shown[p.Name] = true
				if !a.json {
					a.printf("%-18s %-8s %s\n", cmp.Or(phaseNames[p.Name], p.Name), statusWord(p.Status), p.Summary)
				}
			}
		}
		if rec.Body.Status == desk.IntakeDispatched || rec.Body.Status == desk.IntakeFailed {
			break
		}
		select {
		case <-ctx.Done():
			return rec, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	if !a.json {
		for _, p := range rec.Body.Problems {
			a.printf("%-18s %s\n", "Problem", p)
		}
		if !r.Again {
			if err := a.reconciled(ctx, cl, project, r.Intake); err != nil {
				return rec, err
			}
		}
	}
	if rec.Body.Status == desk.IntakeFailed {
		return rec, fault.New(fault.Unavailable, "The intake %s failed; what came before is kept. Hand the same content in again to go on.", r.Intake)
	}
	if len(rec.Body.Phases) > 0 && rec.Body.Phases[0].Summary == intake.NothingRead {
		return rec, fault.New(fault.Invalid, "Nothing of it could be read.")
	}
	return rec, nil
}

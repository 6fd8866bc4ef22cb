package cli

import (
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/memory"
)

func (a *app) memoryWrite() *cobra.Command {
	var dir string
	var force bool
	c := a.asked("write", "Write a project's memories as MEMORY.md, which can be edited and read back, and what its conversations came to as HISTORY.md", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		project, err := a.findProject(ctx, cl)
		if err != nil {
			return err
		}
		files, err := cl.GetMemoryFile(ctx, project)
		if err != nil {
			return err
		}
		names := make(map[string]string)
		for name, text := range map[string]string{"MEMORY.md": files.Memory, "HISTORY.md": files.History} {
			file := filepath.Join(dir, name)
			if force {
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					return fault.Wrap(err, fault.Invalid, "The file %s cannot be written.", file)
				}
			} else if err := writeNew(file, []byte(text)); err != nil {
				return err
			}
			names[name] = file
		}
		return a.print(names, func() { a.printf("Wrote %s and %s.\n", names["MEMORY.md"], names["HISTORY.md"]) })
	})
	c.Flags().StringVar(&dir, "dir", ".", "folder to write to")
	c.Flags().BoolVar(&force, "force", false, "write over files that are there")
	a.projectFlag(c)
	return c
}

func (a *app) memoryRead() *cobra.Command {
	var yes bool
	c := a.asked("read FILE", "Read an edited MEMORY.md back: show what it changes; --yes changes it", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		raw, err := readBounded(args[0], memory.MaxFile)
		if err != nil {
			return err
		}
		project, err := a.findProject(ctx, cl)
		if err != nil {
			return err
		}
		out, err := cl.ReadMemoryFile(ctx, project, client.MemoryFileBody{Text: string(raw), Apply: &yes})
		if err != nil {
			return err
		}
		return a.print(out, func() { a.memoryEdits(out) })
	})
	c.Flags().BoolVar(&yes, "yes", false, "make the changes; `chela undo` takes them back")
	a.projectFlag(c)
	return c
}

// memoryEdits prints what a file changes.
func (a *app) memoryEdits(out client.MemoryEdits) {
	for _, e := range out.Edits {
		a.printf("%-9s %-10s %s\n", e.What, e.Type, e.ID)
		if e.Before != "" {
			a.printf("  - %s\n", clipped(e.Before, 300))
		}
		if e.After != "" {
			a.printf("  + %s\n", clipped(e.After, 300))
		}
		if e.Why != "" {
			a.printf("  %s\n", e.Why)
		}
	}
	switch {
	case len(out.Edits) == 0:
		a.printf("The file changes nothing.\n")
	case out.Applied:
		a.printf("It is done; `chela undo` takes it back. What is a conflict was left as it is.\n")
	default:
		a.printf("Nothing was changed. --yes does it.\n")
	}
}

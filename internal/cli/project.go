package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/query"
)

func (a *app) projects() *cobra.Command {
	c := &cobra.Command{Use: "project", Short: "List, create, deduplicate, copy, archive, export or delete projects"}
	c.AddCommand(a.projectList(), a.projectCreate(), a.projectDedup(), a.projectCopy(), a.projectStatus("archive", "Put a project away: its records stay to be read, and do not change", desk.ProjectArchived),
		a.projectStatus("restore", "Make an archived project or a template active", desk.ProjectActive), a.projectExport(), a.projectDelete())
	return c
}

func (a *app) projectList() *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use: "list", Short: "List projects and templates; --all lists archived ones too", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cl, err := a.client()
			if err != nil {
				return err
			}
			l, err := listProjects(cmd.Context(), cl)
			if err != nil {
				return err
			}
			return a.print(l, func() {
				for _, p := range l.Items {
					switch {
					case p.Body.Status == desk.ProjectActive:
						a.printf("%s  %s\n", p.ID, p.Body.Name)
					case p.Body.Status != desk.ProjectArchived || all:
						a.printf("%s  %s (%s)\n", p.ID, p.Body.Name, strings.ToLower(string(p.Body.Status)))
					}
				}
			})
		},
	}
	c.Flags().BoolVar(&all, "all", false, "archived ones too")
	return c
}

func (a *app) projectCreate() *cobra.Command {
	var from string
	c := &cobra.Command{
		Use: "create NAME", Short: "Create a project; --from copies a template or another project", Args: cobra.ExactArgs(1),
		Example: "  chela project create \"Wallet 2.0\" --from \"Release\"",
		RunE: func(cmd *cobra.Command, args []string) error {
			cl, err := a.client()
			if err != nil {
				return err
			}
			var out client.RecordOfProjectBody
			if from == "" {
				out, err = cl.CreateProject(cmd.Context(), desk.ProjectBody{Name: args[0]})
			} else {
				var source string
				a.project = from
				if source, err = a.findProject(cmd.Context(), cl); err == nil {
					out, err = cl.CopyProject(cmd.Context(), source, client.CopyBody{Name: args[0]})
				}
			}
			if err != nil {
				return err
			}
			return a.print(out, func() { a.printf("%s is %s.\n", args[0], out.ID) })
		},
	}
	c.Flags().StringVar(&from, "from", "", "the template or project to begin as")
	return c
}

func (a *app) projectCopy() *cobra.Command {
	var in client.CopyBody
	var template bool
	c := a.inProject("copy NAME", "Begin a project as another is made, with nothing of it done", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, project string, args []string) error {
		in.Name, in.Template = args[0], client.Given(template)
		out, err := cl.CopyProject(ctx, project, in)
		if err != nil {
			return err
		}
		return a.print(out, func() { a.printf("%s is %s.\n", args[0], out.ID) })
	})
	c.Flags().BoolVar(&template, "template", false, "make it a template for further projects")
	c.Flags().StringSliceVar(&in.Without, "without", nil, "kinds of records to leave out, such as ticket,link")
	return c
}

func (a *app) projectStatus(use, short string, to desk.ProjectStatus) *cobra.Command {
	return a.inProject(use, short, cobra.NoArgs, func(ctx context.Context, cl *client.Client, project string, _ []string) error {
		out, err := cl.EditProject(ctx, project, map[string]desk.ProjectStatus{"status": to})
		if err != nil {
			return err
		}
		return a.print(out, func() { a.printf("%s is %s.\n", out.Body.Name, strings.ToLower(string(out.Body.Status))) })
	})
}

func (a *app) projectDedup() *cobra.Command {
	var yes bool
	var into string
	c := a.inProject("dedup [PERSON...]", "Merge records that are the same thing; without --yes it shows which, and who are likely the same person", cobra.ArbitraryArgs, func(ctx context.Context, cl *client.Client, project string, args []string) error {
		body := client.DedupBody{Preview: new(!yes)}
		if err := a.samePeople(ctx, cl, project, into, args, &body); err != nil {
			return err
		}
		out, err := cl.Dedup(ctx, project, body)
		if err != nil {
			return err
		}
		return a.print(out, func() {
			for _, t := range out.Twins {
				a.printf("%s %s  %s  takes in %s\n", t.Kind, t.Kept, t.Title, strings.Join(t.Merged, ", "))
			}
			alone := 0
			for _, t := range out.Apart {
				alone += len(t.IDs)
				a.printf("%s %s  %s  stay apart. %s\n", t.Kind, strings.Join(t.IDs, ", "), t.Title, t.Why)
			}
			if alone > 0 {
				a.printf("%d records of a title that others have were left alone.\n", alone)
			}
			if into == "" {
				for _, l := range out.Likely {
					a.printf("%q is likely %q. %s To merge them: chela project dedup --into %q %q --yes\n", l.Called, l.Name, l.Why, l.Name, l.Called)
				}
			}
			if client.Value(out.Preview) {
				a.printf("%d records would be merged. Say --yes to do it.\n", out.Merged)
				return
			}
			a.printf("%d records were merged.\n", out.Merged)
		})
	})
	c.Flags().BoolVar(&yes, "yes", false, "merge them")
	c.Flags().StringVar(&into, "into", "", "merge the named people into this one, who goes by their names then; names or ids of records")
	return c
}

// samePeople says in a body which people are the same. Of another kind of records, ids are named.
func (a *app) samePeople(ctx context.Context, cl *client.Client, project, into string, others []string, body *client.DedupBody) error {
	if (into == "") != (len(others) == 0) {
		return fault.New(fault.Invalid, "Name both who stays and who is the same: chela project dedup --into \"Dana Reyes\" dreyes. The project is named with -p.")
	}
	if into == "" {
		return nil
	}
	ids := make([]string, 0, len(others)+1)
	for _, name := range append([]string{into}, others...) {
		if strings.Contains(name, "_") && !strings.ContainsAny(name, " @") {
			if _, err := cl.GetRecord(ctx, name, client.GetRecordQuery{}); err == nil {
				ids = append(ids, name)
				continue
			}
		}
		found, err := cl.ListResources(ctx, project, client.ListResourcesQuery{Filter: "name:" + query.Quoted(name)})
		if err != nil {
			return err
		}
		if len(found.Items) != 1 {
			return fault.New(fault.NotFound, "%d people of the project are called %q. Name the id of the record; `chela list resources` has it.", len(found.Items), name)
		}
		ids = append(ids, found.Items[0].ID)
	}
	body.Into, body.Records = new(ids[0]), ids[1:]
	return nil
}

func (a *app) projectExport() *cobra.Command {
	var format, file, asOf string
	c := a.inProject("export", "Write a project with all its records as JSON or as a workbook", cobra.NoArgs, func(ctx context.Context, cl *client.Client, project string, _ []string) error {
		q := url.Values{"format": {format}, "asOf": {asOf}}
		in, err := cl.Open(ctx, "/api/projects/"+project+"/export?"+q.Encode())
		if err != nil {
			return err
		}
		defer func() { _ = in.Close() }() // read to its end
		if file == "" {
			_, err = io.Copy(a.out, in)
			return err
		}
		return writeFile(file, in)
	})
	f := c.Flags()
	f.StringVar(&format, "format", "json", "json, or xlsx with a sheet for each kind of record")
	f.StringVarP(&file, "out", "o", "", "file to write; standard output when empty")
	asOfFlag(c, &asOf)
	return c
}

// writeFile writes all of in, or leaves no file behind.
func writeFile(name string, in io.Reader) error {
	out, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600) //nolint:gosec // the user names it
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "The file %s cannot be written.", name)
	}
	_, err = io.Copy(out, in)
	if closed := out.Close(); err == nil {
		err = closed
	}
	if err != nil {
		_ = os.Remove(name) // it is not whole
		return fault.Wrap(err, fault.Unavailable, "The file %s was not written to its end.", name)
	}
	return nil
}

func (a *app) projectDelete() *cobra.Command {
	var yes bool
	c := a.inProject("delete", "Delete a project with all its records; chela undo RUN brings them back", cobra.NoArgs, func(ctx context.Context, cl *client.Client, project string, _ []string) error {
		if !yes {
			counts, err := cl.Counts(ctx, project, client.CountsQuery{})
			if err != nil {
				return err
			}
			return usageError{fault.New(fault.Invalid, "This deletes %s. Say --yes to do it.", counted(counts))}
		}
		out, err := cl.DeleteProject(ctx, project)
		if err != nil {
			return err
		}
		return a.print(out, func() {
			a.printf("Deleted %s with %s. Take it back: chela undo %s\n", out.Deleted, counted(out.Took), out.RunID)
		})
	})
	c.Flags().BoolVar(&yes, "yes", false, "delete without asking")
	return c
}

// counted names how many records of each kind there are.
func counted(in map[string]int) string {
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(in)) {
		word := strings.ReplaceAll(kind, "_", " ")
		if in[kind] != 1 {
			word = strings.ReplaceAll(desk.Kind(kind).Plural(), "-", " ")
		}
		parts = append(parts, fmt.Sprintf("%d %s", in[kind], word))
	}
	if len(parts) == 0 {
		return "no records"
	}
	return strings.Join(parts, ", ")
}

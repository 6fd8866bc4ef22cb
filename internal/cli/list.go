package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/query"
)

// A page is how much of a list is asked for.
type page struct {
	limit  int
	cursor string
}

func (p *page) flags(c *cobra.Command, limit int) {
	c.Flags().IntVar(&p.limit, "limit", limit, "how many at most")
	c.Flags().StringVar(&p.cursor, "cursor", "", "go on after the page that printed this cursor")
	c.PreRunE = func(*cobra.Command, []string) error {
		if p.limit == 0 { // which a query leaves out
			return fault.BadField("limit", "A list has at least one row: say --limit 1 or more.")
		}
		return nil
	}
}

// shown says how much of a list was printed, and how to go on.
func (a *app) shown(n, total int, next string) {
	a.printf("%d of %d\n", n, total)
	if next != "" {
		a.printf("More with --cursor %s\n", next)
	}
}

// kindNamed finds the kind that a person means: "ticket", "tickets", "delta-pack".
func kindNamed(name string) (desk.Kind, error) {
	var all []string
	for _, k := range desk.Kinds() {
		if name = strings.ReplaceAll(strings.ToLower(name), "_", "-"); name == k.Plural() || name == strings.ReplaceAll(string(k), "_", "-") {
			return k, nil
		}
		all = append(all, k.Plural())
	}
	return "", fault.New(fault.Invalid, "There are no records of the kind %q. There are: %s.", name, strings.Join(all, ", "))
}

func (a *app) list() *cobra.Command {
	var filter, sort, asOf string
	var wide bool
	var p page
	c := &cobra.Command{
		Use: "list KIND", Short: "List the records of a kind: tickets, threads, objectives, resources, ...", Args: cobra.ExactArgs(1),
		Long: "Lists the records of a kind. A filter is terms that all hold: status:TODO,BLOCKED, owner:\"Joe Martinez\", points:>=3, title:~part, due:none, has:quote, words, " +
			"and times such as updated:>2w (within the last two weeks) or due:<2026-03-01; OR, NOT, - and parentheses combine them. A sort is fields with commas between them, - before one for the greatest first; without one, open tickets come first, the newest first, and other records in the order in which they were made.",
		Example: "  chela list tickets --filter 'status:BLOCKED updated:>2w' --sort -points,title",
		RunE: func(cmd *cobra.Command, args []string) error {
			kind, err := kindNamed(args[0])
			if err != nil {
				return err
			}
			cl, err := a.client()
			if err != nil {
				return err
			}
			project := ""
			if kind != desk.Project {
				if project, err = a.findProject(cmd.Context(), cl); err != nil {
					return err
				}
			} else if asOf != "" {
				return usageError{fault.New(fault.Invalid, "Projects are listed as they are now; --as-of looks into one of them.")}
			}
			q := client.RecordsQuery{Filter: filter, Sort: sort, AsOf: asOf, Limit: p.limit, Cursor: p.cursor}
			if kind.Owned() && sort == "" { // tickets, as the page has them
				q.Sort, q.Newest = "-open", true
			}
			out, err := cl.Records(cmd.Context(), project, kind, q)
			if err != nil {
				return err
			}
			return a.print(out, func() { a.items(out, kind, wide) })
		},
	}
	a.projectFlag(c)
	asOfFlag(c, &asOf)
	c.Flags().StringVarP(&filter, "filter", "f", "", "only what fits, such as 'status:BLOCKED updated:>2w'")
	c.Flags().StringVarP(&sort, "sort", "s", "", "by these fields, such as -updated,title")
	c.Flags().BoolVarP(&wide, "wide", "w", false, "cut nothing to the width of the terminal")
	p.flags(c, 50)
	return c
}

func (a *app) edit() *cobra.Command {
	var filter, set string
	var yes bool
	c := a.inProject("edit KIND", "Edit all records of a kind that fit a filter; without --yes it shows what would change", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, project string, args []string) error {
		kind, err := kindNamed(args[0])
		if err != nil {
			return err
		}
		if kind == desk.Project || !json.Valid([]byte(set)) {
			return usageError{fault.New(fault.Invalid, "Edit takes a kind of a project's records, and --set a JSON object such as {\"status\":\"DONE\"}; null clears a field.")}
		}
		out, err := cl.BulkEdit(ctx, project, kind, client.BulkBody{Filter: &filter, Set: json.RawMessage(set), Preview: new(!yes)})
		if err != nil {
			return err
		}
		names, err := senders(ctx, cl)
		if err != nil {
			return err
		}
		return a.print(out, func() { a.edited(out, names) })
	})
	c.Example = "  chela edit tickets --filter 'sprint:S7 status:TODO' --set '{\"sprint\":\"S8\"}'"
	c.Flags().StringVarP(&filter, "filter", "f", "", "which records, as for list")
	c.Flags().StringVar(&set, "set", "", "what to change, a JSON object; null clears a field")
	c.Flags().BoolVar(&yes, "yes", false, "do it")
	_, _ = c.MarkFlagRequired("filter"), c.MarkFlagRequired("set") // they are there
	return c
}

// edited shows what an edit of many changed, or would change; names are those of persons, by sender.
func (a *app) edited(out client.BulkOut, names map[string]string) {
	a.changed(client.ChangesOut{Total: len(out.Changed), Items: out.Changed}, names)
	if len(out.NewPeople) > 0 {
		a.printf("Nobody was called so until now, a person is made: %s.\n", strings.Join(out.NewPeople, ", "))
	}
	if client.Value(out.Preview) {
		a.printf("%d of %d records would change. Say --yes to do it.\n", len(out.Changed), out.Matched)
		return
	}
	a.printf("%d of %d records changed.\n", len(out.Changed), out.Matched)
}

// items prints a list in columns: what people know a record by comes first.
func (a *app) items(out client.RecordList, kind desk.Kind, wide bool) {
	t := table{columns: []column{{head: "Key"}, {head: "Title", gives: true}, {head: "Status", shade: shadeOf}}}
	if kind.Owned() { // tickets
		t.columns = append(t.columns, column{head: "Owner", gives: true}, column{head: "Due", shade: shadeDue})
	}
	for _, i := range out.Items {
		r := desk.Record{ID: i.ID, Kind: desk.Kind(i.Kind), Body: i.Body}
		s, err := desk.Summarize(r)
		if err != nil {
			s.Title = "(a newer daemon's " + i.Kind + ")"
		}
		row := []string{i.ID, s.Title, statusWord(s.Status)}
		if kind.Owned() { // tickets
			b, err := desk.Open[desk.TicketBody](r)
			if err != nil { // a newer daemon's
				b = desk.TicketBody{}
			}
			due := ""
			if b.DueDate != "" {
				due = string(desk.DateOf(b.DueDate.Time()))
				if b.Status.Open() && b.DueDate.Time().Before(time.Now().UTC().Truncate(24*time.Hour)) {
					due += " late"
				}
			}
			row[0] = cmp.Or(b.ExternalRef, i.ID)
			row = append(row, i.Owner, due)
		}
		t.rows = append(t.rows, row)
	}
	if len(t.rows) > 0 {
		a.tabulate(t, wide)
	}
	a.shown(len(out.Items), out.Total, out.Next)
}

// statusWord is a status as people read it.
func statusWord(status string) string {
	if status == string(desk.Todo) {
		return "To do"
	}
	word := strings.ToLower(strings.ReplaceAll(status, "_", " "))
	if word == "" {
		return ""
	}
	return strings.ToUpper(word[:1]) + word[1:]
}

func shadeOf(status string) int {
	switch status {
	case "Done", "Completed", "Achieved":
		return green
	case "Blocked", "Missed":
		return red
	case "In progress", "Review", "At risk":
		return yellow
	}
	return 0
}

func shadeDue(due string) int {
	if strings.HasSuffix(due, " late") {
		return red
	}
	return 0
}

func (a *app) search() *cobra.Command {
	var kinds []string
	var p page
	c := &cobra.Command{
		Use: "search WORDS", Short: "Search records of all kinds", Args: cobra.MinimumNArgs(1),
		Long:    "Finds the records that have all the words; the last may be the beginning of one. In what it prints, the words stand between » and «.",
		Example: "  chela search retry pay --kind ticket,thread",
		RunE: func(cmd *cobra.Command, args []string) error {
			q := client.SearchQuery{Q: strings.Join(args, " "), Limit: p.limit, Cursor: p.cursor}
			for _, name := range kinds {
				k, err := kindNamed(name)
				if err != nil {
					return err
				}
				q.Kind = append(q.Kind, string(k))
			}
			cl, err := a.client()
			if err != nil {
				return err
			}
			if a.project != "" {
				if q.ProjectID, err = a.findProject(cmd.Context(), cl); err != nil {
					return err
				}
			}
			out, err := cl.Search(cmd.Context(), q)
			if err != nil {
				return err
			}
			return a.print(out, func() { a.found(out) })
		},
	}
	a.projectFlag(c)
	c.Flags().Lookup("project").Usage = "project, by name or id (CHELA_PROJECT); all when empty"
	c.Flags().StringSliceVarP(&kinds, "kind", "k", nil, "only these kinds, with commas between them")
	p.flags(c, 20)
	return c
}

func (a *app) found(out client.FoundList) {
	for _, i := range out.Items {
		a.printf("%-30s  %-11s %s\n", cmp.Or(i.Key, i.ID), i.Kind, marked(i.Title))
		if slices.ContainsFunc(i.Snippet, func(p query.Part) bool { return p.Hit }) {
			a.printf("    %s\n", marked(i.Snippet))
		}
	}
	a.shown(len(out.Items), out.Total, out.Next)
}

// marked is a text of one line in which what was looked for stands out.
func marked(parts []query.Part) string {
	var b strings.Builder
	for _, p := range parts {
		if p.Hit {
			b.WriteString("»" + p.Text + "«")
		} else {
			b.WriteString(strings.ReplaceAll(p.Text, "\n", " "))
		}
	}
	return b.String()
}

package intake

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/document"
	"chela/internal/extract"
	"chela/internal/fault"
)

// mappingKey names the mapping of tables with these columns among a project's metadata.
func mappingKey(header []string) string {
	sum := sha256.Sum256([]byte(strings.ToLower(strings.Join(header, "\x00"))))
	return "import.mapping." + hex.EncodeToString(sum[:8])
}

// rememberedFor returns the mapping that a project remembers for these columns.
func rememberedFor(p desk.ProjectBody, header []string) (out map[string]string) {
	if json.Unmarshal([]byte(p.Metadata[mappingKey(header)]), &out) != nil {
		return nil
	}
	return out
}

// read reads a table with the mapping that was given, else with the one remembered, else
// as the rules find it. given says that the first was used.
func read(t document.Table, since extract.Since, p desk.ProjectBody, mapping map[string]string) (out extract.TicketTable, ok, given bool, problem string) {
	rows := make([]extract.Row, len(t.Rows))
	for i, row := range t.Rows {
		rows[i] = extract.Row(row)
	}
	for i, m := range []map[string]string{mapping, rememberedFor(p, t.Header)} {
		if m == nil {
			continue
		}
		got, err := since.Map(t.Header, rows, m)
		if err == nil {
			return got, got.Holds(), i == 0, ""
		}
		if i > 0 {
			continue
		}
		problem = fault.TextOf(err) // it is meant for another table; what it says of this one holds
		if part := fitting(t.Header, m); len(part) > 0 {
			if got, err := since.Map(t.Header, rows, part); err == nil {
				return got, got.Holds(), false, problem
			}
		}
	}
	out, ok = since.Tickets(t.Header, rows)
	return out, ok, false, problem
}

// fitting is what of a mapping a table has the columns of.
func fitting(header []string, mapping map[string]string) map[string]string {
	out := maps.Clone(mapping)
	maps.DeleteFunc(out, func(f, name string) bool { return extract.Misnamed(header, map[string]string{f: name}) != nil })
	return out
}

// table reads a table of the document; a mapping that a person gave is remembered.
func (r *recorder) table(t document.Table) (extract.TicketTable, bool, error) {
	project, err := r.w.Get(desk.Project, r.p.s.Run.Project)
	if err != nil {
		return extract.TicketTable{}, false, err
	}
	body, err := desk.Open[desk.ProjectBody](project)
	if err != nil {
		return extract.TicketTable{}, false, err
	}
	out, ok, given, problem := read(t, since(r.src, t, r.p.s.Run.CreatedAt), body, r.p.mapping)
	if problem != "" {
		r.problem(r.src.doc.Name + sheet(t.Sheet) + ": " + problem)
	}
	if !given {
		return out, ok, nil
	}
	raw, err := json.Marshal(r.p.mapping)
	if err != nil {
		return out, ok, fmt.Errorf("encode the mapping: %w", err)
	}
	_, err = clerk.Edit(r.w, desk.Project, project.ID, func(b *desk.ProjectBody) {
		kept := map[string]string{mappingKey(t.Header): string(raw)}
		for k, v := range b.Metadata {
			if _, is := kept[k]; !is {
				kept[k] = v
			}
		}
		b.Metadata = kept
	})
	return out, ok, err
}

// misnamed refuses a mapping that names a field that does not exist, or a column that none of the tables has. Where one of them has all that it
// names, it is meant for that one.
func misnamed(sources []source, mapping map[string]string) error {
	fields := make(map[string]string, len(mapping))
	for f := range mapping {
		fields[f] = ""
	}
	if err := extract.Misnamed(nil, fields); err != nil {
		return err
	}
	var first error
	for _, s := range sources {
		for _, t := range s.Tables {
			err := extract.Misnamed(t.Header, mapping)
			if err == nil {
				return nil
			}
			if first == nil {
				first = err
			}
		}
	}
	return first
}

// mapped refuses content whose mapping fits none of its tables, before anything is taken in.
func (in *Intake) mapped(ctx context.Context, c content) error {
	if len(c.Mapping) == 0 {
		return nil
	}
	done, err := in.parse(ctx, c)
	if err != nil {
		return err
	}
	defer done()
	sources, _, err := in.documents(c) // what cannot be read the import says
	if err != nil {
		return err
	}
	return misnamed(sources, c.Mapping)
}

// unknown says why a table is not read as tickets, and what its columns are.
func unknown(document string, t document.Table, mapping map[string]string) string {
	var names []string
	for _, h := range t.Header[:min(len(t.Header), 12)] {
		names = append(names, clipped(h, 60))
	}
	name, columns := document+sheet(t.Sheet), strings.Join(names, ", ")
	switch {
	case len(t.Rows) == 0:
		return fmt.Sprintf("%s holds a header and no rows: %s.", name, columns)
	case mapping["title"] == "":
		return fmt.Sprintf("%s is not read as tickets, for no column is known to hold their titles: its columns are %s. Name the one that does to import it.", name, columns)
	}
	return fmt.Sprintf("%s is no tracker's export that rules know: its columns are %s.", name, columns)
}

// A Preview says what importing a file would do.
type Preview struct {
	Tables   []TablePreview `json:"tables"`
	Absent   Absent         `json:"absent"` // open tickets that an earlier export brought and the tables do not name
	Fields   []string       `json:"fields"` // that a mapping may name
	Problems []string       `json:"problems"`
}

// A TablePreview is one table of the file.
type TablePreview struct {
	Document string            `json:"document"`
	Sheet    string            `json:"sheet,omitempty"`
	Source   extract.Source    `json:"source,omitempty" doc:"the tracker; roster for a table of people"`
	Columns  []string          `json:"columns"`
	Mapping  map[string]string `json:"mapping"` // field → column
	Unread   []string          `json:"unread"`  // columns that are in no field
	Known    bool              `json:"known"`   // it is read as a tracker's export, or as a roster
	New      int               `json:"new"`
	Changed  int               `json:"changed"`
	Same     int               `json:"same"`
	Earlier  int               `json:"earlier"` // of Changed: tickets that a table before this one brings
	Asked    int               `json:"asked"`   // fields that a person has to decide, for both were changed
	Differs  []Differing       `json:"differs"` // the first of what is changed, field by field
	Sample   []Sample          `json:"sample"`  // the first rows
	Problems []string          `json:"problems"`
}

// A Sample is how a row is read.
type Sample struct {
	Line   int       `json:"line"`
	Ref    string    `json:"ref,omitempty"`
	Title  string    `json:"title"`
	Status string    `json:"status"`
	Owner  string    `json:"owner,omitempty"`
	Role   string    `json:"role,omitempty" doc:"of a person"`
	Points *float64  `json:"storyPoints,omitempty"`
	Due    desk.Date `json:"dueDate,omitempty"`
}

// Preview reads a file as an import would, and records nothing.
func (in *Intake) Preview(ctx context.Context, project string, f File, mapping map[string]string) (Preview, error) {
	out := Preview{Tables: []TablePreview{}, Fields: extract.Fields(), Problems: []string{}}
	store := in.clerk.Store()
	r, err := store.Record(ctx, project)
	if err != nil || r.Kind != desk.Project || r.Deleted {
		return out, fault.New(fault.NotFound, "The project %s does not exist.", project)
	}
	body, err := desk.Open[desk.ProjectBody](r)
	if err != nil {
		return out, err
	}
	there, err := stockOf(ctx, store, project, func(desk.Record, []desk.Source) bool { return false })
	if err != nil {
		return out, err
	}
	sources, problems := doc{Name: f.Name}.read(f.Data)
	if err := misnamed(sources, mapping); err != nil {
		return out, err
	}
	out.Problems = append(out.Problems, problems...)
	for i, s := range sources {
		for j, t := range s.Tables {
			last := i == len(sources)-1 && j == len(s.Tables)-1
			p, err := previewOf(s, t, since(s, t, store.Mint().Now()), body, mapping, there, last)
			if err != nil {
				return out, err
			}
			out.Tables = append(out.Tables, p)
		}
	}
	out.Absent, err = there.absent()
	return out, err
}

// samples is how many rows a preview shows.
const samples = 5

func previewOf(s source, t document.Table, since extract.Since, p desk.ProjectBody, mapping map[string]string, there *stock, last bool) (TablePreview, error) {
	if people, is := rosterOf(t, p, mapping); is {
		return there.previewOf(s, t, people)
	}
	read, ok, _, problem := read(t, since, p, mapping)
	out := TablePreview{
		Document: s.doc.Name, Sheet: t.Sheet, Source: read.Source, Columns: t.Header, Mapping: read.Mapping, Unread: append([]string{}, read.Unread...), Known: ok,
		Differs: []Differing{}, Sample: []Sample{}, Problems: append([]string{}, read.Problems...),
	}
	if problem != "" {
		out.Problems = append(out.Problems, problem)
	}
	if !ok {
		out.Problems = append(out.Problems, unknown(s.doc.Name, t, read.Mapping))
		return out, nil
	}
	tallied, err := there.tallied(&read)
	if err != nil {
		return out, err
	}
	if tallied != "" {
		out.Mapping, out.Unread, out.Problems = read.Mapping, append([]string{}, read.Unread...), append(append([]string{}, read.Problems...), tallied)
	}
	there.rekey(&read)
	there.rename(&read)
	for _, row := range read.Tickets[:min(len(read.Tickets), samples)] {
		out.Sample = append(out.Sample, Sample{row.Span.Line, row.Ref, row.Title, row.Status, row.Owner, "", row.Points, day(row.Due)})
	}
	known := newExport(read, t.Sheet)
	found, err := there.compare(known)
	if err != nil {
		return out, err
	}
	out.New, out.Same, out.Changed, out.Earlier, out.Asked, out.Problems = found.New, found.Same, found.Changed, found.Earlier, found.Conflicts, append(append(out.Problems, slices.DeleteFunc([]string{found.Repeated}, blank)...), found.Problems...)
	for _, d := range found.First {
		for i, f := range d.Fields {
			d.Fields[i].Before, d.Fields[i].After = differing(f.Before, f.After)
		}
		out.Differs = append(out.Differs, d)
	}
	if last {
		return out, nil
	}
	return out, there.take(known)
}

package store

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"chela/internal/artifact"
	"chela/internal/backup"
	"chela/internal/event"
)

// carried are the operational tables that a backup holds: nothing gives their rows again.
var carried = []string{ //nolint:gochecknoglobals // a table
	"access_tokens", "budget_reservations", "channel_marks", "log_cursors", "log_signatures", "mcp_looks", "run_claims", "vault", "webhook_progress",
}

// left are the operational tables that a backup does not hold, and why.
var left = map[string]string{ //nolint:gochecknoglobals // a table
	"nodes":               "daemons say themselves that they are there",
	"recall_vectors":      "an index that is made anew",
	"recall_vector_state": "of that index",
	"schema_versions":     "of the database itself",
	"tracker_looks":       "the log gives its rows again; each tracker is looked at anew",
	"secrets":             "what was kept in clear before there was a vault; a daemon seals it at its start, so it is empty",
}

// A Snapshot reads what was recorded at one moment.
type Snapshot struct{ query look }

// Snapshot calls fn with what is recorded now. While fn reads, others write, and it does not see that.
func (a Audit) Snapshot(ctx context.Context, fn func(*Snapshot) error) error {
	return a.db.Backend.Snapshot(ctx, func(query func(string, ...any) (Rows, error)) error { return fn(&Snapshot{query}) })
}

// Schema is the number of the last step of the schema that the database has.
func (s *Snapshot) Schema() (int64, error) { return schemaOf(s.query) }

func schemaOf(query look) (n int64, err error) {
	rows, err := query("SELECT coalesce(max(version_id), 0) FROM schema_versions")
	if err != nil {
		return 0, fmt.Errorf("read the schema's steps: %w", err)
	}
	return n, scanOne(rows, []any{&n})
}

// Held is what a snapshot put into a backup.
type Held struct {
	Events, Streams int64
	End             event.Seq // the position of the last event
	// Artifacts are those that events mention; true are those that they rest on.
	Artifacts map[artifact.Sum]bool
}

// Write puts the log, and the tables that are no projection of it, into a backup.
func (s *Snapshot) Write(w *backup.Writer) (Held, error) {
	for _, t := range carried {
		if err := s.table(w, t); err != nil {
			return Held{}, fmt.Errorf("put %s into the backup: %w", t, err)
		}
	}
	out, err := s.log(w)
	if err != nil {
		return out, fmt.Errorf("put the log into the backup: %w", err)
	}
	return out, w.EndRows()
}

func (s *Snapshot) table(w *backup.Writer, name string) error {
	i := slices.IndexFunc(Tables(), func(t Table) bool { return t.Name == name })
	rows, err := s.query("SELECT * FROM " + name + " ORDER BY " + Tables()[i].Order)
	if err != nil {
		return err
	}
	columns, err := rows.Columns()
	if err == nil {
		err = w.Table(name, columns)
	}
	if err != nil {
		_ = rows.Close() // they were not read
		return err
	}
	named := slices.Index(columns, "name")
	return eachRow(rows, len(columns), func(row []any) error {
		if name == "log_cursors" && ownCursor(row[named]) {
			return nil
		}
		return w.Row(row)
	})
}

// eachRow calls fn with the values of each row. Those of another row lie in the same place.
func eachRow(rows Rows, n int, fn func([]any) error) error {
	values, into := make([]any, n), make([]any, n)
	for i := range values {
		into[i] = &values[i]
	}
	return each(rows, func(scan func(...any) error) error {
		if err := scan(into...); err != nil {
			return err
		}
		return fn(values)
	})
}

func (s *Snapshot) log(w *backup.Writer) (Held, error) {
	out := Held{Artifacts: make(map[artifact.Sum]bool)}
	if err := w.Table("", eventColumns()); err != nil {
		return out, err
	}
	rows, err := logTable{s.query}.whole()
	if err != nil {
		return out, err
	}
	return out, eachRow(rows, len(eventColumns()), func(values []any) error {
		row := rowOfEvent(values)
		out.Events++
		if row.first() {
			out.Streams++
		}
		out.End = event.Seq(row.number("seq"))
		for _, text := range []string{row.text("payload"), row.text("extra")} {
			artifact.Mentioned(text, func(s artifact.Sum) {
				if _, known := out.Artifacts[s]; !known {
					out.Artifacts[s] = false
				}
			})
		}
		rests(row.text("payload"), out.Artifacts)
		return w.Row(values)
	})
}

// rests notes the artifacts that a payload rests on.
func rests(payload string, in map[artifact.Sum]bool) {
	for _, ref := range artifact.Named([]byte(payload)) {
		if s, ok := ref.Sum(); ok {
			in[s] = true
		}
	}
}

// Sorted are the artifacts in the order of their names.
func (h Held) Sorted() []artifact.Sum {
	out := make([]artifact.Sum, 0, len(h.Artifacts))
	for s := range h.Artifacts {
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b artifact.Sum) int { return bytes.Compare(a[:], b[:]) })
	return out
}

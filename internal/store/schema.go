package store

import (
	"context"
	"fmt"
	"slices"

	"chela/internal/event"
)

// A Class says what a table is.
type Class string

// The classes of tables.
const (
	TheLog      Class = "log"         // the events and where their streams stand
	Projection  Class = "projection"  // written by the projector alone, rebuilt from the log
	Shadow      Class = "shadow"      // kept by the database itself for a projection
	Operational Class = "operational" // not the record of anything: claims, logins, cursors
)

// Tables says of every table of ours what it is and by what its rows are ordered
// when two states are compared. A test fails on a table that is not listed.
func Tables() []Table { return slices.Concat(whatIsRecorded(), whatWorks(), whatIsKept()) }

// whatIsRecorded are the log, the records, what is remembered and what was said.
func whatIsRecorded() []Table {
	return []Table{
		{eventTable, TheLog, ""},
		{streamTable, TheLog, ""},
		{"log_cursors", Operational, "name"},
		{"channel_marks", Operational, "channel"},
		{"log_signatures", Operational, "at"},
		{"desk_records", Projection, "id"},
		{"desk_refs", Projection, "from_id, field, to_id"},
		{"desk_changes", Projection, "record, version"},
		{"desk_lists", Projection, "list, seq"},
		{"desk_values", Projection, "list, field, value, seq, source"},
		{"desk_counts", Projection, "project, kind, status"},
		{"desk_earlier", Projection, "id, to_seq"},
		{"desk_earlier_refs", Projection, "from_id, field, to_id, to_seq"},
		{"desk_earlier_values", Projection, "list, field, value, seq, source, to_seq"},
		{"desk_search", Projection, "id"},
		{"desk_search_config", Shadow, ""}, // SQLite's
		{"desk_search_content", Shadow, ""},
		{"desk_search_data", Shadow, ""},
		{"desk_search_idx", Shadow, ""},
		{"recall_passages", Projection, "n"},
		{"recall_search", Projection, "id"},
		{"recall_search_config", Shadow, ""}, // SQLite's
		{"recall_search_content", Shadow, ""},
		{"recall_search_data", Shadow, ""},
		{"recall_search_docsize", Shadow, ""},
		{"recall_search_idx", Shadow, ""},
		{"recall_terms", Shadow, ""},
		{"recall_vectors", Operational, "n"}, // an index that can be made anew
		{"recall_vector_state", Operational, "id"},
		{"memory_notes", Projection, "id"},
		{"sessions", Projection, "thread_id"},
		{"session_reads", Projection, "thread_id, person"},
		{"messages", Projection, "seq"},
		{"session_held", Projection, "id"},
		{"session_compactions", Projection, "seq"},
	}
}

// whatWorks are runs, and what people and programs are and may.
func whatWorks() []Table {
	return []Table{
		{"runs", Projection, "id"},
		{"tasks", Projection, "id"},
		{"run_steps", Projection, "run_id, step"},
		{"model_calls", Projection, "seq"},
		{"approvals", Projection, "id"},
		{"allowances", Projection, "id"},
		{"budgets", Projection, "id"},
		{"budget_reservations", Operational, "run_id, step"},
		{"org_agents", Projection, "id"},
		{"org_persons", Projection, "id"},
		{"org_identities", Projection, "identity"},
		{"program_keys", Projection, "id"},
		{"mcp_servers", Projection, "name"},
		{"mcp_tasks", Projection, "id"},
		{"mcp_looks", Operational, "id"},
		{"worker_tasks", Projection, "id"},
		{"skills", Projection, "name"},
		{"org_layouts", Projection, "person, name"},
		{"org_font_sizes", Projection, "person"},
		{"org_tours", Projection, "person"},
		{"notifications", Projection, "id"},
		{"notification_preferences", Projection, "person"},
	}
}

// whatIsKept is what comes from and goes to others, what begins by itself, and what is no record.
func whatIsKept() []Table {
	return []Table{
		{"channel_options", Projection, "name"},
		{"channel_pairing_requests", Projection, "channel, sender"},
		{"channel_deliveries", Projection, "id"},
		{"channel_parts", Projection, "channel, chat, platform_id"},
		{"channel_drafts", Projection, "run_id, number"},
		{"webhook_endpoints", Projection, "id"},
		{"webhook_failures", Projection, "id"},
		{"webhook_incoming", Projection, "name"},
		{"webhook_progress", Operational, "endpoint"},
		{"trackers", Projection, "name"},
		{"tracker_looks", Operational, "name"},
		{"schedules", Projection, "id"},
		{"executions", Projection, "id"},
		{"execution_attempts", Projection, "execution_id, attempt"},
		{"workflow_versions", Projection, "slug, version"},
		{"workflow_payloads", Projection, "name, revision"},
		{"workflow_drafts", Projection, "slug"},
		{"workflow_edits", Projection, "slug, revision"},
		{"workflow_plans", Projection, "id"},
		{"workflow_instances", Projection, "run_id"},
		{"workflow_trigger_failures", Projection, "seq"},
		{"workflow_steps", Projection, "run_id, path"},
		{"workflow_waits", Projection, "run_id, path"},
		{"workflow_reviews", Projection, "run_id, path"},
		{"workflow_evidence", Projection, "seq"},
		{"run_outside", Projection, "seq"},
		{"router_sessions", Projection, "thread_id, person"},
		{"router_plans", Projection, "run_id"},
		{"router_examples", Projection, "seq"},
		{"run_claims", Operational, "run_id"},
		{"nodes", Operational, "id"},
		{"access_tokens", Operational, "hash"},
		{"secrets", Operational, "name"}, // what was kept in clear before there was a vault; empty since
		{"vault", Operational, "name"},
		{"schema_versions", Operational, "id"},
	}
}

// A Table is one table of ours.
type Table struct {
	Name  string
	Class Class
	Order string
}

// A State is what a projection table holds: how many rows, and a digest over them.
type State struct {
	Table  string `json:"table"`
	Rows   int    `json:"rows"`
	Digest string `json:"digest"`
}

// A Rebuilt says what a rebuild found.
type Rebuilt struct {
	Events int     `json:"events"`
	Before []State `json:"before"`
	After  []State `json:"after"`
}

// Different lists the tables that the log does not give again as they were.
func (r Rebuilt) Different() []string {
	var out []string
	for i, b := range r.Before {
		if r.After[i] != b {
			out = append(out, b.Table)
		}
	}
	return out
}

// Rebuild empties every projection, replays the log, and compares. It is one
// transaction: readers see the state before or the state after. Nothing else may
// write meanwhile.
func (db *DB) Rebuild(ctx context.Context) (Rebuilt, error) {
	var out Rebuilt
	err := db.Write(ctx, func(tx *Tx) (err error) {
		if err := tx.indexAllSaid(); err != nil {
			return err
		}
		before, err := tx.states()
		if err != nil {
			return err
		}
		if out, err = tx.rebuild(); err != nil {
			return err
		}
		out.Before = before
		out.After, err = tx.states()
		return err
	})
	return out, err
}

// rebuild empties every projection and replays the log.
func (tx *Tx) rebuild() (out Rebuilt, err error) {
	for _, t := range Tables() {
		if t.Class == Projection {
			if err := tx.do("DELETE FROM " + t.Name); err != nil {
				return out, fmt.Errorf("empty %s: %w", t.Name, err)
			}
		}
	}
	if err := tx.forgetVectors(); err != nil {
		return out, fmt.Errorf("forget vectors: %w", err)
	}
	if err := tx.SetCursor(saidCursor, 0); err != nil {
		return out, err
	}
	if out.Events, err = tx.replay(); err != nil {
		return out, err
	}
	if err := tx.indexAllSaid(); err != nil {
		return out, err
	}
	rows, err := tx.rowsKept()
	if err != nil {
		return out, err
	}
	for _, s := range slices.Concat(rows, tx.countsKept()) {
		if err := tx.do(s.SQL, s.Args...); err != nil {
			return out, fmt.Errorf("keep the counts: %w", err)
		}
	}
	return out, nil
}

func (tx *Tx) replay() (int, error) {
	n, after := 0, event.Seq(0)
	for {
		batch, err := tx.rows().read(recordedAfter(after))
		if err != nil {
			return n, err
		}
		if len(batch) == 0 {
			return n, nil
		}
		for _, s := range batch {
			if err := tx.project(s.Event); err != nil {
				return n, fmt.Errorf("project event %d (%s): %w", s.Seq, s.Message.Type, err)
			}
		}
		n, after = n+len(batch), batch[len(batch)-1].Seq
	}
}

// states digests every projection table.
func (tx *Tx) states() ([]State, error) {
	var out []State
	for _, t := range Tables() {
		if t.Class != Projection {
			continue
		}
		s, err := tx.state(t)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", t.Name, err)
		}
		out = append(out, s)
	}
	return out, nil
}

func (tx *Tx) state(t Table) (State, error) {
	rows, err := tx.query("SELECT * FROM " + t.Name + " ORDER BY " + t.Order)
	if err != nil {
		return State{}, err
	}
	columns, err := rows.Columns()
	if err != nil {
		return State{}, err
	}
	values := make([]any, len(columns))
	into := make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	d := newDigest()
	n := 0
	err = each(rows, func(scan func(...any) error) error {
		if err := scan(into...); err != nil {
			return err
		}
		n++
		d.row(values)
		return nil
	})
	return State{Table: t.Name, Rows: n, Digest: d.sum()}, err
}

// TableNames returns the tables that are really there, ours and a library's.
func (db *DB) TableNames(ctx context.Context) ([]string, error) {
	query := "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
	if db.Name() == "postgres" {
		query = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
	}
	rows, err := db.Query(ctx, query)
	if err != nil {
		return nil, err
	}
	out, err := all(rows, func(scan func(...any) error) (name string, err error) { return name, scan(&name) })
	slices.Sort(out)
	return out, err
}

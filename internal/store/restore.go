package store

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"chela/internal/event"
	"chela/internal/fault"
)

// restoring names the row of a database into which a backup is being brought back. While it is there, the database is not whole.
const restoring = "restore"

// restored names the row of a database into which a backup was brought back. It says by which restore.
const restored = "restored"

// Unfinished refuses a database into which a backup was brought back in part.
func (db *DB) Unfinished(ctx context.Context) error {
	at, err := db.Log.Cursor(ctx, restoring)
	if err != nil || at == 0 {
		return err
	}
	return fault.New(fault.Conflict, "A backup was being brought back into this database and is not there whole. Run `chela restore` again, with the same file; it begins anew.")
}

// RestoredBy reports whether a restore brought all back into this database, by its [Restoring.Mark].
func (db *DB) RestoredBy(ctx context.Context, mark event.Seq) (bool, error) {
	at, err := db.Log.Cursor(ctx, restored)
	return err == nil && at == mark && mark > 0, err
}

// Mark tells a restore from all others.
func (r *Restoring) Mark() event.Seq { return r.mark }

// A Restoring brings a backup back into a database, portion by portion. What it writes counts when [Restoring.End] has returned.
type Restoring struct {
	db   *DB
	mark event.Seq // says that it is this one
	end  event.Seq
}

// Restore begins to bring a backup back. The database has to be empty, or that of a restore that did not end, of which nothing stays.
// schema is that of the backup.
func (db *DB) Restore(ctx context.Context, schema int64) (*Restoring, error) {
	have, err := schemaOf(db.look(ctx))
	if err != nil {
		return nil, err
	}
	if schema > have {
		return nil, fault.New(fault.Conflict, "The backup is of a database with schema %d, this program knows up to %d. Use the newer Chela that made it.", schema, have)
	}
	r := &Restoring{db: db, mark: newMark()}
	return r, db.Write(ctx, func(tx *Tx) error {
		tx.Hold(event.OrgStream)
		began, err := tx.Cursor(restoring)
		if err != nil {
			return err
		}
		if began > 0 {
			err = tx.emptied()
		} else {
			err = tx.isEmpty()
		}
		if err != nil {
			return err
		}
		return tx.SetCursor(restoring, r.mark)
	})
}

func newMark() event.Seq {
	var raw [8]byte
	_, _ = rand.Read(raw[:]) // never fails
	return event.Seq(binary.LittleEndian.Uint64(raw[:])>>2) + 1
}

// othersCursors are the readers in log_cursors that are not of the database itself.
const othersCursors = " WHERE name NOT LIKE 'desk_lists:%' AND name <> '" + saidCursor + "'"

// fillable calls fn with each table that is empty in a new database, and which of its rows count.
func fillable(fn func(table, where string) error) error {
	for _, t := range Tables() {
		where := ""
		switch {
		case t.Class == Shadow, t.Name == "schema_versions", t.Name == "recall_vector_state":
			continue
		case t.Name == "log_cursors":
			where = othersCursors
		}
		if err := fn(t.Name, where); err != nil {
			return fmt.Errorf("look into %s: %w", t.Name, err)
		}
	}
	return nil
}

// isEmpty refuses a database in which anything is recorded.
func (tx *Tx) isEmpty() error {
	return fillable(func(table, where string) error {
		var some bool
		err := tx.row("SELECT EXISTS (SELECT 1 FROM "+table+where+")", nil, &some)
		if err == nil && some {
			err = fault.New(fault.Conflict, "The database is not empty. A backup is brought back into an empty one alone: name another.")
		}
		return err
	})
}

// emptied takes out all that is recorded.
func (tx *Tx) emptied() error {
	if err := fillable(func(table, where string) error { return tx.do("DELETE FROM " + table + where) }); err != nil {
		return err
	}
	if err := tx.forgetVectors(); err != nil {
		return fmt.Errorf("forget vectors: %w", err)
	}
	return tx.SetCursor(saidCursor, 0)
}

// Rows brings a portion of the rows of a table back, or of the log, whose name is "", with what follows from its events.
func (r *Restoring) Rows(ctx context.Context, table string, columns []string, rows [][]any) error {
	return r.write(ctx, func(tx *Tx) error {
		if table != "" {
			return tx.bring(table, columns, rows)
		}
		return r.events(tx, columns, rows)
	})
}

// write runs fn in a transaction, unless another restore has begun in this database.
func (r *Restoring) write(ctx context.Context, fn func(*Tx) error) error {
	return r.db.Write(ctx, func(tx *Tx) error {
		tx.Hold(event.OrgStream)
		if now, err := tx.Cursor(restoring); err != nil || now != r.mark {
			if err != nil {
				return err
			}
			return fault.New(fault.Conflict, "Another `chela restore` has begun in this database meanwhile.")
		}
		return fn(tx)
	})
}

// bring inserts rows of a table that a backup carries.
func (tx *Tx) bring(table string, columns []string, rows [][]any) error {
	if !slices.Contains(carried, table) {
		return fault.New(fault.Invalid, "The backup holds rows of %s, which no backup of this Chela has.", table)
	}
	have, err := tx.query("SELECT * FROM " + table + limited(1))
	if err != nil {
		return err
	}
	known, err := have.Columns()
	if err := cmpClose(have, err); err != nil {
		return err
	}
	for _, c := range columns {
		if !slices.Contains(known, c) {
			return fault.New(fault.Invalid, "The backup holds the column %s of %s, which this Chela does not know.", c, table)
		}
	}
	into, row := "INSERT INTO "+table+" ("+strings.Join(columns, ", ")+") VALUES ", "("+marks(len(columns))+")"
	name := slices.Index(columns, "name")
	for _, values := range rows {
		if table == "log_cursors" && name >= 0 && ownCursor(values[name]) {
			continue
		}
		if err := tx.do(into+row, values...); err != nil {
			return fmt.Errorf("bring %s back: %w", table, err)
		}
	}
	return nil
}

func cmpClose(rows Rows, err error) error {
	if closed := rows.Close(); err == nil {
		err = closed
	}
	return err
}

// ownCursor reports whether a reader is one of the database itself, which stands where its tables are.
func ownCursor(name any) bool {
	s, _ := name.(string)
	return s == restoring || s == restored || s == saidCursor || strings.HasPrefix(s, "desk_lists:")
}

// events puts events into the log as they were, and projects them.
func (r *Restoring) events(tx *Tx, columns []string, rows [][]any) error {
	if !slices.Equal(columns, eventColumns()) {
		return fault.New(fault.Invalid, "The backup holds a log with the columns %v, not those of this Chela.", columns)
	}
	moved := make(map[string]Head)
	batch := make([]event.Event, 0, len(rows))
	for _, row := range rows {
		e, err := storedOf(row)
		if err != nil {
			return fault.Wrap(err, fault.Invalid, "An event of the backup cannot be read.")
		}
		batch, moved[e.Stream] = append(batch, e.Event), Head{e.StreamSeq, e.Hash}
	}
	for _, s := range headsKept(insertRows(nil, rows), batch, moved) {
		if err := tx.do(s.SQL, s.Args...); err != nil {
			return err
		}
	}
	for _, e := range batch {
		if err := tx.project(e); err != nil {
			return fmt.Errorf("project event %d (%s): %w", e.Seq, e.Message.Type, err)
		}
	}
	r.end = batch[len(batch)-1].Seq
	return nil
}

// End makes what was brought back count.
func (r *Restoring) End(ctx context.Context) error {
	if err := r.db.Recall.IndexSaid(ctx); err != nil {
		return err
	}
	return r.write(ctx, func(tx *Tx) error {
		if err := tx.do("DELETE FROM log_cursors WHERE name = ?", restoring); err != nil {
			return err
		}
		if err := tx.SetCursor(restored, r.mark); err != nil {
			return err
		}
		if err := tx.await(); err != nil {
			return err
		}
		return tx.db.Backend.Reached(tx.ctx, tx.conn, r.end)
	})
}

package store

import (
	"database/sql"
	"errors"

	"chela/internal/desk"
	"chela/internal/event"
)

// A standingRow is a record as it stands, and where in the log that began.
type standingRow struct {
	recordRow
	since int64
}

// standing reads a record as the transaction left it; it is zero when there is none.
func (tx *Tx) standing(id string) (standingRow, error) {
	if r, ok := tx.made[id]; ok {
		return r, nil
	}
	if r, ok := tx.stood[id]; ok {
		return r, nil
	}
	if ids := tx.changesNext(); len(ids) >= fewRead {
		err := tx.readAhead(ids)
		return tx.stood[id], err
	}
	rows, err := tx.query("SELECT "+recordFields+", r.since FROM desk_records r WHERE r.id = ?", id)
	if err != nil {
		return standingRow{}, err
	}
	out, err := first(rows, func(scan func(...any) error) (s standingRow, err error) {
		s.recordRow, err = scanRecordAnd(scan, &s.since)
		return s, err
	})
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return out, err
}

// Records that a transaction changes are read together where it changes that many, so many at once: a look has the database write
// first what waits.
const (
	fewRead  = 8
	mostRead = 500
)

// changesNext are the records that the next events change and that are not read yet.
func (tx *Tx) changesNext() []string {
	var out []string
	seen := make(map[string]bool)
	for _, d := range tx.to[:min(len(tx.to), mostRead)] {
		c, ok, err := desk.ChangeOf(event.Event{Message: d.Message})
		if err != nil || !ok || c.Op == desk.Created || seen[c.ID] {
			continue
		}
		seen[c.ID] = true
		_, made := tx.made[c.ID]
		if _, stood := tx.stood[c.ID]; !made && !stood {
			out = append(out, c.ID)
		}
	}
	return out
}

// readAhead reads records that the transaction changes. They are kept as it leaves them until the next are read.
func (tx *Tx) readAhead(ids []string) error {
	tx.stood = make(map[string]standingRow, len(ids))
	rows, err := tx.query(Once+"SELECT "+recordFields+", r.since FROM desk_records r WHERE r.id IN ("+marks(len(ids))+")", anys(ids)...)
	if err != nil {
		return err
	}
	return each(rows, func(scan func(...any) error) error {
		var s standingRow
		var err error
		if s.recordRow, err = scanRecordAnd(scan, &s.since); err == nil {
			tx.stood[s.ID] = s
		}
		return err
	})
}

// keepMade keeps a record that the transaction made: its event goes to the database at the end.
func (tx *Tx) keepMade(c revised) {
	if _, ok := tx.stood[c.after.ID]; ok {
		tx.stood[c.after.ID] = standingRow{recordRow{c.after, c.seq}, c.at}
	}
	if len(tx.fresh) == 0 || c.seq < int64(tx.fresh[0].Seq) {
		return
	}
	if tx.made == nil {
		tx.made = make(map[string]standingRow)
	}
	tx.made[c.after.ID] = standingRow{recordRow{c.after, c.seq}, c.at}
}

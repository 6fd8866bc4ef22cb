package store

import (
	"slices"
	"strings"

	"chela/internal/desk"
)

// A revised is one change of a record, as tables are written from it.
type revised struct {
	before, after desk.Record // before is zero when the change made the record
	was, is       desk.Thing  // their bodies; was is nil when there is none before
	seq           int64       // of the event that made the record
	since, at     int64       // of the event that made before, and of this one
	said          []byte      // the payload of this one
}

// earlierColumns are those of desk_earlier.
var earlierColumns = func() []string { //nolint:gochecknoglobals // a table
	out := []string{"from_seq", "to_seq", "identity", "title", "status"}
	for _, c := range recordColumns {
		out = append(out, strings.TrimPrefix(c, "r."))
	}
	out = append(out, "list")
	for _, c := range listColumns {
		if !slices.Contains(out, c) && c != "since" {
			out = append(out, c)
		}
	}
	return out
}()

// insertEarlier adds a row to desk_earlier.
var insertEarlier = "INSERT INTO desk_earlier (" + strings.Join(earlierColumns, ", ") + ") VALUES (" + marks(len(earlierColumns)) + ")" //nolint:gochecknoglobals // a statement

// keepEarlier keeps a record as it was before a change, with its narrow row.
func (tx *Tx) keepEarlier(c revised, was listed) error {
	if c.before.ID == "" {
		return nil
	}
	b, s, list := c.before, desk.SummaryOf(c.was), int64(0)
	if was.there && !b.Kind.Association() {
		list = listOf(b.Project, b.Kind)
	}
	args := append(make([]any, 0, len(earlierColumns)), c.since, c.at, s.Identity, s.Title, s.Status,
		b.ID, string(b.Kind), b.Project, b.Version, flag(b.Deleted), b.MergedInto, micros(b.CreatedAt), micros(b.UpdatedAt), b.CreatedBy, b.UpdatedBy, flag(b.Outside), string(b.Body), c.seq, list)
	args = append(args, was.row.Numbers[:]...)
	return tx.do(insertEarlier, append(args, was.row.Texts[:desk.NarrowTexts-1]...)...)
}

// refsOf are what a record refers to; one that was deleted refers to nothing.
func refsOf(r desk.Record, t desk.Thing) []desk.Ref {
	if r.ID == "" || r.Deleted {
		return nil
	}
	return desk.SummaryOf(t).Refs
}

// projectRefs writes what a record refers to, as far as that is different from before.
func (tx *Tx) projectRefs(c revised) error {
	was, is := refsOf(c.before, c.was), refsOf(c.after, c.is)
	for _, ref := range was {
		if slices.Contains(is, ref) {
			continue
		}
		const one = " FROM desk_refs WHERE from_id = ? AND field = ? AND to_id || '' = ?" // else PostgreSQL goes through all that refer to it
		if err := tx.do("INSERT INTO desk_earlier_refs (from_id, field, to_id, from_seq, to_seq) SELECT from_id, field, to_id, since, CAST(? AS BIGINT)"+one, c.at, c.after.ID, ref.Field, ref.ID); err != nil {
			return err
		}
		if err := tx.do("DELETE"+one, c.after.ID, ref.Field, ref.ID); err != nil {
			return err
		}
	}
	for _, ref := range is {
		if slices.Contains(was, ref) {
			continue
		}
		if err := tx.do("INSERT INTO desk_refs (from_id, field, to_id, since) VALUES (?,?,?,?)", c.after.ID, ref.Field, ref.ID, c.at); err != nil {
			return err
		}
	}
	return nil
}

// dropValue takes a value out of desk_values and keeps that it was there.
func (tx *Tx) dropValue(at int64, where string, args ...any) error {
	if err := tx.do("INSERT INTO desk_earlier_values (list, field, value, seq, source, from_seq, to_seq) SELECT list, field, value, seq, source, since, CAST(? AS BIGINT) FROM desk_values WHERE "+where, append([]any{at}, args...)...); err != nil {
		return err
	}
	return tx.do("DELETE FROM desk_values WHERE "+where, args...)
}

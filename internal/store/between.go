package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"chela/internal/clerk"
	"chela/internal/desk"
)

// An arm is one of the two tables that records at To are in.
type arm struct {
	table, index, where string
	args                []any
}

// from is the table, of which SQLite is told the index.
func (a arm) from(d Desk) string {
	if d.db.Name() == "postgres" {
		return a.table + " r"
	}
	return a.table + " r" + a.index
}

// armsOf are what of the tables a span asks for: what still stands, and what was superseded after its end.
func (d Desk) armsOf(s clerk.Span) []arm {
	// What was there when the span began and has changed since was superseded within it. What was made within it, which
	// may be nearly all, is not read for that. The plus keeps SQLite from other indexes than that of ids.
	superseded, r := s.Part == clerk.Standing && s.Record == "", "r."
	if superseded && d.db.Name() == "sqlite" {
		r = "+r."
	}
	of, args := r+"project = ?", []any{s.Project}
	if len(s.Kinds) > 0 {
		of, args = of+" AND "+r+"kind IN ("+marks(len(s.Kinds))+")", append(args, anys(kindTexts(s.Kinds))...)
	}
	if s.Record != "" {
		of, args = of+" AND r.id = ?", append(args, s.Record)
	}
	from, to := int64(s.From), int64(s.To)
	switch of, args = of+" AND "+r+"seq > ?", append(args, s.After); s.Part {
	case clerk.Everything:
		of, args = of+" AND (r.seq <= ? OR r.deleted = 0)", append(args, from)
	case clerk.Standing:
		of, args = of+" AND "+r+"seq <= ?", append(args, from)
	case clerk.MadeSince:
		of, args = of+" AND r.seq > ? AND r.deleted = 0 AND r.merged_into = ''", append(args, from)
	}
	indexes := [2]string{" INDEXED BY desk_records_since", " INDEXED BY desk_earlier_project"}
	if s.Record != "" {
		indexes = [2]string{}
	}
	now := arm{"desk_records", indexes[0], of + " AND " + r + "since > ? AND " + r + "since <= ?", append(slices.Clone(args), from, to)}
	if superseded {
		now.index = ""
		now.where += " AND r.id IN (SELECT e.id FROM desk_earlier e WHERE e.project = ? AND e.to_seq > ? AND e.to_seq <= ? AND e.from_seq <= ?)"
		now.args = append(now.args, s.Project, from, to, from)
	}
	return []arm{
		now,
		{"desk_earlier", indexes[1], of + " AND r.to_seq > ? AND r.from_seq > ? AND r.from_seq <= ?", append(slices.Clone(args), to, from, to)},
	}
}

// CountByKind counts the records of a span by kind.
func (d Desk) CountByKind(ctx context.Context, s clerk.Span) (map[desk.Kind]int, error) {
	if out, ok, err := d.madeSince(ctx, s); ok || err != nil {
		return out, err
	}
	out := make(map[desk.Kind]int)
	for _, a := range d.armsOf(s) {
		rows, err := d.db.Query(ctx, Once+"SELECT r.kind, count(*) FROM "+a.from(d)+" WHERE "+a.where+" GROUP BY r.kind", a.args...)
		if err != nil {
			return nil, fmt.Errorf("count what changed: %w", err)
		}
		err = each(rows, func(scan func(...any) error) error {
			var k desk.Kind
			var n int
			err := scan(&k, &n)
			out[k] += n
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// fewOther is up to how many records from before a span, and that changed after it, are counted instead of those that were made
// within it.
const fewOther = 5000

// madeSince counts what was made within a span by what there was at its end and the records from before, when these are few, and
// so are those that changed after it. It is not ok when it cannot.
func (d Desk) madeSince(ctx context.Context, s clerk.Span) (map[desk.Kind]int, bool, error) {
	if s.Part != clerk.MadeSince || s.Record != "" || s.After != 0 {
		return nil, false, nil
	}
	kinds := s.Kinds
	if len(kinds) == 0 {
		kinds = desk.Kinds()
	}
	// With their kinds named, an index has them by when they were made.
	before, args := "FROM desk_records WHERE project = ? AND kind IN ("+marks(len(kinds))+") AND seq <= ?", append(append([]any{s.Project}, anys(kindTexts(kinds))...), int64(s.From))
	var later, older int
	err := d.db.one(ctx, "SELECT (SELECT count(*) FROM (SELECT 1 AS one FROM desk_records WHERE project = ? AND since > ?"+limited(fewOther+1)+") x), (SELECT count(*) FROM (SELECT 1 AS one "+before+limited(fewOther+1)+") y)",
		append([]any{s.Project, int64(s.To)}, args...), &later, &older)
	if err != nil || later > fewOther || older > fewOther {
		return nil, false, err
	}
	if later > 0 {
		d = d.At(s.To)
	}
	out := make(map[desk.Kind]int)
	for _, part := range []struct {
		sql  string
		args []any
		sign int
	}{
		{"SELECT kind, CAST(sum(n) AS BIGINT) FROM desk_counts WHERE project = ? GROUP BY kind", []any{s.Project}, 1},
		{"SELECT kind, count(*) " + before + " AND " + listedSQL + " GROUP BY kind", args, -1},
	} {
		rows, err := d.query(ctx, part.sql, part.args...)
		if err != nil {
			return nil, false, fmt.Errorf("count what was made: %w", err)
		}
		err = each(rows, func(scan func(...any) error) error {
			var k desk.Kind
			var n int
			err := scan(&k, &n)
			out[k] += part.sign * n
			return err
		})
		if err != nil {
			return nil, false, err
		}
	}
	maps.DeleteFunc(out, func(k desk.Kind, n int) bool { return n == 0 || !slices.Contains(kinds, k) })
	return out, true, nil
}

// Differences returns what is different of the records of a span, in the order in which they were made, and where the
// last that was looked at was made, 0 when there are no more.
func (d Desk) Differences(ctx context.Context, s clerk.Span) (out []desk.Diff, next int64, err error) {
	rows, err := d.changed(ctx, s)
	if err != nil {
		return nil, 0, err
	}
	if s.Limit > 0 && len(rows) > s.Limit {
		rows = rows[:s.Limit]
		if next = rows[s.Limit-1].seq; s.Newest {
			next = 0
		}
	}
	out, err = d.compared(ctx, s, rows)
	return out, next, err
}

// ChangedTickets returns the tickets of a span that changed, or that somebody else has, in the order in which they were
// made, and where the last of them was made, 0 when there are no more.
func (d Desk) ChangedTickets(ctx context.Context, s clerk.Span) (ids []string, next int64, err error) {
	s.Kinds = []desk.Kind{desk.Ticket}
	var parts []string
	var args []any
	for _, a := range d.armsOf(s) {
		parts, args = append(parts, "SELECT r.seq FROM "+a.from(d)+" WHERE "+a.where), append(args, a.args...)
	}
	from, to := int64(s.From), int64(s.To)
	const owners = " v WHERE v.list = ? AND v.field = 'owner' AND v.seq > ? AND "
	parts = append(parts, "SELECT v.seq FROM desk_values"+owners+"v.since > ? AND v.since <= ?",
		"SELECT v.seq FROM desk_earlier_values"+owners+"(v.from_seq > ? AND v.from_seq <= ? OR v.to_seq > ? AND v.to_seq <= ?)")
	list := listOf(s.Project, desk.Ticket)
	args = append(args, list, s.After, from, to, list, s.After, from, to, from, to)
	args = append(args, s.Project, string(desk.Ticket))
	rows, err := d.db.Query(ctx, Once+"SELECT r.id, r.seq FROM ("+strings.Join(parts, " UNION ")+" ORDER BY 1"+limited(s.Limit+1)+") x CROSS JOIN desk_records r WHERE r.project = ? AND r.kind = ? AND r.seq = x.seq ORDER BY r.seq", args...)
	if err != nil {
		return nil, 0, fmt.Errorf("read which tickets changed: %w", err)
	}
	last, more := int64(0), false
	err = each(rows, func(scan func(...any) error) error {
		var id string
		var seq int64
		err := scan(&id, &seq)
		if more = len(ids) == s.Limit; !more {
			ids, last = append(ids, id), seq
		}
		return err
	})
	if more {
		next = last
	}
	return ids, next, err
}

// changed reads the records of a span as they were at its end, one more than its limit.
func (d Desk) changed(ctx context.Context, s clerk.Span) (out []recordRow, err error) {
	for i, a := range d.armsOf(s) {
		order := " ORDER BY r.seq"
		if s.Newest { // the index has them so
			order = " ORDER BY r." + []string{"since", "from_seq"}[i] + " DESC"
		}
		if s.Limit > 0 {
			order += limited(s.Limit + 1)
		}
		fields := []string{recordFields, earlierFields}[i]
		sql := "SELECT " + fields + " FROM " + a.table + " r WHERE " + a.where + order
		if d.db.Name() == "sqlite" { // it would sort whole records
			sql = "SELECT " + fields + " FROM (SELECT r.rowid AS n FROM " + a.from(d) + " WHERE " + a.where + order + ") x CROSS JOIN " + a.table + " r WHERE r.rowid = x.n"
		}
		rows, err := d.db.Query(ctx, Once+sql, a.args...)
		if err != nil {
			return nil, fmt.Errorf("read what changed: %w", err)
		}
		found, err := all(rows, scanRecord)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	slices.SortFunc(out, func(a, b recordRow) int {
		if s.Newest {
			return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), cmp.Compare(b.seq, a.seq))
		}
		return cmp.Compare(a.seq, b.seq)
	})
	if s.Limit > 0 && len(out) > s.Limit+1 {
		out = out[:s.Limit+1]
	}
	return out, nil
}

// compared returns how records are different from what they were at the beginning of a span.
func (d Desk) compared(ctx context.Context, s clerk.Span, rows []recordRow) ([]desk.Diff, error) {
	out := make([]desk.Diff, 0, len(rows))
	for some := range slices.Chunk(rows, maxRows) {
		was, by, err := d.before(ctx, s, some)
		if err != nil {
			return nil, err
		}
		for _, r := range some {
			old := was[r.ID]
			diff, changed, err := desk.DiffOf(old, r.Record)
			if err != nil {
				return nil, err
			}
			if diff.Changes, diff.By = int(r.Version-old.Version), by[r.ID]; !slices.Contains(diff.By, r.UpdatedBy) {
				diff.By = append(diff.By, r.UpdatedBy)
			}
			if changed {
				out = append(out, diff)
			}
		}
	}
	return out, nil
}

// before returns what of records was superseded within a span: what each was at its beginning, and who changed it since.
func (d Desk) before(ctx context.Context, s clerk.Span, rows []recordRow) (was map[string]desk.Record, by map[string][]string, err error) {
	was, by = make(map[string]desk.Record), make(map[string][]string)
	var ids []any
	for _, r := range rows {
		if r.Version > 1 {
			ids = append(ids, r.ID)
		}
	}
	if len(ids) == 0 {
		return was, by, nil
	}
	found, err := d.db.Query(ctx, Once+"SELECT "+earlierFields+", r.from_seq FROM desk_earlier r WHERE r.id IN ("+marks(len(ids))+") AND r.to_seq > ? AND r.to_seq <= ? ORDER BY r.id, r.to_seq",
		append(ids, int64(s.From), int64(s.To))...)
	if err != nil {
		return nil, nil, fmt.Errorf("read what was superseded: %w", err)
	}
	return was, by, each(found, func(scan func(...any) error) error {
		var began int64
		r, err := scanRecordAnd(scan, &began)
		switch {
		case err != nil:
		case began <= int64(s.From):
			was[r.ID] = r.Record
		case !slices.Contains(by[r.ID], r.UpdatedBy):
			by[r.ID] = append(by[r.ID], r.UpdatedBy)
		}
		return err
	})
}

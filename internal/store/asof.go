package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/query"
)

// At returns the desk as it was when the log ended at a position. What stands since then is in the tables of now, what
// stood then in those of what was superseded; both together take the place of a table in every query.
func (d Desk) At(m event.Seq) Desk {
	d.moment, d.past = int64(m), true
	return d
}

// Otherwise implements [clerk.Earlier]. Of the desk as it is now nothing was otherwise.
func (d Desk) Otherwise(ctx context.Context, project string) (out clerk.Otherwise, err error) {
	if !d.past {
		return out, nil
	}
	// First what changed since: what changes between the two statements is then among what was.
	rows, err := d.db.Query(ctx, Once+"SELECT id FROM desk_records WHERE project IN (?, '') AND since > ?", project, d.moment)
	if err != nil {
		return out, fmt.Errorf("read what changed since: %w", err)
	}
	err = each(rows, func(scan func(...any) error) error {
		var id string
		err := scan(&id)
		out.Since = append(out.Since, id)
		return err
	})
	if err != nil {
		return out, err
	}
	rows, err = d.db.Query(ctx, Once+"SELECT "+earlierFields+" FROM desk_earlier r WHERE r.project IN (?, '') AND r.to_seq > ? AND r.from_seq <= ? AND "+listedSQL+" ORDER BY r.seq", project, d.moment, d.moment)
	if err != nil {
		return out, fmt.Errorf("read what was superseded: %w", err)
	}
	return out, each(rows, func(scan func(...any) error) error {
		r, err := scanRecord(scan)
		out.Was = append(out.Was, r.Record)
		return err
	})
}

// query reads outside any transaction, from the desk at its moment.
func (d Desk) query(ctx context.Context, sql string, args ...any) (Rows, error) {
	return d.db.Query(ctx, d.asOf(sql), args...)
}

// single scans the only row of a query.
func (d Desk) single(ctx context.Context, sql string, args []any, into ...any) error {
	return d.db.one(ctx, d.asOf(sql), args, into...)
}

// asOf puts before a query what its tables were at the moment of the desk.
func (d Desk) asOf(sql string) string {
	if !d.past {
		return sql
	}
	sql = strings.TrimPrefix(sql, Once)
	if with := d.tables(sql); len(with) > 0 {
		sql = "WITH " + strings.Join(with, ", ") + " " + sql
	}
	return Once + sql
}

// tables are the tables of a query as they were. Those that others look into come first.
func (d Desk) tables(sql string) (out []string) {
	m := strconv.FormatInt(d.moment, 10)
	// The plus keeps SQLite from looking up by when something began: it is most of what there is.
	now, then := " WHERE +since <= "+m, " WHERE from_seq <= "+m+" AND to_seq > "+m
	narrow := ""
	if strings.Contains(sql, "desk_lists") {
		narrow = d.lists(strings.Contains(sql, "l."+desk.OwnerColumn))
	}
	all := []struct{ name, sql string }{
		{"desk_reowned", d.reowned(then)},
		{"desk_counts", "SELECT project, kind, status, n FROM " + d.now("desk_counts") +
			" UNION ALL SELECT project, kind, status, -count(*) FROM " + d.now("desk_records") + " WHERE since > " + m + " AND " + listedSQL + " GROUP BY project, kind, status" +
			" UNION ALL SELECT project, kind, status, count(*) FROM desk_earlier" + then + " AND " + listedSQL + " GROUP BY project, kind, status"},
		{"desk_refs", "SELECT from_id, field, to_id FROM " + d.now("desk_refs") + now + " UNION ALL SELECT from_id, field, to_id FROM desk_earlier_refs" + then},
		{"desk_values", "SELECT list, field, value, seq, source FROM " + d.now("desk_values") + now + " UNION ALL SELECT list, field, value, seq, source FROM desk_earlier_values" + then},
		{"desk_records", "SELECT " + momentColumns + ", body_at, since, 0 AS earlier FROM " + d.now("desk_records") + now + " UNION ALL SELECT " + momentColumns + ", -1, from_seq, 1 FROM desk_earlier" + then},
		{"desk_lists", narrow},
	}
	for _, t := range all {
		switch {
		case strings.Contains(narrow, t.name+")"): // it is looked into for each row
			out = append(out, t.name+" AS MATERIALIZED ("+t.sql+")")
		case strings.Contains(sql, t.name) || strings.Contains(narrow, t.name+" "):
			out = append(out, t.name+" AS NOT MATERIALIZED ("+t.sql+")")
		}
	}
	return out
}

// listedSQL holds of the records that lists show.
const listedSQL = "deleted = 0 AND merged_into = ''"

// momentColumns are the columns of a record that both tables have.
var momentColumns = "identity, title, status, " + strings.ReplaceAll(earlierFields, "r.", "") //nolint:gochecknoglobals // a list of columns

// now is a table as it is, which has no other name within a query that gives its name to what it was.
func (d Desk) now(table string) string {
	if d.db.Name() == "postgres" {
		return table
	}
	return "main." + table
}

// lists are the narrow rows at the moment of the desk, with who has each record when that is asked for: who has it now,
// unless that may have changed since.
func (d Desk) lists(owners bool) string {
	m := strconv.FormatInt(d.moment, 10)
	columns := strings.Join(slices.DeleteFunc(slices.Clone(listColumns), func(c string) bool { return c == "since" }), ", ")
	columns = "o." + strings.ReplaceAll(columns, ", ", ", o.")
	now, earlier, joined := columns, columns, ""
	if owners {
		other := "CASE WHEN %s o.id IN (SELECT id FROM desk_reowned) THEN (SELECT min(p.identity) FROM " + strings.ReplaceAll(sharesThen, "r.id", "o.id") + ") ELSE %s." + desk.OwnerColumn + " END AS " + desk.OwnerColumn
		now, earlier = now+", "+fmt.Sprintf(other, "", "o"), earlier+", "+fmt.Sprintf(other, "n.seq IS NULL OR", "n")
		joined = " LEFT JOIN " + d.now("desk_lists") + " n ON n.list = o.list AND n.seq = o.seq"
	}
	standing, these, some := d.now("desk_lists")+" o"+d.hint, "", ""
	if d.within != nil {
		numbers := strings.Join(d.within, ",")
		these = fmt.Sprintf(" AND o.list = %d AND o.seq = ANY ('{%s}'::bigint[])", listOf(d.project, d.kind), numbers)
		if some = these; d.db.Name() == "sqlite" {
			standing = "json_each('[" + numbers + "]') w CROSS JOIN " + standing + fmt.Sprintf(" ON o.list = %d AND o.seq = w.value", listOf(d.project, d.kind))
			these, some = "", " AND o.seq IN (SELECT w.value FROM json_each('["+numbers+"]') w)"
		}
	}
	return "SELECT " + now + ", 0 AS earlier FROM " + standing + " WHERE +o.since <= " + m + these +
		" UNION ALL SELECT " + earlier + ", 1 FROM desk_earlier o" + joined + " WHERE o.from_seq <= " + m + " AND o.to_seq > " + m + some
}

// reowned are the tickets that somebody else may have had at the moment of the desk: by an assignment that was made, changed
// or taken away since, or one of a person who was changed. then is what holds of what was superseded since. It stands before
// the other tables, since PostgreSQL has no other name for those of now.
func (d Desk) reowned(then string) string {
	m, refs := strconv.FormatInt(d.moment, 10), d.now("desk_refs")
	people := fmt.Sprintf("%d, %d", listOf(d.project, desk.Resource), listOf("", desk.Resource))
	changed := "SELECT %s FROM " + refs + " WHERE field = '%s' AND since > " + m + " UNION SELECT %[1]s FROM desk_earlier_refs" + then + " AND field = '%[2]s'"
	shares := fmt.Sprintf(changed, "from_id", "resourceId")
	for _, table := range []string{refs, "desk_earlier_refs"} {
		shares += " UNION SELECT g.from_id FROM desk_earlier p JOIN " + table + " g ON g.to_id = p.id AND g.field = 'resourceId' WHERE p.from_seq <= " + m + " AND p.to_seq > " + m + " AND p.list IN (" + people + ")"
	}
	out := fmt.Sprintf(changed, "to_id AS id", "ticketId")
	for _, table := range []string{refs, "desk_earlier_refs"} {
		out += " UNION SELECT t.to_id FROM (" + shares + ") g JOIN " + table + " t ON t.from_id = g.from_id AND t.field = 'ticketId'"
	}
	return out
}

// wordsThen returns the desk with what is needed to find records by the words of a query: which of those that were
// superseded since had them, which no index knows.
func (d Desk) wordsThen(ctx context.Context, q clerk.Query) (Desk, error) {
	if !d.past {
		return d, nil
	}
	var sought []query.Sought
	var look func(e query.Expr)
	look = func(e query.Expr) {
		switch e := e.(type) {
		case query.And:
			for _, x := range e {
				look(x)
			}
		case query.Or:
			for _, x := range e {
				look(x)
			}
		case query.Not:
			look(e.Of)
		case query.Match:
			if s, err := query.Seek(e.Words); err == nil { // or it was refused when it was parsed
				sought = append(sought, s)
			}
		}
	}
	if look(q.Where); len(sought) == 0 {
		return d, nil
	}
	d.had = make(map[string][]string)
	rows, err := d.db.Query(ctx, Once+"SELECT "+earlierFields+" FROM desk_earlier r WHERE r.project IN (?, ?) AND r.from_seq <= ? AND r.to_seq > ? AND "+listedSQL+" AND r.kind = ?",
		q.Project, "", d.moment, d.moment, string(q.Kind))
	if err != nil {
		return d, fmt.Errorf("read what was superseded: %w", err)
	}
	return d, each(rows, func(scan func(...any) error) error {
		r, err := scanRecord(scan)
		if err != nil {
			return err
		}
		thing, err := desk.Decode(r.Record)
		if err != nil {
			return err
		}
		_, words, _ := indexed(r.Record, thing)
		for _, s := range sought {
			if key := wordsKey(s); s.In(words) {
				d.had[key] = append(d.had[key], r.ID)
			}
		}
		return nil
	})
}

// wordsKey names what is sought.
func wordsKey(s query.Sought) string { return strings.Join(s.Words, " ") }

// keysOf returns the statement that reads the ids and keys of what was there. SQLite merges what stands and what was
// superseded, each in the order, when it reads what it is ordered by.
func (l *listing) keysOf(by []string, from string) string {
	out := "SELECT l.id"
	for _, k := range l.keys {
		out += ", " + k.sql
	}
	for _, k := range by {
		out += ", " + strings.TrimSuffix(k, " DESC")
	}
	return out + " FROM " + from
}

// then reads the records of which a statement of keysOf finds the keys.
func (l *listing) then(ctx context.Context, query string, args []any, others int) (found []recordRow, ends [][]any, err error) {
	rows, err := l.Desk.query(ctx, query, args...)
	if err != nil {
		return nil, nil, fmt.Errorf("read records: %w", err)
	}
	var ids []string
	err = each(rows, func(scan func(...any) error) error {
		var id string
		into, values := targets(l.keys)
		into = append([]any{&id}, into...)
		for range others {
			into = append(into, new(any))
		}
		err := scan(into...)
		ids, ends = append(ids, id), append(ends, values())
		return err
	})
	if err != nil || len(ids) == 0 {
		return nil, nil, err
	}
	if rows, err = l.Desk.query(ctx, "SELECT "+recordFields+" FROM desk_records r WHERE r.id IN ("+marks(len(ids))+")", anys(ids)...); err != nil {
		return nil, nil, fmt.Errorf("read records: %w", err)
	}
	byID := make(map[string]recordRow, len(ids))
	err = each(rows, func(scan func(...any) error) error {
		r, err := scanRecord(scan)
		byID[r.ID] = r
		return err
	})
	for _, id := range ids {
		found = append(found, byID[id])
	}
	return found, ends, err
}

// sharesThen is as [shares] of a moment: an assignment that is deleted refers to nothing.
const sharesThen = "desk_refs f JOIN desk_refs g ON g.from_id = f.from_id AND g.field = 'resourceId' JOIN desk_records p ON p.id = g.to_id AND p.deleted = 0 WHERE f.to_id = r.id AND f.field = 'ticketId'"

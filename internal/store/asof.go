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

// tables are the tables of a query as they were.
func (d Desk) tables(sql string) (out []string) {
	m := strconv.FormatInt(d.moment, 10)
	// The plus keeps SQLite from looking up by when something began: it is most of what there is.
	now, then := " WHERE +since <= "+m, " WHERE from_seq <= "+m+" AND to_seq > "+m
	narrow := ""
	if strings.Contains(sql, "desk_lists") {
		narrow = d.lists(strings.Contains(sql, "l."+desk.OwnerColumn))
	}
	if strings.Contains(narrow, reownedSQL) {
		out = append(out, "desk_reowned AS MATERIALIZED ("+d.reowned()+")") // it is looked into for each row
	}
	// The first reads tables of now; PostgreSQL has no other names for them once those behind it have taken theirs.
	for _, t := range []struct{ name, sql string }{
		{"desk_lists", narrow},
		{"desk_counts", "SELECT project, kind, status, n FROM " + d.now("desk_counts") +
			" UNION ALL SELECT project, kind, status, -count(*) FROM " + d.now("desk_records") + " WHERE since > " + m + " AND " + listedSQL + " GROUP BY project, kind, status" +
			" UNION ALL SELECT project, kind, status, count(*) FROM desk_earlier" + then + " AND " + listedSQL + " GROUP BY project, kind, status"},
		{"desk_refs", "SELECT from_id, field, to_id FROM " + d.now("desk_refs") + now + " UNION ALL SELECT from_id, field, to_id FROM desk_earlier_refs" + then},
		{"desk_values", "SELECT list, field, value, seq, source FROM " + d.now("desk_values") + now + " UNION ALL SELECT list, field, value, seq, source FROM desk_earlier_values" + then},
		{"desk_records", "SELECT " + momentColumns + ", body_at, since, 0 AS earlier FROM " + d.now("desk_records") + now + " UNION ALL SELECT " + momentColumns + ", -1, from_seq, 1 FROM desk_earlier" + then},
	} {
		if strings.Contains(sql, t.name) {
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
	table, these, some := d.now("desk_lists")+" o", "", ""
	standing := table + d.hint
	switch {
	case d.sought != "": // by the words that stand
		standing = "desk_search w CROSS JOIN " + table + fmt.Sprintf(" ON o.list = %d AND o.seq = w.rowid AND w.words MATCH %s", listOf(d.project, d.kind), literal(d.sought))
		some = " AND o.id IN (SELECT w.value FROM json_each(" + literal(d.hadThen) + ") w)"
	case d.within != nil:
		numbers := strings.Join(d.within, ",")
		these = fmt.Sprintf(" AND o.list = %d AND o.seq = ANY ('{%s}'::bigint[])", listOf(d.project, d.kind), numbers)
		if some = these; d.db.Name() == "sqlite" {
			standing = "json_each('[" + numbers + "]') w CROSS JOIN " + standing + fmt.Sprintf(" ON o.list = %d AND o.seq = w.value", listOf(d.project, d.kind))
			these, some = "", " AND o.seq IN (SELECT w.value FROM json_each('["+numbers+"]') w)"
		}
	}
	stands, was := " WHERE +o.since <= "+m+these, " WHERE o.from_seq <= "+m+" AND o.to_seq > "+m+some
	if !owners {
		return "SELECT " + columns + ", 0 AS earlier FROM " + standing + stands + " UNION ALL SELECT " + columns + ", 1 FROM desk_earlier o" + was
	}
	others := "CAST(" + d.ownerThen("o.id") + " AS TEXT) AS " + desk.OwnerColumn
	return "SELECT " + columns + ", o." + desk.OwnerColumn + ", 0 AS earlier FROM " + standing + stands + " AND o.seq NOT" + reownedSQL + // in the order of an index
		" UNION ALL SELECT " + columns + ", " + others + ", 0 FROM " + strings.Replace(standing, d.hint, "", 1) + stands + " AND o.seq" + reownedSQL +
		" UNION ALL SELECT " + columns + ", " + others + ", 1 FROM desk_earlier o" + was
}

// literal is a text within a statement.
func literal(text string) string {
	return "'" + strings.NewReplacer("'", "''", "\x00", "").Replace(text) + "'"
}

// reownedSQL holds of a narrow row that is one of [Desk.reowned].
const reownedSQL = " IN (SELECT seq FROM desk_reowned)"

// reowned are the numbers of the tickets that somebody else may have had at the moment of the desk: by an assignment that was made,
// changed or taken away since, or one of a person who was changed.
func (d Desk) reowned() string {
	m, in := strconv.FormatInt(d.moment, 10), ""
	then := "from_seq <= " + m + " AND to_seq > " + m
	if d.project != "" {
		in = "project = " + literal(d.project) + " AND "
	}
	kind := "kind = " + literal(string(desk.Assignment)) + " AND "
	shares := "SELECT id FROM " + d.now("desk_records") + " WHERE " + in + kind + "since > " + m + " UNION SELECT id FROM desk_earlier WHERE " + in + kind + then
	out := make([]string, 2)
	for i, table := range []string{d.now("desk_refs"), "desk_earlier_refs"} {
		shares += " UNION SELECT g.from_id FROM desk_earlier p JOIN " + table + " g ON g.to_id = p.id AND g.field = 'resourceId' WHERE p.list IN (" +
			fmt.Sprintf("%d, %d", listOf(d.project, desk.Resource), listOf("", desk.Resource)) + ") AND p." + strings.ReplaceAll(then, "AND ", "AND p.")
		out[i] = "SELECT t.to_id FROM desk_reshared s JOIN " + table + " t ON t.from_id = s.id AND t.field = 'ticketId'"
	}
	return "WITH desk_reshared AS MATERIALIZED (" + shares + ") SELECT x.seq FROM (" + strings.Join(out, " UNION ") + ") i JOIN " + d.now("desk_records") + " x ON x.id = i.to_id AND x.seq <= " + m // what was made since was not there
}

// ownerThen is the name by which a list sorts a ticket at the moment of the desk: of the first of those who had it. It is looked up
// by the indexes of what stands and of what was superseded, for few. An assignment that is deleted refers to nothing.
func (d Desk) ownerThen(ticket string) string {
	m := strconv.FormatInt(d.moment, 10)
	either := func(column, table, earlier, where string) string {
		return "SELECT " + column + " FROM " + d.now(table) + " WHERE " + where + " AND since <= " + m +
			" UNION ALL SELECT " + column + " FROM " + earlier + " WHERE " + where + " AND from_seq <= " + m + " AND to_seq > " + m
	}
	who := either("to_id", "desk_refs", "desk_earlier_refs", "from_id = f.from_id AND field = 'resourceId'")
	name := either("identity", "desk_records", "desk_earlier", "deleted = 0 AND id = ("+who+")")
	return "(SELECT min((" + name + ")) FROM (" + either("from_id", "desk_refs", "desk_earlier_refs", "field = 'ticketId' AND to_id = "+ticket) + ") f)"
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

package store

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/query"
)

// fewHits is how many hits are sorted. Of more the latest records are looked through for the words until the page is full:
// so many hits are not far between.
const fewHits = 1000

// How many of the latest records are looked through at once, and at most.
const (
	manyRecent = 200
	mostRecent = 2000
)

// A searching is one page of a search.
type searching struct {
	Desk
	condition
	q      clerk.Search
	sought query.Sought
	words  string // as the database wants them
	limit  int
	keys   []key
}

func (d Desk) searching(q clerk.Search, sought query.Sought) *searching {
	h := &searching{Desk: d, q: q, sought: sought, limit: cmp.Or(q.Limit, 20)}
	h.postgres = d.db.Name() == "postgres"
	h.words = h.condition.sought(sought)
	inTitle := "s.rowid IN (SELECT rowid FROM desk_search WHERE title MATCH ?)"
	if h.postgres {
		inTitle = h.inTitle()
	}
	h.keys = []key{
		{sql: "CASE WHEN " + inTitle + " THEN CAST(1 AS BIGINT) ELSE 0 END", args: []any{h.words}, down: true},
		{sql: "r.updated_at", down: true},
		{sql: "r.seq", down: true},
	}
	return h
}

// name is what a cursor of the search is made for.
func (h *searching) name() string { return "found " + strings.Join(h.sought.Words, " ") }

// inTitle is the condition that the title of a row s has the words.
func (h *searching) inTitle() string {
	if h.postgres {
		return strings.ReplaceAll(h.found(), "s.words", "s.title")
	}
	return "s.title MATCH ?"
}

// of is the condition that a record r is of the project and the kinds.
func (h *searching) of() (where string, args []any) {
	if h.q.Project != "" {
		where, args = where+" AND r.project = ?", append(args, h.q.Project)
	}
	if len(h.q.Kinds) > 0 {
		where, args = where+" AND r.kind IN ("+marks(len(h.q.Kinds))+")", append(args, anys(kindTexts(h.q.Kinds))...)
	}
	return where, args
}

// from joins what is found with its records; SQLite is told to begin with what is found.
func (h *searching) from() (from, on string) {
	if h.postgres {
		return "desk_search s JOIN desk_records r ON r.id = s.id", ""
	}
	return "desk_search s CROSS JOIN desk_records r", " AND r.seq = s.rowid"
}

// counting returns the statement that counts the hits of which a condition holds, at most so many.
func (h *searching) counting(found string, most int) (string, []any) {
	where, args := h.of()
	from, on := h.from()
	return "SELECT count(*) FROM (SELECT 1 FROM " + from + " WHERE " + found + on + where + limited(most) + ") h", append([]any{h.words}, args...)
}

// fewOutside is how many records of other projects and kinds may be left out one by one when hits are counted.
const fewOutside = 5000

// total counts the hits. The index counts those of all projects and kinds without a look at their records: what lists leave out has no
// row there. Where few records are of others, they are left out.
func (h *searching) total(ctx context.Context) (n int, err error) {
	_, outside, others, err := h.listed(ctx)
	if err != nil {
		return 0, err
	}
	query, args := "SELECT count(*) FROM desk_search s WHERE "+h.found(), []any{h.words}
	switch {
	case others > fewOutside || len(outside) > mostLists:
		query, args = h.counting(h.found(), math.MaxInt32)
	case len(outside) > 0:
		key, of := "s.rowid", "l.seq"
		if h.postgres {
			key, of = "s.id", "l.id"
		}
		query, args = query+" AND "+key+" NOT IN (SELECT "+of+" FROM desk_lists l WHERE l.list IN ("+marks(len(outside))+"))", append(args, outside...)
	}
	err = h.db.one(ctx, Once+query, args, &n)
	return n, err
}

// page returns a page of the hits of which a condition holds, all of which are sorted.
func (h *searching) page(ctx context.Context, found string) ([]desk.Record, string, error) {
	where, args := h.of()
	from, on := h.from()
	return h.pageOf(ctx, sorted{from: from, where: found + on + where, args: append([]any{h.words}, args...), sort: h.name(), limit: h.limit, cursor: h.q.Cursor, keys: h.keys})
}

// latest returns a page of many hits: those that have the words in the title, and then the others, the latest first.
func (h *searching) latest(ctx context.Context, total int) (out []desk.Record, next string, err error) {
	others := []any{int64(0), int64(math.MaxInt64), int64(0)}
	at := []any{int64(1), others[1], others[2]}
	if h.q.Cursor != "" {
		if at, err = after(h.q.Cursor, h.name(), h.keys); err != nil {
			return nil, "", err
		}
	}
	filled := true
	if at[0] == int64(1) {
		inTitles := 0
		count, args := h.counting(h.inTitle(), fewHits+1)
		if err := h.db.one(ctx, Once+count, args, &inTitles); err != nil {
			return nil, "", err
		}
		if inTitles > fewHits {
			out, next, filled, err = h.look(ctx, at, nil)
		} else {
			out, next, err = h.page(ctx, h.inTitle())
		}
		switch {
		case err != nil || next != "":
			return out, next, err
		case filled && len(out) == h.limit && inTitles < total:
			return out, cursorOf(h.name(), others), nil
		case filled && len(out) == h.limit:
			return out, "", nil
		}
		at = others
	}
	if filled {
		out, next, filled, err = h.look(ctx, at, out)
	}
	if err == nil && !filled {
		return h.page(ctx, h.found())
	}
	return out, next, err
}

// mostLists is of how many lists the latest records are looked through.
const mostLists = 200

// listed returns the lists that have records of the project and the kinds, the other ones, and how many records these have. What joins two
// records is in none, and an import may have ended with as many of those as it has records.
func (h *searching) listed(ctx context.Context) (in, outside []any, others int, err error) {
	rows, err := h.db.Query(ctx, "SELECT project, kind, CAST(sum(n) AS BIGINT) FROM desk_counts WHERE n > 0 GROUP BY project, kind")
	if err != nil {
		return nil, nil, 0, fmt.Errorf("read which lists there are: %w", err)
	}
	err = each(rows, func(scan func(...any) error) error {
		var project string
		var k desk.Kind
		var n int
		if err := scan(&project, &k, &n); err != nil || k.Association() {
			return err
		}
		if (h.q.Project == "" || h.q.Project == project) && (len(h.q.Kinds) == 0 || slices.Contains(h.q.Kinds, k)) {
			in = append(in, listOf(project, k))
			return nil
		}
		outside = append(outside, listOf(project, k))
		others += n
		return nil
	})
	return in, outside, others, err
}

// recent returns the statement that reads the latest records of some lists past a place.
func recent(lists []any, updated, seq any) (string, []any) {
	const one = "SELECT * FROM (SELECT l.id, l.updated_at, l.seq FROM desk_lists l WHERE l.list = ? AND l.updated_at <= ? AND (l.updated_at < ? OR l.seq < ?) ORDER BY l.updated_at DESC, l.seq DESC"
	each := make([]string, len(lists))
	var args []any
	for i, l := range lists {
		each[i] = one + limited(manyRecent) + ") l"
		args = append(args, l, updated, updated, seq)
	}
	return "SELECT " + recordFields + " FROM (SELECT * FROM (" + strings.Join(each, " UNION ALL ") + ") a ORDER BY a.updated_at DESC, a.seq DESC" + limited(manyRecent) +
		") x CROSS JOIN desk_records r WHERE r.id = x.id ORDER BY r.updated_at DESC, r.seq DESC", args
}

// look adds to out the latest hits past a place that have the words in the title, or elsewhere, as the place says, until
// the page is full. filled is false when too many records were looked through for that.
func (h *searching) look(ctx context.Context, at []any, out []desk.Record) (_ []desk.Record, next string, filled bool, err error) {
	titled, updated, seq := at[0] == int64(1), at[1], at[2]
	lists, _, _, err := h.listed(ctx)
	if err != nil || len(lists) == 0 || len(lists) > mostLists {
		return nil, "", false, err
	}
	for looked := 0; looked < mostRecent; looked += manyRecent {
		query, args := recent(lists, updated, seq)
		rows, err := h.db.Query(ctx, Once+query, args...)
		if err != nil {
			return nil, "", false, fmt.Errorf("read the latest records: %w", err)
		}
		found, err := all(rows, scanRecord)
		if err != nil {
			return nil, "", false, err
		}
		for _, r := range found {
			updated, seq = micros(r.UpdatedAt), r.seq
			thing, err := desk.Decode(r.Record)
			if err != nil {
				return nil, "", false, err
			}
			title, words, _ := indexed(r.Record, thing)
			if inTitle := h.sought.In(title); inTitle != titled || !inTitle && !h.sought.In(words) {
				continue
			}
			if len(out) == h.limit {
				return out, next, true, nil
			}
			out, next = append(out, r.Record), cursorOf(h.name(), []any{at[0], updated, seq})
		}
		if len(found) < manyRecent {
			return out, "", true, nil
		}
	}
	return nil, "", false, nil
}

package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/query"
)

// A listing is one page of a list, which narrow rows answer.
type listing struct {
	Desk
	q        clerk.Query
	postgres bool
	list     int64
	statuses []string
	terms    []query.Expr // all of them hold
	driver   int          // the term that an index looks up, -1 for none
	keys     []key        // of a cursor
	columns  []string     // of the narrow row, by which the sort goes
}

// listing returns the page that narrow rows answer; ok is false when they do not.
func (d Desk) listing(q clerk.Query) (l *listing, ok bool) {
	if q.Project == "" || q.Shared || q.Kind == "" || q.Kind.Association() || q.Identity != "" || q.Known != nil || q.IDs != nil || q.RefTo != nil || q.Gone {
		return nil, false
	}
	fields, err := desk.Fields(q.Kind)
	if err != nil {
		return nil, false
	}
	for _, k := range q.Sort {
		if k.Field.Column == "" && k.Field.Place != query.InStatus {
			return nil, false
		}
	}
	d.project, d.kind = q.Project, q.Kind
	l = &listing{Desk: d, q: q, postgres: d.db.Name() == "postgres", list: listOf(q.Project, q.Kind), driver: -1}
	status, has := fields.Find("status")
	if has {
		l.statuses = status.Allowed
	}
	if q.Status != "" {
		if !has || !slices.Contains(status.Allowed, q.Status) {
			return nil, false
		}
		l.terms = append(l.terms, query.Term{Field: status, Values: []query.Value{{Text: q.Status}}})
	}
	if text := strings.ToValidUTF8(strings.ReplaceAll(q.Text, "\x00", ""), ""); text != "" {
		title, _ := fields.Find("title")
		l.terms = append(l.terms, query.Term{Field: title, Op: query.Contains, Values: []query.Value{{Text: text}}})
	}
	if and, many := q.Where.(query.And); many {
		l.terms = append(l.terms, and...)
	} else if q.Where != nil {
		l.terms = append(l.terms, q.Where)
	}
	l.drive()
	if l.driver < 0 && slices.ContainsFunc(l.terms, (&narrowed{}).looksIntoRecords) {
		return nil, false
	}
	return l, true
}

// drive picks the term that finds the fewest rows, as far as its form tells. PostgreSQL knows better.
func (l *listing) drive() {
	best := math.MaxInt
	for i, e := range l.terms {
		if n := selectivity(e); n < best {
			best, l.driver = n, i
		}
	}
}

// selectivity ranks terms that an index looks up, those that find least first; math.MaxInt is for no index.
func selectivity(e query.Expr) int {
	switch e := e.(type) {
	case query.Match:
		return 3
	case query.Among:
		if len(e.IDs) < fewFit && !e.But {
			return 1
		}
		return math.MaxInt
	}
	t, ok := e.(query.Term)
	if !ok || slices.ContainsFunc(t.Values, func(v query.Value) bool { return v.None }) {
		return math.MaxInt
	}
	n := &narrowed{}
	switch {
	case t.Field.Place == query.InShares:
		return 1
	case desk.InValues(t):
		return 1
	case t.Field.Column == "" || t.Field.Place == query.InStatus || !n.fits(t) || t.Op == query.Contains:
		return math.MaxInt
	case t.Field.Type == query.Text:
		return 0
	case len(t.Values) > 1 && t.Field.Type != query.Set:
		return math.MaxInt
	case t.Field.Type == query.Day || t.Field.Type == query.Number || t.Field.Type == query.Instant:
		return 4
	case t.Field.Type == query.Set && !slices.ContainsFunc(t.Values, func(v query.Value) bool { return len(t.Fitting(v)) > 0 }):
		return math.MaxInt
	case t.Field.Column == "n0":
		return 6
	case t.Field.Type == query.Set:
		return 5
	}
	return math.MaxInt
}

func (l *listing) narrowed() *narrowed {
	return &narrowed{condition: condition{postgres: l.postgres, past: l.past, had: l.had}, list: l.list, project: l.q.Project, statuses: l.statuses}
}

// condition returns what holds of the rows. driver says whether the index of its term is looked up.
func (l *listing) condition(driver bool) (string, []any) {
	n := l.narrowed()
	n.arg(l.list)
	out := "l.list = ?"
	for i, e := range l.terms {
		if i == l.driver && (l.within != nil || l.sought != "") {
			continue
		}
		if n.plus = ""; !l.postgres && (i != l.driver || !driver) {
			n.plus = "+"
		}
		out += " AND " + n.where(e)
	}
	return out, n.args
}

// total counts the rows that fit: by what is kept when the status decides that.
func (l *listing) total(ctx context.Context) (fit int, err error) {
	if len(l.terms) == 1 {
		if among, ok := l.terms[0].(query.Among); ok && !among.But {
			return len(among.IDs), nil
		}
	}
	rows, err := l.Desk.query(ctx, "SELECT status, n FROM desk_counts WHERE project = ? AND kind = ?", l.q.Project, string(l.q.Kind))
	if err != nil {
		return 0, fmt.Errorf("count records: %w", err)
	}
	all, kept := 0, true
	err = each(rows, func(scan func(...any) error) error {
		var status string
		var n int
		if err := scan(&status, &n); err != nil {
			return err
		}
		all += n
		fits, decided := byStatus(query.And(l.terms), status)
		if kept = kept && decided; fits {
			fit += n
		}
		return nil
	})
	if err != nil || kept || all == 0 {
		return fit, err
	}
	l = l.byWords()
	sql, args := l.counting()
	return fit, l.single(ctx, Once+sql, args, &fit)
}

// counting returns the statement that counts the rows that fit.
func (l *listing) counting() (string, []any) {
	where, args := l.condition(true)
	return "SELECT count(*) FROM " + l.from(l.lookedUp()) + " WHERE " + where, args
}

// fewFit is up to how many rows are found by an index and sorted. Where more fit, the list is walked in its order until
// the page is full: that passes over few, unless the order has to do with what is looked for.
const fewFit = 4000

// How the rows of a page are found: by walking the list in its order, by the index of the driver, or by looking at all
// of the list.
type way uint8

const (
	walked way = iota
	found
	scanned
)

// page reads the page.
func (l *listing) page(ctx context.Context) (clerk.Page, error) {
	page := clerk.Page{Records: []desk.Record{}}
	if err := l.lookBack(ctx); err != nil {
		return page, err
	}
	fit, err := l.total(ctx)
	if page.Total = fit; err != nil || fit == 0 {
		return page, err
	}
	limit := cmp.Or(l.q.Limit, 100)
	l.order()
	how := found
	if l.driver < 0 || fit > fewFit {
		how = walked
	}
	values, err := l.cursor()
	if err != nil {
		return page, err
	}
	var rows []recordRow
	var marks [][]any
	for _, p := range l.parts(values) {
		more, ends, err := l.part(ctx, how, fit, p, values, limit+1-len(rows))
		if err != nil {
			return page, err
		}
		rows, marks, values = append(rows, more...), append(marks, ends...), nil
		if len(rows) > limit {
			break
		}
	}
	if len(rows) > limit {
		rows = rows[:limit]
		page.Next = l.next(rows[limit-1], marks[limit-1])
	}
	for _, r := range rows {
		page.Records = append(page.Records, r.Record)
	}
	return page, nil
}

// order makes the keys of the sort, as [keys] does.
func (l *listing) order() {
	for _, k := range l.q.Sort {
		c := "l." + k.Field.Column
		missing := key{sql: "CASE WHEN " + c + missingSQL}
		switch {
		case k.Field.Place == query.InStatus:
			n := &narrowed{statuses: l.statuses}
			l.keys = append(l.keys, key{sql: "CASE WHEN " + n.isOver(k.Field, " IN ") + " THEN CAST(0 AS BIGINT) ELSE 1 END", down: k.Down})
			l.columns = append(l.columns, "")
			continue
		case k.Field.Type == query.Instant:
			l.keys = append(l.keys, key{sql: c, down: k.Down})
		case k.Field.Type == query.Flag:
			l.keys = append(l.keys, key{sql: "coalesce(" + c + ", 0)", down: k.Down, kind: numberKey})
		case k.Field.Column[0] == 'n':
			l.keys = append(l.keys, missing, key{sql: "coalesce(" + c + ", 0)", down: k.Down, kind: numberKey})
		default:
			l.keys = append(l.keys, missing, key{sql: "coalesce(" + c + ", '')", down: k.Down, kind: textKey})
		}
		l.columns = append(l.columns, k.Field.Column)
	}
	l.keys = append(l.keys, key{sql: "l.seq", down: l.q.Newest})
}

// A part is some rows of the list, of which the first keys are the same.
type part struct {
	where string
	args  []any
	by    []key  // the rest of the keys
	index string // the column whose index has the rows in their order, "" for that of the list
}

// parts are those of the list that come from a cursor on, in their order. Rows without a value of the first key are the
// last part. From the greatest down, each value of a closed set is a part, since an index that is read backwards has
// equals backwards too.
func (l *listing) parts(values []any) []part {
	if len(l.columns) == 0 {
		return []part{{by: slices.Clone(l.keys)}}
	}
	if !strings.HasSuffix(l.keys[0].sql, missingSQL) {
		all := part{by: slices.Clone(l.keys)}
		if l.q.Sort[0].Field.Type == query.Instant {
			all.index = l.columns[0]
		}
		return []part{all}
	}
	field, column := l.q.Sort[0].Field, "l."+l.columns[0]
	none := part{where: " AND " + column + " IS NULL", by: slices.Clone(l.keys[2:])}
	if len(values) > 0 && values[0] == int64(1) {
		return []part{none}
	}
	if field.Type != query.Set || !l.q.Sort[0].Down {
		some := part{where: " AND " + column + " IS NOT NULL", index: l.columns[0], by: slices.Clone(l.keys[1:])}
		some.by[0].sql = column
		return []part{some, none}
	}
	var out []part
	for place := float64(len(field.Allowed) - 1); place >= -1; place-- {
		if len(values) == 0 || values[1] == nil || place <= values[1].(float64) { //nolint:forcetypeassert // as the key is
			out = append(out, part{where: " AND " + column + " = ?", args: []any{place}, index: l.columns[0], by: slices.Clone(l.keys[2:])})
		}
	}
	return append(out, none)
}

// missingSQL ends the key that says whether a value is missing.
const missingSQL = " IS NULL THEN CAST(1 AS BIGINT) ELSE 0 END"

// from is the narrow rows, of which SQLite is told the index: it knows nothing about how many rows have which values.
func (l *listing) from(column string) string {
	if l.postgres || l.past || column == "" {
		return "desk_lists l"
	}
	return "desk_lists l INDEXED BY desk_lists_" + strings.TrimSuffix(column, "_at")
}

// lookedUp is the column whose index the driver looks up, "" for none.
func (l *listing) lookedUp() string {
	if l.driver < 0 {
		return ""
	}
	if t, ok := l.terms[l.driver].(query.Term); ok && t.Field.Place != query.InShares {
		return t.Field.Column
	}
	return ""
}

// Up to how many rows are passed over in walking, and are found by an index when walking did not fill the page: looking
// at all of the list costs less then.
const (
	mostPassed = 2000
	someFit    = 10_000
)

// part reads rows of one part past the values. What is looked for may have to do with the order, so that walking passes
// over all of the list, at the price of a look at each row: it goes so far only.
func (l *listing) part(ctx context.Context, how way, fit int, p part, values []any, limit int) ([]recordRow, [][]any, error) {
	bounded := p
	if how == walked && !l.postgres && len(l.terms) > 0 && p.index != "" && strings.HasPrefix(p.by[0].sql, "l.") {
		end, err := l.end(ctx, p, values)
		if err != nil {
			return nil, nil, err
		}
		if end != nil {
			sign := " <= ?"
			if p.by[0].down {
				sign = " >= ?"
			}
			bounded.where, bounded.args = p.where+" AND "+p.by[0].sql+sign, append(slices.Clone(p.args), end)
		}
	}
	rows, marks, err := l.ask(ctx, how, bounded, values, limit)
	if err != nil || len(rows) == limit || len(bounded.args) == len(p.args) {
		return rows, marks, err
	}
	if how = scanned; l.driver >= 0 && fit <= someFit {
		how = found
	}
	return l.ask(ctx, how, p, values, limit)
}

// ask reads rows of one part past the values in a way.
func (l *listing) ask(ctx context.Context, how way, p part, values []any, limit int) ([]recordRow, [][]any, error) {
	if how == found {
		l = l.byWords()
	}
	query, args := l.query(how, p, values, limit)
	return l.read(ctx, query, args, len(p.by))
}

// end returns the value of the first key at which walking ends, nil where the part does.
func (l *listing) end(ctx context.Context, p part, values []any) (end any, err error) {
	alone := *l
	alone.terms, alone.driver = nil, -1
	where, args := alone.condition(false)
	where, args = where+p.where, append(args, p.args...)
	if len(values) > 0 {
		sign := " >= ?"
		if p.by[0].down {
			sign = " <= ?"
		}
		where, args = where+" AND "+p.by[0].sql+sign, append(args, values[len(values)-len(p.by)])
	}
	order, _ := order(p.by[:1])
	err = l.single(ctx, "SELECT "+p.by[0].sql+" FROM "+l.from(p.index)+" WHERE "+where+order+limited(1)+" OFFSET "+strconv.Itoa(mostPassed), args, &end)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return end, err
}

// query returns the statement that reads rows of one part past the values.
func (l *listing) query(how way, p part, values []any, limit int) (string, []any) {
	index, walk := l.lookedUp(), how == walked
	where, args := l.condition(how == found || walk && index != "" && index == p.index)
	if how != found {
		index = ""
	}
	if walk {
		index = p.index
	}
	if !walk && !l.postgres {
		p.where = strings.ReplaceAll(p.where, "l.", "+l.")
	}
	where, args = where+p.where, append(args, p.args...)
	if len(values) > 0 {
		values = values[len(values)-len(p.by):]
		cond, more := past(p.by, values)
		where, args = where+" AND "+cond, append(args, more...)
		if strings.HasPrefix(p.by[0].sql, "l.") { // where the index begins
			sign := " >= ?"
			if p.by[0].down {
				sign = " <= ?"
			}
			column := p.by[0].sql
			if !walk && !l.postgres {
				column = "+" + column
			}
			where, args = where+" AND "+column+sign, append(args, values[0])
		}
	}
	inner, outer := make([]string, len(p.by)), make([]string, len(p.by))
	for i, k := range p.by {
		inner[i], outer[i] = k.sql, k.sql
		if !walk && !l.postgres && !(how == found && len(l.columns) == 0 && l.inOrder()) {
			inner[i] = "+" + inner[i]
		}
		if k.down {
			inner[i], outer[i] = inner[i]+" DESC", outer[i]+" DESC"
		}
	}
	columns := recordFields
	for _, k := range l.keys {
		columns += ", " + k.sql
	}
	l.hint = ""
	if l.past && walk && !l.postgres && index != "" {
		l.hint = " INDEXED BY desk_lists_" + strings.TrimSuffix(index, "_at")
	}
	from := l.from(index) + " WHERE " + where + " ORDER BY " + strings.Join(inner, ", ") + limited(limit)
	if l.past {
		return l.keysOf(inner, from), args
	}
	// What is inside needs no more than the index has, often.
	return "SELECT " + columns + " FROM (SELECT l.seq FROM " + from +
		") x CROSS JOIN desk_lists l CROSS JOIN desk_records r WHERE l.list = ? AND l.seq = x.seq AND r.id = l.id ORDER BY " + strings.Join(outer, ", "), append(args, l.list)
}

// inOrder reports whether the index of the driver has the rows in the order of their creation: it looks up one value.
func (l *listing) inOrder() bool {
	t, ok := l.terms[l.driver].(query.Term)
	return ok && t.Field.Column != "" && len(t.Values) == 1 && t.Op == query.Is && (t.Field.Type == query.Text || t.Field.Type == query.Set)
}

// read reads the rows of a statement that sorts by a number of keys.
func (l *listing) read(ctx context.Context, query string, args []any, keys int) (found []recordRow, marks [][]any, err error) {
	if l.past {
		return l.then(ctx, query, args, keys)
	}
	if l.q.Where != nil {
		query = Once + query
	}
	rows, err := l.Desk.query(ctx, query, args...)
	if err != nil {
		return nil, nil, fmt.Errorf("read records: %w", err)
	}
	err = each(rows, func(scan func(...any) error) error {
		into, values := targets(l.keys)
		r, err := scanRecordAnd(scan, into...)
		found, marks = append(found, r), append(marks, values())
		return err
	})
	return found, marks, err
}

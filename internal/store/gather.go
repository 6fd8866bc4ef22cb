package store

import (
	"strings"
	"sync"
)

// fewGathered is how many statements are worth looking at what of them is alike. What one turn writes is less.
const fewGathered = 64

// portions are how many rows one statement has that was gathered, so that there are few shapes of it.
var portions = []int{64, 16, 4, 1} //nolint:gochecknoglobals // a table

// A plain statement inserts one row of values and looks at nothing. touches are the tables that any other statement
// names.
type plain struct {
	table, head, row string   // of a plain one; table is empty for any other
	touches          []string // of any other
}

// shapes keeps what is known of statements by their SQL.
var shapes sync.Map //nolint:gochecknoglobals // SQL → plain

func plainOf(sql string) plain {
	if p, ok := shapes.Load(sql); ok {
		return p.(plain) //nolint:forcetypeassert // only we store here
	}
	p := parsePlain(sql)
	if !strings.HasPrefix(sql, Once) && len(sql) < 2000 { // not what has a shape of its own
		shapes.Store(sql, p)
	}
	return p
}

func parsePlain(sql string) (p plain) {
	const values = ") VALUES "
	if rest, ok := strings.CutPrefix(sql, "INSERT INTO "); ok {
		table, columns, _ := strings.Cut(rest, " (")
		_, row, found := strings.Cut(columns, values)
		if inner := strings.TrimSuffix(strings.TrimPrefix(row, "("), ")"); found && len(inner) == len(row)-2 && !strings.ContainsAny(inner, "()") {
			return plain{table: table, head: sql[:len(sql)-len(row)], row: row}
		}
	}
	for _, t := range Tables() {
		if strings.Contains(sql, t.Name) {
			p.touches = append(p.touches, t.Name)
		}
	}
	return p
}

// gather makes one statement of many that insert rows into the same table. A row goes before what was said ahead of it
// only where that does not name its table.
func gather(in []Statement) []Statement {
	if len(in) < fewGathered {
		return in
	}
	type group struct {
		plain
		of []Statement
	}
	var groups []*group
	open := make(map[string]*group) // by table
	for _, s := range in {
		p := plainOf(s.SQL)
		if g := open[p.table]; p.table != "" && g != nil && g.head == p.head && g.row == p.row {
			g.of = append(g.of, s)
			continue
		}
		g := &group{p, []Statement{s}}
		groups = append(groups, g)
		for _, t := range p.touches {
			delete(open, t)
		}
		if p.table != "" {
			open[p.table] = g
		}
	}
	out := make([]Statement, 0, len(groups))
	for _, g := range groups {
		if g.table == "" {
			out = append(out, g.of...)
			continue
		}
		out = append(out, joined(g.head, g.row, "", g.of)...)
	}
	return out
}

// joined are statements that insert rows, with several rows each.
func joined(head, row, tail string, of []Statement) (out []Statement) {
	for len(of) > 0 {
		n := 1
		for _, p := range portions {
			if n = p; n <= len(of) {
				break
			}
		}
		args := make([]any, 0, n*len(of[0].Args))
		for _, s := range of[:n] {
			args = append(args, s.Args...)
		}
		out, of = append(out, Statement{head + rowsOf(row, n) + tail, args}), of[n:]
	}
	return out
}

// alike makes one statement of many that are the same one after the other and write a row each, of different keys.
func alike(in []Statement) (out []Statement) {
	if len(in) < fewGathered {
		return in
	}
	for len(in) > 0 {
		n := 1
		for n < len(in) && in[n].SQL == in[0].SQL {
			n++
		}
		head, rest, found := strings.Cut(in[0].SQL, ") VALUES ")
		row, tail, conflict := strings.Cut(rest, " ON CONFLICT ")
		if found && conflict {
			out = append(out, joined(head+") VALUES ", row, " ON CONFLICT "+tail, in[:n])...)
		} else {
			out = append(out, in[:n]...)
		}
		in = in[n:]
	}
	return out
}

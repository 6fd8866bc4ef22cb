package postgres

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"chela/internal/store"
)

// Bounds of joining: what is longer, or has to be done in more turns, goes as it is, and of shapes no more are kept.
const (
	mostJoined = 40
	mostTurns  = 4
	mostShapes = 300
)

// joins keeps which tables statements read and write, and which statements were joined.
type joins struct {
	touched sync.Map // SQL → touches
	mu      sync.Mutex
	shapes  map[string]bool // joined statements
}

// touches are the tables of a statement. One that writes none cannot be joined.
type touches struct {
	writes string
	reads  []string
}

// join makes few statements of many that change rows and whose outcomes nobody asks for: those that do not depend on each other
// are one, which the server plans, locks and runs at once. The parts of one statement do not see what the others write, so a part
// that reads or writes a table which another has written before it goes into the next.
func (b *Backend) join(in []store.Statement) []store.Statement {
	if len(in) < 2 || len(in) > mostJoined {
		return in
	}
	var out []store.Statement
	var turns [][]store.Statement
	read, written := make(map[string]int), make(map[string]int) // in which turn a table is last, counted from 1
	flush := func() {
		for _, t := range turns {
			out = append(out, b.one(t)...)
		}
		turns = nil
		clear(read)
		clear(written)
	}
	for _, s := range in {
		t := b.touches(s.SQL)
		if t.writes == "" {
			flush()
			out = append(out, s)
			continue
		}
		turn := max(written[t.writes]+1, read[t.writes], 1)
		for _, r := range t.reads {
			turn = max(turn, written[r]+1)
		}
		if turn > mostTurns {
			return in
		}
		for len(turns) < turn {
			turns = append(turns, nil)
		}
		turns[turn-1] = append(turns[turn-1], s)
		written[t.writes] = turn
		for _, r := range t.reads {
			read[r] = max(read[r], turn)
		}
	}
	flush()
	return out
}

// one joins statements that do not depend on each other.
func (b *Backend) one(in []store.Statement) []store.Statement {
	if len(in) < 2 {
		return in
	}
	var sql strings.Builder
	var args []any
	for i, s := range in {
		switch {
		case i == 0:
			sql.WriteString("WITH j0 AS (" + s.SQL)
		case i < len(in)-1:
			sql.WriteString("), j" + strconv.Itoa(i) + " AS (" + s.SQL)
		default:
			sql.WriteString(") " + s.SQL)
		}
		args = append(args, s.Args...)
	}
	if !b.joins.keep(sql.String()) {
		return in
	}
	return []store.Statement{{SQL: sql.String(), Args: args}}
}

// keep reports whether a joined statement may be sent: there is an end of those that connections prepare.
func (j *joins) keep(shape string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.shapes[shape] {
		return true
	}
	if len(j.shapes) >= mostShapes {
		return false
	}
	if j.shapes == nil {
		j.shapes = make(map[string]bool)
	}
	j.shapes[shape] = true
	return true
}

// touches finds the tables of a statement.
func (b *Backend) touches(sql string) touches {
	if t, ok := b.joins.touched.Load(sql); ok {
		return t.(touches) //nolint:forcetypeassert // only we store here
	}
	t := touchesOf(sql)
	if !strings.HasPrefix(sql, store.Once) {
		b.joins.touched.Store(sql, t)
	}
	return t
}

// touchesOf reads the tables off our own SQL: a name after INTO, FROM, JOIN, UPDATE, or a comma that may be of a list of tables.
// A column that has a table's name there makes a statement wait for what it need not.
func touchesOf(sql string) (t touches) {
	words := strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ", ",", " , ", "=", " = ").Replace(sql))
	if len(words) < 3 {
		return t
	}
	switch words[0] {
	case "INSERT", "DELETE":
		t.writes = words[2]
	case "UPDATE":
		t.writes = words[1]
	default:
		return t
	}
	if slices.Contains(words, "RETURNING") { // somebody asks
		return touches{}
	}
	for i, w := range words[1:] {
		if before := words[i]; tables[w] && slices.Contains([]string{"INTO", "FROM", "JOIN", "UPDATE", ","}, before) && !(w == t.writes && i <= 1) && !slices.Contains(t.reads, w) {
			t.reads = append(t.reads, w)
		}
	}
	return t
}

// tables are ours, by name.
var tables = func() map[string]bool { //nolint:gochecknoglobals // a table
	out := make(map[string]bool)
	for _, t := range store.Tables() {
		out[t.Name] = true
	}
	return out
}()

package store

import (
	"slices"
	"strconv"
	"strings"

	"chela/internal/desk"
	"chela/internal/query"
)

// A narrowed writes conditions over desk_lists l, whose rows are narrow. What they do not have is looked for in the
// record itself.
type narrowed struct {
	condition
	list     int64
	project  string
	statuses []string
	plus     string // before a column that no index shall be looked up by
}

func (n *narrowed) column(name string) string { return n.plus + "l." + name }

// where is as [condition.where].
func (n *narrowed) where(e query.Expr) string {
	switch e := e.(type) {
	case query.And:
		return n.joined(e, " AND ")
	case query.Or:
		return n.joined(e, " OR ")
	case query.Not:
		return "NOT " + n.where(e.Of)
	case query.Match:
		return n.match(e.Words)
	case query.Term:
		return n.term(e)
	case query.Among:
		return "(" + n.column("seq") + " " + n.among(e) + ")"
	}
	panic("store: no SQL for a condition of another type")
}

func (n *narrowed) joined(all []query.Expr, by string) string {
	out := make([]string, len(all))
	for i, e := range all {
		out[i] = n.where(e)
	}
	return "(" + strings.Join(out, by) + ")"
}

func (n *narrowed) match(words string) string {
	if n.postgres {
		return strings.ReplaceAll(n.condition.match(words), "r.", "l.")
	}
	sought, err := query.Seek(words)
	if err != nil {
		return "1 = 0" // it was refused when it was parsed
	}
	n.arg(n.sought(sought))
	stands := n.column("seq") + " IN (SELECT s.rowid FROM desk_search s WHERE " + n.found() + ")"
	if !n.past {
		return "(" + stands + ")"
	}
	n.arg(n.hadThen(sought))
	return "(CASE WHEN l.earlier = 0 THEN " + stands + " ELSE l.id IN (SELECT j.value FROM json_each(?) j) END)"
}

func (n *narrowed) term(t query.Term) string {
	switch {
	case t.Field.Place == query.InShares:
		return n.owned(t)
	case t.Field.Place == query.InRefs:
		return strings.ReplaceAll(n.linked(t), "r.id", "l.id")
	case t.Field.Place == query.InStatus:
		return n.open(t)
	case desk.InValues(t):
		return n.listed(t)
	case t.Field.Column != "" && n.fits(t):
		out := make([]string, 0, len(t.Values))
		if all, ok := n.oneOf(t); ok {
			return all
		}
		for _, v := range t.Values {
			out = append(out, n.compared(t, v))
		}
		return "(" + strings.Join(out, " OR ") + ")"
	}
	return n.inRecord(t)
}

// inRecord looks for a term in the record itself.
func (n *narrowed) inRecord(t query.Term) string {
	return "EXISTS (SELECT 1 FROM desk_records r WHERE r.id = l.id AND " + n.condition.term(t) + ")"
}

// looksIntoRecords reports whether a condition needs more than narrow rows have.
func (n *narrowed) looksIntoRecords(e query.Expr) bool {
	switch e := e.(type) {
	case query.And:
		return slices.ContainsFunc(e, n.looksIntoRecords)
	case query.Or:
		return slices.ContainsFunc(e, n.looksIntoRecords)
	case query.Not:
		return n.looksIntoRecords(e.Of)
	case query.Term:
		switch e.Field.Place {
		case query.InShares, query.InRefs, query.InStatus:
			return false
		case query.InColumn, query.InBody:
		}
		return !desk.InValues(e) && (e.Field.Column == "" || !n.fits(e))
	}
	return false
}

func (n *narrowed) listed(t query.Term) string {
	return "(" + n.column("seq") + " IN (" + n.having(t) + "))"
}

// having selects the numbers of the rows that have one of the values of a term.
func (n *narrowed) having(t query.Term) string {
	n.arg(n.list, t.Field.Path)
	for _, v := range t.Values {
		n.arg(strings.ToLower(v.Text))
	}
	return "SELECT v.seq FROM desk_values v WHERE v.list = ? AND v.field = ? AND v.value IN (" + marks(len(t.Values)) + ")"
}

// owned asks for the people of assignments.
func (n *narrowed) owned(t query.Term) string {
	out := make([]string, len(t.Values))
	for i, v := range t.Values {
		if v.None {
			out[i] = n.column(desk.OwnerColumn) + " IS NULL"
			continue
		}
		out[i] = n.column("seq") + " IN (" + n.heldBy(t.Op, v) + ")"
	}
	return "(" + strings.Join(out, " OR ") + ")"
}

// heldBy selects the numbers of the rows that people have whom a value means.
func (n *narrowed) heldBy(op query.Op, v query.Value) string {
	n.arg(n.list)
	return "SELECT v.seq FROM desk_values v WHERE v.list = ? AND v.field = 'owner' AND v.value IN (" + n.people(op, v) + ")"
}

// people selects the ids of those whom a value means.
func (n *narrowed) people(op query.Op, v query.Value) string {
	n.arg(n.project)
	cond := ""
	if op == query.Contains {
		cond = n.contains("p.identity", personName(v.Text))
	} else {
		n.arg(v.Text)
		cond = "(p.id = ? OR " + n.contains("' ' || p.identity || ' '", " "+personName(v.Text)+" ") + ")"
	}
	return "SELECT p.id FROM desk_records p WHERE p.project = ? AND p.kind = 'resource' AND p.deleted = 0 AND " + cond
}

// open compares whether the status is none of those that end.
func (n *narrowed) open(t query.Term) string {
	out := make([]string, len(t.Values))
	for i, v := range t.Values {
		switch {
		case v.None:
			out[i] = "1 = 0" // it is always set
		case v.Text == "true":
			out[i] = n.isOver(t.Field, " NOT IN ")
		default:
			out[i] = n.isOver(t.Field, " IN ")
		}
	}
	return "(" + strings.Join(out, " OR ") + ")"
}

func (n *narrowed) isOver(f query.Field, in string) string {
	places := make([]string, len(f.Over))
	for i, s := range f.Over {
		places[i] = strconv.Itoa(slices.Index(n.statuses, s))
	}
	return "coalesce(" + n.column("n0") + ", -1)" + in + "(" + strings.Join(places, ", ") + ")"
}

// fits reports whether a column of the narrow row decides a term: it has the beginning of a long text only.
func (n *narrowed) fits(t query.Term) bool {
	if t.Field.Type != query.Text && t.Field.Type != query.Ref && t.Field.Type != query.Day {
		return true
	}
	return !slices.ContainsFunc(t.Values, func(v query.Value) bool {
		return !v.None && t.Field.Type != query.Day && (v.Text == "" || len(strings.ToLower(v.Text)) >= desk.CutFrom)
	})
}

// oneOf writes texts, or values of a closed set, of which any will do as a list, which an index finds.
func (n *narrowed) oneOf(t query.Term) (string, bool) {
	if slices.ContainsFunc(t.Values, func(v query.Value) bool { return v.None }) {
		return "", false
	}
	var wanted []any
	for _, v := range t.Values {
		switch {
		case t.Field.Type == query.Set:
			for _, f := range t.Fitting(v) {
				wanted = append(wanted, float64(slices.Index(t.Field.Allowed, f)))
			}
		case t.Field.Type == query.Text && t.Op == query.Is:
			wanted = append(wanted, strings.ToLower(v.Text))
		default:
			return "", false
		}
	}
	if len(wanted) == 0 {
		return "1 = 0", true
	}
	n.arg(wanted...)
	c := n.column(t.Field.Column)
	return "(" + c + " IS NOT NULL AND " + c + " IN (" + marks(len(wanted)) + "))", true
}

func (n *narrowed) compared(t query.Term, v query.Value) string {
	c := n.column(t.Field.Column)
	set := "(" + c + " IS NOT NULL AND "
	switch {
	case v.None && (t.Field.Type == query.Instant || t.Field.Type == query.Flag):
		return "1 = 0" // they are always set
	case v.None:
		return c + " IS NULL"
	case t.Field.Type == query.Number:
		n.arg(v.Number)
		return set + c + " " + sign(t.Op) + " ?)"
	case t.Field.Type == query.Instant:
		return n.within(t.Op, c, micros(v.From), micros(v.To))
	case t.Field.Type == query.Day: // with a time or without: what is after its day is after the day
		return set + n.within(t.Op, c, string(desk.DateOf(v.From)), string(desk.DateOf(v.To))) + ")"
	case t.Field.Type == query.Flag:
		n.arg(float64(flag(v.Text == "true")))
		return "(coalesce(" + c + ", 0) = ?)"
	case t.Field.Type == query.Set:
		fits := t.Fitting(v)
		if len(fits) == 0 {
			return "1 = 0"
		}
		for _, f := range fits {
			n.arg(float64(slices.Index(t.Field.Allowed, f)))
		}
		return set + c + " IN (" + marks(len(fits)) + "))"
	case t.Op == query.Contains:
		out := set + n.contains(c, strings.ToLower(v.Text)) + ")"
		rest := t
		rest.Values = []query.Value{v}
		return "(" + out + " OR coalesce(octet_length(" + c + "), 0) >= " + strconv.Itoa(desk.CutFrom) + " AND " + n.inRecord(rest) + ")"
	}
	n.arg(strings.ToLower(v.Text))
	return set + c + " = ?)"
}

// byStatus decides an expression by the status alone, when that decides it.
func byStatus(e query.Expr, status string) (fits, decided bool) {
	switch e := e.(type) {
	case query.And:
		fits = true
		for _, x := range e {
			one, ok := byStatus(x, status)
			if !ok {
				return false, false
			}
			fits = fits && one
		}
		return fits, true
	case query.Or:
		for _, x := range e {
			one, ok := byStatus(x, status)
			if !ok {
				return false, false
			}
			fits = fits || one
		}
		return fits, true
	case query.Not:
		fits, decided = byStatus(e.Of, status)
		return !fits, decided
	case query.Term:
		return termByStatus(e, status)
	}
	return false, false
}

func termByStatus(t query.Term, status string) (fits, decided bool) {
	for _, v := range t.Values {
		switch {
		case t.Field.Place == query.InStatus:
			over := slices.Contains(t.Field.Over, status)
			fits = fits || !v.None && (v.Text == "true") != over
		case t.Field.Place == query.InColumn && t.Field.Path == "status" && t.Field.Type == query.Set:
			if v.None {
				fits = fits || status == ""
			} else {
				fits = fits || slices.Contains(t.Fitting(v), status)
			}
		default:
			return false, false
		}
	}
	return fits, true
}

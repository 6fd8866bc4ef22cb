package store

import (
	"fmt"
	"strings"

	"chela/internal/desk"
	"chela/internal/query"
)

// A condition is written as SQL over desk_records r. Every one is true or false,
// never NULL, so that NOT means what people mean.
type condition struct {
	postgres bool
	args     []any
	past     bool                // of records as they were
	had      map[string][]string // words → which records had them that were superseded since
}

func (f *condition) arg(values ...any) { f.args = append(f.args, values...) }

// where returns the condition; its arguments are added to args in their order.
func (f *condition) where(e query.Expr) string {
	switch e := e.(type) {
	case query.And:
		return f.joined(e, " AND ")
	case query.Or:
		return f.joined(e, " OR ")
	case query.Not:
		return "NOT " + f.where(e.Of)
	case query.Match:
		return f.match(e.Words)
	case query.Term:
		return f.term(e)
	case query.Among:
		return "(r.seq " + f.among(e) + ")"
	}
	panic(fmt.Sprintf("store: no SQL for the condition %T", e))
}

// among asks whether a position is one of those of records that are known.
func (f *condition) among(e query.Among) string {
	if e.But {
		return "NOT IN (" + f.seqsOf(e.IDs) + ")"
	}
	return "IN (" + f.seqsOf(e.IDs) + ")"
}

// seqsOf selects the positions of records of these ids.
func (f *condition) seqsOf(ids []string) string {
	if f.postgres {
		f.arg(strings.Join(ids, ","))
		return "SELECT x.seq FROM unnest(string_to_array(?, ',')) j (id) JOIN desk_records x ON x.id = j.id"
	}
	list := "[]"
	if len(ids) > 0 {
		list = `["` + strings.Join(ids, `","`) + `"]`
	}
	f.arg(list)
	return "SELECT x.seq FROM json_each(?) j CROSS JOIN desk_records x ON x.id = j.value"
}

func (f *condition) joined(all []query.Expr, by string) string {
	out := make([]string, len(all))
	for i, e := range all {
		out[i] = f.where(e)
	}
	return "(" + strings.Join(out, by) + ")"
}

func (f *condition) match(words string) string {
	sought, err := query.Seek(words)
	if err != nil {
		return "1 = 0" // it was refused when it was parsed
	}
	f.arg(f.sought(sought))
	if f.past {
		return f.matched(sought)
	}
	in := "(r.id IN (SELECT s.id FROM desk_search s WHERE " + f.found() + "))"
	if f.postgres {
		in += " IS TRUE" // asked once and hashed; a join would be planned for the few rows that are expected
	}
	return "(" + in + ")"
}

// matched is as match for records as they were: the index knows the words of those alone that still stand.
func (f *condition) matched(s query.Sought) string {
	if f.postgres {
		f.arg(strings.Join(f.had[wordsKey(s)], ","))
		return "(CASE WHEN r.earlier = 0 THEN r.id IN (SELECT s.id FROM desk_search s WHERE " + f.found() + ") ELSE r.id = ANY (string_to_array(?, ',')) END)"
	}
	f.arg(f.hadThen(s))
	return "(CASE WHEN r.earlier = 0 THEN r.id IN (SELECT s.id FROM desk_search s WHERE " + f.found() + ") ELSE r.id IN (SELECT j.value FROM json_each(?) j) END)"
}

// hadThen are the ids of the records that were superseded since and had the words, as JSON.
func (f *condition) hadThen(s query.Sought) string {
	return `["` + strings.Join(f.had[wordsKey(s)], `","`) + `"]`
}

func (f *condition) term(t query.Term) string {
	if t.Field.Place == query.InRefs || t.Field.Place == query.InShares {
		return f.linked(t)
	}
	if t.Field.Many {
		return f.list(t)
	}
	return f.any(t, f.value(t.Field))
}

// value is where the single value of a field is; what is not set is NULL or empty.
func (f *condition) value(field query.Field) string {
	if field.Place == query.InColumn {
		return f.typed(field, "r."+field.Path)
	}
	if field.Place == query.InStatus {
		yes, no := "1", "0"
		if f.postgres {
			yes, no = "'true'", "'false'"
		}
		return "(CASE WHEN r.status IN ('" + strings.Join(field.Over, "', '") + "') THEN " + no + " ELSE " + yes + " END)"
	}
	if !f.postgres {
		return memberOf(field.Path, func(at, path string) string { return "json_extract(" + at + ", '$." + path + field.Path + "')" })
	}
	return f.typed(field, memberOf(field.Path, func(at, path string) string {
		if path != "" {
			path = "-> 'set' "
		}
		return "(desk_json(" + at + ") " + path + "->> '" + field.Path + "')"
	}))
}

func (f *condition) typed(field query.Field, text string) string {
	if f.postgres && field.Type == query.Number {
		return "CAST(" + text + " AS DOUBLE PRECISION)"
	}
	return text
}

// list asks whether any element of a list fits, or for none whether no element holds
// anything.
func (f *condition) list(t query.Term) string {
	from, element := "json_each("+bodySQL+", '$."+t.Field.Path+"') e", "e.value"
	if t.Field.Sub != "" {
		element = "json_extract(e.value, '$." + t.Field.Sub + "')"
	}
	if f.postgres {
		at := "desk_json(" + bodySQL + ") -> '" + t.Field.Path + "'"
		from, element = "jsonb_array_elements(CASE WHEN jsonb_typeof("+at+") = 'array' THEN "+at+" ELSE '[]' END) e", "(e.value #>> '{}')"
		if t.Field.Sub != "" {
			element = "(e.value ->> '" + t.Field.Sub + "')"
		}
		element = f.typed(t.Field, element)
	}
	var out []string
	rest := t
	rest.Values = nil
	for _, v := range t.Values {
		if v.None {
			out = append(out, "NOT EXISTS (SELECT 1 FROM "+from+" WHERE NOT "+unset(t.Field, element)+")")
			continue
		}
		rest.Values = append(rest.Values, v)
	}
	if len(rest.Values) > 0 {
		out = append(out, "EXISTS (SELECT 1 FROM "+from+" WHERE "+f.any(rest, element)+")")
	}
	return "(" + strings.Join(out, " OR ") + ")"
}

func unset(field query.Field, value string) string {
	switch field.Type {
	case query.Number, query.Instant:
		return "(" + value + " IS NULL)"
	case query.Presence:
		return "(coalesce(" + value + ", '') IN ('', '[]', '{}'))"
	case query.Flag:
		return "1 = 0" // what is not set is false
	case query.Text, query.Set, query.Day, query.Ref, query.Person:
	}
	return "(coalesce(" + value + ", '') = '')"
}

// any asks whether a value is one of those of the term.
func (f *condition) any(t query.Term, value string) string {
	out := make([]string, len(t.Values))
	for i, v := range t.Values {
		if v.None {
			out[i] = unset(t.Field, value)
		} else {
			out[i] = f.compare(t, v, value)
		}
	}
	return "(" + strings.Join(out, " OR ") + ")"
}

func (f *condition) compare(t query.Term, v query.Value, value string) string {
	switch t.Field.Type {
	case query.Number:
		f.arg(v.Number)
		return "(" + value + " IS NOT NULL AND " + value + " " + sign(t.Op) + " ?)"
	case query.Instant:
		return f.within(t.Op, value, micros(v.From), micros(v.To))
	case query.Day:
		day := "substr(coalesce(" + value + ", ''), 1, 10)"
		return "(" + day + " <> '' AND " + f.within(t.Op, day, string(desk.DateOf(v.From)), string(desk.DateOf(v.To))) + ")"
	case query.Flag:
		if f.postgres {
			f.arg(v.Text)
			return "(coalesce(" + value + ", 'false') = ?)"
		}
		f.arg(flag(v.Text == "true"))
		return "(coalesce(" + value + ", 0) = ?)"
	case query.Set:
		fits := t.Fitting(v)
		if len(fits) == 0 {
			return "1 = 0"
		}
		f.arg(anys(fits)...)
		return "(coalesce(" + value + ", '') IN (" + marks(len(fits)) + "))"
	case query.Text, query.Ref, query.Person, query.Presence:
	}
	return f.text(t.Op, v.Text, value)
}

func sign(op query.Op) string {
	if op == query.Is {
		return "="
	}
	return string(op)
}

// within compares with what a time means, which is not a point: > is after all of it.
func (f *condition) within(op query.Op, value string, from, to any) string {
	switch op {
	case query.More:
		f.arg(to)
		return value + " >= ?"
	case query.AtLeast:
		f.arg(from)
		return value + " >= ?"
	case query.Less:
		f.arg(from)
		return value + " < ?"
	case query.AtMost:
		f.arg(to)
		return value + " < ?"
	case query.Is, query.Contains:
	}
	f.arg(from, to)
	return "(" + value + " >= ? AND " + value + " < ?)"
}

// fold is a text in small letters. SQLite hands a text with a NUL character in it whole to a
// function only as bytes.
func (f *condition) fold(value string) string {
	value = "coalesce(" + value + ", '')"
	if !f.postgres {
		value = "CAST(" + value + " AS BLOB)"
	}
	return "desk_fold(" + value + ")"
}

func (f *condition) text(op query.Op, text, value string) string {
	text = strings.ToLower(text)
	value = f.fold(value)
	if op == query.Contains {
		return f.contains(value, text)
	}
	f.arg(text)
	return "(" + value + " = ?)"
}

// contains asks for a part of a text. LIKE would know signs, and on SQLite an end of what
// it can look for.
func (f *condition) contains(value, part string) string {
	f.arg(part)
	if f.postgres {
		return "(strpos(" + value + ", ?) > 0)"
	}
	return "(instr(" + value + ", ?) > 0)"
}

// linked asks for references, and for persons by assignments.
func (f *condition) linked(t query.Term) string {
	from, field := "desk_refs f WHERE f.from_id = r.id", []any{}
	if t.Field.Place == query.InShares {
		from = shares
		if f.past {
			from = sharesThen
		}
	} else if t.Field.Path != "" {
		from, field = from+" AND f.field = ?", []any{t.Field.Path}
	}
	out := make([]string, len(t.Values))
	for i, v := range t.Values {
		f.arg(field...)
		cond, not := "", ""
		switch {
		case v.None:
			not = "NOT "
		case t.Field.Place == query.InRefs:
			f.arg(v.Text)
			cond = " AND f.to_id = ?"
		case t.Op == query.Contains:
			cond = " AND " + f.contains("p.identity", personName(v.Text))
		default:
			f.arg(v.Text)
			cond = " AND (p.id = ? OR " + f.contains("' ' || p.identity || ' '", " "+personName(v.Text)+" ") + ")"
		}
		out[i] = not + "EXISTS (SELECT 1 FROM " + from + cond + ")"
	}
	return "(" + strings.Join(out, " OR ") + ")"
}

// shares are the persons p who have an assignment to r.
const shares = `desk_refs f JOIN desk_records a ON a.id = f.from_id AND a.kind = 'assignment' AND a.deleted = 0
	JOIN desk_refs g ON g.from_id = a.id AND g.field = 'resourceId' JOIN desk_records p ON p.id = g.to_id AND p.deleted = 0
	WHERE f.to_id = r.id AND f.field = 'ticketId'`

func personName(text string) string { return desk.Identity(&desk.ResourceBody{Name: text}) }

package answer

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"chela/internal/desk"
	"chela/internal/query"
)

// A test says whether a condition holds for a record.
type test func(*Record) bool

// compile makes a test of a condition over records of a kind. It holds for the records for which the
// store's lists have the condition hold.
func (s *Snapshot) compile(k desk.Kind, e query.Expr) test {
	switch e := e.(type) {
	case query.And:
		all := s.compileAll(k, e)
		return func(r *Record) bool {
			for _, t := range all {
				if !t(r) {
					return false
				}
			}
			return true
		}
	case query.Or:
		all := s.compileAll(k, e)
		return func(r *Record) bool {
			return slices.ContainsFunc(all, func(t test) bool { return t(r) })
		}
	case query.Not:
		t := s.compile(k, e.Of)
		return func(r *Record) bool { return !t(r) }
	case query.Match:
		return s.match(e.Words)
	case query.Term:
		return term(k, s.called(e))
	}
	return func(*Record) bool { return true } // no condition
}

// called has a term that asks who has a record mean people by their other names, too.
func (s *Snapshot) called(t query.Term) query.Term {
	if t.Field.Place != query.InShares || t.Op != query.Is {
		return t
	}
	more := slices.Clone(t.Values)
	for _, r := range s.byKind[desk.Resource] {
		b, ok := r.Thing.(*desk.ResourceBody)
		for _, v := range t.Values {
			if ok && !v.None && len(b.Aliases) > 0 && b.Answers(v.Text) {
				more = append(more, query.Value{Text: r.ID})
			}
		}
	}
	t.Values = more
	return t
}

func (s *Snapshot) compileAll(k desk.Kind, all []query.Expr) []test {
	out := make([]test, len(all))
	for i, e := range all {
		out[i] = s.compile(k, e)
	}
	return out
}

// match looks for all words, the last one by its beginning.
func (s *Snapshot) match(text string) test {
	sought, err := query.Seek(text)
	if err != nil {
		return func(*Record) bool { return false }
	}
	dict := s.dictionary()
	last := dict.like(sought.Words[len(sought.Words)-1])
	var whole []int32
	for _, w := range sought.Words[:len(sought.Words)-1] {
		n, ok := dict.exact(w)
		if !ok {
			return func(*Record) bool { return false }
		}
		whole = append(whole, n)
	}
	return func(r *Record) bool {
		terms := r.terms()
		for _, n := range whole {
			if _, ok := slices.BinarySearch(terms, n); !ok {
				return false
			}
		}
		return slices.ContainsFunc(terms, func(n int32) bool { return last[n] })
	}
}

// A value is one value of a field of a record.
type value struct {
	set    bool
	text   string
	number float64
	flag   bool
	at     time.Time // of an instant
}

// values returns a function that reads the values of a field: one, or those of a list.
func values(k desk.Kind, f query.Field) func(*Record) []value {
	if one := single(k, f); one != nil {
		return func(r *Record) []value { return []value{one(r)} }
	}
	switch f.Place {
	case query.InShares:
		return func(r *Record) []value { return texts(r.Owners) }
	case query.InRefs:
		return func(r *Record) []value {
			var out []string
			for _, ref := range desk.SummaryOf(r.Thing).Refs {
				if f.Path == "" || ref.Field == f.Path {
					out = append(out, ref.ID)
				}
			}
			return texts(out)
		}
	case query.InBody, query.InColumn, query.InStatus:
	}
	t := reflect.TypeOf(k.Zero()).Elem()
	path, _ := member(t, f.Path)
	if path == nil {
		return func(*Record) []value { return nil }
	}
	var sub []int
	subAlways := false
	if f.Sub != "" {
		if inner := t.FieldByIndex(path).Type; inner.Kind() == reflect.Slice {
			sub, subAlways = member(inner.Elem(), f.Sub)
		}
	}
	return func(r *Record) []value {
		v := reflect.ValueOf(r.Thing).Elem().FieldByIndex(path)
		out := make([]value, 0, v.Len())
		for i := range v.Len() {
			e := v.Index(i)
			if f.Sub != "" {
				out = append(out, valueOf(e.FieldByIndex(sub), subAlways))
			} else {
				out = append(out, valueOf(e, true))
			}
		}
		return out
	}
}

// single returns a function that reads the one value of a field; nil for fields that have several, or are not there.
func single(k desk.Kind, f query.Field) func(*Record) value {
	switch f.Place {
	case query.InColumn:
		if f.Path == "status" {
			return func(r *Record) value { return value{set: r.Status != "", text: r.Status} }
		}
		return func(r *Record) value { return column(r, f.Path) }
	case query.InStatus:
		return func(r *Record) value { return value{set: true, flag: !slices.Contains(f.Over, r.Status)} }
	case query.InShares, query.InRefs:
		return nil
	case query.InBody:
	}
	path, always := member(reflect.TypeOf(k.Zero()).Elem(), f.Path)
	switch {
	case path == nil || f.Many:
		return nil
	case len(path) == 1:
		at := path[0]
		return func(r *Record) value { return valueOf(reflect.ValueOf(r.Thing).Elem().Field(at), always) }
	}
	return func(r *Record) value { return valueOf(reflect.ValueOf(r.Thing).Elem().FieldByIndex(path), always) }
}

func texts(all []string) []value {
	out := make([]value, len(all))
	for i, t := range all {
		out[i] = value{set: t != "", text: t}
	}
	return out
}

// column reads what every record has.
func column(r *Record, path string) value {
	switch path {
	case "id":
		return value{set: true, text: r.ID}
	case "title":
		return value{set: r.Title != "", text: r.Title}
	case "status":
		return value{set: r.Status != "", text: r.Status}
	case "created_at":
		return value{set: true, at: r.CreatedAt}
	case "updated_at":
		return value{set: true, at: r.UpdatedAt}
	case "created_by":
		return value{set: r.CreatedBy != "", text: r.CreatedBy}
	case "updated_by":
		return value{set: r.UpdatedBy != "", text: r.UpdatedBy}
	case "version":
		return value{set: true, number: float64(r.Version)}
	}
	return value{}
}

// member finds a member by its JSON name; always says that it is written when it is empty, too.
func member(t reflect.Type, name string) (path []int, always bool) {
	for _, f := range reflect.VisibleFields(t) {
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if tag == name && f.IsExported() {
			return f.Index, !strings.Contains(options, "omitempty")
		}
	}
	return nil, false
}

func valueOf(v reflect.Value, always bool) value {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return value{}
		}
		v, always = v.Elem(), true
	}
	set := always || !v.IsZero()
	switch v.Kind() {
	case reflect.String:
		return value{set: v.String() != "", text: v.String()}
	case reflect.Float64, reflect.Float32:
		return value{set: set, number: v.Float()}
	case reflect.Int, reflect.Int64, reflect.Int32:
		return value{set: set, number: float64(v.Int())}
	case reflect.Bool:
		return value{set: true, flag: v.Bool()}
	case reflect.Slice, reflect.Map:
		return value{set: v.Len() > 0}
	default:
		return value{set: set}
	}
}

// term tests one comparison.
func term(k desk.Kind, t query.Term) test {
	if t.Field.Place == query.InShares {
		return func(r *Record) bool { return owned(r, t) }
	}
	holds := make([]func(value) bool, len(t.Values))
	for i, v := range t.Values {
		holds[i] = comparison(t, v)
	}
	if one := single(k, t.Field); one != nil {
		return func(r *Record) bool {
			x := one(r)
			for i, v := range t.Values {
				if v.None && !isSet(t.Field, x) || !v.None && holds[i](x) {
					return true
				}
			}
			return false
		}
	}
	read := values(k, t.Field)
	return func(r *Record) bool {
		all := read(r)
		for i, v := range t.Values {
			if v.None {
				if !slices.ContainsFunc(all, func(x value) bool { return isSet(t.Field, x) }) {
					return true
				}
				continue
			}
			if slices.ContainsFunc(all, holds[i]) {
				return true
			}
		}
		return false
	}
}

func isSet(f query.Field, v value) bool { return v.set || f.Type == query.Flag }

// owned asks for persons who have an assignment.
func owned(r *Record, t query.Term) bool {
	for _, v := range t.Values {
		if v.None {
			if len(r.Owners) == 0 {
				return true
			}
			continue
		}
		name := strings.ToLower(strings.Join(strings.Fields(v.Text), " "))
		for i, o := range r.Owners {
			o = strings.ToLower(strings.Join(strings.Fields(o), " "))
			if r.OwnerIDs[i] == v.Text || t.Op == query.Contains && strings.Contains(o, name) || t.Op != query.Contains && strings.Contains(" "+o+" ", " "+name+" ") {
				return true
			}
		}
	}
	return false
}

// comparison compares a value with what a term says.
func comparison(t query.Term, v query.Value) func(value) bool {
	switch t.Field.Type {
	case query.Number:
		return func(x value) bool { return x.set && fits(t.Op, compare(x.number, v.Number)) }
	case query.Instant:
		return func(x value) bool {
			return x.set && within(t.Op, x.at.UnixMicro(), v.From.UnixMicro(), v.To.UnixMicro())
		}
	case query.Day:
		from, to := string(desk.DateOf(v.From)), string(desk.DateOf(v.To))
		return func(x value) bool {
			return x.text != "" && within(t.Op, x.text[:min(len(x.text), len(time.DateOnly))], from, to)
		}
	case query.Flag:
		return func(x value) bool { return x.flag == (v.Text == "true") }
	case query.Set:
		at := slices.Index(t.Field.Allowed, v.Text)
		if at >= 0 && t.Op == query.Is {
			return func(x value) bool { return x.text == v.Text }
		}
		return func(x value) bool {
			i := slices.Index(t.Field.Allowed, x.text)
			return at >= 0 && i >= 0 && fits(t.Op, i-at)
		}
	case query.Text, query.Ref, query.Person, query.Presence:
	}
	text := strings.ToLower(v.Text)
	if t.Op == query.Contains {
		return func(x value) bool { return strings.Contains(strings.ToLower(x.text), text) }
	}
	return func(x value) bool {
		return len(x.text) == len(text) && x.text == text || strings.ToLower(x.text) == text
	}
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// fits reports whether an order is what an operator asks for.
func fits(op query.Op, order int) bool {
	switch op {
	case query.Less:
		return order < 0
	case query.AtMost:
		return order <= 0
	case query.More:
		return order > 0
	case query.AtLeast:
		return order >= 0
	case query.Is, query.Contains:
	}
	return order == 0
}

// within compares with what a time means, from its beginning until before its end.
func within[T int64 | string](op query.Op, x, from, to T) bool {
	switch op {
	case query.More:
		return x >= to
	case query.AtLeast:
		return x >= from
	case query.Less:
		return x < from
	case query.AtMost:
		return x < to
	case query.Is, query.Contains:
	}
	return x >= from && x < to
}

package desk

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"

	"chela/internal/fault"
	"chela/internal/query"
)

// A form is what the struct of a kind tells about its records.
type form struct {
	fields query.Fields
	codes  map[string]bool // members at the top that hold one of a few values, not words
}

// forms are read off the structs once, each when it is asked for.
var forms = func() map[Kind]func() form { //nolint:gochecknoglobals // a table, as specs is
	out := make(map[Kind]func() form, len(specs))
	for k := range specs {
		out[k] = sync.OnceValue(func() form { return formOf(k) })
	}
	return out
}()

// Fields returns what a list of records of a kind can be narrowed and sorted by: the
// members of its struct by their JSON names, of lists of structs "list.member", what every
// record has, and shorter names for some.
func Fields(k Kind) (query.Fields, error) {
	if _, err := k.spec(); err != nil {
		return query.Fields{}, err
	}
	return forms[k]().fields, nil
}

// shorter are other names of members.
var shorter = [][2]string{
	{"key", "externalRef"}, {"points", "storyPoints"}, {"due", "dueDate"}, {"label", "labels"}, {"tag", "tags"}, {"quote", "sources.quote"}, {"document", "sources.document"},
}

func formOf(k Kind) form {
	column := func(name string, t query.Type, path string) query.Field {
		return query.Field{Name: name, Type: t, Place: query.InColumn, Path: path}
	}
	all := []query.Field{
		column("id", query.Text, "id"), column("title", query.Text, "title"),
		column("created", query.Instant, "created_at"), column("updated", query.Instant, "updated_at"),
		column("createdBy", query.Text, "created_by"), column("updatedBy", query.Text, "updated_by"),
		column("version", query.Number, "version"),
		{Name: "refers", Type: query.Ref, Place: query.InRefs},
	}
	out := form{codes: make(map[string]bool)}
	has := func(name string) bool {
		_, ok := query.Fields{List: all}.Find(name)
		return ok
	}
	t := reflect.TypeOf(specs[k].make()).Elem()
	for _, f := range members(t, "") {
		if f.Type == query.Text && !f.Many && f.Place == query.InBody {
			if f.Allowed = allowed(k, f.Name); f.Allowed != nil {
				f.Type, out.codes[f.Name] = query.Set, true
			}
		}
		if f.Type == query.Set && isStatus(k, f) {
			f.Place, f.Path = query.InColumn, "status"
			if f.Name != "status" && !has("status") {
				all = append(all, query.Field{Name: "status", Type: query.Set, Allowed: f.Allowed, Place: query.InColumn, Path: "status"})
			}
		}
		if !has(f.Name) {
			all = append(all, f)
		}
	}
	if has("blockedBy") {
		all = append(all, query.Field{Name: "blocked", Type: query.Ref, Place: query.InRefs, Path: "blockedBy"})
	}
	if k == Ticket {
		all = append(all, query.Field{Name: "open", Type: query.Flag, Place: query.InStatus, Over: []string{string(Done), string(Closed)}})
	}
	if k.Owned() {
		all = append(all, query.Field{Name: "owner", Type: query.Person, Place: query.InShares})
	}
	narrow(k, all)
	for _, s := range shorter {
		if f, ok := (query.Fields{List: all}).Find(s[1]); ok && !has(s[0]) {
			f.Name = s[0]
			all = append(all, f)
		}
	}
	out.fields = query.Fields{Of: k.Word(), List: all}
	return out
}

// members returns the fields of a struct, of which the ones in a list are members of list.
func members(t reflect.Type, list string) []query.Field {
	var out []query.Field
	for i := range t.NumField() {
		m := t.Field(i)
		name, _, _ := strings.Cut(m.Tag.Get("json"), ",")
		inner := m.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if m.Anonymous && name == "" && inner.Kind() == reflect.Struct {
			out = append(out, members(inner, list)...)
			continue
		}
		if name == "" || name == "-" || !m.IsExported() {
			continue
		}
		f := query.Field{Name: name, Type: typeOf(inner), Place: query.InBody, Path: name}
		if list != "" {
			f.Name, f.Path, f.Sub, f.Many = list+"."+name, list, name, true
			if f.Type == query.Presence {
				continue // lists in lists
			}
		}
		if inner.Kind() == reflect.Slice && list == "" {
			switch of := inner.Elem(); of.Kind() {
			case reflect.String:
				f.Type, f.Many = query.Text, true
			case reflect.Struct:
				out = append(out, members(of, name)...)
			default:
			}
		}
		out = append(out, f)
	}
	return out
}

func typeOf(t reflect.Type) query.Type {
	if t == reflect.TypeFor[Date]() {
		return query.Day
	}
	switch t.Kind() {
	case reflect.String:
		return query.Text
	case reflect.Bool:
		return query.Flag
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		return query.Number
	default:
		return query.Presence
	}
}

// member returns the member of a thing with that JSON name, when it is a text.
func member(thing Thing, name string) (reflect.Value, bool) {
	v := reflect.ValueOf(thing).Elem()
	for _, f := range reflect.VisibleFields(v.Type()) {
		if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag == name && f.Type.Kind() == reflect.String {
			return v.FieldByIndex(f.Index), true
		}
	}
	return reflect.Value{}, false
}

// allowed asks the kind's own check what a member may be: it sets it to what nothing
// is, and puts something into every other member that the check misses. nil when
// anything will do.
func allowed(k Kind, name string) []string {
	thing := specs[k].make()
	v, ok := member(thing, name)
	if !ok {
		return nil
	}
	v.SetString("?")
	for range 20 {
		var bad *fault.Error
		if err := thing.Check(); !errors.As(err, &bad) || len(bad.Fields) == 0 {
			return nil
		}
		if bad.Fields[0].Name == name {
			return bad.Fields[0].Allowed
		}
		other, ok := member(thing, bad.Fields[0].Name)
		switch {
		case !ok:
			return nil
		case len(bad.Fields[0].Allowed) > 0:
			other.SetString(bad.Fields[0].Allowed[0])
		case other.Type() == reflect.TypeFor[Date]():
			other.SetString("2026-01-01")
		default:
			other.SetString("x")
		}
	}
	return nil
}

// isStatus reports whether a member is what the kind calls its status.
func isStatus(k Kind, f query.Field) bool {
	for _, value := range f.Allowed {
		thing := specs[k].make()
		if v, ok := member(thing, f.Name); ok {
			v.SetString(value)
		}
		if thing.status() != value {
			return false
		}
	}
	return len(f.Allowed) > 0
}

// Texts returns the words that people wrote into a record, its title first: what it is
// found by. Ids, digests and values of closed sets are left out.
func Texts(k Kind, thing Thing) []string {
	title := plainText(thing.title())
	if k.Association() {
		title = "" // ids
	}
	out := []string{title}
	prose(reflect.ValueOf(thing).Elem(), forms[k]().codes, func(text string) {
		if text = plainText(text); text != "" && !slices.Contains(out, text) && !isID(text) {
			out = append(out, text)
		}
	})
	return out
}

// technical are members that hold no words of people, wherever they are.
var technical = []string{"status", "by", "digest", "artifact", "binaryRef", "rawContentRef", "contentType", "imported", "set", "seen", "closedOn", "away"}

// A proseMember is a member of a struct that may have words of people.
type proseMember struct {
	at     int
	name   string
	inline bool
}

var proseMembers sync.Map //nolint:gochecknoglobals // what is computed of types is the same for all

// proseMembersOf returns the members of a struct that may have words of people.
func proseMembersOf(t reflect.Type) []proseMember {
	if had, ok := proseMembers.Load(t); ok {
		return had.([]proseMember) //nolint:forcetypeassert,errcheck // stored below
	}
	out := []proseMember{}
	for i := range t.NumField() {
		m := t.Field(i)
		name, _, _ := strings.Cut(m.Tag.Get("json"), ",")
		if m.Anonymous || m.IsExported() && !slices.Contains(technical, name) && !strings.HasSuffix(name, "Id") && !strings.HasSuffix(name, "Ids") {
			out = append(out, proseMember{i, name, m.Anonymous})
		}
	}
	proseMembers.Store(t, out)
	return out
}

func prose(v reflect.Value, codes map[string]bool, say func(string)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			prose(v.Elem(), codes, say)
		}
	case reflect.Slice:
		for i := range v.Len() {
			prose(v.Index(i), nil, say)
		}
	case reflect.Map:
		if v.Type().Elem().Kind() == reflect.String && v.Type().Key().Kind() == reflect.String {
			var keys []string
			for _, k := range v.MapKeys() {
				keys = append(keys, k.String())
			}
			slices.Sort(keys)
			for _, k := range keys {
				say(k)
				say(v.MapIndex(reflect.ValueOf(k).Convert(v.Type().Key())).String())
			}
		}
	case reflect.Struct:
		for _, m := range proseMembersOf(v.Type()) {
			if m.inline {
				prose(v.Field(m.at), codes, say)
			} else if !codes[m.name] {
				prose(v.Field(m.at), nil, say)
			}
		}
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() {
			say(v.String())
		}
	default:
	}
}

// isID reports whether a text is the id of a record.
func isID(s string) bool {
	prefix, rest, ok := strings.Cut(s, "_")
	if !ok || rest == "" || strings.ContainsAny(rest, " _") {
		return false
	}
	for _, sp := range specs {
		if sp.prefix == prefix {
			return true
		}
	}
	return false
}

package document

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"chela/internal/fault"
)

// listNames are the members that hold the records in exports of trackers, best first.
var listNames = []string{"issues", "tickets", "cards", "tasks", "stories", "items", "records", "nodes", "results", "values", "data"}

// readJSON makes a table of the list of objects that the document is or holds. A
// document without such a list stays text.
func readJSON(d Doc, text string, lim Limits) (Doc, error) {
	d.Kind = JSON
	list, end, roots, err := findList(text)
	if roots > 1 || err == nil && (list == nil || list.rank > len(listNames)) {
		if records := gathered(text); records != "" {
			text = records
			list, _, _, _ = findList(text) // what is wrong with the text is known
		}
	}
	if err != nil && list == nil {
		return d, fault.Wrap(err, fault.Invalid, "%s is not valid JSON: %s. Export it again.", d.Name, whereJSON(err, end))
	}
	if list == nil {
		d.Text = text
		return d, nil
	}
	g := newGrid(lim.Rows)
	records := json.NewDecoder(strings.NewReader(text[list.at-1:]))
	records.UseNumber()
	r := values{dec: records, text: text[list.at-1:]}
	if err == nil && list.rank == 1+slices.Index(listNames, "cards") {
		r.board = boardOf(text)
	}
	bad := r.records(g, &d)
	if err == nil {
		err = bad
	}
	if err != nil {
		if len(g.rows) == 0 {
			return d, fault.Wrap(err, fault.Invalid, "%s is not valid JSON: %s. Export it again.", d.Name, whereJSON(err, end))
		}
		d.Problems = append(d.Problems, Problem{fmt.Sprintf("record %d", len(g.rows)+g.left+1), fmt.Sprintf("%s breaks off after %d records: %s. What follows was left out; export it again.", d.Name, len(g.rows)+g.left, whereJSON(err, end))})
	}
	t, problems := g.table(d.Name)
	d.Tables, d.Problems = []Table{t}, append(d.Problems, problems...)
	return d, nil
}

// gathered makes a list of the records that a document is: one object with a title and a key,
// or several documents one behind the other, each an object or a list, as tools for the
// command line write them.
func gathered(text string) string {
	dec := json.NewDecoder(strings.NewReader(text))
	var records []string
	for n := 0; ; n++ {
		var raw json.RawMessage
		err := dec.Decode(&raw)
		if errors.Is(err, io.EOF) && n == 1 && !isRecord(records) {
			return ""
		}
		if err != nil { // the end; what cannot be read is told by whoever reads the list
			return "[" + strings.Join(records, ",") + "]"
		}
		part := strings.TrimSpace(string(raw))
		if inner, is := strings.CutPrefix(part, "["); is {
			part = strings.TrimSpace(strings.TrimSuffix(inner, "]"))
		}
		if part != "" {
			records = append(records, part)
		}
	}
}

// isRecord reports an object that is one record: it has a key and a title, or Jira's fields.
func isRecord(object []string) bool {
	var members map[string]json.RawMessage
	if len(object) != 1 || json.Unmarshal([]byte(object[0]), &members) != nil {
		return false
	}
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return members[n] != nil })
	}
	return has("key", "number", "iid", "idShort", "gid", "identifier") && has("title", "name", "summary", "fields")
}

var errDeep = fmt.Errorf("its values are nested more than %d deep", maxDepth)

// whereJSON says what is wrong with a JSON text that could be read up to a byte.
func whereJSON(err error, end int64) string {
	switch {
	case errors.Is(err, errDeep):
		return err.Error()
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Sprintf("it ends too early, at byte %d", end)
	}
	return fmt.Sprintf("it cannot be read behind byte %d", end)
}

// A list is an array of objects. at is behind its "[".
type list struct {
	at      int64
	rank    int // of its name; less is better
	objects int
}

// A level is an object or array that is open while a list is looked for.
type level struct {
	array bool
	name  string // of the member that holds it
	key   string // of the member that is read
	value bool   // the next token of an object is a value
	list
}

// findList walks through the text and returns the array that holds its records: the
// document itself, or the member with the best name that lies in objects alone. With an
// error it is the best as far as the text could be read, up to the byte end. roots are the
// documents in the text, one behind the other.
func findList(text string) (found *list, end int64, roots int, err error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var open []level
	var best *list
	keep := func(l level) {
		if !l.array || l.objects == 0 || l.rank < 0 {
			return
		}
		if best == nil || l.rank < best.rank || l.rank == best.rank && l.objects > best.objects {
			best = &l.list
		}
	}
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) && len(open) == 0 {
			return best, dec.InputOffset(), roots, nil
		}
		if err == nil && len(open) > maxDepth {
			err = errDeep
		}
		if err != nil {
			for _, l := range open {
				keep(l)
			}
			return best, dec.InputOffset(), roots, err
		}
		if len(open) == 0 {
			roots++
		}
		delim, _ := tok.(json.Delim)
		if delim == ']' || delim == '}' {
			keep(open[len(open)-1])
			open = open[:len(open)-1]
			continue
		}
		if len(open) > 0 && !open[len(open)-1].array && !open[len(open)-1].value {
			open[len(open)-1].key, _ = tok.(string)
			open[len(open)-1].value = true
			continue
		}
		name := ""
		if len(open) > 0 {
			in := &open[len(open)-1]
			in.value, name = false, in.key
			if in.array && delim == '{' {
				in.objects++
			}
		}
		if delim == '{' || delim == '[' {
			open = append(open, level{array: delim == '[', name: name, list: list{at: dec.InputOffset(), rank: rank(open, name)}})
		}
	}
}

// rank orders arrays by their name. One that lies in another array is no list, nor is
// one with an unknown name further inside; their rank is negative.
func rank(open []level, name string) int {
	if slices.ContainsFunc(open, func(l level) bool { return l.array }) {
		return -1
	}
	if len(open) == 0 {
		return 0
	}
	if at := slices.Index(listNames, strings.ToLower(name)); at >= 0 {
		return at + 1
	}
	if len(open) == 1 {
		return len(listNames) + 1
	}
	return -1
}

// values decodes values one by one, with the order of their members.
type values struct {
	dec  *json.Decoder
	text string
	made int // values of the record that is read
	// board knows what the records name by ids; nil knows nothing.
	board *board
}

// maxValues is how many values of one record are kept.
const maxValues = 100_000

// A value is a decoded JSON value.
type value struct {
	kind byte     // 'o' object, 'a' array, 's' scalar
	text string   // of a scalar, as people write it
	raw  string   // its JSON
	keys []string // of an object's members
	kids []value  // members or elements
}

// records adds every object of the list to the table.
func (v *values) records(g *grid, d *Doc) error {
	if _, err := v.dec.Token(); err != nil {
		return err
	}
	for n := 1; v.dec.More(); n++ {
		if g.full() {
			var skipped json.RawMessage
			if err := v.dec.Decode(&skipped); err != nil {
				return err
			}
			g.skip()
			continue
		}
		v.made = 0
		x, err := v.next(0)
		if err != nil {
			return err
		}
		if x.kind != 'o' {
			d.Problems = append(d.Problems, Problem{fmt.Sprintf("record %d", n), fmt.Sprintf("Record %d of %s is not an object and was left out.", n, d.Name)})
			continue
		}
		var fields []field
		x.flatten("", &fields)
		if v.board != nil {
			fields = v.board.fields(x, fields)
		}
		g.add(n, fields)
	}
	_, err := v.dec.Token()
	return err
}

func (v *values) next(depth int) (value, error) {
	if depth > maxDepth {
		return value{}, errDeep
	}
	tok, err := v.dec.Token()
	if err != nil {
		return value{}, err
	}
	delim, nested := tok.(json.Delim)
	if !nested {
		if tok == nil {
			return value{kind: 's'}, nil
		}
		return value{kind: 's', text: fmt.Sprint(tok)}, nil
	}
	x := value{kind: 'a'}
	start := v.dec.InputOffset() - 1
	if delim == '{' {
		x.kind = 'o'
	}
	for v.dec.More() {
		var key json.Token
		if x.kind == 'o' {
			if key, err = v.dec.Token(); err != nil {
				return value{}, err
			}
		}
		kid, err := v.next(depth + 1)
		if err != nil {
			return value{}, err
		}
		if v.made++; v.made > maxValues {
			continue
		}
		x.kids = append(x.kids, kid)
		if x.kind == 'o' {
			x.keys = append(x.keys, fmt.Sprint(key))
		}
	}
	if _, err := v.dec.Token(); err != nil {
		return value{}, err
	}
	x.raw = v.text[start:v.dec.InputOffset()]
	return x, nil
}

// flatten lists the scalars below x with dotted names. A list of scalars or of things
// with a name is one text; another list stays JSON.
func (x value) flatten(name string, out *[]field) {
	switch {
	case x.kind == 's':
		*out = append(*out, field{name, x.text})
	case x.kind == 'a' && x.ownFields(out):
	case x.kind == 'a' && x.said() != "":
		*out = append(*out, field{name, x.said()})
	case x.kind == 'a':
		*out = append(*out, field{name, x.joined()})
	case x.isADF():
		*out = append(*out, field{name, x.adf()})
	default:
		for i, key := range x.keys {
			if name != "" {
				key = name + "." + key
			}
			x.kids[i].flatten(key, out)
		}
	}
}

// ownFields lists the fields that a team added to its tracker, each an object with its name
// and its value as people read it, as fields of the record.
func (x value) ownFields(out *[]field) bool {
	if len(x.kids) == 0 || slices.ContainsFunc(x.kids, func(kid value) bool {
		return kid.member("name").text == "" || !slices.Contains(kid.keys, "display_value")
	}) {
		return false
	}
	for _, kid := range x.kids {
		*out = append(*out, field{kid.member("name").text, kid.member("display_value").text})
	}
	return true
}

// said writes a list of what people said in Atlassian's format as the cells of comments hold it; "" for another list.
func (x value) said() string {
	var all []remark
	for _, kid := range x.kids {
		if !kid.member("body").isADF() {
			return ""
		}
		who := kid.member("author").member("displayName").text
		all = append(all, remark{who, kid.member("created").text, kid.member("body").adf()})
	}
	return remarks(all)
}

// joined writes a list as one text. Things that have a state stay JSON, which tells them apart.
func (x value) joined() string {
	var parts []string
	for _, kid := range x.kids {
		if kid.member("state").text != "" || kid.member("releaseDate").text != "" {
			return x.raw
		}
		part := kid.text
		if kid.kind == 'o' {
			for _, key := range []string{"displayName", "name", "value", "key", "title"} {
				if part = kid.member(key).text; part != "" {
					break
				}
			}
		}
		if part == "" && kid.kind != 's' {
			return x.raw
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// member returns a member of an object, or nothing.
func (x value) member(key string) value {
	if at := slices.Index(x.keys, key); at >= 0 {
		return x.kids[at]
	}
	return value{}
}

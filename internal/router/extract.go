package router

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"chela/internal/definition"
	"chela/internal/extract"
	"chela/internal/pattern"
)

// Facts are what is known where a message was said.
type Facts struct {
	At       time.Time         // when it was said
	Sender   string            // the name of who said it
	Persons  []string          // names
	Projects map[string]string // ids by name
	Project  string            // the conversation's, an id
}

var (
	webAddress = pattern.New(`https?://[^\s<>)\]"']+`)
	aNumber    = pattern.New(`[-+]?\d{1,15}(?:[.,]\d{1,9})?\b`)
	quoted     = pattern.New(`"([^"\n]{1,300})"|“([^”\n]{1,300})”|„([^“”\n]{1,300})[“”]`)
	isoTime    = pattern.New(`\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2})?`)
	recordID   = pattern.New(`\b(?:tic|prj)_[A-Za-z0-9]{6,40}\b`)
)

// Extract finds inputs in a text, by rules. Asked are those that the sender was just asked for: only then an answer without
// a name is one. Values fit their types.
func Extract(text string, inputs, asked []definition.Input, f Facts) map[string]Value {
	if len(text) > mostExtracted {
		text = strings.ToValidUTF8(text[:mostExtracted], "")
	}
	x := extraction{text: text, facts: f, found: make(map[string]Value)}
	x.labelled(inputs)
	for _, in := range inputs {
		if _, ok := x.found[in.Name]; !ok {
			x.typed(in, inputs)
		}
	}
	if len(asked) > 0 {
		x.answered(asked)
	}
	return x.found
}

// mostExtracted is how much of a message is read for inputs, in bytes.
const mostExtracted = 20_000

type extraction struct {
	text  string
	facts Facts
	found map[string]Value
	taken [][2]int // parts of the text that are values
}

// put keeps a value that fits.
func (x *extraction) put(in definition.Input, v any, how string) bool {
	got, err := in.Take(definition.Settled(v))
	if err != nil {
		return false
	}
	x.found[in.Name] = Value{Value: got, Name: x.facts.called(in, got), How: how}
	return true
}

// called is the name of the project that a value is the id of; empty when it is none.
func (f Facts) called(in definition.Input, v any) string {
	if in.Type != definition.Project {
		return ""
	}
	for name, id := range f.Projects {
		if id != "" && id == v {
			return name
		}
	}
	return ""
}

// spaced is a name as people write it.
func spaced(name string) string { return strings.NewReplacer("_", " ", "-", " ").Replace(name) }

// labelled reads "name: value", one or several in a line.
func (x *extraction) labelled(inputs []definition.Input) {
	type label struct{ from, to, input int }
	var labels []label
	small := strings.ToLower(x.text)
	if len(small) != len(x.text) { // a letter that is longer when it is small
		return
	}
	for i, in := range inputs {
		for _, name := range []string{strings.ToLower(in.Name), strings.ToLower(spaced(in.Name))} {
			for at := 0; ; {
				n := strings.Index(small[at:], name)
				if n < 0 {
					break
				}
				from := at + n
				at = from + len(name)
				if from > 0 && wordAt(small, from-1) {
					continue
				}
				rest := strings.TrimLeft(small[at:], "* \t")
				to := len(small) - len(rest)
				if rest == "" || rest[0] != ':' && rest[0] != '=' {
					continue
				}
				labels = append(labels, label{from, to + 1, i})
			}
		}
	}
	slices.SortFunc(labels, func(a, b label) int { return a.from - b.from })
	for i, l := range labels {
		end := len(x.text)
		if i+1 < len(labels) {
			end = labels[i+1].from
		}
		if l.to > end {
			continue
		}
		raw := x.text[l.to:end]
		if inputs[l.input].Type != definition.Long {
			if n := strings.IndexAny(raw, "\n;"); n >= 0 {
				raw = raw[:n]
			}
		}
		raw = strings.Trim(raw, " \t\r\n,;*-")
		if raw != "" && x.value(inputs[l.input], raw, "label") {
			x.taken = append(x.taken, [2]int{l.from, end})
		}
	}
}

func wordAt(s string, i int) bool {
	return s[i] == '_' || s[i] >= 0x80 || unicode.IsLetter(rune(s[i])) || unicode.IsDigit(rune(s[i]))
}

// value reads a text that is a value of an input and nothing else.
func (x *extraction) value(in definition.Input, raw, how string) bool {
	for _, e := range in.Enum {
		if strings.EqualFold(definition.Text(e), strings.Trim(raw, ".!\"' ")) {
			return x.put(in, e, how)
		}
	}
	if len(in.Enum) > 0 {
		return false
	}
	switch in.Type {
	case definition.String, definition.Long:
		if m := quoted.FindStringSubmatch(raw); m != nil && m[0] == raw {
			raw = m[1] + m[2] + m[3]
		}
		return x.put(in, raw, how)
	case definition.Boolean:
		if b, ok := yesNo(raw); ok {
			return x.put(in, b, how)
		}
		return false
	case definition.List:
		var list []any
		for _, part := range strings.FieldsFunc(raw, func(r rune) bool { return r == ',' || r == ';' || r == '\n' }) {
			if part = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(part), "-* ")); part != "" {
				list = append(list, part)
			}
		}
		return len(list) > 0 && x.put(in, list, how)
	case definition.Object, definition.Integer, definition.Number, definition.Date, definition.Time, definition.Person, definition.Project, definition.Ticket, definition.URL:
	}
	one := extraction{text: raw, facts: x.facts, found: make(map[string]Value)}
	one.typed(in, []definition.Input{in})
	v, ok := one.found[in.Name]
	if !ok && in.Type == definition.Person && len(raw) <= 100 && !strings.Contains(raw, "\n") {
		return x.put(in, strings.TrimPrefix(raw, "@"), how)
	}
	if ok {
		x.found[in.Name] = Value{Value: v.Value, Name: v.Name, How: how}
	}
	return ok
}

// typed finds a value by what its type looks like, when the text has one and no other input could be meant.
func (x *extraction) typed(in definition.Input, all []definition.Input) {
	alone := 0
	for _, o := range all {
		if _, ok := x.found[o.Name]; !ok && (o.Type == in.Type || numeric(o.Type) && numeric(in.Type)) {
			alone++
		}
	}
	if len(in.Enum) > 0 {
		x.listed(in)
		return
	}
	switch in.Type {
	case definition.URL:
		x.only(in, alone, trimmed(webAddress.FindAllString(x.text, -1)), "address")
	case definition.Ticket:
		x.only(in, alone, append(extract.Keys(x.text), recordID.FindAllString(x.text, -1)...), "key")
	case definition.Date:
		if t, ok := x.day(); ok && alone == 1 {
			x.put(in, t.Format(time.DateOnly), "date")
		}
	case definition.Time:
		x.only(in, alone, x.instants(), "time")
	case definition.Integer, definition.Number:
		x.only(in, alone, x.numbers(), "number")
	case definition.Person:
		x.only(in, alone, x.persons(), "person")
	case definition.Project:
		x.project(in, alone)
	case definition.String:
		if strings := quoted.FindAllStringSubmatch(x.text, -1); len(strings) == 1 && alone == 1 {
			x.put(in, strings[0][1]+strings[0][2]+strings[0][3], "quotes")
		}
	case definition.Long, definition.Boolean, definition.List, definition.Object:
	}
}

func numeric(t definition.Type) bool { return t == definition.Integer || t == definition.Number }

func trimmed(list []string) []string {
	for i, s := range list {
		list[i] = strings.TrimRight(s, ".,;:!?")
	}
	return list
}

// only takes the first that fits when there is no doubt which.
func (x *extraction) only(in definition.Input, alone int, found []string, how string) {
	found = slices.Compact(found)
	if alone != 1 || len(found) != 1 {
		return
	}
	var v any = found[0]
	if numeric(in.Type) {
		n, err := strconv.ParseFloat(strings.Replace(found[0], ",", ".", 1), 64)
		if err != nil {
			return
		}
		if v = n; in.Type == definition.Integer {
			v = int64(n)
			if float64(int64(n)) != n {
				return
			}
		}
	}
	x.put(in, v, how)
}

// listed finds the value of an enumeration that the text names, when it names one.
func (x *extraction) listed(in definition.Input) {
	var found []any
	for _, e := range in.Enum {
		if named(x.text, definition.Text(e)) {
			found = append(found, e)
		}
	}
	if len(found) == 1 {
		x.put(in, found[0], "list")
	}
}

// named reports whether a text has a name as words of its own.
func named(text, name string) bool {
	text, name = strings.ToLower(text), strings.ToLower(strings.TrimSpace(name))
	if name == "" {
		return false
	}
	for at := 0; ; {
		n := strings.Index(text[at:], name)
		if n < 0 {
			return false
		}
		from, to := at+n, at+n+len(name)
		if (from == 0 || !wordAt(text, from-1)) && (to == len(text) || !wordAt(text, to)) {
			return true
		}
		at = to
	}
}

// plain is the text without what is an address, a key or a day.
func (x *extraction) plain() string {
	out := webAddress.ReplaceAllStringFunc(x.text, func(string) string { return " " })
	out = isoTime.ReplaceAllStringFunc(out, func(string) string { return " " })
	for _, k := range extract.Keys(out) {
		out = strings.ReplaceAll(out, k, " ")
	}
	return out
}

func (x *extraction) numbers() []string {
	text := x.plain()
	if _, ok := extract.FindDate(text, x.facts.At); ok {
		return nil // which of the numbers is the day's is not known
	}
	var out []string
	for _, at := range aNumber.FindAllStringIndex(text, -1) {
		if at[0] > 0 && wordAt(text, at[0]-1) || at[1] < len(text) && wordAt(text, at[1]) {
			continue
		}
		out = append(out, text[at[0]:at[1]])
	}
	return out
}

func (x *extraction) instants() []string {
	var out []string
	for _, s := range isoTime.FindAllString(x.text, -1) {
		s = strings.Replace(s, " ", "T", 1)
		if len(s) == len("2006-01-02T15:04") {
			s += ":00"
		}
		if len(s) == len("2006-01-02T15:04:05") {
			s += "Z"
		}
		if t, err := time.Parse(time.RFC3339, s); err == nil {
			out = append(out, t.Format(time.RFC3339))
		}
	}
	return out
}

var (
	relative = pattern.New(`(?i)\b(?:(today|tonight|heute)|(tomorrow|morgen)|(day after tomorrow|übermorgen)|(yesterday|gestern)|in (\d{1,3}) (days?|weeks?|tagen?|wochen?)|(?:(?:on|next|this|by|am|nächsten?) )?(monday|tuesday|wednesday|thursday|friday|saturday|sunday))\b`)
	weekdays = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}
)

// day is the day that a text names, also as people say it.
func (x *extraction) day() (time.Time, bool) {
	if t, ok := extract.FindDate(x.text, x.facts.At); ok {
		return t, true
	}
	all := relative.FindAllStringSubmatch(x.text, -1)
	if len(all) != 1 || x.facts.At.IsZero() {
		return time.Time{}, false
	}
	m := all[0]
	add := func(n int) (time.Time, bool) { return x.facts.At.AddDate(0, 0, n), true }
	switch {
	case m[3] != "":
		return add(2)
	case m[1] != "":
		return add(0)
	case m[2] != "":
		return add(1)
	case m[4] != "":
		return add(-1)
	case m[5] != "":
		n, err := strconv.Atoi(m[5])
		if err != nil {
			return time.Time{}, false
		}
		if unit := strings.ToLower(m[6]); strings.HasPrefix(unit, "w") {
			n *= 7
		}
		return add(n)
	}
	ahead := (slices.Index(weekdays, strings.ToLower(m[7])) - int(x.facts.At.Weekday()) + 7) % 7
	if ahead == 0 {
		ahead = 7
	}
	return add(ahead)
}

// persons are the members that the text names: by the whole name, or by the first when only one has it.
func (x *extraction) persons() []string {
	var out []string
	for _, p := range x.facts.Persons {
		if named(x.text, p) {
			out = append(out, p)
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, p := range x.facts.Persons {
		first, _, _ := strings.Cut(p, " ")
		if len(first) > 1 && named(x.text, first) {
			out = append(out, p)
		}
	}
	if len(out) == 0 && x.facts.Sender != "" && (named(x.text, "me") || named(x.text, "myself")) {
		out = append(out, x.facts.Sender)
	}
	return out
}

// project is the project that the text names, else the conversation's.
func (x *extraction) project(in definition.Input, alone int) {
	var found []string
	longest := 0
	for name, id := range x.facts.Projects {
		if id == "" || !named(x.text, name) && !named(x.text, id) {
			continue
		}
		if len(name) > longest { // "Apollo 2" is not "Apollo"
			found, longest = []string{id}, len(name)
		} else if len(name) == longest {
			found = append(found, id)
		}
	}
	switch {
	case len(found) == 1 && alone == 1:
		x.put(in, found[0], "project")
	case len(found) == 0 && x.facts.Project != "" && in.Required:
		x.put(in, x.facts.Project, "conversation")
	}
}

// answered takes what is left of an answer: the whole of it for the one input that is asked for, or a line each.
func (x *extraction) answered(asked []definition.Input) {
	var open []definition.Input
	rest := x.rest()
	for _, in := range asked {
		v, ok := x.found[in.Name]
		if !ok {
			open = append(open, in)
		} else if v.How != "label" && v.How != "conversation" && definition.Text(v.Value) == strings.Trim(rest, " .!") {
			return // it is that and nothing else
		}
	}
	if len(open) == 0 || rest == "" || strings.HasSuffix(rest, "?") {
		return
	}
	if len(open) == 1 {
		if len(open) == len(asked) || free(open[0].Type) {
			x.value(open[0], rest, "answer")
		}
		return
	}
	var lines []string
	for line := range strings.Lines(rest) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, strings.TrimSpace(strings.TrimLeft(line, "0123456789.)-* ")))
		}
	}
	if len(lines) != len(open) {
		return
	}
	for i, in := range open {
		x.value(in, lines[i], fmt.Sprintf("line %d", i+1))
	}
}

func free(t definition.Type) bool {
	return t == definition.String || t == definition.Long || t == definition.List
}

// rest is the text without what was labelled.
func (x *extraction) rest() string {
	var b strings.Builder
	at := 0
	for _, t := range x.taken {
		if t[0] > at {
			b.WriteString(x.text[at:t[0]])
		}
		at = max(at, t[1])
	}
	b.WriteString(x.text[at:])
	return strings.TrimSpace(b.String())
}

package question

import (
	"slices"
	"strings"

	"chela/internal/desk"
)

// tasks reads "tasks" among types as the type: "stories or tasks", "tasks, stories and bugs".
func (r *reader) tasks() {
	sort := func(i int) string {
		if i < 0 || i >= len(r.items) {
			return ""
		}
		if it := r.items[i]; it.sort == "or" || it.sort == "stop" && r.marked("and", it.at) {
			return "joint"
		}
		return r.items[i].sort
	}
	for i := range r.items {
		it := &r.items[i]
		if it.sort != "kind" || it.value != string(desk.Ticket) || !r.marked("task", it.at) {
			continue
		}
		before := sort(i-1) == "joint" && sort(i-2) == "type"
		after := sort(i+1) == "joint" && sort(i+2) == "type" || sort(i+1) == "type" && sort(i+2) == "joint"
		if before || after {
			it.sort, it.value = "type", "TASK"
		}
	}
}

// label reads the word after "label" as one: "the label urgent" is no priority. Those after an "or", an "and" or a "not" are labels where
// records have them.
func (r *reader) label(i int, words []string) (item, bool) {
	k := len(r.items) - 1
	joined := false
	for ; k >= 0; k-- {
		it := &r.items[k]
		if it.sort == "or" || it.sort == "not" || it.sort == "stop" && (r.marked("and", it.at) || r.marked("but", it.at)) {
			joined = true
			continue
		}
		break
	}
	if k < 0 {
		return item{}, false
	}
	before := &r.items[k]
	field := before.sort == "field" && before.value == "labels" && !joined && (k == 0 || r.items[k-1].sort != "by")
	if !field && !(joined && before.sort == "named" && len(before.values) > 0 && before.values[0].Field == "labels") {
		return item{}, false
	}
	if joined && strings.HasPrefix(before.value, desk.Affects+" ") {
		if it, ok := r.version(i, i, words); ok { // "affects 3.3.1 or 3.4.0"
			return it, true
		}
	}
	values, n := r.v.Value(words[i:min(len(words), i+6)])
	values = slices.DeleteFunc(slices.Clone(values), func(v Value) bool { return v.Field != "tags" && (!v.Kind.Owned() || v.Field != "labels") })
	if len(values) > 0 {
		return item{sense: sense{"named", values[0].Text}, n: n, values: values}, true
	}
	if s, n := r.sense(i); field && n == 1 && (k == 0 || r.items[k-1].sort != "none" || !strings.HasSuffix(r.raw(before), "s")) && slices.Contains([]string{"value", "concept", "state", "type", "role"}, s.sort) && !r.tokens[i].quoted {
		text := strings.Trim(r.tokens[i].raw, " ")
		return item{sense: sense{"named", text}, n: 1, values: []Value{{Kind: desk.Ticket, Field: "labels", Text: text}}}, true
	}
	return item{}, false
}

// affects reads "affects version 3.3.1" as the label that an import gives to what a version has.
func (r *reader) affects(i int, words []string) (item, bool) {
	s, k := r.sense(i)
	if s.sort != "untold" || s.value != desk.Affects {
		return item{}, false
	}
	return r.version(i, i+k, words)
}

// version reads words as a version of which tickets say that it is affected; at is where what is read begins.
func (r *reader) version(at, j int, words []string) (item, bool) {
	for j < len(words) && r.marked("version", j) {
		j++
	}
	values, n := r.v.Value(append([]string{desk.Affects}, words[j:min(len(words), j+5)]...))
	if n < 2 {
		return item{}, false
	}
	return item{sense: sense{"named", values[0].Text}, n: j - at + n - 1, values: values}, true
}

// both reports whether a label is one of several of which a ticket has to have all: "the labels backend and urgent".
func (r *reader) both(it *item) bool {
	label := func(x *item) bool {
		return x.sort == "named" && !x.not && x.group == 0 && slices.ContainsFunc(x.values, func(v Value) bool { return v.Field == "labels" })
	}
	if !label(it) || !strings.HasPrefix(r.labelWord(), "label") {
		return false
	}
	some := false
	for k := range r.items {
		if j, next := r.joint(k, false); j.sort == "and" && next > 0 && label(&r.items[k]) && label(&r.items[next]) {
			some = true
		}
	}
	return some
}

// blockers reads "blocker issues" by their priority, as trackers call it.
func (r *reader) blockers() {
	for i := range r.items {
		it := &r.items[i]
		if it.sort == "field" && r.raw(it) == "blocker" && i+1 < len(r.items) && (r.items[i+1].sort == "kind" || r.items[i+1].sort == "type") {
			it.sense = sense{"value", "CRITICAL"}
		}
	}
}

// labelWord is how the question calls labels.
func (r *reader) labelWord() string {
	if it := r.has("field", "labels"); it != nil {
		return r.tokens[it.at+it.n-1].text
	}
	return ""
}

// present is the field that records have, "" when the item says no such thing: "with an owner".
func (r *reader) present(kind desk.Kind, it *item) string {
	if it.used || !slices.Contains([]string{"owner", "dueDate", "sprint", "labels", "reporter", "description", "parentTicketId"}, it.value) {
		return ""
	}
	at := it.at - 1
	for at > 0 && r.marked("any", at) {
		at--
	}
	if at < 0 || !r.marked("having", at) && !r.universal() || r.marked("not", at-1) {
		return ""
	}
	for i := range r.items {
		if x := &r.items[i]; x.at == it.at+it.n && slices.Contains([]string{"named", "word", "title", "key", "number"}, x.sort) {
			return ""
		}
	}
	return fieldOf(kind, it.value)
}

// resolutions reads "resolved as Not A Problem": the tickets that have the words, whether their resolution is that they
// are done or that they are closed without it.
func (r *reader) resolutions() {
	for i := range r.items {
		it := &r.items[i]
		if it.sort != "state" && it.sort != "verb" || it.value != "done" && it.value != "resolved" || it.at+it.n >= len(r.tokens) {
			continue
		}
		if as := r.tokens[it.at+it.n].text; as != "as" && as != "als" {
			continue
		}
		if next := r.after(it); next != nil && (next.sort == "named" || next.sort == "value") {
			it.used = true
		}
	}
}

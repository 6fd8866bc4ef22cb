package question

import (
	"fmt"
	"slices"
	"strings"

	"chela/internal/desk"
	"chela/internal/query"
)

// fieldOf is the name that a kind has for what a question calls a field; "" when it has none.
func fieldOf(kind desk.Kind, name string) string {
	k := kind.Asked()
	switch name {
	case "due", "dueDate", "when", "ends":
		if name == "ends" && (kind == desk.Phase || kind == desk.Objective) {
			return "endDate"
		}
		name = k.Day
	case "starts":
		name = "startDate"
	case "owner", "owned":
		name = k.Who
	case "reported":
		name = "reporter"
	case "updated":
		name = "updated"
	case "priority":
		if kind == desk.Blindspot {
			name = "severity"
		}
	case "sprint":
		if kind == desk.Objective {
			name = "sprintName"
		}
	case "resolved":
		name = map[desk.Kind]string{desk.Ticket: "closedOn", desk.Milestone: "actualDate", desk.Blindspot: "resolvedAt"}[kind]
	case "created":
		if kind == desk.Ticket {
			name = "externalCreated"
		}
	case "labels":
		if kind != desk.Ticket {
			name = "tags"
		}
	}
	fields, err := desk.Fields(kind)
	if err != nil || name == "" {
		return ""
	}
	f, ok := fields.Find(name)
	if !ok {
		return ""
	}
	return f.Name
}

// FieldOf is the field of a kind that a plan's word for a fact stands for; "" when the kind has none.
func FieldOf(kind desk.Kind, name string) string { return fieldOf(kind, name) }

// setField is the field of a kind that can have a value of a closed set.
func setField(kind desk.Kind, value string) string {
	fields, err := desk.Fields(kind)
	if err != nil {
		return ""
	}
	for _, f := range fields.List {
		if f.Type == query.Set && slices.Contains(f.Allowed, value) {
			return f.Name
		}
	}
	return ""
}

// conditions returns the conditions of all items that are left.
func (r *reader) conditions(kind desk.Kind) []string { return r.conditionsUntil(kind, len(r.tokens)+1) }

// conditionsUntil returns the conditions of the items before a word. Values of one field are joined, and what an "or" joins
// are alternatives.
func (r *reader) conditionsUntil(kind desk.Kind, until int) []string {
	all := &conjunction{}
	r.dates(kind, until, all)
	dated := len(all.conditions) + len(all.order)
	for i := range r.items {
		it := &r.items[i]
		if it.at >= until || it.used && it.sort != "or" {
			continue
		}
		r.item(kind, it, all)
	}
	out := all.all()
	r.onlyDays = len(out) == dated
	return out
}

// item adds the condition of one item.
func (r *reader) item(kind desk.Kind, it *item, all *conjunction) {
	switch it.sort {
	case "field":
		name := r.present(kind, it)
		if it.value == "risks" {
			name = fieldOf(kind, it.value)
		}
		if name != "" {
			all.add(it.group, "has:"+name)
			it.used = true
		}
		return
	case "person", "named":
		c := r.condition(kind, it)
		if it.each && c != "" || r.both(it) {
			all.add(0, c)
			it.used = true
			return
		}
		field, value, ok := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(c, "-("), ")"), ":")
		if c != "" && ok && !strings.HasPrefix(value, "~") { // several names of one field: any of them
			all.set(it.group, field, value, it.not)
		} else if c != "" {
			all.add(it.group, c)
		}
		it.used = it.used || c != ""
		return
	case "value", "role", "type":
		if it.value == "CANCELLED" && setField(kind, it.value) == "" { // tickets are written so
			it.value = "CANCELED"
		}
		if f := setField(kind, it.value); f != "" {
			all.set(it.group, f, it.value, it.not)
			it.used = true
			if it.not && strings.HasSuffix(r.raw(it), "worked on") && r.has("state") == nil && !r.narrowed {
				all.add(0, kind.Asked().Open) // "not being worked on"
				r.narrowed = true
			}
		} else if it.sort == "role" {
			r.inRole(kind, it, all)
		} else if it.value == "PENDING" && kind.Asked().Open != "" && !it.not {
			all.add(it.group, kind.Asked().Open)
			it.used = true
		}
		return
	case "concept":
		if it.value == "blocked" && setField(kind, "BLOCKED") != "" {
			all.set(it.group, setField(kind, "BLOCKED"), "BLOCKED", it.not)
			it.used = true
			return
		}
	case "range":
		if c := r.within(kind, it); c != "" && it.least == it.most && it.most > 0 {
			all.set(it.group, "storyPoints", strings.TrimPrefix(c, "storyPoints:"), it.not)
			it.used = true
			return
		}
	}
	if c := r.condition(kind, it); c != "" {
		all.add(it.group, c)
		it.used = true
	}
}

// inRole adds the condition that records are those of people in a role: "overdue tickets of the engineers".
func (r *reader) inRole(kind desk.Kind, it *item, all *conjunction) {
	names := r.v.InRole(it.value)
	if !lasting(kind) || len(names) == 0 || len(names) > maxRecords || len(r.all("person")) > 0 {
		return
	}
	for _, n := range names {
		all.set(it.group, kind.Asked().Who, fmt.Sprintf("%q", n), it.not)
	}
	it.used = true
}

// condition is what one item says of the records; "" when nothing.
func (r *reader) condition(kind desk.Kind, it *item) string {
	k := kind.Asked()
	is := func(c string) string {
		if it.not && c != "" {
			return "-(" + c + ")"
		}
		return c
	}
	switch it.sort {
	case "state":
		switch {
		case it.value == "done" && it.not && r.closed(it): // "closed but not delivered"
			return is(k.Done)
		case it.value == "open" && it.not && k.Open != "", it.value == "done" && !it.not && (r.denied(it) || lasting(kind) && r.closes(it)):
			return closedOf(k) // without being done, too
		case (it.value == "open") != it.not:
			return k.Open
		default:
			return k.Done
		}
	case "concept":
		return is(r.concept(kind, it))
	case "none":
		return r.none(kind, it)
	case "cmp":
		return is(r.compared(kind, it))
	case "range":
		return is(r.within(kind, it))
	case "person":
		return is(r.persons(kind, it))
	case "named":
		return is(r.valued(kind, it.values))
	case "verb":
		if came := fieldOf(kind, "earlierSprints"); came != "" && (it.value == "into" || it.value == "carried" && r.has("named") == nil) {
			return is("has:" + came)
		}
		if status := setField(kind, "NEW"); status != "" && it.value == "created" && r.marked("new", it.at) {
			return is(status + ":NEW")
		}
		if status := setField(kind, "NEW"); status != "" && it.value == "untouched" && marked(r.in, "viewed", r.text(it)) { // ideas that nobody has looked at
			return status + ":NEW"
		}
		if it.value == "untouched" && r.lasts() { // for as long as the question says
			return ""
		}
		if it.value == "untouched" {
			return "updated:<=" + day(r.cal.today().AddDate(0, 0, -14)) + openOf(k)
		}
		if it.value == "due" && r.has("period") == nil && k.Day != "" {
			return "has:" + k.Day + openOf(k)
		}
		if it.value == "resolved" && it.not {
			return k.Open
		}
		if it.value == "resolved" && lasting(kind) && r.closes(it) {
			return closedOf(k)
		}
		if it.value == "resolved" {
			return k.Done
		}
	}
	return ""
}

// closed reports whether another item than one that is denied says that records are closed.
func (r *reader) closed(denied *item) bool {
	return slices.ContainsFunc(r.all("state"), func(x *item) bool { return x != denied && x.value == "done" && !x.not })
}

// denied reports whether another item than one that says that records are closed denies that they are done.
func (r *reader) denied(closed *item) bool {
	return slices.ContainsFunc(r.all("state"), func(x *item) bool { return x != closed && x.value == "done" && x.not })
}

// closes reports whether an item says that records are closed, which they may be without being done.
func (r *reader) closes(it *item) bool {
	return r.marked("closed", it.at+it.n-1)
}

// closedOf is the filter for what is not open.
func closedOf(k desk.Asked) string {
	if closed, ok := strings.CutPrefix(k.Open, "-"); ok && !strings.Contains(closed, " ") {
		return closed
	}
	return "-(" + k.Open + ")"
}

func openOf(k desk.Asked) string {
	if k.Open == "" {
		return ""
	}
	return " " + k.Open
}

// concept is the filter that a word for a state of work stands for.
func (r *reader) concept(kind desk.Kind, it *item) (condition string) {
	k := kind.Asked()
	open := openOf(k)
	if r.has("state") != nil || r.narrowed {
		open = ""
	}
	defer func() { r.narrowed = r.narrowed || open != "" && strings.HasSuffix(condition, open) }()
	switch it.value {
	case "overdue":
		if r.has("value", "COMPLETED") != nil || r.has("state", "done") != nil { // "completed late": of what is done nothing is overdue
			return ""
		}
		return k.Overdue
	case "unassigned":
		if k.Who != "" {
			return k.Who + ":none" + open
		}
	case "assigned":
		if k.Who != "" {
			return "has:" + k.Who
		}
	case "unestimated":
		if kind == desk.Ticket {
			return "storyPoints:none" + open
		}
	case "estimated":
		if fieldOf(kind, "storyPoints") != "" {
			return "has:storyPoints"
		}
	case "ahead":
		it.used = true
		if p := r.has("period"); p != nil && p.period.from.Before(r.cal.today()) { // this quarter
			open = ""
		} else if p != nil {
			return ""
		}
		if k.Day != "" {
			return k.Day + ":>=" + day(r.cal.today()) + open
		}
	case "backlog":
		return r.inBacklog(kind, open)
	case "unplanned":
		if name := fieldOf(kind, "sprint"); name != "" {
			return name + ":none"
		}
	case "nodue":
		if k.Day != "" {
			return k.Day + ":none" + open
		}
	case "skill":
		if kind == desk.Resource {
			it.used = true
		}
	}
	return ""
}

// none is the condition that a field is not set, for "no" before its name.
func (r *reader) none(kind desk.Kind, it *item) string {
	if it.value == "nobody" {
		switch next := r.after(it); {
		case next != nil && next.sort == "value" && next.value == "IN_PROGRESS" && setField(kind, "TODO") != "" && r.marked("begun", next.at+next.n-1): // that nobody has started
			it.used, next.value = true, "TODO"
			return ""
		case next != nil && next.sort == "value":
			return ""
		case next != nil && next.sort == "concept" && next.value == "estimated" && fieldOf(kind, "storyPoints") != "":
			next.used = true
			return "storyPoints:none"
		case next != nil && next.sort == "verb" && slices.Contains([]string{"created", "resolved", "reported", "starts", "ends"}, next.value) || next != nil && next.sort == "state" && next.value == "done": // "that nobody closed"
			return ""
		}
		if kind.Asked().Who != "" {
			return kind.Asked().Who + ":none"
		}
		return ""
	}
	next := r.after(it)
	if next != nil && !next.used {
		if c := r.parentless(kind, next); c != "" {
			return c
		}
	}
	if next == nil || next.used || next.sort != "field" && next.sort != "verb" && next.sort != "kind" {
		return ""
	}
	name := fieldOf(kind, next.value)
	if next.sort == "kind" && next.value == "objective" && kind == desk.Ticket {
		name = "objectiveIds"
	}
	if name == "" {
		return ""
	}
	next.used = true
	out := name + ":none"
	if other := r.after(next); other != nil && other.sort == "field" && !other.used && r.joined(next, other) { // "without a sprint and an owner"
		if name = fieldOf(kind, other.value); name != "" {
			other.used = true
			out += " " + name + ":none"
		}
	}
	return out
}

// nameWords are the words of a name as questions have them.
func nameWords(name string) []string {
	tokens, _ := tokenize(name)
	out := make([]string, len(tokens))
	for i, t := range tokens {
		out[i] = t.text
	}
	return out
}

// valued is the condition that a field has one of the values that the words may be: the first field that the kind names,
// so that a sprint is the one that a ticket is in. What was carried over was in an earlier one.
func (r *reader) valued(kind desk.Kind, values []Value) string {
	fields := kind.Asked().Values
	if it := r.has("verb", "carried"); it != nil && slices.Contains(fields, "earlierSprints") {
		it.used, fields = true, []string{"earlierSprints", "reporter", "labels"}
		if at := slices.IndexFunc(values, inSprint); at >= 0 && !slices.ContainsFunc(values, func(v Value) bool { return v.Kind == kind && v.Field == fields[0] }) {
			return fmt.Sprintf("%s:%q", fields[0], values[at].Text) // a sprint from which nothing came over
		}
	}
	for _, name := range fields {
		for _, v := range values {
			if v.Kind == kind && v.Field == name {
				return fmt.Sprintf("%s:%q", v.Field, v.Text)
			}
		}
	}
	return ""
}

// personal reads a person for whom no field of the kind stands as one of its values.
func (r *reader) personal(kind desk.Kind) {
	for _, it := range r.all("person") {
		if kind == desk.Resource && len(it.values) > 0 {
			it.sort = "named"
		} else if fieldOf(kind, "url") != "" || fieldOf(kind, "confidence") != "" { // links and memories are nobody's, but may be about somebody
			it.sort = "word"
		}
	}
	if kind != desk.Resource || r.has("concept", "skill") == nil {
		return
	}
	for i := range r.items { // "go" is a skill where somebody can do it
		it := &r.items[i]
		if it.sort == "word" || it.sort == "stop" || it.sort == "verb" {
			values, n := r.v.Value([]string{r.tokens[it.at].text})
			if n == 1 && r.valued(kind, values) != "" {
				it.sort, it.values = "named", values
			}
		}
	}
}

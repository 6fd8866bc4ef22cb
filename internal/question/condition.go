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

// conditionsUntil returns the conditions of the items before a word. Values of one field are joined.
func (r *reader) conditionsUntil(kind desk.Kind, until int) (out []string) {
	sets := make(map[string][]string)
	var order []string
	set := func(field, value string, not bool) {
		if not {
			field = "-" + field
		}
		if _, ok := sets[field]; !ok {
			order = append(order, field)
		}
		sets[field] = append(sets[field], value)
	}
	r.dates(kind, until, func(c string) { out = append(out, c) })
	dated := len(out)
	defer func() { r.onlyDays = len(out) == dated }()
	for i := range r.items {
		it := &r.items[i]
		if it.at >= until || it.used {
			continue
		}
		switch it.sort {
		case "person", "named":
			c := r.condition(kind, it)
			field, value, ok := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(c, "-("), ")"), ":")
			if c != "" && ok && !strings.HasPrefix(value, "~") { // several names of one field: any of them
				set(field, value, it.not)
			} else if c != "" {
				out = append(out, c)
			}
			it.used = it.used || c != ""
		case "value", "role", "type":
			if f := setField(kind, it.value); f != "" {
				set(f, it.value, it.not)
				it.used = true
			} else if it.value == "PENDING" && kind.Asked().Open != "" {
				out = append(out, kind.Asked().Open)
				it.used = true
			}
		case "concept":
			if it.value == "blocked" && setField(kind, "BLOCKED") != "" {
				set(setField(kind, "BLOCKED"), "BLOCKED", it.not)
				it.used = true
				continue
			}
			fallthrough
		default:
			if c := r.condition(kind, it); c != "" {
				out = append(out, c)
				it.used = true
			}
		}
	}
	for _, f := range order {
		out = append(out, f+":"+strings.Join(sets[f], ","))
	}
	return out
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
		return r.compared(kind, it)
	case "person":
		return is(r.persons(kind, it))
	case "named":
		return is(r.valued(kind, it.values))
	case "verb":
		if it.value == "untouched" {
			return "updated:<=" + day(r.cal.today().AddDate(0, 0, -14)) + openOf(k)
		}
		if it.value == "due" && r.has("period") == nil && k.Day != "" {
			return "has:" + k.Day + openOf(k)
		}
		if it.value == "resolved" {
			return k.Done
		}
	}
	return ""
}

func openOf(k desk.Asked) string {
	if k.Open == "" {
		return ""
	}
	return " " + k.Open
}

// concept is the filter that a word for a state of work stands for.
func (r *reader) concept(kind desk.Kind, it *item) string {
	k := kind.Asked()
	open := openOf(k)
	if r.has("state") != nil {
		open = ""
	}
	switch it.value {
	case "overdue":
		return k.Overdue
	case "unassigned":
		if k.Who != "" {
			return k.Who + ":none" + open
		}
	case "unestimated":
		if kind == desk.Ticket {
			return "storyPoints:none" + open
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
		if kind.Asked().Who != "" {
			return kind.Asked().Who + ":none"
		}
		return ""
	}
	next := r.after(it)
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
	return name + ":none"
}

// compared is the condition of "more than 8 points".
func (r *reader) compared(kind desk.Kind, it *item) string {
	if it.number < 0 {
		return ""
	}
	if next := r.after(it); next != nil && next.sort == "unit" {
		next.used = true
		return r.aged(kind, it, next.value)
	}
	name := "storyPoints"
	if next := r.after(it); next != nil && next.sort == "field" {
		name, next.used = fieldOf(kind, next.value), true
	}
	fields, err := desk.Fields(kind)
	if f, ok := fields.Find(name); err != nil || !ok || f.Type != query.Number {
		return ""
	}
	return fmt.Sprintf("%s:%s%d", name, it.value, it.number)
}

// aged is the condition of "open for more than 30 days".
func (r *reader) aged(kind desk.Kind, it *item, unit string) string {
	since := move(r.cal.today(), unit, -min(it.number, 1000))
	name := fieldOf(kind, "created")
	if some, _ := r.v.Dated(); kind == desk.Ticket && !some {
		name = "created"
	}
	if r.take("verb", "untouched", "updated") != nil {
		name = "updated"
	}
	if name == "" {
		return ""
	}
	if it.value == "<" || it.value == "<=" {
		return name + ":>=" + day(since)
	}
	return name + ":<" + day(since)
}

// persons is the condition that records are somebody's: their owner's, or their reporter's.
func (r *reader) persons(kind desk.Kind, it *item) string {
	reported := r.has("verb", "reported") != nil || r.has("field", "reporter") != nil
	if kind == desk.Ticket {
		full, _ := r.v.Value(nameWords(it.names[0].Name))
		if it.names[0].ID == "" && r.valued(kind, full) == "" { // whom no ticket names
			it.sort = "word"
			return ""
		}
		if reported || it.names[0].ID == "" {
			return fmt.Sprintf("reporter:%q", it.names[0].Name)
		}
		return fmt.Sprintf("owner:%q", it.names[0].Name)
	}
	if form := kind.Asked().Of; form != "" {
		return fmt.Sprintf(form, fmt.Sprintf("%q", it.names[0].Name))
	}
	return ""
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

// valued is the condition that a field has one of the values that the words may be.
func (r *reader) valued(kind desk.Kind, values []Value) string {
	for _, v := range values {
		if v.Kind == kind {
			return fmt.Sprintf("%s:%q", v.Field, v.Text)
		}
	}
	return ""
}

// personal reads a person for whom no field of the kind stands as one of its values.
func (r *reader) personal(kind desk.Kind) {
	for _, it := range r.all("person") {
		if kind == desk.Resource && len(it.values) > 0 {
			it.sort = "named"
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

// dates adds the conditions of the periods of a question.
func (r *reader) dates(kind desk.Kind, until int, add func(string)) {
	for _, it := range r.all("period") {
		if it.used || it.at >= until {
			continue
		}
		it.used = true
		field, untouched := r.dated(kind, it)
		if field == "" {
			it.used = false
			continue
		}
		if untouched {
			from := it.period.from
			if from.IsZero() {
				from = it.period.to
			}
			add("updated:<=" + day(from) + openOf(kind.Asked()))
			continue
		}
		p := it.period
		if p.length && field == kind.Asked().Day && kind == desk.Ticket && !p.from.IsZero() { // due within two weeks
			p = period{from: r.cal.today(), to: r.cal.today().AddDate(0, 0, int(r.cal.today().Sub(p.from).Hours()/24)+1)}
		}
		if field != "date" && field == kind.Asked().Day || field == "endDate" || field == "targetDate" {
			p = p.ahead(r.cal.today())
		}
		c := p.filter(field)
		if some, all := r.v.Dated(); kind == desk.Ticket && field == "externalCreated" && !all {
			c = p.filter("created")
			if some {
				c = "(" + p.filter(field) + " OR externalCreated:none " + p.filter("created") + ")"
			}
		}
		if field == kind.Asked().Day && kind == desk.Ticket && r.has("state") == nil {
			c += " -status:DONE,CLOSED"
		}
		if it.not {
			c = "-(" + c + ")"
		}
		add(c)
	}
}

// dated returns the field of days that a period is about: that of the verb that is nearest.
func (r *reader) dated(kind desk.Kind, p *item) (field string, untouched bool) {
	var verb *item
	far := func(it *item) int { return max(it.at-p.at, p.at-it.at) }
	for i := range r.items {
		it := &r.items[i]
		ok := it.sort == "verb" && slices.Contains([]string{"created", "resolved", "due", "updated", "untouched", "reported", "starts", "ends"}, it.value) ||
			it.sort == "field" && it.value == "dueDate" || it.sort == "state" && it.value == "done" && !it.not
		if ok && (verb == nil || far(it) < far(verb)) {
			verb = it
		}
	}
	if verb == nil {
		name := kind.Asked().Day
		if kind == desk.Ticket {
			name = "created"
		}
		return fieldOf(kind, name), false
	}
	verb.used = true
	switch {
	case verb.value == "untouched" || verb.value == "updated" && verb.not:
		return "updated", true
	case verb.value == "done":
		return fieldOf(kind, "resolved"), false
	case verb.value == "reported":
		if r.has("person") != nil {
			verb.used = false
		}
		return fieldOf(kind, "created"), false
	case verb.value == "starts" && kind == desk.Ticket:
		return fieldOf(kind, "created"), false
	}
	return fieldOf(kind, verb.value), false
}

package question

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"chela/internal/desk"
	"chela/internal/query"
)

// Word is a value of a closed set as people read it: "IN_PROGRESS" is "In progress".
func Word(value string) string {
	switch value {
	case "TODO":
		return "To do"
	case "WONT_FIX":
		return "Won't fix"
	}
	if value == "" || strings.ToUpper(value) != value || len(value) < 3 && !strings.Contains(value, "_") {
		return value
	}
	words := strings.ToLower(strings.ReplaceAll(value, "_", " "))
	return strings.ToUpper(words[:1]) + words[1:]
}

// fieldWords are fields as people read them, where the words of their names are others.
var fieldWords = map[string]string{
	"storyPoints": "story points", "points": "story points", "externalCreated": "created", "externalResolved": "resolved by the tracker", "closedOn": "resolved", "dueDate": "due", "due": "due",
	"externalRef": "key", "parentTicketId": "parent", "ticketIds": "tickets", "measurableSignal": "measured by", "objectiveIds": "objectives", "sprintName": "sprint", "coveragePercent": "coverage",
	"endDate": "end", "startDate": "start", "targetDate": "target date", "actualDate": "reached", "resolvedAt": "resolved", "decidedBy": "decided by",
	"triggerAt": "rings at", "items.assignee": "assignee", "lifecycle": "status", "blockedBy": "blocked by", "phaseId": "phase", "duration": "days to resolve", "age": "days open", "remaining": "days left", "entered": "in this status since",
}

// FieldWord is a field as people read it.
func FieldWord(name string) string {
	if w, ok := fieldWords[name]; ok {
		return w
	}
	var out strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			out.WriteByte(' ')
			r = unicode.ToLower(r)
		}
		if r == '.' {
			r = ' '
		}
		out.WriteRune(r)
	}
	return out.String()
}

// Plural is a kind in a sentence about several records.
func Plural(k desk.Kind) string {
	if k == desk.Resource {
		return "people"
	}
	if k == "" {
		return "records"
	}
	return strings.ReplaceAll(k.Plural(), "-", " ")
}

// Describe says what a plan was read as: "tickets, open, priority Critical, grouped by owner".
func (p Plan) Describe(now time.Time) string {
	if p.Measure == Search {
		return fmt.Sprintf("a search for %q", p.Words)
	}
	if p.Measure == Origin {
		return fmt.Sprintf("the source of what is known of %q", p.Words)
	}
	parts := []string{Plural(p.Kind)}
	if p.Kind == "" && p.Measure == Comments {
		parts = nil
	}
	if e, err := p.Where(p.Filter, now); p.Kind != "" && err == nil && e != nil {
		parts = append(parts, Conditions(p.Kind, e)...)
	}
	if p.Person != "" {
		parts = append(parts, "of "+p.Person)
	}
	if p.Not != "" {
		parts = append(parts, "not of "+p.Not)
	}
	if p.Measure == Duplicates && len(p.Records) > 0 {
		return strings.Join(append(parts, "that are the same as the ticket"), ", ")
	}
	if p.Measure == Waits && p.Person != "" {
		waits := "that wait for them"
		if p.State == "of" {
			waits = "what they wait for"
		}
		return strings.Join(append(parts, waits), ", ")
	}
	if p.State == Added || p.State == Removed {
		return strings.Join(append(parts, p.scoped()), ", ")
	}
	if p.State != "" && p.State != Planned && p.Measure != Changes {
		parts = append(parts, map[string]string{
			"unserved": "without tickets", "unmapped": "that serve no objective", "serves": "that serve the objective", "for": "that wait for the ticket", "of": "what the ticket waits for",
			"through": "that wait for the ticket, by way of others too", "chain": "the longest chain of those that wait for each other", "circles": "that wait for themselves by way of others", "holders": "for which the most others wait",
			"parent-closed": "whose parent is closed", "children-closed": "whose children are all closed", without: "who has none of them", Stuck: "blocked, or waiting for others, and why", held: "by how long they have had their status", Titles: "with their titles", Items: strings.TrimSpace("their items " + p.Words),
		}[p.State])
		if parts[len(parts)-1] == "" {
			parts[len(parts)-1] = p.State
		}
	}
	if p.Words != "" && p.State != Items && !strings.Contains(p.Filter, `"`) {
		parts = append(parts, fmt.Sprintf("about %q", p.Words))
	}
	parts = append(parts, p.span()...)
	if m := p.measure(now); m != "" {
		parts = append(parts, m)
	}
	return strings.Join(parts, ", ")
}

// span is the plan's first and last day, in words.
func (p Plan) span() (out []string) {
	first, last := "from ", "until "
	if p.State == held {
		first, last = "since or after ", "since or before "
	}
	if p.From != "" {
		out = append(out, first+p.From)
	}
	if p.To != "" {
		out = append(out, last+p.To)
	}
	return out
}

// measure is what the plan makes of the records, in words.
func (p Plan) measure(now time.Time) string {
	switch p.Measure {
	case Count:
		return "counted"
	case Group:
		by := "grouped by " + FieldWord(p.By)
		if p.Per != "" {
			by = "per " + p.Per + " in which they were " + FieldWord(p.By)
			if p.By == "dueDate" {
				by = "per " + p.Per + " in which they are due"
			}
		}
		if p.Each != "" && p.Of == "" {
			by += ", on average"
		} else if p.Of != "" {
			by += fmt.Sprintf(", %s of %s", cmp.Or(p.Each, Sum), FieldWord(p.Of))
		}
		if op, n, ok := p.Bound(); ok {
			by += fmt.Sprintf(", those with %s %d", map[string]string{">": "more than", ">=": "at least", "<": "fewer than", "<=": "at most", "=": "just"}[op], n)
		}
		if p.Limit > 0 {
			by += fmt.Sprintf(", the first %d", p.Limit)
		}
		return by
	case Sum, Average, Median:
		return string(p.Measure) + " of " + FieldWord(p.Of)
	case Percentile:
		return fmt.Sprintf("percentile %g of %s", p.Percent, FieldWord(p.Of))
	case Share:
		of := "all " + Plural(p.Kind)
		if e, err := p.Where(p.Base, now); err == nil && e != nil {
			of = Plural(p.Kind) + " that are " + strings.Join(Conditions(p.Kind, e), ", ")
		}
		if p.Of != "" {
			return "share of the " + FieldWord(p.Of) + " of " + of
		}
		return "share of " + of
	case Facts:
		words := make([]string, len(p.Fields))
		for i, f := range p.Fields {
			words[i] = FieldWord(f)
		}
		return strings.Join(words, ", ")
	case List:
		if p.Sort == "" {
			return ""
		}
		name, down := strings.CutPrefix(p.Sort, "-")
		order := "least"
		if down {
			order = "greatest"
		}
		if p.Limit > 0 {
			return fmt.Sprintf("the first %d by %s, %s first", p.Limit, FieldWord(name), order)
		}
		return fmt.Sprintf("by %s, %s first", FieldWord(name), order)
	case Capacity:
		if p.State == "away" {
			return ""
		}
	case Changes:
		return p.changed()
	case Comments:
		return p.remarked()
	case Coverage, Decisions, Actions, Questions, Waits, Duplicates, Deltas, Origin, Search:
	case Forecast:
		return "when they will be done"
	case Slips:
		if p.State == Planned {
			return "those that are late or may be, and such milestones and phases"
		}
		return "those that are late or may be"
	case Risks:
		return "and what else may go wrong"
	case Suggest:
		return "who could take it"
	case Summary:
		return "the main figures"
	}
	return string(p.Measure)
}

// Conditions says what a filter asks for, one phrase for each condition.
func Conditions(k desk.Kind, e query.Expr) []string {
	if e == nil {
		return nil
	}
	for _, known := range []struct{ filter, words string }{{k.Asked().Open, "open"}, {k.Asked().Done, "done"}, {closedOf(k.Asked()), "closed"}} {
		if known.filter != "" && e.String() == known.filter && (k == desk.Ticket || known.words == "open") {
			return []string{known.words}
		}
	}
	switch e := e.(type) {
	case query.And:
		var out []string
		for i := 0; i < len(e); i++ {
			if i+1 < len(e) {
				if text := between(e[i], e[i+1]); text != "" {
					out = append(out, text)
					i++
					continue
				}
			}
			for _, part := range Conditions(k, e[i]) {
				if !slices.Contains(out, part) {
					out = append(out, part)
				}
			}
		}
		return out
	case query.Or:
		var out []string
		for _, x := range e {
			out = append(out, strings.Join(Conditions(k, x), " and "))
		}
		return []string{strings.Join(out, " or ")}
	case query.Not:
		if t, ok := e.Of.(query.Term); ok && len(t.Values) == 1 && t.Values[0].None {
			if t.Field.Name == "dueDate" {
				return []string{"with a due date"}
			}
			return []string{"with " + FieldWord(t.Field.Name)}
		}
		return []string{"not " + strings.Join(Conditions(k, e.Of), " and ")}
	case query.Match:
		return []string{fmt.Sprintf("with the word %q", e.Words)}
	case query.Term:
		return []string{inWords(e)}
	}
	return nil
}

// between is a period of two comparisons: "created 2022-01-01 to 2022-12-31".
func between(a, b query.Expr) string {
	from, ok := a.(query.Term)
	to, also := b.(query.Term)
	if !ok || !also || from.Op != query.AtLeast || to.Op != query.Less || from.Field.Name != to.Field.Name || len(from.Values) != 1 || len(to.Values) != 1 || to.Values[0].From.IsZero() {
		return ""
	}
	return fmt.Sprintf("%s %s to %s", FieldWord(from.Field.Name), from.Values[0].Text, day(to.Values[0].From.AddDate(0, 0, -1)))
}

// inWords is one comparison in words.
func inWords(t query.Term) string {
	name := FieldWord(t.Field.Name)
	if len(t.Values) == 1 && t.Values[0].None {
		switch t.Field.Name {
		case "owner":
			return "unassigned"
		case "dueDate", "due":
			return "without a due date"
		}
		return "without " + name
	}
	values := make([]string, len(t.Values))
	for i, v := range t.Values {
		values[i] = Word(v.Text)
	}
	text := strings.Join(values, " or ")
	timed := t.Field.Type == query.Day || t.Field.Type == query.Instant
	words := map[query.Op]string{query.Is: " ", query.Contains: " ", query.Less: " less than ", query.AtMost: " at most ", query.More: " more than ", query.AtLeast: " at least "}
	if timed {
		words = map[query.Op]string{query.Is: " ", query.Contains: " ", query.Less: " before ", query.AtMost: " until ", query.More: " after ", query.AtLeast: " since "}
		name = map[string]string{"updated": "changed", "created": "created"}[t.Field.Name]
		if name == "" {
			name = FieldWord(t.Field.Name)
		}
	}
	if t.Op == query.Contains && (t.Field.Name == "title" || t.Field.Name == "description") {
		return fmt.Sprintf("%s containing %q", t.Field.Name, text)
	}
	if t.Field.Name == "status" && t.Op == query.Is {
		return strings.ToLower(text)
	}
	if slices.Contains([]string{"name", "sprint"}, t.Field.Name) && t.Op == query.Is {
		return text
	}
	return name + words[t.Op] + text
}

package claim

import (
	"slices"
	"strings"

	"chela/internal/answer"
	"chela/internal/desk"
	"chela/internal/query"
	"chela/internal/question"
)

// A state is a word of a state in a clause.
type state struct {
	start, end int
	word       string // as [answer.Snapshot.Is] has it
	not        bool
	every      string // all, none, most or ""
}

// stateWords are words of states beside the values of closed sets, which are read off the desk.
var stateWords = map[string]string{
	"open": "open", "unresolved": "open", "offen": "open", "offene": "open",
	"done": "done", "closed": "done", "finished": "done", "completed": "done", "complete": "done", "resolved": "done", "erledigt": "done", "fertig": "done", "geschlossen": "done",
	"overdue": "overdue", "late": "overdue", "überfällig": "overdue",
	"unassigned": "unassigned", "ownerless": "unassigned",
	"blocked": "Blocked", "blockiert": "Blocked", "critical": "Critical", "kritisch": "Critical",
	"overloaded": "Overloaded", "overbooked": "Overloaded", "idle": "Idle", "underutilized": "Underutilized", "balanced": "Balanced",
	"committed": "Committed", "achieved": "Achieved", "missed": "Missed", "dropped": "Dropped", "upcoming": "Upcoming", "proposed": "Proposed",
}

// phrases are states of several words.
var phrases = map[string]string{
	"in progress": "In progress", "in review": "Review", "under review": "Review", "at risk": "At risk", "on track": "On track", "to do": "To do", "not started": "To do", "in arbeit": "In progress",
	"no owner": "unassigned", "no assignee": "unassigned", "nobody owns": "unassigned", "without an owner": "unassigned", "without owner": "unassigned", "no one owns": "unassigned",
}

// graded are values that are priorities only beside the word.
var graded = []string{"high", "low", "medium"}

// states returns the words of states in a clause.
func (k *check) states(cl clause) (out []state) {
	for i, w := range k.words {
		if w.Start < cl.start || w.Start >= cl.end || k.isHidden(w.Start) {
			continue
		}
		st, n := k.stateAt(i)
		if n == 0 {
			continue
		}
		st.start, st.end = w.Start, k.words[i+n-1].End
		if len(out) > 0 && out[len(out)-1].end > st.start {
			continue
		}
		k.quantified(i, cl, &st)
		out = append(out, st)
	}
	return out
}

// stateAt reads a state at a word.
func (k *check) stateAt(i int) (st state, n int) {
	word := func(j int) string {
		if j >= 0 && j < len(k.words) {
			return k.words[j].Text
		}
		return ""
	}
	for n := 3; n > 1; n-- {
		if i+n > len(k.words) {
			continue
		}
		parts := make([]string, n)
		for j := range n {
			parts[j] = word(i + j)
		}
		if v, ok := phrases[strings.Join(parts, " ")]; ok {
			return state{word: v}, n
		}
	}
	w := word(i)
	if slices.Contains(graded, w) {
		near := []string{"priority", "severity", "priorität"}
		if slices.Contains(near, word(i+1)) || slices.Contains(near, word(i-1)) || slices.Contains(near, word(i-2)) {
			return state{word: strings.ToUpper(w[:1]) + w[1:]}, 1
		}
		return state{}, 0
	}
	if v, ok := stateWords[w]; ok && !(v == "open" && (word(i+1) == "question" || word(i+1) == "questions" || word(i+1) == "action" || word(i+1) == "actions")) && !(w == "late" && word(i-1) == "too") {
		return state{word: v}, 1
	}
	return state{}, 0
}

// quantified reads negation and "all", "none", "most" before a state. "who is not done" and "none is done" are
// not the same.
func (k *check) quantified(i int, cl clause, st *state) {
	for j := i - 1; j >= 0 && k.words[j].Start >= cl.start; j-- {
		switch w := k.words[j].Text; w {
		case "not", "isnt", "arent", "wasnt", "werent", "never", "hasnt", "havent", "nicht", "neither", "nor":
			if i-j <= 4 {
				st.not = true
			}
		case "all", "every", "each", "both", "alle", "jedes":
			st.every = "all"
			return
		case "single": // not a single one
			st.every = "none"
			return
		case "none", "no", "nobody", "keines", "keine", "niemand":
			if w == "no" && k.unitNear(j) == "" {
				continue
			}
			st.every = "none"
			return
		case "most", "majority", "meisten":
			if j+1 < len(k.words) && (unitOf(k.words[j+1].Text) != "" || k.words[j+1].Text == "of") {
				st.every = "most"
			}
		}
	}
}

// unitNear is the unit that comes right after a word.
func (k *check) unitNear(j int) string {
	for _, w := range k.words[j+1 : min(len(k.words), j+3)] {
		if u := unitOf(w.Text); u != "" {
			return u
		}
	}
	return ""
}

// checkStates checks statuses, priorities and the like.
func (k *check) checkStates(cl clause) {
	for _, st := range k.states(cl) {
		if !k.countedAs(cl, st) && !k.stateHolds(cl, st) {
			k.mark(st.start, st.end, "The cited records do not say so.")
		}
	}
}

// countedAs reports whether a state belongs to a number: "three tickets done", "7 open tickets".
func (k *check) countedAs(cl clause, st state) bool {
	for _, n := range k.numbers(cl) {
		if n.unit != "tickets" || n.percent {
			continue
		}
		between := 0
		for _, w := range k.words {
			if w.Start > min(n.start, st.start) && w.Start < max(n.start, st.start) {
				between++
			}
		}
		if n.start < st.start && between <= 2 {
			return true
		}
	}
	return false
}

// stateHolds reports whether a state is what the records say, or what no record decides.
func (k *check) stateHolds(cl clause, st state) bool {
	var of []*answer.Record
	for _, s := range cl.subjects {
		if s.record != nil {
			of = append(of, s.record)
		} else if r, ok := k.s.Find(s.personID); ok && (st.word == "Overloaded" || st.word == "Idle" || st.word == "Balanced" || st.word == "Underutilized") {
			of = append(of, r)
		}
	}
	if len(of) == 0 {
		return k.anyHolds(cl, st)
	}
	if st.every == "none" {
		st.not = !st.not
	}
	decided, agree := 0, 0
	for _, r := range of {
		if is, ok := k.s.Is(r, st.word, k.now); ok {
			decided++
			if is != st.not {
				agree++
			}
		}
	}
	if decided == 0 {
		return true
	}
	if cl.own && len(of) > 1 && st.every == "" { // "A blocks B, which is open": one of them is meant
		return agree > 0
	}
	return agree == decided
}

// anyHolds checks a state in a clause that names no record: of the records of the answer as a whole.
func (k *check) anyHolds(cl clause, st state) bool {
	base := k.base()
	if k.stated && len(k.cited) > 0 && st.every != "" && k.table.Total != len(base) {
		base = k.cited
	}
	agree, decided := 0, 0
	for _, r := range base {
		if is, ok := k.s.Is(r, st.word, k.now); ok {
			decided++
			if is != st.not {
				agree++
			}
		}
	}
	switch st.every {
	case "all":
		return decided == 0 || agree == decided
	case "none":
		return decided == 0 || agree == 0
	case "most":
		return decided == 0 || 2*agree > decided
	}
	if decided > 0 && agree > 0 {
		return true
	}
	if k.inText(st.word) || k.saidInText(st) {
		return true
	}
	for _, s := range cl.subjects { // what the person has: the project's records decide
		if s.person != "" && decided == 0 {
			return true
		}
	}
	return decided == 0 && len(k.cited) == 0 || len(k.numbers(cl)) > 0 && (decided == 0 || agree == 0 && k.zero(cl))
}

// saidInText reports whether a cited record of which no field decides has the word in its text.
func (k *check) saidInText(st state) bool {
	word := strings.ToLower(k.text[st.start:st.end])
	return slices.ContainsFunc(k.cited, func(r *answer.Record) bool {
		_, decides := k.s.Is(r, st.word, k.now)
		return !decides && strings.Contains(strings.ToLower(r.Prose()), word)
	})
}

// zero reports whether a clause says that there is none.
func (k *check) zero(cl clause) bool {
	return slices.ContainsFunc(k.numbers(cl), func(n number) bool { return n.value == 0 })
}

// inText reports whether the computed answer, its table or the question says the word.
func (k *check) inText(word string) bool {
	word = strings.ToLower(word)
	texts := []string{strings.ToLower(k.computed), strings.ToLower(k.asked), strings.ToLower(strings.Join(k.table.Columns, " "))}
	for _, r := range k.table.Rows {
		if slices.ContainsFunc(r.Cells, func(c string) bool { return strings.EqualFold(c, word) }) {
			return true
		}
	}
	return slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(t, word) })
}

// relations are words that say in which way a record is somebody's, and the field that holds who.
var relations = []struct {
	words  []string
	fields []string
}{
	{[]string{"owns", "owner", "owned", "assigned", "assignee", "works", "working", "responsible", "bearbeitet", "zuständig"}, []string{"owner", "assignee", "items assignee", "actions assignee"}},
	{[]string{"reported", "reporter", "filed", "raised", "gemeldet"}, []string{"reporter"}},
	{[]string{"decided", "entschieden"}, []string{"decisions decided by", "decided by"}},
	{[]string{"attended", "joined"}, []string{"attendees"}},
}

// checkPeople checks that people belong to the records of a clause, and are first where it says so.
func (k *check) checkPeople(cl clause) {
	for _, s := range cl.subjects {
		if s.person == "" || s.start < cl.start || s.start >= cl.end {
			continue
		}
		if !k.personFits(cl, s) {
			k.mark(s.start, s.end, "No cited record has this person in this way.")
		} else if !k.leads(cl, s) {
			k.mark(s.start, s.end, "The table has another one first.")
		}
	}
}

// personFits reports whether a person is what the clause says.
func (k *check) personFits(cl clause, s subject) bool {
	var records []*answer.Record
	for _, o := range cl.subjects {
		if o.record != nil {
			records = append(records, o.record)
		}
	}
	relation := k.relation(cl)
	has := func(r *answer.Record, fields []string) bool {
		return slices.ContainsFunc(k.known(r), func(f answer.Known) bool {
			return f.Person && (fields == nil || slices.Contains(fields, f.Field)) && question.SamePerson(f.Text, s.person)
		})
	}
	negated := k.negated(cl)
	if before := k.before(s.start, 2); slices.Contains(before, "not") || slices.Contains(before, "nicht") { // "owned by Joe, not by Dana"
		return !slices.ContainsFunc(k.records(clause{}), func(r *answer.Record) bool { return has(r, relation) })
	}
	if len(records) > 0 {
		fields := relation
		found := slices.ContainsFunc(records, func(r *answer.Record) bool { return has(r, fields) || fields == nil && k.mentions(r, s.person) })
		if !found {
			for _, row := range k.table.Rows { // a row that has both
				if slices.Contains(row.Cells, s.person) && slices.ContainsFunc(records, func(r *answer.Record) bool { return r.ID == row.ID }) && fields == nil {
					found = true
				}
			}
		}
		return found != negated
	}
	if k.inTable(s.personID) && s.personID != "" || slices.ContainsFunc(k.table.Rows, func(r answer.Row) bool {
		return slices.ContainsFunc(r.Cells, func(c string) bool { return strings.Contains(c, s.person) })
	}) {
		return true
	}
	for _, r := range k.cited {
		if r.ID == s.personID || has(r, relation) || relation == nil && k.mentions(r, s.person) {
			return true
		}
	}
	return strings.Contains(k.computed, s.person) || strings.Contains(strings.ToLower(k.asked), strings.ToLower(s.person)) && len(k.cited) > 0 && negated
}

// before returns the words before a place.
func (k *check) before(at, n int) (out []string) {
	for _, w := range k.words {
		if w.End <= at {
			out = append(out, w.Text)
		}
	}
	return out[max(0, len(out)-n):]
}

// checkValues checks sprints and other values that people name: a record of the clause has them.
func (k *check) checkValues(cl clause) {
	for _, v := range k.valued {
		if v.start < cl.start || v.start >= cl.end {
			continue
		}
		has := func(r *answer.Record) bool {
			return slices.ContainsFunc(k.known(r), func(f answer.Known) bool { return strings.EqualFold(f.Text, v.person) }) || k.mentions(r, v.person)
		}
		inRow := func(r answer.Row) bool {
			return slices.ContainsFunc(r.Cells, func(c string) bool { return strings.EqualFold(c, v.person) })
		}
		rows, _ := k.rows(cl)
		if slices.ContainsFunc(k.records(cl), has) || slices.ContainsFunc(rows, inRow) || strings.Contains(strings.ToLower(k.asked+k.computed), strings.ToLower(v.person)) {
			continue
		}
		k.mark(v.start, v.end, "No cited record has this value.")
	}
}

// mentions reports whether a record's texts name a person.
func (k *check) mentions(r *answer.Record, person string) bool {
	return strings.Contains(strings.ToLower(r.Prose()), strings.ToLower(person))
}

// relation returns the fields that hold who, by the words of a clause; nil means any.
func (k *check) relation(cl clause) []string {
	for _, rel := range relations {
		for _, w := range k.words {
			if w.Start >= cl.start && w.Start < cl.end && !k.isHidden(w.Start) && slices.Contains(rel.words, w.Text) {
				return rel.fields
			}
		}
	}
	return nil
}

// negated reports whether a clause says "not".
func (k *check) negated(cl clause) bool {
	return slices.ContainsFunc(k.words, func(w question.Token) bool {
		return w.Start >= cl.start && w.Start < cl.end && !k.isHidden(w.Start) && slices.Contains([]string{"not", "doesnt", "isnt", "nicht"}, w.Text)
	})
}

// leads reports whether a person who is said to have the most, or the least, does by the table.
func (k *check) leads(cl clause, s subject) bool {
	most, least := false, false
	noun := ""
	for i, w := range k.words {
		if w.Start < cl.start || w.Start >= cl.end || k.isHidden(w.Start) {
			continue
		}
		switch w.Text {
		case "most", "highest", "largest":
			most = true
		case "least", "fewest", "lowest":
			least = true
		default:
			continue
		}
		for _, next := range k.words[i+1 : min(len(k.words), i+5)] {
			if noun == "" {
				noun = map[string]string{"room": "spare", "capacity": "spare", "spare": "spare", "free": "spare"}[next.Text]
			}
			if noun == "" {
				noun = strings.TrimSuffix(unitOf(next.Text), "s")
			}
		}
	}
	if !most && !least || noun == "" {
		return true
	}
	for i, name := range k.table.Columns {
		if !strings.Contains(strings.ToLower(name), noun) {
			continue
		}
		own, best, ok := 0.0, 0.0, false
		for j, r := range k.table.Rows {
			v, _, is := cellNumber(r.Cells[i])
			if !is || r.Cells[0] == "Unassigned" {
				continue
			}
			if j == 0 || !ok && own == 0 && best == 0 || most && v > best || least && v < best {
				best = v
			}
			if slices.Contains(r.Cells, s.person) {
				own, ok = v, true
			}
		}
		return !ok || own == best
	}
	return true
}

// checkNames marks names that no record and no table knows.
func (k *check) checkNames() {
	prose := ""
	for i, w := range k.words {
		if k.isHidden(w.Start) || !upper(k.text[w.Start:]) || i == 0 || question.Common(w.Text) || len(w.Text) < 2 || w.Text[0] >= '0' && w.Text[0] <= '9' {
			continue
		}
		if before := strings.TrimSpace(k.text[:w.Start]); before == "" || strings.ContainsRune(".!?:•-*", rune(before[len(before)-1])) {
			continue
		}
		if prose == "" {
			prose = k.prose() + strings.ToLower(k.computed+" "+k.asked+" "+strings.Join(k.table.Columns, " "))
			for _, s := range k.found {
				if s.record != nil {
					prose += " " + strings.ToLower(s.record.Prose())
				}
			}
		}
		if strings.Contains(prose, w.Text) || k.isValue(w.Text) {
			continue
		}
		start := w.Start
		if n := len(k.order); n > 0 && i > 0 && k.order[n-1][1] == k.words[i-1].End && k.why[k.order[n-1]] == noName { // one name of two words
			start = k.order[n-1][0]
			delete(k.why, k.order[n-1])
			k.order = k.order[:n-1]
		}
		k.mark(start, w.End, noName)
	}
}

const noName = "No cited record has this name."

// isValue reports whether a word is a value of a closed set, or a word of the desk.
func (k *check) isValue(word string) bool {
	if _, ok := stateWords[word]; ok || slices.Contains(graded, word) || unitOf(word) != "" {
		return true
	}
	for _, r := range k.cited {
		for _, f := range k.known(r) {
			if f.Type == query.Set && strings.Contains(strings.ToLower(f.Text), word) {
				return true
			}
		}
	}
	return slices.ContainsFunc(desk.Kinds(), func(d desk.Kind) bool { return strings.Contains(d.Word(), word) })
}

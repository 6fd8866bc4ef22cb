// Package claim checks what sentences say against the records that they cite and the tables that were
// computed. A sentence is a row of clauses, each about some records or people. Every number, date,
// person, status, priority and key in a clause has to be what one of its records says, a cell of a
// computed table, or what follows from such: a sum, a difference, a share, a ratio, an average, a count, or
// the days between two days. Words that are not covered are marked in place. [Checker.Check] is the way in.
package claim

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/answer"
	"chela/internal/desk"
	"chela/internal/pattern"
	"chela/internal/question"
)

// A Part is a piece of a sentence; Why says what is not supported about it.
type Part struct {
	Text string `json:"text"`
	Why  string `json:"why,omitempty"`
}

// A Mark is a piece of a sentence that is not supported.
type Mark struct {
	Text string
	Why  string
}

// A Sentence is a sentence that was checked. Its parts together are the text.
type Sentence struct {
	Parts   []Part   `json:"parts"`
	Sources []string `json:"sources" doc:"ids of the records that it rests on"`
	Derived []string `json:"derived,omitempty" doc:"how numbers follow from the records"`
}

// Marks returns what is not supported.
func (s Sentence) Marks() (out []Mark) {
	for _, p := range s.Parts {
		if p.Why != "" {
			out = append(out, Mark{strings.TrimSpace(p.Text), p.Why})
		}
	}
	return out
}

// A Checker checks the sentences of one answer.
type Checker struct {
	s        *answer.Snapshot
	table    *answer.Table
	computed string // the computed sentence
	asked    string // the question
	now      time.Time
	facts    map[string][]answer.Known
}

// NewChecker returns a checker of an answer to a question, for which a table, which may be nil, and a
// sentence were computed.
func NewChecker(s *answer.Snapshot, t *answer.Table, computed, asked string, now time.Time) *Checker {
	if t == nil {
		t = &answer.Table{}
	}
	return &Checker{s: s, table: t, computed: computed, asked: asked, now: now, facts: make(map[string][]answer.Known)}
}

// known returns what a record says.
func (c *Checker) known(r *answer.Record) []answer.Known {
	f, ok := c.facts[r.ID]
	if !ok {
		f = c.s.Known(r, c.now)
		c.facts[r.ID] = f
	}
	return f
}

var idPattern = pattern.New(`\[?\b(?:` + strings.Join(desk.Prefixes(), "|") + `)_[0-9a-z]{20,32}\b\]?`)

// maxSentence bounds a sentence, in bytes; what comes after it is marked.
const maxSentence = 2000

// Split splits a text into sentences and lines.
func Split(text string) (out []string) {
	for line := range strings.Lines(text) {
		rest := strings.TrimSpace(line)
		for rest != "" {
			n := sentenceEnd(rest)
			if s := strings.TrimSpace(rest[:n]); s != "" {
				out = append(out, s)
			}
			rest = strings.TrimSpace(rest[n:])
		}
	}
	return out
}

// sentenceEnd returns where the first sentence of a line ends.
func sentenceEnd(line string) int {
	for i := 0; i+1 < len(line); i++ {
		if !strings.ContainsRune(".!?", rune(line[i])) || line[i+1] != ' ' {
			continue
		}
		word := strings.TrimLeft(line[strings.LastIndexAny(line[:i], " \t")+1:i], "([")
		digits := strings.Trim(word, "0123456789") == ""
		if line[i] == '.' && (digits && (len(word) <= 2) || len(word) == 1 || word == "e.g" || word == "approx" || word == "No") {
			continue // "1. First", "J. Doe"
		}
		return i + 1
	}
	return len(line)
}

// Check checks a sentence with the ids of the records that it rests on.
func (c *Checker) Check(text string, ids []string) Sentence {
	k := &check{Checker: c, text: text, why: make(map[[2]int]string), stated: len(ids) > 0}
	for _, id := range ids {
		if r, ok := c.s.Find(id); ok && r.Kind != desk.Project {
			k.cite(r)
		} else {
			k.missing = append(k.missing, id)
		}
	}
	for _, at := range idPattern.FindAllStringIndex(text, -1) {
		k.hide(at[0], at[1])
		id := strings.Trim(text[at[0]:at[1]], "[]")
		if r, ok := c.s.Find(id); ok {
			k.cite(r)
		} else {
			from := at[0] + strings.Index(text[at[0]:at[1]], id)
			k.mark(from, from+len(id), "There is no such record in this project.")
		}
	}
	if len(text) > maxSentence {
		k.mark(maxSentence, len(text), "The sentence is too long to be checked.")
		k.text = strings.ToValidUTF8(text[:maxSentence], "")
	}
	k.read()
	k.clauses()
	for _, cl := range k.all {
		k.checkRecords(cl)
		cl = k.about(cl)
		k.checkDays(cl)
		k.checkNumbers(cl)
		k.checkStates(cl)
		k.checkPeople(cl)
		k.checkValues(cl)
	}
	k.checkNames()
	return k.sentence(text)
}

// A check is the check of one sentence.
type check struct {
	*Checker
	text    string
	cited   []*answer.Record
	stated  bool // the sentence came with ids
	missing []string
	words   []question.Token
	hidden  []bool // by byte: titles, keys, ids and other names, whose words are no claims
	found   []subject
	valued  []subject // values of fields, such as sprints
	days    []question.Mention
	all     []clause
	why     map[[2]int]string
	order   [][2]int
	derived []string
}

// A subject is a record or a person that a sentence names.
type subject struct {
	start, end int
	record     *answer.Record
	person     string
	personID   string
}

// A clause is a part of a sentence that is about the same things.
type clause struct {
	start, end int
	subjects   []subject // those of the clause; of the one before when it names none
	own        bool
}

func (k *check) cite(r *answer.Record) {
	if !slices.Contains(k.cited, r) {
		k.cited = append(k.cited, r)
	}
}

func (k *check) mark(start, end int, why string) {
	at := [2]int{start, end}
	if _, ok := k.why[at]; !ok {
		k.why[at] = why
		k.order = append(k.order, at)
	}
}

func (k *check) hide(start, end int) {
	if k.hidden == nil {
		k.hidden = make([]bool, len(k.text)+1)
	}
	for i := start; i < end && i < len(k.hidden); i++ {
		k.hidden[i] = true
	}
}

func (k *check) isHidden(at int) bool { return at < len(k.hidden) && k.hidden[at] }

// read finds the records and the people that the sentence names, and hides their words.
func (k *check) read() {
	k.hide(0, 0)
	var more bool
	k.words, more = question.Tokens(k.text)
	if more && len(k.words) > 0 {
		k.mark(k.words[len(k.words)-1].End, len(k.text), "The sentence is too long to be checked.")
	}
	texts := make([]string, len(k.words))
	for i, w := range k.words {
		texts[i] = w.Text
	}
	hits := k.s.Titled(texts)
	slices.SortStableFunc(hits, func(a, b question.Hit) int { return b.Words - a.Words })
	for _, h := range hits {
		start, end := k.words[h.From].Start, k.words[h.From+h.Words-1].End
		r, ok := k.s.Find(h.ID)
		if !ok || h.Words < 2 && !k.inTable(h.ID) && !slices.Contains(k.cited, r) || k.isHidden(start) && !k.sameSpan(start, end) {
			continue
		}
		k.hide(start, end)
		k.found = append(k.found, subject{start: start, end: end, record: r})
	}
	for i, w := range k.words {
		for _, h := range k.s.Key(w.Text) {
			if r, ok := k.s.Find(h.ID); ok && !idPattern.MatchString(w.Text) {
				k.hide(w.Start, w.End)
				k.found = append(k.found, subject{start: w.Start, end: w.End, record: r})
			}
		}
		if k.isHidden(w.Start) {
			continue
		}
		if names, n := k.s.Person(texts[i:min(len(texts), i+5)]); n > 0 && upper(k.text[w.Start:]) {
			end := k.words[i+n-1].End
			k.hide(w.Start, end)
			k.found = append(k.found, subject{start: w.Start, end: end, person: names[0].Name, personID: names[0].ID})
			continue
		}
		if values, n := k.s.Value(texts[i:min(len(texts), i+6)]); n > 1 && values[0].Text != "" {
			k.hide(w.Start, k.words[i+n-1].End) // "Sprint 24" is no number
			k.valued = append(k.valued, subject{start: w.Start, end: k.words[i+n-1].End, person: values[0].Text})
		}
	}
	slices.SortStableFunc(k.found, func(a, b subject) int { return a.start - b.start })
	k.days = question.Mentions(k.text, k.now)
	k.quotes()
}

// sameSpan reports whether a record was found at exactly these words.
func (k *check) sameSpan(start, end int) bool {
	return slices.ContainsFunc(k.found, func(s subject) bool { return s.start == start && s.end == end })
}

// quotes hides what is quoted from a cited record, and marks a quote of which no cited record has the words.
func (k *check) quotes() {
	for _, pair := range [][2]string{{"“", "”"}, {`"`, `"`}, {"„", "“"}} {
		from := 0
		for {
			i := strings.Index(k.text[from:], pair[0])
			if i < 0 {
				break
			}
			start := from + i + len(pair[0])
			n := strings.Index(k.text[start:], pair[1])
			if n < 0 {
				break
			}
			quote := strings.Join(strings.Fields(strings.ToLower(k.text[start:start+n])), " ")
			from = start + n + len(pair[1])
			if quote == "" {
				continue
			}
			if strings.Contains(k.prose(), quote) || strings.Contains(strings.ToLower(k.asked), quote) {
				k.hide(start, start+n)
			} else if strings.Contains(quote, " ") {
				k.mark(start, start+n, "No cited record has these words.")
				k.hide(start, start+n)
			}
		}
	}
}

// prose is all that the cited records and the rows of the table say, in small letters.
func (k *check) prose() string {
	var b strings.Builder
	for _, r := range k.cited {
		b.WriteString(strings.Join(strings.Fields(strings.ToLower(r.Prose())), " ") + "\n")
	}
	for _, r := range k.table.Rows {
		b.WriteString(strings.ToLower(strings.Join(r.Cells, " ")) + "\n")
	}
	return b.String()
}

// upper reports whether a text begins with a capital letter.
func upper(text string) bool {
	return text != "" && text[:1] != strings.ToLower(text[:1]) || text > "\x7f"
}

// inTable reports whether a row of the table cites a record.
func (k *check) inTable(id string) bool {
	return slices.ContainsFunc(k.table.Rows, func(r answer.Row) bool { return r.ID == id })
}

// checkRecords marks records that are named and not cited, when the sentence says what it rests on.
func (k *check) checkRecords(cl clause) {
	for _, s := range cl.subjects {
		if s.record == nil || s.start < cl.start || s.start >= cl.end {
			continue
		}
		if slices.Contains(k.cited, s.record) || k.inTable(s.record.ID) || k.sameAs(s) || k.referred(s.record) {
			continue
		}
		if k.stated {
			k.mark(s.start, s.end, "The sentence does not cite this record.")
			continue
		}
		k.cite(s.record)
	}
}

// about leaves out the subjects that are marked already, and those that a cited record only names: what is
// said beside them is said of the cited records.
func (k *check) about(cl clause) clause {
	cl.subjects = slices.DeleteFunc(slices.Clone(cl.subjects), func(s subject) bool {
		_, marked := k.why[[2]int{s.start, s.end}]
		return marked || k.stated && s.record != nil && !slices.Contains(k.cited, s.record) && !k.inTable(s.record.ID)
	})
	cl.own = cl.own && len(cl.subjects) > 0
	return cl
}

// sameAs reports whether another record of that title is cited.
func (k *check) sameAs(s subject) bool {
	return slices.ContainsFunc(k.found, func(o subject) bool {
		return o.start == s.start && o.end == s.end && o.record != nil && (slices.Contains(k.cited, o.record) || k.inTable(o.record.ID))
	})
}

// referred reports whether a cited record names the record.
func (k *check) referred(r *answer.Record) bool {
	for _, c := range k.cited {
		for _, ref := range desk.SummaryOf(c.Thing).Refs {
			if ref.ID == r.ID {
				return true
			}
		}
	}
	return strings.Contains(strings.ToLower(k.prose()+k.computed), strings.ToLower(r.Title))
}

// sentence is the result, with the marks in their places.
func (k *check) sentence(text string) Sentence {
	out := Sentence{Sources: []string{}, Derived: k.derived}
	for _, r := range k.cited {
		out.Sources = append(out.Sources, r.ID)
	}
	slices.SortFunc(k.order, func(a, b [2]int) int { return a[0] - b[0] })
	at := 0
	for _, m := range k.order {
		if m[0] < at {
			continue
		}
		if m[0] > at {
			out.Parts = append(out.Parts, Part{Text: text[at:m[0]]})
		}
		out.Parts = append(out.Parts, Part{text[m[0]:m[1]], k.why[m]})
		at = m[1]
	}
	if at < len(text) {
		out.Parts = append(out.Parts, Part{Text: text[at:]})
	}
	for _, id := range k.missing {
		out.Parts = append(out.Parts, Part{" [" + strings.ToValidUTF8(id[:min(len(id), 60)], "") + "]", "There is no such record in this project."})
	}
	return out
}

// rows returns the rows of the table that are about a clause: those that cite its records or name its
// people; all when it is about none.
func (k *check) rows(cl clause) (out []answer.Row, whole bool) {
	if len(cl.subjects) == 0 {
		if out = k.keyed(cl); len(out) > 0 {
			return out, false
		}
		return k.table.Rows, true
	}
	for _, r := range k.table.Rows {
		for _, s := range cl.subjects {
			if s.record != nil && r.ID == s.record.ID || s.person != "" && slices.ContainsFunc(r.Cells, func(c string) bool { return strings.Contains(c, s.person) }) ||
				s.record != nil && slices.ContainsFunc(r.Cells, func(c string) bool { return strings.Contains(c, s.record.Title) }) {
				out = append(out, r)
				break
			}
		}
	}
	return out, false
}

// keyed returns the rows of groups that a clause names: by a state, a month or a label.
func (k *check) keyed(cl clause) (out []answer.Row) {
	if len(k.table.Columns) != 2 {
		return nil
	}
	states := k.states(cl)
	for _, r := range k.table.Rows {
		key := r.Cells[0]
		named := slices.ContainsFunc(states, func(s state) bool { return strings.EqualFold(s.word, key) })
		for _, w := range k.words {
			inside := w.Start >= cl.start && w.Start < cl.end
			named = named || inside && len(key) > 2 && strings.EqualFold(k.text[w.Start:min(len(k.text), w.Start+len(key))], key)
		}
		for _, m := range k.days {
			named = named || m.Start >= cl.start && m.Start < cl.end && (key == m.From.Format("2006-01") || key == m.From.Format(time.DateOnly) || key == m.From.Format("2006") && !m.To.Before(m.From.AddDate(1, 0, 0)))
		}
		if named {
			out = append(out, r)
		}
	}
	return out
}

// records returns the records that a clause is about: those it names, those of its people, or all that are
// cited when it names none.
func (k *check) records(cl clause) (out []*answer.Record) {
	for _, s := range cl.subjects {
		if s.record != nil {
			out = append(out, s.record)
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, s := range cl.subjects {
		if r, ok := k.s.Find(s.personID); ok {
			out = append(out, r)
		}
	}
	if len(out) > 0 {
		for _, r := range k.cited { // "Joe has PAY-101 …": what the person's cited records say
			if k.of(r, cl) && !slices.Contains(out, r) {
				out = append(out, r)
			}
		}
		return out
	}
	return k.cited
}

// of reports whether a record is one of the people of a clause.
func (k *check) of(r *answer.Record, cl clause) bool {
	return slices.ContainsFunc(k.known(r), func(f answer.Known) bool {
		return f.Person && slices.ContainsFunc(cl.subjects, func(s subject) bool { return s.person != "" && question.SamePerson(f.Text, s.person) })
	})
}

// derive records how a number follows from others.
func (k *check) derive(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(k.derived, text) {
		k.derived = append(k.derived, text)
	}
}

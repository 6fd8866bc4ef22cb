package claim

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"chela/internal/answer"
	"chela/internal/desk"
	"chela/internal/query"
	"chela/internal/question"
)

// A number is a number that a sentence says.
type number struct {
	start, end int
	value      float64
	decimals   int
	percent    bool
	unit       string // the noun after it: hours, tickets, points, days; "" for another
	next       string // the word after it
	of         bool   // "of 40": a whole
}

// units are the nouns of numbers with what columns and fields call them.
var units = map[string][]string{
	"hours": {"hour"}, "tickets": {"ticket"}, "points": {"point"}, "days": {"day"}, "weeks": {"week"},
	"people": {"people"}, "threads": {"thread"}, "decisions": {"decision"}, "actions": {"action"}, "objectives": {"objective"}, "milestones": {"milestone"},
}

// unitOf is the unit that a word is, "" for none.
func unitOf(word string) string {
	switch word {
	case "hour", "hours", "h", "hrs", "stunden", "stunde":
		return "hours"
	case "ticket", "tickets", "issue", "issues", "tasks", "task", "items", "aufgaben", "vorgänge":
		return "tickets"
	case "point", "points", "sp", "punkte", "punkten":
		return "points"
	case "day", "days", "tage", "tagen", "tag":
		return "days"
	case "week", "weeks", "wochen":
		return "weeks"
	case "person", "people", "persons", "engineers", "developers", "personen":
		return "people"
	case "decision", "decisions", "action", "actions", "thread", "threads", "objective", "objectives", "milestone", "milestones":
		return strings.TrimSuffix(word, "s") + "s"
	}
	return ""
}

// numbers returns the numbers of a clause that are no part of a name or a day.
func (k *check) numbers(cl clause) (out []number) {
	for i, w := range k.words {
		if w.Start < cl.start || w.Start >= cl.end || k.isHidden(w.Start) {
			continue
		}
		n, ok := k.numberAt(i)
		if !ok {
			continue
		}
		for j := i + 1; j < len(k.words) && j <= i+4; j++ {
			next := k.words[j]
			if k.isHidden(next.Start) && j > i+1 {
				break
			}
			if j == i+1 {
				n.next = next.Text
				n.percent = next.Text == "percent" || next.Text == "prozent"
			}
			if other, another := k.numberAt(j); another && n.next == "of" && j == i+2 {
				n.unit = k.unitAfter(j, other)
				break
			}
			if _, another := k.numberAt(j); another && j > i+1 || n.unit != "" || strings.ContainsAny(k.text[k.words[j-1].End:next.Start], ",;:()") {
				break
			}
			n.unit = unitOf(next.Text)
			if next.Text == "story" {
				n.unit = ""
			}
		}
		n.of = i > 0 && k.words[i-1].Text == "of"
		out = append(out, n)
	}
	return out
}

// unitAfter is the unit of the words after a number.
func (k *check) unitAfter(j int, _ number) string {
	for _, w := range k.words[j+1 : min(len(k.words), j+4)] {
		if u := unitOf(w.Text); u != "" {
			return u
		}
	}
	return ""
}

// numberAt reads a number in digits, or in a word; "one" only before a noun.
func (k *check) numberAt(i int) (n number, ok bool) {
	w := k.words[i]
	n = number{start: w.Start, end: w.End}
	text := strings.TrimSuffix(strings.TrimSuffix(w.Text, "h"), "%")
	if value, word := question.NumberWord(w.Text); word {
		next := ""
		if i+1 < len(k.words) {
			next = k.words[i+1].Text
		}
		if value == "1" && unitOf(next) == "" || w.Text == "couple" || w.Text == "ein" {
			return n, false
		}
		text = value
	} else if w.Text == "half" || w.Text == "dozen" || w.Text == "zero" {
		text = map[string]string{"half": "50", "dozen": "12", "zero": "0"}[w.Text]
		n.percent = w.Text == "half"
		if w.Text == "half" {
			n.unit = "percent"
		}
	} else if w.Text == "" || w.Text[0] < '0' || w.Text[0] > '9' {
		return n, false
	}
	value, decimals, ok := amount(text)
	n.value, n.decimals = value, decimals
	return n, ok
}

// amount reads 1,024 and 2.5 and, as Germans write it, 2,5.
func amount(text string) (value float64, decimals int, ok bool) {
	if i := strings.LastIndexByte(text, ','); i >= 0 {
		if len(text)-i-1 == 3 {
			text = strings.ReplaceAll(text, ",", "")
		} else {
			text = strings.ReplaceAll(text, ",", ".")
		}
	}
	value, err := strconv.ParseFloat(text, 64)
	if i := strings.IndexByte(text, '.'); i >= 0 {
		decimals = len(text) - i - 1
	}
	return value, decimals, err == nil && !math.IsInf(value, 0)
}

// is reports whether a value is the number, as exactly as it is said.
func (n number) is(v float64) bool {
	scale := math.Pow(10, float64(min(n.decimals, 6)))
	return math.Abs(math.Round(v*scale)/scale-n.value) < 1e-9 || math.Abs(v-n.value) < 1e-9
}

// checkNumbers checks every number of a clause.
func (k *check) checkNumbers(cl clause) {
	for _, n := range k.numbers(cl) {
		more := slices.Contains([]string{"more", "fewer", "less", "mehr", "weniger"}, n.next) && k.says("than", "als")
		if k.ordinal(n) || !more && k.statedAs(cl, n) || k.follows(cl, n) {
			continue
		}
		end := n.end
		if n.percent && n.next == "percent" && end < len(k.text) && strings.HasPrefix(strings.TrimLeft(k.text[end:], " "), "%") {
			end += strings.Index(k.text[end:], "%") + 1
		}
		k.mark(n.start, end, "The number is in no cited record and no computed table, and follows from none.")
	}
}

// ordinal reports whether the number only counts the lines of an answer: "1. First".
func (k *check) ordinal(n number) bool {
	return n.start == 0 && n.end < len(k.text) && (k.text[n.end] == '.' || k.text[n.end] == ')') && n.end+1 < len(k.text) && k.text[n.end+1] == ' '
}

// fitsUnit reports whether a field or a column may hold numbers of a unit.
func (n number) fitsUnit(name string) bool {
	name = strings.ToLower(name)
	if n.percent {
		return strings.Contains(name, "%") || strings.Contains(name, "allocat") || strings.Contains(name, "coverage") || strings.Contains(name, "availability") || strings.Contains(name, "share")
	}
	if strings.Contains(name, "%") || strings.Contains(name, "allocated") {
		return n.unit == ""
	}
	words, ok := units[n.unit]
	if !ok {
		return true
	}
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(name, w) })
}

// statedAs reports whether the number is what a record of the clause says, or a cell of a row about it.
func (k *check) statedAs(cl clause, n number) bool {
	for _, r := range k.records(cl) {
		for _, f := range k.known(r) {
			if f.Type == query.Number && n.fitsUnit(f.Field) && k.qualified(cl, f.Field) && n.is(f.Number) {
				return true
			}
		}
		if k.quoted(r, n) {
			return true
		}
	}
	rows, whole := k.rows(cl)
	for _, r := range rows {
		for i, cell := range r.Cells {
			v, percent, ok := cellNumber(cell)
			column := ""
			if i < len(k.table.Columns) {
				column = k.table.Columns[i]
			}
			if percent {
				column += " %"
			}
			if ok && n.is(v) && n.fitsUnit(column) && k.qualified(cl, column) {
				return true
			}
		}
	}
	return (whole || n.of) && k.totals(n) || k.personal(cl, n)
}

// qualified reports whether a clause says what a column's name says beside its noun: done, spare.
func (k *check) qualified(cl clause, name string) bool {
	name = strings.ToLower(name)
	says := func(words ...string) bool {
		return slices.ContainsFunc(k.words, func(w question.Token) bool {
			return w.Start >= cl.start && w.Start < cl.end && slices.Contains(words, w.Text)
		})
	}
	done := says("done", "closed", "finished", "completed", "resolved", "erledigt")
	switch {
	case strings.Contains(name, "done"):
		return done
	case strings.Contains(name, "in progress"):
		return says("progress")
	case strings.Contains(name, "open"):
		return !done
	case strings.Contains(name, "spare"):
		return says("spare", "free", "room", "left", "available", "frei", "capacity")
	}
	return true
}

// cellNumber reads the number that a cell is.
func cellNumber(cell string) (v float64, percent, ok bool) {
	text, percent := strings.CutSuffix(cell, " %")
	if text == "" || text[0] != '-' && (text[0] < '0' || text[0] > '9') {
		return 0, false, false
	}
	v, _, ok = amount(text)
	return v, percent, ok
}

// quoted reports whether a record's text has the number before the same word.
func (k *check) quoted(r *answer.Record, n number) bool {
	if n.percent || n.unit == "tickets" || n.unit == "points" {
		return false
	}
	tokens, _ := question.Tokens(r.Prose())
	for i, t := range tokens {
		v, _, ok := amount(t.Text)
		if word, is := question.NumberWord(t.Text); is {
			v, _, ok = amount(word)
		}
		if ok && n.is(v) && (i+1 == len(tokens) || n.next == "" || strings.TrimSuffix(tokens[i+1].Text, "s") == strings.TrimSuffix(n.next, "s")) {
			return true
		}
	}
	return false
}

// totals reports whether the number is one of the computed sentence's, or counts all rows or records.
func (k *check) totals(n number) bool {
	for _, t := range mentionsOf(k.computed) {
		if n.is(t.value) && t.percent == n.percent && (t.unit == "" || n.unit == "" || t.unit == n.unit) {
			return true
		}
	}
	if n.percent {
		return false
	}
	if k.table.Total > 0 && n.is(float64(k.table.Total)) && n.unit != "points" && n.unit != "hours" && n.unit != "days" {
		k.derive("%g: the rows of the table, counted", n.value)
		return true
	}
	if n.unit == "tickets" || n.unit == "" && n.next == "" {
		all, open := k.s.Total(desk.Ticket)
		if n.is(float64(all)) || n.is(float64(open)) && k.says("open", "offen", "offene") || n.is(float64(all-open)) && k.says("done", "closed", "finished", "erledigt") {
			k.derive("%g: the tickets of the project, counted", n.value)
			return true
		}
	}
	if n.unit == "people" {
		all, _ := k.s.Total(desk.Resource)
		return n.is(float64(all))
	}
	return false
}

// mentionsOf returns the numbers of a computed sentence.
func mentionsOf(text string) []number {
	k := &check{Checker: &Checker{}, text: text}
	k.words, _ = question.Tokens(text)
	return k.numbers(clause{start: 0, end: len(text)})
}

// says reports whether the sentence has one of the words.
func (k *check) says(words ...string) bool {
	return slices.ContainsFunc(k.words, func(w question.Token) bool { return slices.Contains(words, w.Text) })
}

// personal reports whether the number counts the cited records of the clause's person.
func (k *check) personal(cl clause, n number) bool {
	if n.percent || n.unit == "points" || n.unit == "hours" || n.unit == "days" {
		return false
	}
	for _, s := range cl.subjects {
		if s.person == "" {
			continue
		}
		count := 0
		for _, r := range k.cited {
			if k.of(r, clause{subjects: []subject{s}}) {
				count++
			}
		}
		rows := 0
		for _, r := range k.table.Rows {
			if slices.Contains(r.Cells, s.person) {
				rows++
			}
		}
		if count > 0 && n.is(float64(count)) || rows > 0 && rows == k.table.Total && n.is(float64(rows)) || rows > 1 && n.is(float64(rows)) {
			k.derive("%g: the records of %s, counted", n.value, s.person)
			return true
		}
	}
	return false
}

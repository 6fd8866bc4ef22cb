package question

import (
	"slices"
	"strings"
)

// whichSprint are the words that say which sprint is meant by its days, beside those of [sense] "rel".
var whichSprint = map[string]WhichSprint{"active": ThisSprint, "ongoing": ThisSprint, "upcoming": NextSprint, "aktiver": ThisSprint, "aktiven": ThisSprint, "aktives": ThisSprint}

// velocity stands for the points of finished tickets, sprint by sprint, where nothing else is asked.
const velocity = "story points finished per sprint"

// spellOut puts the words in the place of "velocity" that it stands for.
func (r *reader) spellOut() {
	at := slices.IndexFunc(r.tokens, func(t token) bool { return t.text == "velocity" && !t.quoted })
	if at < 0 {
		return
	}
	for i := range r.tokens {
		s, _ := r.sense(i)
		if i != at && !slices.Contains([]string{"stop", "measure", "prep", "topic"}, s.sort) && r.tokens[i].text != "team" {
			return // "the ticket about velocity charts"
		}
	}
	r.tokens, _ = tokenize(velocity)
	r.out.Spelled = append(r.out.Spelled, "velocity: "+velocity)
}

// sprints puts the name of a sprint in the place of "this sprint", "the next sprint", "the last sprint". Where neither plans nor
// objectives say which one that is, what is computed without it would be the answer to another question.
func (r *reader) sprints() {
	r.eachSprint()
	var out []token
	for i := 0; i < len(r.tokens); i++ {
		which, n := r.sense(i)
		if which.sort != "rel" || n != 1 {
			which = sense{"rel", string(whichSprint[r.tokens[i].text])}
		}
		if which.value == "" && r.marked("the-sprint", i) && r.sprintsDay() && !r.marked("around", i+2) && !r.isSprint(r.text(&item{at: min(i+1, len(r.tokens)-1), n: 1}), i+2) {
			which = sense{"rel", string(ThisSprint)} // when does the sprint end
		}
		named, k := r.sense(i + 1)
		if which.value == "" || named.sort != "field" || named.value != "sprint" || k != 1 || r.tokens[i+1].text[len(r.tokens[i+1].text)-1] == 's' {
			out = append(out, r.tokens[i])
			continue
		}
		words := r.tokens[i : i+2]
		said := words[0].raw + " " + words[1].raw
		name := r.v.Sprint(WhichSprint(which.value), r.now)
		if i+3 < len(r.tokens) && r.marked("but", i+2) && r.tokens[i+3].text == "one" { // the last sprint but one
			name = ""
		}
		if name == "" {
			r.lost = append(r.lost, said)
			out = append(out, words...)
		}
		tokens, _ := tokenize(name)
		for j := range tokens {
			tokens[j].start, tokens[j].end = words[0].start, words[1].end
		}
		out = append(out, tokens...)
		if name != "" && !slices.Contains(r.out.Spelled, said+": "+name) {
			r.out.Spelled = append(r.out.Spelled, said+": "+name)
		}
		i++
	}
	r.tokens = out
}

// sprintsDay reports whether a question asks when something begins or ends, or how long that is.
func (r *reader) sprintsDay() bool {
	asks, ends := false, false
	for i := range r.tokens {
		s, _ := r.sense(i)
		asks = asks || s.sort == "unit" && (s.value == "day" || s.value == "week") || s.sort == "measure" && (s.value == "when" || s.value == "count") || s.sort == "concept" && s.value == "duration"
		ends = ends || s.sort == "verb" && (s.value == "starts" || s.value == "ends") || r.marked("until", i)
	}
	return asks && ends
}

// eachSprint reads "Sprint 24 or 25" and "Sprints 23 and 24" as the sprints of these names.
func (r *reader) eachSprint() {
	var out []token
	name := -1 // of the word that stands before the numbers
	for i, t := range r.tokens {
		singular := strings.TrimSuffix(t.text, "s")
		switch number := t.text[0] >= '0' && t.text[0] <= '9'; {
		case !number && !t.quoted && r.isSprint(singular, i+1) && i+1 < len(r.tokens):
			t.text, name = singular, len(out)
		case number && name >= 0 && name < len(out)-1 && !t.quoted && r.isSprint(out[name].text, i):
			word := out[name]
			word.start, word.end = t.start, t.start
			out = append(out, word)
		case name >= 0 && !number && !r.marked("joint", i):
			if s, _ := r.sense(i); s.sort != "or" && s.sort != "prep" && !r.marked("than", i) { // more in Sprint 24 than in 23
				name = -1
			}
		}
		out = append(out, t)
	}
	if len(out) <= maxTokens {
		r.tokens = out
	}
}

// isSprint reports whether a word and the number at a place are the name of a sprint.
func (r *reader) isSprint(word string, at int) bool {
	if at >= len(r.tokens) || strings.Trim(r.tokens[at].text, "0123456789") != "" {
		return false
	}
	values, n := r.v.Value([]string{word, r.tokens[at].text})
	return n == 2 && slices.ContainsFunc(values, inSprint)
}

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
	at := slices.IndexFunc(r.tokens, func(t token) bool {
		_, near := Near(t.text, "velocity", 2)
		return near && len(t.text) > 6 && !t.quoted && (t.text == "velocity" || !r.known(t.text))
	})
	if at < 0 {
		return
	}
	var recent []token
	for i, t := range r.tokens {
		s, _ := r.sense(i)
		if t.recent {
			recent = append(recent, t)
		} else if i != at && !slices.Contains([]string{"stop", "measure", "prep", "topic"}, s.sort) && t.text != "team" {
			return // "the ticket about velocity charts"
		}
	}
	r.velocity = true
	words := velocity
	if len(recent) > 0 {
		words += " in"
	}
	r.tokens, _ = tokenize(words)
	r.tokens = append(r.tokens, recent...)
	r.out.Spelled = append(r.out.Spelled, "velocity: "+velocity)
}

// lastSprints puts the names of sprints in the place of "the last 4 sprints": those that ended last.
func (r *reader) lastSprints() {
	for i := range r.tokens {
		which, n := r.sense(i)
		if which.sort != "rel" || which.value != "last" || n != 1 || i+2 >= len(r.tokens) || r.marked("but", i+1) {
			continue
		}
		many, k := r.calendar().number(i + 1)
		field, m := r.sense(i + 1 + k)
		if k == 0 || many < 2 || many > 20 || field.sort != "field" || field.value != "sprint" || m != 1 {
			continue
		}
		names := r.v.LastSprints(many, r.now)
		said := phraseOf(r.tokens[i : i+2+k])
		if len(names) < many {
			r.lost = append(r.lost, said)
			return
		}
		out := slices.Clone(r.tokens[:i])
		for j, name := range names {
			if j > 0 {
				name = "or " + name
			}
			tokens, _ := tokenize(name)
			for _, t := range tokens {
				t.start, t.end, t.recent = r.tokens[i].start, r.tokens[i+1+k].end, true
				out = append(out, t)
			}
		}
		r.tokens = append(out, r.tokens[i+2+k:]...)
		r.out.Spelled = append(r.out.Spelled, said+": "+strings.Join(names, ", "))
		return
	}
}

// sprints puts the name of a sprint in the place of "this sprint", "the next sprint", "the last sprint". Where neither plans nor
// objectives say which one that is, what is computed without it would be the answer to another question.
func (r *reader) sprints() {
	r.eachSprint()
	if s, n := r.sense(0); n == 1 && s.sort == "field" && s.value == "sprint" && r.healthy(1) { // "sprint health"
		the := r.tokens[0]
		the.text, the.raw = string(ThisSprint), ""
		r.tokens = append([]token{the}, r.tokens...)
	}
	var out []token
	for i := 0; i < len(r.tokens); i++ {
		which, n := r.sense(i)
		if which.sort != "rel" || n != 1 {
			which = sense{"rel", string(whichSprint[r.tokens[i].text])}
		}
		if which.value == "" && r.marked("the-sprint", i) && (r.sprintsDay() || r.marked("goal", i+2) || r.healthy(i+2) || i+2 == len(r.tokens) && marked(r.in, "how-is", phrase(r.tokens[:i]))) && !r.marked("around", i+2) && !r.isSprint(r.text(&item{at: min(i+1, len(r.tokens)-1), n: 1}), i+2) {
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

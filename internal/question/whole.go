package question

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/desk"
)

// Slots of a whole question. In its place stands a sprint, a ticket, a day, or a number.
const (
	sprintSlot = "#sprint"
	ticketSlot = "#ticket"
	daySlot    = "#day"
	numberSlot = "#number"
)

// thisSprint is what the tables have for "the sprint", by which the one is meant that is on.
const thisSprint = "this-sprint"

// Titles is the value of [Plan.State] of groups of tickets for those that name the tickets of each group.
const Titles = "titles"

// spellings returns the phrases that a pattern stands for: "(who|which) is (away|)" are four.
func spellings(pattern string) []string {
	out := []string{""}
	for pattern != "" {
		text, rest, _ := strings.Cut(pattern, "(")
		choices, after, _ := strings.Cut(rest, ")")
		var next []string
		for _, head := range out {
			for choice := range strings.SplitSeq(choices, "|") {
				next = append(next, head+text+choice)
			}
		}
		out, pattern = next, after
	}
	for i, s := range out {
		out[i] = strings.Join(strings.Fields(s), " ")
	}
	return out
}

// whole keeps the phrases of a pattern that is a whole question.
func (l *lexicon) whole(meaning, pattern string) {
	for _, s := range spellings(pattern) {
		l.wholes[s] = meaning
		for w := range strings.FieldsSeq(s) {
			l.known[w] = true
		}
	}
}

// A filled is a whole question with what stands in its slots.
type filled struct {
	meaning string
	sprint  string
	ticket  string // its id
	until   time.Time
	number  int
}

// asWhole reads the question as one that the tables have word for word, but for what stands in its slots. So no such question takes
// words from another.
func (r *reader) asWhole() filled {
	if len(r.lost) > 0 {
		return filled{}
	}
	for _, times := range []bool{true, false} {
		var f filled
		said := r.slotted(&f, times)
		if f.meaning = r.asksWhole(said); f.meaning != "" && f.meaning != thisSprint {
			return f
		}
		if f.sprint != "" {
			continue
		}
		words := strings.Fields(said)
		for i := range words[:max(len(words)-1, 0)] {
			the := words[i] + " " + words[i+1]
			f.meaning = r.asksWhole(strings.Join(slices.Concat(words[:i], []string{sprintSlot}, words[i+2:]), " "))
			if f.meaning == "" || r.asksWhole(the) != thisSprint {
				continue
			}
			if f.sprint = r.v.Sprint(ThisSprint, r.now); f.sprint == "" {
				return filled{}
			}
			r.out.Spelled = append(r.out.Spelled, the+": "+f.sprint)
			return f
		}
	}
	return filled{}
}

// asksWhole is what the tables have a phrase as, "" when they have it not.
func (r *reader) asksWhole(said string) string {
	for _, l := range r.in {
		if meaning := l.wholes[said]; meaning != "" {
			return meaning
		}
	}
	return ""
}

// slotted is the question in which slots stand for what it names; times says whether for days, too.
func (r *reader) slotted(f *filled, times bool) string {
	var out []string
	for i := range r.items {
		it := &r.items[i]
		switch sprint, ticket := sprintNamed(it), ticketNamed(it); {
		case sprint != "" && f.sprint == "":
			f.sprint = sprint
			out = append(out, sprintSlot)
		case ticket != "" && f.ticket == "":
			f.ticket = ticket
			out = append(out, ticketSlot)
		case times && it.sort == "period" && !it.period.to.IsZero() && f.until.IsZero():
			f.until = r.toCome(it.period)
			out = append(out, daySlot)
		case it.sort == "number" && it.number > 0 && f.number == 0:
			f.number = it.number
			out = append(out, numberSlot)
		default:
			for _, t := range r.tokens[it.at : it.at+it.n] {
				if t.quoted { // what texts should have
					return ""
				}
				out = append(out, t.text)
			}
		}
	}
	return strings.Join(out, " ")
}

// toCome is the last day of a period that is to come: "by Friday" is the next one, "by Christmas" this year's.
func (r *reader) toCome(p period) time.Time {
	last, today := p.to.AddDate(0, 0, -1), r.cal.today()
	switch {
	case last.After(today):
	case p.weekday:
		last = last.AddDate(0, 0, 7)
	case p.yearless:
		last = last.AddDate(1, 0, 0)
	case p.monthly:
		last = last.AddDate(0, 1, 0)
	}
	return last
}

// sprintNamed is the sprint that an item names, "" when it names none.
func sprintNamed(it *item) string {
	if it.sort == "title" && plansSprint(*it) {
		return it.hits[0].Title
	}
	if at := slices.IndexFunc(it.values, inSprint); it.sort == "named" && at >= 0 {
		return it.values[at].Text
	}
	return ""
}

// ticketNamed is the one ticket that an item names, "" when it names none or several.
func ticketNamed(it *item) string {
	if (it.sort == "title" || it.sort == "key") && len(it.hits) == 1 && lasting(it.hits[0].Kind) {
		return it.hits[0].ID
	}
	return ""
}

// wholly is the plan of a question that the tables have as a whole.
func (r *reader) wholly() (Plan, bool) {
	f := r.filled
	if f.meaning == "" {
		return Plan{}, false
	}
	open := desk.Ticket.Asked().Open
	p := Plan{Kind: desk.Ticket, Filter: open, Limit: f.number}
	switch f.meaning {
	case "forecast":
		p.Measure = Forecast
		if !f.until.IsZero() {
			p.To = day(f.until)
		}
	case "works":
		p.Measure, p.By, p.State, p.Filter = Group, "owner", Titles, inWork
	case "risks":
		p.Measure, p.Filter = Risks, "" // no list has them all
	case "slips":
		p.Measure, p.Filter = Slips, ""
	case "slips-all":
		if p.Measure, p.Filter = Slips, ""; f.sprint == "" {
			p.State = Planned
		}
	case "slips-milestones", "slips-phases":
		p.Kind, p.Measure, p.Filter = desk.Milestone, Slips, ""
		if f.meaning == "slips-phases" {
			p.Kind = desk.Phase
		}
	case "summary":
		p.Measure, p.Filter = Summary, ""
	case "take":
		p.Measure, p.Filter, p.Records = Suggest, "", []string{f.ticket}
	}
	if f.sprint != "" {
		p.Filter = strings.TrimSpace(p.Filter + " " + fmt.Sprintf("sprint:%q", f.sprint))
	}
	return p, true
}

// inWork is the filter of tickets that somebody has begun and not ended.
const inWork = "status:IN_PROGRESS,REVIEW"

// Both reads two questions that the tables have as they stand, with an "and" between them: "who works on what and what will slip". It returns nil
// for any other.
func Both(asker, text string, v Vocabulary, now time.Time) []Part {
	tokens, _ := tokenize(text)
	for _, t := range tokens {
		if !marked(lexicons(), "and", t.text) {
			continue
		}
		var out []Part
		for _, part := range []string{text[:t.start], text[t.end:]} {
			if r := newReader(asker, part, v, now); len(r.tokens) > 0 {
				r.scan()
				if p, ok := r.wholly(); ok {
					r.out.Plans = []Plan{p}
					out = append(out, Part{strings.TrimSpace(part), r.out})
				}
			}
		}
		if len(out) == 2 {
			return out
		}
	}
	return nil
}

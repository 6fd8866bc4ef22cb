package extract

import "slices"

// A byLines is what stands in lines of a text, found by its lines: a text of many lines has many things in it, each beside few others.
type byLines struct {
	spans []Span
	texts []string
	at    map[int][]int // those that stand in a line
	long  []int         // those that stand in many
}

// longSpan is how many lines something has that is not noted at each of them.
const longSpan = 50

// put adds something, which has the next number.
func (x *byLines) put(span Span, text string) {
	if x.at == nil {
		x.at = make(map[int][]int)
	}
	i := len(x.spans)
	x.spans, x.texts = append(x.spans, span), append(x.texts, text)
	if span.EndLine-span.Line >= longSpan {
		x.long = append(x.long, i)
		return
	}
	for line := span.Line; line <= span.EndLine; line++ {
		x.at[line] = append(x.at[line], i)
	}
}

// within are the numbers of what has a line in common with a span, in order.
func (x *byLines) within(span Span) []int {
	var out []int
	for _, i := range x.long {
		if x.spans[i].Line <= span.EndLine && x.spans[i].EndLine >= span.Line {
			out = append(out, i)
		}
	}
	for line := span.Line; line <= span.EndLine; line++ {
		out = append(out, x.at[line]...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// coveredBy are the numbers of what a sentence covers, in order.
func (x *byLines) coveredBy(h heard) []int {
	return slices.DeleteFunc(x.within(h.span), func(i int) bool { return !h.covers(x.spans[i], x.texts[i]) })
}

// A byRules is what rules found in a text.
type byRules struct{ actions, decisions, questions byLines }

// byRule is what rules found in the text, once it is scanned. What weights add comes last: only of what rules found are the numbers the
// places among the actions and the like.
func (s *scanner) byRule() *byRules {
	if s.ruled == nil {
		s.ruled = &byRules{}
		for _, a := range s.out.Actions {
			s.ruled.actions.put(a.Span, a.Text)
		}
		for _, d := range s.out.Decisions {
			s.ruled.decisions.put(d.Span, d.Text)
		}
		for _, q := range s.out.Questions {
			s.ruled.questions.put(q.Span, q.Text)
		}
	}
	return s.ruled
}

// heardIn are the places of the sentences that stand in lines, in order, once the text is scanned.
func (s *scanner) heardIn(span Span) []int {
	for i := len(s.heardAt.spans); i < len(s.heard); i++ {
		s.heardAt.put(s.heard[i].span, s.heard[i].text)
	}
	return s.heardAt.within(span)
}

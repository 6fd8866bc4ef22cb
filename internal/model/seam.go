package model

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How much of a continuation is needed to say how it joins what came before, in bytes.
const (
	seamHead    = 96 // enough to say
	seamAnchor  = 48 // so much of it that stands in the text before was said again
	seamAnew    = 24 // so much in common at the beginning is a beginning anew
	seamOverlap = 12 // so much in common at the end is an overlap, whatever it is
	seamWords   = 4  // so much, when it is whole words
)

// Join joins an answer that was cut with what the model said when it was asked to go on. A model
// that goes on is appended; one that says the end again overlaps; one that begins anew replaces.
// whole is false when the second text does something else: both are kept, apart.
func Join(first, second string) (text string, whole bool) {
	keep, glue, whole := seam(first, second)
	if keep < len(first) {
		second = strings.TrimLeftFunc(second, unicode.IsSpace)
	}
	return first[:keep] + glue + second, whole
}

// seam says how much of first stays before second, and what stands between them. It looks at no
// more than the beginning of second, so that a rejoiner comes to the same.
func seam(first, second string) (keep int, glue string, whole bool) {
	second = second[:min(len(second), seamHead+len(second)-len(strings.TrimLeftFunc(second, unicode.IsSpace)))]
	head := strings.TrimLeftFunc(second, unicode.IsSpace)
	switch {
	case first == "" || head == "":
		return len(first), "", true
	case anew(first, head):
		return 0, "", true
	}
	if len(head) >= seamAnchor {
		if at := strings.LastIndex(first, head[:seamAnchor]); at >= 0 {
			return at, "", true
		}
	}
	if at, ok := overlap(first, head); ok {
		return at, "", true
	}
	switch {
	case elsewhere(first, second):
		return len(first), "\n\n", false
	case sentence(first, second):
		return len(first), " ", true
	}
	return len(first), "", true
}

// anew reports whether head begins as first does.
func anew(first, head string) bool {
	first = strings.TrimLeftFunc(first, unicode.IsSpace)
	n := 0
	for n < len(first) && n < len(head) && first[n] == head[n] {
		n++
	}
	return n == len(first) || n >= seamAnew || n >= 8 && n*2 >= len(first)
}

// overlap returns where in first a beginning of head stands that first ends with.
func overlap(first, head string) (at int, ok bool) {
	for k := min(len(first), len(head)); k >= seamWords; k-- {
		at = len(first) - k
		if first[at:] != head[:k] || !utf8.RuneStart(first[at]) {
			continue
		}
		if k >= seamOverlap || isWords(first, at, head, k) {
			return at, true
		}
	}
	return 0, false
}

// isWords reports whether an overlap is of whole words: it begins and ends where words do.
func isWords(first string, at int, head string, k int) bool {
	letter := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	begin, _ := utf8.DecodeRuneInString(first[at:])
	before, _ := utf8.DecodeLastRuneInString(first[:at])
	end, _ := utf8.DecodeLastRuneInString(head[:k])
	after, _ := utf8.DecodeRuneInString(head[k:])
	return unicode.IsLetter(begin) && (at == 0 || !letter(before)) && (k == len(head) || !letter(end) || !letter(after))
}

// openers begin a sentence. In capitals inside of one they do not go on with it.
var openers = []string{
	"Sorry", "Sure", "Here", "The", "This", "These", "There", "It", "Of course", "Okay", "Certainly", "As", "Unfortunately", "You", "We", "Please", "Let", "Apologies",
	"What", "How", "Yes", "No", "Based", "In", "I cannot", "I can't", "I'm sorry", "I am sorry", "I apologize", "I don't",
	"Entschuldigung", "Natürlich", "Leider", "Hier", "Das", "Der", "Die", "Es", "Gerne", "Ich kann", "Was", "Wie",
}

// elsewhere reports whether second does not go on with first: first ends inside a sentence, and
// second begins another.
func elsewhere(first, second string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRightFunc(first, unicode.IsSpace))
	if !unicode.IsLetter(last) && !unicode.IsDigit(last) && last != ',' {
		return false
	}
	return slices.ContainsFunc(openers, func(o string) bool {
		rest, ok := strings.CutPrefix(second, o)
		return ok && rest != "" && strings.ContainsAny(rest[:1], " ,.!:")
	})
}

// sentence reports whether second begins a sentence right behind the end of another.
func sentence(first, second string) bool {
	r, _ := utf8.DecodeRuneInString(second)
	return unicode.IsUpper(r) && strings.ContainsAny(first[len(first)-1:], ".!?")
}

// A rejoiner shows a continuation as a part of the whole answer. It holds back what comes until it
// can say how that joins.
type rejoiner struct {
	first string
	show  func(Delta)
	came  strings.Builder
	open  bool // the seam is known
}

func (j *rejoiner) take(d Delta) {
	j.came.WriteString(d.Text)
	switch {
	case j.open:
		j.show(d)
	case len(strings.TrimLeftFunc(j.came.String(), unicode.IsSpace)) >= seamHead:
		j.settle()
	}
}

// settle shows what was held back.
func (j *rejoiner) settle() {
	if j.open || j.came.Len() == 0 {
		return
	}
	j.open = true
	text, _ := Join(j.first, j.came.String())
	if rest, ok := strings.CutPrefix(text, j.first); ok {
		if rest != "" {
			j.show(Delta{Text: rest})
		}
		return
	}
	j.show(Delta{Text: text, Anew: true})
}

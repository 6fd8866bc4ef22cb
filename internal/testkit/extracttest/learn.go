package extracttest

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"chela/internal/extract"
	"chela/internal/pattern"
)

// An Example is a sentence or a name with its traits and what it is.
type Example struct {
	Traits           []uint32
	Action, Decision bool
	Here             bool // somebody was there
	Ruled            bool // rules were written from its text
}

// practiced marks what there is to find in a text that is only learnt from: "{a|Ann calls them}" and, with who is to do it,
// "{a:Ann Lee|Ann calls them}" or "{a:-|somebody calls them}"; "{d|blue it is}"; who was there and who was not, "{p|Ann Lee}" and "{n|Bo}".
var practiced = pattern.New(`(?s)\{([adpn])(?::([^|{}]*))?\|(.*?)\}`)

// practicedKinds are the kinds of findings that the marks mean.
var practicedKinds = map[string]string{"a": "action", "d": "decision", "p": "attendee", "n": "absent"}

// Practice reads the texts that are learnt from and not measured: files of several, below lines of "===".
func Practice(dir fs.FS) ([]Passage, error) {
	names, err := fs.Glob(dir, "*.txt")
	if err != nil {
		return nil, fmt.Errorf("list texts to learn from: %w", err)
	}
	var out []Passage
	for _, name := range names {
		file, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, fmt.Errorf("read texts to learn from: %w", err)
		}
		for i, text := range strings.Split("\n"+string(file), "\n===\n") {
			if text = strings.TrimSpace(text); text == "" {
				continue
			}
			p := Passage{Name: fmt.Sprintf("%s, text %d", name, i), Text: practiced.ReplaceAllString(text, "$3")}
			for _, at := range practiced.FindAllStringSubmatchIndex(text, -1) {
				m := practiced.FindStringSubmatch(text[at[0]:at[1]])
				p.Labels = append(p.Labels, Finding{Kind: practicedKinds[m[1]], Owner: given(strings.TrimSpace(m[2])), Text: m[3], Line: 1 + strings.Count(text[:at[0]], "\n")})
			}
			out = append(out, p)
		}
	}
	return out, nil
}

// Lessons are what weights are learnt from.
type Lessons struct {
	Sentences, Names          []Example
	Choices                   []Choice
	Actions, Decisions, Heres int // how many there are of each
}

// Examples are the sentences and the names of passages.
func Examples(of []Passage) Lessons {
	var out Lessons
	for _, p := range of {
		all, names := extract.Weighed(p.Text, unmet(p))
		examples := make([]Example, len(all))
		for i, one := range all {
			examples[i].Traits, examples[i].Ruled = one.Traits, !unmet(p)
		}
		for _, l := range p.Labels {
			at := sentenceOf(all, l.Text)
			switch {
			case at < 0:
			case l.Kind == "action":
				examples[at].Action = true
				out.Actions++
			case l.Kind == "decision":
				examples[at].Decision = true
				out.Decisions++
			}
		}
		out.Sentences = append(out.Sentences, examples...)
		out.Choices = append(out.Choices, p.choices(all)...)
		if Author(p) == 0 { // nobody marked who was there
			continue
		}
		for i := range names {
			here, known := p.here(names, i)
			if !known {
				continue
			}
			out.Names = append(out.Names, Example{Traits: names[i].Traits, Here: here, Ruled: !unmet(p)})
			if here {
				out.Heres++
			}
		}
	}
	return out
}

// here reports whether a name says that somebody was there. known is false where the same person is marked in another place.
func (p Passage) here(names []extract.Named, i int) (here, known bool) {
	known = true
	for _, l := range p.Labels {
		if l.Kind != "attendee" && l.Kind != "absent" || !partOf(names[i].Name, l.Text) {
			continue
		}
		at := l.Line == names[i].Line
		if l.Line == 0 { // a label of a passage does not say where: there, where the name stands first
			at = slices.IndexFunc(names, func(n extract.Named) bool { return samePerson(n.Name, l.Text) }) == i
		}
		if at {
			return l.Kind == "attendee", true
		}
		known = false
	}
	return false, known
}

// partOf reports whether one of two names has all words of the other.
func partOf(a, b string) bool {
	words := func(name string) []string {
		return strings.FieldsFunc(bare(name), func(r rune) bool { return strings.ContainsRune(" .,@", r) })
	}
	short, long := words(a), words(b)
	if len(short) > len(long) {
		short, long = long, short
	}
	return len(short) > 0 && !slices.ContainsFunc(short, func(w string) bool { return !slices.Contains(long, w) })
}

// sentenceOf is the sentence in which a label stands, or the first of those that make it up; -1 for none.
func sentenceOf(all []extract.Sentence, label string) int {
	label = plain(label)
	if at := slices.IndexFunc(all, func(one extract.Sentence) bool { return strings.Contains(plain(one.Text), label) }); at >= 0 {
		return at
	}
	return slices.IndexFunc(all, func(one extract.Sentence) bool { return strings.HasPrefix(label, plain(one.Text)) })
}

// How the weights are learnt: by logistic regression, one example after the other in an order that a fixed seed draws.
const (
	rounds    = 30
	pace      = 0.02
	shrinking = 0.01
	seed      = 42
	// ruledCounts is how much an example counts from whose text rules were written.
	ruledCounts = 0.4
	// seldom is how often a trait has to occur for its weight to be kept.
	seldom, seldomOfNames = 2, 3
)

// Learn returns a file of weights, which begins with a digest.
func Learn(from Lessons, digest [extract.DigestBytes]byte) []byte {
	count, sentences := rows(from.Sentences, seldom, func(e Example) bool { return e.Action }, func(e Example) bool { return e.Decision })
	ofNames, names := rows(from.Names, seldomOfNames, func(e Example) bool { return e.Here })
	out := binary.LittleEndian.AppendUint32(slices.Clone(digest[:]), uint32(count))
	out = binary.LittleEndian.AppendUint32(out, uint32(ofNames))
	return slices.Concat(out, sentences, names, preferred(from.Choices))
}

// rounded is a weight as a file has it.
func rounded(weight float64) int8 {
	return int8(math.Round(max(-127, min(127, weight*extract.WeightScale))))
}

// rows are the traits of examples, each with a weight for all that they may be, without those that are seldom or weigh nothing.
func rows(from []Example, seldom int, is ...func(Example) bool) (n int, out []byte) {
	count := make(map[uint32]int)
	for _, e := range from {
		for _, t := range e.Traits {
			count[t]++
		}
	}
	of := make([]map[uint32]float64, len(is))
	for i := range is {
		of[i] = regress(from, is[i])
	}
	for _, t := range slices.Sorted(maps.Keys(count)) {
		row, some := binary.LittleEndian.AppendUint32(nil, t), false
		for _, weights := range of {
			n := rounded(weights[t])
			row, some = append(row, byte(n)), some || n != 0
		}
		if count[t] >= seldom && some {
			out = append(out, row...)
			n++
		}
	}
	return n, out
}

// regress is a logistic regression. A product is converted, so that no processor joins it with the sum behind it, and
// every machine learns the same.
func regress(from []Example, is func(Example) bool) map[uint32]float64 {
	at := make(map[uint32]int)
	rows := make([][]int, len(from))
	for i, e := range from {
		for _, t := range e.Traits {
			n, ok := at[t]
			if !ok {
				n = len(at)
				at[t] = n
			}
			rows[i] = append(rows[i], n)
		}
	}
	weights, squares := make([]float64, len(at)), make([]float64, len(at))
	draw := drawing(len(from))
	for range rounds {
		for _, i := range draw() {
			sum := 0.0
			for _, n := range rows[i] {
				sum += weights[n]
			}
			missed := 1 / (1 + math.Exp(-sum))
			if is(from[i]) {
				missed--
			}
			if from[i].Ruled {
				missed = float64(missed * ruledCounts)
			}
			for _, n := range rows[i] {
				g := missed + float64(shrinking*weights[n])
				squares[n] += float64(g * g)
				weights[n] -= float64(pace*g) / math.Sqrt(squares[n]+1e-8)
			}
		}
	}
	out := make(map[uint32]float64, len(at))
	for t, n := range at {
		out[t] = weights[n]
	}
	return out
}

// drawing gives the numbers below n in another order each time, from a fixed seed.
func drawing(n int) func() []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	drawn := uint64(seed)
	return func() []int {
		for i := len(order) - 1; i > 0; i-- {
			drawn = drawn*6364136223846793005 + 1442695040888963407
			j := int(drawn >> 33 % uint64(i+1))
			order[i], order[j] = order[j], order[i]
		}
		return order
	}
}

// Digest is the SHA-256 of what is learnt from: the traits of the sentences, names and candidates and what they are.
func Digest(from Lessons) (out [extract.DigestBytes]byte) {
	h := sha256.New()
	for _, e := range slices.Concat(from.Sentences, from.Names) {
		line := fmt.Appendln(nil, e.Traits, e.Action, e.Decision, e.Here)
		h.Write(line)
	}
	for _, c := range from.Choices {
		line := fmt.Appendln(nil, c)
		h.Write(line)
	}
	copy(out[:], h.Sum(nil))
	return out
}

// Author is who wrote a passage: 1, 2 or 3, from 21 on that of a text which is only learnt from and was written without
// looking at what is read, and 0 for other texts to learn from.
func Author(p Passage) int {
	if file, _, is := strings.Cut(p.Name, "-"); is {
		if n, err := strconv.Atoi(file); err == nil && n >= firstUnmet {
			return n
		}
		return 0
	}
	switch n := number(p); {
	case n < firstOfSecond:
		return 1
	case n < firstOfThird:
		return 2
	}
	return 3
}

// unmet reports a text from which no rule was written.
func unmet(p Passage) bool { return Author(p) >= firstUnmet }

// The first passages of the later authors, and the first author whose texts no rule was written from.
const (
	firstOfSecond = 337
	firstOfThird  = 409
	firstUnmet    = 21
)

// LearntFrom are all passages that may be learnt from, of two folders: those that are measured and not held out, and those
// to practice on.
func LearntFrom(measured, practice fs.FS) ([]Passage, error) {
	suite, err := Load(measured)
	if err != nil {
		return nil, err
	}
	texts, err := Practice(practice)
	if err != nil {
		return nil, err
	}
	suite = Of(suite, func(p Passage) bool { return !p.HeldOut })
	slices.SortStableFunc(suite, func(a, b Passage) int { return cmp.Compare(number(a), number(b)) })
	return append(suite, texts...), nil
}

// Package intent finds what a text asks for, among things that are known by phrases: names, descriptions,
// and messages that asked for them. An [Index] learns from the phrases alone, without a model, always the same way, and
// says how sure it is: [Match.Confidence] is the share of such answers that are right.
package intent

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// A Phrase is a text that belongs to an intent.
type Phrase struct {
	Text string
	// Weight is what it counts; 0 means 1, which is a message that asked for it.
	Weight float64
}

// An Intent is a thing that may be asked for.
type Intent struct {
	ID      string
	Phrases []Phrase
}

// A Match is an intent that a text may ask for.
type Match struct {
	ID string `json:"id"`
	// Confidence is from 0 to 1: how likely it is that the text asks for this, and for nothing else.
	Confidence float64 `json:"confidence"`
	// Nearest is the phrase of the intent that is most like the text.
	Nearest string `json:"nearest,omitempty"`
	// Unasked says why the text does not ask for it, though it names it; empty when it may.
	Unasked string `json:"-"`
}

// An Index finds intents. It is read only, so that many texts may be matched at once.
type Index struct {
	ids     []string
	words   *lexicon
	phrases []phrase
	near    *near
	line    *linear // nil with too few phrases
	judge   judge
}

// phrase is a phrase as the index has it.
type phrase struct {
	intent int // none for what asks for nothing
	text   string
	weight float64
	vec    vector
	mood   mood
}

// none is the intent of texts that ask for nothing that is known.
const none = -1

// From how many phrases an intent on average the index learns lines between intents, and how large
// the lines may get: intents times phrases.
const (
	manyPhrases = 8
	mostLines   = 8_000_000
)

// New returns an index of intents. Others are texts that ask for none of them, which makes it more careful; there may
// be none. Texts without a word count for nothing.
func New(intents []Intent, others []string) *Index {
	x := train(intents, others)
	x.judge = judged(intents, others, x)
	return x
}

// train builds all of an index but how sure it is.
func train(intents []Intent, others []string) *Index {
	x := &Index{words: newLexicon()}
	for i, in := range intents {
		x.ids = append(x.ids, in.ID)
		for _, p := range in.Phrases {
			x.phrases = append(x.phrases, phrase{intent: i, text: p.Text, weight: cmp.Or(p.Weight, 1)})
		}
	}
	for _, text := range others {
		x.phrases = append(x.phrases, phrase{intent: none, text: text, weight: 1})
	}
	texts := make([]string, len(x.phrases))
	for i, p := range x.phrases {
		texts[i] = p.text
	}
	x.words.learn(texts)
	for i := range x.phrases {
		x.phrases[i].vec = x.words.vector(x.phrases[i].text)
		x.phrases[i].mood, _ = moodOf(x.phrases[i].text)
	}
	x.near = newNear(x.phrases, len(x.ids), x.words)
	if n := len(x.phrases); len(x.ids) > 1 && n >= manyPhrases*len(x.ids) && n*len(x.ids) <= mostLines {
		x.line = newLinear(x.phrases, len(x.ids), x.words)
	}
	return x
}

// Len is how many intents there are.
func (x *Index) Len() int { return len(x.ids) }

// Match returns the intents that a text may ask for, the likeliest first, at most limit. Only what has something in
// common with the text is returned, and none is surer than the first. A text that refuses something, asks about it or says that it was done does not
// ask for it, unless the intent is asked for so; what else it says may.
func (x *Index) Match(text string, limit int) []Match {
	m, rest := moodOf(text)
	out := x.match(text, m, limit)
	if m == wish || len(out) == 0 || out[0].Unasked == "" || rest == "" {
		return out
	}
	if other := x.match(rest, wish, limit); len(other) > 0 && other[0].Confidence > out[0].Confidence {
		return other
	}
	return out
}

// match returns the intents that a text of a mood may ask for.
func (x *Index) match(text string, m mood, limit int) []Match {
	r := x.rank(text, m)
	var out []Match
	for k, c := range r.order {
		if len(out) == limit || r.scores[c] <= 0 {
			break
		}
		m := Match{ID: x.ids[c], Confidence: x.judge.confidence(r, k)}
		if r.mood != inquiry && r.odd(c) {
			m.Unasked, m.Confidence = r.mood.why(), min(m.Confidence, unaskedMost)
		}
		if k > 0 {
			m.Confidence = min(m.Confidence, out[0].Confidence)
		}
		if p := r.nearest[c]; p >= 0 {
			m.Nearest = x.phrases[p].text
		}
		out = append(out, m)
	}
	return out
}

// unaskedMost is how sure it can be that a text asks for what it refuses, asks about or says to be done.
const unaskedMost = 0.3

// alikeMood is how like the text a phrase has to be that speaks as it does, of what the nearest phrase is.
const alikeMood = 0.8

// ranking is how a text compares with each intent.
type ranking struct {
	scores  []float64           // by intent
	order   []int               // intents, the best first
	nearest []int               // by intent: the phrase most like the text, -1 for none
	like    []float64           // by intent: how much it is like the text, from 0 to 1
	other   float64             // how much a text that asks for nothing is like it
	line    float64             // the best line's value, 0 without lines
	lines   []float64           // by intent; nil without lines
	known   float64             // the share of the text, by rarity, that any phrase has
	covers  func(c int) float64 // the share that phrases of an intent have
	mood    mood                // how the text speaks
	odd     func(c int) bool    // it asks for nothing, and no phrase of the intent that is like it speaks so
}

// Shares of the two views in the score.
const (
	linearShare = 0.7
	nearShare   = 0.3
)

func (x *Index) rank(text string, m mood) ranking {
	v := x.words.vector(text)
	words, counts := x.words.content(text)
	r := ranking{
		mood:   m,
		known:  x.words.covered(words, counts, func(int32) bool { return true }),
		covers: func(c int) float64 { return x.words.covered(words, counts, x.near.has(c)) },
	}
	var spoken []float64
	r.scores, r.like, r.nearest, spoken, r.other = x.near.scores(v, m)
	r.odd = func(c int) bool { return m != wish && spoken[c] < alikeMood*r.like[c] }
	if x.line != nil {
		r.lines = x.line.scores(v)
		for c, s := range r.lines {
			r.scores[c] = nearShare*r.scores[c] + linearShare*squash(s)
		}
	}
	r.order = make([]int, len(r.scores))
	for i := range r.order {
		r.order[i] = i
	}
	slices.SortFunc(r.order, func(a, b int) int {
		return cmp.Or(cmp.Compare(r.scores[b], r.scores[a]), strings.Compare(x.ids[a], x.ids[b]))
	})
	if len(r.order) > 0 && r.lines != nil {
		r.line = r.lines[r.order[0]]
	}
	return r
}

// squash maps a line's value to between 0 and 1.
func squash(s float64) float64 { return 1 / (1 + math.Exp(-2*s)) }

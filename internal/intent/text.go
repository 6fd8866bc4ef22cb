package intent

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"chela/internal/query"
)

// A lexicon knows the features of phrases: words, pairs of words, and parts of words, which stand in for
// stems, endings and slips of the pen.
type lexicon struct {
	ids   map[string]int32
	rare  []float64 // by feature: its rarity
	kinds []kind
	most  float64 // the rarity of what no phrase has
}

type kind uint8

const (
	aWord kind = iota
	aPair
	aPart
	kinds = 3
)

// share is what the features of a kind count in a vector.
func (k kind) share() float64 { return [kinds]float64{1, 0.4, 1.1}[k] }

// A vector is a text as its features, by number, of length 1.
type vector []weighed

type weighed struct {
	id int32
	v  float32
}

func newLexicon() *lexicon { return &lexicon{ids: make(map[string]int32)} }

// tokens are the words of a text, small; numbers are all one word.
func tokens(text string) []string {
	ws := query.Words(strings.ReplaceAll(text, "'", ""))
	out := make([]string, 0, len(ws))
	for _, w := range ws {
		t := w.Text
		if strings.IndexFunc(t, func(r rune) bool { return !unicode.IsDigit(r) }) < 0 {
			t = "0"
		}
		out = append(out, t)
	}
	if len(out) > mostTokens {
		out = out[:mostTokens]
	}
	return out
}

// light are words that say little of what is asked for.
var light = func() map[string]bool { //nolint:gochecknoglobals // a table
	out := make(map[string]bool)
	for _, w := range strings.Fields(`a an the i im ive me my mine we us our ours you your he him his she her it its they them their this that these those some any
		is are was were be been being am do does did have has had can could will would shall should may might must to of in on at by for from with as and or but if so then
		there here please thanks thank hi hello hey dear kindly morning good sorry just also too very really all ok okay now again today id like want need lets let get much many such
		der die das den dem ein eine einen einem ich mich mir wir uns unser mein meine du ihr sie er es ist sind war hat haben kann könnte und oder für mit von zu im in am an auf bitte danke hallo`) {
		out[w] = true
	}
	return out
}()

// askWords begin texts that ask for an answer, not for something to be done.
var askWords = []string{"who", "what", "whats", "how", "why", "when", "where", "which", "whose", "is", "are", "was", "were", "did", "does", "do", "has", "have", "wer", "was", "wie", "warum", "wann", "wo", "welche", "welcher"} //nolint:gochecknoglobals // a table

// lightShare is what such a word counts.
const lightShare = 0.35

// mostTokens is how much of a long text counts.
const mostTokens = 120

// each calls fn with each feature of a text.
func each(text string, fn func(kind, string)) {
	ts := tokens(text)
	before := "^"
	for _, t := range ts {
		fn(aWord, t)
		fn(aPair, before+" "+t)
		before = t
		w := []rune("_" + t + "_")
		for n := 3; n <= 5; n++ {
			for i := 0; i+n <= len(w); i++ {
				fn(aPart, string(w[i:i+n]))
			}
		}
	}
	if len(ts) > 0 {
		fn(aPair, before+" $")
	}
}

func key(k kind, f string) string { return string(rune('0'+k)) + f }

// learn takes in the features of texts, and how rare they are.
func (l *lexicon) learn(texts []string) {
	in := make(map[string]int)
	var order []string
	for _, t := range texts {
		seen := make(map[string]bool)
		each(t, func(k kind, f string) {
			id := key(k, f)
			if seen[id] {
				return
			}
			seen[id] = true
			if in[id]++; in[id] == 1 {
				order = append(order, id)
			}
		})
	}
	many := len(texts) > manyTexts
	for _, id := range order {
		k := kind(id[0] - '0')
		share := 1.0
		if k == aWord && light[id[1:]] {
			share = lightShare
		}
		if many && k != aWord && in[id] == 1 {
			continue // it says nothing of any other text
		}
		l.ids[id] = int32(len(l.rare)) //nolint:gosec // there are fewer
		l.rare = append(l.rare, share*rarity(len(texts), in[id]))
		l.kinds = append(l.kinds, k)
	}
	l.most = rarity(len(texts), 0)
}

// manyTexts is from where features of a single text are left out.
const manyTexts = 1000

func rarity(all, in int) float64 {
	return math.Log(1 + (float64(all)+1)/(float64(in)+1))
}

// vector is a text as the lexicon knows it.
func (l *lexicon) vector(text string) vector {
	count := make(map[int32]float64)
	each(text, func(k kind, f string) {
		if id, ok := l.ids[key(k, f)]; ok {
			count[id]++
		}
	})
	out := make(vector, 0, len(count))
	var lengths [kinds]float64
	for id, n := range count {
		v := (1 + math.Log(n)) * l.rare[id]
		out = append(out, weighed{id, float32(v)})
	}
	slices.SortFunc(out, func(a, b weighed) int { return int(a.id) - int(b.id) })
	for _, w := range out {
		lengths[l.kinds[w.id]] += float64(w.v) * float64(w.v)
	}
	whole := 0.0
	for k := range lengths {
		if lengths[k] > 0 {
			whole += kind(k).share() * kind(k).share()
		}
	}
	for i, w := range out {
		k := l.kinds[w.id]
		out[i].v = float32(float64(w.v) / math.Sqrt(lengths[k]) * k.share() / math.Sqrt(whole))
	}
	return out
}

// content are the words of a text that say what is asked for, with what each counts.
func (l *lexicon) content(text string) (words []string, counts []float64) {
	for _, t := range tokens(text) {
		if light[t] {
			continue
		}
		c := l.most
		if id, ok := l.ids[key(aWord, t)]; ok {
			c = l.rare[id]
		}
		words, counts = append(words, t), append(counts, c)
	}
	return words, counts
}

// parted is what parts of a word count beside the word itself.
const parted = 0.7

// covered is the share of the words of a text, by their rarity, that has says of; of a word that is not there, the parts count.
func (l *lexicon) covered(words []string, counts []float64, has func(id int32) bool) float64 {
	all, have := 0.0, 0.0
	for i, t := range words {
		all += counts[i]
		if id, ok := l.ids[key(aWord, t)]; ok && has(id) {
			have += counts[i]
			continue
		}
		parts, in := 0, 0
		w := []rune("_" + t + "_")
		for n := 0; n+4 <= len(w); n++ {
			parts++
			if id, ok := l.ids[key(aPart, string(w[n:n+4]))]; ok && has(id) {
				in++
			}
		}
		if parts > 0 {
			have += counts[i] * parted * float64(in) / float64(parts)
		}
	}
	if all == 0 {
		return 0
	}
	return have / all
}

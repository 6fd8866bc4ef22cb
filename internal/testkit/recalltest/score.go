package recalltest

import (
	"fmt"
	"math"
	"slices"
	"time"

	"chela/internal/recall"
	"chela/internal/vector"
)

// Depths are how many of the first results are looked at.
var depths = []int{1, 5, 10}

// A Tally is how much of the evidence is among the first results.
type Tally struct {
	Questions int
	Hit       map[int]int // by depth: questions with some evidence
	All       map[int]int // by depth: questions with all evidence
}

func newTally() Tally { return Tally{Hit: make(map[int]int), All: make(map[int]int)} }

// add counts one question: at which ranks its evidence is, 0 for not at all.
func (t *Tally) add(ranks []int) {
	t.Questions++
	for _, k := range depths {
		in := 0
		for _, r := range ranks {
			if r > 0 && r <= k {
				in++
			}
		}
		if in > 0 {
			t.Hit[k]++
		}
		if in == len(ranks) {
			t.All[k]++
		}
	}
}

// Rate is the share of the questions, in percent.
func (t Tally) Rate(n int) float64 { return 100 * float64(n) / float64(max(1, t.Questions)) }

// A Score is what a ranking reached on sets.
type Score struct {
	Sessions, Turns map[string]Tally // by kind, "" for all
	Unanswerable    int              // questions without evidence
	Silent          int              // of those: for how many no passage is more than noise
	Unknown         int              // ids of evidence that no conversation has
	Took            []time.Duration  // of each question
	Bytes           int              // of the texts of the first ten turns, over all questions
	Indexed         int              // bytes of all texts
	Values          []float64        // of each question, between 0 and 1, for comparing two rankings
	Signs           []string         // of each question: what the ranking gave
}

// Combined is the mean of what the questions reached, in percent.
func (s Score) Combined() float64 {
	sum := 0.0
	for _, v := range s.Values {
		sum += v
	}
	return 100 * sum / float64(max(1, len(s.Values)))
}

// depth is how many results are asked for.
const depth = 10

// An Embed gives vectors of texts; nil stands for words alone.
type Embed func(texts []string) ([][]float32, error)

// Measure ranks every question of the sets.
func Measure(sets []Set, o recall.Options, embed Embed) (Score, error) {
	out := Score{Sessions: map[string]Tally{}, Turns: map[string]Tally{}}
	for _, s := range sets {
		if err := out.measure(s, o, embed); err != nil {
			return out, err
		}
	}
	return out, nil
}

// indexed is a conversation that questions are asked about.
type indexed struct {
	index   *recall.Index
	session map[string]string // by turn, and each session by itself
	text    map[string]string
	end     time.Time
	ids     []string    // of the passages
	vectors [][]float32 // of each; nil for words alone
}

func indexOf(c Conversation, o recall.Options, embed Embed) (indexed, int, error) {
	x := indexed{session: make(map[string]string), text: make(map[string]string)}
	var passages []recall.Passage
	size := 0
	for _, s := range c.Sessions {
		at, err := dateOf(s.Date)
		if err != nil {
			return x, 0, err
		}
		if at.After(x.end) {
			x.end = at
		}
		x.session[s.ID] = s.ID
		for _, t := range s.Turns {
			text := t.Text
			if t.Caption != "" {
				text += "\n" + t.Caption
			}
			said := at
			if t.Date != "" {
				if said, err = dateOf(t.Date); err != nil {
					return x, 0, err
				}
			}
			passages = append(passages, recall.Passage{ID: t.ID, Session: s.ID, At: said, Speaker: t.Speaker, Text: text})
			x.session[t.ID], x.text[t.ID] = s.ID, text
			size += len(text)
		}
	}
	x.index = o.NewIndex(passages, nil, recall.Stats{})
	if embed == nil {
		return x, size, nil
	}
	var texts []string
	for _, p := range passages {
		texts, x.ids = append(texts, p.Text), append(x.ids, p.ID)
	}
	var err error
	x.vectors, err = embed(texts)
	return x, size, err
}

// near are the passages by their vectors, the nearest first.
func (x indexed) near(question string, embed Embed) ([]recall.Near, error) {
	if x.vectors == nil {
		return nil, nil
	}
	asked, err := embed([]string{question})
	if err != nil {
		return nil, err
	}
	out := make([]recall.Near, len(x.ids))
	sum, squares := 0.0, 0.0
	for i, id := range x.ids {
		numbers, _ := vector.Packed(x.vectors[i])
		c := vector.Cosine(asked[0], numbers)
		out[i] = recall.Near{ID: id, Session: x.session[id], Cosine: c}
		sum, squares = sum+c, squares+c*c
	}
	n := float64(len(out))
	spread := math.Sqrt(max(0, squares/n-sum/n*sum/n))
	for i := range out {
		out[i].Weak = !recall.StandsOut(out[i].Cosine, sum/n, spread, len(out))
	}
	return recall.Nearest(out, 40), nil
}

func (s *Score) measure(set Set, o recall.Options, embed Embed) error {
	conversations := make(map[string]indexed)
	for _, c := range set.Conversations {
		x, size, err := indexOf(c, o, embed)
		if err != nil {
			return fmt.Errorf("conversation %s: %w", c.ID, err)
		}
		conversations[c.ID] = x
		s.Indexed += size
	}
	for _, q := range set.Questions {
		x := conversations[q.Conversation]
		at := x.end
		if q.Date != "" {
			var err error
			if at, err = dateOf(q.Date); err != nil {
				return err
			}
		}
		began := time.Now()
		near, err := x.near(q.Text, embed)
		if err != nil {
			return err
		}
		wide := depth
		if embed != nil {
			wide = 4 * depth
		}
		ranking := o.Fuse(x.index.Rank(o.Read(q.Text, at), wide), near, depth)
		s.Took = append(s.Took, time.Since(began))
		s.count(q, x, ranking)
	}
	return nil
}

// count adds what a question found.
func (s *Score) count(q Question, x indexed, ranking recall.Ranking) {
	sign := ""
	for _, h := range slices.Concat(ranking.Sessions, ranking.Passages) {
		sign += h.ID + " "
	}
	for _, h := range ranking.Passages {
		s.Bytes += len(x.text[h.ID])
	}
	var turns, sessions []string
	for _, e := range q.Evidence {
		session, ok := x.session[e]
		if !ok {
			s.Unknown++
			continue
		}
		if session != e {
			turns = append(turns, e)
		}
		if !slices.Contains(sessions, session) {
			sessions = append(sessions, session)
		}
	}
	if len(sessions) == 0 {
		if len(q.Evidence) > 0 {
			return
		}
		s.Unanswerable++
		quiet := !slices.ContainsFunc(ranking.Passages, func(h recall.Hit) bool { return !h.Weak })
		value := 0.0
		if quiet {
			s.Silent++
			value = 1
		}
		s.Values, s.Signs = append(s.Values, value), append(s.Signs, fmt.Sprint(sign, quiet))
		return
	}
	value := addTo(s.Sessions, q.Kind, sessions, ranking.Sessions)
	if len(turns) > 0 {
		value = (value + addTo(s.Turns, q.Kind, turns, ranking.Passages)) / 2
	}
	s.Values, s.Signs = append(s.Values, value), append(s.Signs, sign)
}

// addTo counts a question under its kind and all, and returns its value: how early the evidence comes, the mean over
// its items of 1/log2(1+rank).
func addTo(tallies map[string]Tally, kind string, evidence []string, hits []recall.Hit) float64 {
	ranks := make([]int, len(evidence))
	value := 0.0
	for i, e := range evidence {
		ranks[i] = slices.IndexFunc(hits, func(h recall.Hit) bool { return h.ID == e }) + 1
		if ranks[i] > 0 {
			value += 1 / math.Log2(1+float64(max(1, ranks[i]-i)))
		}
	}
	for _, k := range []string{"", kind} {
		if k == "" && kind == "" && k != kind {
			continue
		}
		t, ok := tallies[k]
		if !ok {
			t = newTally()
		}
		t.add(ranks)
		tallies[k] = t
		if kind == "" {
			break
		}
	}
	return value / float64(len(evidence))
}

// A Gain is what a part of the ranking is worth.
type Gain struct {
	Part  recall.Part
	Used  int     // questions whose results the part changes
	Gain  float64 // of [Score.Combined], in points
	Error float64 // of the gain: its standard error
}

// Costs reports whether the results are better without the part, beyond chance.
func (g Gain) Costs() bool { return g.Gain < 0 && -g.Gain > 2*g.Error }

// Gains measures the sets with each part switched off.
func Gains(sets []Set, with Score, embed Embed) ([]Gain, error) {
	var out []Gain
	parts := recall.Parts()
	if embed != nil {
		parts = append(parts, recall.Vectors)
	}
	for _, p := range parts {
		without, err := Measure(sets, recall.Options{Off: map[recall.Part]bool{p: true}}, embed)
		if err != nil {
			return nil, err
		}
		out = append(out, gainOf(p, with, without))
	}
	return out, nil
}

func gainOf(p recall.Part, with, without Score) Gain {
	g := Gain{Part: p, Gain: with.Combined() - without.Combined()}
	n := float64(len(with.Values))
	squares := 0.0
	for i, v := range with.Values {
		d := 100*(v-without.Values[i]) - g.Gain
		squares += d * d
		if with.Signs[i] != without.Signs[i] {
			g.Used++
		}
	}
	if n > 1 {
		g.Error = math.Sqrt(squares / (n - 1) / n)
	}
	return g
}

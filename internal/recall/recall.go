// Package recall ranks what was said or remembered for a question. It is pure: passages go in, ranked passages
// with reasons come out.
//
// A [Passage] is one message or one memory; passages with the same Session are ranked together, too. [Index] holds
// the passages among which is searched and what is known of their words; [Index.Rank] works in two stages: sessions
// first, then passages, each with a share of its session's score. What a word counts is BM25 over the passage, its
// neighbours and its session. [Options] switch single parts off, by which a benchmark sees what each is worth.
//
// The store gives candidates that have a word of the question ([Question.Terms]); the benchmark gives all passages
// of a conversation. Both are ranked by the same code.
package recall

import "time"

// A Passage is what is ranked.
type Passage struct {
	ID      string
	Session string    // passages of one session lie in their order
	At      time.Time // when it was said or recorded; zero when nobody knows
	Speaker string    // who said it, as people write the name
	Text    string
	Title   string   // a heading, a key or tags: what names the passage counts more than what it says
	Terms   []string // the terms of title and text, as [Terms] gives them; made from them when nil
	Weight  float64  // its importance, 1 when zero
	// What holds no longer counts less: when another passage took its place.
	Superseded bool
}

// A Part is one part of the ranking.
type Part string

// The parts.
const (
	Stems      Part = "stems"      // words by their stem, by language
	Lexicon    Part = "lexicon"    // irregular forms, words of one meaning, and classes such as pets
	Names      Part = "names"      // who is named, and who spoke
	Dates      Part = "dates"      // days and periods in questions and passages
	Kinds      Part = "kinds"      // what is asked for: a time, a number, a name
	Stages     Part = "stages"     // sessions and passages share their scores
	Neighbours Part = "neighbours" // what stands beside a passage
	Recency    Part = "recency"    // the latest, and what took another's place
	Diversity  Part = "diversity"  // the same is not said twice
	Gates      Part = "gates"      // what shares one common word only is left out
	Vectors    Part = "vectors"    // what means about the same, where a model gives vectors
)

// Parts lists the parts that need no model.
func Parts() []Part {
	return []Part{Stems, Lexicon, Names, Dates, Kinds, Stages, Neighbours, Recency, Diversity, Gates}
}

// Options say how to rank; the zero value is all parts.
type Options struct {
	Off map[Part]bool
}

func (o Options) on(p Part) bool { return !o.Off[p] }

// A Reason says why a passage is a hit.
type Reason struct {
	Part string  `json:"part" doc:"word, near, meaning, class, name, speaker, date, kind, session, recency, superseded or vector"`
	Text string  `json:"text" doc:"the word, name or date"`
	Gain float64 `json:"gain" doc:"what it added to the score; what it was multiplied by for dates, names and kinds"`
}

// A Hit is a ranked passage or session. Scores are between 0 and 1 within one ranking.
type Hit struct {
	ID      string
	Score   float64
	Weak    bool // it shares no more than one common word with the question
	Reasons []Reason
}

// A Ranking is what a question found, the best first.
type Ranking struct {
	Sessions []Hit
	Passages []Hit
}

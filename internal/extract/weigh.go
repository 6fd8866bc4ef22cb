package extract

import (
	"cmp"
	_ "embed"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"

	"chela/internal/pattern"
)

// Beside the rules, a reader that was taught by labelled passages weighs each sentence: how likely it is an action, and
// a decision, each name, how likely it is that of somebody who was there, and of an action, who is likely to act. ADRs 0053, 0055, 0056
// and 0058 say why, docs/grounding.md how well.

// Weights are how much each trait of a sentence speaks for an action, and for a decision. Use [Learnt], or [NewWeights] for others.
type Weights struct {
	of   map[trait][heads]int8
	here map[trait]int8 // of a name
	owns map[trait]int8 // of a candidate
	// Action and Decision are how likely a sentence has to be one to be added, Presence how likely a name has to be that of
	// somebody who was there, and Owner how likely a candidate has to be to act for an action to be added.
	Action, Decision, Presence, Owner float64
}

// What traits speak for.
const (
	actionWeight = iota
	decisionWeight
	heads
)

const (
	// WeightScale is how much of a file's weight is one.
	WeightScale = 32
	weightBytes = 4 + heads
	nameBytes   = 4 + 1 // of a trait of names, and of one of candidates
	// DigestBytes begin a file of weights: the digest of what they were learnt from.
	DigestBytes = 32
	// How likely an action and a decision have to be to be added. With these nine of ten sentences of authors that the reader was
	// not taught by are what it takes them for.
	actionsFrom, decisionsFrom = 0.5, 0.67
	// How likely a name has to be that of somebody who was there to be added, and to stay where a rule found it.
	presenceFrom, unlikelyHere = 0.65, 0.06
	// How likely a candidate has to be to act for an action to be added, and how many times as likely as the one whom a rule chose to
	// replace it.
	ownerFrom, surelyBetter = 0.5, 3
)

//go:embed weights.bin
var learntFile []byte

// NewWeights reads a file of weights: a digest, how many traits of sentences and of names follow, for each trait of sentences its hash
// and its weights, and for each trait of names and then of candidates its hash and its weight.
func NewWeights(file []byte) (*Weights, error) {
	cutOff := errors.New("the weights of minutes are cut off; write them again with go run ./script/minuteslearn")
	if len(file) < DigestBytes+8 {
		return nil, cutOff
	}
	sentences, names := int(binary.LittleEndian.Uint32(file[DigestBytes:])), int(binary.LittleEndian.Uint32(file[DigestBytes+4:]))
	rows := file[DigestBytes+8:]
	if sentences > len(rows)/weightBytes || names > (len(rows)-sentences*weightBytes)/nameBytes || (len(rows)-sentences*weightBytes)%nameBytes != 0 {
		return nil, cutOff
	}
	w := &Weights{
		of:     make(map[trait][heads]int8, sentences),
		Action: actionsFrom, Decision: decisionsFrom, Presence: presenceFrom, Owner: ownerFrom,
	}
	ofNames, ofCandidates := sentences*weightBytes, sentences*weightBytes+names*nameBytes
	for row := range slices.Chunk(rows[:ofNames], weightBytes) {
		w.of[trait(binary.LittleEndian.Uint32(row))] = [heads]int8{int8(row[4]), int8(row[5])}
	}
	w.here, w.owns = single(rows[ofNames:ofCandidates]), single(rows[ofCandidates:])
	return w, nil
}

// single reads traits with one weight each.
func single(rows []byte) map[trait]int8 {
	out := make(map[trait]int8, len(rows)/nameBytes)
	for row := range slices.Chunk(rows, nameBytes) {
		out[trait(binary.LittleEndian.Uint32(row))] = int8(row[4])
	}
	return out
}

// Learnt returns the weights that come with Chela.
var Learnt = sync.OnceValue(func() *Weights {
	w, err := NewWeights(learntFile)
	if err != nil { // a test reads the file
		return &Weights{Action: 1, Decision: 1, Presence: 1, Owner: 1}
	}
	return w
})

// LearntFile returns the file of the weights that come with Chela.
func LearntFile() []byte { return slices.Clone(learntFile) }

// likely are the probabilities that a sentence of these traits is an action and a decision.
func (w *Weights) likely(of []trait) (out [heads]float64) {
	var sum [heads]int
	for _, t := range of {
		for i, n := range w.of[t] {
			sum[i] += int(n)
		}
	}
	for i, n := range sum {
		out[i] = probability(n)
	}
	return out
}

func probability(sum int) float64 { return 1 / (1 + math.Exp(-float64(sum)/WeightScale)) }

// A Sentence is what the weights are learnt from: a sentence of a text with its traits.
type Sentence struct {
	Text   string
	Traits []uint32

	in    *scanner
	at    int // its place among the sentences of the text
	ruled bool
}

// Weighed are the sentences of a text that may be actions or decisions, and the names in it. What rules find is one of their
// traits, unless the rules were written from the text.
func Weighed(text string, ruled bool) ([]Sentence, []Named) {
	s := scanTwice(text)
	out := make([]Sentence, 0, len(s.heard))
	for i, h := range s.heard {
		out = append(out, Sentence{Text: h.text, Traits: numbers(s.traits(h, ruled)), in: s, at: i, ruled: ruled})
	}
	return out, namesOf(s.spotted(ruled))
}

// ReadWith is [ReadMinutes] with other weights; without any, the rules read alone.
func ReadWith(text string, w *Weights) Minutes {
	s := scanTwice(text)
	if w != nil {
		s.weigh(w)
	}
	return s.out
}

// weigh adds the sentences that are likely to be actions or decisions where no rule found one, in the order of lines.
func (s *scanner) weigh(w *Weights) {
	likely := make([][heads]float64, len(s.heard))
	for i := range s.heard { // before anything is added: what rules found is a trait
		likely[i] = w.likely(s.traits(s.besides(i), true))
	}
	s.weighPeople(w)
	owners := s.weighOwners(w, likely)
	for i, a := range s.out.Actions {
		owner, at := a.Owner, s.heardOf(a)
		if better, ok := owners[at]; ok && !s.saidWho(a, at, better) {
			owner = better
		}
		s.out.Actions[i].Owner = withoutTitle(s.inFull(owner))
	}
	found := s.byRule()
	for i, h := range s.heard {
		if isWord(h.text) || placeholder.MatchString(h.text) || struckOut(h.quote) {
			continue
		}
		l, owner := likely[i][actionWeight], owners[i]
		if who := s.doesThing(h); who != "" && l < w.Action { // "do" says too little for the weights
			l, owner = w.Action, who
		}
		if l >= w.Action && !s.calledOff(h) && len(found.actions.coveredBy(h)) == 0 {
			if s.notTheWriters(h, owner) {
				owner = s.addressee
			} else if h.inReply {
				owner = s.ownerIn(h)
			}
			if !s.doubted(h, owner) {
				s.addAction(h, owner, l)
			}
		}
		if l := likely[i][decisionWeight]; l >= w.Decision && !s.undecidedThere(h) && len(found.decisions.coveredBy(h)) == 0 {
			s.addDecision(h, l)
		}
	}
}

// doesThing is who is to do something that an item of a list says: "Ann to do the weekly checks".
func (s *scanner) doesThing(h heard) string {
	m := matchIf(h.bullet && strings.Contains(h.text, " do "), doThing, h.text)
	if m == nil || !isName(m[1]) || s.nothingToDo(h.text) || strings.HasSuffix(h.text, "?") {
		return ""
	}
	return strings.ReplaceAll(m[1], "@", "")
}

var doThing = pattern.New(`^(` + nameList + `)\s+` + promises + `\s+do\s+[\pL\d]\S*\s+\S`)

// besides is the sentence of a place as it is weighed. The first item of a list at the top of a text has nothing before it; when the next
// one begins as it does, they are weighed alike.
func (s *scanner) besides(i int) heard {
	h := s.heard[i]
	if i > 0 || len(s.heard) < 2 || !h.bullet || !s.heard[1].bullet || h.of > 1 {
		return h
	}
	ts, next := s.tokens(h.text), s.tokens(h.after)
	if nth(ts, 0) == nth(next, 0) && nth(ts, 1) == nth(next, 1) {
		h.before = h.after
	}
	return h
}

// saidWho reports that the sentence of an action says who is to act, so that nobody else does however likely he is: it is
// quoted from a letter, asks its reader, or says who does it instead of somebody.
func (s *scanner) saidWho(a Action, at int, better string) bool {
	return instead(a.Text) != "" || at >= 0 && (s.heard[at].inReply || s.notTheWriters(s.heard[at], better))
}

func (s *scanner) addAction(h heard, owner string, likely float64) {
	owner = withoutTitle(s.inFull(owner))
	if owner == "" { // what nobody is to do is told more often than it is to be done
		return
	}
	due, _ := calendar{h.sent, s.order}.due(h.text)
	at := slices.IndexFunc(s.out.Actions, func(a Action) bool { return a.Span.Line > h.span.Line })
	if at < 0 {
		at = len(s.out.Actions)
	}
	s.out.Actions = slices.Insert(s.out.Actions, at, Action{
		Text: h.text, Owner: owner, Due: due, Keys: Keys(h.text), Topic: h.topic, Date: h.date, Confidence: weighedConfidence(likely), Span: h.span,
	})
	s.byRule().actions.put(h.span, h.text)
}

func (s *scanner) addDecision(h heard, likely float64) {
	at := slices.IndexFunc(s.out.Decisions, func(d Decision) bool { return d.Span.Line > h.span.Line })
	if at < 0 {
		at = len(s.out.Decisions)
	}
	s.out.Decisions = slices.Insert(s.out.Decisions, at, Decision{Text: h.text, Topic: h.topic, Date: h.sent, Confidence: weighedConfidence(likely), Span: h.span})
	s.byRule().decisions.put(h.span, h.text)
}

// weighedConfidence is the confidence in what was only weighed, which is less than that in most of what rules find.
func weighedConfidence(likely float64) float64 { return math.Round(60*likely) / 100 }

// covers reports whether something found stands in the sentence: one has the other's words, or most of them.
func (h heard) covers(span Span, text string) bool {
	if span.Line > h.span.EndLine || span.EndLine < h.span.Line {
		return false
	}
	a, b := strings.ToLower(text), strings.ToLower(h.text)
	if strings.Contains(a, b) || strings.Contains(b, a) {
		return true
	}
	if task, _, more := strings.Cut(a, ", "); more && len(strings.Fields(task)) > 2 && strings.Contains(b, task) { // until when stands in another sentence
		return true
	}
	both, of := 0, strings.Fields(a)
	for _, w := range of {
		if strings.Contains(b, w) {
			both++
		}
	}
	return both*3 >= len(of)*2
}

// subjectWords are how far into a sentence its subject stands.
const subjectWords = 8

// ownerIn is who is to do what a sentence says: whom its form names, its subject, somebody it names, whose list or whose
// words it is.
func (s *scanner) ownerIn(h heard) string {
	list := h.owner
	if above := strings.TrimRight(h.above, ": "); list == "" && h.bullet && h.lead != "" {
		list = h.lead
	} else if list == "" && h.bullet && nameAlone.MatchString(above) && isName(above) {
		list = above
	}
	if list == "" && nameAlone.MatchString(h.head) && s.knows(h.head) {
		list = h.head
	}
	me := cmp.Or(h.who, h.lead, list, s.author)
	if owner, _ := ownerOf(h.text); owner != "" && isName(owner) && s.knowsAll(owner) {
		return owner
	}
	if m := boxedOwner.FindStringSubmatch(h.text); m != nil && isName(m[1]) && len(strings.Fields(m[1])) > 1 {
		return m[1]
	}
	words := strings.FieldsFunc(h.text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`,.;:()!?/&+[]"`, r) })
	named := ""
	for i, w := range words {
		bare := w
		if at := strings.IndexAny(w, "'’"); at > 0 {
			bare = w[:at]
		}
		subject := strings.ToLower(bare)
		switch {
		case i < subjectWords && (subject == "i" || subject == "me") && named == "":
			return me
		case i < subjectWords && (subject == "he" || subject == "she") && h.meant != "" && named == "":
			return h.meant
		}
		name := strings.TrimPrefix(bare, "@")
		if named != "" || len(name) < 2 || notNames[subject] || !s.knows(name) {
			continue
		}
		if named = name; i+2 < len(words) && words[i+1] == "and" && s.knows(words[i+2]) {
			named += ", " + words[i+2]
		}
	}
	begins := beginsName.FindStringSubmatch(h.text)
	switch {
	case named != "":
		return named
	case begins != nil && isName(begins[1]) && s.doesWhat(begins[2]):
		return begins[1]
	}
	return cmp.Or(list, h.who)
}

// beginsName is a sentence that begins with what may be a name, and the word behind it.
var beginsName = pattern.New(`^\W*((?:(?i:mrs?|ms|dr|herr|frau|hr|fr)\.?\s)?\p{Lu}[\pL'’-]+(?:\s\p{Lu}[\pL'’-]+)?)[:,]?\s([a-zäöü][\pL'’]*)\b`)

// doesWhat reports a word that says that somebody does something, behind who does.
func (s *scanner) doesWhat(word string) bool {
	class := s.classesOf([]string{nameToken, word})[1]
	return class == "will" || class == "to" || strings.HasPrefix(class, "V") || class == "WS" || class == "WT" || class == "BE" || class == "MODAL"
}

package question

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"chela/internal/desk"
)

// An item is some words of a question with what they mean.
type item struct {
	sense
	at, n  int // the words
	not    bool
	period period
	names  []Name
	values []Value
	hits   []Hit
	number int
	most   float64 // of a range, which begins at least
	least  float64
	field  string  // whose number is compared, when it stands before
	exact  string  // a number with a fraction, as filters have it
	about  []*item // what a negation or an "or" is about
	group  int     // of the items that are joined by "or"; 0 is none
	hard   bool    // the question is a search where the plan makes nothing of it
	used   bool
	each   bool // of several people each has to be an owner
}

// A reader reads one question.
type reader struct {
	v      Vocabulary
	now    time.Time
	tokens []token
	in     []*lexicon
	cal    *calendar
	items  []item
	out    Reading

	lost     []string // words that mean something which the records do not say
	guessed  []string // words that texts are searched for, though nothing says so
	onlyDays bool     // nothing but days narrows the records
	standing bool     // how something stands is asked
	narrowed bool     // a condition has it that records are open
	lacks    bool     // who has none of the records is asked
	bound    *bound   // who has so many of the records is asked
	velocity bool     // the points of each sprint are asked, sprint by sprint
	filled   filled   // what the tables have the question as, whole
}

func newReader(asker, text string, v Vocabulary, now time.Time) *reader {
	r := &reader{v: v, now: now}
	r.tokens, r.out.Cut = tokenize(text)
	r.tokens = slashed(text, r.tokens)
	r.in = languageOf(r.tokens)
	r.unwrap(text)
	r.keyed()
	r.out.Language = r.in[0].name
	r.mine(asker)
	r.genitives()
	r.spell()
	r.lastSprints()
	r.spellOut()
	r.sprints()
	r.cal = r.calendar()
	return r
}

// calendar reads days and numbers of the words as they are.
func (r *reader) calendar() *calendar {
	return &calendar{now: r.now, words: r.tokens, in: r.in, sense: func(at int) (sense, int) { return r.sense(at) }}
}

// sense returns what the words at a place mean: in the question's language, else in another.
func (r *reader) sense(at int) (best sense, n int) {
	if at >= len(r.tokens) || r.tokens[at].quoted {
		return sense{}, 0
	}
	for _, l := range r.in {
		s, k := l.find(r.tokens[at:])
		if k > n {
			best, n = s, k
		}
	}
	return best, n
}

// spell reads words that nobody knows as the known word that they are meant to be.
func (r *reader) spell() {
	for i := range r.tokens {
		t := &r.tokens[i]
		if t.quoted || len(t.text) < 3 || strings.ContainsAny(t.text, "0123456789_") || slices.Contains(costs, t.text) || r.known(t.text) && !r.short(i) {
			continue
		}
		word, ok := "", false
		if !r.short(i) {
			word, ok = spelled(t.text, r.in)
		}
		if !ok {
			word, ok = r.v.Spell(t.text)
		}
		if r.short(i) && !strings.HasPrefix(word, strings.TrimSuffix(t.text, "s")) {
			continue
		}
		if ok {
			r.out.Spelled = append(r.out.Spelled, t.raw+": "+word)
			t.text = word
		}
	}
}

// short reports whether the word at a place is short for one that a title may have.
func (r *reader) short(at int) bool { return r.marked("short", at) && !r.v.Knows(r.tokens[at].text) }

// costs are the words of a question about what models cost, which no record says.
var costs = []string{"cost", "costs", "spend", "spent", "spending", "expenses", "kosten", "kostet", "gekostet", "ausgegeben"}

func (r *reader) known(word string) bool {
	for _, l := range r.in {
		if l.words[word] || l.known[word] || slices.ContainsFunc(stems(word), func(stem string) bool { return l.known[stem] }) {
			return true
		}
	}
	return r.v.Knows(word)
}

// scan gives every word a meaning, the longest first.
func (r *reader) scan() {
	words := make([]string, len(r.tokens))
	for i, t := range r.tokens {
		words[i] = t.text
	}
	titles := r.titles(words)
	for i := 0; i < len(r.tokens); {
		it := r.at(i, words, titles)
		it.at = i
		r.items = append(r.items, it)
		i += it.n
	}
	r.filled = r.asWhole()
	r.sessions()
	r.recordDays()
	r.howItGoes()
	r.sprintsHealth()
	r.things()
	r.vacations()
	r.subjects()
	r.every()
	r.whose()
	r.thereWere()
	r.blockers()
	r.shared()
	r.cameOver()
	r.outcomes()
	r.did()
	r.obliged()
	r.happened()
	r.planned()
	r.backlog()
	r.remarks()
	r.wrote()
	r.middling()
	r.reviews()
	r.opening()
	r.moved()
	r.fromMeeting()
	r.deadlines()
	r.meetings()
	r.resolutions()
	r.tasks()
	r.havingNone()
	r.pending()
	if r.has("chain") != nil {
		r.single()
	}
	r.weekBefore()
	r.ranges()
	r.thresholds()
	r.negate()
	r.estimates()
	r.alternatives()
}

// titles returns the titles that the question has whole, by their first word.
func (r *reader) titles(words []string) map[int]item {
	out := make(map[int]item)
	end := 0
	hits := r.v.Titled(words)
	slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Or(b.Words-a.Words, a.From-b.From) })
	taken := make([]bool, len(words)+1)
	for _, h := range hits {
		if it, ok := out[h.From]; ok && it.n == h.Words {
			it.hits = append(it.hits, h)
			out[h.From] = it
			continue
		}
		if slices.Contains(taken[h.From:h.From+h.Words], true) || h.Words == 1 && !r.standsAlone(h.From) {
			continue
		}
		for i := h.From; i < h.From+h.Words; i++ {
			taken[i] = true
		}
		out[h.From] = item{sense: sense{"title", h.ID}, n: h.Words, hits: []Hit{h}}
		end = max(end, h.From+h.Words)
	}
	return out
}

// standsAlone reports whether a title of one word is meant: no table knows the word, or its kind is
// before it.
func (r *reader) standsAlone(at int) bool {
	s, _ := r.sense(at)
	if s.sort == "" {
		return true
	}
	if at == 0 {
		return false
	}
	before, n := r.sense(at - 1)
	return n == 1 && before.sort == "kind"
}

// at reads the longest meaning that begins at a word.
func (r *reader) at(i int, words []string, titles map[int]item) item {
	if it, ok := titles[i]; ok {
		values, n := r.v.Value(words[i:min(len(words), i+6)])
		values, n, stands := sprintOf(it, values, n)
		if r.sprint(it, values, n, stands) {
			return item{sense: sense{"named", values[0].Text}, n: n, values: values}
		}
		return it
	}
	if hits := r.v.Key(words[i]); len(hits) > 0 {
		return item{sense: sense{"key", words[i]}, n: 1, hits: hits}
	}
	if it, ok := r.label(i, words); ok {
		return it
	}
	if it, ok := r.affects(i, words); ok {
		return it
	}
	names, people := r.v.Person(words[i:min(len(words), i+5)])
	values, valued := r.v.Value(words[i:min(len(words), i+6)])
	s, k := r.sense(i)
	if p, n := r.cal.read(i); n > 0 && n >= max(people, valued) && !r.modal(i, n) {
		return item{sense: sense{"period", ""}, n: n, period: p}
	}
	if s.sort == "by" && words[i] == "by" && people == 0 { // "due by Friday"
		if _, n := r.v.Person(words[min(len(words), i+1):min(len(words), i+6)]); n == 0 {
			if p, n := r.cal.inner(i + k); n > 0 && !p.length {
				return item{sense: sense{"period", ""}, n: k + n, period: r.cal.bounded("until", p)}
			}
		}
	}
	if s.sort == "measure" && k > 1 && (s.value == "newest" || s.value == "oldest") { // "created last" is no superlative before "month"
		if _, n := r.cal.read(i + k - 1); n > 1 {
			s, k = r.in[0].phrases[words[i]], 1
		}
	}
	if r.marked("exceeds", i) && k <= 1 {
		if _, n := r.cal.number(i + 1); n > 0 { // over 5 points, and not the sprint that is over
			s, k = sense{"cmp", ">"}, 1
		}
	}
	if s.sort == "cmp" {
		if v, n := r.cal.number(i + k); n > 0 {
			return item{sense: s, n: k + n, number: v}
		}
		if exact, ok := r.fraction(i + k); ok {
			return item{sense: s, n: k + 1, exact: exact}
		}
		if k == 1 && r.marked("subject", i) { // "Tickets über Rechnungen"
			return item{sense: sense{"topic", "about"}, n: k}
		}
		return item{sense: s, n: k, number: -1}
	}
	switch {
	case people > 0 && people >= valued && people >= k:
		slices.SortStableFunc(names, func(a, b Name) int { return exactly(words[i:i+people], b) - exactly(words[i:i+people], a) })
		it := item{sense: sense{"person", names[0].Name}, n: people, names: names}
		if valued == people {
			it.values = values
		}
		return it
	case valued > 0 && (valued > k || k == valued && r.calledSo(s, values, i) || k == valued && s.sort != "kind" && s.sort != "measure" && s.sort != "state" && s.sort != "stop" && s.sort != "by" && s.sort != "field" && s.sort != "verb" && s.sort != "value" && s.sort != "concept"):
		return item{sense: sense{"named", values[0].Text}, n: valued, values: values}
	case k > 0:
		it := item{sense: s, n: k}
		if s.sort == "number" {
			it.number, _ = r.cal.number(i)
		}
		if valued == k {
			it.values = values
		}
		return it
	}
	if v, n := r.cal.number(i); n > 0 {
		return item{sense: sense{"number", words[i]}, n: n, number: v}
	}
	return item{sense: sense{"word", words[i]}, n: 1, hard: strings.Contains(words[i], "/")}
}

// calledSo reports whether tickets have a label that a question has word for word, where the tables know the word as a value of another name: "invalid"
// is the label, and not all that was rejected.
func (r *reader) calledSo(s sense, values []Value, at int) bool {
	return s.sort == "value" && r.tokens[at].text != strings.ToLower(Word(s.value)) && slices.ContainsFunc(values, func(v Value) bool { return v.Field == "labels" })
}

// modal reports whether the month May is the verb.
func (r *reader) modal(i, n int) bool {
	at := i + n - 1
	if r.tokens[at].text != "may" || r.tokens[at].raw != "may" {
		return false
	}
	if n == 1 {
		return true
	}
	s, _ := r.sense(at - 1)
	return s.sort == "stop" // "that may slip", and not "in may"
}

// heed notes that a rule has read the empty words that are a mark of the tables.
func (r *reader) heed(mark string) {
	for i := range r.items {
		it := &r.items[i]
		it.used = it.used || it.sort == "stop" && marked(r.in, mark, r.text(it))
	}
}

// has returns the first item of a sort, with one of the values when some are given.
func (r *reader) has(sort string, values ...string) *item {
	for i := range r.items {
		if it := &r.items[i]; it.sort == sort && (len(values) == 0 || slices.Contains(values, it.value)) {
			return it
		}
	}
	return nil
}

// take is has, and marks the item as used.
func (r *reader) take(sort string, values ...string) *item {
	it := r.has(sort, values...)
	if it != nil {
		it.used = true
	}
	return it
}

func (r *reader) all(sort string) (out []*item) {
	for i := range r.items {
		if r.items[i].sort == sort {
			out = append(out, &r.items[i])
		}
	}
	return out
}

// before returns the item before it that is no article, nil when there is none.
func (r *reader) before(it *item) *item { return r.beside(it, -1) }

// after returns the item after it that is no article, nil when there is none.
func (r *reader) after(it *item) *item { return r.beside(it, 1) }

func (r *reader) beside(it *item, step int) *item {
	for i := range r.items {
		if &r.items[i] != it {
			continue
		}
		for j := i + step; j >= 0 && j < len(r.items); j += step {
			if s := r.items[j].sort; s != "stop" && s != "prep" && s != "or" {
				return &r.items[j]
			}
		}
	}
	return nil
}

// rest returns the words that nothing else is made of.
func (r *reader) rest() (out []string) {
	for _, it := range r.items {
		if it.sort == "word" && !it.used || it.sort == "number" && !it.used && len(it.value) > 1 {
			out = append(out, r.tokens[it.at].text)
		}
	}
	return out
}

// read reads the question.
func (r *reader) read() Reading {
	if len(r.tokens) == 0 {
		r.out.Plans = []Plan{{Measure: Search}}
		return r.out
	}
	r.scan()
	if p, ok := r.wholly(); ok {
		r.out.Plans = []Plan{p}
		return r.out
	}
	for _, w := range r.rest() {
		if !r.v.Knows(w) && len(w) > 2 && (w[0] < '0' || w[0] > '9') && !r.mentioned(w) {
			r.out.Unknown = append(r.out.Unknown, w)
		}
	}
	plans := r.plans()
	if len(r.out.Unknown) > 0 && len(plans) > 0 && plans[0].Measure != Search && plans[0].Measure != Origin {
		plans = append([]Plan{r.search()}, plans...) // what is not understood may be what matters
	}
	if len(plans) == 0 {
		plans = []Plan{r.search()}
	}
	left := r.left(plans[0])
	if len(left) > 0 && plans[0].Measure != Search {
		plans = append([]Plan{r.search()}, plans...) // a plain count would be of other records
	}
	r.out.Plans, r.out.Shared = plans, r.namesakes(plans[0])
	r.out.Act, r.out.Help = r.act(), r.help()
	r.out.Costs = plans[0].Measure == Search && slices.ContainsFunc(r.tokens, func(t token) bool { return slices.Contains(costs, t.text) })
	r.out.Ignored = append(left, r.ignored(plans[0])...)
	return r.out
}

// ignored returns the words that mean something and of which the plan makes nothing.
func (r *reader) ignored(p Plan) (out []string) {
	if p.Measure == Search || p.Measure == Origin {
		return nil
	}
	out = r.light()
	if p.Measure == Facts {
		return slices.Concat(out, r.apart(p), r.untoldOf(p))
	}
	used := strings.ToLower(p.Filter + " " + p.Base + " " + p.Person + " " + p.Words + " " + p.Describe(r.now))
	for _, it := range r.items {
		text := ""
		for _, t := range r.tokens[it.at : it.at+it.n] {
			text = strings.TrimSpace(text + " " + t.raw)
		}
		matters := false
		switch it.sort {
		case "word", "named", "person", "title", "key":
			matters = !strings.Contains(used, strings.ToLower(it.value)) && len(p.Records) == 0
		case "value", "type", "role", "cmp", "period", "none", "not", "state":
			matters = true
		case "measure":
			matters = slices.Contains([]string{"average", "median", "percentile", "oldest", "newest", "longest", "shortest", "why"}, it.value) || it.value == "when" && p.Sort == "" || r.further(&it, p) ||
				it.value == "who" && p.Measure == List && p.Kind != desk.Resource && p.Limit != 1
		case "verb", "concept":
			matters = p.many() && !r.explained(&it, p)
		case "rel", "unit":
			matters = p.From == "" && p.To == "" && p.Limit == 0 && p.Per == "" && p.Of != Duration
		case "number":
			matters = slices.Contains([]Measure{Decisions, Actions, Questions}, p.Measure)
		case "field":
			matters = p.many() && !slices.Contains(shown, it.value) && (fieldOf(p.Kind, it.value) == "" || !strings.Contains(used, strings.ToLower(FieldWord(fieldOf(p.Kind, it.value)))))
		case "kind":
			matters = p.ofMinutes() && it.value == string(desk.Ticket) || it.value != string(p.Kind) && it.value != "resource" && (p.By == "" || r.grouping(p.Kind, &it) != p.By)
		}
		if !it.used && matters && !slices.Contains(r.exempt(p), it.sort) {
			out = append(out, text)
		}
	}
	return out
}

// marked reports whether the word at a place is a mark of the tables.
func (r *reader) marked(mark string, at int) bool {
	return at >= 0 && at < len(r.tokens) && marked(r.in, mark, r.tokens[at].text)
}

// marks reports whether the question has a mark of the tables.
func (r *reader) marks(mark string) bool {
	return slices.ContainsFunc(r.tokens, func(t token) bool { return marked(r.in, mark, t.text) })
}

// text is the words of an item as the tables have them.
func (r *reader) text(it *item) string {
	return phrase(r.tokens[it.at : it.at+it.n])
}

// phrase is tokens as the tables have them.
func phrase(tokens []token) string {
	words := make([]string, len(tokens))
	for i, t := range tokens {
		words[i] = t.text
	}
	return strings.Join(words, " ")
}

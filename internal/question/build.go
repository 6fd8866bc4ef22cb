package question

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"chela/internal/desk"
)

// plans returns what the question may mean, the best first; none when it is a search.
func (r *reader) plans() []Plan {
	for _, reads := range []func() []Plan{r.origin, r.stands, r.commented, r.checkItems, r.scopes, r.changes, r.speech, r.attendance, r.threads, r.findings, r.waits, r.serving, r.members, r.reaches, r.facts, r.knowers, r.people, r.measures} {
		if plans := reads(); len(plans) > 0 {
			return plans
		}
	}
	return nil
}

// days is the period of the question, as first and last day.
func (r *reader) days(p *Plan) {
	it := r.take("period")
	if it == nil {
		return
	}
	if !it.period.from.IsZero() {
		p.From = day(it.period.from)
	}
	if !it.period.to.IsZero() {
		p.To = day(it.period.to.AddDate(0, 0, -1))
	}
}

// person is the one person whom the question names.
func (r *reader) person() string {
	if it := r.take("person"); it != nil {
		return it.names[0].Name
	}
	return ""
}

// threads reads questions about decisions, actions and open questions.
func (r *reader) threads() []Plan {
	p := Plan{Kind: desk.Thread}
	if (r.has("verb", "waits") != nil || r.marks("need")) && r.has("kind", "ticket") != nil && r.has("concept", "decision", "action", "openquestion") != nil { // which tickets wait for a decision
		return []Plan{r.search()}
	}
	switch {
	case r.take("concept", "decision") != nil:
		p.Measure = Decisions
	case r.take("concept", "action") != nil:
		p.Measure = Actions
		if r.take("concept", "overdue") != nil {
			p.State = "overdue"
		} else if r.take("state", "open") != nil {
			p.State = "open"
		} else if r.take("state", "done") != nil {
			p.State = "done"
		}
	case r.take("concept", "openquestion") != nil:
		p.Measure = Questions
	default:
		return nil
	}
	if to := r.promised(); to != nil {
		to.sort = "named"
	}
	if it := r.has("not"); it != nil && r.excepts(it) {
		it.used = true
		p.Not = r.person()
	} else if p.Person = r.person(); p.Person == "" && r.unnamed() {
		p.Person = Nobody
	}
	if p.Measure == Actions && r.take("verb", "due") != nil && r.has("period") != nil {
		p.State = "due"
	}
	r.days(&p)
	for _, it := range r.all("title") {
		it.used = true
		for _, h := range it.hits {
			if h.Kind == desk.Thread {
				p.Records = append(p.Records, h.ID)
			} else {
				it.used = false
			}
		}
	}
	r.torn()
	p.Words = strings.Join(r.topic(), " ")
	if r.take("measure", "newest") != nil || r.has("rel", "last") != nil && p.From == "" {
		p.Limit = 1
	}
	return []Plan{p}
}

// excepts reports whether a denial leaves out what is one person's: "except Tom's", "not of Lena", and not "what did we decide not to do for Tom".
func (r *reader) excepts(it *item) bool {
	who := r.has("person")
	return len(r.all("person")) == 1 && who.at > it.at && (it.value == "except" || it.at+it.n+1 == who.at && (r.marked("of", it.at+it.n) || r.marked("by", it.at+it.n)))
}

// unnamed reports whether a question about decisions or promises asks for those that are nobody's: "decisions without a name on them".
func (r *reader) unnamed() bool {
	if r.take("none", "nobody") != nil || r.take("concept", "unassigned") != nil {
		return true
	}
	none := r.has("none", "no")
	if none == nil {
		return false
	}
	next := r.after(none)
	if next == nil || !r.marked("name-of", next.at) {
		return false
	}
	none.used, next.used = true, true
	if next.sort == "word" {
		next.sort = "stop"
	}
	return true
}

// promised is the person to whom something was promised: "what did we promise Nordbank". It is nil when the question names none, or who promised.
func (r *reader) promised() *item {
	it := r.has("concept", "action")
	if to := r.has("person"); it != nil && to != nil && r.out.Language == "de" && r.marked("pledged", it.at) && r.marks("we") && len(r.all("person")) == 1 && to.at < it.at {
		return to // "was haben wir Nordbank zugesagt"
	}
	if it == nil || !strings.HasPrefix(r.tokens[it.at].text, "promise") || it.n > 1 {
		return nil
	}
	if next := r.after(it); next != nil && next.sort == "person" && r.before(next) == it && len(r.all("person")) == 1 && r.tokens[next.at-1].text != "by" {
		return next
	}
	return nil
}

// origin reads questions after the source of what is known.
func (r *reader) origin() []Plan {
	asked := r.take("concept", "origin")
	if asked == nil {
		return nil
	}
	p := Plan{Measure: Origin, Words: strings.Join(r.words(slices.Concat(r.tokens[:asked.at], r.tokens[asked.at+asked.n:])), " ")}
	for _, it := range append(r.all("title"), r.all("key")...) {
		for _, h := range it.hits {
			p.Records = append(p.Records, h.ID)
		}
	}
	p.Records = p.Records[:min(len(p.Records), maxRecords)]
	return []Plan{p}
}

// torn says of a question with words on both sides of "decided" or its like that it leaves out those before it: "support complaints: what did we
// agree to do about the mails".
func (r *reader) torn() {
	it := r.has("concept", "decision", "action", "openquestion")
	before, after := "", false
	for i := range r.items {
		if x := &r.items[i]; x.sort == "word" && x.at < it.at {
			before = r.raw(x)
		} else if x.sort == "word" {
			after = true
		}
	}
	if before != "" && after {
		r.guessed = append(r.guessed, before)
	}
}

// topic returns the words that say what a question is about.
func (r *reader) topic() (out []string) {
	for i := range r.items {
		it := &r.items[i]
		if it.used {
			continue
		}
		switch it.sort {
		case "word", "named", "role", "type", "value", "title":
		case "concept", "field", "verb", "kind":
			if !r.v.Knows(r.tokens[it.at].text) || i == 0 || it.value == "owned" || it.value == "ticket" {
				continue
			}
			if b := r.before(it); b == nil || b.sort != "topic" {
				continue
			}
		default:
			continue
		}
		it.used = true
		for _, t := range r.tokens[it.at : it.at+it.n] {
			out = append(out, t.text)
		}
	}
	return out
}

// findings reads questions about duplicates and deltas.
func (r *reader) findings() []Plan {
	it := r.has("concept", "duplicate")
	if it != nil && !r.multiple(it) && r.has("measure", "who", "when", "why", "count") == nil {
		if ids := r.whole(desk.Ticket); len(ids) > 0 {
			return []Plan{{Kind: desk.Ticket, Measure: Duplicates, Records: ids}}
		}
	}
	if it != nil && !r.multiple(it) && (r.has("state", "done") != nil || r.has("verb", "resolved") != nil || r.has("value", "REJECTED", "CANCELLED", "WONT_FIX") != nil || r.has("field", "outcome") != nil || r.marks("outcome-of")) { // closed as such
		for _, other := range append(r.all("value"), r.all("field")...) { // "rejected as duplicate", "the outcome duplicate"
			other.used = other.used || other.sort == "value" || other.value == "outcome"
		}
		it.sense = sense{"value", "DUPLICATE"}
		return nil
	}
	if it != nil && !r.multiple(it) && r.has("title") == nil && r.has("key") == nil {
		return []Plan{{Kind: desk.Ticket, Measure: Duplicates}}
	}
	if r.has("concept", "delta") != nil {
		p := Plan{Kind: desk.DeltaPack, Measure: Deltas}
		if r.has("state", "open") != nil {
			p.State = "open"
		}
		return []Plan{p}
	}
	return nil
}

// kind is the kind of records that the question is about; named says that it says so.
func (r *reader) kind() (k desk.Kind, named bool) {
	if r.lacks || r.bound != nil {
		return desk.Ticket, true
	}
	for _, it := range r.all("kind") {
		if b := r.before(it); b != nil && b.sort == "by" || r.everybody(it) {
			continue
		}
		return desk.Kind(it.value), true
	}
	if r.has("field", "risks") != nil && r.has("type") == nil && r.has("state") == nil {
		return desk.Objective, true
	}
	if r.has("field", "attendees") != nil && r.has("person") != nil {
		return desk.Thread, true
	}
	if r.has("type") != nil {
		return desk.Ticket, true
	}
	if r.has("role") != nil || r.has("concept", "skill") != nil && r.has("measure", "who") != nil {
		return desk.Resource, true
	}
	for _, it := range r.all("value") {
		if slices.Contains([]string{"MISSED", "ACHIEVED", "UPCOMING", "COMMITTED", "AT_RISK"}, it.value) {
			return desk.Milestone, false
		}
	}
	return desk.Ticket, false
}

// serving reads questions about objectives and the tickets that serve them.
func (r *reader) serving() []Plan {
	kind, _ := r.kind()
	if r.has("concept", "unmapped") != nil {
		p := Plan{Kind: desk.Ticket, Measure: List, State: "unmapped", Filter: desk.Ticket.Asked().Open}
		if r.has("measure", "count") != nil {
			p.Measure = Count
		}
		if r.has("state") != nil {
			p.Filter = ""
		}
		p.Filter = strings.TrimSpace(p.Filter + " " + strings.Join(r.conditions(desk.Ticket), " "))
		return []Plan{p}
	}
	if kind == desk.Objective && (r.has("concept", "unserved") != nil || r.universal() && r.has("kind", "ticket") != nil) {
		return []Plan{{Kind: desk.Objective, Measure: Coverage, State: "unserved"}}
	}
	if it := r.has("kind", "objective"); it != nil && r.has("none") != nil && r.has("kind", "ticket") != nil {
		if r.items[0].at <= it.at && kind == desk.Objective {
			return []Plan{{Kind: desk.Objective, Measure: Coverage, State: "unserved"}}
		}
	}
	var objectives []string
	for _, it := range append(r.all("title"), r.all("key")...) {
		for _, h := range it.hits {
			if h.Kind == desk.Objective {
				objectives = append(objectives, h.ID)
			}
		}
	}
	if r.has("verb", "serves") != nil && len(objectives) > 0 && kind == desk.Ticket {
		p := Plan{Kind: desk.Ticket, Measure: List, State: "serves", Records: objectives}
		if r.has("measure", "count") != nil {
			p.Measure = Count
		}
		p.Filter = strings.Join(r.conditions(desk.Ticket), " ")
		return []Plan{p}
	}
	if it := r.take("concept", "coveredleast", "coveredmost"); it != nil && len(r.rest()) == 0 {
		sort := map[string]string{"coveredleast": "coveragePercent", "coveredmost": "-coveragePercent"}[it.value]
		return []Plan{{Kind: desk.Objective, Measure: Coverage, Filter: desk.Objective.Asked().Open, Sort: sort}}
	}
	if r.has("field", "coverage") == nil {
		return nil
	}
	if len(objectives) == 0 {
		if p, ok := r.standOf(); ok { // how far a checklist is
			return []Plan{p}
		}
		if objectives = r.named(desk.Objective); len(objectives) == 0 && len(r.rest()) > 0 { // of what is no objective
			return []Plan{r.search()}
		}
	}
	return []Plan{{Kind: desk.Objective, Measure: Coverage, Records: objectives}}
}

// measures reads questions about many records: how many, which, by what, how long.
func (r *reader) measures() []Plan {
	kind, said := r.kind()
	p := Plan{Kind: kind, Measure: List}
	share, whether := r.take("measure", "share") != nil, r.whether()
	by := r.group(kind, &p)
	r.numbers(kind, &p)
	r.stays(kind, &p)
	r.order(kind, &p)
	r.personal(kind)
	r.foreign(kind)
	if share || whether > 0 {
		if p.Measure == Group { // a share in each group is no plan
			r.lost = append(r.lost, FieldWord(p.By))
		}
		p = r.portion(kind, p, share, whether)
	} else {
		if open, done := r.has("state", "open"), r.has("state", "done"); open != nil && done != nil && !open.not && !done.not && open.group == 0 && done.group == 0 && setField(kind, "DONE") == "status" {
			open.used, done.used = true, true // open, and done: how many of each
			p.Measure, p.By, by = Group, "status", true
		}
		p.Filter = strings.TrimSpace(p.Filter + " " + strings.Join(r.conditions(kind), " "))
	}
	r.kin(kind, &p)
	if r.velocity && p.Measure == Group && p.Sort == "" && p.Per == "" {
		p.Sort = p.By // sprint by sprint, in time
	}
	if p.Measure == List && !by && (r.has("measure", "count") != nil || r.has("measure", "sum") != nil && said) {
		p.Measure = Count
	}
	if (p.Measure == List || p.Measure == Count || p.Measure == Group && (r.has("versus") != nil || r.bound != nil)) && lasting(kind) && r.atNow() {
		p.Filter += openOf(kind.Asked())
	}
	if p.Measure == List && p.Limit == 0 && lasting(kind) && p.Filter != "" && p.State == "" && r.each() {
		p.Measure, p.By = Group, kind.Asked().Who // who has overdue tickets: each with how many
	}
	if rest := r.rest(); len(rest) > 0 {
		if !said && (p.Filter == "" || r.onlyDays) || r.has("measure", "who", "when", "why") != nil {
			return nil
		}
		if next := r.after(&r.items[0]); !said && (!r.worded(kind) || r.items[0].sort == "measure" && r.items[0].value == "list" && next.sort == "word" && next.at+next.n < len(r.tokens)) {
			return nil // "what is the scope of Sprint 25"
		}
		if len(r.out.Unknown) == 0 && len(rest) <= 8 {
			p.Words = strings.Join(rest, " ")
			p.Filter = strings.TrimSpace(p.Filter + " " + r.texts(kind))
		}
	}
	if !said && p.Filter == "" && !by && p.Of == "" && p.Sort == "" && !share {
		return nil // nothing of it is understood
	}
	if !said && r.onlyDays && r.alone("period", "measure") && p.Measure == List {
		return nil // "what about last week": of what, no question says
	}
	return []Plan{p}
}

// each reports whether a question asks who has records of some sort, and names nobody.
func (r *reader) each() bool {
	role := r.has("role")
	who := r.has("measure", "who") != nil || role != nil && r.has("verb", "owned") != nil && r.has("kind") != nil && role.at < r.has("kind").at // which engineers have
	return who && r.has("person") == nil && r.has("not") == nil && r.has("none") == nil && r.has("verb", "reported", "created", "updated") == nil &&
		r.has("concept", "unassigned") == nil && (r.has("concept", "overdue", "blocked") != nil || r.has("value") != nil || r.has("state") != nil || r.has("type") != nil || r.has("verb", "due", "resolved") != nil)
}

// worded reports whether words that nothing else is made of may be meant as words of texts: the question says so, or a title of the kind has them
// all. Of "the scope of Sprint 25" no ticket is.
func (r *reader) worded(kind desk.Kind) bool {
	if r.has("in") != nil || r.has("or") != nil || r.has("not") != nil || slices.ContainsFunc(r.tokens, func(t token) bool { return t.quoted }) {
		return true
	}
	var words []string
	for _, w := range r.rest() {
		words = append(words, r.forms(w)[0])
	}
	hits := r.v.Named(words, kind)
	return len(hits) > 0 && hits[0].Share > 0.999
}

// texts is the condition that records have the words that nothing else is made of: all of those that stand alone, any of
// those that an "or" joins, and not all of those that one negation denies.
func (r *reader) texts(kind desk.Kind) string {
	all := &conjunction{}
	var denied []string
	in := r.has("in")
	if in != nil {
		if in.used = fieldOf(kind, in.value) != ""; !in.used {
			in = nil
		}
	}
	for i := range r.items {
		it := &r.items[i]
		if it.used || it.sort != "word" && (it.sort != "number" || len(it.value) < 2) {
			continue
		}
		it.used = true
		if !r.describes(i) {
			r.guessed = append(r.guessed, r.raw(it))
		}
		if n := r.quotation(kind, i); n > 1 && in == nil {
			all.add(it.group, r.quoted(i, n, it.not))
			continue
		}
		if !strings.ContainsFunc(r.tokens[it.at].text, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }) {
			continue // "_" is no word to look for
		}
		c := ""
		for _, w := range r.forms(r.tokens[it.at].text) {
			one := fmt.Sprintf("%q", w)
			if in != nil {
				one = in.value + ":~" + one
			}
			if c == "" {
				c = one
			} else {
				c = "(" + c + " OR " + one + ")"
			}
		}
		switch {
		case it.not && it.group != 0:
			all.add(0, "-("+c+")")
		case it.not:
			denied = append(denied, c)
		default:
			all.add(it.group, c)
		}
	}
	if len(denied) > 0 {
		all.add(0, "-("+strings.Join(denied, " ")+")")
	}
	return strings.Join(all.all(), " ")
}

// forms are a word, or its singular, as texts have it: lists find words by their beginning.
func (r *reader) forms(w string) []string {
	if stem, ok := strings.CutSuffix(w, "ies"); ok && len(stem) > 2 {
		return []string{stem + "y", w}
	}
	if one := singular(w); r.v.Knows(one) && !slices.ContainsFunc(r.in, func(l *lexicon) bool { return l.phrases[one].sort == "stop" }) {
		return []string{one}
	}
	return []string{w}
}

// singular is a word without the s of its plural.
func singular(w string) string {
	if len(w) > 3 && strings.HasSuffix(w, "s") && !slices.ContainsFunc([]string{"ss", "us", "is"}, func(end string) bool { return strings.HasSuffix(w, end) }) {
		return w[:len(w)-1]
	}
	return w
}

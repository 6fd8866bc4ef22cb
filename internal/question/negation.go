package question

import (
	"slices"

	"chela/internal/desk"
)

// negatable are the sorts of items that a negation may be about.
var negatable = []string{"state", "value", "concept", "verb", "type", "role", "named", "person", "period", "topic", "cmp", "range", "title", "key"}

// negate joins each negation with the items that it is about. A negation that finds none stays unused, and then the
// question is a search; see [reader.left].
func (r *reader) negate() {
	r.lacking()
	r.needs()
	r.auxiliary()
	for i := range r.items {
		it := &r.items[i]
		if it.sort == "concept" && it.value == "unassigned" && r.tokens[it.at].text == "not" {
			if next := r.after(it); next != nil && next.sort == "person" { // "not assigned to Tom"
				it.sort, it.value = "not", "not"
			}
		}
		if next := r.after(it); it.sort == "concept" && it.value == "unassigned" && r.marked("having", it.at+it.n-1) && next != nil && (next.sort == "value" || next.sort == "state") { // "nobody has started"
			it.sense = sense{"none", "nobody"}
		}
		r.without(i)
		if next, b := r.after(it), r.before(it); it.sort == "stop" && r.tokens[it.at].text == "but" && next != nil && next.sort == "type" && b != nil && b.sort == "kind" {
			it.sort, it.value = "not", "except" // all tickets but bugs
		}
		if it.sort == "stop" && r.tokens[it.at].text == "but" && it.at > 0 && slices.Contains([]string{"all", "everything", "anything", "anyone", "anybody", "everyone", "everybody", "someone", "somebody", "who"}, r.tokens[it.at-1].text) {
			it.sort, it.value = "not", "except" // all but the critical ones
		}
		if r.items[i].sort == "not" {
			r.deny(i)
		}
	}
}

// needed are the words for what has no such field, as "tickets that need an owner" has them.
var needed = map[string]string{"owner": "unassigned", "dueDate": "nodue", "storyPoints": "unestimated", "sprint": "unplanned"}

// needs reads "tickets that need an owner" as those without one.
func (r *reader) needs() {
	for i := range r.items {
		it := &r.items[i]
		next := r.after(it)
		if it.sort != "stop" && it.sort != "concept" || !r.marked("need", it.at) || next == nil || next.sort != "field" || needed[next.value] == "" || r.has("key") != nil || r.has("title") != nil {
			continue
		}
		it.sense, next.sort = sense{"concept", needed[next.value]}, "stop"
	}
}

// auxiliary reads "never got finished" and "has not been closed" as what follows: the verb before it has no meaning of its own.
func (r *reader) auxiliary() {
	for i := range r.items {
		it := &r.items[i]
		if it.sort != "verb" || it.value != "owned" || !r.marked("having", it.at) || it.n > 1 || i+1 >= len(r.items) {
			continue
		}
		next := &r.items[i+1]
		done := next.sort == "state" && next.value == "done" || next.sort == "verb" && next.value == "resolved" || next.sort == "value" && next.value == "IN_PROGRESS" && r.marked("begun", next.at+next.n-1)
		if follows := r.after(next); done && (follows == nil || follows.sort != "kind" && follows.sort != "type") {
			it.sort = "stop"
		}
	}
}

// lacking reads "neither an owner nor a sprint" as "no owner, no sprint".
func (r *reader) lacking() {
	for i := range r.items {
		it := &r.items[i]
		if next := r.after(it); it.sort != "not" || it.value != "neither" || next == nil || next.sort != "field" {
			continue
		}
		for k := i + 1; k < len(r.items); k++ {
			or := &r.items[k]
			joins := or.sort == "or" || or.sort == "stop" && r.tokens[or.at].text == "noch"
			if next := r.after(or); joins && next != nil && next.sort == "field" {
				it.sense, or.sense = sense{"none", "no"}, sense{"none", "no"}
			}
		}
	}
}

// without reads "without bugs", "without the word S3A" and "without the label security" as the negation of what follows.
func (r *reader) without(i int) {
	it, next := &r.items[i], r.after(&r.items[i])
	if it.sort != "none" || it.value != "no" || next == nil {
		return
	}
	switch text := r.tokens[it.at].text; {
	case next.sort == "topic":
		it.sort, it.value = "not", "not"
	case next.sort == "field":
		if named := r.after(next); named != nil && named.sort == "named" && named.at == next.at+next.n {
			next.sort, it.sort, it.value = "stop", "not", "except"
		}
	case (text == "without" || text == "ohne") && slices.Contains([]string{"type", "named", "person"}, next.sort):
		it.sort, it.value = "not", "except"
	}
}

// deny marks what the negation at a place is about.
func (r *reader) deny(i int) {
	not := &r.items[i]
	if k, next := r.joint(i, false); next > i && k.sort == "" && r.items[next].sort == "word" && slices.ContainsFunc(r.items[:i], func(x item) bool { return x.sort == "topic" }) {
		r.denyWords(i, i) // "mention S3A but not ABFS"
		return
	}
	j := i + 1
	for j < len(r.items) && j <= i+4 && !slices.Contains(negatable, r.items[j].sort) {
		if s := r.items[j].sort; s == "word" || s == "or" || s == "not" || s == "none" {
			j = len(r.items)
		}
		j++
	}
	if j >= len(r.items) || j > i+4 {
		r.denyBefore(i)
		return
	}
	target := &r.items[j]
	switch text := r.tokens[not.at].text; {
	case target.sort == "concept" && (target.value == "skill" || r.marked("not", target.at)): // "not in May, not assigned"
		return
	case text == "minus" && (target.sort == "range" || target.sort == "cmp"):
		return // it is a sign
	case target.sort == "verb" && target.value == "updated" && (text == "never" || text == "nie" || text == "niemals"):
		return // "not updated" is for two weeks
	case target.sort == "topic":
		r.denyWords(i, j)
		return
	case target.sort == "verb" && !r.denyVerb(i, j):
		return
	case target.sort == "state" && target.value == "done" && not.value == "not":
		if next := r.after(target); next != nil && next.sort == "period" {
			return // "not resolved in May": still open, or resolved in another month
		}
	}
	if target.sort == "verb" && not.about != nil { // the verb gave it to what it is about
		target = not.about[0]
		j = slices.IndexFunc(r.items, func(x item) bool { return x.at == target.at })
	} else {
		not.about = []*item{target}
	}
	target.not, not.used = true, true
	if target.sort == "value" && target.value == "IN_PROGRESS" && r.marked("begun", target.at+target.n-1) { // what has not begun is to do, and is not done
		target.value, target.not = "TODO", false
	}
	if target.sort == "verb" && target.value == "updated" {
		target.value, target.not = "untouched", false
	}
	r.spread(not, j)
}

// denyVerb reads a negated verb. What is owned, reported, created or due is denied by the person, the field or the period
// beside the verb. It reports whether the verb, or what is beside it, can be denied.
func (r *reader) denyVerb(i, j int) bool {
	not, verb := &r.items[i], &r.items[j]
	next := r.after(verb)
	if next != nil && next.sort == "by" { // "not reported by Carla"
		next = r.after(next)
	}
	beside := func(sorts ...string) bool {
		sides := []*item{next, r.before(not)}
		if next != nil && r.out.Language != "de" { // "in Sprint 23 never got": that is not denied
			sides = sides[:1]
		}
		for _, it := range sides {
			if it != nil && slices.Contains(sorts, it.sort) {
				not.about, verb.used = []*item{it}, true
				return true
			}
		}
		return false
	}
	switch verb.value {
	case "owned":
		if next != nil && next.sort == "field" { // "do not have a sprint"
			if named := r.after(next); named != nil && named.sort == "named" {
				next.sort, not.about, verb.used = "stop", []*item{named}, true
				return true
			}
			not.sort, not.value, verb.sort = "none", "no", "stop"
			return false
		}
		return beside("person", "named")
	case "serves":
		return beside("person")
	case "reported":
		return beside("person")
	case "created", "due":
		if next == nil || next.sort != "period" {
			return false
		}
		not.about = []*item{next}
		return true
	case "resolved":
		return next == nil || next.sort != "period"
	case "updated", "untouched":
		return true
	}
	return false
}

// denyWords denies the words that follow the topic at j, or, where the verb comes last, those before it.
func (r *reader) denyWords(i, j int) {
	not := &r.items[i]
	var joint *item
	several := false
	for k := j + 1; k < len(r.items); k++ {
		it := &r.items[k]
		if it.sort == "word" {
			if joint != nil {
				joint.used, joint, several = true, nil, true
			}
			it.not = true
			not.about = append(not.about, it)
			continue
		}
		if it.sort == "or" {
			joint = it
		} else if it.sort != "stop" && it.sort != "topic" {
			break
		}
	}
	if len(not.about) == 0 {
		r.denyBefore(i)
		return
	}
	not.used = not.value != "neither" || several
	if several {
		for _, it := range not.about {
			it.group = each
		}
	}
}

// each is the group of words each of which is denied alone.
const each = -1

// denyBefore denies the words before a negation at the end: "die S3A nicht erwähnen", "erwähnen S3A nicht".
func (r *reader) denyBefore(i int) {
	not := &r.items[i]
	k := i - 1
	for ; k >= 0 && r.items[k].sort == "word"; k-- {
		not.about = append(not.about, &r.items[k])
	}
	verb := func(k int) bool { return k >= 0 && k < len(r.items) && r.items[k].sort == "topic" }
	if not.value != "not" || len(not.about) == 0 || !verb(k) && !verb(i+1) {
		not.about = nil
		return
	}
	for _, it := range not.about {
		it.not = true
	}
	not.used = true
}

// spread carries a negation on from the item at j to what is joined with it: "neither A nor B", "not A or B", "except A, B
// and C". Where it is not plain how far a negation goes it stays unused.
func (r *reader) spread(not *item, j int) {
	first := &r.items[j]
	for k := j; ; {
		joint, next := r.joint(k, not.value == "neither")
		if next < 0 {
			break
		}
		it := &r.items[next]
		same, many := r.class(it) == r.class(first), slices.Contains([]string{"person", "named", "type"}, it.sort)
		goes := same && (not.value == "except" || joint.sort == "or" || joint.sort == "and" && many)
		if not.value == "neither" {
			goes = joint.sort == "or" && slices.Contains(negatable, it.sort)
		}
		if !goes {
			if joint.sort == "or" && it.sort != "not" && it.sort != "none" {
				not.used = false // "not done or overdue"
			}
			break
		}
		it.not, k = true, next
		not.about = append(not.about, it)
		if joint.of != nil {
			joint.of.used = true
		}
	}
	if not.value == "neither" && len(not.about) < 2 {
		not.used = false
	}
}

// A joint is what joins an item with the one before it: "or", "and", or nothing but articles.
type joint struct {
	sort string
	of   *item // the "or"
}

// joint returns what joins the item at k with the next one that says something, and where that is; -1 where none is. After
// "weder" the German "noch" is an "or".
func (r *reader) joint(k int, neither bool) (j joint, next int) {
	for next = k + 1; next < len(r.items); next++ {
		it := &r.items[next]
		switch text := r.tokens[it.at].text; {
		case it.sort == "or" || neither && it.sort == "stop" && text == "noch":
			j = joint{"or", it}
		case it.sort == "stop" && r.marked("and", it.at):
			j.sort = "and"
		case it.sort == "stop" && text == "that": // a clause of its own begins
			return j, -1
		case it.sort == "stop" || it.sort == "prep" || it.sort == "field" || it.sort == "by":
		default:
			return j, next
		}
	}
	return j, -1
}

// class is what an item says something of: items of one class are alternatives.
func (r *reader) class(it *item) string {
	switch it.sort {
	case "state":
		return "status"
	case "concept":
		if it.value == "blocked" {
			return "status"
		}
	case "value":
		if f := setField(desk.Ticket, it.value); f != "" {
			return f
		}
	case "named":
		if len(it.values) > 0 {
			return it.values[0].Field
		}
	case "person", "type", "role", "period", "word":
		return it.sort
	}
	return it.sort + ":" + it.value
}

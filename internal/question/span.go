package question

import (
	"slices"
	"time"

	"chela/internal/desk"
)

// dates adds the conditions of the periods of a question.
func (r *reader) dates(kind desk.Kind, until int, all *conjunction) {
	for _, it := range r.all("period") {
		if it.used || it.at >= until {
			continue
		}
		if c, asOf := r.asOf(kind, it); asOf {
			if c != "" && !it.hard {
				all.add(0, c)
			}
			continue
		}
		if it.period.now(r.cal.today()) && !r.atWork() && r.marked("at-present", it.at+it.n-1) && r.has("verb", "created", "resolved", "updated", "due", "reported") == nil && r.has("state", "done") == nil {
			it.used = true // as it is now
			continue
		}
		if closes(kind) && r.stated(it) { // "blocked since March": since when no filter says
			it.used = it.period.now(r.cal.today())
			it.hard = !it.used
			continue
		}
		if closes(kind) && r.atWork() { // what Tom is doing today is what he has; what he was doing in a week no ticket tells
			it.used = it.period.now(r.cal.today())
			it.hard = !it.used
			if it.used && r.has("state") == nil {
				all.add(0, kind.Asked().Open)
			}
			continue
		}
		field, untouched := r.dated(kind, it)
		if it.period.bare && !it.period.to.IsZero() && (field == "closedOn" || r.has("concept", "duration") != nil) {
			it.hard = true // "resolved within a week": how long it took, not when
			continue
		}
		if field == "" {
			continue
		}
		it.used = true
		if field == "closedOn" && lasting(kind) && r.finished() {
			all.add(0, kind.Asked().Done)
		}
		if untouched {
			from := it.period.from
			if from.IsZero() {
				from = it.period.to
			}
			all.add(it.group, "updated:<="+day(from)+openOf(kind.Asked()))
			continue
		}
		p := it.period
		if p.length && field == kind.Asked().Day && kind == desk.Ticket && !p.from.IsZero() { // due within two weeks
			p = period{from: r.cal.today(), to: r.cal.today().AddDate(0, 0, int(r.cal.today().Sub(p.from).Hours()/24)+1)}
		}
		if (field != "date" && field != "created" && field == kind.Asked().Day || field == "endDate" || field == "targetDate") && !(p.weekday && r.past(it)) {
			p = p.ahead(r.cal.today())
		}
		c := p.filter(field)
		if kind == desk.Ticket && field == "externalCreated" {
			c = r.created(p)
		}
		if it.not {
			c = "-(" + c + ")"
		}
		if field == kind.Asked().Day && kind == desk.Ticket && r.has("state") == nil {
			c += " -status:DONE,CLOSED"
		}
		all.add(it.group, c)
	}
}

// created is the condition that a ticket was created in a period: on the day of its tracker, or else on that of its record.
func (r *reader) created(p period) string {
	switch some, all := r.v.Dated(); {
	case all:
		return p.filter("externalCreated")
	case some:
		return "(" + p.filter("externalCreated") + " OR externalCreated:none " + p.filter("created") + ")"
	}
	return p.filter("created")
}

// asOf reads "open on 1 March": created by then, and neither closed before nor on that day. It reports whether the period
// says when tickets were open. Then a condition of "" narrows nothing, and a hard period is one that cannot be computed: a
// day to come, or "open in March".
func (r *reader) asOf(kind desk.Kind, it *item) (condition string, ok bool) {
	state := r.openAt(it)
	if !closes(kind) || state == nil {
		return "", false
	}
	p, today := it.period, r.cal.today()
	first := r.tokens[it.at].text
	switch {
	case p.bare && r.marked("for", it.at): // open for 30 days, and more
		it.used = true
		return r.created(period{to: p.from.AddDate(0, 0, 1)}), true
	case p.to.IsZero():
		return "", false // open since March
	case p.from.IsZero() && first == "by":
		p.from = p.to.AddDate(0, 0, -1)
	}
	switch {
	case !p.to.Equal(p.from.AddDate(0, 0, 1)) || p.from.After(today):
		it.hard = true
	case p.from.Equal(today):
		it.used = true
	default:
		it.used, state.used = true, true
		return r.created(period{to: p.to}) + " (" + kind.Asked().Open + " OR " + period{from: p.to}.filter("closedOn") + ")", true
	}
	return "", true
}

// closes reports whether records of a kind say when they were closed.
func closes(kind desk.Kind) bool { return fieldOf(kind, "closedOn") != "" }

// finished reports whether a question asks what was done, and not what was closed, done or not.
func (r *reader) finished() bool {
	return r.marks("finished") && !r.marks("closed") && !slices.ContainsFunc(r.all("value"), func(it *item) bool { return setField(desk.Ticket, it.value) == "outcome" }) &&
		!slices.ContainsFunc(r.items, func(it item) bool { return it.not && (it.sort == "state" || it.sort == "verb") })
}

// stated reports whether a period says since when, or when, tickets are in a status: it stands beside the status, and no
// other verb has it.
func (r *reader) stated(it *item) bool {
	is := func(x *item) bool {
		return x != nil && (x.sort == "value" && setField(desk.Ticket, x.value) != "outcome" || x.sort == "concept" && slices.Contains([]string{"backlog", "blocked", "overdue", "unassigned", "unestimated", "estimated"}, x.value))
	}
	if r.has("verb", "created", "resolved", "updated", "untouched", "reported", "due", "starts", "ends") != nil || r.has("state", "done") != nil {
		return false
	}
	b, a := r.before(it), r.after(it)
	return r.has("concept", "backlog") != nil || is(b) || is(a) && r.after(a) == nil
}

// now reports whether the period is today.
func (p period) now(today time.Time) bool {
	return p.from.Equal(today) && p.to.Equal(today.AddDate(0, 0, 1))
}

// atWork reports whether a question asks what somebody is at, and names nothing that has a day.
func (r *reader) atWork() bool {
	at := slices.ContainsFunc(r.all("verb"), func(it *item) bool {
		return it.value == "owned" && marked(r.in, "at-work", r.text(it))
	})
	return at && r.has("person") != nil && r.has("verb", "created", "resolved", "due", "updated", "untouched", "reported", "starts", "ends") == nil && r.has("state", "done") == nil && r.has("field", "dueDate") == nil
}

// atNow reports whether a question asks what somebody is working on, and says nothing else of it: that is what is open.
func (r *reader) atNow() bool {
	at := r.has("period")
	return r.atWork() && (at == nil || at.period.now(r.cal.today())) && r.has("state") == nil && !r.standsSaid() && r.has("not") == nil && !r.narrowed && !r.marks("past") && r.has("concept", "overdue", "blocked") == nil
}

// standsSaid reports whether a value of the question says how records stand, as "in review" and "rejected" do and "critical" does not.
func (r *reader) standsSaid() bool {
	return slices.ContainsFunc(r.all("value"), func(it *item) bool {
		f := setField(desk.Ticket, it.value)
		return f == "" || f == "status" || f == "outcome"
	})
}

// openAt returns the "open" that stands beside a period, nil when another verb has the period.
func (r *reader) openAt(it *item) *item {
	if b := r.before(it); b != nil && b.sort == "verb" && slices.Contains([]string{"created", "resolved", "updated", "reported", "due"}, b.value) { // "created in 2024 and still open"
		return nil
	}
	for _, x := range []*item{r.before(it), r.after(it)} {
		if x != nil && x.sort == "state" && x.value == "open" && !x.not && !x.used {
			return x
		}
	}
	b := r.before(it)
	lasts := it.period.bare && r.marked("for", it.at)
	if b == nil || b.sort != "kind" && b.sort != "type" || r.has("verb", "created", "resolved", "updated", "reported", "due", "starts", "ends") != nil || !lasts && !it.period.to.Equal(it.period.from.AddDate(0, 0, 1)) {
		return nil
	}
	if x := r.before(b); x != nil && x.sort == "state" && x.value == "open" && !x.not {
		return x
	}
	return nil
}

// dated returns the field of days that a period is about: that of the verb beside it, which in German follows, or else of the nearest.
func (r *reader) dated(kind desk.Kind, p *item) (field string, untouched bool) {
	var verb *item
	far := func(it *item) int { return max(it.at-p.at, p.at-it.at) }
	beside := []*item{r.before(p), r.after(p)}
	if r.out.Language == "de" {
		slices.Reverse(beside)
	}
	ofDay := func(it *item) bool {
		return it.sort == "verb" && slices.Contains([]string{"created", "resolved", "due", "updated", "untouched", "reported", "starts", "ends"}, it.value) ||
			it.sort == "field" && it.value == "dueDate" || it.sort == "state" && it.value == "done" && !it.not
	}
	for _, it := range beside {
		if verb == nil && it != nil && ofDay(it) {
			verb = it
		}
	}
	near := verb != nil
	for i := range r.items {
		it := &r.items[i]
		if !near && ofDay(it) && (verb == nil || far(it) < far(verb)) {
			verb = it
		}
	}
	if verb == nil {
		name := kind.Asked().Day
		if kind == desk.Ticket && !p.period.from.After(r.cal.today()) && !p.period.rest { // what is to come is due then
			name = "created"
		}
		outcome := slices.ContainsFunc(r.all("value"), func(x *item) bool { return setField(kind, x.value) == "outcome" })
		if outcome || lasting(kind) && (r.has("concept", "duration") != nil || r.has("measure", "longest", "shortest") != nil) {
			name = "resolved" // how long a ticket took, and how it ended, is known when it ends
		}
		return fieldOf(kind, name), false
	}
	verb.used = true
	switch {
	case verb.value == "untouched" || verb.value == "updated" && verb.not:
		return "updated", true
	case verb.value == "done":
		return fieldOf(kind, "resolved"), false
	case verb.value == "reported":
		if r.has("person") != nil {
			verb.used = false
		}
		return fieldOf(kind, "created"), false
	case verb.value == "starts" && kind == desk.Ticket:
		return fieldOf(kind, "created"), false
	}
	return fieldOf(kind, verb.value), false
}

// past reports whether a period is about what was: "what was due on Friday".
func (r *reader) past(period *item) bool {
	at := -1
	for i, t := range r.tokens[:period.at] {
		if s, _ := r.sense(max(i-1, 0)); i > 0 && r.out.Language == "de" && (s.sort == "verb" || s.sort == "state") {
			continue // "geändert wurden"
		}
		if marked(r.in[:1], "past", t.text) { // "was" is German, too
			at = i
		}
	}
	return at >= 0 && !slices.ContainsFunc(r.items, func(it item) bool { // "that were closed in May and due on Friday"
		return it.at > at && it.at < period.at && (it.sort == "state" || it.sort == "verb" && it.value != "due")
	})
}

// planned reads "what is planned for Q2" as what is due then.
func (r *reader) planned() {
	for i := range r.items {
		it := &r.items[i]
		if !r.marked("planned", it.at+it.n-1) || it.sort != "stop" && it.sort != "word" {
			continue
		}
		if next := r.after(it); next != nil && next.sort == "period" && (next.period.to.IsZero() || next.period.to.After(r.cal.today()) || next.period.yearless) {
			it.sense = sense{"verb", "due"}
		}
	}
}

// happened reads "what happened yesterday" as what changed then, and "what happened in the last meeting" as the meeting.
func (r *reader) happened() {
	at := slices.IndexFunc(r.items, func(it item) bool {
		return it.sort == "word" && marked(r.in, "happened", it.value)
	})
	if at < 0 {
		return
	}
	switch it := &r.items[at]; {
	case r.has("kind", string(desk.Thread)) != nil:
		it.sort = "stop"
	case r.has("period") != nil && len(r.rest()) == 1 && r.has("kind") == nil && r.has("title") == nil && r.has("key") == nil:
		it.sense = sense{"verb", "updated"}
	}
}

// obliged reads "what must Joe finish by Friday" as what is due by then, and not as what was finished.
func (r *reader) obliged() {
	if !r.marks("must") || r.has("period") == nil && r.has("measure", "when") == nil || r.has("verb", "due") != nil {
		return
	}
	for i := range r.items {
		if it := &r.items[i]; it.sort == "verb" && it.value == "resolved" || it.sort == "state" && it.value == "done" && !it.not {
			it.sense = sense{"verb", "due"}
			r.heed("must")
			return
		}
	}
}

// did reads "what did Dana do last week" as what was finished then.
func (r *reader) did() {
	asked := slices.IndexFunc(r.items, func(it item) bool { return r.tokens[it.at].text == "did" })
	if asked < 0 || r.has("person") == nil || r.has("period") == nil {
		return
	}
	for i := asked + 1; i < len(r.items); i++ {
		it := &r.items[i]
		if r.tokens[it.at].text != "do" {
			continue
		}
		finished := item{sense: sense{"state", "done"}, at: it.at, n: 1}
		if it.n == 1 {
			*it = finished
		} else { // the period has the word
			it.at, it.n = it.at+1, it.n-1
			r.items = slices.Insert(r.items, i, finished)
		}
		return
	}
}

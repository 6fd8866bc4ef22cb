package question

import (
	"slices"

	"chela/internal/desk"
)

// A wanted is the fields that a question about one record asks for, each once.
type wanted []string

func (w *wanted) add(names ...string) {
	for _, n := range names {
		if n != "" && !slices.Contains(*w, n) && len(*w) < maxFields {
			*w = append(*w, n)
		}
	}
}

// asked returns the fields that a question about one record asks for: names of fields, or what the
// kind of the record makes of "when", "who", "start", "end" and "resolved".
func (r *reader) asked() []string {
	var out wanted
	when, who, lasts := r.has("measure", "when") != nil, r.has("measure", "who") != nil, r.has("concept", "duration") != nil
	r.askedFields(&out, when || who)
	r.askedVerbs(&out, who)
	r.askedGoal(&out)
	if r.has("concept", "overdue") != nil && !when {
		out.add("status", "due")
		if it := r.has("concept", "overdue"); r.has("measure", "count") != nil && r.has("unit") != nil || r.marked("how", it.at-1) { // how many days overdue, how late
			out.add(Remaining)
		}
	}
	switch {
	case (when || lasts) && r.marks("will"): // by when it is to be
		return []string{"status", "due"}
	case r.remaining():
		return []string{"when", Remaining}
	}
	r.askedTimes(&out, when, lasts)
	if who && len(out) == 0 {
		out.add("owned")
	}
	r.askedStates(&out)
	return out
}

// askedFields adds the fields that the question names.
func (r *reader) askedFields(out *wanted, person bool) {
	for _, it := range r.all("field") {
		switch {
		case it.value == "sprint" && r.marks("before"):
			out.add("earlierSprints")
		case it.value == "coverage" || person && (it.value == "status" || it.value == "tags"):
		default:
			out.add(it.value)
		}
	}
}

// askedGoal adds the goal of a sprint, which lists call by the name of a kind.
func (r *reader) askedGoal(out *wanted) {
	for _, it := range r.all("title") {
		if r.has("kind", string(desk.Objective)) != nil && r.marks("goal") && plansSprint(*it) {
			out.add("goal")
		}
	}
}

// askedVerbs adds the fields that verbs ask for. "Has" is no owner beside another verb, nor where it is asked how long something has been.
func (r *reader) askedVerbs(out *wanted, who bool) {
	verbs := r.all("verb")
	for _, it := range verbs {
		has := r.marked("having", it.at)
		switch it.value {
		case "created":
			if r.marked("new", it.at) && r.has("measure", "when") == nil { // the new checkout
				continue
			}
			if who { // by whom
				out.add("reporter")
				if r.has("measure", "when") == nil {
					continue
				}
			}
			out.add(it.value)
		case "due", "resolved", "updated", "reported", "starts", "ends":
			out.add(it.value)
			if it.value == "reported" && who && r.has("measure", "when") != nil {
				out.add("created")
			}
		case "owned":
			if has && (len(verbs) > 1 || !who && (r.has("value") != nil || r.has("state") != nil) || !who && r.has("concept", "duration") != nil) {
				continue
			}
			if who || r.has("measure") == nil {
				out.add(it.value)
			}
		}
	}
}

// askedTimes adds the fields that "when" and "how long" ask for.
func (r *reader) askedTimes(out *wanted, when, lasts bool) {
	if (when || lasts) && r.has("state", "done") != nil {
		out.add("resolved")
	}
	if lasts {
		out.add(Duration)
	}
	if it := r.has("measure", "when"); when && r.has("state", "open") != nil && r.sinceWhen(it) {
		out.add("created", Duration)
	}
	if it := r.has("measure", "when"); when && r.sinceWhen(it) && r.has("concept", "unassigned") != nil {
		r.lost = append(r.lost, r.raw(it)) // since when a ticket is that, no record tells
	}
	r.askedStay(out, when, lasts)
	if when && len(*out) == 0 {
		out.add("when")
	}
}

// askedStay adds since when a ticket is blocked, or in another status. How long it once was, no field says.
func (r *reader) askedStay(out *wanted, when, lasts bool) {
	asks := lasts || when && r.sinceWhen(r.has("measure", "when"))
	if !asks || r.has("concept", "blocked") == nil && !r.inStatus() || r.has("state") != nil {
		return
	}
	if r.once() {
		if when {
			r.lost = append(r.lost, r.raw(r.has("measure", "when")))
		}
		return
	}
	*out = slices.DeleteFunc(*out, func(f string) bool { return f == Duration || f == "created" })
	out.add("status", Entered)
}

// sinceWhen reports whether an item asks since when something is.
func (r *reader) sinceWhen(it *item) bool {
	return slices.ContainsFunc(r.tokens[it.at:it.at+it.n], func(t token) bool { return marked(r.in, "since", t.text) })
}

// ofChecklist reports whether the question is about a checklist, by its kind or by its name.
func (r *reader) ofChecklist() bool {
	return r.has("kind", string(desk.Checklist)) != nil || slices.ContainsFunc(r.all("title"), func(it *item) bool { return fieldOf(it.hits[0].Kind, "items") != "" })
}

// inStatus reports whether the question names a status of tickets.
func (r *reader) inStatus() bool {
	return slices.ContainsFunc(r.all("value"), func(it *item) bool { return setField(desk.Ticket, it.value) == "status" })
}

// askedStates adds the fields that tell whether something is so: whether it is critical, done or blocked, and why.
func (r *reader) askedStates(out *wanted) {
	if r.has("measure", "urgent") != nil {
		out.add("priority")
	}
	for _, it := range r.all("value") {
		if f := setField(desk.Ticket, it.value); f != "status" && r.has("measure") == nil { // is it critical
			out.add(f)
		}
	}
	if r.has("measure", "why") != nil {
		out.add("why")
	}
	if r.has("measure", "describe", "say") != nil {
		out.add("description")
	}
	if r.ofChecklist() && (r.has("state") != nil || r.has("none") != nil) {
		out.add("status", "items")
	}
	if r.has("concept", "blocked") != nil && r.has("measure") == nil { // it may wait for a ticket and have another status
		out.add("status", "blockers")
	}
	if r.ofChecklist() && len(*out) == 0 && r.has("measure", "list") != nil { // what is on it
		out.add("status", "items")
	}
	several := len(r.all("key"))+len(r.all("title")) > 1
	if len(*out) == 0 && (r.has("state") != nil || r.has("value") != nil || r.has("concept", "blocked", "overdue") != nil) && (several || r.has("measure", "list", "count") == nil) {
		out.add("status")
	}
}

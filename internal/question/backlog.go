package question

import "chela/internal/desk"

// backlog reads "the backlog" as the tickets that are open and in no sprint, where it is no word of a title or of a text.
func (r *reader) backlog() {
	if r.has("topic") != nil || r.has("in") != nil || r.has("title") != nil {
		return
	}
	for i := range r.items {
		it := &r.items[i]
		if it.sort == "word" && r.marked("backlog", it.at) && (it.at == 0 || r.marked("backlog-of", it.at-1)) {
			it.sense = sense{"concept", "backlog"}
		}
	}
}

// inBacklog is the condition that records are in the backlog, what is open of them where the question says no more of it.
func (r *reader) inBacklog(kind desk.Kind, open string) string {
	name := fieldOf(kind, "sprint")
	if !lasting(kind) || name == "" {
		return ""
	}
	return name + ":none" + open
}

// reviews reads "the incident review" as a meeting that is called so, and not as a status.
func (r *reader) reviews() {
	for i := range r.items {
		it := &r.items[i]
		if i < 2 || it.sort != "value" || it.n > 1 || !r.marked("review", it.at) || it.at < 2 {
			continue
		}
		if b := &r.items[i-1]; (b.sort == "word" || b.sort == "named") && r.marked("the", b.at-1) {
			it.sense = sense{"word", r.tokens[it.at].text}
		}
	}
}

// middling reads "mittlere Durchlaufzeit" as the average, and not as a priority.
func (r *reader) middling() {
	for i := range r.items {
		it := &r.items[i]
		if it.sort == "value" && it.value == "MEDIUM" && i+1 < len(r.items) && r.items[i+1].sort == "concept" && (r.items[i+1].value == "duration" || r.items[i+1].value == "age") {
			it.sense = sense{"measure", "average"}
		}
	}
}

// wrote reads "who wrote the ticket" as who reported it; of what else was written no record tells.
func (r *reader) wrote() {
	for _, it := range r.all("verb") {
		if r.marked("wrote", it.at) && r.has("kind", string(desk.Ticket)) == nil && r.has("key") == nil && r.has("type") == nil {
			it.sense = sense{"word", r.tokens[it.at].text}
		}
	}
}

// opening reads "how many tickets did we open" as how many were created.
func (r *reader) opening() {
	for _, it := range r.all("state") {
		if it.value == "open" && it.n == 1 && r.marked("open", it.at) && it.at > 1 && r.marked("opens", it.at-1) && r.marked("past", it.at-2) {
			it.sense = sense{"verb", "created"}
		}
	}
}

// fromMeeting reads "the tasks from the retro" as what was agreed on in the minutes.
func (r *reader) fromMeeting() {
	for _, it := range r.all("kind") {
		if next := r.after(it); r.marked("outcome", it.at) && next != nil && next.sort == "word" && r.marked("session", next.at) {
			it.sense = sense{"concept", "decision"} // "the outcome of the retro"
			return
		}
		if !r.marked("task", it.at) || r.has("concept", "action") != nil {
			continue
		}
		for i := range r.items {
			w := &r.items[i]
			if w.at > it.at && w.sort == "word" && r.marked("session", w.at) && r.after(it) == w {
				it.sense = sense{"concept", "action"}
				return
			}
		}
	}
}

// deadlines reads "which epics have no deadline" as a question after due dates, and not after milestones.
func (r *reader) deadlines() {
	if r.has("type") == nil && r.has("kind", string(desk.Ticket)) == nil {
		return
	}
	for _, it := range r.all("kind") {
		if !r.marked("deadline", it.at) {
			continue
		}
		it.sense = sense{"field", "dueDate"}
		b := r.before(it)
		if b != nil && b.sort == "verb" && b.value == "due" { // "keine fällige Deadline"
			b.sort = "stop"
			b = r.before(it)
		}
		if b != nil && b.sort == "none" && b.value == "no" {
			b.sense, it.sort = sense{"concept", "nodue"}, "stop"
		}
	}
}

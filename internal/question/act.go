package question

// act returns the word by which a question asks that a record be changed, which no answer does: "close PAY-1", "create a ticket for the outage".
func (r *reader) act() string {
	from := r.begs()
	if len(r.tokens) < from+2 || r.tokens[from].quoted {
		return ""
	}
	if last := len(r.tokens) - 1; from > 0 && r.marked("act-last", last) { // "kannst du PAY-1 schließen"
		return r.tokens[last].raw
	}
	if r.marked("act", from) && (from > 0 || r.marked("acted-on", 1) || len(r.v.Key(r.tokens[1].text)) > 0) {
		return r.tokens[from].raw
	}
	return ""
}

// begs is how many words ask for something to be done, at the beginning: "please", "could you".
func (r *reader) begs() int {
	for n := min(3, len(r.tokens)); n > 0; n-- {
		if marked(r.in, "begs", phrase(r.tokens[:n])) {
			return n
		}
	}
	return 0
}

// help reports whether it is asked what can be asked.
func (r *reader) help() bool {
	return marked(r.in, "help", r.text(&item{n: len(r.tokens)}))
}

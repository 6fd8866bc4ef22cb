package question

// act returns the word by which a question asks that a record be changed, which no answer does: "close PAY-1", "create a ticket for the outage".
func (r *reader) act() string {
	first := r.tokens[0]
	if len(r.tokens) < 2 || !r.marked("act", 0) || first.quoted {
		return ""
	}
	if r.marked("acted-on", 1) || len(r.v.Key(r.tokens[1].text)) > 0 {
		return first.raw
	}
	return ""
}

// help reports whether it is asked what can be asked.
func (r *reader) help() bool {
	return marked(r.in, "help", r.text(&item{n: len(r.tokens)}))
}

package question

// pending reads the German "was steht heute an" as what is due, and "wie viele sind zu" as what is closed.
func (r *reader) pending() {
	n := len(r.items)
	if n > 2 && r.items[n-1].n == 1 && r.out.Language == "de" && r.marked("shut", r.items[n-1].at) && r.marked("asks", r.items[n-1].at-1) {
		r.items[n-1].sense = sense{"state", "done"}
		return
	}
	if n < 3 || !r.marked("pending", r.items[n-1].at) || r.items[n-1].n != 1 {
		return
	}
	for i := range r.tokens {
		if r.marked("stand", i) {
			r.items[n-1].sense = sense{"verb", "due"}
			return
		}
	}
}

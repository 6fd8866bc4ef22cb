package question

import "chela/internal/desk"

// whole returns the records that the question names by key or whole title.
func (r *reader) whole(kind desk.Kind) (out []string) {
	for i := range r.items {
		it := &r.items[i]
		if it.sort != "title" && it.sort != "key" {
			continue
		}
		for _, h := range it.hits {
			if kind == "" || h.Kind == kind {
				out, it.used = append(out, h.ID), true
			}
		}
	}
	return out[:min(len(out), maxRecords)]
}

// record returns the records that the question names, by key, whole title, or most words of one.
func (r *reader) record(kind desk.Kind) []string {
	if out := r.whole(kind); len(out) > 0 {
		return out
	}
	return r.named(kind)
}

// named returns the records of which a title fits the words that nothing else is made of. Words around
// them that have another meaning count where the title has them, too.
func (r *reader) named(kind desk.Kind) []string {
	rest := r.rest()
	if len(rest) == 0 {
		return nil
	}
	if r.has("word") == nil {
		return nil
	}
	words, from, to := r.around()
	hits := r.v.Named(words, kind)
	if len(words) == len(rest) || len(hits) == 0 || hits[0].Share < 0.999 {
		words, from, to = rest, -1, -1
		hits = r.v.Named(words, kind)
	}
	if len(hits) == 0 || hits[0].Share < 0.6 {
		return nil
	}
	var out []string
	for _, h := range hits {
		if h.Share >= hits[0].Share-0.001 {
			out = append(out, h.ID)
		}
	}
	if len(out) > 5 {
		return nil // as good as none
	}
	for i := range r.items {
		if it := &r.items[i]; it.sort == "word" || it.at >= from && it.at < to {
			it.used = true
			if it.sort != "word" {
				it.sort = "stop"
			}
		}
	}
	return out
}

// around returns the words from the first to the last one of the rest, and those beside them that are
// no articles.
func (r *reader) around() (words []string, from, to int) {
	first, last := -1, -1
	for i, it := range r.items {
		if it.sort == "word" && !it.used {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	content := func(i int) bool {
		if i < 0 || i >= len(r.items) {
			return false
		}
		switch r.items[i].sort {
		case "concept", "field", "verb", "value", "named", "word", "number", "state", "role", "unit":
			return r.items[i].sort != "field" || r.items[i].n > 0
		}
		return false
	}
	if first < 0 {
		return nil, 0, 0
	}
	for content(first - 1) {
		first--
	}
	for content(last + 1) {
		last++
	}
	from, to = r.items[first].at, r.items[last].at+r.items[last].n
	for _, it := range r.items[first : last+1] {
		if it.sort == "stop" || it.sort == "prep" || it.sort == "or" {
			continue
		}
		for _, t := range r.tokens[it.at : it.at+it.n] {
			words = append(words, t.text)
		}
	}
	return words, from, to
}

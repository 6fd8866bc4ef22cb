package question

import "slices"

// exactly is 1 for somebody who is called by just these words, else 0.
func exactly(words []string, n Name) int {
	if slices.Equal(nameWords(n.Name), words) {
		return 1
	}
	return 0
}

// namesakes are the names in a computed question by which several people go. Who is called just so is meant without a word.
func (r *reader) namesakes(p Plan) (out []Shared) {
	if p.Measure == Search || p.Measure == Origin {
		return nil
	}
	for _, it := range r.all("person") {
		words := make([]string, it.n)
		for i, t := range r.tokens[it.at : it.at+it.n] {
			words[i] = t.text
		}
		if len(it.names) < 2 || exactly(words, it.names[0]) > 0 {
			continue
		}
		s := Shared{Said: r.raw(it)}
		for _, n := range it.names {
			if !slices.Contains(s.Names, n.Name) {
				s.Names = append(s.Names, n.Name)
			}
		}
		if len(s.Names) > 1 && !slices.ContainsFunc(out, func(o Shared) bool { return o.Said == s.Said }) {
			out = append(out, s)
		}
	}
	return out
}

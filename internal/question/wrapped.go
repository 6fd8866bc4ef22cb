package question

import "strings"

// unwrap drops what people say around a question and is no part of it: "sorry to bother you, just quickly: …", "can you tell me whether …". Only words
// that the tables have for that go.
func (r *reader) unwrap(text string) {
	for {
		n := r.opener()
		for i := 1; n == 0 && i < len(r.tokens); i++ {
			if parted(text[r.tokens[i-1].end:r.tokens[i].start]) {
				if !r.chatter(i) {
					return
				}
				n = i
			}
		}
		if n == 0 {
			return
		}
		r.tokens = r.tokens[n:]
	}
}

// parted reports whether what stands between two words ends a clause.
func parted(between string) bool {
	return strings.ContainsAny(between, ",.!?:;–—\n") || strings.Contains(between, " - ")
}

// chatter reports whether the first n words are nothing but what people say before they ask, and say something: not empty words alone, which may
// belong to what follows.
func (r *reader) chatter(n int) bool {
	said := false
	for i := 0; i < n; {
		if k := r.marksFrom("chatter", i, n); k > 0 {
			said = true
			i += k
			continue
		}
		s, k := r.sense(i)
		if s.sort != "stop" || i+k > n || marked(r.in, "weighty", phrase(r.tokens[i:i+k])) || r.tokens[i].quoted {
			return false
		}
		i += k
	}
	return said
}

// opener returns how many words only say that somebody asks: "could you remind me", before "when". "Remind me to call them" asks for something else.
func (r *reader) opener() int {
	n := r.marksFrom("opener", 0, len(r.tokens)-2)
	if n == 0 {
		return 0
	}
	if s, _ := r.sense(n); s.sort == "measure" || marked(r.in, "asked-whether", r.tokens[n-1].text) {
		return n
	}
	return 0
}

// marksFrom returns how many words from a place on, which is before until, are a mark of the tables.
func (r *reader) marksFrom(mark string, at, until int) int {
	for n := min(maxPhrase+1, until-at); n > 0; n-- {
		if !r.tokens[at].quoted && marked(r.in, mark, phrase(r.tokens[at:at+n])) {
			return n
		}
	}
	return 0
}

// keyed joins the words of a key that was written with a blank, "PAY 101": some record has to have it. And "yesterday's standup" is yesterday.
func (r *reader) keyed() {
	var out []token
	for i := 0; i < len(r.tokens); i++ {
		t := r.tokens[i]
		if i+1 < len(r.tokens) && !t.quoted && strings.Trim(r.tokens[i+1].text, "0123456789") == "" {
			if key := t.text + "-" + r.tokens[i+1].text; len(r.v.Key(key)) > 0 {
				t.text, t.raw, t.end = key, t.raw+" "+r.tokens[i+1].raw, r.tokens[i+1].end
				i++
			}
		}
		if i > 0 && r.marked("daily", i) && (strings.HasSuffix(r.tokens[i-1].raw, "'s") || strings.HasSuffix(r.tokens[i-1].raw, "’s")) { // since yesterday's standup
			if s, _ := r.sense(i - 1); s.sort == "day" || s.sort == "weekday" {
				continue
			}
		}
		out = append(out, t)
	}
	r.tokens = out
}

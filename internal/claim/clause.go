package claim

import (
	"slices"
	"strings"
)

// clauses splits the sentence where another subject begins after a comma or a word that joins.
func (k *check) clauses() {
	start := 0
	cut := func(at int) {
		if at <= start {
			return
		}
		k.all = append(k.all, clause{start: start, end: at})
		start = at
	}
	for i, w := range k.words {
		joins := slices.Contains([]string{"but", "while", "whereas", "and", "aber", "während", "und"}, w.Text) && !k.isHidden(w.Start)
		mark := ""
		if i > 0 && !k.isHidden(w.Start-1) {
			mark = k.text[k.words[i-1].End:w.Start]
		}
		if w.Start > 0 && strings.ContainsAny(mark, ";,:—–(") || joins {
			at := w.Start
			if k.begins(at, strings.Contains(mark, ",")) || strings.ContainsAny(mark, ";") || slices.Contains([]string{"but", "while", "whereas", "among", "including", "namely", "darunter"}, w.Text) {
				cut(at)
			}
		}
	}
	cut(len(k.text))
	var before []subject
	for i := range k.all {
		cl := &k.all[i]
		for _, s := range k.found {
			if s.start >= cl.start && s.start < cl.end {
				cl.subjects = append(cl.subjects, s)
			}
		}
		if cl.own = len(cl.subjects) > 0; !cl.own {
			cl.subjects = before
		}
		before = cl.subjects
	}
}

// begins reports whether another subject comes next, and one was before, or it comes right after a comma.
func (k *check) begins(at int, comma bool) bool {
	was := false
	for _, s := range k.found {
		if s.start < at {
			was = true
			continue
		}
		next := 0
		for _, w := range k.words {
			if w.Start >= at && w.Start < s.start {
				next++
			}
		}
		return was && next <= 2 || comma && next == 0
	}
	return false
}

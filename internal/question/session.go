package question

import (
	"time"

	"chela/internal/desk"
)

// sessions reads "the last weekly" and "the last retro" as the latest meeting of that name, where a question asks what was decided or promised there.
func (r *reader) sessions() {
	if r.has("concept", "decision", "action", "openquestion") == nil {
		return
	}
	for i := range r.items {
		it := &r.items[i]
		last := it.sort == "period" || it.sort == "rel" && it.value == "last" || it.sort == "measure" && it.value == "newest"
		word := it.at + it.n - 1
		if it.sort != "period" { // the calendar has read "last weekly" as a week
			word++
		}
		if !last || !r.marked("session", word) {
			continue
		}
		hit, ok := r.latest(r.tokens[word].text)
		if !ok {
			r.lost = append(r.lost, r.tokens[word].raw)
			return
		}
		it.sense, it.period, it.hits = sense{"title", hit.ID}, period{}, []Hit{hit}
		if i+1 < len(r.items) && r.items[i+1].at == word {
			r.items[i+1].sense, r.items[i+1].used = sense{"stop", "x"}, true
		}
		day, _ := r.v.Days(hit.ID)
		r.out.Spelled = append(r.out.Spelled, r.tokens[word].raw+": "+hit.Title+", "+string(day))
		return
	}
}

// latest is the meeting of a name that was last.
func (r *reader) latest(name string) (hit Hit, ok bool) {
	today, on := r.now.UTC().Format(time.DateOnly), ""
	for _, h := range r.v.Named([]string{name}, desk.Thread) {
		day, _ := r.v.Days(h.ID)
		if d := string(day); h.Share > 0.99 && d != "" && d <= today && d > on {
			hit, on, ok = h, d, true
		}
	}
	return hit, ok
}

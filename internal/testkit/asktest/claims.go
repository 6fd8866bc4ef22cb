package asktest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"chela/internal/answer"
	"chela/internal/claim"
	"chela/internal/desk"
	"chela/internal/question"
)

// An Answer is a sentence as a model may say it, right or wrong in one way.
type Answer struct {
	Desk     string   `json:"desk"`
	Question string   `json:"question"` // what was asked; its table was computed
	Text     string   `json:"text"`
	Records  []string `json:"records"`         // that the sentence cites
	Way      string   `json:"way,omitempty"`   // in which it is wrong; "" when it is right
	Wrong    []string `json:"wrong,omitempty"` // what has to be marked: any of them
}

// Ways are the ways in which answers are wrong.
func Ways() []string {
	return []string{"number", "number word", "swapped", "person", "stranger", "day", "relative day", "status", "priority", "key", "citation", "negation", "quantity", "derived"}
}

// A ClaimScore is how well marks are where the wrong words are.
type ClaimScore struct {
	Answers, Wrong int
	Hits           int // wrong answers with a mark at what is wrong
	Missed         int // wrong answers without
	False          int // marks at what is right
	Detail         []string
}

// Precision is the share of the marks that are at what is wrong.
func (s ClaimScore) Precision() float64 { return float64(s.Hits) / float64(max(1, s.Hits+s.False)) }

// Recall is the share of the wrong answers that are marked where they are wrong.
func (s ClaimScore) Recall() float64 { return float64(s.Hits) / float64(max(1, s.Hits+s.Missed)) }

// Claims checks all answers and scores the marks by the way in which answers are wrong; the score of all is
// under "", that of right answers under "right".
func Claims(answers []Answer) (map[string]ClaimScore, error) {
	out := make(map[string]ClaimScore)
	snapshots := make(map[string]*answer.Snapshot)
	for _, a := range answers {
		s := snapshots[a.Desk]
		if s == nil {
			var err error
			if s, err = SnapshotOfDesk(a.Desk); err != nil {
				return nil, err
			}
			snapshots[a.Desk] = s
		}
		c, err := s.Compute(question.Read(a.Question, s, Now()).Plans[0], Now())
		if err != nil {
			return nil, fmt.Errorf("answer %q: %w", a.Question, err)
		}
		checked := claim.NewChecker(s, c.Table, c.Sentence, a.Question, Now()).Check(a.Text, a.Records)
		hit, wrongly := a.hits(checked)
		way := a.Way
		if way == "" {
			way = "right"
		}
		for _, key := range []string{"", way} {
			x := out[key]
			x.Answers++
			x.False += len(wrongly)
			if a.Way != "" {
				x.Wrong++
				if hit {
					x.Hits++
				} else {
					x.Missed++
				}
			}
			if a.Way != "" && !hit || len(wrongly) > 0 {
				x.Detail = append(x.Detail, fmt.Sprintf("%s: %s (%s)\n\twrong: %q, marked: %q", way, a.Text, a.Question, a.Wrong, checked.Marks()))
			}
			out[key] = x
		}
	}
	return out, nil
}

// hits reports whether a mark is at what is wrong, and which marks are not.
func (a Answer) hits(s claim.Sentence) (hit bool, wrongly []string) {
	for _, m := range s.Marks() {
		if slices.ContainsFunc(a.Wrong, func(w string) bool { return strings.Contains(w, m.Text) || strings.Contains(m.Text, w) }) {
			hit = true
		} else {
			wrongly = append(wrongly, m.Text)
		}
	}
	return hit, wrongly
}

// A slot is a piece of a sentence that may be said wrong.
type slot struct {
	kind, text string
	wrong      string // what it is said wrong as
	marks      string // what has to be marked, when that is not the wrong text
}

// A maker makes answers over one desk.
type maker struct {
	name string
	s    *answer.Snapshot
	r    *rand.Rand
	out  []Answer
	keys []string
}

// MadeAnswers makes answers over all desks: each right, and again wrong in one of the ways.
func MadeAnswers() ([]Answer, error) {
	var out []Answer
	for i, name := range Desks() {
		s, err := SnapshotOfDesk(name)
		if err != nil {
			return nil, err
		}
		m := &maker{name: name, s: s, r: rand.New(rand.NewPCG(uint64(i+1), 29))} //nolint:gosec // the same answers each time
		m.tickets()
		m.tables()
		out = append(out, m.out...)
	}
	return out, nil
}

// say adds the sentence, and one for one of its slots said wrong.
func (m *maker) say(q string, ids []string, parts ...any) {
	var slots []int
	text := func(wrong int) string {
		var b strings.Builder
		for i, p := range parts {
			switch p := p.(type) {
			case string:
				b.WriteString(p)
			case slot:
				if i == wrong {
					b.WriteString(p.wrong)
				} else {
					b.WriteString(p.text)
				}
			}
		}
		return b.String()
	}
	for i, p := range parts {
		if x, ok := p.(slot); ok && x.wrong != x.text {
			slots = append(slots, i)
		}
	}
	m.out = append(m.out, Answer{Desk: m.name, Question: q, Text: text(-1), Records: ids})
	if len(slots) == 0 {
		return
	}
	at := slots[m.r.IntN(len(slots))]
	x, _ := parts[at].(slot)
	mark := x.marks
	if mark == "" {
		mark = x.wrong
	}
	a := Answer{Desk: m.name, Question: q, Text: text(at), Records: ids, Way: x.kind, Wrong: []string{strings.TrimSpace(mark)}}
	if x.kind == "citation" {
		a.Records = append(slices.Clone(ids), x.wrong)
		a.Text = text(-1)
	}
	m.out = append(m.out, a)
}

// other returns a value of a list that is none of some.
func (m *maker) other(all []string, not ...string) string {
	for range 50 {
		if v := all[m.r.IntN(len(all))]; !slices.Contains(not, v) && v != "" && v != "Unassigned" {
			return v
		}
	}
	return "nothing"
}

// field is what a record says, as people read it.
func (m *maker) field(r *answer.Record, name string) string {
	for _, k := range m.s.Known(r, Now()) {
		if k.Field == name && k.Text != "" {
			return k.Text
		}
	}
	return ""
}

var numberWords = []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}

// number is a slot of a number, in digits or as a word.
func (m *maker) number(kind, text string, word bool) slot {
	var n int
	if _, err := fmt.Sscanf(text, "%d", &n); err != nil {
		return slot{kind, text, text, ""}
	}
	wrong := n + 1 + m.r.IntN(3)
	if strings.Contains(text, ".") {
		return slot{kind, text, fmt.Sprintf("%d.%d", wrong, m.r.IntN(9)), ""}
	}
	if word && n > 1 && wrong < len(numberWords) {
		return slot{"number word", numberWords[n], numberWords[wrong], ""}
	}
	return slot{kind, text, fmt.Sprint(wrong), ""}
}

// day is a slot of a day, in one of four wordings.
func (m *maker) day(text string) slot {
	t := desk.Date(text).Time()
	off := t.AddDate(0, 0, 1+m.r.IntN(9))
	form := []string{"2 January 2006", "January 2, 2006", "2006-01-02", "2 January"}[m.r.IntN(4)]
	return slot{"day", t.Format(form), off.Format(form), ""}
}

// relative is a slot of days from today: "in 3 days", "5 days ago".
func (m *maker) relative(text string) slot {
	n := int(desk.Date(text).Time().Sub(Now().Truncate(24*3600e9)).Hours() / 24)
	say := func(n int) string {
		switch {
		case n == 1:
			return "tomorrow"
		case n == -1:
			return "yesterday"
		case n > 0:
			return fmt.Sprintf("in %d days", n)
		}
		return fmt.Sprintf("%d days ago", -n)
	}
	wrong := n + 2
	if n < 0 {
		wrong = n - 2
	}
	if n == 0 {
		return slot{"relative day", "today", "in 3 days", "3 days"}
	}
	return slot{"relative day", say(n), say(wrong), strings.TrimPrefix(say(wrong), "in ")}
}

// Answers are all answers of the suite: those that are made, and those that were written by hand.
func Answers() ([]Answer, error) {
	made, err := MadeAnswers()
	if err != nil {
		return nil, err
	}
	written, err := read[[]Answer]("answers.json")
	return append(made, written...), err
}

package asktest

import (
	"fmt"
	"slices"
	"strings"

	"chela/internal/answer"
	"chela/internal/desk"
	"chela/internal/question"
)

// A Score is how many questions were answered right, and how many wrong without a word that they may be.
type Score struct {
	Questions, Right, Unmarked int
	Wrong                      []string // what is wrong, one line for each question
}

// Snapshot returns the desk of the questions as questions see it.
func Snapshot() (*answer.Snapshot, error) { return SnapshotOfDesk(Desks()[0]) }

// SnapshotOfDesk returns a desk as questions see it.
func SnapshotOfDesk(name string) (*answer.Snapshot, error) {
	records, err := Records(name)
	if err != nil {
		return nil, err
	}
	return SnapshotOf(records)
}

// SnapshotOf returns records as questions see them.
func SnapshotOf(records []desk.Record) (*answer.Snapshot, error) {
	d := answer.NewDictionary()
	names := make(map[string]string)
	things := make(map[string]desk.Thing)
	owners, ids := make(map[string][]string), make(map[string][]string)
	for _, r := range records {
		t, err := desk.Decode(r)
		if err != nil {
			return nil, fmt.Errorf("read the desk: %w", err)
		}
		things[r.ID] = t
		if p, ok := t.(*desk.ResourceBody); ok {
			names[r.ID] = p.Name
		}
	}
	for _, r := range records {
		if a, ok := things[r.ID].(*desk.AssignmentBody); ok {
			owners[a.TicketID], ids[a.TicketID] = append(owners[a.TicketID], names[a.ResourceID]), append(ids[a.TicketID], a.ResourceID)
		}
	}
	out := make([]*answer.Record, len(records))
	for i, r := range records {
		out[i] = d.NewRecord(&r, things[r.ID], owners[r.ID], ids[r.ID])
	}
	return answer.NewSnapshot(d, out, answer.Source{}), nil
}

// Run asks all questions and scores the answers by the language and by the family of the question; the
// score of all is under "".
func Run(s *answer.Snapshot, questions []Question) (map[string]Score, error) {
	out := make(map[string]Score)
	for _, q := range questions {
		reading := question.Read(q.Text, s, Now())
		a, err := s.Compute(reading.Plans[0], Now())
		if err != nil {
			return nil, fmt.Errorf("answer %q: %w", q.Text, err)
		}
		bad := q.wrong(s, a, reading)
		for _, key := range []string{"", q.Language, q.Family} {
			c := out[key]
			c.Questions++
			if bad == "" {
				c.Right++
			} else {
				if !a.Searched && len(reading.Unknown)+len(reading.Ignored) == 0 {
					c.Unmarked++
				}
				c.Wrong = append(c.Wrong, fmt.Sprintf("%s\n\tread as: %s\n\tanswer: %.300s\n\twrong: %s", q.Text, reading.Plans[0].Describe(Now()), a.Sentence, bad))
			}
			out[key] = c
		}
	}
	return out, nil
}

// wrong says what is wrong with an answer, nothing when it is right.
func (q Question) wrong(s *answer.Snapshot, a answer.Answer, r question.Reading) string {
	if q.Ignores != "" && !slices.Contains(r.Ignored, q.Ignores) {
		return fmt.Sprintf("it names %q as not taken into account, want %q", r.Ignored, q.Ignores)
	}
	if q.Unknown != "" {
		if !a.Searched {
			return "the answer does not say what is unknown"
		}
		return ""
	}
	if q.Search {
		if !a.Searched {
			return "the answer does not say that it is a search"
		}
		first := slices.Clone(a.Sources[:min(len(a.Sources), 5)])
		if missing := absent(s, q.Cites, first); missing != "" {
			return "not among the first five: " + missing
		}
		return ""
	}
	if a.Searched {
		return "a search"
	}
	if q.Nothing != a.Nothing && (q.Nothing || len(q.Cites) > 0) {
		return fmt.Sprintf("nothing fits: %v, want %v", a.Nothing, q.Nothing)
	}
	for _, say := range q.Says {
		if !says(a, say) {
			return fmt.Sprintf("it does not say %q", say)
		}
	}
	if missing := absent(s, q.Cites, a.Sources); missing != "" {
		return "it does not cite " + missing
	}
	if q.Only && a.Total != len(q.Cites) {
		return fmt.Sprintf("it cites %d records, want %d", a.Total, len(q.Cites))
	}
	return ""
}

// says reports whether the sentence or a cell has the words, or one row both sides of "a: b".
func says(a answer.Answer, say string) bool {
	if holds(a.Sentence, say) {
		return true
	}
	if a.Table == nil {
		return false
	}
	key, value, pair := strings.Cut(say, ": ")
	for _, row := range a.Table.Rows {
		if pair && len(row.Cells) > 1 && strings.EqualFold(row.Cells[0], key) && strings.EqualFold(row.Cells[1], value) {
			return true
		}
		if !pair && slices.ContainsFunc(row.Cells, func(c string) bool { return holds(c, say) }) {
			return true
		}
	}
	return false
}

// holds reports whether a text has the words, which are no part of a longer word or number.
func holds(text, words string) bool {
	text, words = strings.ToLower(text), strings.ToLower(words)
	for at := 0; ; {
		i := strings.Index(text[at:], words)
		if i < 0 {
			return false
		}
		from, to := at+i, at+i+len(words)
		inside := func(i int) bool {
			return i >= 0 && i < len(text) && (text[i] >= '0' && text[i] <= '9' || text[i] >= 'a' && text[i] <= 'z')
		}
		if !inside(from-1) && !inside(to) {
			return true
		}
		at = from + 1
	}
}

// absent names the first record, by key or title, that is not among the ids.
func absent(s *answer.Snapshot, names, ids []string) string {
	for _, name := range names {
		if !slices.ContainsFunc(ids, func(id string) bool {
			r, ok := s.Find(id)
			return ok && (r.Key == name || r.Title == name)
		}) {
			return name
		}
	}
	return ""
}

package bench

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/answer"
	"chela/internal/desk"
	"chela/internal/question"
	"chela/internal/testkit/asktest"
)

// BenchmarkAskReport reports how many questions are answered right without a model, how well wrong claims of a
// model are marked, and how long a question takes over 50,000 tickets in this process.
func BenchmarkAskReport(b *testing.B) {
	if b.N > 1 {
		b.Skip("the report is made once") // the framework asks again with larger N
	}
	fmt.Println()
	for _, suite := range []struct {
		name    string
		records func() ([]desk.Record, error)
		read    func() ([]asktest.Question, error)
	}{
		{"before", func() ([]desk.Record, error) { return asktest.Records(asktest.Desks()[0]) }, asktest.Questions},
		{"after", asktest.Planned, asktest.Later},
		{"with negations and or, around", asktest.Imported, asktest.Negated},
	} {
		records, err := suite.records()
		if err != nil {
			b.Fatal(err)
		}
		s, err := asktest.SnapshotOf(records)
		if err != nil {
			b.Fatal(err)
		}
		questions, err := suite.read()
		if err != nil {
			b.Fatal(err)
		}
		scores, err := asktest.Run(s, questions)
		if err != nil {
			b.Fatal(err)
		}
		for _, key := range []string{"", "en", "de"} {
			c := scores[key]
			what := fmt.Sprintf("ask: %d questions of %s the grammar %s", c.Questions, suite.name, key)
			line(what+": right", 100*float64(c.Right)/float64(c.Questions), "%", 0)
			line(what+": wrong, no mark", float64(c.Unmarked), "", 0)
		}
	}
	answers, err := asktest.Answers()
	if err != nil {
		b.Fatal(err)
	}
	scores, err := asktest.Claims(answers)
	if err != nil {
		b.Fatal(err)
	}
	all := scores[""]
	line(fmt.Sprintf("ask: marks in %d answers: precision", all.Answers), 100*all.Precision(), "%", 0)
	line(fmt.Sprintf("ask: marks in %d wrong answers: recall", all.Wrong), 100*all.Recall(), "%", 0)
	for _, way := range asktest.Ways() {
		line("ask: recall of wrong by "+way, 100*scores[way].Recall(), "%", 0)
	}
	overMany(b)
}

// askedOver are the questions of which the times are taken: of each measure, with typos, and searches.
var askedOver = []string{
	"How many tickets are open?", "What is overdue?", "Which tickets are blocked?", "Who has the most open tickets?", "Open tickets by priority", "How many tickets were created per month?",
	"Who has the most capacity?", "What is the oldest open ticket?", "average story points of a ticket", "Which open tickets mention the bridge?", "What does GEN-777 say?", "Make part 4711 of the wall hold status",
	"opne tikets of Person 7", "Wie viele Tickets sind offen?", "Are there duplicate tickets?", "What share of the tickets is done?", "the load gives way at the tower", "open tickets of Person 12 since March 2025",
}

// overMany takes the time of questions over 50,000 tickets; nothing is kept of one that the next could use, but
// what is kept of the records.
func overMany(b *testing.B) {
	b.Helper()
	s := many(b, 50_000)
	now := asktest.Now()
	var took []time.Duration
	slowest := make(map[string]time.Duration)
	for i := range 20 * len(askedOver) {
		q := askedOver[i%len(askedOver)]
		begin := time.Now()
		if _, err := s.Compute(question.Read(q, s, now).Plans[0], now); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(begin))
		slowest[q] = max(slowest[q], took[i])
	}
	slices.Sort(took)
	line("ask over 50,000 tickets in process: p50", ms(took[len(took)/2]), "ms", 0)
	line("ask over 50,000 tickets in process: p95", ms(took[len(took)*95/100]), "ms", 0)
	slices.SortFunc(askedOver, func(a, b string) int { return cmp.Compare(slowest[b], slowest[a]) })
	for _, q := range askedOver[:3] {
		fmt.Printf("slow: %q, at most %.1f ms\n", q, ms(slowest[q]))
	}
}

// many is a desk of n tickets and 40 people.
func many(b *testing.B, n int) *answer.Snapshot {
	b.Helper()
	records := []desk.Record{{ID: "prj_0", Kind: desk.Project, Body: json.RawMessage(`{"name":"Many"}`)}}
	add := func(id string, k desk.Kind, body string) {
		records = append(records, desk.Record{ID: id, Kind: k, Body: json.RawMessage(body), CreatedAt: asktest.Now(), UpdatedAt: asktest.Now()})
	}
	for i := range 40 {
		add(fmt.Sprintf("res_%d", i), desk.Resource, fmt.Sprintf(`{"name":"Person %d","capacity":40,"availability":1}`, i))
	}
	for i := range n {
		add(fmt.Sprintf("tkt_%d", i), desk.Ticket, fmt.Sprintf(`{"title":"Make part %d of the %s hold","externalRef":"GEN-%d","status":%q,"priority":%q,"storyPoints":%d,"externalCreated":"2025-%02d-%02d","dueDate":"2026-%02d-01","labels":["area %d"],"description":%q}`,
			i, []string{"gate", "bridge", "tower", "wall"}[i%4], i+1, []string{"TODO", "IN_PROGRESS", "DONE", "BLOCKED"}[i%4], []string{"HIGH", "MEDIUM", "LOW"}[i%3], i%8+1, i%12+1, i%28+1, i%12+1, i%30, strings.Repeat("It gives way under load. ", 8)))
		add(fmt.Sprintf("asg_%d", i), desk.Assignment, fmt.Sprintf(`{"resourceId":"res_%d","ticketId":"tkt_%d"}`, i%40, i))
	}
	s, err := asktest.SnapshotOf(records)
	if err != nil {
		b.Fatal(err)
	}
	return s
}

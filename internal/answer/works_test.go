package answer_test

import (
	"fmt"
	"strings"
	"testing"

	"chela/internal/desk"
	"chela/internal/question"
	"chela/internal/testkit/asktest"
)

// TestCompute_WorksOfManyAreBounded has one person with more tickets in work than a sentence names.
func TestCompute_WorksOfManyAreBounded(t *testing.T) {
	t.Parallel()
	records := []desk.Record{{ID: "res_1", Kind: desk.Resource, Body: []byte(`{"name":"Ann Lee"}`)}}
	for i := range 40 {
		id := fmt.Sprintf("tkt_%02d", i)
		records = append(records,
			desk.Record{ID: id, Kind: desk.Ticket, Body: fmt.Appendf(nil, `{"title":"Part %d","status":"IN_PROGRESS"}`, i)},
			desk.Record{ID: "asg_" + id, Kind: desk.Assignment, Body: fmt.Appendf(nil, `{"ticketId":%q,"resourceId":"res_1"}`, id)})
	}
	s := of(t, records)
	a, err := s.Compute(question.Read("who works on what", s, asktest.Now()).Plans[0], asktest.Now())
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(a.Sentence, "Part "); n != 5 || !strings.Contains(a.Sentence, "and 35 more") || len(a.Table.Rows) != 1 || strings.Count(a.Table.Rows[0].Cells[2], "Part ") != 5 {
		t.Errorf("got %d titles in %q, want 5 and how many more", n, a.Sentence)
	}
}

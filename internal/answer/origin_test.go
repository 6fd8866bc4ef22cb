package answer_test

import (
	"encoding/json"
	"strings"
	"testing"

	"chela/internal/desk"
	"chela/internal/question"
	"chela/internal/testkit/asktest"
)

// TestOrigin_NamesTheWords answers from where something is known with the words that its record rests on, and says when it is not known.
func TestOrigin_NamesTheWords(t *testing.T) {
	t.Parallel()
	records := []desk.Record{
		{ID: "mem_1", Kind: desk.Memory, Body: json.RawMessage(`{"scope":"PROJECT","type":"decision","content":"Attempts are stored in PostgreSQL.","confidence":0.7,"sources":[
			{"document":"Minutes of March","line":12,"quote":"Decision: attempts go to PostgreSQL.","by":"rule:decisions"},{"document":"msg_1","quote":"PostgreSQL it is.","by":"model:distiller"}]}`)},
		{ID: "mem_0", Kind: desk.Memory, Body: json.RawMessage(`{"scope":"PROJECT","content":"Attempts are stored in PostgreSQL and Redis.","validTo":"2026-02-01"}`)},
		{ID: "mem_2", Kind: desk.Memory, Body: json.RawMessage(`{"scope":"PROJECT","content":"The pager is new."}`)},
		{ID: "tkt_1", Kind: desk.Ticket, Body: json.RawMessage(`{"title":"Attempts stored in PostgreSQL are slow","status":"TODO","externalRef":"PAY-7","evidence":[{"reference":"chat.txt","snippet":"they are slow"}]}`)},
	}
	for i := range records {
		records[i].Version, records[i].CreatedAt, records[i].UpdatedAt = 1, asktest.Now(), asktest.Now()
	}
	s, err := asktest.SnapshotOf(records)
	if err != nil {
		t.Fatal(err)
	}
	for asked, want := range map[string]string{
		"Why do you know that attempts are stored in PostgreSQL?": "“Attempts are stored in PostgreSQL.” (memory, decision, 2026-03-11) rests on Minutes of March, line 12: “Decision: attempts go to PostgreSQL.”, and on 1 further source.",
		"Woher weißt du, dass der pager new ist?":                 "“The pager is new.” (memory, fact) was written on 2026-03-11 and names no source.",
		"What is the source of PAY-7?":                            "rests on chat.txt: “they are slow”.",
		"How do we know this?":                                    "Say of what",
		"Who says that the zorbing is quuxed?":                    "No record says \"zorbing quuxed\", so it is not known here.",
	} {
		r := question.Read(asked, s, asktest.Now())
		a, err := s.Compute(r.Plans[0], asktest.Now())
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(a.Sentence, want) {
			t.Errorf("%q as %+v: got %q, want %q in it", asked, r.Plans[0], a.Sentence, want)
		}
		if cited := len(a.Sources) > 0; cited == a.Nothing {
			t.Errorf("%q: cites %v, and nothing was found: %t", asked, a.Sources, a.Nothing)
		}
	}
}

package recalltest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"chela/internal/recall"
	"chela/internal/testkit/recalltest"
)

// TestOwn_ReachesWhatItDid holds what the sets that come with the tests reach, and that each part is worth its place.
func TestOwn_ReachesWhatItDid(t *testing.T) {
	t.Parallel()
	sets, err := recalltest.Own()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct{ sessions, turns float64 }{{75, 54}, {96, 95}, {90, 79}} {
		if i < 2 && (len(sets[i].Questions) < 300 || len(sets[i].Conversations) < 20) {
			t.Errorf("%s has %d questions over %d conversations, want 300 over 20", sets[i].Name, len(sets[i].Questions), len(sets[i].Conversations))
		}
		s, err := recalltest.Measure(sets[i:i+1], recall.Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		sessions, turns := s.Sessions[""], s.Turns[""]
		if got := sessions.Rate(sessions.Hit[5]); got < want.sessions {
			t.Errorf("%s: hit@5 of sessions is %.1f, want %.0f", sets[i].Name, got, want.sessions)
		}
		if got := turns.Rate(turns.Hit[5]); got < want.turns {
			t.Errorf("%s: hit@5 of turns is %.1f, want %.0f", sets[i].Name, got, want.turns)
		}
		if s.Unknown > 0 {
			t.Errorf("%s: %d ids of evidence are unknown", sets[i].Name, s.Unknown)
		}
	}
	with, err := recalltest.Measure(sets, recall.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	gains, err := recalltest.Gains(sets, with, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range gains {
		if g.Gain <= 0 || g.Used == 0 {
			t.Errorf("%s gains %.2f points over %d questions, want a gain", g.Part, g.Gain, g.Used)
		}
	}
}

func TestMade_IsTheSameEachTime(t *testing.T) {
	t.Parallel()
	var texts [2]string
	for i := range texts {
		s, err := recalltest.Made("team")
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(raw)
	}
	if texts[0] != texts[1] || strings.ContainsAny(texts[0], "{}") && strings.Contains(texts[0], "{me}") {
		t.Error("the set is another one each time, or has slots that nothing fills")
	}
	if _, err := recalltest.Decode("team", []byte(texts[0])); err != nil {
		t.Errorf("its own form is not read: %v", err)
	}
}

func TestDecode_OtherForms(t *testing.T) {
	t.Parallel()
	locomo := `[{"sample_id":"s","conversation":{"speaker_a":"A","session_2_date_time":"1:56 pm on 8 May, 2023","session_2":[{"speaker":"A","dia_id":"D2:1","text":"I paint.","blip_caption":"a lake"}],
		"session_10_date_time":"1:56 pm on 9 May, 2023","session_10":[{"speaker":"B","dia_id":"D10:1","text":"Ok"}]},"qa":[{"question":"What?","answer":5,"evidence":["D2:1; D10:1"],"category":2}]}]`
	s, err := recalltest.Decode("x", []byte(locomo))
	if err != nil || len(s.Questions) != 1 || len(s.Questions[0].Evidence) != 2 || s.Questions[0].Kind != "temporal" || s.Conversations[0].Sessions[0].ID != "D2" || s.Conversations[0].Sessions[0].Turns[0].Caption != "a lake" {
		t.Errorf("got %+v, %v", s, err)
	}
	haystack := `[{"question_id":"q","question_type":"k","question":"What?","question_date":"2023/05/30 (Tue) 23:40","haystack_session_ids":["s1"],"haystack_dates":["2023/05/20 (Sat) 02:21"],
		"haystack_sessions":[[{"role":"user","content":"hm"},{"role":"user","content":"yes","has_answer":true}]],"answer_session_ids":["s1"]}]`
	s, err = recalltest.Decode("x", []byte(haystack))
	if err != nil || len(s.Questions) != 1 || s.Questions[0].Evidence[0] != "s1#2" {
		t.Errorf("got %+v, %v", s, err)
	}
	for name, raw := range map[string]string{
		"no date":            `{"conversations":[{"id":"c","sessions":[{"id":"s","date":"soon","turns":[]}]}],"questions":[]}`,
		"no conversation":    `{"conversations":[],"questions":[{"conversation":"c","text":"?","evidence":[]}]}`,
		"unknown field":      `{"talks":[]}`,
		"ids without dates":  `[{"haystack_sessions":[[]],"haystack_session_ids":["a"]}]`,
		"a session of text":  `[{"conversation":{"session_1":"hello"}}]`,
		"half of a document": `{"conversations":`,
	} {
		if _, err := recalltest.Decode("x", []byte(raw)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzDecode_AnyBytes(f *testing.F) {
	f.Add([]byte(`{"conversations":[],"questions":[]}`))
	f.Add([]byte(`[{"conversation":{"session_1":[]},"qa":[]}]`))
	f.Add([]byte(`[{"haystack_sessions":[]}]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := recalltest.Decode("x", raw)
		if err != nil {
			return
		}
		if _, err := recalltest.Measure([]recalltest.Set{s}, recall.Options{}, nil); err != nil {
			t.Errorf("%q was read but not measured: %v", raw, err)
		}
	})
}

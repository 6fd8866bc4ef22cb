package ask_test

import (
	"strings"
	"testing"

	"chela/internal/ask"
	"chela/internal/clerk"
	"chela/internal/desk"
)

// TestReply_IsWhatRecordsSay holds what is answered in a conversation, and what is none of a question.
func TestReply_IsWhatRecordsSay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.make(desk.Resource, `{"name":"Bea Mill"}`)
	w.make(desk.Resource, `{"name":"Bea Stone"}`)
	for _, title := range []string{"Mend the gate", "Paint *the* fence | [x](y)", "Oil the `lock`"} {
		w.make(desk.Ticket, `{"title":"`+title+`","owner":"Bea Mill"}`)
	}
	asker := ask.New(clerk.NewCache(w.db.Desk), w.db.Budgets, w.db.Log, w.model, w.db.Roster)
	for text, want := range map[string][]string{
		"How many tickets are open?":                 {"5 tickets", "Read as: tickets, open, counted."},
		"Which tickets are open?":                    {"| Title |", "| Record |", `Paint \*the\* fence \| \[x\](y)`, "Oil the \\`lock\\`", "tkt_"},
		"What must Bea do?":                          {`"Bea" is read as Bea Mill; Bea Stone is called so, too.`},
		"What must Bea Mill do?":                     {"Bea Mill"},
		"Which tickets are open on Mars?":            {"No model is configured"},
		"Which tickets are open on Mars":             nil,
		"Mend the gate was fun.":                     nil,
		"can you close the gate?":                    nil,
		"Notes\n- Bea mends the gate\n- who paints?": nil,
		"":                         nil,
		strings.Repeat("x ", 5000): nil,
	} {
		r, err := asker.Reply(t.Context(), ask.Question{Project: w.project, Text: text})
		if err != nil {
			t.Fatal(err)
		}
		if len(want) == 0 && r.Text != "" {
			t.Errorf("%.40q: got %q, want nothing", text, r.Text)
		}
		for _, one := range want {
			if !strings.Contains(r.Text, one) {
				t.Errorf("%q: got %q, want %q in it", text, r.Text, one)
			}
		}
		if text == "What must Bea Mill do?" && strings.Contains(r.Text, "called so") {
			t.Errorf("got %q, and one person alone is meant", r.Text)
		}
	}
}

package test

import (
	"encoding/json"
	"strings"
	"testing"

	"chela/internal/fault"
)

// said is what a route answers, as it stands.
func said(t *testing.T, d *daemon, path string) string {
	t.Helper()
	var raw json.RawMessage
	d.must(t, "GET", path, nil, &raw)
	return string(raw)
}

// TestRecall_NotesAreTheirPersons holds that a note is found by its person alone, and that the log does not tell others
// what it says.
func TestRecall_NotesAreTheirPersons(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		d := s.running(t)
		bob, _ := d.member(t, "Bob", "admin")
		var note struct{ ID string }
		d.must(t, "POST", "/api/notes", map[string]any{"content": "My doctor is Xyzzy.", "key": "doctor"}, &note)
		type found struct {
			Items []struct{ Text, Scope string }
		}
		var mine, theirs found
		d.must(t, "GET", "/api/recall?q=doctor", nil, &mine)
		bob.must(t, "GET", "/api/recall?q=doctor", nil, &theirs)
		if len(mine.Items) != 1 || mine.Items[0].Scope != "PERSON" || len(theirs.Items) != 0 {
			t.Errorf("the person finds %v, another %v", mine, theirs)
		}
		for _, path := range []string{"/api/log?newest=true", "/api/logs", "/api/notes", "/api/search?q=Xyzzy"} {
			if raw := said(t, bob, path); strings.Contains(raw, "Xyzzy") {
				t.Errorf("%s tells another what a note says: %s", path, raw)
			}
		}
		if raw := said(t, d, "/api/log?newest=true"); !strings.Contains(raw, "Xyzzy") {
			t.Errorf("the log does not show a person their own note: %s", raw)
		}
		if err := bob.try("DELETE", "/api/notes/"+note.ID, nil, nil); fault.KindOf(err) != fault.NotFound {
			t.Errorf("another deletes a note: %v", err)
		}
		d.must(t, "DELETE", "/api/notes/"+note.ID, nil, nil)
		var none found
		if d.must(t, "GET", "/api/recall?q=doctor", nil, &none); len(none.Items) != 0 {
			t.Errorf("a deleted note is found: %v", none)
		}
	})
}

// TestRecall_AskTellsWhatIsRemembered holds that a question that no plan fits is answered from memories, by other words
// than they have.
func TestRecall_AskTellsWhatIsRemembered(t *testing.T) {
	t.Parallel()
	s := setup{data: t.TempDir()}
	d := s.running(t)
	project := newProject(t, d)
	d.must(t, "POST", "/api/memories", map[string]any{"projectId": project, "content": "We picked Stripe as our payment vendor, because of the refunds."}, nil)
	var out struct {
		Answer  string
		Sources []struct{ ID, Kind string }
	}
	d.must(t, "POST", "/api/ask", map[string]any{"projectId": project, "question": "Why was Stripe chosen?"}, &out)
	if !strings.Contains(out.Answer, "because of the refunds") || len(out.Sources) == 0 || out.Sources[0].Kind != "memory" {
		t.Errorf("got %+v, want the memory and its id", out)
	}
}

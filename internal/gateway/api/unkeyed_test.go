package api_test

import (
	"net/http"
	"strings"
	"testing"
)

// asked says something in a chat, and returns the end of its run.
func (e *edge) asked(token string, body map[string]string) string {
	e.t.Helper()
	var accepted struct {
		Run string `json:"runId"`
	}
	e.call(token, http.MethodPost, "/api/chat", body, &accepted)
	_, said, _ := e.send(token, http.MethodGet, "/api/runs/"+accepted.Run+"/stream", "")
	return said
}

// TestChat_RecordsAnswerWithoutAModel asks what Ask computes in chats and at the doors of programs, where no model can be asked: of people of all roles,
// of an agent, of a key. What is no question fails as before, and nothing is answered where it is not known of which project.
func TestChat_RecordsAnswerWithoutAModel(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	viewer, _ := e.member("Vera", "viewer")
	const none = "No model is configured"
	if said := e.asked(e.owner, map[string]string{"text": "How many tickets are open?"}); !strings.Contains(said, none) {
		t.Errorf("got %s without a project, want that no model is configured", said)
	}
	project, tickets := e.newProject("Payments")
	e.call(e.owner, http.MethodPatch, "/api/projects/"+project+"/tickets/"+tickets[1], map[string]string{"title": "Pay | [all](http://x.example)"}, nil)
	e.call(e.owner, http.MethodPost, "/api/projects/"+project+"/tickets", map[string]any{"title": "Three"}, nil)
	bound, _ := e.key(map[string]any{"name": "build", "role": "editor", "project": project})
	in := func(text string) map[string]string { return map[string]string{"text": text, "projectId": project} }
	for _, c := range []struct {
		name, token string
		body        map[string]string
		want        string
	}{
		{"an owner", e.owner, in("How many tickets are open?"), `2 of 3 tickets`},
		{"who names no project of the only one", e.owner, map[string]string{"text": "How many tickets are open?"}, `2 of 3 tickets`},
		{"a viewer", viewer, in("Which tickets are open?"), `| ` + tickets[1] + ` |`},
		{"a title that is Markdown stays words", viewer, in("Which tickets are open?"), `Pay \\| \\[all\\](http://x.example)`},
		{"an agent", e.owner, map[string]string{"text": "Which tickets are done?", "projectId": project, "agent": "agent:controller"}, "1 ticket"},
		{"two questions", e.owner, in("How many tickets are open and how many are done?"), `1 of 3 tickets`},
		{"a question that is not read whole", e.owner, in("Which tickets are open on Mars?"), none},
		{"its answer all the same", e.owner, in("Which tickets are open on Mars?"), `\"mars\"`},
		{"a key of one project", bound, in("How many tickets are open?"), `2 of 3 tickets`},
		{"what is no question", e.owner, in("Write the release notes"), none},
		{"what is to be done", e.owner, in("Can you close Three?"), none},
		{"a greeting", e.owner, in("Hello"), none},
	} {
		if said := e.asked(c.token, c.body); !strings.Contains(said, c.want) {
			t.Errorf("%s, %q: got %s, want %s", c.name, c.body["text"], said, c.want)
		}
	}
	chat := `{"model":"chela","messages":[{"role":"user","content":"How many tickets are open?"}]}`
	if code, said, _ := e.send(bound, http.MethodPost, "/v1/chat/completions", chat); code != http.StatusOK || !strings.Contains(said, "2 of 3 tickets") {
		t.Errorf("OpenAI's door: got %d %s", code, said)
	}
	a2a := `{"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"How many tickets are open?"}]}}`
	if code, said, _ := e.send(bound, http.MethodPost, "/a2a/message:send", a2a, "A2A-Version", "1.0"); code != http.StatusOK || !strings.Contains(said, "2 of 3 tickets") {
		t.Errorf("the door of A2A: got %d %s", code, said)
	}
	e.newProject("Billing")
	if said := e.asked(e.owner, map[string]string{"text": "How many tickets are open?"}); !strings.Contains(said, none) {
		t.Errorf("got %s of one of two projects, want that no model is configured", said)
	}
}

// TestChat_AWorkflowThatIsOnlyNearDoesNotAnswer: a question that the records answer begins no talk about a workflow, unless it is asked for in its own
// words.
func TestChat_AWorkflowThatIsOnlyNearDoesNotAnswer(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	project, _ := e.newProject("Payments")
	e.call(e.owner, http.MethodPost, "/api/workflows", map[string]string{"source": "slug: late\nname: Overdue tickets\nexamples: [mail everybody the tickets that are overdue]\ntriggers: [{message: true}]\nsteps: [{id: a, transform: 1}]\n"}, nil)
	e.call(e.owner, http.MethodPost, "/api/workflows/late/deploy", map[string]int{"version": 1}, nil)
	in := func(text string) map[string]string { return map[string]string{"text": text, "projectId": project} }
	if said := e.asked(e.owner, in("Which tickets are overdue?")); !strings.Contains(said, "0 of 2 tickets") && !strings.Contains(said, "0 of 1") {
		t.Errorf("got %s, want what the records answer", said)
	}
	if said := e.asked(e.owner, in("mail everybody the tickets that are overdue")); !strings.Contains(said, "I run **Overdue tickets**") {
		t.Errorf("got %s, want that the workflow begins", said)
	}
	if said := e.asked(e.owner, in("mail them the overdue tickets")); !strings.Contains(said, "Overdue tickets**") {
		t.Errorf("got %s, want what is said of the workflow", said)
	}
}

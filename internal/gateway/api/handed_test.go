package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/gateway/client"
	"chela/internal/testkit/daemontest"
)

// A handed is a daemon with a project and a ticket.
type handed struct {
	*edge
	project, ticket string
}

func newHanded(t *testing.T, script string) *handed {
	t.Helper()
	d := daemontest.Run(t, daemontest.Setup{Script: script})
	h := &handed{edge: &edge{t: t, url: d.URL, owner: d.Token}}
	var made struct {
		ID string `json:"id"`
	}
	h.call(h.owner, http.MethodPost, "/api/projects", map[string]string{"name": "Payments"}, &made)
	h.project = made.ID
	h.call(h.owner, http.MethodPost, "/api/projects/"+h.project+"/tickets", map[string]string{"title": "Login", "externalRef": "PAY-1"}, &made)
	h.ticket = made.ID
	return h
}

// comment says something about the ticket.
func (h *handed) comment(text string) {
	h.t.Helper()
	h.call(h.owner, http.MethodPost, "/api/projects/"+h.project+"/comments", map[string]string{"recordId": h.ticket, "text": text}, nil)
}

// answers waits for so many comments of the coder on the ticket, and returns them, oldest first.
func (h *handed) answers(n int) (out []string) {
	h.t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		all, err := client.New(h.url, h.owner).ListComments(h.t.Context(), h.project, client.ListCommentsQuery{RefersTo: h.ticket, Limit: 50})
		if err != nil {
			h.t.Fatal(err)
		}
		out = nil
		for _, r := range all.Items {
			if r.CreatedBy == "agent:coder" {
				out = append(out, r.Body.Text)
			}
		}
		if len(out) >= n {
			slices.Sort(out)
			return out
		}
	}
	h.t.Fatalf("on the ticket stand %q by the coder, want %d", out, n)
	return nil
}

// A worked is a run as the tests look at it.
type worked struct{ Thread, Title, State string }

func (h *handed) runs() (out []worked) {
	h.t.Helper()
	h.call(h.owner, http.MethodGet, "/api/runs?project="+h.project, nil, &out)
	return out
}

// TestComment_AnAgentIsAskedInOneConversation: what an agent is asked by comments on a ticket it is asked in one conversation, also while it works there, and its answer
// stands on the ticket.
func TestComment_AnAgentIsAskedInOneConversation(t *testing.T) {
	t.Parallel()
	h := newHanded(t, `{"otherwise":[{"agentName":"","responseFallback":"It is mended.","waitsSeconds":2}]}`)
	h.comment("@coder mend it")
	for end := time.Now().Add(20 * time.Second); len(h.runs()) == 0 && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
	}
	h.comment("@coder and mind the logs")
	if got := h.answers(1); got[0] != "It is mended." {
		t.Errorf("on the ticket stands %q", got)
	}
	h.comment("@coder is it all?")
	h.answers(2)
	threads := make(map[string]bool)
	for _, r := range h.runs() {
		threads[r.Thread] = true
		if !strings.HasPrefix(r.Title, "PAY-1: @coder ") {
			t.Errorf("a run is called %q", r.Title)
		}
	}
	if len(threads) != 1 {
		t.Errorf("three comments began the conversations %v, want one", threads)
	}
	var thread string
	for thread = range threads {
	}
	h.call(h.owner, http.MethodPost, "/api/sessions/"+thread+"/close", map[string]string{}, nil)
	h.comment("@coder go on")
	h.answers(3)
	for _, r := range h.runs() {
		threads[r.Thread] = true
	}
	if len(threads) != 2 {
		t.Errorf("a comment after the conversation was closed goes to one of %v, want another", threads)
	}
}

// TestDelegate_HandsATicketToAnAgent: it is a comment of the person's, and so begins the work; the ticket shows how it stands.
func TestDelegate_HandsATicketToAnAgent(t *testing.T) {
	t.Parallel()
	h := newHanded(t, `{"otherwise":[{"agentName":"","responseFallback":"It is mended."}]}`)
	path := "/api/projects/" + h.project + "/tickets/" + h.ticket + "/delegate"
	var stands []client.DelegatedRun
	h.call(h.owner, http.MethodGet, path, nil, &stands)
	if len(stands) != 0 {
		t.Errorf("before anybody is asked, there are %+v", stands)
	}
	var made client.Delegated
	h.call(h.owner, http.MethodPost, path, map[string]string{"agent": "@coder"}, &made)
	var said client.RecordOfCommentBody
	h.call(h.owner, http.MethodGet, "/api/projects/"+h.project+"/comments/"+made.CommentID, nil, &said)
	if said.Body.Text != "@coder Please do this ticket." || !strings.HasPrefix(said.CreatedBy, "agent:person/") {
		t.Errorf("the comment says %q by %s", said.Body.Text, said.CreatedBy)
	}
	if got := h.answers(1); got[0] != "It is mended." {
		t.Errorf("on the ticket stands %q", got)
	}
	h.call(h.owner, http.MethodGet, path, nil, &stands)
	if len(stands) != 1 || stands[0].Agent != "coder" || stands[0].State != "done" || stands[0].ThreadID != made.ThreadID {
		t.Errorf("it stands %+v, want that the coder is done, in %s", stands, made.ThreadID)
	}
	h.call(h.owner, http.MethodPost, path, map[string]string{"agent": "coder", "text": "And the logs."}, nil)
	h.answers(2)
}

// TestDelegate_Refuses holds who may hand a ticket on, to whom, and where.
func TestDelegate_Refuses(t *testing.T) {
	t.Parallel()
	h := newHanded(t, `{"otherwise":[{"agentName":"","responseFallback":"It is mended."}]}`)
	viewer, _ := h.member("Vera Lang", "viewer")
	editor, _ := h.member("pm", "editor") // is called like an agent
	var other struct {
		ID string `json:"id"`
	}
	h.call(h.owner, http.MethodPost, "/api/projects", map[string]string{"name": "Other"}, &other)
	var key struct {
		Token string `json:"token"`
	}
	h.call(h.owner, http.MethodPost, "/api/keys", map[string]any{"name": "elsewhere", "role": "editor", "project": other.ID}, &key)
	h.call(h.owner, http.MethodPatch, "/api/agents/generalist", map[string]any{"enabled": false}, nil)
	here, there := "/api/projects/"+h.project+"/tickets/", "/api/projects/"+other.ID+"/tickets/"
	for _, c := range []struct {
		name, token, path, body string
		code                    int
		says                    string
	}{
		{"a viewer", viewer, here + h.ticket, `{"agent":"coder"}`, http.StatusForbidden, "editor"},
		{"nobody", "", here + h.ticket, `{"agent":"coder"}`, http.StatusUnauthorized, ""},
		{"no such agent", editor, here + h.ticket, `{"agent":"nobody"}`, http.StatusUnprocessableEntity, "no agent nobody"},
		{"a disabled agent", editor, here + h.ticket, `{"agent":"generalist"}`, http.StatusForbidden, "disabled"},
		{"an agent called as a person is", editor, here + h.ticket, `{"agent":"pm"}`, http.StatusConflict, "same name"},
		{"no such ticket", editor, here + "tkt_none", `{"agent":"coder"}`, http.StatusNotFound, ""},
		{"another project's", editor, there + h.ticket, `{"agent":"coder"}`, http.StatusNotFound, ""},
		{"a key of another project", key.Token, here + h.ticket, `{"agent":"coder"}`, http.StatusForbidden, "one project"},
		{"a key of another project, by its own", key.Token, there + h.ticket, `{"agent":"coder"}`, http.StatusNotFound, ""},
		{"too long a text", editor, here + h.ticket, `{"agent":"coder","text":"` + strings.Repeat("x", 40<<10) + `"}`, http.StatusUnprocessableEntity, ""},
	} {
		if code, said, _ := h.send(c.token, http.MethodPost, c.path+"/delegate", c.body, "Content-Type", "application/json"); code != c.code || !strings.Contains(said, c.says) {
			t.Errorf("%s: got %d %s, want %d", c.name, code, said, c.code)
		}
	}
	if got := len(h.runs()); got != 0 {
		t.Errorf("what was refused began %d runs", got)
	}
}

// TestDelegate_QuestionsWaitForADay: nobody sits beside a run that a comment began.
func TestDelegate_QuestionsWaitForADay(t *testing.T) {
	t.Parallel()
	h := newHanded(t, `{"steps":[{"agentResponses":[{"agentName":"coder","toolCalls":[{"name":"shell_exec","args":{"command":"make it"}}]}]}],"otherwise":[{"agentName":"","responseFallback":"It is mended."}]}`)
	h.call(h.owner, http.MethodPost, "/api/projects/"+h.project+"/tickets/"+h.ticket+"/delegate", map[string]string{"agent": "coder"}, nil)
	if got := h.answers(1); !strings.HasPrefix(got[0], "I wait for an answer from ") || !strings.Contains(got[0], "coder wants to call shell_exec.") {
		t.Fatalf("on the ticket stands %q, want for whom it waits", got)
	}
	var asked []struct {
		ID, Digest string
		Until      time.Time
	}
	h.call(h.owner, http.MethodGet, "/api/approvals?status=pending", nil, &asked)
	if len(asked) != 1 || time.Until(asked[0].Until) < 23*time.Hour {
		t.Fatalf("the question is %+v, want one that waits for a day", asked)
	}
	var stands []client.DelegatedRun
	h.call(h.owner, http.MethodGet, "/api/projects/"+h.project+"/tickets/"+h.ticket+"/delegate", nil, &stands)
	if len(stands) != 1 || stands[0].State != "waiting" || stands[0].ApprovalID != asked[0].ID {
		t.Errorf("it stands %+v, want that it waits with %s", stands, asked[0].ID)
	}
	h.call(h.owner, http.MethodPost, "/api/approvals/"+asked[0].ID, map[string]string{"choice": "deny", "digest": asked[0].Digest}, nil)
	h.answers(2)
}

package api_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"chela/internal/gateway/client"
	"chela/internal/testkit/daemontest"
)

// TestMemory_ItsTimesFit: a memory or a note that has expired already, or would hold until before it holds, is refused by whatever
// door it comes, and one whose times fit is kept.
func TestMemory_ItsTimesFit(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{})
	c := client.New(d.URL, d.Token)
	var project struct{ ID string }
	if err := c.Call(t.Context(), http.MethodPost, "/api/projects", map[string]string{"name": "P"}, &project); err != nil {
		t.Fatal(err)
	}
	post := func(path string, body map[string]any) error {
		return c.Call(t.Context(), http.MethodPost, path, body, nil)
	}
	const late, turned = "It would have expired already: ", "until 2026-01-01, which lies before 2026-03-01"
	for name, x := range map[string]struct {
		times map[string]any
		want  string // "" when it is kept
	}{
		"no times":            {map[string]any{}, ""},
		"it expires later":    {map[string]any{"expiresAt": "2999-01-01"}, ""},
		"it has expired":      {map[string]any{"expiresAt": "2020-01-01"}, late + "2020-01-01"},
		"it expired a moment": {map[string]any{"expiresAt": "2020-01-01T09:00:00Z"}, late + "2020-01-01T09:00:00Z"},
		"it held for a while": {map[string]any{"validFrom": "2026-01-01", "validTo": "2026-03-01"}, ""},
		"it ends before":      {map[string]any{"validFrom": "2026-03-01", "validTo": "2026-01-01"}, turned},
	} {
		doors := map[string]map[string]any{"/api/memories": {"projectId": project.ID, "key": name, "content": "It is so."}}
		if x.times["validTo"] == nil {
			doors["/api/notes"] = map[string]any{"content": "I do so: " + name}
		}
		for path, body := range doors {
			maps.Copy(body, x.times)
			err := post(path, body)
			if x.want == "" && err != nil || x.want != "" && (err == nil || !strings.Contains(err.Error(), x.want)) {
				t.Errorf("%s by %s: %v, want %q", name, path, err, x.want)
			}
		}
	}
}

// TestMemory_IsAnAgents: a memory for an agent names it by its name or its id, and is that agent's; one for an agent that is not
// there is refused.
func TestMemory_IsAnAgents(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	for _, owner := range []string{"coder", "agent:coder"} {
		var kept struct{ Body struct{ Owner string } }
		if e.call(e.owner, http.MethodPost, "/api/memories", map[string]string{"scope": "AGENT", "owner": owner, "content": "Use tabs, " + owner}, &kept); kept.Body.Owner != "agent:coder" {
			t.Errorf("%s: got the owner %q, want agent:coder", owner, kept.Body.Owner)
		}
	}
	code, said, _ := e.send(e.owner, http.MethodPost, "/api/memories", `{"scope":"AGENT","owner":"cdoer","content":"Use tabs."}`)
	if code != http.StatusUnprocessableEntity || !strings.Contains(said, "agent:cdoer does not exist") {
		t.Errorf("got %d %s, want 422 that names the agent", code, said)
	}
}

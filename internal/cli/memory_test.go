package cli_test

import (
	"strings"
	"testing"

	"chela/internal/gateway/client"
	"chela/internal/testkit/daemontest"
)

// TestMemoryList_MarksWhatHasExpired: what has expired is marked with its day, what will is with its own, what stays has none.
func TestMemoryList_MarksWhatHasExpired(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{})
	c := client.New(d.URL, d.Token)
	var project, over struct{ ID string }
	for _, err := range []error{
		c.Call(t.Context(), "POST", "/api/projects", map[string]string{"name": "P"}, &project),
		c.Call(t.Context(), "POST", "/api/memories", map[string]string{"projectId": project.ID, "key": "over", "content": "The door code is 12.", "expiresAt": "2999-01-01"}, &over),
		c.Call(t.Context(), "POST", "/api/memories", map[string]string{"projectId": project.ID, "key": "lasting", "content": "The hall has four rooms.", "expiresAt": "2999-01-02T10:00:00Z"}, nil),
		c.Call(t.Context(), "POST", "/api/memories", map[string]string{"projectId": project.ID, "key": "good", "content": "Ann leads."}, nil),
		c.Call(t.Context(), "PATCH", "/api/projects/"+project.ID+"/memories/"+over.ID, map[string]string{"expiresAt": "2026-01-31"}, nil),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	code, out := chela(t, d, "", "memory", "list", "-p", "P")
	lines := make(map[string]string)
	for _, line := range strings.Split(out, "\n") {
		if _, rest, ok := strings.Cut(line, "  project  fact  "); ok {
			key, marked, _ := strings.Cut(rest, "  ")
			lines[key] = marked
		}
	}
	if code != 0 || len(lines) != 3 || lines["over"] != "expired 2026-01-31" || lines["lasting"] != "until 2999-01-02" || lines["good"] != "" {
		t.Errorf("%d %q in %s", code, lines, out)
	}
}

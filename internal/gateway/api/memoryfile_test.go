package api_test

import (
	"net/http"
	"strings"
	"testing"

	"chela/internal/gateway/client"
	"chela/internal/testkit/daemontest"
)

// TestMemoryFile_IsEditedAndReadBack: the difference is shown first, is made as one act, and is taken back whole.
func TestMemoryFile_IsEditedAndReadBack(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{})
	c := client.New(d.URL, d.Token)
	var project struct{ ID string }
	if err := c.Call(t.Context(), http.MethodPost, "/api/projects", map[string]string{"name": "P"}, &project); err != nil {
		t.Fatal(err)
	}
	keep := func(kind, text string) {
		t.Helper()
		if _, err := c.KeepMemory(t.Context(), client.MemoryIn{ProjectID: &project.ID, Type: &kind, Content: text}); err != nil {
			t.Fatal(err)
		}
	}
	keep("decision", "We use PostgreSQL.")
	keep("question", "Who pays?")
	files, err := c.GetMemoryFile(t.Context(), project.ID)
	if err != nil || !strings.Contains(files.Memory, "- We use PostgreSQL. [mem_") || !strings.HasPrefix(files.History, "# History of P") {
		t.Fatalf("%+v, %v", files, err)
	}
	keep("fact", "It came since.")
	text := strings.Replace(files.Memory, "We use PostgreSQL.", "We use PostgreSQL 18.", 1)
	at := strings.Index(text, "- Who pays?")
	text = text[:at] + "- Who audits?\n"
	yes := true
	shown, err := c.ReadMemoryFile(t.Context(), project.ID, client.MemoryFileBody{Text: text})
	if err != nil || len(shown.Edits) != 3 || shown.Applied {
		t.Fatalf("%+v, %v", shown, err)
	}
	if now, err := c.GetMemoryFile(t.Context(), project.ID); err != nil || !strings.Contains(now.Memory, "Who pays?") {
		t.Errorf("it was only looked at: %s, %v", now.Memory, err)
	}
	if made, err := c.ReadMemoryFile(t.Context(), project.ID, client.MemoryFileBody{Text: text, Apply: &yes}); err != nil || !made.Applied {
		t.Fatalf("%+v, %v", made, err)
	}
	now, err := c.GetMemoryFile(t.Context(), project.ID)
	if err != nil || strings.Contains(now.Memory, "Who pays?") || !strings.Contains(now.Memory, "- Who audits? [mem_") || !strings.Contains(now.Memory, "PostgreSQL 18. [mem_") || !strings.Contains(now.Memory, "It came since.") {
		t.Errorf("%s, %v", now.Memory, err)
	}
	again, err := c.ReadMemoryFile(t.Context(), project.ID, client.MemoryFileBody{Text: text, Apply: &yes})
	if err != nil || len(again.Edits) != 1 {
		t.Errorf("the older file once more: %+v, %v", again, err)
	}
	if same, err := c.GetMemoryFile(t.Context(), project.ID); err != nil || strings.Count(same.Memory, "[mem_") != 3 {
		t.Errorf("something was kept twice: %s, %v", same.Memory, err)
	}
	if err := c.Call(t.Context(), http.MethodPost, "/api/projects/"+project.ID+"/memory-file", map[string]string{"text": "# no file"}, nil); err == nil {
		t.Error("what is no such file was read")
	}
}

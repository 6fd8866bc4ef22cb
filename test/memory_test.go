package test

import (
	"slices"
	"strings"
	"testing"

	"chela/internal/fault"
)

// TestMemory keeps, recalls, replaces and forgets through the one tool: reading is allowed,
// the rest is asked about. An agent whose list is from when each was a tool may go on to do
// what it names, and no more.
func TestMemory(t *testing.T) {
	t.Parallel()
	calls := map[string][]string{
		"remember": {`memory {"operation":"store","key":"storage","content":"Files are in S3."}`},
		"change":   {`memory {"operation":"store","key":"storage","content":"Files are in the vault."}`},
		"recall":   {`memory {"operation":"recall","query":"files"}`},
		"forget":   {`memory {"operation":"delete","key":"storage"}`},
		"nothing":  {`memory {"operation":"delete","key":"storage"}`},
		"halve":    {`memory {"operation":"store","key":"storage"}`},
		"formerly": {`memory_recall {"key":"storage"}`},
	}
	databases(t, func(t *testing.T, s setup) {
		h := newHands(t, s, calls, "")
		project := newProject(t, h.d)
		step := func(said, want string, asked int) {
			t.Helper()
			h.asked = nil
			var out chatAnswer
			h.d.must(t, "POST", "/api/chat", map[string]any{"projectId": project, "agent": "distiller", "text": said, "wait": true}, &out)
			out = h.answer(out, "approve")
			if out.State != "done" || !strings.Contains(out.Reply, want) || len(h.asked) != asked {
				t.Errorf("%s: asked %d times, %s: %s", said, len(h.asked), out.State, out.Reply)
			}
		}
		step("remember", `"status":"created"`, 1)
		step("recall", "in S3", 0)
		step("change", `"status":"updated"`, 1)
		step("halve", "To store a memory, give what to keep", 0)
		step("formerly", `Call memory with the operation "recall"`, 0)

		h.d.must(t, "PATCH", "/api/agents/distiller", map[string]any{"tools": []string{"memory_recall"}}, nil)
		step("recall", "in the vault", 0)
		step("forget", "may not use memory_delete", 0)
		var tool struct {
			Agents []string `json:"agents"`
			Parts  []struct{ Name, Risk string }
		}
		h.d.must(t, "GET", "/api/tools/memory", nil, &tool)
		if !slices.Contains(tool.Agents, "distiller") || len(tool.Parts) != 3 || tool.Parts[0].Risk != "READ_ONLY" {
			t.Errorf("%+v", tool)
		}
		h.d.must(t, "PATCH", "/api/agents/distiller", map[string]any{"tools": []string{"memory_delete"}}, nil)
		step("recall", "may not use memory_recall", 0)
		step("forget", `"status":"deleted"`, 1)
		h.asked = nil
		step("nothing", "There is no memory of the scope PROJECT", 1)
		err := h.d.try("POST", "/api/policy/test", map[string]any{"agent": "distiller", "tool": "memory_delete"}, nil)
		if fault.KindOf(err) != fault.NotFound || !strings.Contains(err.Error(), "Call memory with the operation") {
			t.Error(err)
		}
		h.end()
	})
}

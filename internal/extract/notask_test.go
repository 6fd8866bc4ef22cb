package extract_test

import (
	"testing"

	"chela/internal/extract"
)

// TestReadMinutes_WhatSomebodyFindsRightIsNoTask reads what people said of something, and heads of tables as text: neither is an action,
// in a list of actions or elsewhere.
func TestReadMinutes_WhatSomebodyFindsRightIsNoTask(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"[Ann Lee] Ok to add as a new parameter", "Ann Lee OK to add it as a new parameter", "Ann: ok to merge the branch", "Ann Okay to ship it",
		"[Bob] Similar to send the form", "Bob similar to write the report", "[TODO] Assignee PR", "TODO: Owner, Status, Due", "Assignee | Status",
	} {
		for _, head := range []string{"# Notes\n\n", "# Notes\n\n## Action items\n"} {
			if m := extract.ReadMinutes(head + "- " + line + "\n"); len(m.Actions) > 0 {
				t.Errorf("%q: %+v", head+line, m.Actions)
			}
		}
	}
	for _, line := range []string{"[Ann Lee] to add it as a new parameter", "[TODO] Review the PR", "Ann to ask whether it is ok to merge", "TODO: Ann to update the status", "Similar to last time, Ann will send the form"} {
		if m := extract.ReadMinutes("# Notes\n\n## Action items\n- " + line + "\n"); len(m.Actions) != 1 {
			t.Errorf("%q: %+v, want an action", line, m.Actions)
		}
	}
}

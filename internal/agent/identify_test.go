package agent

import (
	"testing"

	"chela/internal/model"
)

// TestIdentify_EachCallHasAnIDOfItsOwn holds it for ids that a provider leaves out, says twice, or that look like ours.
func TestIdentify_EachCallHasAnIDOfItsOwn(t *testing.T) {
	t.Parallel()
	calls := []model.ToolCall{{ID: "call_0"}, {ID: "call_0"}, {}, {ID: "call_3_1"}, {}, {ID: "call_0"}}
	identify(calls, 3)
	seen := make(map[string]bool)
	for _, c := range calls {
		if c.ID == "" || seen[c.ID] {
			t.Errorf("the ids are %v", calls)
		}
		seen[c.ID] = true
	}
	if calls[0].ID != "call_0" {
		t.Errorf("the first call lost its id: %v", calls)
	}
}

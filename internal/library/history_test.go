package library_test

import (
	"testing"

	"pgregory.net/rapid"

	"chela/internal/event"
	"chela/internal/library"
)

// does again what was undone last, and that nobody's undo is of another's edit.
func TestHistory_UndoAndRedo(t *testing.T) {
	t.Parallel()
	people := []event.Party{{AgentID: "agent:person/ann"}, {AgentID: "agent:person/ben"}}
	rapid.Check(t, func(rt *rapid.T) {
		var edits []library.Edit
		undone := map[string][]int{} // what a person undid last, last
		own := map[string][]int{}
		for range rapid.IntRange(1, 25).Draw(rt, "edits") {
			by := rapid.SampledFrom(people).Draw(rt, "by")
			e := library.Edit{Party: by, Edited: library.Edited{Revision: len(edits) + 1}}
			h := library.HistoryOf(edits, by)
			stack, again := own[by.AgentID], undone[by.AgentID]
			if wantUndo := last(stack); h.Undo != wantUndo {
				rt.Fatalf("undo of %s is %d, want %d, in %+v", by.AgentID, h.Undo, wantUndo, edits)
			}
			if (h.Redo != 0) != (len(again) > 0) || h.Redo != 0 && edits[h.Redo-1].Undoes != last(again) {
				rt.Fatalf("redo of %s is %d, want one of %d, in %+v", by.AgentID, h.Redo, last(again), edits)
			}
			switch what := rapid.IntRange(0, 2).Draw(rt, "what"); {
			case what == 1 && h.Undo != 0:
				e.Undoes, own[by.AgentID], undone[by.AgentID] = h.Undo, stack[:len(stack)-1], append(again, h.Undo)
			case what == 2 && h.Redo != 0:
				e.Undoes, own[by.AgentID], undone[by.AgentID] = h.Redo, append(stack, last(again)), again[:len(again)-1]
			default:
				own[by.AgentID], undone[by.AgentID] = append(stack, e.Revision), nil
			}
			edits = append(edits, e)
		}
	})
}

func last(list []int) int {
	if len(list) == 0 {
		return 0
	}
	return list[len(list)-1]
}

package storetest

import (
	"strings"
	"testing"

	"chela/internal/artifact"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/tool"
)

// artifacts holds that each artifact that events name is asked for once, and that the one that is gone is told at the first event that
// names it. The chain verifies all the same.
func artifacts(t *testing.T, open Opener) {
	db, _ := open(t)
	seed(t, db)
	at := place(event.ThreadStream("thr_1"))
	ref := func(digit string) string { return "artifact:" + strings.Repeat(digit, 64) }
	var first string
	for _, rest := range []string{ref("a"), ref("b"), ref("b"), ""} {
		out, err := db.Log.Append(t.Context(), tool.ResultKind.Draft(at, tool.ResultPayload{Tool: "read", Success: true, Result: ref("c"), Rest: rest}))
		check(t, err)
		if rest == ref("b") && first == "" {
			first = out[0].Message.ID
		}
	}
	asked := 0
	r, err := db.Audit.VerifyWith(t.Context(), func(r artifact.Ref) ([]byte, error) {
		if asked++; r == artifact.Ref(ref("a")) {
			return []byte{}, nil
		}
		return nil, fault.New(fault.NotFound, "%s is gone.", r)
	})
	check(t, err)
	if !r.OK() || r.Artifacts != 2 || asked != 2 || len(r.Missing) != 1 || r.Missing[0].ID != first || r.Missing[0].Text != ref("b")+" is gone." {
		t.Errorf("%d asked, %+v", asked, r)
	}
}

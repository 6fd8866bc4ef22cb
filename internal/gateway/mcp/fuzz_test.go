package mcp_test

import (
	"encoding/json"
	"testing"

	"chela/internal/disk"
	"chela/internal/gateway/mcp"
	"chela/internal/tool"
)

// FuzzApart takes the project out of arguments: what is left has all other arguments, and what cannot be read
// comes to the tool as it is.
func FuzzApart(f *testing.F) {
	for _, seed := range []string{`{}`, `{"projectId":"prj_1","title":"A"}`, `{"projectId":7}`, `{"projectId":null}`, `[]`, `null`, `{"a":`, ``} {
		f.Add([]byte(seed))
	}
	plain := tool.StandIn(tool.Spec{Name: "plain"}, json.RawMessage(`{"type":"object","properties":{"title":{"type":"string"}}}`), func(json.RawMessage, disk.Folders) (tool.Act, error) { return tool.Act{}, nil }, nil)
	f.Fuzz(func(t *testing.T, raw []byte) {
		args, project := mcp.Apart(plain, raw)
		if project == "" && string(args) != string(raw) && json.Valid(raw) {
			var before, after map[string]any
			if json.Unmarshal(raw, &before) != nil || json.Unmarshal(args, &after) != nil || len(after) != len(before)-1 {
				t.Errorf("%q became %q", raw, args)
			}
		}
		var left map[string]json.RawMessage
		if project != "" && (json.Unmarshal(args, &left) != nil || left["projectId"] != nil) {
			t.Errorf("%q became %q, which names the project still", raw, args)
		}
		if out := mcp.WithProject(raw); json.Valid(raw) && !json.Valid(out) {
			t.Errorf("the schema %q became %q", raw, out)
		}
		var object map[string]json.RawMessage
		if out := mcp.AnObject(raw); json.Unmarshal(raw, &object) == nil && object != nil && (json.Unmarshal(out, &object) != nil || object["type"] == nil) {
			t.Errorf("the schema %q became %q, which does not say that it is an object", raw, out)
		}
	})
}

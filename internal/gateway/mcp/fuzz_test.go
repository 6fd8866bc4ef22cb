package mcp_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
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

// FuzzReadAnswer reads answers to what a task asks: what is read says what its user did.
func FuzzReadAnswer(f *testing.F) {
	for _, seed := range []string{`{"action":"accept","content":{"decision":"approve"}}`, `{"action":"cancel"}`, `{"ignored":true}`, `{"action":7}`, `[]`, `null`, `{"action":`, ``} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := mcp.ReadAnswer(raw)
		if (err == nil) == (got == nil) {
			t.Fatalf("%q gave %+v and %v", raw, got, err)
		}
		if got != nil && !slices.Contains([]string{"accept", "decline", "cancel"}, got.Action) {
			t.Errorf("%q was read as %+v", raw, got)
		}
	})
}

// FuzzRefused reads requests before the SDK does: their bodies are left whole, and only one that names another task, or wants to
// hear of tasks without knowing them, is refused.
func FuzzRefused(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"run_1"}}`, `{"method":"tasks/get","params":{"taskId":7}}`, `{"id":{"a":`, `[]`, `null`, ``,
		`{"id":"a","params":{"notifications":{"taskIds":["run_1"]},"_meta":{"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}}}`, `{"params":{"notifications":{"taskIds":[1]}}}`,
	} {
		f.Add([]byte(seed), "run_1")
	}
	f.Fuzz(func(t *testing.T, raw []byte, name string) {
		for _, method := range []string{"tasks/get", "subscriptions/listen"} {
			r := httptest.NewRequest(http.MethodPost, "/mcp", bytes.NewReader(raw))
			r.Header.Set("Mcp-Method", method)
			r.Header.Set("Mcp-Name", name)
			w := httptest.NewRecorder()
			var in struct {
				Params struct {
					TaskID        string
					Notifications struct{ TaskIDs []json.RawMessage }
				}
			}
			refused, err := mcp.Refused(w, r), json.Unmarshal(raw, &in)
			if refused && (w.Code != http.StatusBadRequest || !json.Valid(w.Body.Bytes())) {
				t.Errorf("%s of %q was refused with %d %s", method, raw, w.Code, w.Body)
			}
			if refused && err == nil && (method == "tasks/get" && in.Params.TaskID == name || method != "tasks/get" && len(in.Params.Notifications.TaskIDs) == 0) {
				t.Errorf("%s of %q by %q was refused", method, raw, name)
			}
			if left, err := io.ReadAll(r.Body); err != nil || !bytes.Equal(left, raw) {
				t.Errorf("of %q is left %q, %v", raw, left, err)
			}
		}
	})
}

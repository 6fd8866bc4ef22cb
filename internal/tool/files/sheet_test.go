package files_test

import (
	"encoding/json"
	"strings"
	"testing"

	"chela/internal/fault"
	"chela/internal/tool"
)

func TestSheets(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.write("repo/plan.csv", "a,b\n1,2\n")
	for _, c := range []struct {
		args map[string]any
		want string
		kind fault.Kind
	}{
		{map[string]any{"operation": "write", "file_path": "x/plan.xlsx", "sheet_name": "Plan", "data": [][]any{{"Name", "Points"}, {"=cmd()", 3.5}}}, `"rowCount":2`, 0},
		{map[string]any{"operation": "write", "file_path": "x/plan.xlsx", "range": "B3", "data": [][]string{{"8"}}}, `"sheet":"Plan"`, 0},
		{map[string]any{"operation": "write", "file_path": "x/plan.xlsx", "sheet_name": "More", "data": [][]string{{"x"}, {"y"}}}, `"sheet":"More"`, 0},
		{map[string]any{"operation": "list_sheets", "file_path": "x/plan.xlsx"}, `"sheets":[{"name":"Plan","rowCount":3,"index":0},{"name":"More","rowCount":2,"index":1}]`, 0},
		{map[string]any{"operation": "read", "file_path": "x/plan.xlsx"}, `"data":[["Name","Points"],["=cmd()","3.5"],["","8"]]`, 0},
		{map[string]any{"operation": "read", "file_path": "x/plan.xlsx", "range": "$B$2:B3"}, `"data":[["3.5"],["8"]]`, 0},
		{map[string]any{"operation": "read", "file_path": "x/plan.xlsx", "max_rows": 1}, `first 1 of 3 rows`, 0},
		{map[string]any{"operation": "read", "file_path": "plan.csv"}, `"data":[["a","b"],["1","2"]]`, 0},
		{map[string]any{"operation": "read", "file_path": "x/plan.xlsx", "sheet_name": "None"}, "There is no such sheet", fault.Invalid},
		{map[string]any{"operation": "read", "file_path": "x/plan.xlsx", "range": "9Z"}, "is no range", fault.Invalid},
		{map[string]any{"operation": "write", "file_path": "x/plan.xlsx", "data": [][]any{{map[string]int{"a": 1}}}}, "do not fit", fault.Invalid},
		{map[string]any{"operation": "write", "file_path": "main.go", "data": [][]string{{"x"}}}, "Only .xlsx", fault.Invalid},
		{map[string]any{"operation": "write", "file_path": "x/plan.xlsx", "range": "no", "data": [][]string{{"x"}}}, "is no cell", fault.Invalid},
		{map[string]any{"operation": "write", "file_path": "../plan.xlsx", "data": [][]string{{"x"}}}, "outside", fault.Denied},
		{map[string]any{"operation": "drop", "file_path": "x/plan.xlsx"}, "do not fit", fault.Invalid},
	} {
		got, err := d.call("excel", c.args)
		if err != nil {
			got = fault.TextOf(err)
		}
		if !strings.Contains(got, c.want) || (err != nil) != (c.kind != 0) || err != nil && fault.KindOf(err) != c.kind {
			t.Errorf("%v: %s %v, want %s", c.args, got, err, c.want)
		}
	}
}

// TestSheet_TheRiskOfASheetFollowsItsArguments: reading is not asked about, writing is.
func TestSheet_TheRiskOfASheetFollowsItsArguments(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	excel, _ := d.set.Find("excel")
	for args, want := range map[string]tool.Risk{
		`{"operation":"read","file_path":"a.xlsx"}`: tool.ReadOnly, `{"operation":"list_sheets","file_path":"a.xlsx"}`: tool.ReadOnly,
		`{"operation":"write","file_path":"a.xlsx","data":[["x"]]}`: tool.WriteFiles,
	} {
		act, err := excel.Amounts(json.RawMessage(args), d.f)
		if err != nil || act.Risk != want || act.Paths[0].Write != (want == tool.WriteFiles) {
			t.Errorf("%s: %+v %v", args, act, err)
		}
	}
	raw := json.RawMessage(`{"operation":"write","file_path":"new.xlsx","range":"A1","data":[["x","y"]]}`)
	if diff, err := excel.Preview(t.Context(), tool.Call{Args: raw, Folders: d.f}); err != nil || !strings.Contains(diff, "+x\ty") || d.read("repo/new.xlsx") != "!new.xlsx" {
		t.Errorf("%q %v", diff, err)
	}
}

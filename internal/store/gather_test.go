package store

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// TestGather_KeepsWhatDependsOnWhatInOrder puts statements together and plays both against tables in memory: what each
// table holds in the end, and what each statement that looks saw, is the same.
func TestGather_KeepsWhatDependsOnWhatInOrder(t *testing.T) {
	t.Parallel()
	const (
		record = "INSERT INTO desk_records (id, kind) VALUES (?,'ticket',?)"
		change = "INSERT INTO desk_changes (record, version, seq) VALUES (?,?)"
		copies = "INSERT INTO desk_values (list) SELECT seq FROM desk_records WHERE id = ?"
		value  = "INSERT INTO desk_values (list) VALUES (?)"
		gone   = "DELETE FROM desk_changes WHERE record = ?"
		kept   = "INSERT INTO desk_counts (n) VALUES (?) ON CONFLICT (n) DO NOTHING"
	)
	var in []Statement
	for i := range 200 {
		in = append(in, Statement{record, []any{i, "a"}}, Statement{change, []any{i, 1}}, Statement{value, []any{i}}, Statement{kept, []any{i}})
		if i%50 == 7 {
			in = append(in, Statement{copies, []any{i}}, Statement{gone, []any{i}})
		}
	}
	out := gather(in)
	if len(out) > len(in)/2 {
		t.Errorf("%d statements became %d, want at most half", len(in), len(out))
	}
	if was, is := played(in), played(out); !reflect.DeepEqual(was, is) {
		t.Errorf("the tables hold %v\nwant %v", is, was)
	}
	few := in[:fewGathered-1]
	if got := gather(few); !reflect.DeepEqual(got, few) {
		t.Error("few statements were changed, want them as they are")
	}
}

// played tells what is done to each table, in order, and what was there of the tables that are looked at.
func played(in []Statement) map[string][]string {
	out := make(map[string][]string)
	for _, s := range in {
		words := strings.Fields(s.SQL)
		table := words[2]
		rows := 1
		if p := parsePlain(s.SQL); strings.HasPrefix(s.SQL, "INSERT") && p.table == "" && strings.Contains(s.SQL, "),(") {
			rows = strings.Count(s.SQL, "),(") + 1
		}
		per := len(s.Args) / rows
		for i := range rows {
			note := fmt.Sprint(s.Args[i*per : (i+1)*per])
			if strings.Contains(s.SQL, "SELECT") {
				note += fmt.Sprint(" of ", len(out["desk_records"]))
			}
			out[table] = append(out[table], note)
		}
	}
	return out
}

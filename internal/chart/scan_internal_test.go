package chart

import (
	"encoding/json"
	"reflect"
	"testing"
)

// FuzzChangeOf holds that a change that is cut into its members says what decoding it says.
func FuzzChangeOf(f *testing.F) {
	for _, s := range []string{
		`{"id":"tkt_1","kind":"ticket","op":"created","set":{"title":"A \"part\"","description":"{\"status\":\"DONE\"}","status":"TODO","storyPoints":3.5,"labels":["a","}"],"objectiveIds":["obj_1"],"dueDate":null}}`,
		` { "set" : { } , "id" : "x" , "kind" : "ticket" , "op":"deleted" } `, `{"id":"x","set":{"Status":"DONE","status":"TODO"}}`, `{"id":"x","set":null}`, `{"id":null,"set":{"name":"\u00e4"}}`,
		`{"set":{"status":"A"},"set":{"name":"B"}}`, `{"id":"\ud800","set":{"sprint":"S 1","sprint":"S 2"}}`, `{"id":"ä","\u0069d":"y"}`, `{}`, `[]`, `{"id":1}`, `{"set":[1]}`, `{"ſet":{"status":"A"}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		if !json.Valid(payload) {
			_, _ = changeOf(payload) // it ends
			return
		}
		var want change
		wrong := json.Unmarshal(payload, &want)
		got, err := changeOf(payload)
		if (err != nil) != (wrong != nil) || err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v %v, want %+v %v", payload, got, err, want, wrong)
		}
	})
}

// TestChangeOf_CutsWhatTheLogHas: what is plain is not decoded.
func TestChangeOf_CutsWhatTheLogHas(t *testing.T) {
	t.Parallel()
	var c change
	if !c.cut([]byte(`{"id":"tkt_1","kind":"ticket","op":"created","set":{"title":"A \"part\"","status":"TODO","dueDate":null}}`)) || string(c.Set.Status) != `"TODO"` || string(c.Set.Due) != "null" || c.Kind != "ticket" {
		t.Errorf("it is cut into %+v", c)
	}
}

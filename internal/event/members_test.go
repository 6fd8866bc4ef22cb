package event_test

import (
	"encoding/json"
	"testing"

	"chela/internal/event"
)

// FuzzMembers holds that the members of what is canonical are those that the decoder of all JSON finds.
func FuzzMembers(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":1}`, `{"a":"x\"},{\\","b":[1,{"c":"]"}],"d":{"e":{}}}`, `{"\"":"","é\n":null}`, `[]`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{,}`, `"`, `{"a":[}`, `{"a":"}`, `{"a\`, `{"a":1,"a":2}`, `{"a":1 }`, `{ "a":1}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, ok := event.Members(raw)
		canonical, err := event.Canonical(raw)
		if err != nil || string(canonical) != string(raw) {
			return // it did not panic
		}
		var want map[string]json.RawMessage
		if json.Unmarshal(raw, &want) != nil || want == nil {
			want = nil
		}
		if ok != (want != nil) || len(got) != len(want) {
			t.Fatalf("%s has the members %v, %v, want %v", raw, got, ok, want)
		}
		for k, v := range want {
			if string(got[k]) != string(v) {
				t.Errorf("the member %q of %s is %s, want %s", k, raw, got[k], v)
			}
		}
	})
}

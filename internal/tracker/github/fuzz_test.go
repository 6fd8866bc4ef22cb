package github

import (
	"encoding/json"
	"testing"
)

// FuzzRead holds that whatever a server answers is read or refused, and that what is read can be kept.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`[{"number":1,"iid":1,"updated_at":"2026-01-01T00:00:00Z","title":null,"labels":"x"}]`))
	f.Add([]byte(`{"message":"Not Found"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, n, err := read(raw)
		if err != nil {
			return
		}
		if len(p.Issues) > n {
			t.Errorf("%d issues of %d", len(p.Issues), n)
		}
		for _, i := range p.Issues {
			if i.Key == "" || !json.Valid(i.Record) {
				t.Errorf("the issue %q is kept as %s", i.Key, i.Record)
			}
		}
	})
}

package desk_test

import (
	"encoding/json"
	"testing"

	"chela/internal/desk"
)

func TestShown_HasNoHashesOfImports(t *testing.T) {
	t.Parallel()
	before := desk.Record{ID: "tkt_1", Kind: desk.Ticket, Version: 1, Body: json.RawMessage(`{"imported":{"title":"0a1b2c"},"priority":"LOW","status":"TODO","title":"the \"imported\" word"}`)}
	got, err := desk.Shown(before)
	if want := `{"priority":"LOW","status":"TODO","title":"the \"imported\" word"}`; err != nil || string(got.Body) != want {
		t.Errorf("got %s, %v, want %s", got.Body, err, want)
	}
	after := before
	after.Version, after.Body = 2, json.RawMessage(`{"imported":{"title":"ffffff"},"priority":"LOW","status":"TODO","title":"the \"imported\" word"}`)
	if d, changed, err := desk.DiffOf(before, after); err != nil || changed || len(d.Fields) > 0 {
		t.Errorf("got %v %v, %v, want no difference that is shown", changed, d.Fields, err)
	}
}

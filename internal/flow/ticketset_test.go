package flow

import (
	"encoding/json"
	"reflect"
	"testing"
)

// What is cut out of a body is what the decoder of all JSON finds in it.
func FuzzTicketSet(f *testing.F) {
	for _, body := range []string{
		`{}`, `{"title":"A","description":"B, \"title\":\"C\"","storyPoints":3,"earlierSprints":["S1","S2"],"sprint":null}`,
		`{"Title":"A"}`, `{"title":"A","TITLE":"B"}`, `{"title":"A","title":"B"}`, `{"\u0074itle":"A"}`, `{"ſprint":"A"}`, `{"status":{"title":"A"}}`, `{"title":`, `[]`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var cut, want ticketSet
		if !json.Valid(body) || json.Unmarshal(body, &want) != nil || !cut.cut(body) {
			return
		}
		if !reflect.DeepEqual(cut, want) {
			t.Fatalf("%s is cut into %s, want %s", body, cut, want)
		}
	})
}

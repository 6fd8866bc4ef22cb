package session_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"chela/internal/session"
)

// FuzzDecodeSaid holds that what was said is read as JSON reads it, whether its words were cut out or not.
func FuzzDecodeSaid(f *testing.F) {
	for _, raw := range []string{
		`{"message":"Hello"}`, `{"message":"Grüße, 世界 \u2028 <b>"}`, `{"message":"a \"quote\" and a \\ and \n"}`, `{"message":""}`, `{"message":"a","key":"k"}`,
		`{"message":"a","message":"b"}`, `{"command":true,"message":"/help"}`, "{\"message\":\"\xff\"}", "{\"message\":\"a\nb\"}", `{"message":"`, `{"message":"}`, `{"message":"a"}}`, `null`, ``, `{"message":7}`,
	} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		var want session.Said
		wantErr := json.Unmarshal([]byte(raw), &want)
		got, err := session.DecodeSaid(raw)
		if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %+v, %v; want %+v, %v", raw, got, err, want, wantErr)
		}
	})
}

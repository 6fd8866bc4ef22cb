package api

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzLarge holds what is decoded in place against what encoding/json makes of the same.
func FuzzLarge(f *testing.F) {
	for _, s := range []string{
		`{"content":"a\n\u00e9\ud83d\ude00\/\\\"","files":[{"name":"x","data":"aGVsbG8="},{"name":"\u0079","data":"aGVs\nbG8="}]}`,
		`{"content":"\ud800\u0041\udc00"}`, `{"content":null,"files":[{"name":"a","data":null}]}`, `{"content":5}`, `{"files":[{"name":"a","data":"*"}]}`,
		"{\"content\":\"\xff\\n\",\"files\":[{\"name\":\"b\",\"data\":\"QQ==\\u003d\"}]}", `{"content":"\ud83d\ud83d\ude00"}`, `{"files":[{"data":"Q\/8="}]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var want struct {
			Content string `json:"content"`
			Files   []struct {
				Name string `json:"name"`
				Data []byte `json:"data"`
			} `json:"files"`
		}
		var got struct {
			Content LargeText `json:"content"`
			Files   []struct {
				Name string    `json:"name"`
				Data LargeFile `json:"data"`
			} `json:"files"`
		}
		wanted, err := json.Unmarshal(raw, &want), json.Unmarshal(bytes.Clone(raw), &got)
		if (err == nil) != (wanted == nil) {
			t.Fatalf("%q: %v, want %v", raw, err, wanted)
		}
		if err != nil {
			return
		}
		if string(got.Content) != want.Content || len(got.Files) != len(want.Files) {
			t.Fatalf("%q is %q and %d files, want %q and %d", raw, got.Content, len(got.Files), want.Content, len(want.Files))
		}
		for i, w := range want.Files {
			if g := got.Files[i]; g.Name != w.Name || !bytes.Equal(g.Data, w.Data) {
				t.Errorf("%q: file %d is %+v, want %+v", raw, i, g, w)
			}
		}
	})
}

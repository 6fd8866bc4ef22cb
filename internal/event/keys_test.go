package event_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"chela/internal/event"
	"chela/internal/fault"
)

func TestCheckKeys_NamesTheKey(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, field, says string }{
		"a key twice":                  {`{"text":"a","text":"b"}`, "text", "there twice"},
		"a key twice, once escaped":    {`{"text":"a","\u0074ext":"b"}`, "text", "there twice"},
		"a key twice in raw JSON":      {`{"raw":{"a":{"b":1,"b":2}}}`, "raw.a.b", "there twice"},
		"a key twice in what is free":  {`{"free":[{"b":[],"b":{}}]}`, "free.b", "there twice"},
		"a key twice in a list":        {`{"list":[{"name":"a"},{"name":"b","name":"c"}]}`, "list.name", "there twice"},
		"a key in another case":        {`{"Text":"x"}`, "Text", "is spelt text"},
		"another case behind a string": {`{"text":"}\"{,","LIST":[]}`, "LIST", "is spelt list"},
		"an unknown key":               {`{"other":1}`, "other", "not known"},
		"an unknown key in a map":      {`{"map":{"k":{"other":1}}}`, "map.k.other", "not known"},
		"a NUL character":              {`{"free":[{"b":"a\\\u0000"}]}`, "free.b", "NUL character"},
		"a NUL character in a key":     {`{"free":{"b\u0000":1}}`, "free", "NUL character"},
		"too deep":                     {`{"free":` + strings.Repeat("[", 65) + strings.Repeat("]", 65) + `}`, "free", "nested too deeply"},
		"more after the end":           {`{"text":"a"} {}`, "", "cannot be read at byte 14"},
		"nothing":                      {``, "", "cannot be read at byte 0"},
		"half an object":               {`{"text":`, "", "cannot be read at byte 8"},
	} {
		err := event.CheckKeys([]byte(c.in), reflect.TypeFor[shape]())
		f, ok := errors.AsType[*fault.Error](err)
		if !ok || f.Kind != fault.Invalid || !strings.Contains(f.Text, c.says) || len(f.Fields) > 0 != (c.field != "") || c.field != "" && f.Fields[0].Name != c.field {
			t.Errorf("%s: %v, want the field %q and %q", name, err, c.field, c.says)
		}
	}
	for _, in := range []string{`null`, ` {"free" : {"a":1, "A":[true ,null, "\\u0000"]} , "labels":{"Text":"1","text":"2"}, "whole":"no number"} `, `[]`, `{}`} {
		if err := event.CheckKeys([]byte(in), reflect.TypeFor[shape]()); err != nil {
			t.Errorf("%s: %v, want nothing", in, err)
		}
	}
}

func TestCheckRead_LeavesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	for in, says := range map[string]string{
		`{"text":"a","other":{"Text":1},"list":[{"name":"a","more":1}]}`: "",
		`null`:                               "",
		`{"Text":"a"}`:                       "is spelt text",
		`{"list":[{"name":"a","NAME":"b"}]}`: "is spelt name",
		`{"other":{"a":1,"a":2}}`:            "there twice",
		`{`:                                  "cannot be read",
	} {
		if err := event.CheckRead([]byte(in), reflect.TypeFor[shape]()); (err != nil) != (says != "") || err != nil && !strings.Contains(fault.TextOf(err), says) {
			t.Errorf("%s: %v, want %q", in, err, says)
		}
	}
}

// FuzzCheckKeys holds the walk against DecodeStrict: what one refuses for its keys the other
// does, and what the walk lets through encoding/json can read.
func FuzzCheckKeys(f *testing.F) {
	for _, s := range []string{
		`{"text":"a","whole":1,"list":[{"name":"x"}],"map":{"k":{"size":2}},"raw":[{"a":1}],"free":null}`,
		`{"text":"a","Text":"b"}`, `{"a":[}`, `[[[`, `{"free":{"x":1,"x":2}}`, "{\"text\":\"\xff\"}", `{"text":"\\\"","text":1}`, ` 1 `, `{"\ud800":1}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var got shape
		err, strict := event.CheckKeys(raw, reflect.TypeFor[shape]()), event.DecodeStrict(raw, &got)
		if err == nil && !json.Valid(raw) {
			t.Fatalf("%q is no JSON and is let through", raw)
		}
		if err != nil && strict == nil {
			t.Fatalf("%q is refused: %v; DecodeStrict takes it", raw, err)
		}
		if err == nil && strict != nil && (strings.Contains(strict.Error(), "there twice") || strings.Contains(strict.Error(), "not known") || strings.Contains(strict.Error(), "is spelt")) {
			t.Fatalf("%q is let through; DecodeStrict says %v", raw, strict)
		}
	})
}

package event_test

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
)

// A shape has a field of every sort that the walk beside the tokens tells apart.
type shape struct {
	Text    string            `json:"text"`
	Whole   int               `json:"whole"`
	Number  float64           `json:"number"`
	Truth   bool              `json:"truth"`
	Maybe   *float64          `json:"maybe,omitempty"`
	When    time.Time         `json:"when"`
	Due     *time.Time        `json:"due,omitempty"`
	List    []part            `json:"list"`
	Texts   []string          `json:"texts"`
	Map     map[string]part   `json:"map"`
	Labels  map[string]string `json:"labels"`
	Raw     json.RawMessage   `json:"raw"`
	Free    any               `json:"free"`
	Inner   part              `json:"inner"`
	Hidden  string            `json:"-"`
	Unnamed string
	embedded
	private string //nolint:unused // the decoder must not find it
}

type part struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
}

type embedded struct {
	Deep string `json:"deep"`
}

func TestStrict_DecodeStrictReads(t *testing.T) {
	t.Parallel()
	raw := `{"text":"é","whole":-3,"number":2.5e1,"truth":true,"maybe":0,"when":"2026-03-01T10:00:00+01:00","due":null,
		"list":[{"name":"a","size":1},null],"texts":["x"],"map":{"k":{"name":"b"}},"labels":{"Text":"1","text":"2"},
		"raw":{"Any":[1],"any":2},"free":{"x":[{}]},"inner":{"name":"c"},"Unnamed":"u","deep":"d"}`
	var got shape
	if err := event.DecodeStrict([]byte(raw), &got); err != nil {
		t.Fatal(err)
	}
	var want shape
	if err := json.Unmarshal([]byte(raw), &want); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) || got.Deep != "d" || got.Unnamed != "u" || *got.Maybe != 0 || got.Map["k"].Name != "b" {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}

func TestStrict_DecodeStrictNamesWhatItRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, field, says string }{
		"an unknown key":                  {`{"other":1}`, "other", "not known"},
		"an unknown key in depth":         {`{"inner":{"nome":"x"}}`, "inner.nome", "not known"},
		"an unknown key in a list":        {`{"list":[{"name":"a"},{"other":1}]}`, "list.other", "not known"},
		"an unknown key in a map's value": {`{"map":{"k":{"other":1}}}`, "map.k.other", "not known"},
		"a hidden field":                  {`{"Hidden":"x"}`, "Hidden", "not known"},
		"a field that is not exported":    {`{"private":"x"}`, "private", "not known"},
		"a key in another case":           {`{"Text":"x"}`, "Text", "is spelt text"},
		"another case in depth":           {`{"list":[{"NAME":"a"}]}`, "list.NAME", "is spelt name"},
		"another case of an embedded one": {`{"DEEP":"x"}`, "DEEP", "is spelt deep"},
		"a letter that folds to another":  {`{"te\u017ft":1,"text\u0000":1}`, "teſt", "not known"},
		"a key twice":                     {`{"text":"a","text":"a"}`, "text", "there twice"},
		"a key twice, once escaped":       {`{"text":"a","\u0074ext":"b"}`, "text", "there twice"},
		"a key twice in raw JSON":         {`{"raw":{"a":{"b":1,"b":2}}}`, "raw.a.b", "there twice"},
		"a key twice in what is free":     {`{"free":[{"b":1,"b":2}]}`, "free.b", "there twice"},
		"a key twice in a map":            {`{"labels":{"a":"1","a":"2"}}`, "labels.a", "there twice"},
		"a text for a whole number":       {`{"whole":"1"}`, "whole", "takes a whole number"},
		"a fraction for a whole number":   {`{"whole":1.5}`, "whole", "number 1.5 does not fit; it takes a whole number"},
		"a number that is too large":      {`{"inner":{"size":1e30}}`, "inner.size", "takes a whole number"},
		"a number out of range":           {`{"number":1e400}`, "number", "takes a number"},
		"a truth value for a number":      {`{"number":true}`, "number", "truth value does not fit; it takes a number"},
		"a number for a text":             {`{"text":5}`, "text", "number does not fit; it takes a text"},
		"a number for a text in a list":   {`{"texts":["a",5]}`, "texts", "takes a text"},
		"a number for a text in a map":    {`{"labels":{"a":5}}`, "labels.a", "takes a text"},
		"a text for a truth value":        {`{"truth":"true"}`, "truth", "takes true or false"},
		"a number for a truth value":      {`{"truth":1}`, "truth", "takes true or false"},
		"a text where none must be":       {`{"maybe":"1"}`, "maybe", "takes a number"},
		"a list for a text":               {`{"text":["a"]}`, "text", "list does not fit; it takes a text"},
		"an object for a text":            {`{"inner":{"name":{}}}`, "inner.name", "object does not fit; it takes a text"},
		"an object for a list":            {`{"list":{}}`, "list", "object does not fit; it takes a list"},
		"a text for a list":               {`{"texts":"a"}`, "texts", "text does not fit; it takes a list"},
		"a text for an object":            {`{"inner":"a"}`, "inner", "text does not fit; it takes an object"},
		"a truth value for an object":     {`{"map":true}`, "map", "truth value does not fit; it takes an object"},
		"a day for a time":                {`{"when":"2026-03-01"}`, "when", "date and time"},
		"a word for a time":               {`{"due":"soon"}`, "due", "date and time"},
		"a number for a time":             {`{"when":5}`, "when", "date and time"},
		"an object for a time":            {`{"when":{}}`, "when", "date and time"},
		"too deep":                        {`{"free":` + strings.Repeat("[", 65) + strings.Repeat("]", 65) + `}`, "free", "nested too deeply"},
	} {
		t.Run(name, func(t *testing.T) {
			var got shape
			err := event.DecodeStrict([]byte(c.in), &got)
			f, ok := errors.AsType[*fault.Error](err)
			if !ok || f.Kind != fault.Invalid || len(f.Fields) != 1 || f.Fields[0].Name != c.field {
				t.Fatalf("%#v %v, want the field %s", err, err, c.field)
			}
			if !strings.HasPrefix(f.Text, c.field+": ") || !strings.Contains(f.Text, c.says) {
				t.Errorf("%q does not say %q", f.Text, c.says)
			}
		})
	}
}

func TestStrict_DecodeStrictRefusesWhatIsNoObject(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, says string }{
		"nothing":             {"", "cannot be read at byte 0"},
		"half an object":      {`{"text":`, "cannot be read at byte"},
		"no value":            {`{"text":}`, "cannot be read at byte"},
		"a number as a key":   {`{1:2}`, "cannot be read at byte"},
		"a comma too many":    {`{"text":"a",}`, "cannot be read"},
		"a list that ends }":  {`{"list":[}`, "ends early, at byte"},
		"two values":          {`{} {}`, "more after the end"},
		"an end too many":     {`{}}`, "more after the end"},
		"a list":              {`[]`, "A list does not fit; it takes an object."},
		"a text":              {`"text"`, "A text does not fit; it takes an object."},
		"a number":            {`5`, "A number does not fit; it takes an object."},
		"a truth value":       {`true`, "A truth value does not fit; it takes an object."},
		"lists in each other": {strings.Repeat("[", 100), "nested too deeply"},
	} {
		t.Run(name, func(t *testing.T) {
			var got shape
			err := event.DecodeStrict([]byte(c.in), &got)
			text := fault.TextOf(err)
			if err == nil || fault.KindOf(err) != fault.Invalid || !strings.Contains(text, c.says) || strings.HasPrefix(text, ":") {
				t.Errorf("%q, want %q", text, c.says)
			}
		})
	}
}

// FuzzDecodeStrict checks that what is accepted is what encoding/json reads of it, and
// that it can be written and read again.
func FuzzDecodeStrict(f *testing.F) {
	for _, s := range []string{
		`{"text":"a","whole":1,"list":[{"name":"x"}],"map":{"k":{"size":2}},"raw":[{"a":1}],"free":null}`,
		`{"when":"2026-03-01T10:00:00Z","maybe":1.5,"Unnamed":"","deep":"x"}`, `{"text":"a","Text":"b"}`, `{"a":[}`, `null`, `[[[`, `{"free":1e400}`, "{\"text\":\"\xff\"}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var got, plain, again shape
		if err := event.DecodeStrict(raw, &got); err != nil {
			if fault.KindOf(err) != fault.Invalid || fault.TextOf(err) == "" {
				t.Fatalf("%q is refused with %#v", raw, err)
			}
			return
		}
		if err := json.Unmarshal(raw, &plain); err != nil || !reflect.DeepEqual(got, plain) {
			t.Fatalf("%q is %+v; without strictness it is %+v %v", raw, got, plain, err)
		}
		written, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		if err := event.DecodeStrict(written, &again); err != nil {
			t.Fatalf("%q was accepted, written as %s it is not: %v", raw, written, err)
		}
		if rewritten, err := json.Marshal(again); err != nil || string(rewritten) != string(written) {
			t.Fatalf("%s is written again as %s %v", written, rewritten, err)
		}
	})
}

func TestStrict_TheDeepestThatFits(t *testing.T) {
	t.Parallel()
	var got shape
	raw := `{"free":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`
	if err := event.DecodeStrict([]byte(raw), &got); err != nil {
		t.Error(err)
	}
}

func TestStrict_NoNumberIsLost(t *testing.T) {
	t.Parallel()
	var got shape
	if err := event.DecodeStrict([]byte(`{"inner":{"size":9223372036854775807}}`), &got); err != nil || got.Inner.Size != math.MaxInt64 {
		t.Errorf("%d %v", got.Inner.Size, err)
	}
}

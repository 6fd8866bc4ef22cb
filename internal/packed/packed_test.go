package packed_test

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"chela/internal/packed"
)

type inner struct {
	Name string
	On   bool
}

type sample struct {
	N     int
	F     float64
	Text  string
	Long  string
	Raw   []string
	Many  []inner
	One   *inner
	By    map[string]int
	At    time.Time
	Named map[string]string
	Lists map[string][]string
}

func samples() []sample {
	return []sample{
		{},
		{N: -5, F: math.Copysign(0, -1), Text: "a", Long: strings.Repeat("long ", 40), Raw: []string{"", "a", "a"}, Many: []inner{{}, {"b", true}}, One: &inner{}, By: map[string]int{"x": 1, "y": math.MinInt}, Lists: map[string][]string{"": nil, "e": {}, "l": {"a", ""}}},
		{Raw: []string{}, Many: []inner{}, By: map[string]int{}, At: time.UnixMicro(0).UTC(), Named: map[string]string{"": ""}},
		{N: math.MaxInt, F: math.Inf(1), At: time.Date(2026, 11, 29, 3, 4, 5, 6000, time.UTC)},
	}
}

// TestValues_ComeBackAsTheyWere holds that nothing of a value is lost, whether a list is nil or empty among it.
func TestValues_ComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	var w packed.Writer
	for _, s := range samples() {
		packed.Put(&w, &s)
	}
	r := packed.NewReader(string(w.Bytes()))
	for i, want := range samples() {
		var got sample
		if packed.Take(r, &got); !reflect.DeepEqual(got, want) {
			t.Errorf("%d: got %#v, want %#v", i, got, want)
		}
	}
	if err := r.End(); err != nil {
		t.Error(err)
	}
}

func TestForm_TellsTypesApart(t *testing.T) {
	t.Parallel()
	if packed.Form(new(inner)) == packed.Form(new(struct{ Name, On string })) || packed.Form(new(inner)) != packed.Form(new(struct {
		Name string
		On   bool
	})) {
		t.Error("a form is not that of the type")
	}
}

// FuzzReader_NeverTrusts reads what nobody wrote: it ends with an error or with a value, which is then written and read the same.
func FuzzReader_NeverTrusts(f *testing.F) {
	for _, s := range samples() {
		var w packed.Writer
		packed.Put(&w, &s)
		f.Add(w.Bytes())
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var got, again sample
		r := packed.NewReader(string(raw))
		packed.Take(r, &got)
		if r.End() != nil {
			return
		}
		var w packed.Writer
		packed.Put(&w, &got)
		r = packed.NewReader(string(w.Bytes()))
		if packed.Take(r, &again); r.End() != nil {
			t.Fatal(r.End())
		}
		a, _ := json.Marshal(again) // NaN is not equal to itself, and no JSON
		b, _ := json.Marshal(got)
		if string(a) != string(b) {
			t.Fatalf("got %s, want %s", a, b)
		}
	})
}

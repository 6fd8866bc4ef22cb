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
	Words []word
	Sizes []size
	Half  *float64
}

type word string

type size struct {
	A int8
	B int16
	C int32
	D int64
}

func samples() []sample {
	return []sample{
		{},
		{N: -5, F: math.Copysign(0, -1), Text: "a", Long: strings.Repeat("long ", 40), Raw: []string{"", "a", "a"}, Many: []inner{{}, {"b", true}}, One: &inner{}, By: map[string]int{"x": 1, "y": math.MinInt}, Lists: map[string][]string{"": nil, "e": {}, "l": {"a", ""}}},
		{Raw: []string{}, Many: []inner{}, By: map[string]int{}, At: time.UnixMicro(0).UTC(), Named: map[string]string{"": ""}, Words: []word{}, Sizes: []size{}},
		{Words: []word{"w", "w", ""}, Sizes: []size{{-1, -2, -3, -4}, {math.MaxInt8, math.MaxInt16, math.MaxInt32, math.MaxInt64}}, Half: new(float64)},
		{Many: make([]inner, 100), Words: make([]word, 100), Sizes: make([]size, 65)},
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

// TestLists_HaveTheirOwnRoom holds that lists that are made together are not changed by each other.
func TestLists_HaveTheirOwnRoom(t *testing.T) {
	t.Parallel()
	var w packed.Writer
	want := make([]sample, 300)
	for i := range want {
		n := i % 11
		want[i] = sample{Many: make([]inner, n), Raw: make([]string, n), Sizes: make([]size, n), Half: new(float64)}
		for k := range n {
			want[i].Many[k].Name, want[i].Raw[k], want[i].Sizes[k].A = string(rune('a'+k)), string(rune('a'+i%7)), int8(i%100) //nolint:gosec // small
		}
		*want[i].Half = float64(i)
		packed.Put(&w, &want[i])
	}
	got := make([]sample, len(want))
	r := packed.NewReader(string(w.Bytes()))
	for i := range got {
		packed.Take(r, &got[i])
	}
	for i := range got {
		_, _, _ = append(got[i].Many, inner{"x", true}), append(got[i].Raw, "x"), append(got[i].Sizes, size{A: 1})
	}
	if err := r.End(); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v; got %v", err, got)
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

package api

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"chela/internal/chart"
	"chela/internal/flow"
)

type pointed struct{ N int }

func (p *pointed) MarshalJSON() ([]byte, error) { return json.Marshal(-p.N) }

type level string

type within struct {
	IDs   []string
	Point pointed
	Deep  struct{ Point pointed }
}

type inner struct {
	Name  string `json:"name"`
	Inner []string
}

type twice struct {
	Name string `json:"name"`
}

// What encoding/json writes by rules of its own.
type (
	written struct {
		inner
		IDs     []string `json:"ids,omitempty"`
		Left    []string `json:"-"`
		Dash    []string `json:"-,"` //nolint:staticcheck // it is named so
		hidden  []string //nolint:unused // it is not written
		At      time.Time
		Level   level
		Number  json.Number
		Raw     json.RawMessage
		F       float64 `json:"f,omitempty"`
		N       int
		Small   int8
		On      bool `json:",omitempty"`
		One     *within
		Many    []within
		Any     any
		Map     map[string][]string
		Bytes   []byte
		Arrays  [2]string
		Mine    []level
		Pointed pointed
	}
	clashing struct {
		inner
		twice //nolint:govet // neither name counts
		IDs   []string
	}
	hiding struct {
		inner
		Name []string `json:"name"`
	}
	optioned struct {
		IDs []string
		N   int `json:"n,string"`
	}
	strange struct {
		IDs []string `json:"a<b"`
	}
	zeroed struct {
		IDs []string
		At  time.Time `json:",omitzero"`
	}
	itself struct {
		IDs  []string
		More []itself
	}
	embedding struct {
		*inner
		IDs []string
	}
	named struct {
		inner `json:"inner"`
		IDs   []string
	}
)

// TestEncode_WritesWhatEncodingJSONDoes compares both for values at random, of what is answered and of what has rules of its own.
func TestEncode_WritesWhatEncodingJSONDoes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 7))
	fast := 0
	for _, of := range []any{
		CapacityOut{},
		CoverageOut{},
		flow.Dependencies{},
		TodayOut{},
		chart.Standing{},
		[]flow.Coverage{},
		written{},
		[]written{},
		within{},
		[]within{},
		clashing{},
		hiding{},
		optioned{},
		strange{},
		zeroed{},
		itself{},
		[]itself{},
		embedding{},
		named{},
		[]string{},
		"", 0,
		map[string]written{},
		&written{},
		[]pointed{},
	} {
		typ := reflect.TypeOf(of)
		if writingOf(typ).ids {
			fast++
		}
		for range 200 {
			v := reflect.New(typ).Elem()
			fill(r, v, 4)
			var got, want bytes.Buffer
			err, wrong := encode(&got, v.Interface()), encodeAny(&want, v.Interface())
			if (err == nil) != (wrong == nil) {
				t.Fatalf("%v: got the error %v, want %v", typ, err, wrong)
			}
			if got.String() != want.String() {
				t.Fatalf("%v: got\n%s\nwant\n%s", typ, &got, &want)
			}
		}
	}
	if fast < 8 {
		t.Errorf("only %d types are not left to encoding/json", fast)
	}
	var none bytes.Buffer
	if err := encode(&none, nil); err != nil || none.String() != "null\n" {
		t.Errorf("nothing is %q, %v", &none, err)
	}
}

// TestIsPlain_AtEachPlace holds it against encoding/json for each byte at each place of a text.
func TestIsPlain_AtEachPlace(t *testing.T) {
	t.Parallel()
	for c := range 256 {
		for at := range 19 {
			text := []byte("abcdefgh~jklm nopqr")
			text[at] = byte(c)
			var out bytes.Buffer
			if err := encodeAny(&out, string(text)); err != nil {
				t.Fatal(err)
			}
			as := out.String() == `"`+string(text)+"\"\n"
			if got := isPlain(string(text)); got != (as && c != 0x7f) {
				t.Errorf("%q: got %v", text, got)
			}
		}
	}
}

// fill sets a value at random, so deep.
func fill(r *rand.Rand, v reflect.Value, deep int) {
	if !v.CanSet() || deep < 0 || r.IntN(6) == 0 {
		return
	}
	texts := []string{"", "tkt_0123456789", "a<b>&c", "\"q\" \\ \n\t\b\f\x01\x7f", "ü\u2028\u2029", "\xff broken", "日本"}
	switch v.Kind() {
	case reflect.String:
		v.SetString(texts[r.IntN(len(texts))])
		if v.Type() == reflect.TypeFor[json.Number]() {
			v.SetString("12.50")
		}
	case reflect.Int, reflect.Int8, reflect.Int64:
		v.SetInt(int64(r.IntN(300) - 150))
	case reflect.Float64:
		v.SetFloat([]float64{0, 1, -2.5, 1e21, 1e-7, 100.0000001, math.MaxFloat64, math.NaN()}[r.IntN(8)])
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte(`{"a" : [1, "<"]}`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), r.IntN(4), 4))
		for i := range v.Len() {
			fill(r, v.Index(i), deep-1)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(r, v.Index(i), deep-1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range r.IntN(3) {
			k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(r, k, 1)
			fill(r, e, deep-1)
			v.SetMapIndex(k, e)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(r, v.Elem(), deep-1)
	case reflect.Interface:
		v.Set(reflect.ValueOf([]any{"x<", 1.5, []string{"y"}}[r.IntN(3)]))
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(r.Int64N(1<<31), 0).UTC()))
			return
		}
		for i := range v.NumField() {
			fill(r, v.Field(i), deep-1)
		}
	default:
	}
}

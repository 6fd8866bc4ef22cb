package api

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"chela/internal/flow"
)

// TestEncode_WritesWhatEncodingJSONDoes compares both for values at random, of the answers that a library writes and of others.
func TestEncode_WritesWhatEncodingJSONDoes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 7))
	for _, of := range []any{CapacityOut{}, CoverageOut{}, flow.Dependencies{}, TodayOut{}, []flow.Coverage{}, []string{}, "", 0} {
		typ := reflect.TypeOf(of)
		for range 400 {
			v := reflect.New(typ).Elem()
			fill(r, v, 5)
			var got, want bytes.Buffer
			err, wrong := encode(&got, v.Interface()), encodeAny(&want, v.Interface())
			if (err == nil) != (wrong == nil) {
				t.Fatalf("%v: got the error %v, want %v", typ, err, wrong)
			}
			if err == nil && got.String() != want.String() {
				t.Fatalf("%v: got\n%s\nwant\n%s", typ, &got, &want)
			}
		}
	}
	var none bytes.Buffer
	if err := encode(&none, nil); err != nil || none.String() != "null\n" {
		t.Errorf("nothing is %q, %v", &none, err)
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

package packed

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
)

// A way is how values of a type are written and read.
type way struct {
	form string
	put  func(*Writer, reflect.Value)
	take func(*Reader, reflect.Value)
}

// ways are those of types that were met, by [reflect.Type].
var ways sync.Map //nolint:gochecknoglobals // what is computed of types is the same for all

// Form names the type of what a pointer points to as it is written. Types of other forms do not read each other's bytes.
func Form(pointer any) string { return wayOf(reflect.TypeOf(pointer).Elem()).form }

// Put writes what a pointer points to: a value of numbers, texts, moments, and lists, maps by texts, pointers and structs of such. Of a
// struct only what is not zero is written.
func Put(w *Writer, pointer any) {
	v := reflect.ValueOf(pointer).Elem()
	wayOf(v.Type()).put(w, v)
}

// Take reads into what a pointer points to, which is zero.
func Take(r *Reader, pointer any) {
	v := reflect.ValueOf(pointer).Elem()
	wayOf(v.Type()).take(r, v)
}

// wayOf panics for a type that cannot be written, as one with channels or one that contains itself.
func wayOf(t reflect.Type) *way {
	if w, ok := ways.Load(t); ok {
		return w.(*way) //nolint:forcetypeassert,errcheck // stored below
	}
	w := makeWay(t)
	ways.Store(t, w)
	return w
}

func makeWay(t reflect.Type) *way {
	switch t.Kind() {
	case reflect.Bool:
		return &way{"bool", func(w *Writer, v reflect.Value) { w.Bool(v.Bool()) }, func(r *Reader, v reflect.Value) { v.SetBool(r.Bool()) }}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return &way{t.Kind().String(), func(w *Writer, v reflect.Value) { w.Int(v.Int()) }, func(r *Reader, v reflect.Value) { v.SetInt(r.Int()) }}
	case reflect.Float64:
		return &way{"float64", func(w *Writer, v reflect.Value) { w.Float(v.Float()) }, func(r *Reader, v reflect.Value) { v.SetFloat(r.Float()) }}
	case reflect.String:
		return &way{"string", func(w *Writer, v reflect.Value) { w.Text(v.String()) }, func(r *Reader, v reflect.Value) { v.SetString(r.Text()) }}
	case reflect.Slice:
		if t == reflect.TypeFor[[]string]() {
			return textsWay()
		}
		return listWay(t)
	case reflect.Map:
		return mapWay(t)
	case reflect.Pointer:
		of := wayOf(t.Elem())
		return &way{"*" + of.form, func(w *Writer, v reflect.Value) {
			if w.Bool(!v.IsNil()); !v.IsNil() {
				of.put(w, v.Elem())
			}
		}, func(r *Reader, v reflect.Value) {
			if r.Bool() {
				p := reflect.New(t.Elem())
				of.take(r, p.Elem())
				v.Set(p)
			}
		}}
	case reflect.Struct:
		if t == reflect.TypeFor[time.Time]() {
			return &way{"time", func(w *Writer, v reflect.Value) {
				w.Time(v.Interface().(time.Time)) //nolint:forcetypeassert,errcheck // it is one
			}, func(r *Reader, v reflect.Value) { v.Set(reflect.ValueOf(r.Time())) }}
		}
		return structWay(t)
	default:
		panic(fmt.Sprintf("packed: a %v cannot be written", t))
	}
}

// listWay writes one more than the length; 0 is nil.
func listWay(t reflect.Type) *way {
	of := wayOf(t.Elem())
	return &way{"[]" + of.form, func(w *Writer, v reflect.Value) {
		if v.IsNil() {
			w.Uint(0)
			return
		}
		w.Uint(uint64(v.Len()) + 1) //nolint:gosec // a length
		for i := range v.Len() {
			of.put(w, v.Index(i))
		}
	}, func(r *Reader, v reflect.Value) {
		n, ok := r.length()
		if !ok {
			return
		}
		list := reflect.MakeSlice(t, n, n)
		for i := range n {
			of.take(r, list.Index(i))
		}
		v.Set(list)
	}}
}

// textsWay is listWay for texts, without a look at each one's type.
func textsWay() *way {
	return &way{"[]string", func(w *Writer, v reflect.Value) {
		texts, _ := v.Interface().([]string) // it is one
		if texts == nil {
			w.Uint(0)
			return
		}
		w.Uint(uint64(len(texts)) + 1)
		for _, s := range texts {
			w.Text(s)
		}
	}, func(r *Reader, v reflect.Value) {
		n, ok := r.length()
		if !ok {
			return
		}
		texts := make([]string, n)
		for i := range texts {
			texts[i] = r.Text()
		}
		*v.Addr().Interface().(*[]string) = texts //nolint:forcetypeassert,errcheck // it is one
	}}
}

// length reads what is one more than a length; it is not ok for nil.
func (r *Reader) length() (n int, ok bool) {
	more := r.Uint()
	if more > uint64(len(r.in))+1 {
		r.fail()
	}
	if more == 0 || r.err != nil {
		return 0, false
	}
	return int(more - 1), true //nolint:gosec // fewer than there are bytes
}

// mapWay writes maps by texts, in the order of these.
func mapWay(t reflect.Type) *way {
	if t.Key().Kind() != reflect.String {
		panic(fmt.Sprintf("packed: a %v cannot be written", t))
	}
	of := wayOf(t.Elem())
	return &way{"map " + of.form, func(w *Writer, v reflect.Value) {
		if v.IsNil() {
			w.Uint(0)
			return
		}
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		w.Uint(uint64(len(keys)) + 1)
		for _, k := range keys {
			w.Text(k.String())
			of.put(w, v.MapIndex(k))
		}
	}, func(r *Reader, v reflect.Value) {
		n, ok := r.length()
		if !ok {
			return
		}
		out := reflect.MakeMapWithSize(t, n)
		for range n {
			k, e := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
			k.SetString(r.Text())
			of.take(r, e)
			out.SetMapIndex(k, e)
		}
		v.Set(out)
	}}
}

// structWay writes the fields that are not zero, each behind its number from 1, and 0 behind them.
func structWay(t reflect.Type) *way {
	fields, form := make([]*way, t.NumField()), "{"
	for i := range fields {
		f := t.Field(i)
		if !f.IsExported() {
			panic(fmt.Sprintf("packed: the field %s of a %v cannot be set", f.Name, t))
		}
		fields[i] = wayOf(f.Type)
		form += f.Name + " " + fields[i].form + ";"
	}
	return &way{form + "}", func(w *Writer, v reflect.Value) {
		for i, f := range fields {
			if one := v.Field(i); !one.IsZero() {
				w.Uint(uint64(i) + 1) //nolint:gosec // a number of a field
				f.put(w, one)
			}
		}
		w.Uint(0)
	}, func(r *Reader, v reflect.Value) {
		for {
			n := r.Uint()
			if n == 0 {
				return
			}
			if n > uint64(len(fields)) {
				r.fail()
				return
			}
			fields[n-1].take(r, v.Field(int(n-1))) //nolint:gosec // a number of a field
		}
	}}
}

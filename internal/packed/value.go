package packed

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
	"unsafe"
)

// A way is how values of a type are written and read.
type way struct {
	form string
	put  func(*Writer, reflect.Value)
	take func(*Reader, unsafe.Pointer) // into a zero value of the type
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
	v := reflect.ValueOf(pointer)
	wayOf(v.Type().Elem()).take(r, v.UnsafePointer())
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
		return &way{"bool", func(w *Writer, v reflect.Value) { w.Bool(v.Bool()) }, func(r *Reader, p unsafe.Pointer) { *(*bool)(p) = r.Bool() }}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return &way{t.Kind().String(), func(w *Writer, v reflect.Value) { w.Int(v.Int()) }, takeInt(t.Kind())}
	case reflect.Float64:
		return &way{"float64", func(w *Writer, v reflect.Value) { w.Float(v.Float()) }, func(r *Reader, p unsafe.Pointer) { *(*float64)(p) = r.Float() }}
	case reflect.String:
		return &way{"string", func(w *Writer, v reflect.Value) { w.Text(v.String()) }, func(r *Reader, p unsafe.Pointer) { *(*string)(p) = r.Text() }}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.String {
			return textsWay(t)
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
		}, func(r *Reader, p unsafe.Pointer) {
			if r.Bool() {
				to := r.values(t.Elem(), of, 1)
				of.take(r, to)
				*(*unsafe.Pointer)(p) = to
			}
		}}
	case reflect.Struct:
		if t == reflect.TypeFor[time.Time]() {
			return &way{"time", func(w *Writer, v reflect.Value) {
				w.Time(v.Interface().(time.Time)) //nolint:forcetypeassert,errcheck // it is one
			}, func(r *Reader, p unsafe.Pointer) { *(*time.Time)(p) = r.Time() }}
		}
		return structWay(t)
	default:
		panic(fmt.Sprintf("packed: a %v cannot be written", t))
	}
}

// takeInt reads a number of a kind.
func takeInt(k reflect.Kind) func(*Reader, unsafe.Pointer) {
	switch k {
	case reflect.Int8:
		return func(r *Reader, p unsafe.Pointer) { *(*int8)(p) = int8(r.Int()) } //nolint:gosec // what does not fit was not written
	case reflect.Int16:
		return func(r *Reader, p unsafe.Pointer) { *(*int16)(p) = int16(r.Int()) } //nolint:gosec // see above
	case reflect.Int32:
		return func(r *Reader, p unsafe.Pointer) { *(*int32)(p) = int32(r.Int()) } //nolint:gosec // see above
	case reflect.Int64:
		return func(r *Reader, p unsafe.Pointer) { *(*int64)(p) = r.Int() }
	default:
		return func(r *Reader, p unsafe.Pointer) { *(*int)(p) = int(r.Int()) }
	}
}

// listWay writes one more than the length; 0 is nil.
func listWay(t reflect.Type) *way {
	of, size := wayOf(t.Elem()), t.Elem().Size()
	return &way{"[]" + of.form, func(w *Writer, v reflect.Value) {
		if v.IsNil() {
			w.Uint(0)
			return
		}
		w.Uint(uint64(v.Len()) + 1) //nolint:gosec // a length
		for i := range v.Len() {
			of.put(w, v.Index(i))
		}
	}, func(r *Reader, p unsafe.Pointer) {
		n, ok := r.length()
		if !ok {
			return
		}
		list := r.values(t.Elem(), of, n)
		*(*[]byte)(p) = unsafe.Slice((*byte)(list), n) // so many values: a list is the same, whatever it is of
		for i := range n {
			of.take(r, unsafe.Add(list, uintptr(i)*size)) //nolint:gosec // not negative
		}
	}}
}

// textsWay is listWay for texts, without a look at each one's type.
func textsWay(t reflect.Type) *way {
	plain := reflect.TypeFor[[]string]()
	return &way{"[]string", func(w *Writer, v reflect.Value) {
		if v.IsNil() {
			w.Uint(0)
			return
		}
		w.Uint(uint64(v.Len()) + 1) //nolint:gosec // a length
		if t != plain {
			for i := range v.Len() {
				w.Text(v.Index(i).String())
			}
			return
		}
		texts, _ := v.Interface().([]string) // it is one
		for _, s := range texts {
			w.Text(s)
		}
	}, func(r *Reader, p unsafe.Pointer) {
		n, ok := r.length()
		if !ok {
			return
		}
		texts := r.texts(n)
		for i := range texts {
			texts[i] = r.Text()
		}
		*(*[]string)(p) = texts
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
	}, func(r *Reader, p unsafe.Pointer) {
		n, ok := r.length()
		if !ok {
			return
		}
		out := reflect.MakeMapWithSize(t, n)
		for range n {
			k, e := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
			k.SetString(r.Text())
			of.take(r, e.Addr().UnsafePointer())
			out.SetMapIndex(k, e)
		}
		reflect.NewAt(t, p).Elem().Set(out)
	}}
}

// structWay writes the fields that are not zero, each behind its number from 1, and 0 behind them.
func structWay(t reflect.Type) *way {
	type field struct {
		*way
		at uintptr
	}
	fields, form := make([]field, t.NumField()), "{"
	for i := range fields {
		f := t.Field(i)
		if !f.IsExported() {
			panic(fmt.Sprintf("packed: the field %s of a %v cannot be set", f.Name, t))
		}
		fields[i] = field{wayOf(f.Type), f.Offset}
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
	}, func(r *Reader, p unsafe.Pointer) {
		for {
			n := r.Uint()
			if n == 0 {
				return
			}
			if n > uint64(len(fields)) {
				r.fail()
				return
			}
			f := &fields[n-1]
			f.take(r, unsafe.Add(p, f.at)) //nolint:gosec // within the struct
		}
	}}
}

// A Taker reads values of one type, without a look at the type for each.
type Taker struct{ way *way }

// TakerOf returns the taker of what a pointer points to.
func TakerOf(pointer any) Taker { return Taker{wayOf(reflect.TypeOf(pointer).Elem())} }

// Take is as the function of that name. What it reads into is of the taker's type.
func (t Taker) Take(r *Reader, pointer unsafe.Pointer) { t.way.take(r, pointer) }

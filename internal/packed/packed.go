// Package packed writes values as compact bytes and reads them again, some ten times as fast as JSON. The bytes are for the program
// that wrote them: another reads them only when its types have the same [Form].
package packed

import (
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"slices"
	"time"
	"unsafe"
)

// wordSize is up to how many bytes a text is taken for a word, which is written twice at most.
const wordSize = 64

// A text is written as one of these and the bytes, or as the number of a word that was written before, from firstWord.
const (
	aText = iota
	aWord
	firstWord
)

// A Writer puts values one behind the other. The zero value is ready to use.
type Writer struct {
	out   []byte
	words map[string]uint64 // the numbers of words; 0 for a text that was written once
	count uint64            // of words
}

// Bytes returns what was written. It is changed by what is written later.
func (w *Writer) Bytes() []byte { return w.out }

// Reset forgets what was written, and all words.
func (w *Writer) Reset() {
	w.out = w.out[:0]
	clear(w.words)
	w.count = 0
}

// Uint writes a number.
func (w *Writer) Uint(n uint64) { w.out = binary.AppendUvarint(w.out, n) }

// Int writes a number that may be negative.
func (w *Writer) Int(n int64) { w.out = binary.AppendVarint(w.out, n) }

// Bool writes whether something is so.
func (w *Writer) Bool(b bool) {
	if b {
		w.out = append(w.out, 1)
	} else {
		w.out = append(w.out, 0)
	}
}

// Float writes a number with its fraction.
func (w *Writer) Float(f float64) {
	w.out = binary.LittleEndian.AppendUint64(w.out, math.Float64bits(f))
}

// Text writes a text. Most are there once, as ids are, so that one becomes a word when it comes again.
func (w *Writer) Text(s string) {
	how := uint64(aText)
	if len(s) <= wordSize {
		if w.words == nil {
			w.words = make(map[string]uint64)
		}
		switch n, again := w.words[s]; {
		case n > 0:
			w.Uint(n)
			return
		case again:
			how, w.words[s], w.count = aWord, firstWord+w.count, w.count+1
		default:
			w.words[s] = 0
		}
	}
	w.Uint(how)
	w.Uint(uint64(len(s)))
	w.out = append(w.out, s...)
}

// Time writes a moment, without its zone.
func (w *Writer) Time(t time.Time) {
	if w.Bool(!t.IsZero()); !t.IsZero() {
		w.Int(t.Unix())
		w.Uint(uint64(t.Nanosecond())) //nolint:gosec // less than a second
	}
}

// ErrBroken says that bytes are not what a [Writer] wrote.
var ErrBroken = errors.New("packed: the bytes are cut off or changed")

// A Reader reads what a [Writer] wrote, in the same order. After an error all that it reads is zero.
type Reader struct {
	in    string // texts are parts of it
	words []string
	room  []string // for lists of texts, so that they are not made one by one
	rooms []room   // for other lists and what is pointed to
	err   error
}

// NewReader returns a reader of what was written.
func NewReader(in string) *Reader { return &Reader{in: in} }

// Err is the first error.
func (r *Reader) Err() error { return r.err }

// Done reports whether nothing is left to be read.
func (r *Reader) Done() bool { return r.in == "" }

// End is the first error; whatever is left to be read is one.
func (r *Reader) End() error {
	if len(r.in) > 0 {
		r.fail()
	}
	return r.err
}

// Fail makes an error of what was read, which its reader cannot make sense of.
func (r *Reader) Fail() { r.fail() }

func (r *Reader) fail() { r.in, r.err = "", ErrBroken }

// next takes so many bytes.
func (r *Reader) next(n uint64) (s string) {
	if n > uint64(len(r.in)) {
		r.fail()
		return ""
	}
	s, r.in = r.in[:n], r.in[n:]
	return s
}

// Uint reads a number.
func (r *Reader) Uint() (n uint64) {
	for i := 0; i < len(r.in) && i < binary.MaxVarintLen64; i++ {
		c := r.in[i]
		if c < 0x80 {
			if i == binary.MaxVarintLen64-1 && c > 1 {
				break
			}
			r.in = r.in[i+1:]
			return n | uint64(c)<<(7*i)
		}
		n |= uint64(c&0x7f) << (7 * i)
	}
	r.fail()
	return 0
}

// Int reads a number that may be negative.
func (r *Reader) Int() int64 {
	n := r.Uint()
	return int64(n>>1) ^ -int64(n&1) //nolint:gosec // as encoding/binary has it
}

// Bool reads whether something is so.
func (r *Reader) Bool() bool {
	s := r.next(1)
	return s != "" && s[0] != 0
}

// Float reads a number with its fraction.
func (r *Reader) Float() float64 {
	s, n := r.next(8), uint64(0)
	for i := len(s) - 1; i >= 0; i-- {
		n = n<<8 | uint64(s[i])
	}
	return math.Float64frombits(n)
}

// Text reads a text.
func (r *Reader) Text() string {
	n := r.Uint()
	if n < firstWord {
		s := r.next(r.Uint())
		if n == aWord && r.err == nil {
			r.words = append(r.words, s)
		}
		return s
	}
	if n -= firstWord; n < uint64(len(r.words)) {
		return r.words[n]
	}
	r.fail()
	return ""
}

// roomOf is how many texts get their room at once.
const roomOf = 512

// texts makes a list of texts.
func (r *Reader) texts(n int) []string {
	if n == 0 || n > roomOf/8 {
		return make([]string, n)
	}
	if n > len(r.room) {
		r.room = make([]string, roomOf)
	}
	out := r.room[:n:n]
	r.room = r.room[n:]
	return out
}

// A room has some values of a type, which are not taken yet.
type room struct {
	of   *way
	next unsafe.Pointer
	left int
}

// most is how many values of a type get their room at once.
const most = 64

// values makes so many values of a type, one beside the other.
func (r *Reader) values(t reflect.Type, of *way, n int) unsafe.Pointer {
	if n == 0 || n > most/8 {
		return reflect.MakeSlice(reflect.SliceOf(t), n, n).UnsafePointer()
	}
	i := slices.IndexFunc(r.rooms, func(x room) bool { return x.of == of })
	if i < 0 {
		i, r.rooms = len(r.rooms), append(r.rooms, room{of: of})
	}
	x := &r.rooms[i]
	if x.left < n {
		x.next, x.left = reflect.MakeSlice(reflect.SliceOf(t), most, most).UnsafePointer(), most
	}
	out := x.next
	if x.left -= n; x.left > 0 {
		x.next = unsafe.Add(x.next, uintptr(n)*t.Size()) //nolint:gosec // within what was made
	}
	return out
}

// Time reads a moment.
func (r *Reader) Time() time.Time {
	if !r.Bool() {
		return time.Time{}
	}
	return time.Unix(r.Int(), int64(r.Uint())).UTC() //nolint:gosec // what is more than a second counts as such
}

// Len reads how many of something follow, each of which takes at least a byte.
func (r *Reader) Len() int {
	n := r.Uint()
	if n > uint64(len(r.in)) {
		r.fail()
		return 0
	}
	return int(n) //nolint:gosec // fewer than there are bytes
}

package api

import (
	stdjson "encoding/json"
	"io"
	"sync"

	"github.com/segmentio/encoding/json"

	"chela/internal/flow"
)

// encode writes an answer as JSON, without the escapes of HTML. Those with some ten thousand ids are written by a library that takes a third of
// the time, byte for byte as encoding/json writes all others.
func encode(w io.Writer, v any) error {
	switch v.(type) {
	case CapacityOut, CoverageOut, flow.Dependencies:
	default:
		return encodeAny(w, v)
	}
	buf := encoded.Get().(*[]byte) //nolint:forcetypeassert,errcheck // it has nothing else
	out, err := json.Append((*buf)[:0], v, json.SortMapKeys)
	if err == nil {
		out = append(out, '\n')
		_, err = w.Write(out)
	}
	if cap(out) <= mostKept {
		*buf = out
		encoded.Put(buf)
	}
	return err
}

// mostKept is how many bytes the room of an answer may have to be kept for the next.
const mostKept = 4 << 20

// begunWith is the room of the first answer, so that it is not copied as it grows.
const begunWith = 2 << 20

var encoded = sync.Pool{New: func() any { room := make([]byte, 0, begunWith); return &room }} //nolint:gochecknoglobals // room for answers

func encodeAny(w io.Writer, v any) error {
	e := stdjson.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

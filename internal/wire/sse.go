// Package wire holds what the public wire formats of models have in common; each
// format is a folder below. It reads and writes bytes and does nothing else.
package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxLine bounds one line of a stream, in bytes.
const maxLine = 4 << 20

// ErrTruncated says that a stream ended before its end was announced.
var ErrTruncated = errors.New("the stream ended early")

// An SSE reads server-sent events; [WriteEvent] writes them.
type SSE struct{ in *bufio.Scanner }

// NewSSE reads from r.
func NewSSE(r io.Reader) *SSE {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 4<<10), maxLine)
	return &SSE{s}
}

// WriteEvent writes one event, in one call of w's Write. The name may be missing; the data is
// one line, as JSON is.
func WriteEvent(w io.Writer, name string, data []byte) error {
	out := make([]byte, 0, len(name)+len(data)+24)
	if name != "" {
		out = append(append(append(out, "event: "...), name...), '\n')
	}
	out = append(append(append(out, "data: "...), data...), "\n\n"...)
	if _, err := w.Write(out); err != nil {
		return fmt.Errorf("write stream: %w", err)
	}
	return nil
}

// Next returns the next event's name and data. The data is valid until the next
// call. At the end of the stream it returns io.EOF.
func (s *SSE) Next() (name string, data []byte, err error) {
	var joined []byte
	seen := false
	for s.in.Scan() {
		line := s.in.Bytes()
		if len(line) == 0 {
			if seen {
				return name, joined, nil
			}
			name = ""
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			name = string(value)
		case "data":
			if seen {
				joined = append(joined, '\n')
			}
			joined = append(joined, value...)
			seen = true
		}
	}
	if err := s.in.Err(); err != nil {
		return "", nil, fmt.Errorf("read stream: %w", err)
	}
	if seen { // the last event lacks its blank line
		return name, joined, nil
	}
	return "", nil, io.EOF
}

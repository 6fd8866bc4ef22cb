package gateway

import (
	"bytes"
	"io"
	"net/http"
	"strings"

	"chela/internal/wire"
)

// relayed are the headers of another's answer that are handed on.
var relayed = []string{"Content-Type", "Retry-After", "Openai-Processing-Ms", "Anthropic-Organization-Id", "X-Ratelimit-Limit-Requests", "X-Ratelimit-Remaining-Requests", "X-Ratelimit-Reset-Requests"}

// mostRelayed bounds a whole answer, in bytes.
const mostRelayed = 64 << 20

// An Event is one of a stream.
type Event struct {
	Name string // may be missing
	Data string // one line
}

// BrokeOff is what a client is told whose stream from a model broke off.
const BrokeOff = "The model's answer broke off: what came is not whole. Ask again."

// Relay hands another's answer on as it comes. look sees the whole answer, or each event of a stream, and
// says whether an event is sent. A stream that breaks off ends with broken, in the form of the API that was asked: else the
// client takes the part that came for the whole.
func Relay(w http.ResponseWriter, res *http.Response, look func(data []byte) (send bool), broken Event) error {
	for _, name := range relayed {
		if v := res.Header.Values(name); len(v) > 0 {
			w.Header()[name] = v
		}
	}
	w.WriteHeader(res.StatusCode)
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		var all bytes.Buffer
		_, err := io.Copy(io.MultiWriter(w, &all), io.LimitReader(res.Body, mostRelayed))
		look(all.Bytes())
		return err
	}
	flush := http.NewResponseController(w)
	in := wire.NewSSE(res.Body)
	for {
		name, data, err := in.Next()
		if err == io.EOF { //nolint:errorlint // Next returns it bare
			return nil
		}
		if err != nil {
			_ = wire.WriteEvent(w, broken.Name, []byte(broken.Data)) // when the client has gone, nobody reads it
			return err
		}
		if !look(data) {
			continue
		}
		if err := wire.WriteEvent(w, name, data); err != nil {
			return err
		}
		if err := flush.Flush(); err != nil {
			return err
		}
	}
}

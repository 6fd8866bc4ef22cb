package client

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/url"
	"strconv"

	"chela/internal/event"
)

// A Heard is one frame of the daemon's stream: an event of the log, with its position, or a
// tick beside it. The first one says that the stream is open.
type Heard struct {
	Opened bool
	Tick   bool
	Seq    event.Seq
	Data   []byte // JSON
}

// Follow tells hear what is recorded in a thread past a position, and the ticks beside it,
// until the stream ends. An empty thread means all.
func (c *Client) Follow(ctx context.Context, thread string, after event.Seq, hear func(Heard)) error {
	in, err := c.Open(ctx, "/api/events?"+url.Values{"thread": {thread}, "after": {strconv.FormatInt(int64(after), 10)}}.Encode())
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // read to its end
	hear(Heard{Opened: true})
	return readFrames(in, hear)
}

// longestFrame bounds a line of the stream, in bytes.
const longestFrame = 32 << 20

// readFrames reads server-sent events.
func readFrames(in io.Reader, hear func(Heard)) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, longestFrame)
	var h Heard
	for lines.Scan() {
		name, value, _ := bytes.Cut(lines.Bytes(), []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "event":
			h.Tick = string(value) == "tick"
		case "id":
			if n, err := strconv.ParseInt(string(value), 10, 64); err == nil {
				h.Seq = event.Seq(n)
			}
		case "data":
			if h.Data != nil {
				h.Data = append(h.Data, '\n')
			}
			h.Data = append(h.Data, value...)
		case "":
			if len(lines.Bytes()) == 0 && h.Data != nil {
				hear(h)
			}
			if len(lines.Bytes()) == 0 {
				h = Heard{}
			}
		}
	}
	return lines.Err()
}

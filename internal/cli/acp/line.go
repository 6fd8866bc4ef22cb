package acp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// mostLine bounds a message, in bytes; the library takes lines of up to 10 MB and ends the connection at a longer one.
const mostLine = 10<<20 - 1<<10

// Codes of JSON-RPC 2.0.
const (
	codeParse   = -32700
	codeInvalid = -32600
)

// A lineWriter writes whole messages of several writers, one at a time.
type lineWriter struct {
	mu    sync.Mutex // guards the rest
	out   io.Writer
	after map[string]func() // what is done once the editor was told of a session that begins, by its id
}

func (w *lineWriter) Write(p []byte) (int, error) {
	n, then, err := w.write(p)
	if then != nil {
		then()
	}
	return n, err
}

func (w *lineWriter) write(p []byte) (n int, then func(), err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, err = w.out.Write(p)
	if len(w.after) == 0 || err != nil {
		return n, nil, err
	}
	var m struct {
		Result struct {
			Session string `json:"sessionId"`
		} `json:"result"`
	}
	if json.Unmarshal(p, &m) == nil && m.Result.Session != "" {
		then = w.after[m.Result.Session]
		delete(w.after, m.Result.Session)
	}
	return n, then, err
}

// once has something be done when the editor was told of a session that begins.
func (w *lineWriter) once(session string, do func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.after[session] = do
}

// refuse answers what is no message of the protocol.
func (w *lineWriter) refuse(id json.RawMessage, code int, text string) {
	if id == nil {
		id = json.RawMessage("null")
	}
	raw, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": text}})
	if err == nil {
		_, _ = w.Write(append(raw, '\n')) // the editor is gone
	}
}

// pass hands the messages on, one a line, and answers those that are none, which the library would only note, or end with.
func pass(in io.Reader, out io.Writer, w *lineWriter) error {
	lines := bufio.NewReaderSize(in, 64<<10)
	for {
		line, cut, err := readLine(lines)
		if line = bytes.TrimSpace(line); cut {
			w.refuse(idIn(line), codeInvalid, fmt.Sprintf("The message has more than %d MB. Send less, or hand the files in on the page or with `chela intake`.", mostLine>>20+1))
		} else if len(line) > 0 {
			if code, text := wrong(line); text != "" {
				w.refuse(idIn(line), code, text)
			} else if _, err := out.Write(append(line, '\n')); err != nil {
				return nil //nolint:nilerr // the connection has ended
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// readLine reads a line. One that is too long is read to its end, and its beginning returned.
func readLine(in *bufio.Reader) (line []byte, cut bool, err error) {
	for {
		piece, err := in.ReadSlice('\n')
		if room := mostLine - len(line); len(piece) > room {
			piece, cut = piece[:room], true
		}
		line = append(line, piece...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, cut, err
		}
	}
}

// wrong says why a line is no message; the text is empty for one that is.
func wrong(line []byte) (code int, text string) {
	if !json.Valid(line) {
		return codeParse, "The line is no JSON. A message is one object of JSON-RPC 2.0 on a line of its own."
	}
	var m struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
		Result  json.RawMessage `json:"result"`
		Error   *struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	switch err := json.Unmarshal(line, &m); {
	case err != nil || m.Version != "2.0":
		return codeInvalid, `The message is no object of JSON-RPC 2.0: it lacks "jsonrpc": "2.0", or a member has another type.`
	case m.ID != nil && !scalar(m.ID):
		return codeInvalid, "The message's id is neither text nor number."
	case m.Method == "" && (m.ID == nil || m.Result == nil && m.Error == nil):
		return codeInvalid, "The message names no method."
	}
	return 0, ""
}

// scalar reports whether an id is text or a number.
func scalar(id json.RawMessage) bool { return !bytes.ContainsAny(id[:1], "{[tfn") }

// idIn is the id of a request that is wrong or cut; nil when it is not known.
func idIn(line []byte) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(line))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil
		}
		var v json.RawMessage
		if d.Decode(&v) != nil {
			return nil
		}
		if name == "id" && scalar(v) {
			return v
		}
	}
	return nil
}

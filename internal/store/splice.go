package store

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// A splice is how desk_records has the body of a record that nobody changed since it was made. Its event has it already, but for
// what the record's kind adds, as when a ticket was closed: text is that, and at is before which character of the body that the event
// has it stands. Of any other body at is -1, and text is the whole.
type splice struct {
	at   int64
	text string
}

func wholeBody(body []byte) splice { return splice{-1, string(body)} }

// What stands around the body in the payload of an event that makes a record.
const (
	beforeBody = `"set":`
	afterBody  = `,"version":1}`
)

// bodyIn finds the body in the payload of an event that made a record, which is canonical.
func bodyIn(payload string) (body string, ok bool) {
	_, rest, found := strings.Cut(payload, beforeBody)
	body, ends := strings.CutSuffix(rest, afterBody)
	return body, found && ends
}

// spliced finds how a body is put together of what the payload of its event has.
func spliced(payload, body []byte) splice {
	_, rest, found := bytes.Cut(payload, []byte(beforeBody))
	said, ends := bytes.CutSuffix(rest, []byte(afterBody))
	if !found || !ends || len(said) > len(body) {
		return wholeBody(body)
	}
	n := 0
	for n < len(said) && said[n] == body[n] {
		n++
	}
	for n < len(said) && n > 0 && !utf8.RuneStart(said[n]) {
		n--
	}
	more := len(body) - len(said)
	if !bytes.Equal(said[n:], body[n+more:]) {
		return wholeBody(body)
	}
	if more == 0 {
		n = 0
	}
	return splice{int64(utf8.RuneCount(said[:n])), string(body[n : n+more])}
}

// Body puts a body together again of the payload of its event, as desk_body does in SQL; PostgreSQL has that by a migration. It is
// empty where the payload is none of an event that made a record.
func Body(payload string, at int64, text string) string {
	said, ok := bodyIn(payload)
	if !ok {
		return ""
	}
	if text == "" {
		return said
	}
	n := 0
	for ; at > 0 && n < len(said); at-- {
		_, size := utf8.DecodeRuneInString(said[n:])
		n += size
	}
	return said[:n] + text + said[n:]
}

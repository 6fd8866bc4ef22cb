package store

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"chela/internal/artifact"
	"chela/internal/backup"
	"chela/internal/event"
	"chela/internal/fault"
)

// A Checked says what a backup holds that is whole.
type Checked struct {
	Header   backup.Header   `json:"header"`
	Manifest backup.Manifest `json:"manifest"`
	Log      event.Report    `json:"log"`
}

// CheckBackup reads a backup to its end and proves all of it, without any database: that nothing was changed or cut off, the chain of
// every stream, the signed heads, and that each artifact that events name is there.
func CheckBackup(from io.Reader) (Checked, error) {
	c := &checking{columns: eventColumns(), needs: make(map[artifact.Sum]bool)}
	h, m, err := backup.Read(from, c)
	out := Checked{Header: h, Manifest: m}
	if err != nil {
		return out, err
	}
	out.Log = c.chain.Report()
	switch missing := int64(len(c.needs)); {
	case len(out.Log.Findings) > 0:
		f := out.Log.Findings[0]
		return out, fault.New(fault.Invalid, "The log in the backup does not verify: %s, event %d: %s", f.Stream, f.StreamSeq, f.Text)
	case missing != m.Missing:
		return out, fault.New(fault.Invalid, "The backup is damaged: %d artifacts are missing that the log names, where it says %d.", missing, m.Missing)
	case int64(out.Log.Streams) != m.Streams || c.last != m.End:
		return out, fault.New(fault.Invalid, "The backup is damaged: the log ends at %d in %d streams, where it says %d and %d.", c.last, out.Log.Streams, m.End, m.Streams)
	}
	return out, nil
}

// checking implements [backup.Handler].
type checking struct {
	columns []string
	chain   event.Verifier
	needs   map[artifact.Sum]bool // artifacts that events name and that were not read yet
	last    event.Seq
	signed  int64 // when the heads were signed that are expected
	heads   event.Heads
	begun   bool // the log was
}

// Begin implements [backup.Handler].
func (c *checking) Begin(backup.Header) error { return nil }

// File implements [backup.Handler].
func (c *checking) File(_ backup.File, from io.Reader) error {
	_, err := io.Copy(io.Discard, from)
	return err
}

// Artifact implements [backup.Handler].
func (c *checking) Artifact(ref artifact.Ref, _ int64, from io.Reader) error {
	if s, ok := ref.Sum(); ok {
		delete(c.needs, s)
	}
	_, err := io.Copy(io.Discard, from)
	return err
}

// Rows implements [backup.Handler].
func (c *checking) Rows(table string, columns []string, rows [][]any) error {
	switch {
	case table == "":
	case table == "log_signatures":
		return c.signatures(columns, rows)
	case !slices.Contains(carried, table):
		return fault.New(fault.Invalid, "The backup holds rows of %s, which no backup of this Chela has.", table)
	default:
		return nil
	}
	if !slices.Equal(columns, c.columns) {
		return fault.New(fault.Invalid, "The backup holds a log with the columns %v, not those of this Chela.", columns)
	}
	if !c.begun && c.signed > 0 {
		c.chain.Expect(c.heads)
	}
	c.begun = true
	for _, row := range rows {
		e, err := storedOf(row)
		if err != nil {
			return fault.Wrap(err, fault.Invalid, "The backup is damaged: an event past %d cannot be read.", c.last)
		}
		if e.Seq <= c.last {
			return fault.New(fault.Invalid, "The backup is damaged: the event at %d comes after that at %d.", e.Seq, c.last)
		}
		c.last = e.Seq
		c.chain.Add(e)
		rests(string(e.Message.Payload), c.needs)
	}
	return nil
}

// signatures expects what was signed last.
func (c *checking) signatures(columns []string, rows [][]any) error {
	at, doc, public, sig := slices.Index(columns, "at"), slices.Index(columns, "document"), slices.Index(columns, "public"), slices.Index(columns, "signature")
	if min(at, doc, public, sig) < 0 {
		return fault.New(fault.Invalid, "The backup is damaged: signed heads cannot be read.")
	}
	for _, row := range rows {
		when, _ := row[at].(int64)
		if when < c.signed {
			continue
		}
		text, _ := row[doc].(string)
		s := event.Signed{Heads: json.RawMessage(text)}
		s.Public, _ = row[public].(string)
		s.Signature, _ = row[sig].(string)
		h, err := s.Open()
		if err != nil {
			return fault.Wrap(err, fault.Invalid, "The backup is damaged: the signature of its heads does not fit.")
		}
		c.signed, c.heads = cmp.Or(when, 1), h
	}
	return nil
}

// storedOf is an event of the values of its row, in the order of [eventColumns].
func storedOf(row []any) (event.Exported, error) {
	return scanStored(func(into ...any) error {
		if len(into) != len(row) {
			return fmt.Errorf("%d values for %d columns", len(row), len(into))
		}
		for i, to := range into {
			if !assign(to, row[i]) {
				return fmt.Errorf("column %d holds a %T", i+1, row[i])
			}
		}
		return nil
	})
}

func assign(to, value any) (ok bool) {
	switch to := to.(type) {
	case *event.Seq:
		var n int64
		n, ok = value.(int64)
		*to = event.Seq(n)
	case *int64:
		*to, ok = value.(int64)
	case *string:
		*to, ok = value.(string)
	case *[]byte:
		*to, ok = value.([]byte)
	}
	return ok
}

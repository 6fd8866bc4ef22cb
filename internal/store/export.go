package store

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"io"

	"chela/internal/artifact"
	"chela/internal/event"
	"chela/internal/fault"
)

// Audit proves what the log holds.
type Audit struct{ base }

// exportEnd is the last line of an export: the signed heads.
type exportEnd struct {
	Signed event.Signed `json:"signed_heads"`
}

// Export writes the log as lines of JSON, one event each, and last the heads of all
// streams, signed with key. It is what [VerifyExport] reads.
func (a Audit) Export(ctx context.Context, w io.Writer, key ed25519.PrivateKey) error {
	signed, err := a.SignHeads(ctx, key)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(w)
	if err := a.exported(ctx, func(e event.Exported) error { return enc.Encode(e) }); err != nil {
		return err
	}
	return enc.Encode(exportEnd{signed})
}

func (a Audit) exported(ctx context.Context, yield func(event.Exported) error) error {
	for seq := event.Seq(0); ; {
		batch, end, err := a.db.Log.Events(ctx, seq, event.Filter{})
		if err != nil {
			return err
		}
		for _, s := range batch {
			if s.Erased && len(s.Message.Payload) == 0 {
				s.Message.Payload = json.RawMessage("null")
			}
			if err := yield(s); err != nil {
				return err
			}
		}
		if len(batch) == 0 {
			return nil
		}
		seq = end
	}
}

// SignHeads signs where every stream stands now and keeps the signature.
func (a Audit) SignHeads(ctx context.Context, key ed25519.PrivateKey) (event.Signed, error) {
	streams, err := a.db.rows(ctx).heads()
	if err != nil {
		return event.Signed{}, fmt.Errorf("read stream heads: %w", err)
	}
	heads := event.Heads{At: a.db.mint.Now().UTC(), Streams: streams}
	signed, err := event.Sign(heads, key)
	if err != nil {
		return signed, err
	}
	return signed, a.db.Write(ctx, func(tx *Tx) error {
		return tx.do("INSERT INTO log_signatures (at, document, public, signature) VALUES (?,?,?,?) ON CONFLICT (at) DO NOTHING",
			micros(heads.At), string(signed.Heads), signed.Public, signed.Signature)
	})
}

// Verify checks every stream of the log against the newest signed heads.
func (a Audit) Verify(ctx context.Context) (event.Report, error) {
	return a.verify(ctx, func(event.Exported) {})
}

// VerifyWith checks the artifacts that the log names, too, which get reads and proves by their names. Where one cannot be read although
// it is there, the report is of the log alone, and a fault.Unavailable says so.
func (a Audit) VerifyWith(ctx context.Context, get func(artifact.Ref) ([]byte, error)) (event.Report, error) {
	var missing []event.Finding
	var closed error
	seen := make(map[artifact.Ref]bool)
	r, err := a.verify(ctx, func(e event.Exported) {
		for _, ref := range artifact.Named(e.Message.Payload) {
			if seen[ref] {
				continue
			}
			seen[ref] = true
			_, err := get(ref)
			if fault.KindOf(err) == fault.Unavailable && err != nil {
				closed = err
				continue
			}
			if err != nil {
				missing = append(missing, event.Finding{Stream: e.Stream, StreamSeq: e.StreamSeq, ID: e.Message.ID, Text: fault.TextOf(err)})
			}
		}
	})
	if err == nil && closed != nil {
		return r, fault.Wrap(closed, fault.Unavailable, "%s What became of the artifacts is not known: check them as the user of the daemon.", fault.TextOf(closed))
	}
	r.Artifacts, r.Missing = len(seen), missing
	return r, err
}

func (a Audit) verify(ctx context.Context, see func(event.Exported)) (event.Report, error) {
	var v event.Verifier
	rows, err := a.db.Query(ctx, "SELECT document, public, signature FROM log_signatures ORDER BY at DESC LIMIT 1")
	if err != nil {
		return event.Report{}, fmt.Errorf("read signed heads: %w", err)
	}
	if err := each(rows, func(scan func(...any) error) error {
		var s event.Signed
		var doc string
		if err := scan(&doc, &s.Public, &s.Signature); err != nil {
			return err
		}
		s.Heads = json.RawMessage(doc)
		h, err := s.Open()
		if err != nil {
			return err
		}
		v.Expect(h)
		return nil
	}); err != nil {
		return event.Report{}, err
	}
	err = a.exported(ctx, func(e event.Exported) error {
		v.Add(e)
		see(e)
		return nil
	})
	return v.Report(), err
}

// VerifyExport checks an exported log without any database.
func VerifyExport(r io.Reader) (event.Report, error) {
	var v event.Verifier
	var events []event.Exported
	dec := json.NewDecoder(r)
	for line := 1; ; line++ {
		var both struct {
			event.Exported
			Signed *event.Signed `json:"signed_heads"`
		}
		if err := dec.Decode(&both); err == io.EOF { //nolint:errorlint // Decode returns it bare
			break
		} else if err != nil {
			return event.Report{}, fmt.Errorf("line %d of the export is not an event: %w", line, err)
		}
		if both.Signed != nil {
			h, err := both.Signed.Open()
			if err != nil {
				return event.Report{}, err
			}
			v.Expect(h)
			continue
		}
		events = append(events, both.Exported)
	}
	for _, e := range events {
		v.Add(e)
	}
	return v.Report(), nil
}

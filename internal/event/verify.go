package event

import (
	"cmp"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
)

// LogErased is the type of the event that records what was taken out of the log.
const LogErased = "log.erased"

// A Remain is what stands of an event of which words were taken out: the digest of its payload now.
type Remain struct {
	ID     string `json:"id"`
	Digest string `json:"sha256"`
}

// An Exported is one line of an exported log: an event with what its hash covers.
// An erased event has no payload, only its digest; or what an event of the type [LogErased] names as remaining.
type Exported struct {
	Event
	PayloadDigest string `json:"payload_digest"`
	Erased        bool   `json:"erased,omitempty"`
}

// Heads says where every stream stood at a moment. It is signed with the node's
// ed25519 key; without it a cut tail cannot be told from an earlier moment.
type Heads struct {
	At      time.Time       `json:"at"`
	Streams map[string]Head `json:"streams"`
}

// A Head is where one stream stands.
type Head struct {
	Seq  int64  `json:"seq"`
	Hash string `json:"hash"`
}

// Signed is a document of heads with its signature, all in hex but the document.
type Signed struct {
	Heads     json.RawMessage `json:"heads"` // canonical
	Public    string          `json:"public"`
	Signature string          `json:"signature"`
}

// Sign signs h.
func Sign(h Heads, key ed25519.PrivateKey) (Signed, error) {
	raw, err := json.Marshal(h)
	if err != nil {
		return Signed{}, fmt.Errorf("encode heads: %w", err)
	}
	if raw, err = Canonical(raw); err != nil {
		return Signed{}, err
	}
	public, _ := key.Public().(ed25519.PublicKey) // always of that type
	return Signed{Heads: raw, Public: hex.EncodeToString(public), Signature: hex.EncodeToString(ed25519.Sign(key, raw))}, nil
}

// Open checks the signature and returns the heads.
func (s Signed) Open() (Heads, error) {
	var h Heads
	public, err1 := hex.DecodeString(s.Public)
	sig, err2 := hex.DecodeString(s.Signature)
	canonical, err3 := Canonical(s.Heads)
	if err1 != nil || err2 != nil || err3 != nil || len(public) != ed25519.PublicKeySize || !ed25519.Verify(public, canonical, sig) {
		return h, fmt.Errorf("the signature of the heads does not fit")
	}
	return h, json.Unmarshal(canonical, &h)
}

// A Finding is the first thing wrong with a stream.
type Finding struct {
	Stream    string `json:"stream"`
	StreamSeq int64  `json:"stream_seq"`
	ID        string `json:"id,omitempty"`
	Text      string `json:"text"` // a sentence
}

// A Report is what a verification found.
type Report struct {
	Events   int       `json:"events"`
	Streams  int       `json:"streams"`
	Erased   []string  `json:"erased,omitempty"` // ids of events whose payload was taken out on demand
	Findings []Finding `json:"findings,omitempty"`
	Unproven bool      `json:"unproven,omitempty"` // no signed heads: a cut tail would not show
	HeadsAt  time.Time `json:"heads_at,omitzero"`
	// Artifacts counts the artifacts that events name, and Missing are those that are gone or damaged, at the first event that names each.
	// Both are empty where the events alone were read.
	Artifacts int       `json:"artifacts,omitempty"`
	Missing   []Finding `json:"missing,omitempty"`
}

// OK reports whether nothing is wrong with the events.
func (r Report) OK() bool { return len(r.Findings) == 0 }

// A Verifier checks events as they come, in any order of streams, each stream in its
// own order. The zero value is ready.
type Verifier struct {
	heads  map[string]Head
	bad    map[string]bool
	report Report
	past   map[string]map[int64]string // hashes at the positions the signed heads name
	signed *Heads
	// partly are the erased events that have a payload; remain is what was recorded of such, by id.
	partly []Exported
	remain map[string]string
}

// Expect tells the verifier the signed heads, before the first event.
func (v *Verifier) Expect(h Heads) { v.signed = &h }

// Add checks one event. Only the first wrong one of each stream is reported.
func (v *Verifier) Add(e Exported) {
	if v.heads == nil {
		v.heads, v.bad, v.past = make(map[string]Head), make(map[string]bool), make(map[string]map[int64]string)
	}
	v.report.Events++
	if v.bad[e.Stream] {
		return
	}
	last, ok := v.heads[e.Stream]
	if !ok {
		last.Hash = Genesis(e.Stream)
	}
	if text := wrong(e, last); text != "" {
		v.bad[e.Stream] = true
		v.report.Findings = append(v.report.Findings, Finding{Stream: e.Stream, StreamSeq: e.StreamSeq, ID: e.Message.ID, Text: text})
		return
	}
	if e.Erased {
		v.report.Erased = append(v.report.Erased, e.Message.ID)
		if !bare(e.Message.Payload) {
			v.partly = append(v.partly, e)
		}
	} else if e.Message.Type == LogErased {
		v.erased(e.Message.Payload)
	}
	v.heads[e.Stream] = Head{e.StreamSeq, e.Hash}
	if v.signed != nil && v.signed.Streams[e.Stream].Seq == e.StreamSeq {
		v.past[e.Stream] = map[int64]string{e.StreamSeq: e.Hash}
	}
}

// erased takes in what a recorded erasure left.
func (v *Verifier) erased(payload json.RawMessage) {
	var p struct {
		Remains []Remain `json:"remains"`
	}
	if json.Unmarshal(payload, &p) != nil { // then it names none
		return
	}
	if v.remain == nil {
		v.remain = make(map[string]string)
	}
	for _, r := range p.Remains {
		v.remain[r.ID] = r.Digest
	}
}

// unnamed are the findings about erased events whose payload is not what an erasure left.
func (v *Verifier) unnamed() (out []Finding) {
	for _, e := range v.partly {
		payload, err := Canonical(e.Message.Payload)
		if want, ok := v.remain[e.Message.ID]; !ok {
			out = append(out, Finding{e.Stream, e.StreamSeq, e.Message.ID, "The event is marked as erased and has a payload."})
		} else if err != nil || Digest(payload) != want {
			out = append(out, Finding{e.Stream, e.StreamSeq, e.Message.ID, "What an erasure left of the payload was changed after it was recorded."})
		}
	}
	return out
}

func bare(payload json.RawMessage) bool { return len(payload) == 0 || string(payload) == "null" }

func wrong(e Exported, last Head) string {
	switch {
	case e.StreamSeq == last.Seq+2:
		return fmt.Sprintf("Event %d of the stream is missing.", last.Seq+1)
	case e.StreamSeq > last.Seq+1:
		return fmt.Sprintf("Events %d to %d of the stream are missing.", last.Seq+1, e.StreamSeq-1)
	case e.StreamSeq <= last.Seq:
		return fmt.Sprintf("Event %d comes after event %d: the order was changed.", e.StreamSeq, last.Seq)
	case e.PrevHash != last.Hash:
		return "The event does not follow the one before it: one of the two was replaced."
	}
	if e.Erased { // what remains of it is compared at the end, see unnamed
	} else if payload, err := Canonical(e.Message.Payload); err != nil || Digest(payload) != e.PayloadDigest {
		return "The payload was changed after it was recorded."
	}
	header, err := Header(e.Message, e.PayloadDigest)
	if err != nil || Link(e.PrevHash, header) != e.Hash {
		return "The envelope was changed after it was recorded."
	}
	return ""
}

// Report returns what was found, after the last event.
func (v *Verifier) Report() Report {
	r := v.report
	r.Streams = len(v.heads) + len(v.bad)
	for s := range v.heads {
		if v.bad[s] {
			r.Streams--
		}
	}
	r.Unproven = v.signed == nil
	r.Findings = append(slices.Clone(r.Findings), v.unnamed()...)
	if v.signed != nil {
		r.HeadsAt = v.signed.At
		for _, s := range slices.Sorted(maps.Keys(v.signed.Streams)) {
			if v.bad[s] {
				continue
			}
			want := v.signed.Streams[s]
			if got := v.heads[s]; got.Seq < want.Seq {
				r.Findings = append(r.Findings, Finding{Stream: s, StreamSeq: got.Seq + 1, Text: fmt.Sprintf("The stream ends at event %d; the signed heads name %d.", got.Seq, want.Seq)})
			} else if v.past[s][want.Seq] != want.Hash {
				r.Findings = append(r.Findings, Finding{Stream: s, StreamSeq: want.Seq, Text: "The stream was rewritten: its hash is not the one that was signed."})
			}
		}
	}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int { return cmp.Compare(a.Stream, b.Stream) })
	return r
}

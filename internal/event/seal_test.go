package event_test

import (
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chela/internal/event"
)

var signedAt = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// signer always has the same key, so that a failure can be looked at again.
func signer() ed25519.PrivateKey { return ed25519.NewKeyFromSeed([]byte(strings.Repeat("s", 32))) }

func headsOf(streams ...[]event.Exported) event.Heads {
	h := event.Heads{At: signedAt, Streams: make(map[string]event.Head)}
	for _, s := range streams {
		last := s[len(s)-1]
		h.Streams[last.Stream] = event.Head{Seq: last.StreamSeq, Hash: last.Hash}
	}
	return h
}

func verify(h *event.Heads, streams ...[]event.Exported) event.Report {
	var v event.Verifier
	if h != nil {
		v.Expect(*h)
	}
	for _, s := range streams {
		for _, e := range s {
			v.Add(e)
		}
	}
	return v.Report()
}

func TestSeal_SignedHeadsOpenAsTheyWere(t *testing.T) {
	t.Parallel()
	heads := headsOf(chain(t, "a", 2), chain(t, "b", 1))
	s, err := event.Sign(heads, signer())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Open(); err != nil || !reflect.DeepEqual(got, heads) {
		t.Errorf("%+v %v", got, err)
	}
	if s.Public != hex.EncodeToString(signer().Public().(ed25519.PublicKey)) {
		t.Errorf("the public key is %s", s.Public)
	}
	var indented event.Signed
	raw, err := json.MarshalIndent(s, "", "  ")
	if err != nil || json.Unmarshal(raw, &indented) != nil {
		t.Fatal(err)
	}
	if _, err := indented.Open(); err != nil {
		t.Errorf("written with blanks: %v", err)
	}
}

func TestSeal_SignedHeadsThatWereTouchedDoNotOpen(t *testing.T) {
	t.Parallel()
	other := ed25519.NewKeyFromSeed([]byte(strings.Repeat("o", 32)))
	for name, touch := range map[string]func(*event.Signed){
		"a head": func(s *event.Signed) {
			s.Heads = json.RawMessage(strings.Replace(string(s.Heads), `"seq":2`, `"seq":1`, 1))
		},
		"no heads":             func(s *event.Signed) { s.Heads = nil },
		"heads of null":        func(s *event.Signed) { s.Heads = json.RawMessage("null") },
		"another key":          func(s *event.Signed) { s.Public = hex.EncodeToString(other.Public().(ed25519.PublicKey)) },
		"half a key":           func(s *event.Signed) { s.Public = s.Public[:32] },
		"a key that is no hex": func(s *event.Signed) { s.Public = strings.Repeat("z", 64) },
		"no key":               func(s *event.Signed) { s.Public = "" },
		"another's signature":  func(s *event.Signed) { s.Signature = hex.EncodeToString(ed25519.Sign(other, s.Heads)) },
		"half a signature":     func(s *event.Signed) { s.Signature = s.Signature[:64] },
		"no hex":               func(s *event.Signed) { s.Signature = "?" + s.Signature[1:] },
		"no signature":         func(s *event.Signed) { s.Signature = "" },
	} {
		t.Run(name, func(t *testing.T) {
			s, err := event.Sign(headsOf(chain(t, "a", 2)), signer())
			if err != nil {
				t.Fatal(err)
			}
			was := s
			touch(&s)
			if reflect.DeepEqual(was, s) {
				t.Fatal("the case changes nothing")
			}
			if got, err := s.Open(); err == nil || got.Streams != nil {
				t.Errorf("it opens: %+v", got)
			}
		})
	}
}

func TestSeal_TheVerifierComparesWithTheSignedHeads(t *testing.T) {
	t.Parallel()
	a, b := chain(t, "a", 3), chain(t, "b", 2)
	rewritten := rewrite(t, a, 1)
	for name, c := range map[string]struct {
		streams [][]event.Exported
		want    []event.Finding
	}{
		"as signed":              {[][]event.Exported{a, b}, nil},
		"grown since":            {[][]event.Exported{chain(t, "a", 5), b, chain(t, "c", 1)}, nil},
		"a tail is cut":          {[][]event.Exported{a[:2], b}, []event.Finding{{Stream: "a", StreamSeq: 3, Text: "The stream ends at event 2; the signed heads name 3."}}},
		"a stream is gone":       {[][]event.Exported{a}, []event.Finding{{Stream: "b", StreamSeq: 1, Text: "The stream ends at event 0; the signed heads name 2."}}},
		"everything is gone":     {nil, []event.Finding{{Stream: "a", StreamSeq: 1, Text: "The stream ends at event 0; the signed heads name 3."}, {Stream: "b", StreamSeq: 1, Text: "The stream ends at event 0; the signed heads name 2."}}},
		"a stream was rewritten": {[][]event.Exported{rewritten, b}, []event.Finding{{Stream: "a", StreamSeq: 3, Text: "The stream was rewritten: its hash is not the one that was signed."}}},
		"one wrong, one cut": {[][]event.Exported{{a[1]}, b[:1]}, []event.Finding{
			{Stream: "a", StreamSeq: 2, ID: "msg_a1", Text: "Event 1 of the stream is missing."}, {Stream: "b", StreamSeq: 2, Text: "The stream ends at event 1; the signed heads name 2."},
		}},
		"one wrong event": {[][]event.Exported{{a[0], a[2]}, b}, []event.Finding{{Stream: "a", StreamSeq: 3, ID: "msg_a2", Text: "Event 2 of the stream is missing."}}},
	} {
		t.Run(name, func(t *testing.T) {
			heads := headsOf(a, b)
			r := verify(&heads, c.streams...)
			if !slices.Equal(r.Findings, c.want) || r.OK() != (c.want == nil) || r.Unproven || !r.HeadsAt.Equal(signedAt) {
				t.Errorf("%+v\nwant %+v", r, c.want)
			}
		})
	}
}

// rewrite changes one event and all hashes from it on, as somebody would who can write
// the whole log.
func rewrite(t *testing.T, was []event.Exported, at int) []event.Exported {
	t.Helper()
	out := slices.Clone(was)
	prev := event.Genesis(was[0].Stream)
	for i := range out {
		e := &out[i]
		if i == at {
			e.Message.Payload = json.RawMessage(`{"text":"forged"}`)
			e.PayloadDigest = event.Digest(e.Message.Payload)
		}
		header, err := event.Header(e.Message, e.PayloadDigest)
		if err != nil {
			t.Fatal(err)
		}
		e.PrevHash, e.Hash = prev, event.Link(prev, header)
		prev = e.Hash
	}
	return out
}

func TestSeal_AReportCounts(t *testing.T) {
	t.Parallel()
	a, b, c := chain(t, "a", 3), chain(t, "b", 2), chain(t, "c", 4)
	c[0].Hash = "0"
	b[1].Hash = "0"
	a[1].Erased, a[1].Message.Payload = true, nil
	r := verify(nil, c, a, b)
	if r.Events != 9 || r.Streams != 3 || !r.Unproven || !r.HeadsAt.IsZero() || !slices.Equal(r.Erased, []string{"msg_a1"}) {
		t.Errorf("%+v", r)
	}
	if len(r.Findings) != 2 || r.Findings[0].ID != "msg_b1" || r.Findings[1].ID != "msg_c0" {
		t.Errorf("%+v", r.Findings)
	}
	if r := verify(nil); r.Events != 0 || r.Streams != 0 || !r.OK() || !r.Unproven {
		t.Errorf("an empty log: %+v", r)
	}
}

// TestSeal_NoChangeOfAnEventGoesUnseen changes every part that the hash covers.
func TestSeal_NoChangeOfAnEventGoesUnseen(t *testing.T) {
	t.Parallel()
	const payload, envelope, chained = "The payload was changed", "The envelope was changed", "does not follow the one before it"
	for name, c := range map[string]struct {
		touch func(*event.Exported)
		says  string
	}{
		"the payload":            {func(e *event.Exported) { e.Message.Payload = json.RawMessage(`{"text":"1 "}`) }, payload},
		"the payload taken out":  {func(e *event.Exported) { e.Message.Payload = json.RawMessage("null") }, payload},
		"a payload that is none": {func(e *event.Exported) { e.Message.Payload = json.RawMessage("{") }, payload},
		"the digest":             {func(e *event.Exported) { e.PayloadDigest = event.Digest([]byte("{}")) }, payload},
		"erased, with a payload": {func(e *event.Exported) { e.Erased, e.Message.Payload = true, json.RawMessage(`{"text":"x"}`) }, "erased and has a payload"},
		"erased, another digest": {func(e *event.Exported) { e.Erased, e.Message.Payload, e.PayloadDigest = true, nil, event.Digest(nil) }, envelope},
		"the id":                 {func(e *event.Exported) { e.Message.ID = "msg_x" }, envelope},
		"the time":               {func(e *event.Exported) { e.Message.TS = e.Message.TS.Add(time.Nanosecond) }, envelope},
		"the version":            {func(e *event.Exported) { e.Message.V = "clutch/0.2" }, envelope},
		"the thread":             {func(e *event.Exported) { e.Message.ThreadID = "thr_2" }, envelope},
		"the run":                {func(e *event.Exported) { e.Message.RunID = "run_2" }, envelope},
		"the task":               {func(e *event.Exported) { e.Message.TaskID = "task_2" }, envelope},
		"the type":               {func(e *event.Exported) { e.Message.Type = "log.other" }, envelope},
		"the sender":             {func(e *event.Exported) { e.Message.From.AgentID = "agent:b" }, envelope},
		"the sender's role":      {func(e *event.Exported) { e.Message.From.Role = "admin" }, envelope},
		"a receiver":             {func(e *event.Exported) { e.Message.To = []event.Party{{AgentID: "agent:b"}} }, envelope},
		"the key":                {func(e *event.Exported) { e.Message.IdempotencyKey = "k" }, envelope},
		"meta":                   {func(e *event.Exported) { e.Message.Meta = map[string]json.RawMessage{"a": json.RawMessage("1")} }, envelope},
		"the hash":               {func(e *event.Exported) { e.Hash = e.PrevHash }, envelope},
		"the hash before":        {func(e *event.Exported) { e.PrevHash = event.Genesis("s") }, chained},
		"the stream":             {func(e *event.Exported) { e.Stream, e.StreamSeq = "t", 1 }, chained},
		"its place, later":       {func(e *event.Exported) { e.StreamSeq = 9 }, "Events 2 to 8 of the stream are missing."},
		"its place, earlier":     {func(e *event.Exported) { e.StreamSeq = 1 }, "Event 1 comes after event 1: the order was changed."},
		"its place, nought":      {func(e *event.Exported) { e.StreamSeq = 0 }, "Event 0 comes after event 1: the order was changed."},
	} {
		t.Run(name, func(t *testing.T) {
			events := chain(t, "s", 3)
			c.touch(&events[1])
			r := verify(nil, events)
			if len(r.Findings) == 0 {
				t.Fatal("it goes unseen")
			}
			i := slices.IndexFunc(r.Findings, func(f event.Finding) bool { return f.ID == events[1].Message.ID })
			if i < 0 || r.Findings[i].StreamSeq != events[1].StreamSeq || r.Findings[i].Stream != events[1].Stream || !strings.Contains(r.Findings[i].Text, c.says) {
				t.Errorf("%+v, want %q", r.Findings, c.says)
			}
		})
	}
}

// TestSeal_AnyOtherOrderIsSeen shuffles, drops and doubles events at random.
func TestSeal_AnyOtherOrderIsSeen(t *testing.T) {
	t.Parallel()
	whole := chain(t, "s", 6)
	heads := headsOf(whole)
	rapid.Check(t, func(t *rapid.T) {
		picks := rapid.SliceOfN(rapid.IntRange(0, len(whole)-1), 0, 8).Draw(t, "order")
		events := make([]event.Exported, len(picks))
		right := len(picks) == len(whole)
		for i, p := range picks {
			events[i] = whole[p]
			right = right && i == p
		}
		if r := verify(&heads, events); r.OK() != right {
			t.Fatalf("the order %v: %+v", picks, r.Findings)
		}
	})
}

func TestSeal_TheChainIsAsDocumented(t *testing.T) {
	t.Parallel()
	m := event.Message{V: event.Version, ID: "msg_1", TS: signedAt, ThreadID: "thr_1", RunID: "run_1", TaskID: "task_1", From: event.Party{AgentID: "agent:a"}, To: []event.Party{}, Type: "log.note", Payload: json.RawMessage(`{"secret":1}`)}
	digest := event.Digest([]byte(`{}`))
	if digest != "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a" {
		t.Errorf("the digest of {} is %s", digest)
	}
	header, err := event.Header(m, digest)
	want := `{"from":{"agent_id":"agent:a"},"id":"msg_1","payload":{"sha256":"` + digest + `"},"run_id":"run_1","task_id":"task_1","thread_id":"thr_1","to":[],"ts":"2026-03-01T12:00:00Z","type":"log.note","v":"clutch/0.1"}`
	if err != nil || string(header) != want {
		t.Errorf("%s %v\nwant %s", header, err, want)
	}
	if string(m.Payload) != `{"secret":1}` {
		t.Errorf("the message's own payload became %s", m.Payload)
	}
	if event.Link("ab", []byte("c")) != event.Digest([]byte("ab\nc")) || event.Genesis("org") != event.Digest([]byte("chela stream org")) {
		t.Error("a link is the hash of the hash before, a line feed and the header; a stream begins with the hash of its name")
	}
}

package event

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"sync"
	"time"
)

// A Mint tells the time and makes new ids, for what is recorded. The nil Mint is the real
// one: the machine's clock, and ids that are random. One of [NewMint] stands still until it
// is moved on, and its ids are the same whenever the same is done: so a scenario that is
// played again gives the same log. Timeouts and waits ask no mint. Safe for concurrent use.
type Mint struct {
	// Mask takes what must not be recorded out of payloads, and leaves JSON; nil takes nothing. It is
	// set before the mint is used.
	Mask func(payload []byte) []byte

	real bool       // it is as the nil one, but for its mask
	mu   sync.Mutex // guards the rest
	now  time.Time
	made map[string]uint64            // prefix → how many ids
	said map[[sha256.Size]byte]uint64 // what a message says → how often
}

// NewMint returns a mint whose clock stands at start.
func NewMint(start time.Time) *Mint {
	return &Mint{now: start.UTC().Truncate(time.Microsecond), made: make(map[string]uint64), said: make(map[[sha256.Size]byte]uint64)}
}

// RealMint returns a mint that is as the nil one, and masks payloads.
func RealMint(mask func(payload []byte) []byte) *Mint { return &Mint{Mask: mask, real: true} }

// Masked is a payload as it may be recorded: also without NUL characters, which PostgreSQL's texts
// cannot hold.
func (m *Mint) Masked(payload []byte) []byte {
	payload = withoutNUL(payload)
	if m == nil || m.Mask == nil {
		return payload
	}
	return m.Mask(payload)
}

// withoutNUL takes NUL characters out of the texts of a JSON value.
func withoutNUL(raw []byte) []byte {
	if !bytes.Contains(raw, nul) { // most have none
		return raw
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		n := 1
		switch {
		case bytes.HasPrefix(raw[i:], nul):
			i += len(nul)
			continue
		case raw[i] == '\\':
			n = min(2, len(raw)-i)
		}
		out = append(out, raw[i:i+n]...)
		i += n
	}
	return out
}

var nul = []byte(`\u0000`) //nolint:gochecknoglobals // a constant

// Forward moves the clock of a mint of [NewMint] on.
func (m *Mint) Forward(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now = m.now.Add(d)
}

// Now returns the time.
func (m *Mint) Now() time.Time {
	if m == nil || m.real {
		return time.Now()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

// ID is as [NewID].
func (m *Mint) ID(prefix string) string {
	if m == nil || m.real {
		return NewID(prefix)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.made[prefix]++
	var tail [10]byte
	binary.BigEndian.PutUint64(tail[2:], m.made[prefix])
	return idOf(prefix, m.now, tail)
}

// message makes the id of a message that has none yet. Messages are sealed by whoever is
// first, so theirs are not counted: they come from what the message says, and from how
// often it was said.
func (m *Mint) message(msg Message, payloadDigest string) (string, error) {
	if m == nil || m.real {
		return NewID("msg"), nil
	}
	header, err := Header(msg, payloadDigest)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(header)
	m.mu.Lock()
	defer m.mu.Unlock()
	again := sha256.Sum256(binary.BigEndian.AppendUint64(sum[:], m.said[sum]))
	m.said[sum]++
	return idOf("msg", m.now, [10]byte(again[:])), nil
}

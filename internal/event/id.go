package event

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/binary"
	"time"
)

// crockford is the alphabet of ULIDs, in lower case.
var crockford = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// NewID returns prefix, an underscore, and 26 characters: a ULID's 48 bits of
// milliseconds and 80 random bits, so ids sort by the time they were made.
func NewID(prefix string) string {
	var tail [10]byte
	_, _ = rand.Read(tail[:]) // never fails, see crypto/rand
	return idOf(prefix, time.Now(), tail)
}

func idOf(prefix string, at time.Time, tail [10]byte) string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], uint64(at.UnixMilli())<<16) //nolint:gosec // milliseconds are positive
	copy(b[6:], tail[:])
	return prefix + "_" + crockford.EncodeToString(b[:])
}

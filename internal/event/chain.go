package event

import (
	"crypto/sha256"
	"encoding/hex"
)

// Genesis is the hash before a stream's first event.
func Genesis(stream string) string {
	sum := sha256.Sum256([]byte("chela stream " + stream))
	return hex.EncodeToString(sum[:])
}

// Digest returns the hex SHA-256 of a payload's canonical form.
func Digest(canonicalPayload []byte) string {
	sum := sha256.Sum256(canonicalPayload)
	return hex.EncodeToString(sum[:])
}

// Link returns the hash of an event: SHA-256 over the previous hash in hex, a
// line feed, and the header.
func Link(prevHash string, header []byte) string {
	h := sha256.New()
	h.Write([]byte(prevHash))
	h.Write([]byte{'\n'})
	h.Write(header)
	return hex.EncodeToString(h.Sum(nil))
}

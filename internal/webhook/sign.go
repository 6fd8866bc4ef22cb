package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"chela/internal/fault"
)

// The headers of Standard Webhooks.
const (
	HeaderID        = "webhook-id"
	HeaderTimestamp = "webhook-timestamp"
	HeaderSignature = "webhook-signature"
)

// tolerance is how far a timestamp may lie from now. What was signed longer ago may be a recording.
const tolerance = 5 * time.Minute

// secretPrefix begins a secret's text.
const secretPrefix = "whsec_"

// A Signer signs and checks as Standard Webhooks says, by one secret.
type Signer struct{ key []byte }

// NewSecret returns 32 random bytes as text.
func NewSecret() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails, see crypto/rand
	return secretPrefix + base64.StdEncoding.EncodeToString(b)
}

// NewSigner reads a secret: whsec_ and 24 to 64 bytes in base64.
func NewSigner(secret string) (Signer, error) {
	raw, ok := strings.CutPrefix(secret, secretPrefix)
	key, err := base64.StdEncoding.DecodeString(raw)
	if !ok || err != nil || len(key) < 24 || len(key) > 64 {
		return Signer{}, fault.BadField("secret", "The secret is whsec_ and 24 to 64 bytes in base64; `echo whsec_$(openssl rand -base64 32)` makes one.")
	}
	return Signer{key}, nil
}

// Sign returns the signature of a body that is sent under an id at a time, in seconds since 1970.
func (s Signer) Sign(id, stamp string, body []byte) string {
	m := hmac.New(sha256.New, s.key)
	_, _ = fmt.Fprintf(m, "%s.%s.", id, stamp) // never fails
	_, _ = m.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(m.Sum(nil))
}

// Signed looks for our signature among those given; there are several while a secret changes.
func (s Signer) Signed(given, id, stamp string, body []byte) bool {
	want, ok := []byte(s.Sign(id, stamp, body)), false
	for one := range strings.FieldsSeq(given) {
		ok = hmac.Equal([]byte(one), want) || ok
	}
	return ok
}

// Timely refuses what was signed long ago, and what does not say when.
func Timely(id, stamp string, now time.Time) error {
	at, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || id == "" {
		return fault.New(fault.Unauthenticated, "The headers webhook-id, webhook-timestamp and webhook-signature are missing.")
	}
	return recent(time.Unix(at, 0), now)
}

func recent(at, now time.Time) error {
	if age := now.Sub(at); age > tolerance || age < -tolerance {
		return fault.New(fault.Unauthenticated, "The message was signed more than %d minutes from now.", int(tolerance.Minutes()))
	}
	return nil
}

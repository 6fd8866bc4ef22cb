package store

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
)

// digest hashes rows so that equal tables have equal sums on either database.
type digest struct{ h hash.Hash }

func newDigest() digest { return digest{sha256.New()} }

func (d digest) row(values []any) {
	for _, v := range values {
		if b, ok := v.([]byte); ok {
			v = string(b)
		}
		s := fmt.Sprint(v)
		_, _ = fmt.Fprintf(d.h, "%d:%s,", len(s), s) // a hash never fails
	}
	_, _ = d.h.Write([]byte{'\n'})
}

func (d digest) sum() string { return hex.EncodeToString(d.h.Sum(nil)) }

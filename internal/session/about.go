package session

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// aboutRecord begins the ids of conversations in which agents are asked by comments on records.
const aboutRecord = "thr_on_"

// About names a conversation in which an agent is asked by comments on a record. Each record and agent has one; n counts those that were closed
// or went elsewhere before it. Anybody may begin a conversation under the name, so who uses it looks whose it is.
func About(record, agent string, n int) string {
	sum := sha256.Sum256([]byte(record + "\n" + agent + "\n" + strconv.Itoa(n)))
	return aboutRecord + hex.EncodeToString(sum[:13])
}

// IsAbout reports whether a conversation may be one of those.
func IsAbout(thread string) bool { return strings.HasPrefix(thread, aboutRecord) }

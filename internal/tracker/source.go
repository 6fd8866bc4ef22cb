package tracker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"
)

// A Source reads one tracker.
type Source interface {
	// Changed returns a page of the issues that changed at or after from: the first when next is empty, else the one
	// that a page before named. Those of a source in order come with the oldest change first. check is the validator
	// of an earlier first page; where the tracker knows by it that nothing changed, the page says Same.
	Changed(ctx context.Context, from time.Time, next, check string) (Page, error)
	// Habits are how the tracker behaves.
	Habits() Habits
}

// Habits are how a tracker behaves.
type Habits struct {
	// Ordered says that the oldest change comes first, so that what was read up to some issue is all that changed
	// before it.
	Ordered bool
	// Lag is how much later than its time a change may become visible.
	Lag time.Duration
}

// A Page is some of the issues that changed.
type Page struct {
	Issues []Issue
	Next   string    // names the page that follows; empty on the last
	Check  string    // the validator, of a first page
	Same   bool      // nothing is new since the validator was given
	Asked  time.Time // by the clock of the tracker, when that is known
}

// An Issue is one issue as the tracker exports it.
type Issue struct {
	Key     string          `json:"key"`
	Updated time.Time       `json:"updated"`
	Record  json.RawMessage `json:"record"`
}

// version names an issue as it was at its last change.
func (i Issue) version() string {
	sum := sha256.Sum256([]byte(i.Key + "\n" + i.Updated.UTC().Format(time.RFC3339Nano)))
	return hex.EncodeToString(sum[:6])
}

package store

import (
	"sync"
	"sync/atomic"
	"time"

	"chela/internal/agent"
	"chela/internal/budget"
	"chela/internal/guard"
	"chela/internal/org"
)

// keptFor bounds how long another process's change to the organization may go unseen
// here. A change made here is seen at once. It leaves time to act on it within a second.
const keptFor = 700 * time.Millisecond

// members keeps what every request and turn asks of the organization.
type members struct {
	version atomic.Int64 // raised after each change made here
	persons kept[map[string]org.Person]
	agents  kept[[]agent.Member]
	tokens  kept[*sync.Map] // hash → org.Access
	allowed kept[[]guard.Allowance]
	limits  kept[[]budget.Limit]
	keys    kept[map[string]org.Key]
	names   kept[*sync.Map] // of projects: id → string

	passages kept[int]       // how many there are
	spaces   kept[*sync.Map] // of memories: their names → whether anything lies in them
}

// kept is a value that was read, as long as it may be used.
type kept[T any] struct {
	mu      sync.Mutex // guards the rest
	value   T
	version int64
	until   time.Time
}

// get returns the kept value or reads it. Nobody may change what it returns.
func (k *kept[T]) get(db *DB, read func() (T, error)) (T, error) {
	version, now := db.version.Load(), time.Now()
	k.mu.Lock()
	value, fresh := k.value, k.version == version && now.Before(k.until)
	k.mu.Unlock()
	if fresh {
		return value, nil
	}
	value, err := read()
	if err != nil {
		return value, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.value, k.version, k.until = value, version, now.Add(keptFor)
	return value, nil
}

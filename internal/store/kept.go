package store

import (
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

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
	tokens  keptBy[org.Access] // by hash
	allowed kept[[]guard.Allowance]
	limits  kept[[]budget.Limit]
	keys    kept[map[string]org.Key]
	names   keptBy[string] // of projects, by id

	passages kept[int]    // how many there are
	spaces   keptBy[bool] // of memories: whether anything lies in them, by their names
}

// kept is a value that was read, as long as it may be used. Of those who miss it at once one reads it for all.
type kept[T any] struct {
	reads   singleflight.Group
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
	return together(&k.reads, strconv.FormatInt(version, 36), func() (T, error) {
		value, err := read()
		if err != nil {
			return value, err
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		k.value, k.version, k.until = value, version, now.Add(keptFor)
		return value, nil
	})
}

// keptBy is values that were read, each by its key.
type keptBy[T any] struct {
	all   kept[*sync.Map]
	reads singleflight.Group
}

// of returns the kept value of a key or reads it. One for which keep is false is read again the next time.
func (k *keptBy[T]) of(db *DB, key string, keep bool, read func() (T, error)) (none T, err error) {
	version := db.version.Load()
	all, err := k.all.get(db, func() (*sync.Map, error) { return new(sync.Map), nil })
	if err != nil {
		return none, err
	}
	if value, ok := all.Load(key); ok {
		return value.(T), nil //nolint:forcetypeassert // only we store here
	}
	if !keep {
		return read()
	}
	return together(&k.reads, strconv.FormatInt(version, 36)+" "+key, func() (T, error) {
		value, err := read()
		if err == nil {
			all.Store(key, value)
		}
		return value, err
	})
}

// together reads once for all who ask for the same key meanwhile. Where that failed each of the others tries by itself: what failed may
// have been the request of the first alone.
func together[T any](g *singleflight.Group, key string, read func() (T, error)) (none T, err error) {
	mine := false
	value, err, _ := g.Do(key, func() (any, error) {
		mine = true
		return read()
	})
	switch {
	case err == nil:
		return value.(T), nil //nolint:forcetypeassert // read returned it
	case mine:
		return none, err
	}
	return read()
}

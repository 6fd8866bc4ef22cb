package discord

import (
	"maps"
	"slices"
	"strconv"
	"sync"
)

// Bounds of what is remembered. What is dropped is asked for again.
const (
	mostPlaces = 100_000
	mostSeen   = 10_000
	mostEdits  = 1000
)

// A session is what the gateway knows us by. A broken connection goes on with it from the last
// event that was taken.
type session struct {
	id  string
	url string // where it goes on; empty is where every session begins
	seq int64
}

// A place is where a channel of Discord is.
type place struct {
	private bool   // a chat with one person
	parent  string // the channel of a thread; empty for what is no thread
}

// memory is what outlives a connection, because without it messages would be missed.
type memory struct {
	mu      sync.Mutex // guards the rest
	me      user
	session session
	looked  bool // for the session of an earlier life
	places  map[string]place
	roles   map[string]bool   // those that are ours alone
	seen    map[string]uint64 // by channel: the newest message that was taken
	edits   map[string]string // by message: when it was edited last
}

func newMemory() *memory {
	return &memory{places: make(map[string]place), roles: make(map[string]bool), seen: make(map[string]uint64), edits: make(map[string]string)}
}

func (m *memory) meet(me user) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.me = me
}

func (m *memory) self() user {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.me
}

func (m *memory) open() session {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.session
}

// begin keeps a session; none is forgotten with the zero value.
func (m *memory) begin(s session) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.session = s
}

// recalled reports whether it was looked for the session of an earlier life.
func (m *memory) recalled() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.looked
}

// recall takes up the session of an earlier life and the roles that it told; the zero value is
// none, and changes nothing.
func (m *memory) recall(s session, roles []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.looked = true; s.id == "" {
		return
	}
	m.session = s
	for _, id := range roles {
		m.roles[id] = true
	}
}

// detour has the session go on where every session begins, because its own address is dead.
func (m *memory) detour() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.session.url = ""
}

// took counts an event of a session as received.
func (m *memory) took(id string, seq int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.session.id == id && seq > m.session.seq {
		m.session.seq = seq
	}
}

func (m *memory) learn(channel string, p place) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.places) >= mostPlaces {
		clear(m.places)
	}
	m.places[channel] = p
}

func (m *memory) place(channel string) (place, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.places[channel]
	return p, ok
}

// learnRole keeps a role that a server made for us alone.
func (m *memory) learnRole(r role) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r.Tags.V.Bot == m.me.ID && m.me.ID != "" && len(m.roles) < mostSeen {
		m.roles[r.ID] = true
	}
}

func (m *memory) ourRole(id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.roles[id]
}

func (m *memory) ourRoles() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.roles))
}

// saw keeps that a message of a channel was taken.
func (m *memory) saw(channel, id string) {
	n := number(id)
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.seen) >= mostSeen {
		for old := range m.seen {
			delete(m.seen, old)
			break
		}
	}
	m.seen[channel] = max(m.seen[channel], n)
}

func (m *memory) newest(channel string) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.seen[channel]
}

// privates are the channels with one person of which something was taken.
func (m *memory) privates() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(m.seen)), func(id string) bool { return !m.places[id].private })
}

// editedAgain reports whether the edit of a message was taken already: an event for it comes
// again when Discord has looked at its links.
func (m *memory) editedAgain(id, at string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.edits[id] == at
}

func (m *memory) edited(id, at string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.edits) >= mostEdits {
		clear(m.edits)
	}
	m.edits[id] = at
}

// snowflake reports whether a text is an id (discord.com/developers/docs/reference#snowflakes).
func snowflake(id string) bool {
	return len(id) > 0 && len(id) <= 20 && number(id) > 0
}

// number is an id as a number, which grows with time; 0 is none.
func number(id string) uint64 {
	n, err := strconv.ParseUint(id, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

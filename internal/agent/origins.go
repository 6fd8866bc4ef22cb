package agent

import (
	"slices"
	"strings"
	"sync"

	"chela/internal/netaddr"
	"chela/internal/session"
	"chela/internal/tool"
)

// origins are where the data came from that a run has seen, and the addresses that people wrote in
// its conversation. What an agent said carries the origins of its run, so that the next turn of
// the conversation has them too. A run's children share them.
type origins struct {
	mu    sync.Mutex // guards the rest
	from  []string
	given []string // addresses, in the form in which they are asked for
}

func (o *origins) add(from []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, f := range from {
		if f != "" && !slices.Contains(o.from, f) {
			o.from = append(o.from, f)
		}
	}
}

func (o *origins) list() []string {
	if o == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.from)
}

// hear takes in a message of the conversation.
func (o *origins) hear(m session.Message) {
	o.add(m.Origins)
	if m.Role != session.FromPerson || len(m.Origins) > 0 { // nobody of ours wrote it
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, word := range strings.Fields(m.Message) {
		word = strings.Trim(word, "<>()[]{}\"'`,;.!?*_")
		if !strings.Contains(word, "://") {
			continue
		}
		if u, err := netaddr.URL(word); err == nil {
			o.given = append(o.given, u.String())
		}
	}
}

// take takes in the result of a call. One that failed in words of the other side is from there all the same.
func (o *origins) take(p plan, r result) {
	if p.tool == nil {
		return
	}
	o.add(r.from)
	if p.tool.Private && !r.IsError {
		o.add([]string{tool.FromRecords})
	}
}

// gave reports whether a person wrote an address.
func (o *origins) gave(address string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Contains(o.given, address)
}

package browser

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// Bounded reports whether this system tells what a browser uses, so that it can be bounded.
const Bounded = true

// tick is the unit of times in /proc.
const tick = 10 * time.Millisecond

// used returns what a process and all its descendants use.
func used(pid int) (usage, bool) {
	dir, err := os.Open("/proc")
	if err != nil {
		return usage{}, false
	}
	defer func() { _ = dir.Close() }() // only read
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return usage{}, false
	}
	children := make(map[int][]int)
	times := make(map[int]time.Duration)
	for _, name := range names {
		n, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		text, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue // it has ended
		}
		if parent, spent, ok := statOf(text); ok {
			children[parent], times[n] = append(children[parent], n), spent
		}
	}
	spent, ok := times[pid]
	out := usage{memoryOf(pid), spent}
	for next := children[pid]; len(next) > 0; {
		n := next[0]
		next = append(next[1:], children[n]...)
		out.memory += memoryOf(n)
		out.processor += times[n]
	}
	return out, ok
}

// statOf reads the parent of a process and the time that it has spent from its stat, in which
// its name, which may hold anything, stands in parentheses.
func statOf(text []byte) (parent int, spent time.Duration, ok bool) {
	const fromParent, fromUser = 1, 11 // fields after the name
	f := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(f) <= fromUser+1 {
		return 0, 0, false
	}
	var ticks int64
	for _, field := range f[fromUser : fromUser+2] {
		n, err := strconv.ParseInt(string(field), 10, 64)
		if err != nil {
			return 0, 0, false
		}
		if n < 0 || n > 1<<40 {
			return 0, 0, false
		}
		ticks += n
	}
	parent, err := strconv.Atoi(string(f[fromParent]))
	return parent, time.Duration(ticks) * tick, err == nil
}

// memoryOf returns the bytes of memory that a process holds by itself; 0 when it has ended.
func memoryOf(pid int) int64 {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	return statusField(text, "RssAnon:") + statusField(text, "RssShmem:")
}

// statusField returns a size of a status, in bytes; 0 when there is none.
func statusField(text []byte, name string) int64 {
	_, rest, ok := bytes.Cut(text, []byte("\n"+name))
	if !ok {
		return 0
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	words := bytes.Fields(line)
	if len(words) == 0 {
		return 0
	}
	n, err := strconv.ParseInt(string(words[0]), 10, 64)
	if err != nil || n < 0 || n > 1<<40 {
		return 0
	}
	return n << 10
}

package inside

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

const watchEvery = 50 * time.Millisecond

// watch counts what all processes of the job use together, which no limit of the kernel
// does without a control group, and says at which limit the job ends.
func watch(o *Order, over chan<- string) {
	t := time.NewTicker(watchEvery)
	defer t.Stop()
	for range t.C {
		var memory int64
		n := 0
		for _, p := range family(o.Namespaces) {
			memory += p.memory
			n++
		}
		switch {
		case memory > o.Memory:
			over <- KilledMemory
			return
		case n > o.Processes:
			over <- KilledProcesses
			return
		}
	}
}

// A process is one of a job.
type process struct {
	pid, parent int
	memory      int64
}

// family returns the processes of the job: all there are in a namespace of its own, the
// descendants of ours otherwise.
func family(alone bool) []process {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil
	}
	self := os.Getpid()
	var all []process
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == self {
			continue
		}
		if p, ok := readProcess(pid); ok {
			all = append(all, p)
		}
	}
	if alone {
		return all
	}
	ours := map[int]bool{self: true}
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if ours[p.parent] && !ours[p.pid] {
				ours[p.pid], grown = true, true
			}
		}
	}
	n := 0
	for _, p := range all {
		if ours[p.pid] {
			all[n] = p
			n++
		}
	}
	return all[:n]
}

func readProcess(pid int) (process, bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return process{}, false
	}
	p := process{pid: pid, parent: int(field(text, "PPid:"))}
	p.memory = (field(text, "RssAnon:") + field(text, "RssShmem:")) << 10
	return p, true
}

// field returns the number of a line of /proc/PID/status, 0 when there is none.
func field(text []byte, name string) int64 {
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
	if err != nil {
		return 0
	}
	return n
}

// endAll kills every descendant, also those that left their session or lost their parent:
// we are who they fall to.
func endAll() {
	for {
		for _, p := range family(false) {
			_ = unix.Kill(p.pid, unix.SIGKILL) // it may just have ended
		}
		_, err := unix.Wait4(-1, nil, 0, nil)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return // no child is left
		}
	}
}

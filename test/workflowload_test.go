package test

import (
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// resident is how much memory the daemon has, in bytes.
func (d *daemon) resident(t *testing.T) int {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", d.cmd.Process.Pid))
	if err != nil {
		t.Skip("this system does not say how much memory a process has")
	}
	for line := range strings.Lines(string(raw)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				t.Fatal(err)
			}
			return kib << 10
		}
	}
	t.Fatal("the daemon has no memory")
	return 0
}

// beginMany begins instances at once, from 16 callers.
func (d *daemon) beginMany(t *testing.T, slug string, n int) {
	t.Helper()
	next := make(chan int)
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for i := range next {
				if err := d.try(http.MethodPost, "/api/workflows/"+slug+"/run", map[string]any{"inputs": map[string]any{"n": i}}, nil); err != nil {
					t.Errorf("instance %d: %v", i, err)
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	all.Wait()
}

// TestWorkflow_AThousandInstances has a thousand instances end, and a thousand wait: those cost the daemon next to
// nothing. The figures are logged.
func TestWorkflow_AThousandInstances(t *testing.T) {
	t.Parallel()
	const many = 1000
	s := setup{data: t.TempDir()}
	d := s.running(t)
	d.deploys(t, "slug: quick\nname: Quick\ninputs: [{name: n, type: integer}]\nsteps:\n  - {id: a, transform: \"${inputs.n * 2}\"}\n  - {id: b, map: {over: \"[1, 2, 3]\", do: [{id: c, transform: \"${a + int(item)}\"}]}}\n")
	d.deploys(t, "slug: waits\nname: Waits\ninputs: [{name: n, type: integer}]\nsteps:\n  - {id: a, transform: \"${inputs.n * 2}\"}\n  - {id: b, wait: {for: 30d}}\n")
	in := func(state, kind string) int {
		var list []struct {
			Slug string `json:"slug"`
			Run  struct {
				State string `json:"state"`
			} `json:"run"`
		}
		n := 0
		d.must(t, http.MethodGet, "/api/instances?limit=500&workflow="+kind, nil, &list)
		for _, i := range list {
			if i.Run.State == state {
				n++
			}
		}
		return n
	}
	began := time.Now()
	d.beginMany(t, "quick", many)
	until(t, "the end of all", func() bool { return in("done", "quick") == 500 })
	took := time.Since(began)
	before := d.resident(t)
	d.beginMany(t, "waits", many)
	until(t, "all to wait", func() bool { return in("waiting", "waits") == 500 })
	each := (d.resident(t) - before) / many
	t.Logf("%.0f instances/s end; one that waits takes %d bytes", many/took.Seconds(), each)
	if most := 32 << 10; each > most { // with what the garbage collector has not freed yet
		t.Errorf("a waiting instance takes %d bytes, want %d at most", each, most)
	}
	d.stop()
	s.verified(t)
}

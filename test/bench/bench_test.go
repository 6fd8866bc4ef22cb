// Package bench reports how fast the real binary is, beside the least that the same
// work can cost on the same machine in the same minutes: `make bench`. The report is
// one line per figure: what, value, unit, the floor's value, the ratio to it.
package bench

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/testkit/pgtest"
)

// role makes a process of this binary one of the servers that a report needs, so that
// its processor time is not counted as the daemon's.
const role = "CHELA_BENCH_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "model":
		serveModel()
	case "floor":
		serveFloor(os.Getenv("CHELA_BENCH_MODEL"), os.Getenv("CHELA_BENCH_DIR"))
	case "proxy":
		serveProxy(os.Getenv("CHELA_BENCH_MODEL"))
	case "fanout":
		serveFanout()
	default:
		pgtest.Main(m)
	}
}

// A line is one figure of the report.
func line(what string, value float64, unit string, floor float64) {
	if floor == 0 {
		fmt.Printf("%-44s %10.2f %-8s\n", what, value, unit)
		return
	}
	fmt.Printf("%-44s %10.2f %-8s floor %10.2f  ratio %6.2f\n", what, value, unit, floor, value/floor)
}

var levels = []int{1, 16, 128}

// BenchmarkReport is the whole report; it runs once. CHELA_BENCH_DB and CHELA_BENCH_PART
// narrow it to some databases (sqlite, postgres) and parts. CHELA_BENCH_PROFILE names a
// file for where the daemons' processor time went.
func BenchmarkReport(b *testing.B) {
	if b.N > 1 {
		b.Skip("the report is made once") // the framework asks again with larger N
	}
	bin := filepath.Join(b.TempDir(), "chela")
	if out, err := exec.Command("go", "build", "-trimpath", "-pgo=../../cmd/chela/turns.pgo", "-ldflags", "-s -w", "-o", bin, "../../cmd/chela").CombinedOutput(); err != nil {
		b.Fatalf("build: %v\n%s", err, out)
	}
	model := child(b, "model")
	fmt.Println()
	r := report{bin: bin, model: model, floor: floorTurns(b, model), fanout: floorFanout(b)}
	if to := os.Getenv("CHELA_BENCH_PROFILE"); to != "" {
		r.profiles = b.TempDir()
		defer func() { merge(b, r.profiles, to) }()
	}
	parts := []struct {
		name string
		run  func(b *testing.B, db string)
	}{
		{"appends", appends},
		{"starts", r.starts},
		{"turns", r.turns},
		{"replies", r.replies},
		{"written", r.written},
		{"held", r.held},
		{"watchers", r.watchers},
		{"desk", r.desk},
		{"records", r.records},
		{"hands", r.hands},
		{"hops", r.hops},
		{"takeover", r.takeover},
		{"nodes", r.nodes}, // this and the next leave the process with one processor, so they are last
		{"lists", r.lists},
		{"million", r.million},
	}
	only := strings.Fields(os.Getenv("CHELA_BENCH_PART"))
	for _, db := range strings.Fields(cmp.Or(os.Getenv("CHELA_BENCH_DB"), "sqlite postgres")) {
		for _, p := range parts {
			if len(only) == 0 || slices.Contains(only, p.name) {
				p.run(b, db)
			}
		}
	}
}

// A report is what all parts share.
type report struct {
	bin, model string
	profiles   string       // see world
	floor      map[int]load // of turns
	fanout     load         // of an event to all watchers
}

// merge makes one profile of those in a folder.
func merge(b *testing.B, folder, to string) {
	b.Helper()
	each, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(each) == 0 {
		b.Fatalf("no daemon wrote a profile: %v", err)
	}
	out, err := exec.Command("go", append([]string{"tool", "pprof", "-proto"}, each...)...).Output()
	if err != nil {
		b.Fatalf("merge the profiles: %v", err)
	}
	if err := os.WriteFile(to, out, 0o644); err != nil { //nolint:gosec // part of the sources
		b.Fatal(err)
	}
}

// world returns a fresh data folder on a database.
func (r report) world(b *testing.B, db string) world {
	b.Helper()
	w := world{bin: r.bin, model: r.model, profiles: r.profiles, data: b.TempDir()}
	if db == "postgres" {
		w.postgres = pgtest.URL(b)
	}
	return w
}

// starts measures the way from the start of the process to its first answer, and what
// it holds when nothing happens.
func (r report) starts(b *testing.B, db string) {
	b.Helper()
	w := r.world(b, db)
	const times = 7
	var took []time.Duration
	var idle, own float64
	for i := range times {
		begin := time.Now()
		d := w.start(b)
		took = append(took, time.Since(begin))
		if i == times-1 {
			<-time.After(2 * time.Second) // idle
			idle, own = d.memory(b, "VmRSS"), d.memory(b, "RssAnon")
		}
		d.stop()
	}
	line(db+" start to ready, again", ms(median(took[1:])), "ms", 0)
	line(db+" start to ready, first", ms(took[0]), "ms", 0)
	line(db+" idle memory, resident", idle, "MiB", 0)
	line(db+" idle memory, without the program's file", own, "MiB", 0)
}

// turns measures answered messages, durable before they are answered.
func (r report) turns(b *testing.B, db string) {
	b.Helper()
	d := r.world(b, db).wide(128).start(b)
	defer d.stop()
	project := d.project(b)
	for _, tools := range []int{0, 10} {
		for _, c := range levels {
			calls := map[int]int{1: 300, 16: 1600, 128: 2560}[c] / (1 + tools)
			if db == "postgres" {
				calls /= 2
			}
			before := d.processor(b)
			l := drive(b, c, calls, d.turn(project, tools))
			cpu := d.processor(b) - before
			name := fmt.Sprintf("%s %d conversations, %d tool calls:", db, c, tools)
			line(name+" rate", l.rate, "turns/s", r.floor[c].rate)
			line(name+" p50", ms(l.p50), "ms", ms(r.floor[c].p50))
			line(name+" p99", ms(l.p99), "ms", ms(r.floor[c].p99))
			line(name+" processor", ms(cpu)/float64(l.calls), "ms/turn", 0)
		}
	}
	line(db+" memory after the load", d.memory(b, "VmRSS"), "MiB", 0)
	line(db+" one-shot turn by the command line", ms(d.oneShot(b)), "ms", ms(r.floor[1].p50))
}

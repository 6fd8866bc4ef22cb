package bench

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// nodes measures how daemons that share a database grow together: PostgreSQL has the first processor for itself, and 1, 2
// and 4 daemons, the model and who speaks to them have the second one.
func (r report) nodes(b *testing.B, db string) {
	b.Helper()
	if db != "postgres" {
		return
	}
	w, server := r.apart(b)
	w = w.wide(128)
	var daemons []*daemon
	defer func() {
		for _, d := range daemons {
			d.stop()
		}
	}()
	for _, n := range []int{1, 2, 4} {
		for len(daemons) < n {
			daemons = append(daemons, w.beside(b))
		}
		project := daemons[0].project(b)
		says := turnsOf(daemons, project)
		_ = drive(b, 128, 1500, says) // the server plans each statement anew in its first uses on a connection
		for _, c := range []int{1, 16, 128} {
			shared(b, daemons, server, c, says)
		}
	}
}

// lists measures what lists of a project of 10,000 tickets cost PostgreSQL, which has the first processor for itself.
func (r report) lists(b *testing.B, db string) {
	b.Helper()
	if db != "postgres" {
		return
	}
	w, server := r.apart(b)
	d := w.beside(b)
	defer d.stop()
	project := imported(b, d, "postgres import of 10,000 generated issues", export(10_000), 10_000)
	for _, l := range []struct{ what, query string }{
		{"as created", "limit=50"},
		{"by priority", "limit=50&sort=-priority"},
		{"of a person", "limit=50&filter=" + url.QueryEscape(`owner:"Person 7"`)},
		{"of a status, by due day", "limit=50&sort=dueDate&filter=" + url.QueryEscape("status:TODO")},
	} {
		theirs, own := processorOf(b, server), processorOf(b, d.cmd.Process.Pid)
		got := drive(b, 16, 800, func(int, int) error {
			return d.cl.Call(b.Context(), "GET", "/api/projects/"+project+"/tickets?"+l.query, nil, nil)
		})
		theirs, own = processorOf(b, server)-theirs, processorOf(b, d.cmd.Process.Pid)-own
		name := "postgres, list " + l.what + ":"
		line(name+" p50", ms(got.p50), "ms", 0)
		line(name+" PostgreSQL", ms(theirs)/float64(got.calls), "ms/list", 0)
		line(name+" daemon", ms(own)/float64(got.calls), "ms/list", 0)
	}
}

// apart makes a world on a PostgreSQL that has a processor for itself, and says which process that is.
func (r report) apart(b *testing.B) (w world, server int) {
	b.Helper()
	if runtime.NumCPU() < 2 {
		b.Fatal("PostgreSQL cannot have a processor for itself: this machine has one.")
	}
	w = r.world(b, "postgres")
	server = serverOf(b, w.postgres)
	pin(b, 1, os.Getpid()) // with the model
	pin(b, 0, server)
	return w, server
}

// beside starts a daemon of its own folder on the processor that PostgreSQL does not have.
func (w world) beside(b *testing.B) *daemon {
	b.Helper()
	w.data = b.TempDir()
	d := w.start(b)
	pin(b, 1, d.cmd.Process.Pid)
	return d
}

// turnsOf has each conversation speak to one of the daemons.
func turnsOf(daemons []*daemon, project string) func(loop, n int) error {
	var says []func(loop, n int) error
	for _, d := range daemons {
		says = append(says, d.turn(project, 0))
	}
	return func(loop, n int) error { return says[loop%len(says)](loop, n) }
}

// shared has c conversations with daemons at once.
func shared(b *testing.B, daemons []*daemon, server, c int, says func(loop, n int) error) {
	b.Helper()
	ours := func() (sum time.Duration) {
		for _, d := range daemons {
			sum += processorOf(b, d.cmd.Process.Pid)
		}
		return sum
	}
	calls := map[int]int{1: 300, 16: 1600, 128: 2560}[c]
	theirs, own, begin := processorOf(b, server), ours(), time.Now()
	l := drive(b, c, calls, says)
	took := time.Since(begin)
	theirs, own = processorOf(b, server)-theirs, ours()-own
	name := fmt.Sprintf("postgres, %d nodes, %d conversations:", len(daemons), c)
	line(name+" rate", l.rate, "turns/s", 0)
	line(name+" p50", ms(l.p50), "ms", 0)
	line(name+" p99", ms(l.p99), "ms", 0)
	line(name+" PostgreSQL", ms(theirs)/float64(l.calls), "ms/turn", 0)
	line(name+" PostgreSQL of its processor", 100*theirs.Seconds()/took.Seconds(), "%", 0)
	line(name+" daemons", ms(own)/float64(l.calls), "ms/turn", 0)
}

// pin gives a process and its children, with all that they begin, one processor.
func pin(b *testing.B, processor, pid int) {
	b.Helper()
	for _, p := range append(childrenOf(b, pid), pid) {
		if out, err := exec.Command("taskset", "--all-tasks", "--cpu-list", "--pid", strconv.Itoa(processor), strconv.Itoa(p)).CombinedOutput(); err != nil { //nolint:gosec // numbers
			b.Fatalf("A process cannot be given a processor of its own (taskset of util-linux does that): %v %s", err, out)
		}
	}
}

// serverOf is the process of the PostgreSQL on this machine at an address.
func serverOf(b *testing.B, address string) int {
	b.Helper()
	conn, err := pgx.Connect(b.Context(), address)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = conn.Close(b.Context()) }() // a report
	var folder string
	if err := conn.QueryRow(b.Context(), "SHOW data_directory").Scan(&folder); err != nil {
		b.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(folder, "postmaster.pid"))
	if err != nil {
		b.Fatalf("PostgreSQL has to run on this machine, and its folder has to be readable: %v", err)
	}
	first, _, _ := strings.Cut(string(raw), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		b.Fatal(err)
	}
	return pid
}

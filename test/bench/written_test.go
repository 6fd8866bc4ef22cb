package bench

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// written measures what a turn writes and how often it waits for the disk: on SQLite
// the bytes that the daemon had the kernel write, with checkpoints, on PostgreSQL the
// bytes of its write-ahead log.
func (r report) written(b *testing.B, db string) {
	b.Helper()
	d := r.world(b, db).wide(128).start(b)
	defer d.stop()
	project := d.project(b)
	for _, c := range []int{1, 128} {
		calls := map[int]int{1: 200, 128: 1280}[c]
		name := fmt.Sprintf("%s %d conversations: ", db, c)
		before := d.bytes(b)
		l := drive(b, c, calls, d.turn(project, 0))
		line(name+"written", (d.bytes(b)-before)/1024/float64(l.calls), "KiB/turn", 0)
		syncs := d.syncs(b)
		l = drive(b, c, calls/4, d.turn(project, 0))
		if n, ok := syncs(); ok {
			line(name+"syncs", float64(n)/float64(l.calls), "1/turn", 0)
		} else {
			fmt.Printf("%ssyncs are not measured: strace is missing or may not trace\n", name)
		}
	}
}

// bytes is what has been written so far.
func (d *daemon) bytes(b *testing.B) (n float64) {
	b.Helper()
	if d.postgres == "" {
		return d.proc(b, "io", "write_bytes")
	}
	d.ask(b, "SELECT (pg_current_wal_insert_lsn() - '0/0')::float8", &n)
	return n
}

// ask reads one row from PostgreSQL.
func (d *daemon) ask(b *testing.B, query string, out any) {
	b.Helper()
	c, err := pgx.Connect(b.Context(), d.postgres)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = c.Close(b.Context()) }() // a report
	if err := c.QueryRow(b.Context(), query).Scan(out); err != nil {
		b.Fatal(err)
	}
}

// syncs counts from now on how often those who write the database call fsync and
// fdatasync; the function returned ends that.
func (d *daemon) syncs(b *testing.B) func() (int, bool) {
	b.Helper()
	pids := []int32{int32(d.cmd.Process.Pid)} //nolint:gosec // a process
	if d.postgres != "" {
		d.ask(b, "SELECT array_agg(pid) FROM pg_stat_activity", &pids)
	}
	out := filepath.Join(b.TempDir(), "strace")
	args := []string{"-f", "-c", "-U", "calls,name", "-e", "trace=fsync,fdatasync", "-o", out}
	for _, p := range pids {
		args = append(args, "-p", strconv.Itoa(int(p)))
	}
	cmd := exec.Command("strace", args...) //nolint:gosec // counts
	said, err := cmd.StderrPipe()
	if err != nil {
		b.Fatal(err)
	}
	if cmd.Start() != nil || !bufio.NewScanner(said).Scan() { // "attached"
		return func() (int, bool) { return 0, false }
	}
	go func() {
		for lines := bufio.NewScanner(said); lines.Scan(); { // it must not block
			continue
		}
	}()
	return func() (n int, ok bool) {
		_ = cmd.Process.Signal(os.Interrupt) // it may have ended
		_ = cmd.Wait()                       // it says that it was interrupted
		raw, err := os.ReadFile(out)         //nolint:gosec // ours
		for l := range strings.Lines(string(raw)) {
			if f := strings.Fields(l); len(f) == 2 && strings.HasSuffix(f[1], "sync") {
				calls, err := strconv.Atoi(f[0])
				n, ok = n+calls, err == nil
			}
		}
		return n, err == nil && ok
	}
}

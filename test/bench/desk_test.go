package bench

import (
	"bytes"
	"database/sql"
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// realExport is an export of 2,503 real issues beside the project, where it is there.
const realExport = "../../../shared/data/jira/hadoop_native_2503.csv"

// desk measures imports, questions over what they made, and the log that they left.
func (r report) desk(b *testing.B, db string) {
	b.Helper()
	w := r.world(b, db)
	w.model = "" // rules read an export
	d := w.start(b)
	if raw, err := os.ReadFile(realExport); err == nil {
		imported(b, d, db+" import of 2,503 real issues", raw, 2503)
	} else {
		fmt.Printf("%s import of 2,503 real issues is not measured: %v\n", db, err)
	}
	project := imported(b, d, db+" import of 10,000 generated issues", export(10_000), 10_000)
	d.stop()
	w.model = r.model
	d = w.start(b)
	r.asks(b, d, db, project)
	r.computed(b, d, db)
	events := d.end(b)
	d.stop()
	for _, what := range []string{"verify", "rebuild"} {
		took := w.command(b, "log", what)
		line(fmt.Sprintf("%s log %s per 100,000 events", db, what), ms(took)*100_000/float64(events), "ms", 0)
	}
}

// imported takes an export in; the floor inserts as many rows of the same bytes in one
// transaction of the bare driver.
func imported(b *testing.B, d *daemon, what string, raw []byte, rows int) (project string) {
	b.Helper()
	project = d.project(b)
	begin := time.Now()
	var in struct {
		ID string `json:"intakeId"`
	}
	file := map[string]any{"name": "export.csv", "data": raw}
	if err := d.cl.Call(b.Context(), "POST", "/api/intake", map[string]any{"projectId": project, "files": []any{file}}, &in); err != nil {
		b.Fatal(err)
	}
	var rec struct {
		Body struct {
			Status  string         `json:"status"`
			Created map[string]int `json:"created"`
		} `json:"body"`
	}
	done := within(5*time.Minute, func() bool {
		if err := d.cl.Call(b.Context(), "GET", "/api/projects/"+project+"/intakes/"+in.ID, nil, &rec); err != nil {
			b.Fatal(err)
		}
		return rec.Body.Status == "DISPATCHED" || rec.Body.Status == "FAILED"
	})
	took := time.Since(begin)
	if !done || rec.Body.Created["ticket"] != rows {
		b.Fatalf("the import ended as %+v", rec.Body)
	}
	floor := openBare(b, db(d))
	defer func() { _ = floor.Close() }() // a report
	line(what, ms(took), "ms", ms(insertAll(b, floor, db(d), rows, len(raw)/rows)))
	return project
}

func insertAll(b *testing.B, to *sql.DB, db string, rows, size int) time.Duration {
	b.Helper()
	begin := time.Now()
	tx, err := to.BeginTx(b.Context(), nil)
	if err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat("x", size)
	for i := range rows {
		if _, err := tx.ExecContext(b.Context(), insertBare(db), i, text); err != nil {
			b.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		b.Fatal(err)
	}
	return time.Since(begin)
}

// export is a tracker's export of n issues.
func export(n int) []byte {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	_ = w.Write([]string{"Issue key", "Summary", "Status", "Priority", "Assignee", "Created", "Story Points", "Description"}) // a buffer takes all
	for i := range n {
		_ = w.Write([]string{
			fmt.Sprintf("GEN-%d", i+1), fmt.Sprintf("Make part %d of the %s hold", i, []string{"gate", "bridge", "tower", "wall"}[i%4]),
			[]string{"To Do", "In Progress", "Done", "Blocked"}[i%4], []string{"High", "Medium", "Low"}[i%3], fmt.Sprintf("Person %d", i%40),
			fmt.Sprintf("2025-%02d-%02d", i%12+1, i%28+1), fmt.Sprint(i % 8), strings.Repeat("It gives way under load. ", 8),
		})
	}
	w.Flush()
	return out.Bytes()
}

// asks measures questions; the model answers at once, so what is left is our own time.
func (r report) asks(b *testing.B, d *daemon, db, project string) {
	b.Helper()
	questions := []string{"Which tickets are blocked?", "Who has the most capacity?", "What does GEN-77 say?", "How many tickets are done?"}
	l := drive(b, 1, 60, func(_, n int) error {
		return d.cl.Call(b.Context(), "POST", "/api/ask", map[string]string{"projectId": project, "question": questions[n%len(questions)]}, nil)
	})
	line(db+" ask over 10,000 tickets: p50", ms(l.p50), "ms", ms(r.floor[1].p50))
	line(db+" ask over 10,000 tickets: p99", ms(l.p99), "ms", ms(r.floor[1].p99))
}

// computed measures questions over 50,000 tickets that no model is asked: all of it is our own time.
func (r report) computed(b *testing.B, d *daemon, db string) {
	b.Helper()
	project := imported(b, d, db+" import of 50,000 generated issues", export(50_000), 50_000)
	l := drive(b, 1, 20*len(askedOver), func(_, n int) error {
		return d.cl.Call(b.Context(), "POST", "/api/ask", map[string]any{"projectId": project, "question": askedOver[n%len(askedOver)], "computed": true}, nil)
	})
	line(db+" ask over 50,000 tickets: p50", ms(l.p50), "ms", ms(r.floor[1].p50))
	line(db+" ask over 50,000 tickets: p99", ms(l.p99), "ms", ms(r.floor[1].p99))
}

// end is the last position of the log.
func (d *daemon) end(b *testing.B) int64 {
	b.Helper()
	var out struct {
		Events []struct {
			Seq int64 `json:"seq"`
		} `json:"events"`
	}
	if err := d.cl.Call(b.Context(), "GET", "/api/log?newest=true&limit=1", nil, &out); err != nil {
		b.Fatal(err)
	}
	return out.Events[0].Seq
}

// command runs the command line to its end.
func (w world) command(b *testing.B, args ...string) time.Duration {
	b.Helper()
	args = append(args, "--data", w.data)
	if w.postgres != "" {
		args = append(args, "--postgres", w.postgres)
	}
	begin := time.Now()
	cmd := exec.Command(w.bin, args...) //nolint:gosec // ours
	cmd.Env = w.env()
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("chela %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return time.Since(begin)
}

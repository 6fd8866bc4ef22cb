package bench

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"
)

// manyTickets is of how many a project is that lists, looks back and what is computed are measured in.
const manyTickets = 50_000

// A look is a request that is measured. aim is in milliseconds, 0 for none.
type look struct {
	what, path string
	aim        float64
}

// records measures what people look at in one project of 50,000 tickets: now, right after a change, at earlier moments and after a
// start.
func (r report) records(b *testing.B, db string) {
	b.Helper()
	w := r.world(b, db)
	w.model = "" // rules read an export
	d := w.start(b)
	project := imported(b, d, db+" import of 50,000 tickets with sprints, labels and days", tracked(manyTickets), manyTickets)
	line(db+" resident, at most", d.memory(b, "VmHWM"), "MiB", 0)
	at := "/api/projects/" + project
	for _, l := range lookedAt(project) {
		d.look(b, db, 9, l)
	}
	for _, owner := range []string{"Person 7", "Person 7,Person 8"} {
		names := strings.ReplaceAll(owner, ",", `","`)
		d.preview(b, db, at, fmt.Sprintf("owner:%q status:TODO,IN_PROGRESS,BLOCKED", names))
	}
	end := d.end(b)
	d.edit(b, at, 30)
	for _, m := range []struct {
		when string
		at   int64
	}{{"before 30 edits", end}, {"in the middle of the import", end / 2}} {
		for _, l := range lookedBackAt(project, m.at) {
			l.what += " " + m.when
			d.look(b, db, 3, l)
		}
	}
	d.look(b, db, 3, look{"differences since the middle of the import", fmt.Sprintf("%s/changes?from=%d&limit=200", at, end/2), 200})
	for _, what := range []string{"today", "capacity", "coverage", "sprints"} {
		d.look(b, db, 9, look{what, at + "/" + what, 0})
		took := make([]time.Duration, 9)
		for i := range took {
			d.edit(b, at, 1)
			took[i] = d.took(b, at+"/"+what)
		}
		aimed(db+" "+what+" after a change: p50", ms(median(took)), 10)
	}
	d.stop()
	for _, after := range []time.Duration{0, 3 * time.Second, 10 * time.Second} {
		d = w.start(b)
		time.Sleep(after)
		aimed(fmt.Sprintf("%s today %v after a start", db, after), ms(d.took(b, at+"/today")), 100)
		d.stop()
	}
}

// aimed prints a time beside how long it may take, in milliseconds; 0 for whatever it takes.
func aimed(what string, took, aim float64) {
	if aim == 0 {
		line(what, took, "ms", 0)
		return
	}
	fmt.Printf("%-44s %10.2f %-8s aim %12.2f  ratio %6.2f\n", what, took, "ms", aim, took/aim)
}

// tracked is a tracker's export of n issues with sprints, labels and days.
func tracked(n int) []byte {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	_ = w.Write([]string{"Issue key", "Summary", "Status", "Priority", "Assignee", "Created", "Due Date", "Sprint", "Labels", "Story Points", "Description"}) // a buffer takes all
	for i := range n {
		said := strings.Repeat("It gives way under load. ", 8)
		if i%3 == 0 {
			said += "refund"
		}
		_ = w.Write([]string{
			fmt.Sprintf("GEN-%d", i+1), fmt.Sprintf("Make part %d of the %s hold", i, []string{"gate", "bridge", "tower", "wall"}[i%4]),
			[]string{"To Do", "In Progress", "Done", "Blocked"}[i%4], []string{"High", "Medium", "Low"}[i%3], fmt.Sprintf("Person %d", i%40),
			fmt.Sprintf("2025-%02d-%02d", i%12+1, i%28+1), fmt.Sprintf("2026-%02d-%02d", i*7%12+1, i%28+1), fmt.Sprintf("Sprint %d", i%20), fmt.Sprintf("area-%d", i%25), strconv.Itoa(i % 8), said,
		})
	}
	w.Flush()
	return out.Bytes()
}

// lookedAt are lists, counts and searches as they are now.
func lookedAt(project string) []look {
	at := "/api/projects/" + project
	out := []look{{"counts", at + "/counts", 15}}
	for _, l := range []struct {
		sort, filter string
		aim          float64
	}{
		{"", "", 20},
		{"title", "", 20},
		{"-priority", "", 20},
		{"dueDate", "", 20},
		{"-updated", "", 20},
		{"owner", "", 20},
		{"", "status:TODO", 20},
		{"", `owner:"Person 7"`, 20},
		{"dueDate", `owner:"Person 7"`, 20},
		{"-priority", `sprint:"Sprint 3"`, 20},
		{"-updated", "label:area-7", 20},
		{"dueDate", "due:<today open:true", 20},
		{"", "gate", 60},
		{"", "refund", 60},
		{"", "-status:DONE (priority:HIGH OR points:>5)", 60},
		{"", "description:~refund", 60},
		{"", "closedOn:none", 60},
		{"", "sources.line:>3", 60},
	} {
		out = append(out, look{strings.TrimSpace("list " + l.filter + " by " + l.sort), listOf(at, l.filter, l.sort, 0), l.aim})
	}
	for _, words := range []string{"refund", "load"} {
		for _, kind := range []string{"", "&kind=ticket"} {
			out = append(out, look{"search " + words + kind, "/api/search?q=" + words + kind + "&projectId=" + project, 30})
		}
	}
	return out
}

// lookedBackAt are what is looked at of a position of the log.
func lookedBackAt(project string, moment int64) []look {
	at := "/api/projects/" + project
	var out []look
	for _, l := range [][2]string{{"", ""}, {"", "title"}, {"", "-priority"}, {"", "owner"}, {`owner:"Person 7"`, ""}, {"label:area-7", ""}, {"gate", ""}} {
		out = append(out, look{strings.TrimSpace("list " + l[0] + " by " + l[1]), listOf(at, l[0], l[1], moment), 300})
	}
	for _, what := range []string{"counts", "today", "capacity", "coverage", "sprints"} {
		out = append(out, look{what, fmt.Sprintf("%s/%s?asOf=%d", at, what, moment), 300})
	}
	return out
}

func listOf(project, filter, sort string, moment int64) string {
	q := url.Values{"limit": {"50"}}
	for name, value := range map[string]string{"filter": filter, "sort": sort} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if moment > 0 {
		q.Set("asOf", strconv.FormatInt(moment, 10))
	}
	return project + "/tickets?" + q.Encode()
}

// look measures a request some times.
func (d *daemon) look(b *testing.B, db string, times int, l look) {
	b.Helper()
	took := make([]time.Duration, times)
	for i := range took {
		took[i] = d.took(b, l.path)
	}
	aimed(db+" "+l.what+": p50", ms(median(took)), l.aim)
}

func (d *daemon) took(b *testing.B, path string) time.Duration {
	b.Helper()
	begin := time.Now()
	if err := d.cl.Call(b.Context(), "GET", path, nil, nil); err != nil {
		b.Fatal(err)
	}
	return time.Since(begin)
}

// preview measures what a bulk edit would change.
func (d *daemon) preview(b *testing.B, db, project, filter string) {
	b.Helper()
	took := make([]time.Duration, 5)
	var out struct {
		Matched int `json:"matched"`
	}
	for i := range took {
		begin := time.Now()
		if err := d.cl.Call(b.Context(), "POST", project+"/tickets/bulk", map[string]any{"filter": filter, "set": map[string]any{"priority": "CRITICAL"}, "preview": true}, &out); err != nil {
			b.Fatal(err)
		}
		took[i] = time.Since(begin)
	}
	aimed(fmt.Sprintf("%s preview of %d edits: p50", db, out.Matched), ms(median(took)), 200)
}

// edit changes the ticket that was changed last, some times.
func (d *daemon) edit(b *testing.B, project string, times int) {
	b.Helper()
	var page struct {
		Items []struct {
			ID   string `json:"id"`
			Body struct {
				Points float64 `json:"storyPoints"`
			} `json:"body"`
		} `json:"items"`
	}
	for range times {
		if err := d.cl.Call(b.Context(), "GET", project+"/tickets?limit=1&sort=-updated", nil, &page); err != nil {
			b.Fatal(err)
		}
		one := page.Items[0]
		if err := d.cl.Call(b.Context(), "PATCH", project+"/tickets/"+one.ID, map[string]float64{"storyPoints": one.Body.Points + 1}, nil); err != nil {
			b.Fatal(err)
		}
	}
}

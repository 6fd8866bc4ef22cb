package test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"unicode/utf16"

	"chela/internal/fault"
)

type intakeRecord struct {
	Body struct {
		RulesOnly bool     `json:"rulesOnly"`
		Status    string   `json:"status"`
		Problems  []string `json:"problems"`
		Phases    []struct {
			Name, Status, Summary string
		} `json:"phases"`
	} `json:"body"`
}

func (r intakeRecord) phase(name string) (status, summary string) {
	for _, p := range r.Body.Phases {
		if p.Name == name {
			return p.Status, p.Summary
		}
	}
	return "", ""
}

// TestIntake_KeepsTheRulesWithoutTheModel has the provider refuse in the middle of an intake: what rules found stands,
// and it is tried again with the model.
func TestIntake_KeepsTheRulesWithoutTheModel(t *testing.T) {
	t.Parallel()
	var refuse atomic.Bool
	refuse.Store(true)
	w := newWorld(t, func(r request) any {
		if _, said := r.since(); refuse.Load() && strings.Contains(said, "Check the project's objectives") {
			return http.StatusUnauthorized
		}
		return text("Nothing to add.")
	})
	s := setup{data: t.TempDir(), env: w.env()}
	d := s.running(t)
	project := newProject(t, d)
	r := handIn(t, d, project, "minutes.md", documents.Minutes)
	path := "/api/projects/" + project + "/intakes/" + r.Intake
	var rec intakeRecord
	over := func(what string) {
		t.Helper()
		until(t, what, func() bool {
			rec = intakeRecord{}
			d.must(t, "GET", path, nil, &rec)
			return rec.Body.Status == "DISPATCHED" || rec.Body.Status == "FAILED"
		})
	}
	over("the end of the intake")
	if _, why := rec.phase("objectives"); rec.Body.Status != "DISPATCHED" || !rec.Body.RulesOnly || !strings.Contains(why, "The model could not be asked") || !strings.Contains(why, "key") {
		t.Errorf("%s, rules only %t: %s; want the rules' result, and why", rec.Body.Status, rec.Body.RulesOnly, why)
	}
	w.mu.Lock()
	before := total(w.asked)
	w.mu.Unlock()
	refuse.Store(false)
	d.must(t, "POST", path+"/retry", nil, &r)
	over("the end of the second attempt")
	if _, why := rec.phase("objectives"); rec.Body.RulesOnly || strings.Contains(why, "could not be asked") {
		t.Errorf("rules only %t after the second attempt: %s", rec.Body.RulesOnly, why)
	}
	w.mu.Lock()
	if asked := total(w.asked) - before; asked != 1 {
		t.Errorf("%d questions in the second attempt, want that of the phase that no model had read", asked)
	}
	w.mu.Unlock()
	var threads list
	d.must(t, "GET", "/api/projects/"+project+"/threads", nil, &threads)
	if threads.Total != 3 {
		t.Errorf("%d threads after the second attempt, want 3", threads.Total)
	}
	if err := d.try("POST", path+"/retry", nil, nil); fault.KindOf(err) != fault.Conflict {
		t.Errorf("a third attempt: %v, want a conflict", err)
	}
	d.stop()
	s.verified(t)
}

// TestIntake_CancelledIsTriedAgain cancels an intake while its model does not answer: it failed, says why, and goes on when it is
// tried again.
func TestIntake_CancelledIsTriedAgain(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 8)
	var hang atomic.Bool
	hang.Store(true)
	w := newWorld(t, func(r request) any {
		if hang.Load() {
			asked <- struct{}{}
			<-r.gone
		}
		return text("Nothing to add.")
	})
	s := setup{data: t.TempDir(), env: w.env()}
	d := s.running(t)
	project := newProject(t, d)
	r := handIn(t, d, project, "minutes.md", documents.Minutes)
	<-asked
	d.must(t, "POST", "/api/runs/"+r.Run+"/cancel", nil, nil)
	hang.Store(false)
	path := "/api/projects/" + project + "/intakes/" + r.Intake
	var rec intakeRecord
	d.must(t, "GET", path, nil, &rec)
	if status, why := rec.phase("triage"); rec.Body.Status != "FAILED" || status != "failed" || why != "A person cancelled it." {
		t.Errorf("cancelled, the intake is %s, its phase %s: %s", rec.Body.Status, status, why)
	}
	d.must(t, "POST", path+"/retry", nil, &r)
	intakeAt(t, d, path, "DISPATCHED")
	d.stop()
	s.verified(t)
}

// TestIntake_ArchivedMeanwhileFailed archives a project while an intake of it asks a model: it failed, says why, and goes on when
// the project is active again and it is tried again.
func TestIntake_ArchivedMeanwhileFailed(t *testing.T) {
	t.Parallel()
	asked, answer := make(chan struct{}, 8), make(chan struct{})
	w := newWorld(t, func(r request) any {
		asked <- struct{}{}
		<-answer
		return text("Nothing to add.")
	})
	s := setup{data: t.TempDir(), env: w.env()}
	d := s.running(t)
	project := newProject(t, d)
	r := handIn(t, d, project, "minutes.md", documents.Minutes)
	<-asked
	d.must(t, "PATCH", "/api/projects/"+project, map[string]any{"status": "ARCHIVED"}, nil)
	close(answer)
	path := "/api/projects/" + project + "/intakes/" + r.Intake
	rec := intakeAt(t, d, path, "FAILED")
	if status, why := rec.phase("triage"); status != "failed" || !strings.Contains(why, "is archived") {
		t.Errorf("the phase in which the project was archived is %s: %s", status, why)
	}
	d.must(t, "PATCH", "/api/projects/"+project, map[string]any{"status": "ACTIVE"}, nil)
	d.must(t, "POST", path+"/retry", nil, nil)
	intakeAt(t, d, path, "DISPATCHED")
	d.stop()
	s.verified(t)
}

// intakeAt returns an intake once it has the status.
func intakeAt(t *testing.T, d *daemon, path, status string) (rec intakeRecord) {
	t.Helper()
	until(t, "that the intake is "+status, func() bool {
		rec = intakeRecord{}
		d.must(t, "GET", path, nil, &rec)
		return rec.Body.Status == status
	})
	return rec
}

// utf16File is a text as Excel saves "Unicode text".
func utf16File(text string) []byte {
	out := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(text)) {
		out = append(out, byte(u), byte(u>>8))
	}
	return out
}

// TestIntake_BadInputEndsAsASentence hands in what people hand in by mistake, together with a
// good file.
func TestIntake_BadInputEndsAsASentence(t *testing.T) {
	t.Parallel()
	s := setup{data: t.TempDir()}
	d := s.running(t)
	project := newProject(t, d)
	rows := "Key,Summary,Status\nA-1,First,To Do\nA-2,\"Second\nline\",Done\nA-3,\"never closed,Done\nA-4,Fourth,Done\n"
	files := []any{
		map[string]any{"name": "tickets.csv", "data": documents.Tickets},
		map[string]any{"name": "broken.csv", "data": []byte(rows)},
		map[string]any{"name": "photo.csv", "data": []byte("\x89PNG\r\n\x1a\n\x00\x00\x00")},
		map[string]any{"name": "cut.xlsx", "data": []byte("PK\x03\x04 and then nothing")},
		map[string]any{"name": "half.json", "data": []byte(`[{"key":"B-1","summary":"x"},{"key":`)},
		map[string]any{"name": "empty.md", "data": []byte("")},
		map[string]any{"name": "unicode.tsv", "data": utf16File("Key\tSummary\tStatus\nC-1\tÜber die Zeile\tTo Do\n")},
		map[string]any{"name": "kind.exe", "data": []byte("MZ")},
	}
	var r receiptAnswer
	d.must(t, "POST", "/api/intake", map[string]any{"projectId": project, "files": files}, &r)
	var rec intakeRecord
	until(t, "the end of the intake", func() bool {
		d.must(t, "GET", "/api/projects/"+project+"/intakes/"+r.Intake, nil, &rec)
		return rec.Body.Status == "DISPATCHED"
	})
	problems := strings.Join(rec.Body.Problems, "\n")
	for _, name := range []string{"broken.csv", "photo.csv", "cut.xlsx", "half.json", "kind.exe"} {
		if n := strings.Count("\n"+problems, "\n"+name); n != 1 {
			t.Errorf("%s has %d sentences:\n%s", name, n, problems)
		}
	}
	if strings.Contains(problems, "unicode.tsv") || strings.Contains(problems, "tickets.csv") {
		t.Errorf("a good file is called bad:\n%s", problems)
	}
	var tickets list
	d.must(t, "GET", "/api/projects/"+project+"/tickets?limit=100", nil, &tickets)
	titles := ""
	for _, x := range tickets.Items {
		titles += x.Body.Title + "\n"
	}
	for _, want := range []string{"First", "Über die Zeile"} {
		if !strings.Contains(titles, want) {
			t.Errorf("the good row %q is missing:\n%s", want, titles)
		}
	}
	var uploads list
	d.must(t, "GET", "/api/projects/"+project+"/uploads", nil, &uploads)
	if uploads.Total < len(files)-1 {
		t.Errorf("the raw bytes of %d files are kept", uploads.Total)
	}
	for name, c := range map[string]struct {
		in   map[string]any
		kind fault.Kind
	}{
		"too many files":  {map[string]any{"projectId": project, "files": slices.Repeat(files[:1], 21)}, fault.Invalid},
		"nothing":         {map[string]any{"projectId": project, "content": "  "}, fault.Invalid},
		"another project": {map[string]any{"projectId": "prj_none", "content": "x"}, fault.NotFound},
	} {
		if err := d.try("POST", "/api/intake", c.in, nil); fault.KindOf(err) != c.kind || err == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	d.stop()
	s.verified(t)
}

// TestIntake_ALargeExport takes a table of 2,500 rows in, as Jira exports it.
func TestIntake_ALargeExport(t *testing.T) {
	t.Parallel()
	const rows = 2500
	var b strings.Builder
	b.WriteString("Status,Summary,Issue key,Assignee,Story Points,Description\n")
	for i := range rows {
		fmt.Fprintf(&b, "%s,\"Summary, %d\",P-%d,%s,%d,\"two\nlines\"\n", []string{"Open", "Resolved", "In Progress"}[i%3], i, i, []string{"Ann Lee", "", "Bob"}[i%3], i%8)
	}
	databases(t, func(t *testing.T, s setup) {
		var shown atomic.Int64
		w := newWorld(t, func(r request) any {
			_, said := r.since()
			if strings.Contains(said, "2500 rows") && strings.Contains(said, "Summary, 19") && !strings.Contains(said, "Summary, 20") {
				shown.Add(1)
			}
			return text("Done.")
		})
		s.env = w.env()
		d := s.running(t)
		project := newProject(t, d)
		takeIn(t, d, project, "export.csv", []byte(b.String()))
		if shown.Load() == 0 {
			t.Error("no model was shown the beginning of the table and its length, after it was recorded")
		}
		var tickets, people list
		d.must(t, "GET", "/api/projects/"+project+"/tickets?limit=1", nil, &tickets)
		d.must(t, "GET", "/api/projects/"+project+"/resources", nil, &people)
		if tickets.Total != rows || people.Total != 2 {
			t.Errorf("%d tickets, %d people", tickets.Total, people.Total)
		}
		d.stop()
		s.verified(t)
	})
}

// TestIntake_HugeFilesAreBounded previews a table of a million rows and hands in 200 MB: a
// sentence each, and the daemon does not grow beyond what it may.
func TestIntake_HugeFilesAreBounded(t *testing.T) {
	t.Parallel()
	const most = 400 << 10 // KB that the daemon had at most
	s := setup{data: t.TempDir()}
	d := s.running(t)
	project := newProject(t, d)
	file := filepath.Join(s.data, "huge.csv")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, 200<<20); err != nil {
		t.Fatal(err)
	}
	out, errs, code := s.chela(t, "", "import", file, "-p", "Payments")
	if code != 3 || !strings.Contains(errs, "huge.csv has 200 MB; a file may have 64. Split it") {
		t.Errorf("%d\n%s%s", code, out, errs)
	}
	in := map[string]any{"projectId": project, "files": []any{map[string]any{"name": "huge.csv", "data": make([]byte, 200<<20)}}}
	if err := d.try("POST", "/api/intake", in, nil); err == nil || fault.KindOf(err) == fault.TooLarge && !strings.Contains(err.Error(), "takes up to 128") {
		t.Errorf("200 MB over the API: %v", err) // the daemon hangs up on a client that goes on sending
	}
	var preview struct {
		Tables []struct {
			New int `json:"new"`
		} `json:"tables"`
		Problems []string `json:"problems"`
	}
	rows := "Key,Summary,Status\n" + strings.Repeat("A-1,x,Done\n", 1_000_000)
	d.must(t, "POST", "/api/intake/preview", map[string]any{"projectId": project, "file": map[string]any{"name": "rows.csv", "data": []byte(rows)}}, &preview)
	if len(preview.Tables) != 1 || preview.Tables[0].New != 1 || len(preview.Problems) != 1 || !strings.Contains(preview.Problems[0], "800000 were left out") {
		t.Errorf("%+v", preview)
	}
	d.stop()
	usage, ok := d.cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok || usage.Maxrss > most {
		t.Errorf("the daemon had %d MB", usage.Maxrss>>10)
	}
	s.verified(t)
}

// TestIntake_FilesAreUploadedAndTakenIn sends files as a form, as curl does, and takes them in by
// their ids.
func TestIntake_FilesAreUploadedAndTakenIn(t *testing.T) {
	t.Parallel()
	s := setup{data: t.TempDir()}
	d := s.running(t)
	project := newProject(t, d)
	token, err := os.ReadFile(filepath.Join(s.data, "token"))
	if err != nil {
		t.Fatal(err)
	}
	send := func(project string, files map[string][]byte) (status int, out []struct {
		ID    string `json:"uploadId"`
		Name  string `json:"fileName"`
		Path  string `json:"filePath"`
		Again bool   `json:"again"`
	}, text string,
	) {
		t.Helper()
		var form bytes.Buffer
		w := multipart.NewWriter(&form)
		_ = w.WriteField("projectId", project) // a buffer takes all
		for name, raw := range files {
			part, err := w.CreateFormFile("files", name)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = part.Write(raw)
		}
		_ = w.Close()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, addressOf(t, s)+"/api/intake/upload", &form)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", w.FormDataContentType())
		req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		raw, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		_ = json.Unmarshal(raw, &out) // a refusal is no list
		return res.StatusCode, out, string(raw)
	}
	status, out, text := send(project, map[string][]byte{"tickets.csv": documents.Tickets, "minutes.md": documents.Minutes})
	if status != http.StatusCreated || len(out) != 2 {
		t.Fatalf("%d %s", status, text)
	}
	if status, again, text := send(project, map[string][]byte{"other.csv": documents.Tickets}); status != http.StatusCreated || !again[0].Again || again[0].ID != out[0].ID && again[0].ID != out[1].ID {
		t.Errorf("the same bytes: %d %s", status, text)
	}
	if status, _, text := send(project, map[string][]byte{"large.csv": make([]byte, 65<<20)}); status != http.StatusRequestEntityTooLarge || !strings.Contains(text, "large.csv has 65 MB; a file may have 64") {
		t.Errorf("%d %s", status, text)
	}
	if status, _, text := send("prj_none", map[string][]byte{"a.csv": []byte("x")}); status != http.StatusNotFound {
		t.Errorf("%d %s", status, text)
	}
	var r receiptAnswer
	d.must(t, "POST", "/api/intake", map[string]any{"projectId": project, "uploadIds": []string{out[0].ID, out[1].ID}}, &r)
	until(t, "the end of the intake", func() bool {
		var rec intakeRecord
		d.must(t, "GET", "/api/projects/"+project+"/intakes/"+r.Intake, nil, &rec)
		return rec.Body.Status == "DISPATCHED"
	})
	var l list
	if d.must(t, "GET", "/api/projects/"+project+"/tickets", nil, &l); l.Total != 11 {
		t.Errorf("%d tickets", l.Total)
	}
	if d.must(t, "GET", "/api/projects/"+project+"/uploads?status=THREADED&refersTo="+r.Intake, nil, &l); l.Total != 2 {
		t.Errorf("%d uploads know their intake", l.Total)
	}
	for path, body := range map[string]string{"/api/intake": `"uploadIds":["upl_none"]`, "/api/intake/pipeline": `"filePaths":["/etc/hostname"]`} {
		if err := d.try("POST", path, rawJSON(fmt.Sprintf(`{"projectId":%q,%s}`, project, body)), nil); fault.KindOf(err) != fault.NotFound {
			t.Errorf("an upload that is not there: %v", err)
		}
	}
	var piped struct {
		receiptAnswer
		Pipeline string `json:"pipelineId"`
		Status   string `json:"status"`
	}
	d.must(t, "POST", "/api/intake/pipeline", map[string]any{"projectId": project, "filePaths": []string{out[0].Path, out[1].Path}}, &piped)
	if piped.Intake != r.Intake || piped.Pipeline != r.Intake || piped.Status != "PIPELINE_STARTED" {
		t.Errorf("the same files by their paths: %+v, want the intake %s", piped, r.Intake)
	}
	d.stop()
	s.verified(t)
}

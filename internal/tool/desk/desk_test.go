package desk_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"chela/internal/memory"
	"chela/internal/org"

	"github.com/google/go-cmp/cmp"

	"chela/internal/artifact"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/disk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/store"
	"chela/internal/store/sqlite"
	"chela/internal/testkit/sqlitetest"
	"chela/internal/tool"
	tooldesk "chela/internal/tool/desk"
)

// said is a conversation of nine messages.
type said struct{}

func (said) Session(_ context.Context, thread string) (session.Thread, error) {
	return session.Thread{ID: thread, Project: "prj_other"}, nil
}

func (said) Messages(_ context.Context, _ string, after event.Seq, limit int) (out []session.Message, err error) {
	for i := after + 1; i <= 9 && len(out) < limit; i++ {
		out = append(out, session.Message{Seq: i, Actor: "person:ann", Said: session.Said{Message: fmt.Sprintf("message %d", i)}})
	}
	return out, nil
}

// A world is the tools over a real store with a project.
type world struct {
	t       *testing.T
	db      *store.DB
	tools   *tool.Set
	arts    *artifact.Files
	project string
	thread  string
	ids     map[string]string // {name} in arguments
}

func newWorld(t *testing.T) *world {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlitetest.Path(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() }) // its file goes with the test
	arts, err := artifact.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, db: db, arts: arts, tools: tool.NewSet(tooldesk.Tools(clerk.New(db.Desk), said{}, arts, remembering{memory.New(db.Recall, db.Mint().Now), db.Recall})...), thread: "thr_1", ids: make(map[string]string)}
	w.project = w.make(desk.Project, `{"name":"Payments"}`)
	return w
}

// remembering finds memories; the agent of these tests is in the team red.
type remembering struct {
	*memory.Memory
	notes store.Recall
}

func (r remembering) Notes(ctx context.Context, person string) ([]memory.Note, error) {
	return r.notes.Notes(ctx, person)
}

func (remembering) Teams(context.Context, org.AgentID) ([]string, error) { return []string{"red"}, nil }

func place() event.Place {
	return event.Place{Thread: "thr_1", Run: "run_1", Task: "task_1", From: event.Party{AgentID: "agent:test"}}
}

func (w *world) make(k desk.Kind, body string) (id string) {
	w.t.Helper()
	project := w.project
	err := clerk.New(w.db.Desk).Do(w.t.Context(), place(), project, func(d []event.Draft) error {
		_, err := w.db.Log.Append(w.t.Context(), d...)
		return err
	}, func(c *clerk.Work) error {
		r, err := c.Create(k, json.RawMessage(w.filled(body)))
		id = r.ID
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

func (w *world) filled(text string) string {
	for name, id := range w.ids {
		text = strings.ReplaceAll(text, "{"+name+"}", id)
	}
	return text
}

// call calls a tool as an agent does and records what it changes.
func (w *world) call(name, args string) (string, error) {
	w.t.Helper()
	t, ok := w.tools.Find(name)
	if !ok {
		w.t.Fatalf("there is no tool %s", name)
	}
	c := tool.Call{Name: name, Args: json.RawMessage(w.filled(args)), Run: run.Run{Spec: run.Spec{ID: "run_1", Project: w.project, Thread: w.thread}}, Place: place(), Agent: "agent:pm"}
	r, err := t.Call(w.t.Context(), c)
	if err != nil {
		return "", err
	}
	if len(r.Drafts) > 0 {
		_, err = w.db.Log.Append(w.t.Context(), r.Drafts...)
	}
	return r.Text, err
}

func TestDesk_Tools(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ids["ann"] = w.make(desk.Resource, `{"name":"Ann"}`)
	w.ids["one"] = w.make(desk.Ticket, `{"title":"One","priority":"HIGH"}`)
	w.ids["two"] = w.make(desk.Ticket, `{"title":"Two"}`)
	w.ids["goal"] = w.make(desk.Objective, `{"outcome":"Ship","sprintName":"S1","ticketIds":["{one}"]}`)
	w.make(desk.Objective, `{"outcome":"Sell","sprintName":"S2"}`)
	w.ids["topic"] = w.make(desk.Thread, `{"title":"Topic"}`)
	w.ids["other"] = w.make(desk.Thread, `{"title":"Other"}`)
	w.make(desk.Milestone, `{"name":"M","targetDate":"2026-03-01"}`)
	for _, c := range []struct{ tool, args, want, not string }{
		{"read_thread_messages", `{"threadId":"thr_1","limit":2,"offset":3}`, `{"items":[{"seq":4,"from":"person:ann","text":"message 4"},{"seq":5,"from":"person:ann","text":"message 5"}],"total":6,"next":"5"}`, ""},
		{"read_thread_messages", `{"threadId":"thr_1","after":8}`, `"message 9"}],"total":1}`, "next"},
		{"suggest_assignments", `{"ticketId":"{two}"}`, `"{two}"`, "{one}"},
		{"suggest_assignments", `{"ticketId":"tkt_none"}`, `{"suggestions":[]}`, ""},
		{"compute_coverage", `{"sprintName":"s1"}`, `"Ship"`, "Sell"},
		{"classify_content", `{"content":"PAY-12 and OPS-3","sourceHint":"jira export"}`, `"contentType":"JIRA_DUMP","confidence":0.9,"extractedPeople":[],"extractedKeys":["PAY-12","OPS-3"],"extractedProjects":["PAY","OPS"],"extractedDates":[]`, ""},
		{"classify_content", `{"content":"Meeting 2026-03-02\nAttendees: Ann Lee\n- [ ] Ann Lee to call Bob by 2026-03-09"}`, `"2026-03-09"`, ""},
		{"generate_plan_artifact", `{"includeTimeline":false}`, `# Plan`, "2026-03-01"},
		{"generate_plan_artifact", `{}`, `2026-03-01`, ""},
		{"create_thread", `{"title":"Draft","lifecycle":"DRAFT"}`, `"created"`, ""},
		{"rename_thread", `{"threadId":"{topic}","newTitle":"Better","reason":"clearer"}`, `"Better"`, ""},
		{"merge_threads", `{"sourceThreadIds":["{topic}","{other}"],"reason":"one topic"}`, `"merged"`, ""},
		{"create_delta_pack", `{"deltas":[{"deltaType":"DATE_DRIFT","title":"x","autoResolvable":true}]}`, `"created"`, ""},
		{"create_checklist_template", `{"name":"Release","category":"ORR","items":[{"text":"a"}],"global":true}`, `"created"`, ""},
		{"memory", `{"operation":"store","key":"k","content":"of the project","tags":["a"]}`, `"created"`, ""},
		{"memory", `{"operation":"store","key":"k","content":"of all","scope":"GLOBAL","tags":["a","b"]}`, `"created"`, ""},
		{"memory", `{"operation":"store","key":"k","content":"of the talk","scope":"THREAD"}`, `"created"`, ""},
		{"memory", `{"operation":"store","key":"k","content":"of all, newer","scope":"GLOBAL"}`, `"updated"`, ""},
		{"memory", `{"operation":"recall","key":"k"}`, `"total":3`, ""},
		{"memory", `{"operation":"recall","tags":["b"]}`, `"GLOBAL","key":"k","content":"of all, newer","tags":["a","b"]}],"total":1`, ""},
		{"memory", `{"operation":"recall","query":"talk","scope":"THREAD"}`, `"total":1`, ""},
		{"memory", `{"operation":"delete","key":"k","scope":"GLOBAL"}`, `"deleted"`, ""},
		{"memory", `{"operation":"recall","key":"k"}`, `"total":2`, "of all"},
		{"memory", `{"operation":"store","key":"t","content":"of another","scope":"THREAD","threadId":"thr_9"}`, `"created"`, ""},
		{"memory", `{"operation":"store","key":"s","content":"for a day","scope":"SESSION"}`, `"created"`, ""},
		{"memory", `{"operation":"recall"}`, `"for a day"`, "of another"},
		{"memory", `{"operation":"recall","scope":"THREAD","threadId":"thr_9"}`, `"content":"of another"}],"total":1`, ""},
		{"memory", `{"operation":"delete","key":"t","scope":"THREAD","threadId":"thr_9"}`, `"deleted"`, ""},
		{"memory", `{"operation":"store","key":"mine","content":"An agent's own way.","scope":"AGENT"}`, `"created"`, ""},
		{"memory", `{"operation":"store","key":"ours","content":"The team tests first.","scope":"TEAM","type":"procedure"}`, `"created"`, ""},
		{"memory", `{"operation":"recall","query":"How does the team test?"}`, `"type":"procedure","key":"ours"`, ""},
		{"memory", `{"operation":"recall","query":"What is the agent's own way?","scope":"AGENT"}`, `"total":1`, "team"},
		{"memory", `{"operation":"delete","key":"mine","scope":"AGENT"}`, `"deleted"`, ""},
		{"memory", `{"operation":"recall","query":"nobody said"}`, `{"memories":[],"total":0}`, ""},
	} {
		got, err := w.call(c.tool, c.args)
		if err != nil || !strings.Contains(got, w.filled(c.want)) || c.not != "" && strings.Contains(got, w.filled(c.not)) {
			t.Errorf("%s %s: %v\n%s\nwant %s", c.tool, w.filled(c.args), err, got, w.filled(c.want))
		}
	}
	if got, err := w.call("read_thread_messages", `{"threadId":"thr_9"}`); fault.KindOf(err) != fault.NotFound || strings.Contains(got, "message") {
		t.Errorf("a conversation of another project is read: %s %v", got, err)
	}
	w.thread = "thr_2"
	if got, err := w.call("memory", `{"operation":"recall"}`); err != nil || strings.Contains(got, "of the talk") {
		t.Errorf("a memory of another conversation: %s %v", got, err)
	}
	pack, err := w.db.Desk.Records(t.Context(), clerk.Query{Project: w.project, Kind: desk.DeltaPack})
	if err != nil || len(pack.Records) != 1 || !strings.Contains(string(pack.Records[0].Body), `"autoResolvable":true`) {
		t.Errorf("%+v %v", pack, err)
	}
}

// What an operation of memory needs is said before anybody is asked.
func TestDesk_MemoryNeedsItsArguments(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	memory, ok := w.tools.Find("memory")
	if !ok {
		t.Fatal("there is no memory")
	}
	for args, want := range map[string]string{
		`{}`: "operation: The field is required.", `{"operation":"forget"}`: "store, recall, delete",
		`{"operation":"store","key":"k","content":" "}`:                             "To store a memory, give what to keep",
		`{"operation":"delete"}`:                                                    "To delete a memory, give the key",
		`{"operation":"delete","key":"k","content":"x"}`:                            "Only store takes content",
		`{"operation":"recall","content":"x"}`:                                      "by query",
		`{"operation":"store","key":"k","content":"x","query":"y"}`:                 "Only recall takes a query",
		`{"operation":"recall","threadId":"thr_1"}`:                                 "THREAD and SESSION",
		`{"operation":"store","key":"k","content":"x","scope":"WORLD"}`:             "PROJECT, GLOBAL, THREAD, SESSION, AGENT, TEAM, PERSON",
		`{"operation":"store","key":"k","content":"x","Key":"K"}`:                   "Key",
		`{"operation":"store","key":"k","content":"x","expiresAt":"when it rains"}`: "expiresAt",
		`{"operation":"store","key":"k","content":"x","expiresAt":"2020-01-01"}`:    "expired already",
	} {
		_, decided := memory.Amounts(json.RawMessage(args), disk.Folders{})
		_, called := w.call("memory", args)
		if called == nil || !strings.Contains(fault.TextOf(called), want) {
			t.Errorf("%s: %v, want %s", args, called, want)
		}
		if decided == nil && !strings.Contains(args, "expiresAt") {
			t.Errorf("%s would have been asked about", args)
		}
	}
	if _, err := w.call("memory", `{"operation":"delete","key":"none"}`); fault.KindOf(err) != fault.NotFound || !strings.Contains(fault.TextOf(err), "PROJECT") {
		t.Error(err)
	}
	for op, want := range map[string]tool.Act{"recall": {Risk: tool.ReadOnly, Part: "memory_recall"}, "store": {Risk: tool.WriteRecords, Part: "memory_store"}, "delete": {Risk: tool.WriteRecords, Part: "memory_delete"}} {
		act, err := memory.Amounts(json.RawMessage(`{"operation":"`+op+`","key":"k"`+map[string]string{"store": `,"content":"c"`}[op]+`}`), disk.Folders{})
		if err != nil || !cmp.Equal(act, want) {
			t.Errorf("%s amounts to %+v %v", op, act, err)
		}
	}
}

// Memories end by themselves: those of a thread after a day or seven, those of a project that an agent stores after 30.
func TestDesk_MemoriesOfAThreadEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for scope, days := range map[string]time.Duration{"SESSION": 1, "THREAD": 7, "PROJECT": 30, "GLOBAL": 0} {
		if _, err := w.call("memory", `{"operation":"store","key":"k","content":"c","scope":"`+scope+`"}`); err != nil {
			t.Fatal(err)
		}
		p, err := w.db.Desk.Records(t.Context(), clerk.Query{Project: w.project, Shared: true, Kind: desk.Memory, Status: scope})
		if err != nil || len(p.Records) != 1 {
			t.Fatal(p, err)
		}
		b, err := desk.Open[desk.MemoryBody](p.Records[0])
		if err != nil {
			t.Fatal(err)
		}
		left := b.ExpiresAt.Time().Sub(p.Records[0].CreatedAt)
		if days == 0 && b.ExpiresAt != "" || days > 0 && (left < days*24*time.Hour-time.Minute || left > days*24*time.Hour+time.Minute) {
			t.Errorf("%s: it ends at %q", scope, b.ExpiresAt)
		}
	}
}

func TestDesk_DocumentsAreReadInParts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	upload := func(title, source string, raw []byte) string {
		ref, err := w.arts.Put(raw)
		if err != nil {
			t.Fatal(err)
		}
		return w.make(desk.Upload, fmt.Sprintf(`{"title":%q,"source":%q,"binaryRef":%q}`, title, source, ref))
	}
	var rows strings.Builder
	rows.WriteString("Key,Summary\n")
	for i := range 450 {
		fmt.Fprintf(&rows, "A-%d,Row %d\n", i, i)
	}
	w.ids["table"] = upload("rows.csv", "file", []byte(rows.String()))
	w.ids["text"] = upload("pasted text", "paste", []byte(strings.Repeat("twelve bytes\n", 2000)))
	w.ids["broken"] = upload("broken.xlsx", "file", []byte("PK\x03\x04"))
	for _, c := range []struct{ tool, args, want, not string }{
		{"read_uploads", `{"text":"rows"}`, `"{table}"`, "{text}"},
		{"read_upload", `{"uploadId":"{table}"}`, `"header":["Key","Summary"],"rows":[["A-0","Row 0"],`, "A-200"},
		{"read_upload", `{"uploadId":"{table}","from":401}`, `[["A-400","Row 400"]`, `"next"`},
		{"read_upload", `{"uploadId":"{table}"}`, `"total":450,"next":201`, ""},
		{"read_upload", `{"uploadId":"{text}","from":1990}`, `twelve bytes`, `"next"`},
		{"read_upload", `{"uploadId":"{text}"}`, `"next":1539`, ""},
	} {
		got, err := w.call(c.tool, c.args)
		if err != nil || !strings.Contains(got, w.filled(c.want)) || c.not != "" && strings.Contains(got, w.filled(c.not)) {
			t.Errorf("%s %s: %v\n%.300s … %s\nwant %s", c.tool, c.args, err, got, got[max(0, len(got)-100):], w.filled(c.want))
		}
	}
	for args, kind := range map[string]fault.Kind{
		`{"uploadId":"{broken}"}`: fault.Invalid, `{"uploadId":"upl_none"}`: fault.NotFound, `{"uploadId":"{table}","part":"Sheet9"}`: fault.Invalid,
	} {
		if got, err := w.call("read_upload", args); fault.KindOf(err) != kind {
			t.Errorf("%s: %s %v", args, got, err)
		}
	}
}

package story_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"chela/demo"
	"chela/internal/chart"
	"chela/internal/config"
	"chela/internal/daemon"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/model"
	"chela/internal/story"
	"chela/internal/tool"
)

// now is a Wednesday.
var now = time.Date(2026, 3, 11, 15, 0, 0, 0, time.UTC)

// told tells a story into a folder of its own and returns its events.
func told(t *testing.T, s story.Story, files fs.FS, script string) (config.Config, story.Told, []event.Event) {
	t.Helper()
	cfg := config.Config{Data: t.TempDir(), Node: "local"}
	if script != "" {
		file := filepath.Join(cfg.Data, "script.json")
		if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
		cfg.Providers = []model.Provider{{Name: "demo", Kind: model.KindScripted, Model: "script", Script: file}}
	}
	out, err := story.Tell(t.Context(), s, files, cfg, now)
	if err != nil {
		t.Fatal(err)
	}
	db, err := daemon.OpenToRead(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var all []event.Event
	for e, err := range db.Log.After(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	r, err := db.Audit.Verify(t.Context())
	if err != nil || !r.OK() {
		t.Fatalf("the log: %+v %v", r, err)
	}
	return cfg, out, all
}

func read(t *testing.T, text string) story.Story {
	t.Helper()
	s, err := story.Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const small = `{
	"project": "Shop", "begins": -10,
	"people": [{"name": "Ann", "role": "editor", "resource": {"name": "Ann"}}],
	"tickets": [
		{"key": "S-1", "day": -9, "by": "Ann", "owner": "Ann", "share": 50, "body": {"title": "One", "dueDate": "{{2}}"}, "moves": [{"day": -4, "set": {"status": "IN_PROGRESS"}}, {"day": -3, "set": {"status": "DONE"}}]},
		{"key": "S-2", "day": -9, "by": "Ann", "body": {"title": "Two", "blockedBy": ["{{S-1}}"]}}],
	"talks": [{"day": -2, "by": "Ann", "agent": "pm", "text": "Hello"}]
}`

// TestTell_EachActAtItsTime looks at when and by whom events were recorded.
func TestTell_EachActAtItsTime(t *testing.T) {
	t.Parallel()
	cfg, out, all := told(t, read(t, small), nil, `{"steps":[{"agentResponses":[{"agentName":"pm","responseFallback":"Good day."}]}]}`)
	if out.Acts != 6 {
		t.Errorf("acts: got %d, want 6", out.Acts)
	}
	days := make(map[string][]string)
	for i, e := range all {
		if i > 0 && e.At.Before(all[i-1].At) {
			t.Errorf("event %d is of %s, before the one before it", e.Seq, e.At)
		}
		if e.At.After(now) {
			t.Errorf("event %d is of %s, after now", e.Seq, e.At)
		}
		if strings.HasPrefix(e.Message.Type, "desk.ticket") || e.Message.Type == "chat.message" {
			days[e.At.Format(time.DateOnly)] = append(days[e.At.Format(time.DateOnly)], strings.TrimPrefix(e.Message.Type, "desk.ticket."))
		}
	}
	want := map[string][]string{
		"2026-03-02": {"created", "created"}, "2026-03-06": {"updated", "updated"}, // the 7th and 8th are a weekend
		"2026-03-09": {"chat.message", "chat.message"},
	}
	if got := fmt.Sprint(days); got != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	rebuilt, err := daemon.Rebuild(t.Context(), cfg)
	if err != nil || len(rebuilt.Different()) > 0 {
		t.Errorf("a rebuild gives other tables: %v %v", rebuilt.Different(), err)
	}
}

func TestTell_Refuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ story, says string }{
		"nothing":         {`{"project":"P"}`, "no acts"},
		"a person":        {`{"project":"P","tickets":[{"key":"A","day":-1,"by":"Zoe","body":{"title":"A"}}]}`, `no person named "Zoe"`},
		"a name":          {`{"project":"P","tickets":[{"key":"A","day":-1,"by":"","body":{"title":"A","blockedBy":["{{B}}"]}}]}`, `called "B"`},
		"a document":      {`{"project":"P","intakes":[{"day":-1,"by":"","file":"none.md"}]}`, "none.md"},
		"what is refused": {`{"project":"P","tickets":[{"key":"A","day":-1,"by":"","body":{"title":""}}]}`, "A, day -1: title"},
	} {
		cfg := config.Config{Data: t.TempDir(), Node: "local"}
		if _, err := story.Tell(t.Context(), read(t, c.story), fstest.MapFS{}, cfg, now); err == nil || !strings.Contains(fault.TextOf(err), c.says) {
			t.Errorf("%s: got %v, want %q", name, err, c.says)
		}
	}
	cfg, _, _ := told(t, read(t, `{"project":"P","tickets":[{"key":"A","day":-1,"by":"","body":{"title":"A"}}]}`), nil, "")
	if _, err := story.Tell(context.WithoutCancel(t.Context()), read(t, small), nil, cfg, now); fault.KindOf(err) != fault.Conflict {
		t.Errorf("a log that is not empty: got %v, want a conflict", err)
	}
}

func TestDated(t *testing.T) {
	t.Parallel()
	if got, want := string(story.Dated([]byte("due {{-2}}, {{0}}, {{14}}, {{name}}"), now)), "due 2026-03-09, 2026-03-11, 2026-03-25, {{name}}"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(small))
	f.Add(demo.Story)
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := story.Read(raw)
		if err != nil {
			return
		}
		again, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := story.Read(again); err != nil {
			t.Errorf("%s is read, and written as %s it is not: %v", raw, again, err)
		}
	})
}

// TestDemo_HasWhatAManagerLooksAt tells the demo's story and looks for what it promises.
func TestDemo_HasWhatAManagerLooksAt(t *testing.T) {
	t.Parallel()
	_, out, all := told(t, read(t, string(demo.Story)), demo.Files, string(demo.Script))
	kinds := make(map[string]int)
	j := chart.NewJournal()
	for _, e := range all {
		kinds[e.Message.Type]++
		if e.Stream == event.ProjectStream(out.Project) {
			if err := j.Add(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	for kind, least := range map[string]int{
		"desk.ticket.created": 45, "desk.milestone.created": 4, "desk.phase.created": 3, "desk.reminder.created": 3, "desk.comment.created": 4,
		"desk.checklist.created": 1, "desk.thread.created": 1, "org.person.added": 9, "budget.set": 2, "approval.requested": 1, "chat.message": 18, "org.key.made": 2, "webhook.received": 3, "workflow.deployed": 3, "workflow.planned": 1, "workflow.edited": 7, "workflow.started": 2, "router.decided": 2, "skill.installed": 1, "vault.set": 5, "desk.blindspot.created": 6,
	} {
		if kinds[kind] < least {
			t.Errorf("%s: got %d, want at least %d", kind, kinds[kind], least)
		}
	}
	if !slices.ContainsFunc(all, func(e event.Event) bool {
		return e.Message.Type == tool.ResultKind.Name && strings.Contains(string(e.Message.Payload), "# Notices to merchants")
	}) {
		t.Error("no run follows the skill that was installed")
	}
	c, err := chart.Draw(chart.Throughput, j.History(nil), chart.Query{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	if weeks := c.Series[0].Values(); len(slices.DeleteFunc(slices.Clone(weeks), func(v float64) bool { return v == 0 })) < 5 {
		t.Errorf("finished by week: got %v, want five weeks with something", weeks)
	}
}

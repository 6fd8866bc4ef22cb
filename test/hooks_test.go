package test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"chela/internal/fault"
	"chela/internal/hook"
)

// A listener is a service that hooks call: it keeps what it heard, and answers as it is told.
type listener struct {
	*httptest.Server
	mu     sync.Mutex // guards the rest
	heard  map[hook.Point]int
	signed int
	answer func(c hook.Call) string
}

func newListener(t *testing.T, answer func(c hook.Call) string) *listener {
	t.Helper()
	l := &listener{heard: make(map[hook.Point]int), answer: answer}
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var c hook.Call
		if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
			t.Error(err)
		}
		l.mu.Lock()
		l.heard[c.Point]++
		if strings.HasPrefix(r.Header.Get("X-Chela-Signature"), "sha256=") {
			l.signed++
		}
		l.mu.Unlock()
		_, _ = io.WriteString(w, l.answer(c))
	}))
	t.Cleanup(l.Close)
	return l
}

func (l *listener) times(p hook.Point) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.heard[p]
}

func lets(hook.Call) string { return "" }

// hooked is a policy that lets hooks reach the test.
const hooked = "version: 1\nfolders: [{path: $REPO, write: true}]\nnetwork: [127.0.0.1]\n"

func (h *hands) hooks(text string) {
	h.t.Helper()
	must(h.t, os.WriteFile(filepath.Join(h.s.data, "hooks.yaml"), []byte(text), 0o600))
}

// TestHooks_EveryHookIsFired goes through the list of documented points: each is fired by what
// its description says.
func TestHooks_EveryHookIsFired(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		l := newListener(t, lets)
		var names []string
		for _, p := range hook.Points() {
			names = append(names, string(p.Point))
		}
		must(t, os.WriteFile(filepath.Join(s.data, "hooks.yaml"), []byte("version: 1\nhooks:\n"+
			"  - {name: all, points: ["+strings.Join(names, ", ")+"], url: "+l.URL+", secret: HOOK_KEY, on_failure: allow}\n"+
			"  - {name: again, points: ["+strings.Join(names, ", ")+"], url: "+l.URL+", secret: HOOK_KEY, on_failure: allow}\n"), 0o600))
		long := false
		h := newHands(t, s, map[string][]string{
			"write": {`read_file {"path":"notes.md"}`, `write_file {"path":"x.txt","content":"x"}`},
			"beget": {`agent_spawn {"agent":"pm","task":"say hello"}`, `agent_wait {}`},
		}, hooked)
		w := newWorld(t, func(r request) any {
			if _, said := r.since(); strings.Contains(said, "at length") && !long {
				long = true
				return tooLong
			}
			return text("Done.")
		})
		h.d.must(t, "PUT", "/api/vault/secrets/HOOK_KEY", map[string]string{"value": "the signing key"}, nil)
		h.d.stop()
		h.d = h.s.running(t) // now that it can sign
		if out := h.do("write it", "approve"); out.State != "done" {
			t.Fatalf("%+v", out)
		}
		if out := h.do("beget", "approve"); out.State != "done" {
			t.Fatalf("%+v", out)
		}
		h.d.must(t, "PUT", "/api/models", []map[string]string{{"name": "ours", "kind": "openai", "base_url": w.URL + "/v1", "model": "fake", "key": "none"}}, nil)
		if out := h.do("talk at length", "approve"); out.State != "done" {
			t.Fatalf("%+v", out)
		}
		var said chatAnswer
		h.d.must(t, "POST", "/api/chat", map[string]any{"text": "whereami"}, &said) // says something by itself
		h.d.must(t, "POST", "/api/sessions/"+said.Thread+"/close", nil, nil)
		until(t, "the notification and the end of the conversation", func() bool { return l.times(hook.Notification) > 0 && l.times(hook.SessionEnd) > 0 })
		if said := l.times(hook.Prompt); said != 4 {
			t.Errorf("prompt was fired %d times for four messages: the same subscription counts once", said)
		}
		h.end()
		for _, p := range hook.Points() {
			if l.times(p.Point) == 0 {
				t.Errorf("%s was never fired", p.Point)
			}
		}
		if l.signed == 0 {
			t.Error("nothing was signed")
		}
	})
}

// TestHooks_DenyAndAlter: a hook denies calls and alters them, and what it alters is judged
// again, so that no hook opens what the policy closes.
func TestHooks_DenyAndAlter(t *testing.T) {
	t.Parallel()
	s := setup{data: t.TempDir()}
	l := newListener(t, func(c hook.Call) string {
		if c.Point == hook.Prompt {
			return strings.Replace(`{"data":`+string(c.Data)+`}`, "please", "now", 1)
		}
		var use hook.ToolUse
		if err := json.Unmarshal(c.Data, &use); err != nil {
			return err.Error()
		}
		switch {
		case strings.Contains(string(use.Args), "a.conf"):
			return `{"deny":"a.conf is left alone."}`
		case strings.Contains(string(use.Args), "b.conf"):
			use.Args = json.RawMessage(`{"path":"notes.md"}`)
		case strings.Contains(string(use.Args), "pom.xml"):
			use.Args = json.RawMessage(`{"path":"/etc/shadow"}`)
		case strings.Contains(string(use.Args), "export.csv"):
			return "nonsense"
		}
		raw, err := json.Marshal(map[string]any{"data": use})
		if err != nil {
			return err.Error()
		}
		return string(raw)
	})
	h := newHands(t, s, map[string][]string{
		"look now": {`read_file {"path":"a.conf"}`, `read_file {"path":"b.conf"}`, `read_file {"path":"pom.xml"}`, `read_file {"path":"export.csv"}`},
	}, hooked)
	h.hooks("version: 1\nhooks: [{name: judge, points: [prompt, before_tool], url: " + l.URL + "}]\n")
	if out := h.do("look please", "approve"); out.State != "done" {
		t.Fatalf("%+v", out)
	}
	text := h.log()
	for _, want := range []string{
		"The hook judge denied it: a.conf is left alone.", "Joe writes the runbook", "/etc/shadow lies outside", "The hook judge failed",
		`hook.answered {"altered":true,"hook":"judge","point":"prompt"}`, `"denied":"a.conf is left alone."`, `"failed":"Its answer does not fit`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the log lacks %q", want)
		}
	}
	for _, not := range []string{"port=1", "port=2", "<module>", "A-1,3"} {
		if strings.Contains(text, not) {
			t.Errorf("it read %q all the same", not)
		}
	}
	h.hooks("version: 1\nhooks: [{name: judge}]\n")
	err := h.d.try("POST", "/api/chat", map[string]any{"agent": "coder", "text": "look now"}, nil)
	if fault.KindOf(err) != fault.Denied || !strings.Contains(fault.TextOf(err), "hooks.0.points") {
		t.Errorf("hooks that cannot be read deny nothing: %v", err)
	}
	h.end()
}

// TestHooks_RunInTheSandbox: a program denies with exit code 2, may not touch what
// is not its own, and is called by hand.
func TestHooks_RunInTheSandbox(t *testing.T) {
	t.Parallel()
	s := setup{data: t.TempDir()}
	h := newHands(t, s, map[string][]string{"look": {`read_file {"path":"a.conf"}`}}, hooked)
	folder := filepath.Join(s.data, "hooks")
	must(t, os.MkdirAll(folder, 0o700))
	must(t, os.WriteFile(filepath.Join(folder, "judge.sh"), []byte("in=$(cat)\ncat ../token >&2 && exit 0\ncase $in in *a.conf*) echo 'leave a.conf.' >&2; exit 2;; esac\n"), 0o600))
	h.hooks("version: 1\nhooks: [{name: judge, points: [before_tool], command: [sh, judge.sh]}]\n")
	if out := h.do("look", "approve"); out.State != "done" || !strings.Contains(out.Reply, "leave a.conf.") {
		t.Errorf("%+v", out)
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"hooks", "list"}, 0, "hook judge at before_tool: sh judge.sh"},
		{[]string{"hooks", "list"}, 0, "before_compaction   may deny"},
		{[]string{"hooks", "test", "judge"}, 0, "It lets things be."},
		{[]string{"hooks", "test", "judge", `{"path":"a.conf"}`}, 0, "leave a.conf."},
		{[]string{"hooks", "test", "nobody"}, 3, "no hook named"},
		{[]string{"doctor"}, 0, "hooks.yaml: judge"},
	} {
		if out, errs, code := s.chela(t, "", c.args...); code != c.code || !strings.Contains(out+errs, c.says) {
			t.Errorf("%v: %d %s%s", c.args, code, out, errs)
		}
	}
	h.end()
}

// TestHooks_AnApprovalHookNotesAndDenies: a hook is asked before a person is; it adds a note or
// denies the calls, and cannot answer for the person.
func TestHooks_AnApprovalHookNotesAndDenies(t *testing.T) {
	t.Parallel()
	s := setup{data: t.TempDir()}
	l := newListener(t, func(c hook.Call) string {
		var q hook.Asking
		if err := json.Unmarshal(c.Data, &q); err != nil {
			return err.Error()
		}
		if strings.Contains(string(q.Calls[0].Args), "b.conf") {
			return `{"deny":"b.conf is left alone."}`
		}
		q.Note, q.Kind, q.Question = "Look twice.", "allowed", "Nothing to see."
		q.Calls[0].Args, q.Calls[0].Tool = json.RawMessage(`{"path":"notes.md"}`), "read_file"
		raw, err := json.Marshal(map[string]any{"data": q})
		if err != nil {
			return err.Error()
		}
		return string(raw)
	})
	h := newHands(t, s, map[string][]string{
		"write a": {`write_file {"path":"a.conf","content":"port=3"}`}, "write b": {`write_file {"path":"b.conf","content":"port=3"}`},
	}, hooked)
	h.hooks("version: 1\nhooks: [{name: second, points: [approval], url: " + l.URL + "}]\n")
	var out chatAnswer
	h.d.must(t, "POST", "/api/chat", map[string]any{"agent": "coder", "text": "write a", "wait": true}, &out)
	if out.State != "waiting" {
		t.Fatalf("the hook answered for the person: %+v", out)
	}
	q := pendingOf(t, h.d)
	if len(q) != 1 || q[0].Note != "Look twice." || q[0].Kind != "tool_calls" || len(q[0].Calls) != 1 || q[0].Calls[0].Tool != "write_file" || !strings.Contains(q[0].Calls[0].Shown, "a.conf") {
		t.Fatalf("%+v", q)
	}
	if shown, errs, code := s.chela(t, "", "approval", "show", q[0].ID); code != 0 || !strings.Contains(shown, "A hook notes: Look twice.") {
		t.Errorf("%d %s%s", code, shown, errs)
	}
	h.d.must(t, "POST", "/api/approvals/"+q[0].ID, map[string]any{"choice": "deny", "digest": q[0].Digest}, nil)
	until(t, "the end of the run", func() bool { return stateOf(t, h.d, out.Run) == "done" })
	if out := h.do("write b", "approve"); out.State != "done" || len(h.asked) != 0 || !strings.Contains(out.Reply, "The hook second denied it: b.conf is left alone.") {
		t.Errorf("%+v after %+v", out, h.asked)
	}
	for _, name := range []string{"a.conf", "b.conf"} {
		if raw, err := os.ReadFile(filepath.Join(h.repo, name)); err != nil || strings.Contains(string(raw), "port=3") {
			t.Errorf("%s: %s, %v", name, raw, err)
		}
	}
	h.end()
}

// TestHooks_AreAskedAboutSchedules: what a schedule says passes the hooks as what a person types.
func TestHooks_AreAskedAboutSchedules(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		var deny atomic.Bool
		l := newListener(t, func(c hook.Call) string {
			var said hook.Said
			if err := json.Unmarshal(c.Data, &said); err != nil || said.Channel != "schedule" {
				return fmt.Sprintf("%v %+v", err, said)
			}
			if deny.Load() {
				return `{"deny":"Not on Fridays."}`
			}
			said.Text = "Say hello to the hook."
			raw, err := json.Marshal(map[string]any{"data": said})
			if err != nil {
				return err.Error()
			}
			return string(raw)
		})
		heard := make(chan string, 10)
		w := newWorld(t, func(r request) any {
			_, said := r.since()
			heard <- said
			return text("Hello.")
		})
		must(t, os.MkdirAll(s.data, 0o700))
		must(t, os.WriteFile(filepath.Join(s.data, "policy.yaml"), []byte("version: 1\nnetwork: [127.0.0.1]\n"), 0o600))
		must(t, os.WriteFile(filepath.Join(s.data, "hooks.yaml"), []byte("version: 1\nhooks: [{name: clock, points: [prompt], url: "+l.URL+"}]\n"), 0o600))
		s.env, s.clock = w.env(), true
		d := s.running(t)
		d.quiet(t)
		newProject(t, d)
		ended := func(n int) pastAnswer {
			t.Helper()
			d.must(t, http.MethodPost, "/api/executions/trigger", map[string]string{"agentId": "pm"}, nil)
			until(t, "the end of the execution", func() bool { return d.past(t, "").Total == n })
			return d.past(t, "")
		}
		if past := ended(1); past.Content[0].Result != "SUCCESS" || !strings.Contains(<-heard, "Say hello to the hook.") {
			t.Errorf("%+v", past)
		}
		deny.Store(true)
		past := ended(2)
		if x := past.Content[0]; x.Result != "FAIL" || x.Error != "The hook clock denied it: Not on Fridays." || x.Run != "" || len(heard) != 0 {
			t.Errorf("%+v", past)
		}
		d.stop()
		s.verified(t)
	})
}

package terminal

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"chela/internal/approval"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/inbox"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/stream"
)

// A desk is a daemon that answers with what the test says, and keeps what it was asked.
type desk struct {
	answers map[string]any // by method and path, without its query

	mu    sync.Mutex // guards asked
	asked []string   // method, path and body
}

func (d *desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = append(d.asked, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+string(raw)))
	answer := d.answers[r.Method+" "+r.URL.Path]
	if err, ok := answer.(error); ok {
		w.WriteHeader(map[fault.Kind]int{fault.Denied: http.StatusForbidden, fault.NotFound: http.StatusNotFound, fault.Conflict: http.StatusConflict}[fault.KindOf(err)])
		answer = map[string]string{"detail": fault.TextOf(err)}
	}
	_ = json.NewEncoder(w).Encode(answer) // the terminal has left
}

// A screen plays messages to a model and keeps what was printed.
type screen struct {
	t       *testing.T
	desk    *desk
	m       Model
	above   string // all that was printed
	follows []string
	seq     event.Seq
}

func newScreen(t *testing.T, thread string) *screen {
	t.Helper()
	s := &screen{t: t, desk: &desk{answers: map[string]any{
		"GET /api/commands": inbox.Commands("owner"), "GET /api/status": map[string]any{"log_end": 10},
	}}, seq: 10}
	daemon := httptest.NewServer(s.desk)
	t.Cleanup(daemon.Close)
	s.m = newModel(t.Context(), Options{Daemon: client.New(daemon.URL, "token"), Project: "prj_1", Thread: thread, History: &History{path: filepath.Join(t.TempDir(), "state", "history")}}, look{})
	s.m.follow = func(thread string, after event.Seq) {
		s.follows = append(s.follows, thread)
	}
	return s
}

// begin plays what a program does at first.
func (s *screen) begin() *screen {
	s.play(s.m.begin(), heardMsg{client.Heard{Opened: true}})
	return s
}

// play gives messages to the model.
func (s *screen) play(msgs ...tea.Msg) {
	s.t.Helper()
	for _, msg := range msgs {
		var e effect
		s.m, e = s.m.next(msg)
		s.did(e)
	}
}

func (s *screen) did(e effect) {
	for _, p := range e.print {
		s.above += p + "\n"
	}
}

// asks plays a message, and what the daemon answers to what follows from it.
func (s *screen) answered(msg tea.Msg) {
	s.t.Helper()
	var e effect
	s.m, e = s.m.next(msg)
	s.did(e)
	for _, do := range e.do {
		if do != nil {
			s.play(do())
		}
	}
}

var named = map[string]tea.Key{
	"enter": {Code: tea.KeyEnter}, "alt+enter": {Code: tea.KeyEnter, Mod: tea.ModAlt}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "esc": {Code: tea.KeyEscape},
	"tab": {Code: tea.KeyTab}, "backspace": {Code: tea.KeyBackspace}, "ctrl+c": {Code: 'c', Mod: tea.ModCtrl}, "ctrl+d": {Code: 'd', Mod: tea.ModCtrl},
}

// press presses keys by their names, and letters.
func (s *screen) press(keys ...string) {
	s.t.Helper()
	for _, k := range keys {
		if key, ok := named[k]; ok {
			s.play(tea.KeyPressMsg(key))
			continue
		}
		for _, r := range k {
			s.play(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
}

// hear plays an event of the log.
func (s *screen) hear(thread, from, kind string, payload any) {
	s.t.Helper()
	body, err := json.Marshal(payload)
	must(s.t, err)
	s.seq++
	raw, err := json.Marshal(logged{Seq: s.seq, Type: kind, Thread: thread, Run: "run_1", Task: "task_1", From: from, Payload: body})
	must(s.t, err)
	s.play(heardMsg{client.Heard{Seq: s.seq, Data: raw}})
}

func (s *screen) tick(t stream.Tick) {
	s.t.Helper()
	t.Run, t.Agent = cmp.Or(t.Run, "run_1"), "agent:pm"
	raw, err := json.Marshal(t)
	must(s.t, err)
	s.play(heardMsg{client.Heard{Tick: true, Data: raw}})
}

func (s *screen) shows(where string, want ...string) {
	s.t.Helper()
	for _, w := range want {
		if !strings.Contains(where, w) {
			s.t.Errorf("it does not show %q:\n%s", w, where)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

const ann = "agent:person/per_ann"

func TestTerminal_AConversationBegins(t *testing.T) {
	t.Parallel()
	s := newScreen(t, "").begin()
	s.press("When is it due?")
	s.m, _ = s.m.next(tea.KeyPressMsg(named["enter"]))
	s.shows(s.m.live(), "› When is it due?")
	s.hear("thr_other", ann, session.SaidKind.Name, session.Said{Message: "Not mine"})
	s.hear("thr_1", ann, session.SaidKind.Name, session.Said{Message: "When is it due?"})
	s.tick(stream.Tick{Thread: "thr_1", Kind: "delta", Text: "On **Fri"})
	if s.above != "" {
		t.Errorf("it is not known yet which conversation it is: %s", s.above)
	}
	s.play(acceptedMsg{text: "When is it due?", out: inbox.Accepted{Thread: "thr_1", Run: "run_1"}})
	s.shows(s.above, "› When is it due?")
	s.shows(s.m.live(), "On **Fri", "pm writes…")
	s.tick(stream.Tick{Thread: "thr_1", Kind: "delta", Text: "day**.", At: 8})
	s.shows(s.m.live(), "On Friday.")
	s.hear("thr_1", "agent:pm", session.SaidKind.Name, session.Said{Message: "On **Friday**."})
	s.hear("thr_1", "agent:chela", run.FinishedKind.Name, run.Finished{State: run.Done})
	s.shows(s.above, "pm\nOn Friday.")
	if live := s.m.live(); strings.Contains(live, "Friday") || strings.Contains(live, "When") || strings.Contains(s.above, "Not mine") || strings.Count(s.above, "Friday") != 1 {
		t.Errorf("%s\n---\n%s", s.above, live)
	}
	if strings.Join(s.follows, " ") != " thr_1" {
		t.Errorf("it follows %q", s.follows)
	}
}

// What an agent writes is heard at once, and what the run before it said when it is in the log.
func TestTerminal_WhatTheNextRunWritesStays(t *testing.T) {
	t.Parallel()
	s := newScreen(t, "thr_1").begin()
	s.tick(stream.Tick{Thread: "thr_1", Kind: "delta", Text: "The first"})
	s.tick(stream.Tick{Thread: "thr_1", Run: "run_2", Kind: "delta", Text: "The second"})
	s.hear("thr_1", "agent:pm", session.SaidKind.Name, session.Said{Message: "The first answer."})
	s.hear("thr_1", "agent:chela", run.FinishedKind.Name, run.Finished{State: run.Done})
	s.shows(s.above, "The first answer.")
	s.shows(s.m.live(), "The second")
}

func TestTerminal_WhatIsRefusedComesBack(t *testing.T) {
	t.Parallel()
	s := newScreen(t, "").begin()
	s.desk.answers["POST /api/chat"] = fault.New(fault.Denied, "You may only look.")
	s.press("Do it")
	s.answered(tea.KeyPressMsg(named["enter"]))
	s.shows(s.above, "✗ That was not said. You may only look.")
	if s.m.input.Value() != "Do it" || len(s.m.pending) != 0 {
		t.Errorf("%q %v", s.m.input.Value(), s.m.pending)
	}
}

func TestTerminal_AConversationIsGoneOnWith(t *testing.T) {
	t.Parallel()
	s := newScreen(t, "thr_1")
	s.desk.answers["GET /api/conversations/thr_1"] = session.Thread{ID: "thr_1", Title: "Refunds", Project: "prj_2"}
	s.desk.answers["GET /api/conversations/thr_1/messages"] = []session.Message{
		{Seq: 3, Role: session.FromPerson, Said: session.Said{Message: "Refund it"}}, {Seq: 4, Role: session.FromAgent, Actor: "agent:pm", Said: session.Said{Message: "Shall I?"}},
	}
	s.desk.answers["GET /api/runs"] = []run.Run{{Spec: run.Spec{ID: "run_1"}, State: run.Waiting}}
	s.desk.answers["GET /api/approvals"] = []approval.Approval{{Request: approval.Request{ID: "apr_1", Run: "run_1", Question: "May it?", Kind: approval.ToolCalls, Choices: []string{"approve", "deny"}}}, {Request: approval.Request{ID: "apr_2", Run: "run_2"}}}
	s.play(heardMsg{client.Heard{Opened: true}})
	s.answered(s.m.begin())
	s.shows(s.above, "── Refunds · thr_1 ──", "› Refund it", "pm\nShall I?", "? May it? (apr_1)")
	s.play(settledMsg("apr_1"))
	s.shows(s.m.live(), "y approve · n deny", "Refunds · Enter sends")
	s.hear("thr_1", "agent:pm", session.SaidKind.Name, session.Said{Message: "Well."})
	if strings.Contains(s.above, "apr_2") || !strings.Contains(s.above, "Well.") || s.m.seen != 11 {
		t.Errorf("%s", s.above)
	}
}

func TestTerminal_QuestionsAreAnsweredInPlace(t *testing.T) {
	t.Parallel()
	s := newScreen(t, "").begin()
	s.m.thread.ID = "thr_1"
	q := approval.Request{
		ID: "apr_1", Run: "run_1", Kind: approval.ToolCalls, Question: "May coder write a file?", Digest: "d1", Choices: []string{"approve", "always", "deny"},
		Calls: []approval.Asked{{Tool: "write_file", Risk: "write", Folder: "/shop", Shown: "path: a\x1b[2Jb.txt", Why: "It writes.", Notes: []string{"Look twice."}, Diff: "--- a\n+++ b\n-old\n+new\n", Shape: "writes in /shop"}},
	}
	s.hear("thr_1", "agent:coder", approval.RequestedKind.Name, q)
	s.shows(s.above, "? May coder write a file? (apr_1)", "write_file (write) in /shop", "path: a␛[2Jb.txt", "It writes.", "! Look twice.", "1 lines more, 1 lines less", "always would allow: writes in /shop")
	s.press("y") // it was being written when the question came
	if s.m.input.Value() != "y" || len(s.desk.asked) != 2 {
		t.Errorf("%q %v", s.m.input.Value(), s.desk.asked)
	}
	s.press("backspace")
	s.play(settledMsg("apr_1"))
	s.shows(s.m.live(), "y approve · n deny · a always · d shows the changes")
	s.press("d")
	s.shows(s.above, "-old\n+new")
	s.answered(tea.KeyPressMsg{Code: 'y', Text: "y"})
	if last := s.desk.asked[len(s.desk.asked)-1]; last != `POST /api/approvals/apr_1 {"choice":"approve","digest":"d1"}` || len(s.m.asked) != 0 {
		t.Errorf("%s, %v", last, s.m.asked)
	}
	s.hear("thr_1", ann, approval.AnsweredKind.Name, approval.Answer{ID: "apr_1", Choice: "approve"})
	s.shows(s.above, "apr_1: approve")

	s.hear("thr_1", "agent:coder", approval.RequestedKind.Name, approval.Request{ID: "apr_2", Run: "run_1", Kind: approval.OutcomeUnknown, Question: "Was it sent?", Choices: []string{"happened", "repeat", "skip"}})
	s.play(settledMsg("apr_2"))
	s.shows(s.m.live(), "1 happened · 2 repeat · 3 skip")
	s.desk.answers["POST /api/approvals/apr_2"] = fault.New(fault.Conflict, "Bob answered this already.")
	s.answered(tea.KeyPressMsg{Code: '2', Text: "2"})
	s.shows(s.above, "✗ That was not decided. Bob answered this already.")

	s.hear("thr_1", "agent:chela", run.FinishedKind.Name, run.Finished{State: run.Cancelled, Reason: "A person cancelled it."})
	s.shows(s.above, "The run cancelled: A person cancelled it.")
	if len(s.m.asked) != 0 {
		t.Errorf("%+v", s.m.asked)
	}
}

func TestTerminal_ToolsAreOneQuietLineEach(t *testing.T) {
	t.Parallel()
	s := newScreen(t, "").begin()
	s.m.thread.ID = "thr_1"
	s.hear("thr_1", "agent:pm", "tool.call", map[string]any{"call": "c1", "tool": "read_file", "args": map[string]string{"path": "a.txt"}})
	s.tick(stream.Tick{Thread: "thr_1", Kind: "tool", Text: "read_file"})
	s.m.run = "run_1"
	s.shows(s.m.live(), "pm calls read_file…")
	s.hear("thr_1", "agent:pm", "tool.result", map[string]any{"call": "c1", "result": "A\nB"})
	s.hear("thr_1", "agent:pm", "tool.error", map[string]any{"call": "c2", "tool": "shell_exec", "error": "no such\nprogram" + strings.Repeat("!", 200)})
	lines := strings.Split(strings.TrimSpace(s.above), "\n")
	if len(lines) != 2 || lines[0] != `· read_file {"path":"a.txt"}` || !strings.HasPrefix(lines[1], "  ✗ shell_exec: no such program!") || len([]rune(lines[1])) > 80 {
		t.Errorf("%q", lines)
	}
}

func TestTerminal_ControlCStopsTheRunAndThenLeaves(t *testing.T) {
	t.Parallel()
	s := newScreen(t, "").begin()
	s.m.thread.ID, s.m.run = "thr_1", "run_1"
	var e effect
	s.m, e = s.m.next(tea.KeyPressMsg(named["ctrl+c"]))
	if s.m.done || len(e.do) != 2 {
		t.Fatalf("%v, %d commands", s.m.done, len(e.do))
	}
	s.play(e.do[1]())
	if last := s.desk.asked[len(s.desk.asked)-1]; last != "POST /api/runs/run_1/cancel" {
		t.Error(last)
	}
	s.shows(s.m.live(), "Ctrl-C once more leaves")
	s.play(lapsedMsg(s.m.leaving))
	s.press("ctrl+c")
	if s.m.done {
		t.Error("the first one had lapsed")
	}
	s.press("ctrl+c")
	if !s.m.done {
		t.Error("twice leaves")
	}
}

func TestTerminal_CommandsAreCompleted(t *testing.T) {
	t.Parallel()
	s := newScreen(t, "").begin()
	s.press("/st")
	s.shows(s.m.live(), "▸ /status", "/stop")
	s.press("down", "tab")
	if s.m.input.Value() != "/stop " {
		t.Errorf("%q", s.m.input.Value())
	}
	s.m.input.Reset()
	s.press("/ses", "enter")
	s.desk.answers["GET /api/conversations"] = []session.View{{Thread: session.Thread{ID: "thr_1", Title: "One"}}, {Thread: session.Thread{ID: "thr_2", Title: "Two"}}}
	s.desk.answers["GET /api/conversations/thr_2"] = session.Thread{ID: "thr_2", Title: "Two"}
	s.answered(tea.KeyPressMsg(named["enter"]))
	s.shows(s.m.live(), "One", "Two")
	s.press("down")
	s.answered(tea.KeyPressMsg(named["enter"]))
	s.shows(s.above, "── Two · thr_2 ──")
	s.press("/quit", "enter")
	if !s.m.done {
		t.Error("it does not leave")
	}
}

func TestTerminal_LinesAreWrittenAndRemembered(t *testing.T) {
	t.Parallel()
	s := newScreen(t, "").begin()
	s.press("one\\", "enter", "two", "alt+enter", "three")
	if s.m.input.Value() != "one\ntwo\nthree" {
		t.Errorf("%q", s.m.input.Value())
	}
	s.press("enter")
	s.press(" a secret", "enter", "second", "enter", "draft")
	s.press("up", "up")
	if s.m.input.Value() != "one\ntwo\nthree" {
		t.Errorf("%q", s.m.input.Value())
	}
	s.press("down", "down")
	if s.m.input.Value() != "draft" {
		t.Errorf("what was being written: %q", s.m.input.Value())
	}
	info, err := os.Stat(s.m.history.path)
	must(t, err)
	raw, err := os.ReadFile(s.m.history.path)
	must(t, err)
	if info.Mode().Perm() != 0o600 || string(raw) != "\"one\\ntwo\\nthree\"\n\"second\"\n" {
		t.Errorf("%v %s", info.Mode(), raw)
	}
	again, err := OpenHistory(s.m.history.path)
	must(t, err)
	if last, ok := again.At(1); !ok || last != "second" {
		t.Errorf("%q", last)
	}
}

func TestTerminal_PastedFilesGoWithTheMessage(t *testing.T) {
	t.Parallel()
	s := newScreen(t, "").begin()
	dir := t.TempDir()
	picture, notes := filepath.Join(dir, "a b.png"), filepath.Join(dir, "notes.md")
	must(t, os.WriteFile(picture, []byte("\x89PNG\r\n\x1a\nrest"), 0o600))
	must(t, os.WriteFile(notes, []byte("# Notes\n"), 0o600))
	s.play(tea.PasteMsg{Content: "'" + picture + "'\n"}, tea.PasteMsg{Content: "file://" + notes}, tea.PasteMsg{Content: "line 1\r\nline\x1b 2"})
	s.shows(s.m.live(), "+ a b.png (picture)", "+ notes.md (document, through the intake)")
	if s.m.input.Value() != "line 1\nline␛ 2" {
		t.Errorf("%q", s.m.input.Value())
	}
	s.desk.answers["POST /api/intake"] = map[string]string{"runId": "run_9"}
	s.answered(tea.KeyPressMsg(named["enter"]))
	s.shows(strings.Join(s.desk.asked, "\n"), `"name":"notes.md"}],"projectId":"prj_1"}`, `"images":["iVBORw0KGgpyZXN0"]`)
	s.shows(s.above, "notes.md goes through the intake of the project (run_9)")
	s.play(tea.PasteMsg{Content: notes})
	s.press("backspace")
	if len(s.m.files) != 0 {
		t.Error("it was left out")
	}
	s.m.project = ""
	s.play(tea.PasteMsg{Content: notes})
	s.press("enter")
	s.shows(s.above, "Say `/project NAME` first.")
}

func TestTerminal_PathsAreTold(t *testing.T) { //nolint:paralleltest // it sets the environment
	t.Setenv("HOME", "/home/ann")
	for in, want := range map[string]string{
		"/a/b.txt": "/a/b.txt", `/a/b\ c.txt `: "/a/b c.txt", `"/a/b c"`: "/a/b c", "file:///a/b%20c": "/a/b c", "~/x": "/home/ann/x",
		"/a and more": "", "a.txt": "", "/a\n/b": "", "": "", "'": "", `\`: "",
	} {
		if got := pathIn(in); got != want {
			t.Errorf("%q gives %q, want %q", in, got, want)
		}
	}
}

func TestTerminal_ANarrowTerminalIsNotLeft(t *testing.T) {
	t.Parallel()
	s := newScreen(t, "").begin()
	s.play(tea.WindowSizeMsg{Width: 24, Height: 8})
	s.m.thread = session.Thread{ID: "thr_1", Title: strings.Repeat("long ", 20)}
	s.press("/")
	s.tick(stream.Tick{Thread: "thr_1", Kind: "delta", Text: strings.Repeat("words of an answer\n\n", 30)})
	lines := strings.Split(s.m.live(), "\n")
	if len(lines) > 16 { // eight rows of commands are below
		t.Errorf("%d lines", len(lines))
	}
	for _, l := range lines {
		if n := lipgloss.Width(l); n > 24 {
			t.Errorf("%d characters: %q", n, l)
		}
	}
}

func TestTerminal_ABeginningThatFailsEndsIt(t *testing.T) {
	t.Parallel()
	s := newScreen(t, "thr_none")
	s.desk.answers["GET /api/conversations/thr_none"] = fault.New(fault.NotFound, "The conversation thr_none does not exist.")
	s.answered(s.m.begin())
	if !s.m.done || fault.KindOf(s.m.err) != fault.NotFound {
		t.Errorf("%v %v", s.m.done, s.m.err)
	}
	s = newScreen(t, "")
	s.play(begunMsg{err: errors.New("away")})
	if !s.m.done || s.m.err == nil {
		t.Errorf("%v %v", s.m.done, s.m.err)
	}
}

func TestTerminal_WhatIsPrintedStaysInOrder(t *testing.T) {
	t.Parallel()
	s := newScreen(t, "").begin()
	s.m.thread.ID = "thr_1"
	s.m = s.m.sized(40, 8)
	m, do := s.m.printed(nil, []string{"1\n2\n3", "4"})
	if !m.printing || len(do) != 1 || m.View().Content != m.frozen {
		t.Errorf("%v %d", m.printing, len(do))
	}
	m, do = m.printed(nil, []string{"5\n6", strings.Repeat("x", 170)}) // before the frame was drawn
	if len(do) != 0 {
		t.Error("it prints before the frame is drawn")
	}
	frame := m.frozen
	var pieces []string
	for len(m.queue) > 0 {
		before := m.queue
		m, do = m.printed(framedMsg{}, nil)
		pieces = append(pieces, strings.Join(before[:len(before)-len(m.queue)], "\n"))
		if len(do) != 1 || m.frozen != frame {
			t.Fatalf("%d commands, the frame changes", len(do))
		}
	}
	long := strings.Repeat("x", 40)
	want := "1\n2\n3\n4\n5|6\n" + long + "\n" + long + "|" + long + "\n" + long + "\n" + strings.Repeat("x", 10)
	if got := strings.Join(pieces, "|"); got != want {
		t.Errorf("%q\nwant %q", got, want)
	}
	if m, do = m.printed(printedMsg{}, nil); m.printing || len(do) != 0 {
		t.Errorf("%v, %d commands", m.printing, len(do))
	}
}

func TestTerminal_AFrameIsLoweredWithItsCursorAtTheTop(t *testing.T) {
	t.Parallel()
	s := newScreen(t, "").begin()
	s.press("/")
	m, _ := s.m.framed(nil)
	high := m.drawn
	m.closed = true
	m, do := m.framed(nil)
	v := m.View()
	if len(do) != 1 || v.Cursor == nil || v.Cursor.Y != 0 || lipgloss.Height(v.Content) != high || high != 10 {
		t.Errorf("%d commands, %d of %d lines", len(do), lipgloss.Height(v.Content), high)
	}
	m, do = m.framed(loweredMsg{})
	if v := m.View(); len(do) != 0 || v.Cursor != nil || lipgloss.Height(v.Content) != 2 {
		t.Errorf("%d commands, %q", len(do), v.Content)
	}
	m.done = true
	if m, do = m.framed(nil); len(do) != 1 || !m.lowering {
		t.Errorf("it leaves before the frame is gone: %d", len(do))
	}
	if m, do = m.framed(loweredMsg{}); len(do) != 1 || m.lowering {
		t.Errorf("%d commands", len(do))
	}
}

// TestControlC_StopsWhatIsSeen: words of a run may be seen before the answer comes that names it.
func TestControlC_StopsWhatIsSeen(t *testing.T) {
	t.Parallel()
	s := newScreen(t, "").begin()
	s.m.thread.ID, s.m.run = "thr_1", ""
	s.tick(stream.Tick{Thread: "thr_1", Kind: "delta", Text: "Hanging"})
	var e effect
	s.m, e = s.m.next(tea.KeyPressMsg(named["ctrl+c"]))
	if len(e.do) != 2 {
		t.Fatalf("got %d commands, want the stop beside the timer", len(e.do))
	}
	s.play(e.do[1]())
	if got, want := s.desk.asked[len(s.desk.asked)-1], "POST /api/runs/run_1/cancel"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

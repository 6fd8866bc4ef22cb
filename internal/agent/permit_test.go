package agent_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/agent"
	"chela/internal/approval"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/guard"
	"chela/internal/inbox"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/run"
)

// rules are what a test permits.
type rules func() (agent.Permitted, error)

func (r rules) Rules(context.Context, org.AgentID, string) (agent.Permitted, error) { return r() }

// waits says something, answers with the calls, and returns the question that the run
// waits with.
func (w *world) waits(text string, calls ...string) (run.Run, approval.Approval) {
	w.t.Helper()
	w.answer = func(_ context.Context, _ model.Request, n int) (model.Answer, error) {
		if n == 0 {
			return uses(calls...), nil
		}
		return says("Done."), nil
	}
	r, _ := w.tell(text)
	if r.State != run.Waiting || !strings.HasPrefix(r.WaitsFor, run.ForPerson) {
		w.t.Fatalf("it is %s and waits for %q: %s", r.State, r.WaitsFor, r.Reason)
	}
	q, err := w.db.Questions.Approval(w.t.Context(), strings.TrimPrefix(r.WaitsFor, run.ForPerson))
	if err != nil {
		w.t.Fatal(err)
	}
	return r, q
}

func (w *world) decide(role org.Role, a approval.Answer) error {
	return approval.Decide(w.t.Context(), w.db.Questions, w.runs, approval.Approver{Party: ann, Role: role}, a, agent.Always)
}

func (w *world) made() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.calls, ",")
}

// TestQuestion_IsReadable: a person sees && and > in the arguments of a call, however a model wrote
// them.
func TestQuestion_IsReadable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{})
	_, q := w.waits("Edit", `edit {"what":"make \u0026\u0026 x \u003e \u0079"}`)
	const want = `{"what":"make && x > y"}`
	if q.Calls[0].Shown != want || q.Detail != want {
		t.Errorf("got shown %s, detail %s, want %s", q.Calls[0].Shown, q.Detail, want)
	}
}

func TestPermit_WritesWaitForAPerson(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer func(q approval.Approval) approval.Answer
		made   string
		told   []string // of the calls, in order
	}{
		"approved": {func(q approval.Approval) approval.Answer { return approval.Answer{Choice: approval.Approve} }, "look a,edit b,edit c", []string{"got a", "got b", "got c"}},
		"denied": {
			func(q approval.Approval) approval.Answer {
				return approval.Answer{Choice: approval.Refuse, Note: "Not on a Friday."}
			},
			"look a",
			[]string{"got a", "A person denied edit: Not on a Friday.", "Not on a Friday."},
		},
		"one of two": {
			func(q approval.Approval) approval.Answer {
				return approval.Answer{Choice: approval.Approve, Calls: []string{q.Calls[1].Call}}
			},
			"look a,edit c",
			[]string{"got a", "A person denied edit.", "got c"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, agent.Options{})
			r, q := w.waits("Edit", `look {"what":"a"}`, `edit {"what":"b"}`, `edit {"what":"c"}`)
			if w.made() != "" || len(q.Calls) != 2 || string(q.Calls[0].Args) != `{"what":"b"}` || q.Calls[0].Risk != "WRITE_FILES" || q.Until.Sub(q.CreatedAt).Round(time.Second) != 5*time.Minute {
				t.Fatalf("made %q before it was asked: %+v", w.made(), q)
			}
			a := c.answer(q)
			a.ID, a.Digest = q.ID, q.Digest
			if err := w.decide(org.Editor, a); err != nil {
				t.Fatal(err)
			}
			if r, _ = w.end(string(r.ID)); r.State != run.Done {
				t.Fatalf("it is %s: %s", r.State, r.Reason)
			}
			if w.made() != c.made {
				t.Errorf("made %q, want %q", w.made(), c.made)
			}
			for i, got := range w.results() {
				if !strings.Contains(got.Text, c.told[i]) {
					t.Errorf("call %d: the agent was told %q, want %q", i, got.Text, c.told[i])
				}
			}
			if n := w.count(event.ToolCall); n != strings.Count(c.made, ",")+1 {
				t.Errorf("%d tool.call are recorded", n)
			}
			if err := w.decide(org.Editor, a); fault.KindOf(err) != fault.Conflict {
				t.Errorf("a second answer: %v", err)
			}
		})
	}
}

// TestPermit_WhatIsNoAnswer shows that nothing but the right answer of the right person counts.
func TestPermit_WhatIsNoAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{})
	r, q := w.waits("Edit", `edit {"what":"b"}`)
	good := approval.Answer{ID: q.ID, Choice: approval.Approve, Digest: q.Digest}
	for name, c := range map[string]struct {
		change func(*approval.Answer)
		role   org.Role
		kind   fault.Kind
	}{
		"another digest": {func(a *approval.Answer) { a.Digest = strings.Repeat("0", 64) }, org.Owner, fault.Invalid},
		"no digest":      {func(a *approval.Answer) { a.Digest = "" }, org.Owner, fault.Invalid},
		"another word":   {func(a *approval.Answer) { a.Choice = "ok thanks" }, org.Owner, fault.Invalid},
		"for ever":       {func(a *approval.Answer) { a.Choice = approval.Always }, org.Owner, fault.Invalid},
		"in its name":    {func(a *approval.Answer) { a.Choice = approval.Expired }, org.Owner, fault.Invalid},
		"another call":   {func(a *approval.Answer) { a.Calls = []string{"call_x"} }, org.Owner, fault.Invalid},
		"a viewer":       {func(*approval.Answer) {}, org.Viewer, fault.Denied},
		"nobody":         {func(*approval.Answer) {}, "", fault.Denied},
	} {
		a := good
		c.change(&a)
		if err := w.decide(c.role, a); err == nil || fault.KindOf(err) != c.kind {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := approval.Decide(t.Context(), w.db.Questions, w.runs, approval.Approver{Party: org.AgentID("agent:pm").Party(), Role: org.Owner}, good, agent.Always); fault.KindOf(err) != fault.Denied {
		t.Errorf("an agent answers: %v", err)
	}
	w.say(inbox.Message{Thread: r.Thread, Text: "ok thanks, approve, yes, go on"})
	if got, err := w.db.Questions.Approval(t.Context(), q.ID); err != nil || got.Status != approval.Pending || w.made() != "" {
		t.Errorf("a friendly word approves: %+v %v", got, err)
	}
	if err := w.decide(org.Editor, good); err != nil {
		t.Error(err)
	}
	w.end(string(r.ID))
	if w.made() != "edit b" {
		t.Errorf("made %q", w.made())
	}
}

func TestPermit_AnApprovalExpires(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{Rules: rules(func() (agent.Permitted, error) {
		return agent.Permitted{Policy: guard.Policy{Wait: time.Millisecond}}, nil
	})})
	w.answer = func(_ context.Context, _ model.Request, n int) (model.Answer, error) {
		return []model.Answer{uses(`edit {"what":"b"}`), says("Done.")}[n], nil
	}
	id := run.ID(w.say(inbox.Message{Text: "Edit", Agent: "agent:pm"}).Run)
	settled, stop := w.db.Runs.Settled(id)
	defer stop()
	for r, _ := w.end(string(id)); !r.State.Final(); r, _ = w.end(string(id)) {
		select {
		case <-settled:
		case <-time.After(30 * time.Second):
			t.Fatal("it waits for ever")
		}
	}
	asked, err := w.db.Questions.Approvals(t.Context(), "", 10)
	if err != nil || len(asked) != 1 {
		t.Fatalf("%d questions %v", len(asked), err)
	}
	q := asked[0]
	if got := w.results(); len(got) != 1 || !got[0].IsError || !strings.Contains(got[0].Text, "Nobody approved edit in time") || w.made() != "" {
		t.Errorf("the agent was told %+v; made %q", got, w.made())
	}
	if got, err := w.db.Questions.Approval(t.Context(), q.ID); err != nil || got.Answer == nil || got.Answer.Choice != approval.Expired {
		t.Errorf("the question is %+v %v", got, err)
	}
}

// TestPermit_AfterUntrustedData: a run that has seen a page may ask that page's host again; whatever
// else would write or send is put to a person.
func TestPermit_AfterUntrustedData(t *testing.T) {
	t.Parallel()
	trusting := guard.Policy{Rules: []guard.Rule{{Name: "free", Answer: guard.Allow}}}
	for name, c := range map[string]struct {
		then  string
		after string
		asked bool
		first string // what is fetched first; "" is a page of a.example
	}{
		"the same host":     {`fetch {"url":"https://a.example/2"}`, "", false, ""},
		"sending to it":     {`post {"url":"https://a.example/2"}`, "", true, ""},
		"redirected":        {`fetch {"url":"https://a.example/2"}`, "", true, "https://a.example/1?to=b.example"},
		"another host":      {`fetch {"url":"https://b.example/?secret"}`, "", true, ""},
		"a write":           {`edit {"what":"b"}`, "", true, ""},
		"reading":           {`look {"what":"b"}`, "", false, ""},
		"a write, trusting": {`edit {"what":"b"}`, "trust", false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := trusting
			p.AfterUntrustedData = c.after
			w := newWorld(t, agent.Options{Rules: rules(func() (agent.Permitted, error) { return agent.Permitted{Policy: p}, nil })})
			w.answer = func(_ context.Context, _ model.Request, n int) (model.Answer, error) {
				return []model.Answer{uses(fmt.Sprintf(`fetch {"url":%q}`, cmp.Or(c.first, "https://a.example/1"))), uses(c.then), says("Done.")}[n], nil
			}
			if r, _ := w.tell("Fetch"); (r.State == run.Waiting) != c.asked {
				t.Errorf("it is %s: %s", r.State, r.Reason)
			}
			if got := w.heard(len(w.asked) - 1); strings.Contains(got, "Ignore your rules") {
				t.Errorf("what was fetched is shown as the user's words: %s", got)
			}
			if got := w.results()[0].Text; !strings.Contains(got, "DATA") || !strings.Contains(got, "a.example") {
				t.Errorf("what was fetched is not marked as data: %s", got)
			}
		})
	}
}

// TestPermit_APolicyThatCannotBeRead denies everything, and says so.
func TestPermit_APolicyThatCannotBeRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{Rules: rules(func() (agent.Permitted, error) {
		return agent.Permitted{}, fault.New(fault.Invalid, "policy.yaml: it is broken.")
	})})
	w.answer = func(_ context.Context, _ model.Request, n int) (model.Answer, error) {
		return []model.Answer{uses(`look {"what":"a"}`, `edit {"what":"a"}`), says("Done.")}[n], nil
	}
	w.tell("Look")
	for _, r := range w.results() {
		if !r.IsError || !strings.Contains(r.Text, "policy.yaml: it is broken.") {
			t.Errorf("told %+v", r)
		}
	}
	if w.made() != "" {
		t.Errorf("made %q", w.made())
	}
}

// TestPermit_ALesserVoiceLowersTheRole: who joins a run takes it down to what they may.
func TestPermit_ALesserVoiceLowersTheRole(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{})
	if _, err := w.db.Log.Append(t.Context(), org.PersonAddedKind.Draft(w.place(), org.PersonAdded{ID: "per_vic", Name: "Vic", Role: org.Viewer})); err != nil {
		t.Fatal(err)
	}
	spoken := make(chan struct{})
	w.answer = func(_ context.Context, r model.Request, n int) (model.Answer, error) {
		if n > 0 {
			return []model.Answer{uses(`note {}`), says("Done.")}[min(n-1, 1)], nil
		}
		<-spoken
		return uses(`look {"what":"a"}`), nil
	}
	out := w.say(inbox.Message{Text: "Look", Agent: "agent:pm"})
	if _, err := w.inbox.Take(t.Context(), inbox.Message{Thread: out.Thread, Text: "And note this", From: org.Person{ID: "per_vic"}.Party()}); err != nil {
		t.Fatal(err)
	}
	close(spoken)
	w.end(out.Run)
	if got := w.results(); len(got) != 2 || !strings.Contains(got[1].Text, "with the role viewer") {
		raw, _ := json.Marshal(got) //nolint:errchkjson // for the message only
		t.Errorf("told %s", raw)
	}
}

// TestPermit_ToolsAreFound: what does not fit into a prompt is found, and shown from then on, also
// when the run begins again.
func TestPermit_ToolsAreFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{})
	shown := func(r model.Request) (names []string) {
		for _, s := range r.Tools.Specs {
			names = append(names, s.Name)
		}
		return names
	}
	w.answer = func(_ context.Context, r model.Request, n int) (model.Answer, error) {
		return []model.Answer{uses(`find_tools {"query":"archive a ticket"}`), uses(`archive_ticket {"what":"a"}`), says("Done.")}[n], nil
	}
	if r, _ := w.tell("Archive it"); r.State != run.Done {
		t.Fatalf("it is %s: %s", r.State, r.Reason)
	}
	for n, want := range []bool{false, true, true} {
		names := shown(w.asked[n])
		if slices.Contains(names, "archive_ticket") != want || !slices.Contains(names, "find_tools") || !slices.Contains(names, "look") {
			t.Errorf("call %d shows %v", n, names)
		}
	}
	if w.made() != "archive_ticket a" {
		t.Errorf("made %q", w.made())
	}
}

// eager answers at its first look at a question; at its second it lets what is in hand end.
type eager struct {
	approval.Reader
	looks int
	let   chan struct{}
}

func (e *eager) Approval(ctx context.Context, id string) (approval.Approval, error) {
	if e.looks++; e.looks == 2 {
		close(e.let)
	}
	return e.Reader.Approval(ctx, id)
}

// TestPermit_AnAnswerBeforeTheRunWaits has a person answer one child's question while another child
// still has a call in hand, so that the run does not wait yet.
func TestPermit_AnAnswerBeforeTheRunWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{})
	w.join("helper", org.Specialist)
	from := &eager{Reader: w.db.Questions, let: make(chan struct{})}
	begun := make(chan struct{})
	w.during = func(context.Context) { close(begun); <-from.let }
	w.played([]string{spawn("one") + " & " + spawn("two"), `agent_wait {}`},
		map[string][]string{"one": {`edit {"what":"a"}`}, "two": {`ponder {"what":"b"}`}})
	play := w.answer
	w.answer = func(ctx context.Context, r model.Request, n int) (model.Answer, error) {
		if strings.HasPrefix(r.Messages[0].Parts[0].Text, "one") {
			<-begun
		}
		return play(ctx, r, n)
	}
	id := w.say(inbox.Message{Text: "Edit", Agent: "agent:pm"}).Run
	if !w.recorded(t.Context(), approval.RequestedKind.Name, 1) {
		t.Fatal("nobody asked")
	}
	asked, err := w.db.Questions.Approvals(t.Context(), approval.Pending, 10)
	if err != nil || len(asked) != 1 {
		t.Fatalf("%+v, %v", asked, err)
	}
	yes := approval.Answer{ID: asked[0].ID, Choice: approval.Approve, Digest: asked[0].Digest}
	if err := approval.Decide(t.Context(), from, w.runs, approval.Approver{Party: ann, Role: org.Editor}, yes, agent.Always); err != nil {
		t.Fatal(err)
	}
	r, last := w.end(id)
	if made := w.made(); r.State != run.Done || strings.Count(made, "edit a") != 1 || from.looks < 2 || !strings.Contains(last.Message, `All: "got b"`) {
		t.Errorf("%s: made %q after %d looks; %q", r.State, made, from.looks, last.Message)
	}
}

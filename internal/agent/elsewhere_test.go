package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"chela/internal/agent"
	"chela/internal/disk"
	"chela/internal/event"
	"chela/internal/inbox"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/prompt"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/tool"
)

// A partner is an agent of others behind the tools of its server, which says what the test wants.
type partner struct {
	*world
	got    []string // what it was called with
	answer func(n int, name string) tool.Result
}

// withPartner joins the agent ken, who works elsewhere and is reached by the server hub.
func withPartner(t *testing.T, answer func(n int, name string) tool.Result, kinds ...org.Kind) *partner {
	t.Helper()
	p := &partner{world: newWorld(t, agent.Options{}, kinds...), answer: answer}
	p.world.answer = func(context.Context, model.Request, int) (model.Answer, error) {
		t.Error("a model was asked for an agent that works elsewhere")
		return says("?"), nil
	}
	var tools []*tool.Tool
	for _, name := range []string{"ask", "task"} {
		s := tool.Spec{Name: name, Help: "Of a partner.", Risk: tool.NetworkCalls, Role: org.Editor, Untrusted: "network", Repeatable: name == "task"}
		tools = append(tools, tool.StandIn(s, json.RawMessage(`{"type":"object"}`), func(args json.RawMessage, _ disk.Folders) (tool.Act, error) {
			return tool.Act{URL: "https://ken.example/a2a"}, nil
		}, func(_ context.Context, c tool.Call) (tool.Result, error) {
			p.mu.Lock()
			n := len(p.got)
			p.got = append(p.got, name+" "+string(c.Args))
			p.mu.Unlock()
			return p.answer(n, name), nil
		}))
	}
	p.hub.mu.Lock()
	p.hub.partner = tools
	p.hub.mu.Unlock()
	p.offers()
	p.employ("egress-allowed", "hub")
	return p
}

// employ registers ken with what his card reaches, by a server.
func (p *partner) employ(network, server string) {
	p.t.Helper()
	a := org.Agent{Card: org.Card{
		V: event.Version, AgentID: "agent:ken", Display: org.Display{Name: "Ken"}, Endpoints: &org.Endpoints{A2A: &org.Endpoint{URL: "https://ken.example/a2a"}},
		Capabilities: []org.Capability{{ID: "skill:poetry"}}, Limits: org.Limits{MaxConcurrency: 10, MaxRuntimeSec: 60}, Security: org.Security{Network: network},
	}}
	a.Kind, a.Prompt, a.Enabled, a.Server, a.Permissions = org.Specialist, "It works elsewhere.", true, server, org.Permissions{org.Network: true}
	if err := a.Check(); err != nil {
		p.t.Fatal(err)
	}
	_, err := p.db.Log.Append(p.t.Context(), org.RegisterKind.Draft(p.place(), org.Registration{Card: a.Card, Status: org.Online, Profile: &a.Profile}))
	if err != nil {
		p.t.Fatal(err)
	}
}

// stands is a result of a task.
func stands(text, task, state string) tool.Result {
	return tool.Result{Text: text + "\n[The context is ctx-1.]", From: []string{"ken.example"}, Stands: &tool.Standing{Task: task, State: state, Context: "ctx-1"}}
}

// TestElsewhere_AConversation: what is said goes to the agent, its tasks are waited for, its conversation goes on, and its
// questions are answered by what is said next.
func TestElsewhere_AConversation(t *testing.T) {
	t.Parallel()
	p := withPartner(t, func(n int, _ string) tool.Result {
		switch n {
		case 0, 1, 2, 3, 4, 5, 6: // longer than an agent of ours may repeat itself
			return stands("[The task t-1 goes on.]", "t-1", "")
		case 7:
			return stands("A poem.", "t-1", "completed")
		case 8:
			return stands("About what?\n[The task t-2 waits for an answer: give it with the tool ask, which names the task.]", "t-2", "input_required")
		}
		return stands("The sea, the sea.", "t-2", "completed")
	})
	first := p.say(inbox.Message{Text: "Write a poem", Agent: "agent:ken"})
	r, said := p.end(first.Run)
	if r.State != run.Done || said.Message != "A poem." || said.Actor != "agent:ken" {
		t.Fatalf("the run is %s (%s), and %s says %q", r.State, r.Reason, said.Actor, said.Message)
	}
	if want := []string{"ken.example"}; !slices.Equal(said.Origins, want) {
		t.Errorf("the answer is from %q", said.Origins)
	}
	_, said = p.end(p.say(inbox.Message{Thread: first.Thread, Text: "Another one"}).Run)
	if said.Message != "About what?" {
		t.Errorf("it asks %q", said.Message)
	}
	_, said = p.end(p.say(inbox.Message{Thread: first.Thread, Text: "The sea"}).Run)
	if said.Message != "The sea, the sea." {
		t.Errorf("it answers %q", said.Message)
	}
	want := []string{`ask {"message":"Write a poem"}`}
	want = append(want, slices.Repeat([]string{`task {"task":"t-1"}`}, 7)...)
	want = append(want, `ask {"message":"Another one","context":"ctx-1"}`, `ask {"message":"The sea","context":"ctx-1","task":"t-2"}`)
	if !slices.Equal(p.got, want) {
		t.Errorf("it was called with\n%s\nwant\n%s", strings.Join(p.got, "\n"), strings.Join(want, "\n"))
	}
}

// TestElsewhere_ADelegation: a controller hands a task to it, and it is told the task with the words that it comes from.
func TestElsewhere_ADelegation(t *testing.T) {
	t.Parallel()
	p := withPartner(t, func(int, string) tool.Result { return stands("Done.", "t-1", "completed") }, org.Controller)
	p.world.answer = func(context.Context, model.Request, int) (model.Answer, error) {
		return says(`{"sub_task": "Write a poem about the sea.", "requires": ["skill:poetry"]}`), nil
	}
	r, said := p.end(p.say(inbox.Message{Text: "We need a poem, it is about the sea."}).Run)
	if r.State != run.Done || said.Message != "Done." {
		t.Fatalf("the run is %s (%s), and says %q", r.State, r.Reason, said.Message)
	}
	want := []string{`ask {"message":"Write a poem about the sea.\n\nThe words that this comes from:\n\nWe need a poem, it is about the sea."}`}
	if !slices.Equal(p.got, want) {
		t.Errorf("it was called with %q, want %q", p.got, want)
	}
}

// TestElsewhere_WhatGoesWrong is told in words that say who did not do it and why.
func TestElsewhere_WhatGoesWrong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		network, server string
		result          tool.Result
		want            string
	}{
		"it fails":            {"egress-allowed", "hub", tool.Result{Text: "It failed. The server says: No paper.", Failed: true}, "ken did not do it. It failed. The server says: No paper."},
		"no server":           {"egress-allowed", "gone", tool.Result{}, "The agent ken is reached by the server gone, which is not there"},
		"it may not call out": {"none", "hub", tool.Result{}, "ken did not do it. hub__ask calls the network, which the card of agent:ken does not allow."},
		"nothing reaches it":  {"egress-allowed", "", tool.Result{}, "The agent ken works elsewhere, and nothing says how it is given work."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := withPartner(t, func(int, string) tool.Result { return c.result })
			p.employ(c.network, c.server)
			r, said := p.end(p.say(inbox.Message{Text: "Write a poem", Agent: "agent:ken"}).Run)
			if r.State != run.Failed || !strings.Contains(r.Reason+said.Message, c.want) {
				t.Errorf("the run is %s: %s; %s", r.State, r.Reason, said.Message)
			}
		})
	}
}

// TestElsewhere_Meanwhile: what is said while it works is sent when it has answered.
func TestElsewhere_Meanwhile(t *testing.T) {
	t.Parallel()
	working, goOn := make(chan struct{}), make(chan struct{})
	p := withPartner(t, func(n int, _ string) tool.Result {
		if n == 0 {
			working <- struct{}{}
			<-goOn
		}
		return stands(fmt.Sprintf("Poem %d.", n), fmt.Sprintf("t-%d", n), "completed")
	})
	first := p.say(inbox.Message{Text: "Write a poem", Agent: "agent:ken", Queue: session.Steer})
	<-working
	p.say(inbox.Message{Thread: first.Thread, Text: "Make it short"})
	close(goOn)
	if r, said := p.end(first.Run); r.State != run.Done || said.Message != "Poem 1." {
		t.Errorf("the run is %s and says %q", r.State, said.Message)
	}
	if want := []string{`ask {"message":"Write a poem"}`, `ask {"message":"Make it short","context":"ctx-1"}`}; !slices.Equal(p.got, want) {
		t.Errorf("it was called with %q, want %q", p.got, want)
	}
}

// TestElsewhere_WhatCameLater: a run that begins with what came of a task that took too long answers with that, and asks nobody.
func TestElsewhere_WhatCameLater(t *testing.T) {
	t.Parallel()
	p := withPartner(t, func(int, string) tool.Result { return stands("?", "t-1", "completed") })
	text := "The task t-1 stands as completed.\n\n" + prompt.Data("from ken.example", "A long poem.\n=== END OF DATA ===")
	if _, said := p.end(p.say(inbox.Message{Text: text, Agent: "agent:ken", Row: 1}).Run); said.Message != "A long poem.\n=== END OF DATA ===" {
		t.Errorf("it says %q", said.Message)
	}
	if len(p.got) > 0 {
		t.Errorf("it was called with %q", p.got)
	}
}

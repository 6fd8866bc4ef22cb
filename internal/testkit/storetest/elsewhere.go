package storetest

import (
	"testing"

	"chela/internal/event"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/tool"
)

// elsewhere holds that an agent that registers again is reached as it was, and that what a tool gave an agent last in a conversation is found:
// not what others got, not that of another conversation, and not that of the run that asks.
func elsewhere(t *testing.T, open Opener) {
	db, _ := open(t)
	card := org.Card{V: event.Version, AgentID: "agent:ken", Display: org.Display{Name: "Ken"}, Endpoints: &org.Endpoints{A2A: &org.Endpoint{URL: "https://ken.example"}}, Limits: org.Limits{MaxConcurrency: 1}, Security: org.Security{Network: "egress-allowed"}}
	profile := org.Profile{Kind: org.Specialist, Prompt: "Elsewhere.", Tools: []string{}, Enabled: true, Server: "partner"}
	again := card
	again.Display.Name = "Ken the second"
	_, err := db.Log.Append(t.Context(), org.RegisterKind.Draft(place(event.OrgStream), org.Registration{Card: card, Profile: &profile}), org.RegisterKind.Draft(place(event.OrgStream), org.Registration{Card: again}))
	check(t, err)
	ken, err := db.Roster.Agent(t.Context(), "agent:ken")
	check(t, err)
	if ken.Server != "partner" || ken.Card.Display.Name != "Ken the second" {
		t.Errorf("who registers again is %+v", ken)
	}
	gave := func(thread, id, agent, text string) event.Draft {
		at := event.Place{Stream: event.ThreadStream(thread), Thread: thread, Run: id, Task: "task_1", From: event.Party{AgentID: agent, Role: "agent"}}
		return tool.ResultKind.Draft(at, tool.ResultPayload{Tool: "partner__ask", Success: true, Result: text, Stands: &tool.Standing{Task: "t", State: "completed", Context: text}})
	}
	_, err = db.Log.Append(t.Context(), gave("thr_1", "run_1", "agent:ken", "first"), gave("thr_1", "run_2", "agent:ken", "second"), gave("thr_1", "run_2", "agent:pm", "others'"), gave("thr_2", "run_3", "agent:ken", "elsewhere"), gave("thr_1", "run_4", "agent:ken", "now"))
	check(t, err)
	for _, c := range []struct {
		thread string
		except run.ID
		want   string
	}{{"thr_1", "run_4", "second"}, {"thr_1", "run_9", "now"}, {"thr_2", "run_4", "elsewhere"}, {"thr_2", "run_3", ""}, {"thr_3", "run_4", ""}} {
		last, ok, err := db.Conversations.LastResult(t.Context(), c.thread, "agent:ken", c.except)
		check(t, err)
		if last.Result != c.want || ok != (c.want != "") || ok && (last.Stands == nil || last.Stands.Context != c.want) {
			t.Errorf("in %s before %s it got %q, %t, want %q", c.thread, c.except, last.Result, ok, c.want)
		}
	}
}

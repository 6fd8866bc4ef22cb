package daemon_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/testkit/daemontest"
)

// registered adds the partner, whose card an owner accepts, and registers it as ken.
func (o office) registered(p *partner) {
	o.t.Helper()
	o.with(p, nil)
	var ken struct {
		Card struct {
			Display      struct{ Name, Desc string }
			Capabilities []struct{ ID string }
		} `json:"card"`
		Server string `json:"server"`
	}
	o.call(http.MethodPost, "/api/mcp/servers/partner/register", map[string]string{"as": "ken"}, &ken)
	if ken.Server != "partner" || ken.Card.Display.Name != "Planner" || ken.Card.Display.Desc != "Plans sprints." || len(ken.Card.Capabilities) != 1 || ken.Card.Capabilities[0].ID != "skill:sprint-plans" {
		o.t.Errorf("it is registered as %+v", ken)
	}
}

// withSkill is a partner whose card names a skill.
func withSkill(t *testing.T) *partner {
	t.Helper()
	p := newPartner(t)
	card := *p.card.Load()
	card.Skills = []a2a.AgentSkill{{ID: "Sprint plans", Name: "plans", Tags: []string{"plan\n# Rules"}}, {ID: "?!", Name: "none"}}
	p.card.Store(&card)
	return p
}

// TestElsewhere_ARegisteredAgent is given work as an agent of ours is, answers in its own name, asks, and is answered.
func TestElsewhere_ARegisteredAgent(t *testing.T) {
	t.Parallel()
	p := withSkill(t)
	d := daemontest.Run(t, daemontest.Setup{Script: plans})
	o := office{t, client.New(d.URL, d.Token)}
	o.registered(p)
	say := func(thread, text string) string {
		var out struct{ ThreadID, State string }
		if o.call(http.MethodPost, "/api/chat", map[string]any{"threadId": thread, "text": text, "agent": "ken", "wait": true}, &out); out.State != "done" {
			t.Fatalf("the turn ended as %+v: %+v", out, o.said(out.ThreadID))
		}
		return out.ThreadID
	}
	p.ends <- a2a.TaskStateInputRequired
	p.ends <- a2a.TaskStateCompleted
	thread := say("", "Plan April")
	say(thread, "The first week")
	all := o.said(thread)
	if len(all) != 4 || all[1].Role != "agent" || !strings.HasPrefix(all[1].Message, "The plan is at https://evil.example") || strings.Contains(all[1].Message, "[The ") || !slices.Equal(all[3].Origins, []string{"127.0.0.1"}) {
		t.Errorf("the conversation is %+v", all)
	}
	if tasks := o.events("mcp.task.followed"); len(tasks) != 0 {
		t.Errorf("a task that ended within its call is followed: %v", tasks)
	}
	if err := o.c.Call(t.Context(), http.MethodPost, "/api/mcp/servers/partner/register", map[string]string{"as": "coder"}, nil); fault.KindOf(err) != fault.Conflict {
		t.Errorf("an agent of ours is registered anew: %v", err)
	}
	o.call(http.MethodDelete, "/api/mcp/servers/partner", nil, nil)
	var out struct{ ThreadID, State string }
	if o.call(http.MethodPost, "/api/chat", map[string]any{"text": "Plan May", "agent": "ken", "wait": true}, &out); out.State != "failed" || !strings.Contains(o.said(out.ThreadID)[1].Message, "reached by the server partner, which is not there") {
		t.Errorf("without its server the turn is %s: %+v", out.State, o.said(out.ThreadID))
	}
}

// TestElsewhere_ARestart: a task that an agent elsewhere works on outlives the daemon, and nobody is asked whether it was looked at.
func TestElsewhere_ARestart(t *testing.T) {
	t.Parallel()
	dir, p := t.TempDir(), withSkill(t)
	var thread, token string
	open := func(t *testing.T) office {
		t.Helper()
		d := daemontest.Run(t, daemontest.Setup{Dir: dir, Script: plans})
		if d.Token != "" {
			token = d.Token
		}
		return office{t, client.New(d.URL, token)}
	}
	t.Run("before", func(t *testing.T) {
		o := open(t)
		o.registered(p)
		var out struct{ ThreadID string }
		o.call(http.MethodPost, "/api/chat", map[string]any{"text": "Plan April", "agent": "ken"}, &out)
		thread = out.ThreadID
		for end := time.Now().Add(20 * time.Second); len(o.events("tool.result")) == 0; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("it was not asked in time")
			}
		}
	})
	p.ends <- a2a.TaskStateCompleted
	t.Run("after", func(t *testing.T) {
		o := open(t)
		if all := o.until(thread, 2); all[1].Role != "agent" || !strings.HasPrefix(all[1].Message, "The plan is at") {
			t.Errorf("after the restart the conversation is %+v", all)
		}
	})
}

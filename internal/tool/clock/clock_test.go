package clock

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"chela/internal/disk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/schedule"
	"chela/internal/tool"
)

// kept are schedules in memory.
type kept struct{ list []schedule.Schedule }

func (k *kept) CreateThrough(_ context.Context, h schedule.Hand, f schedule.Fields) (s schedule.Schedule, err error) {
	s = schedule.Schedule{ID: "sch_1", By: h.By, Version: 1}
	if s.Fields, err = f.Checked(); err == nil {
		k.list = append(k.list, s)
	}
	return s, err
}

func (k *kept) ChangeThrough(_ context.Context, _ schedule.Hand, id schedule.ID, edit func(*schedule.Fields)) (schedule.Schedule, error) {
	for i := range k.list {
		if k.list[i].ID == id {
			edit(&k.list[i].Fields)
			return k.list[i], nil
		}
	}
	return schedule.Schedule{}, fault.New(fault.NotFound, "None.")
}

func (k *kept) DeleteThrough(context.Context, schedule.Hand, schedule.ID) error { return nil }

func (k *kept) Schedules(context.Context) ([]schedule.Schedule, error) { return k.list, nil }

func (*kept) ZoneOf(context.Context, string) (string, error) { return "Europe/Berlin", nil }

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func made(k *kept) *tool.Tool {
	return Tools(Parts{k, k, k, func() time.Time { return noon }})[0]
}

func asked(args string) tool.Call {
	c := tool.Call{Args: json.RawMessage(args), Agent: "agent:pm", Key: "k", Origins: []string{"network"}}
	c.Run.Spec = run.Spec{ID: "run_1", Thread: "thr_1", Project: "prj_1", By: org.Person{ID: "per_ann"}.Party()}
	return c
}

// TestSchedule_InThePersonsName: what is made works for the conversation's project, answers here, in the zone of the person, by the agent that
// was asked, and remembers where its words may come from.
func TestSchedule_InThePersonsName(t *testing.T) {
	t.Parallel()
	k := &kept{}
	if _, err := made(k).Call(t.Context(), asked(`{"operation":"create","message":"Look for blocked tickets","cron":"30 8 * * MON-FRI"}`)); err != nil {
		t.Fatal(err)
	}
	s := k.list[0]
	if s.Agent != "agent:pm" || s.Project != "prj_1" || s.Scope != schedule.Project || s.Timezone != "Europe/Berlin" || s.Deliver != (schedule.Delivery{To: schedule.ToConversation, Thread: "thr_1"}) ||
		s.By.AgentID != "agent:person/per_ann" || s.Through != "agent:pm" || !s.Enabled || len(s.Origins) != 1 {
		t.Errorf("%+v", s)
	}
	if _, err := made(k).Call(t.Context(), asked(`{"operation":"change","id":"sch_1","in":"20m","off":true}`)); err != nil || k.list[0].OnceAt != "2026-03-02T12:20:00Z" || k.list[0].Enabled || k.list[0].Message == "" {
		t.Errorf("%+v %v", k.list[0], err)
	}
	listed, err := made(k).Call(t.Context(), asked(`{"operation":"list"}`))
	if err != nil || !strings.Contains(listed.Text, `"yours":true`) || len(listed.From) != 1 {
		t.Errorf("%+v %v", listed, err)
	}
}

// TestSchedule_NotByTheClock: what no person asks for in a conversation makes no schedule.
func TestSchedule_NotByTheClock(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(c *tool.Call){
		"a schedule":     func(c *tool.Call) { c.Run.By = schedule.ID("sch_9").Party() },
		"run now":        func(c *tool.Call) { c.Run.Lane = run.ScheduleLane },
		"an agent":       func(c *tool.Call) { c.Run.By = event.Party{AgentID: "agent:pm", Role: "agent"} },
		"a program":      func(c *tool.Call) { c.Run.By.Key = "key_1" },
		"without a room": func(c *tool.Call) { c.Run.Project = "" },
	} {
		k := &kept{}
		c := asked(`{"operation":"create","message":"Look","cron":"30 8 * * *"}`)
		change(&c)
		if _, err := made(k).Call(t.Context(), c); err == nil || len(k.list) != 0 {
			t.Errorf("%s: %v %+v", name, err, k.list)
		}
	}
}

// TestSchedule_WhatItAmountsTo: each operation is a part of the tool, and answers for a chat are sent.
func TestSchedule_WhatItAmountsTo(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]struct {
		part string
		risk tool.Risk
		bad  bool
	}{
		`{"operation":"list"}`:   {part: "schedule_list"},
		`{"operation":"create"}`: {bad: true},
		`{"operation":"create","message":"x","cron":"* * * * *","at":"2026-12-01 09:00"}`:              {bad: true},
		`{"operation":"create","message":"x","in":"5m","deliver":"chat"}`:                              {bad: true},
		`{"operation":"create","message":"x","in":"5m","channel":"team","chat":"C1"}`:                  {bad: true},
		`{"operation":"create","message":"x","in":"5m","deliver":"chat","channel":"team","chat":"C1"}`: {part: "schedule_create", risk: tool.Send},
		`{"operation":"create","message":"x","in":"5m"}`:                                               {part: "schedule_create"},
		`{"operation":"change","id":"sch_1","message":"x"}`:                                            {bad: true},
		`{"operation":"change","id":"sch_1","message":"x","deliver":"here"}`:                           {part: "schedule_change"},
		`{"operation":"delete"}`:              {bad: true},
		`{"operation":"delete","id":"sch_1"}`: {part: "schedule_delete"},
	} {
		var in In
		if err := json.Unmarshal([]byte(args), &in); err != nil {
			t.Fatal(err)
		}
		if err := in.Check(); (err != nil) != want.bad {
			t.Errorf("%s: %v", args, err)
		}
		if act := in.Act(disk.Folders{}); !want.bad && (act.Part != want.part || act.Risk != want.risk || act.Shown == "" && in.Operation != "list") {
			t.Errorf("%s: %+v", args, act)
		}
	}
}

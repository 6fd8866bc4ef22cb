// Package clock holds the tool by which an agent makes schedules for the person who asks it to, in their name and rights.
package clock

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/disk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/schedule"
	"chela/internal/tool"
)

//go:embed *.md
var help embed.FS

// Schedules are what an agent changes for a person.
type Schedules interface {
	CreateThrough(ctx context.Context, h schedule.Hand, f schedule.Fields) (schedule.Schedule, error)
	ChangeThrough(ctx context.Context, h schedule.Hand, id schedule.ID, edit func(*schedule.Fields)) (schedule.Schedule, error)
	DeleteThrough(ctx context.Context, h schedule.Hand, id schedule.ID) error
}

// A Plan lists what there is.
type Plan interface {
	Schedules(ctx context.Context) ([]schedule.Schedule, error)
}

// Parts are what the tool reads and changes.
type Parts struct {
	Schedules Schedules
	Plan      Plan
	Zones     schedule.Zones
	Now       func() time.Time
}

// Tools returns the tool.
func Tools(p Parts) []*tool.Tool {
	t := tools{p}
	return []*tool.Tool{tool.Func(tool.Spec{
		Name: "schedule", Help: tool.HelpFile(help, "schedule"), Risk: tool.WriteRecords, Role: org.Editor, Private: true, Repeatable: true, Alone: true,
		Parts: []tool.Part{
			{Name: "schedule_list", Risk: tool.ReadOnly, Role: org.Viewer},
			{Name: "schedule_create", Risk: tool.WriteRecords, Role: org.Editor},
			{Name: "schedule_change", Risk: tool.WriteRecords, Role: org.Editor},
			{Name: "schedule_delete", Risk: tool.WriteRecords, Role: org.Editor},
		},
	}, t.call)}
}

type tools struct{ Parts }

// In are the parameters.
type In struct {
	Operation    string   `json:"operation" enum:"list,create,change,delete"`
	ID           string   `json:"id,omitempty" doc:"change, delete: sch_…, as list shows it"`
	Message      string   `json:"message,omitempty" doc:"what the agent is asked each time: whole, as to somebody who was not here"`
	Agent        string   `json:"agent,omitempty" doc:"who works; you when left out"`
	Cron         string   `json:"cron,omitempty" doc:"five fields, such as 30 8 * * MON-FRI"`
	Times        []string `json:"times,omitempty" doc:"of every day, such as 09:00"`
	EveryMinutes int      `json:"everyMinutes,omitempty" doc:"from midnight on, at most 1440"`
	At           string   `json:"at,omitempty" doc:"once: 2026-12-01 09:00 on the clock of the time zone"`
	In           string   `json:"in,omitempty" doc:"once, after so long: 20m, 3h, 2d"`
	Timezone     string   `json:"timezone,omitempty" doc:"such as Europe/Berlin; the person's own when left out, else UTC"`
	Deliver      string   `json:"deliver,omitempty" enum:"here,inbox,chat,none" doc:"where the answers go; here when left out"`
	Channel      string   `json:"channel,omitempty" doc:"of chat: its name, as list_chats shows it"`
	Chat         string   `json:"chat,omitempty" doc:"of chat: the platform's id, as list_chats shows it"`
	Branch       string   `json:"branch,omitempty" doc:"of a thread or topic in the chat"`
	Off          *bool    `json:"off,omitempty" doc:"change: true switches it off, false on"`
}

var (
	_ tool.Actor   = In{}
	_ tool.Checker = In{}
)

// Act implements [tool.Actor]. Answers for a chat are sent to people outside from then on.
func (in In) Act(disk.Folders) tool.Act {
	act := tool.Act{Part: "schedule_" + in.Operation}
	switch in.Operation {
	case "create", "change":
		act.Shown = fmt.Sprintf("Have an agent asked %q %s", in.Message, in.when())
		if in.Operation == "change" {
			act.Shown = strings.TrimSpace("Change the schedule " + in.ID + ". " + act.Shown)
		}
		if in.Deliver == "chat" {
			act.Risk = tool.Send
			act.Shown += fmt.Sprintf(", and its answers sent to the chat %s on the channel %s", in.Chat, in.Channel)
		}
	case "delete":
		act.Shown = "Delete the schedule " + in.ID
	}
	return act
}

// when says when, as it was given.
func (in In) when() string {
	zone := ""
	if in.Timezone != "" {
		zone = " (" + in.Timezone + ")"
	}
	switch {
	case in.Cron != "":
		return "by the cron expression " + in.Cron + zone
	case len(in.Times) > 0:
		return "every day at " + strings.Join(in.Times, ", ") + zone
	case in.EveryMinutes > 0:
		return fmt.Sprintf("every %d minutes", in.EveryMinutes)
	case in.At != "":
		return "once, at " + in.At + zone
	case in.In != "":
		return "once, in " + in.In
	}
	return "at the same times as before"
}

// Check implements [tool.Checker].
func (in In) Check() error {
	whens := 0
	for _, given := range []bool{in.Cron != "", len(in.Times) > 0, in.EveryMinutes != 0, in.At != "", in.In != ""} {
		if given {
			whens++
		}
	}
	switch {
	case whens > 1:
		return fault.BadField("cron", "Give one of cron, times, everyMinutes, at and in.")
	case in.Operation == "create" && whens == 0:
		return fault.BadField("cron", "Say when: one of cron, times, everyMinutes, at and in.")
	case in.Operation == "create" && strings.TrimSpace(in.Message) == "":
		return fault.BadField("message", "Say what the agent is asked each time.")
	case in.Operation != "create" && in.Operation != "list" && in.ID == "":
		return fault.BadField("id", "Name the schedule; list shows those there are.")
	case in.Operation == "change" && in.Message != "" && in.Deliver == "":
		return fault.BadField("deliver", "Say again where the answers go when the message changes.")
	case (in.Deliver == "chat") != (in.Channel != "" && in.Chat != ""):
		return fault.BadField("chat", "Answers for a chat need deliver: chat with its channel and chat, as list_chats shows them.")
	}
	return nil
}

// Row is a schedule.
type Row struct {
	ID       schedule.ID `json:"id"`
	Agent    string      `json:"agent"`
	When     string      `json:"when"`
	Timezone string      `json:"timezone"`
	Message  string      `json:"message,omitempty"`
	Deliver  string      `json:"deliver,omitempty"`
	Next     string      `json:"next,omitempty"`  // an instant
	State    string      `json:"state,omitempty"` // off or over
	Yours    bool        `json:"yours"`           // of the person you speak with: only those can be changed and deleted here
}

// Out is what came of it.
type Out struct {
	Schedule  *Row  `json:"schedule,omitempty"`
	Schedules []Row `json:"schedules,omitzero"`
	Deleted   bool  `json:"deleted,omitempty"`

	from []string
}

// From implements [tool.Sourced]: words that an agent wrote after it had seen data from outside stay words from there.
func (o Out) From() []string { return o.from }

func (t tools) call(ctx context.Context, c tool.Call, in In) (Out, error) {
	if in.Operation == "list" {
		return t.list(ctx, c)
	}
	h, err := hand(c)
	if err != nil {
		return Out{}, err
	}
	id := schedule.ID(in.ID)
	if in.Operation == "delete" {
		err := t.Schedules.DeleteThrough(ctx, h, id)
		return Out{Deleted: err == nil}, err
	}
	zone := in.Timezone
	if zone == "" && in.Operation == "create" {
		if zone, err = t.Zones.ZoneOf(ctx, org.PersonOf(h.By)); err != nil {
			return Out{}, err
		}
	}
	once := in.At
	if in.In != "" {
		if once, err = schedule.In(t.Now(), in.In); err != nil {
			return Out{}, err
		}
	}
	edit := func(f *schedule.Fields) { in.over(f, c, zone, once) }
	var s schedule.Schedule
	if in.Operation == "create" {
		f := schedule.Fields{Enabled: true, Agent: c.Agent, Scope: schedule.Project, Project: c.Run.Project, Deliver: here(c)}
		edit(&f)
		s, err = t.Schedules.CreateThrough(ctx, h, f)
	} else {
		s, err = t.Schedules.ChangeThrough(ctx, h, id, edit)
	}
	if err != nil {
		return Out{}, err
	}
	row := t.row(s, c.Run.By)
	return Out{Schedule: &row}, nil
}

func here(c tool.Call) schedule.Delivery {
	return schedule.Delivery{To: schedule.ToConversation, Thread: c.Run.Thread}
}

// over lays what was said over f.
func (in In) over(f *schedule.Fields, c tool.Call, zone, once string) {
	if in.Message != "" {
		f.Message, f.Through, f.Origins = in.Message, c.Agent, slices.Clone(tool.Outside(c.Origins))
	}
	if in.Agent != "" {
		f.Agent = org.AgentID("agent:" + strings.TrimPrefix(in.Agent, "agent:"))
	}
	f.Timezone = cmp.Or(zone, f.Timezone)
	switch {
	case in.Cron != "":
		f.Type, f.CronExpr = schedule.Cron, in.Cron
	case len(in.Times) > 0:
		f.Type, f.TimesOfDay = schedule.FixedTimes, in.Times
	case in.EveryMinutes != 0:
		f.Type, f.IntervalMinutes = schedule.Interval, in.EveryMinutes
	case once != "":
		f.Type, f.OnceAt = schedule.Once, once
	}
	switch in.Deliver {
	case "here":
		f.Deliver = here(c)
	case "inbox":
		f.Deliver = schedule.Delivery{To: schedule.ToInbox}
	case "chat":
		f.Deliver = schedule.Delivery{To: schedule.ToChat, Channel: in.Channel, Chat: in.Chat, Branch: in.Branch}
	case "none":
		f.Deliver = schedule.Delivery{}
	}
	if in.Off != nil {
		f.Enabled = !*in.Off
	}
}

// hand is for whom a call changes schedules, and within what. What the clock began makes none, and what a program asked by its key neither: the
// schedule would outlive the key.
func hand(c tool.Call) (schedule.Hand, error) {
	switch {
	case c.Run.Lane == run.ScheduleLane || c.Run.By.Role == event.RoleSchedule:
		return schedule.Hand{}, fault.New(fault.Denied, "What the clock began makes, changes and deletes no schedules. A person has to ask for it in a conversation.")
	case org.PersonOf(c.Run.By) == "":
		return schedule.Hand{}, fault.New(fault.Denied, "No person asked for this, and schedules belong to a person. A person has to ask for it in a conversation.")
	case c.Run.By.Key != "":
		return schedule.Hand{}, fault.New(fault.Denied, "A program asked for this by its key, which the schedule would outlive. A person has to ask for it, or the program calls POST /api/schedules.")
	case c.Run.Project == "":
		return schedule.Hand{}, fault.New(fault.Invalid, "This conversation has no project, and a schedule works for one. Choose a project first, such as by /project.")
	}
	return schedule.Hand{By: c.Run.By, At: c.Place, Key: c.Key, Project: c.Run.Project}, nil
}

func (t tools) list(ctx context.Context, c tool.Call) (Out, error) {
	all, err := t.Plan.Schedules(ctx)
	out := Out{Schedules: []Row{}}
	for _, s := range all {
		if s.Scope == schedule.Global || s.Project == c.Run.Project {
			out.Schedules = append(out.Schedules, t.row(s, c.Run.By))
			out.from = append(out.from, s.Origins...)
		}
	}
	return out, err
}

func (t tools) row(s schedule.Schedule, by event.Party) Row {
	in := In{Cron: s.CronExpr, Times: s.TimesOfDay, EveryMinutes: s.IntervalMinutes, At: s.OnceAt}
	out := Row{ID: s.ID, Agent: s.Agent.Name(), When: in.when(), Timezone: s.Timezone, Message: s.Message, Yours: s.By.AgentID == by.AgentID}
	if s.Type == schedule.Immediate {
		out.When = "once, at once"
	}
	switch d := s.Deliver; d.To {
	case schedule.ToConversation:
		out.Deliver = "the conversation " + d.Thread
	case schedule.ToChat:
		out.Deliver = "the chat " + d.Chat + " on the channel " + d.Channel
	case schedule.ToInbox:
		out.Deliver = "the inbox of who made it"
	}
	now := t.Now()
	if next, ok := s.Next(now); ok && s.Enabled {
		out.Next = next.Format(time.RFC3339)
	}
	switch {
	case s.Over(now):
		out.State = "over"
	case !s.Enabled:
		out.State = "off"
	}
	return out
}

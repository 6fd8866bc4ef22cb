// Package prompt holds what agents are told and the contracts their answers keep.
// The default agents' prompts are the Markdown files in agents/; contracts are JSON
// Schemas (contract.go). A system prompt is a stable prefix, the agent's prompt and
// the house rules, and then what changes from run to run.
package prompt

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/event"
	"chela/internal/org"
)

//go:embed agents/*.md
var files embed.FS

func file(name string) string {
	raw, err := files.ReadFile("agents/" + name + ".md")
	if err != nil {
		panic("prompt: " + err.Error()) // embedded, and tested
	}
	return strings.TrimSpace(string(raw))
}

// A Context is what changes from run to run.
type Context struct {
	Date    time.Time
	Project string // its name and id, as a line
	Thread  string
	Roster  []org.Agent // for the controller: whom it may choose
	Task    string      // what a controller asks of a specialist
}

// System returns the system prompt of an agent.
func System(a org.Agent, c Context) string {
	var b strings.Builder
	b.WriteString(a.Prompt)
	b.WriteString("\n\n")
	b.WriteString(file("rules"))
	if len(c.Roster) > 0 {
		b.WriteString("\n\nThe specialists:\n")
		for _, s := range c.Roster {
			fmt.Fprintf(&b, "- %s: %s\n", s.Card.AgentID.Name(), s.Card.Display.Desc)
		}
	}
	if c.Project != "" {
		fmt.Fprintf(&b, "\n\nThe project: %s", c.Project)
	}
	if !c.Date.IsZero() {
		fmt.Fprintf(&b, "\nToday is %s.", c.Date.Format("Monday, 2006-01-02"))
	}
	if c.Task != "" {
		fmt.Fprintf(&b, "\n\nYour task: %s", c.Task)
	}
	return b.String()
}

// Data marks text from outside as data. The fence is longer than any run of the same
// character in the text, so the text cannot end it.
func Data(label, text string) string {
	longest, run := 0, 0
	for _, r := range text {
		if r == '=' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	fence := strings.Repeat("=", max(longest+1, 8))
	return fmt.Sprintf("%s DATA: %s\n%s\n%s END OF DATA", fence, strings.ReplaceAll(label, "\n", " "), text, fence)
}

// Defaults returns the 16 agents that every organization starts with.
func Defaults() []org.Agent {
	out := make([]org.Agent, 0, 16)
	for _, d := range defaults() {
		tags := slices.Clone(d.tags)
		var caps []org.Capability
		for _, c := range d.caps {
			caps = append(caps, org.Capability{ID: c, Version: "1", Tags: tags, Tools: d.tools})
		}
		out = append(out, org.Agent{
			Card: org.Card{
				V: event.Version, AgentID: org.AgentID("agent:" + d.name), Display: org.Display{Name: d.title, Desc: d.desc},
				Capabilities: caps, Limits: org.Limits{MaxConcurrency: 10, MaxRuntimeSec: 900},
				Security: org.Security{Sandbox: true, Network: "none"}, Strengths: tags,
			},
			Profile: org.Profile{Kind: d.kind, Prompt: file(d.name), Tools: d.tools, Enabled: true, Budget: org.Budget{MaxTokens: 400_000, MaxCostUSD: 5, MaxRuntimeSec: 900}},
		})
	}
	return out
}

type preset struct {
	name, title, desc string
	kind              org.Kind
	caps, tags, tools []string
}

func defaults() []preset {
	read := []string{"read_threads", "read_thread_messages", "read_tickets", "read_objectives", "read_resources", "read_blindspots", "memory_recall"}
	with := func(more ...string) []string { return append(slices.Clone(read), more...) }
	return []preset{
		{"controller", "Controller", "Chooses who does the work.", org.Controller, []string{"skill:routing"}, nil, []string{}},
		{"reviewer", "Reviewer", "Reviews answers before people see them.", org.Checker, []string{"skill:review"}, nil, read},
		{"coder", "Coder", "Software questions: reads code that is pasted, explains, proposes changes.", org.Specialist, []string{"skill:code"}, []string{"code", "debugging"}, with("memory_store")},
		{"pm", "Project manager", "Tickets, sprint plans, deadlines, who does what.", org.Specialist, []string{"skill:planning", "skill:tickets"}, []string{"tickets", "sprint", "planning"}, with("create_ticket", "update_ticket", "assign_resource", "unassign_resource", "merge_threads", "memory_store")},
		{"generalist", "Generalist", "Everything without a better specialist; fills the desk from raw notes.", org.Specialist, []string{"skill:general", "skill:hydration"}, []string{"general", "intake"}, with("classify_content", "create_thread", "create_ticket", "update_ticket", "create_objective", "create_resource", "assign_resource", "memory_store")},
		{"reminder", "Reminder keeper", "Remembers what people ask to be reminded of.", org.Specialist, []string{"skill:reminders"}, []string{"reminders", "memory"}, with("memory_store", "memory_delete")},
		{"distiller", "Distiller", "Condenses conversations into memories.", org.Specialist, []string{"skill:distillation"}, []string{"memory", "summary"}, with("memory_store")},
		{"thread-extractor", "Thread extractor", "Finds tickets and follow-ups in conversations.", org.Specialist, []string{"skill:extraction"}, []string{"threads", "tickets"}, with("create_ticket", "attach_evidence", "memory_store")},
		{"thread-agent", "Thread keeper", "Creates, renames and merges threads.", org.Specialist, []string{"skill:threads"}, []string{"threads"}, with("create_thread", "rename_thread", "merge_threads", "attach_evidence", "memory_store")},
		{"objective-agent", "Objective keeper", "Objectives, their tickets and coverage.", org.Specialist, []string{"skill:objectives"}, []string{"objectives", "coverage", "sprint"}, with("create_objective", "update_objective", "compute_coverage", "create_ticket", "memory_store")},
		{"checklist-agent", "Checklist keeper", "Readiness and release checks, kept as tickets.", org.Specialist, []string{"skill:checklists"}, []string{"checklists", "release"}, with("create_ticket", "memory_store")},
		{"intake-triage", "Triage", "Says what pasted content is and where it goes.", org.Specialist, []string{"skill:triage"}, []string{"intake"}, []string{"classify_content", "read_threads", "memory_recall"}},
		{"plan-agent", "Planner", "Orders work into a plan with dates and risks.", org.Specialist, []string{"skill:plans"}, []string{"plan", "milestones"}, with("create_objective", "update_objective", "create_ticket", "memory_store")},
		{"reconcile-agent", "Reconciler", "Finds where records disagree or miss something.", org.Specialist, []string{"skill:reconcile"}, []string{"drift", "blindspots"}, with("create_delta_pack", "create_blindspot", "memory_store")},
		{"resource-agent", "Resource keeper", "Capacity, load, and who should take what.", org.Specialist, []string{"skill:capacity"}, []string{"capacity", "people"}, with("capacity_report", "suggest_assignments", "assign_resource", "unassign_resource", "create_resource", "memory_store")},
		{"ask-claw", "Answerer", "Answers questions from the records, with citations.", org.Specialist, []string{"skill:answers"}, []string{"questions"}, []string{"memory_recall"}},
	}
}

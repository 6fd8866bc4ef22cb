package prompt

import (
	"slices"

	"chela/internal/event"
	"chela/internal/org"
)

// Defaults returns the 16 agents that every organization starts with, in the order in which they are
// registered. needs lists the permissions that the tools of a list need; each agent gets those of its
// tools, and may call the network only with the permission for it.
func Defaults(needs func(tools []string) []org.Permission) []org.Agent {
	all := presets()
	out := make([]org.Agent, 0, len(all))
	for _, p := range all {
		out = append(out, p.agent(org.PermissionsOf(needs(p.tools)...)))
	}
	return out
}

// IsDefault reports whether every organization starts with an agent.
func IsDefault(id org.AgentID) bool {
	return slices.ContainsFunc(presets(), func(p preset) bool { return p.id() == id })
}

func presets() []preset { return slices.Concat(frame(), keepers(), knowledge(), makers()) }

// A preset is what tells one default agent from another.
type preset struct {
	name, title, desc string
	kind              org.Kind
	skills            []skill
	strengths, tools  []string
	cost              string // of a usual task: low, medium, high
}

// A skill is a capability of a preset, with the words it is found by.
type skill struct {
	id      string
	tags    []string
	outputs []string
}

func (p preset) id() org.AgentID { return org.AgentID("agent:" + p.name) }

func (p preset) agent(may org.Permissions) org.Agent {
	capabilities := make([]org.Capability, 0, len(p.skills))
	for _, s := range p.skills {
		capabilities = append(capabilities, org.Capability{
			ID: s.id, Version: "1", Tags: s.tags, Tools: slices.Clone(p.tools), Outputs: s.outputs, TrustLevel: "prod", CostHint: p.cost,
		})
	}
	network := "none"
	if may[org.Network] {
		network = "egress-allowed"
	}
	budget := org.Budget{MaxTokens: 400_000, MaxCostUSD: 5, MaxRuntimeSec: 900}
	return org.Agent{
		Card: org.Card{
			V: event.Version, AgentID: p.id(), Display: org.Display{Name: p.title, Desc: p.desc},
			Capabilities: capabilities,
			Limits:       org.Limits{MaxConcurrency: 10, MaxRuntimeSec: budget.MaxRuntimeSec, MaxTokens: budget.MaxTokens, MaxCost: budget.MaxCostUSD},
			Security:     org.Security{Sandbox: true, Network: network},
			Strengths:    p.strengths,
		},
		Profile: org.Profile{
			Kind: p.kind, Tools: p.tools, Enabled: true, Budget: budget,
			Prompt: file(p.name), Permissions: may,
		},
	}
}

// frame are the agents around every piece of work. Their answers are contracts, so
// they have no tools.
func frame() []preset {
	return []preset{
		{
			name: "controller", title: "Controller", desc: "Chooses who does the work.", kind: org.Controller, cost: "low",
			skills: []skill{{"skill:routing", []string{"routing"}, []string{"choice"}}}, strengths: []string{"routing"}, tools: []string{},
		},
		{
			name: "reviewer", title: "Reviewer", desc: "Reviews answers before people see them.", kind: org.Checker, cost: "low",
			skills: []skill{{"skill:review", []string{"review"}, []string{"review"}}}, strengths: []string{"review"}, tools: []string{},
		},
	}
}

// keepers are those who keep the records.
func keepers() []preset {
	return []preset{
		{
			name: "pm", title: "Project manager", desc: "Tickets, sprint plans, deadlines, who does what.", kind: org.Specialist, cost: "medium",
			skills: []skill{
				{"skill:planning", []string{"planning", "sprint", "deadlines"}, []string{"plan"}},
				{"skill:tickets", []string{"tickets", "backlog"}, []string{"ticket"}},
			},
			strengths: []string{"tickets", "sprint planning", "deadlines"},
			tools: []string{
				"read_threads", "read_thread_messages", "read_tickets", "read_objectives", "read_resources", "capacity_report", "suggest_assignments",
				"create_ticket", "update_ticket", "assign_resource", "unassign_resource", "create_idea", "promote_idea", "status_report", "read_milestones", "read_ideas",
				"read_uploads", "read_upload", "read_comments", "add_comment", "memory", "list_chats", "message", "schedule",
			},
		},
		{
			name: "generalist", title: "Generalist", desc: "Everything without a better specialist; fills the desk from raw notes.", kind: org.Specialist, cost: "medium",
			skills: []skill{
				{"skill:general", []string{"general"}, nil},
				{"skill:hydration", []string{"intake", "notes"}, []string{"thread", "ticket", "objective", "resource"}},
			},
			strengths: []string{"raw notes", "anything else"},
			tools: []string{
				"read_threads", "read_tickets",
				"create_thread", "create_ticket", "update_ticket", "create_objective", "create_phase", "create_milestone", "create_resource", "read_objectives", "read_resources",
				"assign_resource", "create_checklist", "read_phases", "read_milestones", "read_uploads", "read_upload",
				"read_thread_messages", "read_blindspots", "read_checklists", "capacity_report", "compute_coverage", "classify_content",
				"memory", "list_chats", "message", "schedule", "agent_spawn", "agent_list", "agent_wait", "agent_stop",
			},
		},
		{
			name: "thread-extractor", title: "Thread extractor", desc: "Finds work in conversations that nobody has written down.", kind: org.Specialist, cost: "medium",
			skills:    []skill{{"skill:extraction", []string{"threads", "tickets", "follow-ups"}, []string{"ticket"}}},
			strengths: []string{"follow-ups", "promises"},
			tools: []string{
				"read_threads", "read_thread_messages", "read_tickets", "read_ideas", "read_reminders", "create_ticket", "create_idea", "create_reminder",
				"create_checklist", "create_link", "attach_evidence", "memory",
			},
		},
		{
			name: "thread-agent", title: "Thread keeper", desc: "Creates, renames and merges threads.", kind: org.Specialist, cost: "low",
			skills:    []skill{{"skill:threads", []string{"threads", "topics"}, []string{"thread"}}},
			strengths: []string{"topics", "evidence"},
			tools:     []string{"read_threads", "read_thread_messages", "create_thread", "rename_thread", "merge_threads", "attach_evidence", "create_idea", "memory"},
		},
		{
			name: "objective-agent", title: "Objective keeper", desc: "Objectives, the tickets that serve them, and coverage.", kind: org.Specialist, cost: "medium",
			skills:    []skill{{"skill:objectives", []string{"objectives", "coverage", "sprint"}, []string{"objective"}}},
			strengths: []string{"objectives", "coverage"},
			tools: []string{
				"read_threads", "read_tickets", "read_objectives", "compute_coverage",
				"create_objective", "update_objective", "create_ticket", "memory",
			},
		},
		{
			name: "reconcile-agent", title: "Reconciler", desc: "Finds where records disagree or miss something.", kind: org.Specialist, cost: "medium",
			skills:    []skill{{"skill:reconcile", []string{"drift", "blindspots", "audit"}, []string{"delta_pack", "blindspot"}}},
			strengths: []string{"comparison", "gaps"},
			tools: []string{
				"read_threads", "read_tickets", "read_objectives", "read_resources", "read_blindspots", "read_phases", "read_milestones", "read_checklists",
				"read_uploads", "read_upload", "compute_coverage", "capacity_report", "create_delta_pack", "create_blindspot", "memory",
			},
		},
		{
			name: "resource-agent", title: "Resource keeper", desc: "Capacity, load, and who should take what.", kind: org.Specialist, cost: "medium",
			skills: []skill{
				{"skill:capacity", []string{"capacity", "people", "load"}, []string{"report"}},
				{"skill:assignment", []string{"assignment", "people"}, []string{"assignment"}},
			},
			strengths: []string{"capacity", "assignments"},
			tools: []string{
				"read_tickets", "read_objectives", "read_resources", "capacity_report", "suggest_assignments",
				"create_resource", "assign_resource", "unassign_resource", "memory",
			},
		},
	}
}

// knowledge are those who sort, condense and answer.
func knowledge() []preset {
	return []preset{
		{
			name: "intake-triage", title: "Triage", desc: "Says what pasted content is and where it goes; used by intakes.", kind: org.Specialist, cost: "low",
			skills:    []skill{{"skill:triage", []string{"intake", "classification"}, []string{"triage"}}},
			strengths: []string{"classification"},
			tools:     []string{"classify_content", "read_threads", "read_uploads", "read_upload", "memory_recall"},
		},
		{
			name: "ask-claw", title: "Answerer", desc: "Answers questions from the records, with citations.", kind: org.Specialist, cost: "low",
			skills:    []skill{{"skill:answers", []string{"questions", "research", "status"}, []string{"answer"}}},
			strengths: []string{"questions", "citations"},
			tools: []string{
				"read_threads", "read_thread_messages", "read_tickets", "read_objectives", "read_resources", "read_blindspots", "read_phases", "read_milestones",
				"read_checklists", "read_ideas", "read_reminders", "status_report", "capacity_report", "compute_coverage", "checklist_progress", "memory_recall",
			},
		},
		{
			name: "distiller", title: "Distiller", desc: "Condenses conversations into memories.", kind: org.Specialist, cost: "medium",
			skills:    []skill{{"skill:distillation", []string{"memory", "summary"}, []string{"memory"}}},
			strengths: []string{"summaries"},
			tools:     []string{"read_threads", "read_thread_messages", "read_tickets", "memory"},
		},
	}
}

// makers are those who change things, plan them and check them.
func makers() []preset {
	return []preset{
		{
			name: "coder", title: "Coder", desc: "Code, files, programs, Git, web pages: reads, changes, runs, explains.", kind: org.Specialist, cost: "high",
			skills: []skill{
				{"skill:code", []string{"code", "debugging", "files", "shell", "git", "web"}, []string{"patch"}},
				{"skill:code_review", []string{"code_review", "code"}, []string{"review"}},
			},
			strengths: []string{"code", "debugging"},
			tools:     []string{"*"},
		},
		{
			name: "reminder", title: "Reminder keeper", desc: "Remembers what people ask to be reminded of.", kind: org.Specialist, cost: "low",
			skills:    []skill{{"skill:reminders", []string{"reminders", "deadlines"}, []string{"reminder"}}},
			strengths: []string{"deadlines"},
			tools: []string{
				"read_threads", "read_thread_messages", "read_tickets", "read_objectives", "read_milestones", "read_reminders",
				"create_reminder", "memory", "schedule",
			},
		},
		{
			name: "checklist-agent", title: "Checklist keeper", desc: "Readiness and release checks, item by item.", kind: org.Specialist, cost: "medium",
			skills:    []skill{{"skill:checklists", []string{"checklists", "release", "ops"}, []string{"checklist"}}},
			strengths: []string{"readiness", "releases"},
			tools: []string{
				"read_threads", "read_thread_messages", "read_tickets", "read_resources", "read_checklists", "checklist_progress",
				"create_checklist", "update_checklist", "create_checklist_template", "create_ticket", "update_ticket", "memory",
			},
		},
		{
			name: "plan-agent", title: "Planner", desc: "Orders open work into a plan with dates and risks.", kind: org.Specialist, cost: "medium",
			skills: []skill{
				{"skill:plans", []string{"planning", "roadmap", "milestones"}, []string{"plan"}},
				{"skill:workflows", []string{"workflows", "automation"}, []string{"workflow"}},
			},
			strengths: []string{"order of work", "risks", "drafts of workflows"},
			tools: []string{
				"read_threads", "read_tickets", "read_objectives", "read_resources", "read_phases", "read_milestones", "capacity_report", "compute_coverage",
				"generate_plan_artifact", "create_phase", "update_phase", "create_milestone", "update_milestone", "create_objective", "update_objective",
				"memory", "canvas_get_state", "canvas_create_node", "canvas_connect_nodes", "canvas_update_property", "canvas_delete_node",
				"sandbox_create_file", "sandbox_read_file", "sandbox_list_directory",
			},
		},
	}
}

package scenario

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"chela/internal/desk"
)

// This file is the one table of what goes by another name in scenarios that were written
// for the system that the format comes from.

// otherNames are the names by which agents of ours also go: questions, which ask-claw
// answers, were the generalist's.
var otherNames = map[string][]string{"ask-claw": {"generalist"}}

// otherValues are what fields of a kind also say: a file came by file_upload, and stayed
// in the inbox whatever was made of it.
var otherValues = map[string]map[string]string{"upload.source": {"file": "file_upload"}, "upload.status": {"THREADED": "INBOX"}}

// An eventName finds events of ours.
type eventName struct {
	Types []string // any of them
	From  string   // person or agent; empty is anybody
	Holds string   // what the payload contains
}

var oldEvents = map[string]eventName{
	"USER_MESSAGE_RECEIVED":     {Types: []string{"chat.message"}, From: "person"},
	"AGENT_RESPONSE":            {Types: []string{"chat.message"}, From: "agent"},
	"AGENT_STEP_STARTED":        {Types: []string{"task.accept"}},
	"AGENT_STEP_COMPLETED":      {Types: []string{"task.result", "task.error"}},
	"AGENT_SWITCHED":            {Types: []string{"task.accept"}},
	"AGENT_DELEGATED":           {Types: []string{"routing.decision"}},
	"AGENT_CHECK_REQUESTED":     {Types: []string{"task.request"}, Holds: "Review the answer of "},
	"AGENT_CHECK_PASSED":        {Types: []string{"task.result"}, Holds: `"pass":true`},
	"AGENT_CHECK_FAILED":        {Types: []string{"task.result"}, Holds: `"pass":false`},
	"MODEL_TOKEN_DELTA":         {Types: []string{"model.answered"}},
	"TOOL_CALL_PROPOSED":        {Types: []string{"tool.call"}},
	"TOOL_CALL_APPROVED":        {Types: []string{"approval.answered"}},
	"TOOL_CALL_STARTED":         {Types: []string{"tool.call"}},
	"TOOL_CALL_DENIED":          {Types: []string{"tool.error"}},
	"TOOL_RESULT":               {Types: []string{"tool.result", "tool.error"}},
	"SESSION_STATUS_CHANGED":    {Types: []string{"run.started", "run.waiting", "run.finished"}},
	"CHECKPOINT_CREATED":        {Types: []string{"run.step", "model.answered", "tool.result"}},
	"ERROR":                     {Types: []string{"task.error", "chat.system"}},
	"APPROVAL_REQUESTED":        {Types: []string{"approval.requested"}},
	"APPROVAL_RESPONDED":        {Types: []string{"approval.answered"}},
	"INTAKE_RECEIVED":           {Types: []string{"desk.intake.created"}},
	"INTAKE_PIPELINE_STARTED":   {Types: []string{"desk.intake.created"}},
	"INTAKE_CLASSIFIED":         {Types: []string{"task.progress"}, Holds: `"triage done"`},
	"INTAKE_DISPATCHED":         {Types: []string{"desk.intake.updated"}, Holds: "DISPATCHED"},
	"INTAKE_PIPELINE_COMPLETED": {Types: []string{"desk.intake.updated"}, Holds: "DISPATCHED"},
	"MEMORY_STORED":             {Types: []string{"desk.memory.created", "desk.memory.updated"}},
	"MEMORY_DISTILLED":          {Types: []string{"desk.memory.created", "desk.memory.updated"}},
	"MEMORY_RECALLED":           {Types: []string{"tool.result"}, Holds: `"{\"memories\":`},
	"TICKET_CREATED":            {Types: []string{"desk.ticket.created"}},
	"TICKET_UPDATED":            {Types: []string{"desk.ticket.updated"}},
	"IDEA_PROMOTED":             {Types: []string{"desk.idea.updated"}, Holds: "PROMOTED"},
	"THREAD_IDEA_PROMOTED":      {Types: []string{"desk.idea.updated"}, Holds: "PROMOTED"},
	"THREAD_CREATED":            {Types: []string{"desk.thread.created"}},
	"THREAD_RENAMED":            {Types: []string{"desk.thread.updated"}},
	"THREAD_MERGED":             {Types: []string{"desk.thread.merged"}},
	"THREAD_EVIDENCE_ATTACHED":  {Types: []string{"desk.thread.updated"}, Holds: "evidence"},
	"RESOURCE_ASSIGNED":         {Types: []string{"desk.assignment.created"}},
	"RESOURCE_UNASSIGNED":       {Types: []string{"desk.assignment.deleted"}},
	"OBJECTIVE_UPDATED":         {Types: []string{"desk.objective.updated"}},
	"OBJECTIVE_TICKET_MAPPED":   {Types: []string{"desk.objective.updated"}, Holds: "ticketIds"},
	"DELTA_PACK_CREATED":        {Types: []string{"desk.delta_pack.created"}},
	"RECONCILE_DELTA_FOUND":     {Types: []string{"desk.delta_pack.created"}},
	"RECONCILE_COMPLETED":       {Types: []string{"desk.delta_pack.created"}},
	"BLINDSPOT_CREATED":         {Types: []string{"desk.blindspot.created"}},
	"BLINDSPOT_ACKNOWLEDGED":    {Types: []string{"desk.blindspot.updated"}, Holds: "ACKNOWLEDGED"},
	"BLINDSPOT_RESOLVED":        {Types: []string{"desk.blindspot.updated"}, Holds: "RESOLVED"},
	"PHASE_CREATED":             {Types: []string{"desk.phase.created"}},
	"PHASE_UPDATED":             {Types: []string{"desk.phase.updated"}},
	"MILESTONE_CREATED":         {Types: []string{"desk.milestone.created"}},
	"MILESTONE_UPDATED":         {Types: []string{"desk.milestone.updated"}},
	"MILESTONE_AT_RISK":         {Types: []string{"desk.milestone.updated"}, Holds: "AT_RISK"},
	"MILESTONE_MISSED":          {Types: []string{"desk.milestone.updated"}, Holds: "MISSED"},
	"PLAN_ARTIFACT_GENERATED":   {Types: []string{"tool.result"}, Holds: "generate_plan_artifact"},
	"CAPACITY_REPORT_GENERATED": {Types: []string{"tool.result"}, Holds: "capacity_report"},
	"ASSIGNMENT_SUGGESTED":      {Types: []string{"tool.result"}, Holds: "suggest_assignments"},
	"CHECKLIST_CREATED":         {Types: []string{"desk.checklist.created"}},
	"CHECKLIST_UPDATED":         {Types: []string{"desk.checklist.updated"}},
	"CHECKLIST_COMPLETED":       {Types: []string{"desk.checklist.updated"}, Holds: "COMPLETED"},

	"REMINDER_TRIGGERED": {Types: []string{"desk.reminder.updated"}, Holds: "lastTriggeredAt"},
	"SCHEDULE_CREATED":   {Types: []string{"schedule.created"}},
	"SCHEDULE_UPDATED":   {Types: []string{"schedule.changed"}},
	"SCHEDULE_DISABLED":  {Types: []string{"schedule.changed"}, Holds: `"enabled":false`},
	"EXEC_PLANNED":       {Types: []string{"schedule.execution.planned"}},
	"EXEC_STARTED":       {Types: []string{"schedule.execution.started"}},
	"EXEC_FINISHED":      {Types: []string{"schedule.execution.ended"}},
	"EXEC_RETRYING":      {Types: []string{"schedule.execution.ended"}, Holds: "retry_at"},
	"EXEC_CANCELLED":     {Types: []string{"schedule.execution.ended"}, Holds: "CANCELLED"},

	"CHECKLIST_TEMPLATE_CREATED":  {Types: []string{"desk.checklist_template.created"}},
	"OBJECTIVE_COVERAGE_COMPUTED": {Types: []string{"tool.result"}, Holds: "compute_coverage"},
}

// eventsNamed returns what a type of either system finds. Ours are small letters with dots.
func eventsNamed(name string) (eventName, bool) {
	if e, ok := oldEvents[name]; ok {
		return e, true
	}
	ours := strings.Contains(name, ".") && strings.ToLower(name) == name && !strings.ContainsAny(name, " &?#")
	return eventName{Types: []string{name}}, ours
}

// A collection is where records are found.
type collection struct {
	Kind desk.Kind // of the desk's records
	Path string    // of the list, below the project
	Own  string    // something that is no record: messages, events, prompts, agents, approvals, conversations
}

// collections are known by our path, and by the names below.
func collections() map[string]collection {
	out := map[string]collection{
		"messages":         {Own: "messages"},
		"events":           {Own: "events"},
		"prompts":          {Own: "prompts"},
		"agents":           {Own: "agents"},
		"approvals":        {Own: "approvals"},
		"conversations":    {Own: "conversations"},
		"llm_interactions": {Own: "prompts"},
		"testPrompts":      {Own: "prompts"},
		"sessions":         {Own: "conversations"},
	}
	for _, k := range desk.Kinds() {
		c := collection{Kind: k, Path: k.Plural()}
		if k == desk.Project {
			c.Path = ""
		}
		out[strings.ReplaceAll(k.Plural(), "-", "_")] = c
	}
	return out
}

// aliases are further names of collections.
var aliases = map[string]string{
	"resource_assignments": "assignments", "RESOURCE_ASSIGNMENT": "assignments", "deltaPacks": "delta_packs", "delta-packs": "delta_packs",
	"checklistTemplates": "checklist_templates", "checklist-templates": "checklist_templates",
}

// collectionNamed finds a collection by our name, an old one, or a kind.
func collectionNamed(name string) (collection, bool) {
	if a, ok := aliases[name]; ok {
		name = a
	}
	if c, ok := collections()[name]; ok {
		return c, true
	}
	for _, c := range collections() {
		if c.Kind != "" && strings.EqualFold(string(c.Kind), name) {
			return c, true
		}
	}
	return collection{}, name == "things" // which says its category in the filter
}

func collectionNames() []string { return slices.Sorted(maps.Keys(collections())) }

// states are the states that an old status may stand for.
var states = map[string][]string{
	"IDLE":      {"done", ""},
	"RUNNING":   {"running", "queued"},
	"PAUSED":    {"waiting"},
	"COMPLETED": {"done", ""},
	"FAILED":    {"failed", "cancelled"},
}

// paths are addresses that lie elsewhere here.
var paths = []struct{ old, ours string }{
	{"/api/resources", "/api/projects/{{projectId}}/resources"},
	{"/api/memories", "/api/projects/{{projectId}}/memories"},
	{"/api/reminders", "/api/projects/{{projectId}}/reminders"},
	{"/api/sessions", "/api/conversations"},
	{"/api/intake/pipeline", "/api/intake"},
}

// address returns where a call goes here.
func address(url string) string {
	for _, p := range paths {
		rest, ok := strings.CutPrefix(url, p.old)
		if ok && (rest == "" || rest[0] == '/' || rest[0] == '?') {
			return p.ours + rest
		}
	}
	return url
}

// said are fields of bodies that the address says here, or that nobody keeps.
var said = []string{"projectId", "projectName", "createdBy", "sessionId"}

// bodyFor takes out of a body what its address says already.
func bodyFor(url string, body json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if !strings.HasPrefix(url, "/api/projects/") || json.Unmarshal(body, &fields) != nil || fields == nil {
		return body
	}
	before := len(fields)
	for _, f := range said {
		delete(fields, f)
	}
	if len(fields) == before {
		return body
	}
	raw, err := json.Marshal(fields)
	if err != nil {
		return body
	}
	return raw
}

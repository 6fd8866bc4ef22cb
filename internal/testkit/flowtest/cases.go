package flowtest

import (
	"encoding/json"

	"chela/internal/model/scripted"
)

// A testCase is one way through a workflow.
type testCase struct {
	workflow string
	name     string
	inputs   map[string]any
	script   scripted.Script
	decides  []string // what persons choose, one after the other, or in a map each for its place; a note after a colon
	exit     int      // of programs
	ends     string
}

const (
	again  = "You did this before, and it was not accepted."
	passes = `{"pass":true,"summary":"It does what was asked.","feedback":""}`
	fails  = `{"pass":false,"summary":"Not yet.","feedback":"Something is missing."}`
)

// says is a step of a script: what each agent says to a text that has some words.
func says(contains string, replies ...string) scripted.Step {
	s := scripted.Step{Contains: contains}
	for i := 0; i+1 < len(replies); i += 2 {
		s.Replies = append(s.Replies, scripted.Reply{Agent: replies[i], Text: replies[i+1]})
	}
	return s
}

// calls is one in which an agent calls a tool first.
func calls(contains, agent, tool, args, text string) scripted.Step {
	return scripted.Step{Contains: contains, Replies: []scripted.Reply{{Agent: agent, Calls: []scripted.Call{{Name: tool, Args: json.RawMessage(args)}}}, {Agent: agent, Text: text}}}
}

func script(steps ...scripted.Step) scripted.Script { return scripted.Script{Steps: steps} }

// passing is a reviewer who passes everything.
func passing() scripted.Step { return says("", "reviewer", passes) }

// cases are those of all workflows that come with Chela: reviews that pass, refuse and escalate, contracts that are met and
// not, branches, maps, waits, questions, compensation.
func cases() []testCase {
	all := append(reports(), reviewed()...)
	return append(all, team()...)
}

func reports() []testCase {
	week := `{"headline":"On track","report":"Everything that was planned for the week was done, and nothing waits.","risks":[]}`
	ready := says("May version", "workflow", `{"verdict":"go","reasons":"Nothing is open."}`)
	return []testCase{
		{workflow: "weekly-report", name: "approved", script: script(says("Write the status", "workflow", week)), decides: []string{"approve"}, ends: "done"},
		{workflow: "weekly-report", name: "refused", script: script(says("Write the status", "workflow", week)), decides: []string{"deny"}, ends: "done"},
		{workflow: "weekly-report", name: "unproven", script: script(says("Write the status", "workflow", `{"headline":"Hm","report":"Fine.","risks":[]}`)), ends: "unproven"},
		{workflow: "release-readiness", name: "all sign", inputs: map[string]any{"version": "2.4.0", "signers": []any{"Ann", ""}}, script: script(ready), decides: []string{"approve", "approve"}, ends: "done"},
		{workflow: "release-readiness", name: "one refuses", inputs: map[string]any{"version": "2.4.0", "signers": []any{"Ann", ""}}, script: script(ready), decides: []string{"approve", "deny: Not yet."}, ends: "done"},
		{
			workflow: "bug-triage", name: "a critical bug", inputs: map[string]any{"title": "Nobody can pay"},
			script: script(says("Judge this bug", "workflow", `{"severity":"critical","duplicate":"","summary":"All payments fail."}`)), decides: []string{"yes"}, ends: "done",
		},
	}
}

func reviewed() []testCase {
	incident := map[string]any{"title": "Payments failed", "notes": "The certificate had expired at 09:00."}
	draft := `{"timeline":["09:00 it expired"],"impact":"Nobody could pay.","causes":["Nobody renewed it."],"followups":[{"title":"Renew by a job","why":"People forget."},{"title":"Warn before","why":"Nobody saw it."}]}`
	worse := `{"timeline":["09:00 Ann forgot it"],"impact":"Nobody could pay.","causes":["Ann forgot."],"followups":[{"title":"Tell Ann","why":"She forgot."}]}`
	writes := says("Write the review of the incident", "workflow", draft)
	change := map[string]any{"ticket": "tkt", "change": "Round to cents."}
	does := says("Change the code", "engineer", "I changed money.go and wrote a test.")
	return []testCase{
		{workflow: "incident-review", name: "approved", inputs: incident, script: script(writes, passing()), decides: []string{"approve: It is fair."}, ends: "done"},
		{
			workflow: "incident-review", name: "refused once", inputs: incident, decides: []string{"approve: Now it is fair."}, ends: "done",
			script: script(says(again, "workflow", draft), says("Write the review of the incident", "workflow", worse), says("Ann forgot", "reviewer", fails), passing()),
		},
		{
			workflow: "incident-review", name: "escalated", inputs: incident, decides: []string{"approve: An admin says so."}, ends: "done",
			script: script(writes, says("", "reviewer", fails)),
		},
		{workflow: "code-change", name: "approved", inputs: change, script: script(does, passing()), decides: []string{"approve: I read it."}, ends: "done"},
		{
			workflow: "code-change", name: "refused once by a person", inputs: change, script: script(says(again, "engineer", "I changed money.go, and wrote two tests."), does, passing()),
			decides: []string{"deny: One test is missing.", "approve: Both are there."}, ends: "done",
		},
		{workflow: "code-change", name: "escalated", inputs: change, script: script(does, says("", "reviewer", fails)), decides: []string{"approve: It will do."}, ends: "done"},
		{
			workflow: "code-change", name: "unproven", inputs: change, script: script(does, passing()), exit: 1, ends: "unproven",
			decides: []string{"approve: I read it.", "approve: I read it.", "approve: I read it.", "approve: I read it."},
		},
	}
}

func team() []testCase {
	mia := map[string]any{"name": "Mia", "role": "ENGINEER", "guide": "Ann"}
	notes := map[string]any{"notes": "Ann renews the certificate by Friday."}
	files := calls("File these notes", "generalist", "create_ticket", `{"title":"Renew the certificate","owner":"Ann"}`, "A ticket: renew the certificate.")
	return []testCase{
		{workflow: "onboarding", name: "help is needed", inputs: mia, decides: []string{"begins", "needs help: The build fails."}, ends: "done"},
		{workflow: "onboarding", name: "they begin later", inputs: mia, decides: []string{"waits: In May."}, ends: "done"},
		{workflow: "intake-notes", name: "passed", inputs: notes, script: script(files, passing()), ends: "done"},
		{workflow: "intake-notes", name: "never right", inputs: notes, script: script(files, says("", "reviewer", fails)), ends: "failed"},
	}
}

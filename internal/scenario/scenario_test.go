package scenario_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chela/internal/fault"
	"chela/internal/scenario"
)

func read(t *testing.T, text string) scenario.File {
	t.Helper()
	f, err := scenario.Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestScenario_FilesOfBothVersions plays files as they were written for the system that the
// format comes from.
func TestScenario_FilesOfBothVersions(t *testing.T) {
	t.Parallel()
	for name, checks := range map[string]int{"version1.json": 3, "version2.json": 44} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join("testdata", name)
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			r := scenario.Play(t.Context(), file, read(t, string(raw)), scenario.Options{})
			for _, c := range r.Checks {
				if !c.OK {
					t.Errorf("%s", c.Text)
				}
			}
			if len(r.Checks) < checks {
				t.Errorf("%d checks, expected %d: %+v", len(r.Checks), checks, r.Checks)
			}
		})
	}
}

func TestScenario_ReadSaysWhereAMistakeIs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, says string }{
		"no JSON":                {`{`, "ends early"},
		"an unknown key":         {`{"schemaVersion":2,"projectNmae":"P","steps":[{"userQuery":"x"}]}`, "projectNmae: The key is not known"},
		"an unknown key below":   {`{"schemaVersion":2,"projectName":"P","steps":[{"userQuery":"x"},{"userQuery":"x","expects":{"mongo":[{"colection":"threads"}]}}]}`, "steps.1.expects.mongo.colection: The key is not known"},
		"another case":           {`{"schemaVersion":2,"projectName":"P","steps":[{"userquery":"x"}]}`, "steps.0.userquery: The key is spelt userQuery"},
		"an unknown version":     {`{"schemaVersion":3,"steps":[{"userQuery":"x"}]}`, "schemaVersion: The version is not known. Allowed: 1, 2"},
		"no steps":               {`{"schemaVersion":2,"steps":[]}`, "steps"},
		"a start that is none":   {`{"schemaVersion":2,"defaults":{"startAt":"Monday"},"steps":[{"userQuery":"x"}]}`, "defaults.startAt: It is no instant"},
		"version 1 with more":    {`{"steps":[{"userQuery":"x","expects":{"sessionStatus":"COMPLETED"}}]}`, `steps.0: Version 1 has only`},
		"a step without words":   {`{"schemaVersion":2,"steps":[{"type":"message"}]}`, "steps.0.userQuery"},
		"an empty seed":          {`{"schemaVersion":2,"steps":[{"type":"seed"}]}`, "steps.0.seedActions"},
		"a seed's address":       {`{"schemaVersion":2,"steps":[{"type":"seed","seedActions":[{"url":"api"}]}]}`, "steps.0.seedActions.0.url"},
		"an empty upload":        {`{"schemaVersion":2,"steps":[{"type":"upload"}]}`, "steps.0.uploadFiles"},
		"an empty pipeline":      {`{"schemaVersion":2,"steps":[{"type":"pipeline"}]}`, "steps.0.pipelineContent"},
		"a nameless agent":       {`{"schemaVersion":2,"steps":[{"userQuery":"x","agentResponses":[{}]}]}`, "steps.0.agentResponses.0.agentName"},
		"a mock of no tool":      {`{"schemaVersion":2,"steps":[{"userQuery":"x","toolMocks":[{"tool":"No tool"}]}]}`, "steps.0.toolMocks.0.tool"},
		"a mock's type":          {`{"schemaVersion":2,"steps":[{"userQuery":"x","toolMocks":[{"tool":"excel","match":{"type":"some"}}]}]}`, "Allowed: any, containsKeys, exact, regex"},
		"an unknown event":       {`{"schemaVersion":2,"steps":[{"userQuery":"x","expects":{"events":{"minCounts":{"TICKET_MADE":1}}}}]}`, "TICKET_MADE"},
		"an unknown collection":  {`{"schemaVersion":2,"steps":[{"userQuery":"x","expects":{"mongo":[{"collection":"cats","assert":{"countEq":1}}]}}]}`, "There is no collection cats. Allowed: agents, "},
		"an assert of nothing":   {`{"schemaVersion":2,"steps":[{"userQuery":"x","expects":{"mongo":[{"collection":"threads","assert":{}}]}}]}`, "It says nothing to check"},
		"an unknown status":      {`{"schemaVersion":2,"steps":[{"userQuery":"x","expects":{"sessionStatus":"OK"}}]}`, "The status OK is not known"},
		"an unknown kind's diff": {`{"schemaVersion":2,"steps":[{"userQuery":"x","expects":{"differences":{"messages":1}}}]}`, "messages"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := scenario.Read([]byte(c.in))
			if fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.TextOf(err), c.says) {
				t.Errorf("it says %q, want %q", fault.TextOf(err), c.says)
			}
		})
	}
}

// TestScenario_WhatDoesNotHoldIsSaid plays files whose expectations are wrong, each in one way.
func TestScenario_WhatDoesNotHoldIsSaid(t *testing.T) {
	t.Parallel()
	const two = `{"type":"seed","seedActions":[{"url":"/api/projects/{{projectId}}/tickets","body":{"title":"A"}},{"url":"/api/projects/{{projectId}}/tickets","body":{"title":"B"}}],"expects":`
	for name, c := range map[string]struct{ step, says string }{
		"a count":              {two + `{"records":[{"collection":"tickets","assert":{"countEq":3}}]}}`, "tickets has 2, expected 3"},
		"at least":             {two + `{"records":[{"collection":"tickets","filter":{"title":"A"},"assert":{"countGte":2}}]}}`, "has 1, expected at least 2"},
		"at most":              {two + `{"records":[{"collection":"tickets","assert":{"countLte":1}}]}}`, "has 2, expected at most 1"},
		"none":                 {two + `{"records":[{"collection":"tickets","assert":{"exists":false}}]}}`, "some: false"},
		"a field":              {two + `{"records":[{"collection":"tickets","assert":{"anyMatchField":"title","anyMatchPattern":"^c$"}}]}}`, "none of the 2 of tickets has title"},
		"an event":             {two + `{"events":{"containsTypes":["THREAD_CREATED"]}}}`, "THREAD_CREATED is in the log"},
		"no event":             {two + `{"events":{"absentTypes":["desk.ticket.created"]}}}`, "desk.ticket.created is not in the log"},
		"an exact count":       {two + `{"events":{"counts":{"TICKET_CREATED":1}}}}`, "2 times, expected 1"},
		"a least count":        {two + `{"events":{"minCounts":{"TICKET_CREATED":3}}}}`, "2 times, expected at least 3"},
		"an order":             {two + `{"eventsInOrder":["desk.ticket.created","desk.ticket.created","desk.ticket.created"]}}`, "there is no desk.ticket.created after those before it"},
		"a difference":         {two + `{"differences":{"tickets":1,"thread":0}}}`, "tickets went from 0 to 2, expected a difference of 1"},
		"an answer's status":   {two + `{"http":[{"url":"/api/none","expectedStatus":200}]}}`, "answers 404, expected 200"},
		"an answer":            {two + `{"http":[{"url":"/api/projects/{{projectId}}/tickets","bodyContains":"zzz"}]}}`, `contains "zzz"`},
		"a value":              {two + `{"http":[{"url":"/api/projects/{{projectId}}/tickets","jsonPath":"$[*].title","jsonPathEquals":"A"}]}}`, `has "A, B" at $[*].title`},
		"a total":              {two + `{"http":[{"url":"/api/projects/{{projectId}}/tickets","total":3}]}}`, "has 2, expected 3"},
		"a total of no list":   {two + `{"http":[{"url":"/api/status","total":3}]}}`, "is no list"},
		"a regular expression": {two + `{"http":[{"url":"/api/status","bodyMatches":"("}]}}`, "is no regular expression"},
		"a template":           {`{"userQuery":"{{ticket}}"}`, "Nothing is known as {{ticket}}"},
		"a template's place":   {`{"userQuery":"{{tickets[0].id}}"}`, "finds nothing"},
		"a seed":               {`{"type":"seed","seedActions":[{"url":"/api/projects/{{projectId}}/tickets","body":{"titel":"A"}}]}`, "seedActions.0 /api/projects/{{projectId}}/tickets"},
		"a capture":            {`{"type":"seed","seedActions":[{"url":"/api/projects/{{projectId}}/tickets","body":{"title":"A"},"capture":{"x":"none"}}]}`, `nothing at "none"`},
		"a file":               {`{"type":"upload","uploadFiles":["none.csv"]}`, "The file none.csv cannot be read"},
		"a reply":              {`{"userQuery":"whereami","expects":{"replyMatches":"elsewhere"}}`, `matches "elsewhere"`},
		"a message":            {`{"userQuery":"whereami","expects":{"messages":{"lastAssistantContains":"elsewhere"}}}`, `contains "elsewhere"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := scenario.Play(t.Context(), "x.json", read(t, `{"schemaVersion":2,"projectName":"P","steps":[`+c.step+`]}`), scenario.Options{})
			said := ""
			for _, check := range r.Checks {
				if !check.OK {
					said += check.Text + "\n"
				}
			}
			if !strings.Contains(said, c.says) || strings.Count(said, "\n") != 1 {
				t.Errorf("it says %q, want %q alone", said, c.says)
			}
		})
	}
}

// TestScenario_PlayedAgainAFileGivesTheSameLog plays a file with everything in it several times at
// once: ids, times and payloads are all in the digest.
func TestScenario_PlayedAgainAFileGivesTheSameLog(t *testing.T) {
	t.Parallel()
	file := filepath.Join("testdata", "version2.json")
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	f := read(t, string(raw))
	results := scenario.PlayAll(t.Context(), []scenario.Named{{Name: file, File: f}, {Name: file, File: f}, {Name: file, File: f}}, scenario.Options{Parallel: 3})
	f.Defaults.StartAt = "2027-02-01T08:00:00+01:00"
	later := scenario.Play(t.Context(), file, f, scenario.Options{})
	for _, r := range results {
		if !r.OK() || r.Log == "" || r.Log != results[0].Log || r.Log == later.Log {
			t.Errorf("its log is %q, and %q the first time, and %q in another year", r.Log, results[0].Log, later.Log)
		}
	}
}

func TestScenario_TheClockIsTheScenarios(t *testing.T) {
	t.Parallel()
	const two = `{"type":"seed","seedActions":[{"url":"/api/projects/{{projectId}}/tickets","body":{"title":"A"}}]},
		{"type":"seed","seedActions":[{"url":"/api/projects/{{projectId}}/tickets","body":{"title":"B"}}],"expects":{"http":[
		{"url":"/api/projects/{{projectId}}/tickets","jsonPath":"$[*].createdAt","jsonPathEquals":"%s"},
		{"url":"/api/projects/{{projectId}}/tickets?filter=created:today","total":2},
		{"url":"/api/projects/{{projectId}}/tickets","jsonPath":"$[*].id","jsonPathEquals":"%s"}]}}`
	for start, c := range map[string]struct{ times, ids string }{
		"":                                      {"2026-01-05T09:01:00Z, 2026-01-05T09:02:00Z", "tkt_06drtrv4w00000000000000004, tkt_06drts2f800000000000000008"},
		`"startAt":"2027-02-01T23:30:00+01:00"`: {"2027-02-01T22:31:00Z, 2027-02-01T22:32:00Z", ""},
	} {
		steps := fmt.Sprintf(two, c.times, c.ids)
		if c.ids == "" {
			steps = strings.Replace(steps, `,
		{"url":"/api/projects/{{projectId}}/tickets","jsonPath":"$[*].id","jsonPathEquals":""}`, "", 1)
		}
		r := scenario.Play(t.Context(), "x.json", read(t, `{"schemaVersion":2,"projectName":"P","defaults":{`+start+`},"steps":[`+steps+`]}`), scenario.Options{})
		for _, check := range r.Checks {
			if !check.OK {
				t.Errorf("%s", check.Text)
			}
		}
	}
}

func TestScenario_AStepThatTakesTooLong(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := scenario.Play(ctx, "x.json", read(t, `{"schemaVersion":2,"projectName":"P","steps":[{"userQuery":"whereami"}]}`), scenario.Options{})
	if r.OK() {
		t.Errorf("%+v", r)
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"version1.json", "version2.json"} {
		raw, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Add([]byte(`{"schemaVersion":2,"steps":[null]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := scenario.Read(raw)
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Fatalf("%v", err)
			}
			return
		}
		again, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := scenario.Read(again); err != nil {
			t.Fatalf("%s is read and then refused: %s", raw, fault.TextOf(err))
		}
	})
}

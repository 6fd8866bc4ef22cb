package desk_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"chela/internal/desk"
	"chela/internal/fault"
)

// A sample is a kind's struct, a least body, and a value for every field, by what
// clearing does: the field is gone or has its default again; it is required; it is
// counted, so that what is sent has no effect; or it is a state, see states_test.go.
type sample struct {
	body                               reflect.Type
	least                              string
	clears, required, counted, machine map[string]string
}

var samples = map[desk.Kind]sample{
	desk.Project: {
		body: reflect.TypeFor[desk.ProjectBody](), least: `{"name":"P"}`, required: map[string]string{"name": `"Q"`},
		clears: map[string]string{"description": `"x"`, "status": `"ARCHIVED"`, "tags": `["a","b"]`, "metadata": `{"a":"b"}`},
	},
	desk.Thread: {
		body: reflect.TypeFor[desk.ThreadBody](), least: `{"title":"T"}`, required: map[string]string{"title": `"U"`},
		clears: map[string]string{
			"summary": `"x"`, "content": `"# x\n"`, "lifecycle": `"CLOSED"`, "evidence": `[{"relevance":0.5,"snippet":"x","type":"file","uploadId":"upl_1"}]`,
			"decisions": `[{"date":"2026-03-01","decidedBy":"Ann","text":"x"}]`, "actions": `[{"assignee":"Bob","dueDate":"2026-03-02","status":"DONE","text":"x","ticketId":"tkt_1"}]`,
			"openQuestions": `["x?"]`, "attendees": `["Ann"]`, "away": `[{"days":"2026-03-03 to 2026-03-14","resourceId":"res_1"}]`, "statuses": `[{"status":"DONE","ticketId":"tkt_1","was":"TODO"}]`, "date": `"2026-03-01"`, "objectiveIds": `["obj_1"]`, "phaseIds": `["phs_1"]`, "extractedIdeaIds": `["ida_1"]`, "mergedFromThreadIds": `["thr_1"]`, "sources": sources,
			"namingPolicy": `"PROJECT-topic"`, "lastExtractedAt": `"2026-03-01T10:00:00Z"`, "extractionCount": `2`,
		},
	},
	desk.Ticket: {
		body: reflect.TypeFor[desk.TicketBody](), least: `{"title":"T"}`, required: map[string]string{"title": `"U"`}, counted: map[string]string{"closedOn": `"2026-03-01"`},
		clears: map[string]string{
			"description": `"x"`, "status": `"DONE"`, "outcome": `"DUPLICATE"`, "priority": `"HIGH"`, "type": `"EPIC"`, "parentTicketId": `"tkt_1"`, "linkedThreadIds": `["thr_1"]`, "blockedBy": `["tkt_1"]`, "imported": `{"title":"0a1b2c"}`, "duplicateOf": `"tkt_1"`, "relatedTo": `["tkt_1"]`,
			"objectiveIds": `["obj_1"]`, "externalRef": `"A-1"`, "storyPoints": `0.5`, "dueDate": `"2026-03-01"`, "sprint": `"S1"`, "earlierSprints": `["S0"]`, "labels": `["x"]`, "reporter": `"Bo"`,
			"evidence": `[{"author":"Ann","date":"2026-03-01","snippet":"x","type":"comment"}]`,
			"phaseId":  `"phs_1"`, "evidenceLinks": `["https://example.com"]`, "contract": `[{"name":"n","number":{"min":1,"value":"ticket.storyPoints"}}]`, "proof": `"PROVEN"`, "contractBy": `"agent:person/per_1"`, "lastExternalSync": `"2026-03-01T10:00:00Z"`, "externalCreated": `"2026-03-01"`, "externalResolved": `"2026-03-01T10:00:00Z"`, "sources": sources,
		},
	},
	desk.Objective: {
		body: reflect.TypeFor[desk.ObjectiveBody](), least: `{"outcome":"O"}`, required: map[string]string{"outcome": `"P"`},
		clears: map[string]string{
			"sprintName": `"S"`, "measurableSignal": `"x"`, "risks": `["x"]`, "threadIds": `["thr_1"]`, "ticketIds": `["tkt_1"]`, "coveragePercent": `66.7`,
			"status": `"AT_RISK"`, "startDate": `"2026-03-01"`, "endDate": `"2026-03-02"`, "sources": sources,
		},
	},
	desk.Resource: {
		body: reflect.TypeFor[desk.ResourceBody](), least: `{"name":"R"}`, required: map[string]string{"name": `"S"`},
		clears: map[string]string{"email": `"a@b"`, "role": `"QA"`, "skills": `["go"]`, "capacity": `0`, "availability": `0`, "aliases": `["x"]`, "away": `["2026-12-03"]`, "imported": `{"role":"0a1b2c"}`, "sources": sources},
	},
	desk.Comment: {
		body: reflect.TypeFor[desk.CommentBody](), least: `{"recordId":"tkt_1","text":"Hello"}`, required: map[string]string{"recordId": `"tkt_2"`, "text": `"Bye"`},
		clears: map[string]string{"replyTo": `"cmt_1"`},
	},
	desk.Assignment: {
		body: reflect.TypeFor[desk.AssignmentBody](), least: `{"resourceId":"res_1","ticketId":"tkt_1"}`, required: map[string]string{"resourceId": `"res_2"`, "ticketId": `"tkt_2"`},
		clears: map[string]string{"percentageAllocation": `50`, "sources": sources},
	},
	desk.DeltaPack: {
		body: reflect.TypeFor[desk.DeltaPackBody](), least: `{}`, counted: map[string]string{"bySeverity": `{"LOW":5}`, "byType": `{"DATE_DRIFT":5}`}, machine: map[string]string{"status": ``},
		clears: map[string]string{
			"title": `"D"`, "sourcesCompared": `["a","b"]`, "runId": `"run_1"`, "sources": sources,
			"deltas": `[{"autoResolvable":true,"by":"rule:drift","changedId":"tkt_1","decidedAt":"2026-03-01","decidedBy":"agent:x","decision":"ACCEPTED","deltaType":"DATE_DRIFT","description":"d","fieldName":"f","recordIds":["tkt_1"],"severity":"HIGH","sourceA":"a","sourceB":"b","suggestedAction":"s","title":"x","valueA":"1","valueB":"2"}]`,
		},
	},
	desk.Blindspot: {
		body: reflect.TypeFor[desk.BlindspotBody](), least: `{"title":"B","category":"EMPTY_PHASE"}`, required: map[string]string{"title": `"C"`, "category": `"CAPACITY_GAP"`},
		clears: map[string]string{
			"description": `"x"`, "severity": `"CRITICAL"`, "status": `"RESOLVED"`, "owner": `"Ann"`, "recordIds": `["tkt_1"]`, "deltaPackId": `"dlt_1"`, "runId": `"run_1"`, "resolvedAt": `"2026-03-01"`, "sources": sources,
		},
	},
	desk.Upload: {
		body: reflect.TypeFor[desk.UploadBody](), least: `{"title":"U","binaryRef":"sha"}`, required: map[string]string{"title": `"V"`, "binaryRef": `"sha2"`},
		clears: map[string]string{
			"source": `"paste"`, "contentType": `"text/plain"`, "bytes": `12`, "status": `"THREADED"`, "problems": `["x"]`, "intakeId": `"int_1"`, "tags": `["x"]`,
			"sourceUrl": `"https://example.com"`, "threadId": `"thr_1"`, "classifiedAs": `"JIRA_DUMP"`, "confidence": `0.9`, "people": `["Ann"]`, "systems": `["PAY"]`,
			"contentTimestamp": `"2026-03-01"`, "inferredTimestamp": `true`, "metadata": `{"a":"b"}`,
		},
	},
	desk.Intake: {
		body: reflect.TypeFor[desk.IntakeBody](), least: `{"title":"I","digest":"d"}`, required: map[string]string{"title": `"J"`, "digest": `"e"`}, machine: map[string]string{"status": ``},
		clears: map[string]string{
			"sourceType": `"JIRA_DUMP"`, "classifiedAs": `"TICKETS"`, "uploadIds": `["upl_1"]`, "rawContentRef": `"sha"`, "phases": `[{"agent":"a","by":"rules","name":"n","status":"done","summary":"s"}]`,
			"created": `{"ticket":7}`, "changed": `{"ticket":2}`, "problems": `["x"]`, "runId": `"run_1"`, "threadId": `"thr_1"`, "rulesOnly": `true`,
		},
	},
	desk.Memory: {
		body: reflect.TypeFor[desk.MemoryBody](), least: `{"content":"c"}`, required: map[string]string{"content": `"d"`}, machine: map[string]string{"key": `"l"`},
		clears: map[string]string{
			"scope": `"THREAD"`, "threadId": `"thr_1"`, "tags": `["x"]`, "expiresAt": `"2026-03-01"`, "sources": sources,
			"owner": `"x"`, "type": `"fact"`, "confidence": `0.5`, "validFrom": `"2026-03-01"`, "validTo": `"2026-03-01"`, "supersedes": `["mem_1"]`, "contradicts": `["mem_1"]`,
		},
	},
	desk.Phase: {
		body: reflect.TypeFor[desk.PhaseBody](), least: `{"name":"P"}`, required: map[string]string{"name": `"Q"`},
		clears: map[string]string{
			"description": `"x"`, "entryCriteria": `["x"]`, "exitCriteria": `["y"]`, "checklistIds": `["chk_1"]`, "objectiveIds": `["obj_1"]`, "status": `"ACTIVE"`,
			"sortOrder": `2`, "startDate": `"2026-03-01"`, "endDate": `"2026-03-02"`, "imported": `{"endDate":"0a1b2c"}`, "sources": sources,
		},
	},
	desk.Milestone: {
		body: reflect.TypeFor[desk.MilestoneBody](), least: `{"name":"M"}`, required: map[string]string{"name": `"N"`},
		clears: map[string]string{
			"description": `"x"`, "targetDate": `"2026-03-01"`, "actualDate": `"2026-03-02"`, "status": `"AT_RISK"`, "phaseId": `"phs_1"`, "objectiveIds": `["obj_1"]`,
			"ticketIds": `["tkt_1"]`, "owner": `"Ann"`, "dependencies": `["mls_1"]`, "imported": `{"name":"0a1b2c"}`, "sources": sources,
		},
	},
	desk.SprintPlan: {
		body: reflect.TypeFor[desk.SprintPlanBody](), least: `{"name":"S"}`, required: map[string]string{"name": `"T"`},
		clears: map[string]string{
			"goal": `"x"`, "startDate": `"2026-03-01"`, "endDate": `"2026-03-13"`, "status": `"ACTIVE"`, "imported": `{"goal":"0a1b2c"}`, "sources": sources,
		},
	},
	desk.Checklist: {
		body: reflect.TypeFor[desk.ChecklistBody](), least: `{"name":"C"}`, required: map[string]string{"name": `"D"`},
		clears: map[string]string{
			"templateId": `"clt_1"`, "phaseId": `"phs_1"`, "ticketIds": `["tkt_1"]`, "status": `"PENDING"`, "sourceThreadId": `"thr_1"`, "sources": sources,
			"items": `[{"assignee":"Ann","checked":true,"itemId":"1","linkedTicketId":"tkt_1","notes":"n","text":"x"},{"itemId":"2","text":"y"}]`, "imported": `{"items":"0a1b2c"}`,
		},
	},
	desk.ChecklistTemplate: {
		body: reflect.TypeFor[desk.ChecklistTemplateBody](), least: `{"name":"T","items":[{"text":"x"}]}`,
		required: map[string]string{"name": `"U"`, "items": `[{"defaultAssigneeRole":"QA","required":true,"sortOrder":1,"text":"y"}]`},
		clears:   map[string]string{"description": `"x"`, "category": `"ORR"`, "global": `true`},
	},
	desk.Idea: {
		body: reflect.TypeFor[desk.IdeaBody](), least: `{"title":"I"}`, required: map[string]string{"title": `"J"`},
		clears: map[string]string{
			"content": `"x"`, "tags": `["x"]`, "status": `"REVIEWED"`, "promotedToTicketId": `"tkt_1"`, "threadId": `"thr_1"`, "sourceUploadId": `"upl_1"`, "sources": sources,
		},
	},
	desk.Link: {
		body: reflect.TypeFor[desk.LinkBody](), least: `{"url":"https://example.com/a"}`, required: map[string]string{"url": `"http://example.com/b"`},
		clears: map[string]string{
			"title": `"x"`, "category": `"docs"`, "description": `"x"`, "pinned": `true`, "bundleId": `"b"`, "threadIds": `["thr_1"]`, "objectiveIds": `["obj_1"]`,
			"phaseIds": `["phs_1"]`, "tags": `["x"]`, "sources": sources,
		},
	},
	desk.Reminder: { // what goes together with its type is in TestFields_WhatAReminderNeeds
		body: reflect.TypeFor[desk.ReminderBody](), least: `{"message":"M","triggerAt":"2026-03-01"}`,
		required: map[string]string{"message": `"N"`, "triggerAt": `"2026-03-02T09:00:00Z"`}, machine: map[string]string{"type": ``, "recurring": ``},
		clears: map[string]string{
			"condition": `"x"`, "triggered": `true`, "intervalSeconds": `60`, "weekdays": `true`, "monthDay": `3`, "timezone": `"Europe/Berlin"`, "lastTriggeredAt": `"2026-03-01T09:00:00Z"`, "acknowledgedAt": `"2026-03-01T10:00:00Z"`, "person": `"agent:person/per_1"`, "sessionId": `"thr_2"`, "sourceThreadId": `"thr_1"`, "sources": sources,
		},
	},
	desk.Reconciliation: {
		body: reflect.TypeFor[desk.ReconciliationBody](), least: `{}`, machine: map[string]string{"status": ``},
		clears: map[string]string{
			"sourceUploadId": `"upl_1"`, "sourceType": `"JIRA_DUMP"`, "mappings": `[{"matchType":"key","sourceRow":"7","ticketId":"tkt_1"}]`,
			"conflicts": `[{"field":"status","resolution":"ticket","sourceValue":"Done","ticketId":"tkt_1","ticketValue":"TODO","title":"A-1 x"}]`,
			"intakeId":  `"int_1"`, "part": `"Sheet1"`, "leftOut": `3`, "sources": sources,
		},
	},
}

func TestFields_WhatAReminderNeeds(t *testing.T) {
	t.Parallel()
	for body, field := range map[string]string{
		`{"message":"m"}`:                                                                                    "triggerAt",
		`{"message":"m","triggerAt":"soon"}`:                                                                 "triggerAt",
		`{"message":"m","type":"CONDITION_BASED"}`:                                                           "condition",
		`{"message":"m","type":"CONDITION_BASED","condition":"the build is red"}`:                            "condition",
		`{"message":"m","type":"CONDITION_BASED","condition":"kind:ticket status:RED"}`:                      "condition",
		`{"message":"m","type":"CONDITION_BASED","condition":"kind:ticket status:BLOCKED","recurring":true}`: "recurring",
		`{"message":"m","type":"BY_MOOD"}`:                                                                   "type",
		`{"message":" ","triggerAt":"2026-03-01"}`:                                                           "message",
		`{"message":"m","triggerAt":"2026-03-01","recurring":true}`:                                          "intervalSeconds",
		`{"message":"m","triggerAt":"2026-03-01","recurring":true,"intervalSeconds":-5}`:                     "intervalSeconds",
		`{"message":"m","triggerAt":"2026-03-01","intervalSeconds":-5}`:                                      "intervalSeconds",
	} {
		var bad *fault.Error
		if _, _, err := newRecord(desk.Reminder, "prj_1", []byte(body)); !errors.As(err, &bad) || len(bad.Fields) == 0 || bad.Fields[0].Name != field {
			t.Errorf("%s: %v, want a word about %s", body, err, field)
		}
	}
	create(t, desk.Reminder, `{"message":"m","type":"CONDITION_BASED","condition":"kind:ticket title:~build status:BLOCKED"}`)
	create(t, desk.Reminder, `{"message":"m","triggerAt":"2026-03-01","recurring":true,"intervalSeconds":60}`)
}

func TestFields_AChecklistIsDoneWhenAllIsChecked(t *testing.T) {
	t.Parallel()
	r := create(t, desk.Checklist, `{"name":"C","items":[{"text":"a","checked":true},{"itemId":"1","text":"b"}]}`)
	b, err := desk.Open[desk.ChecklistBody](r)
	if err != nil || b.Status != desk.ChecklistOpen || b.Checked() != 1 || b.Items[0].ID != "2" || b.Items[1].ID != "1" {
		t.Fatalf("%+v %v", b, err)
	}
	_, r, _, err = desk.Edit(r, []byte(`{"items":[{"itemId":"1","text":"b","checked":true}]}`))
	if err != nil || fieldsOf(t, r)["status"] != `"COMPLETED"` {
		t.Fatalf("%s %v", r.Body, err)
	}
	_, r, _, err = desk.Edit(r, []byte(`{"items":[{"text":"c"}]}`))
	if err != nil || fieldsOf(t, r)["status"] != `"IN_PROGRESS"` {
		t.Fatalf("%s %v", r.Body, err)
	}
	if _, _, err := newRecord(desk.Checklist, "prj_1", []byte(`{"name":"C","items":[{"itemId":"1","text":"a"},{"itemId":"1","text":"b"}]}`)); fault.KindOf(err) != fault.Invalid {
		t.Errorf("two items of one id: %v", err)
	}
	if _, _, err := newRecord(desk.ChecklistTemplate, "prj_1", []byte(`{"name":"T","items":[]}`)); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a template of nothing: %v", err)
	}
}

func TestFields_ALinkIsAnAddressOfTheWeb(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"javascript:alert(1)", "ftp://example.com", "example.com", "https:///x", " ", "data:text/html,x", "https://[::1"} {
		if _, _, err := newRecord(desk.Link, "prj_1", []byte(`{"url":`+strconv.Quote(url)+`}`)); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%q: %v", url, err)
		}
	}
	if r := create(t, desk.Link, `{"url":" https://example.com/x "}`); fieldsOf(t, r)["title"] != `"https://example.com/x"` {
		t.Errorf("%s", r.Body)
	}
}

func TestFields_APhaseEndsAfterItBegins(t *testing.T) {
	t.Parallel()
	if _, _, err := newRecord(desk.Phase, "prj_1", []byte(`{"name":"P","startDate":"2026-03-02","endDate":"2026-03-01"}`)); fault.KindOf(err) != fault.Invalid {
		t.Errorf("%v", err)
	}
}

func TestFields_APromotedIdeaStaysPromoted(t *testing.T) {
	t.Parallel()
	r := create(t, desk.Idea, `{"title":"I","status":"PROMOTED","promotedToTicketId":"tkt_1"}`)
	if _, _, _, err := desk.Edit(r, []byte(`{"status":"NEW"}`)); fault.KindOf(err) != fault.Conflict {
		t.Errorf("it became NEW: %v", err)
	}
	if _, _, _, err := desk.Edit(r, []byte(`{"status":"NEW","promotedToTicketId":null}`)); err != nil {
		t.Errorf("without its ticket: %v", err)
	}
}

const sources = `[{"artifact":"sha","by":"rule:actions","document":"Notes","endLine":4,"intakeId":"int_1","line":3,"quote":"\"we\" agreed"}]`

func create(t *testing.T, k desk.Kind, body string) desk.Record {
	t.Helper()
	_, r, err := newRecord(k, "prj_1", []byte(body))
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return r
}

func fieldsOf(t *testing.T, r desk.Record) map[string]string {
	t.Helper()
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(r.Body, &raw); err != nil {
		t.Fatal(err)
	}
	out := make(map[string]string)
	for k, v := range raw {
		out[k] = string(v)
	}
	return out
}

func TestFields_EveryKindAndFieldHasASample(t *testing.T) {
	t.Parallel()
	if kinds := desk.Kinds(); !slices.Equal(kinds, slices.Sorted(maps.Keys(samples))) || !slices.IsSorted(kinds) {
		t.Errorf("the kinds are %v", kinds)
	}
	for kind, s := range samples {
		for _, f := range reflect.VisibleFields(s.body) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			n := 0
			for _, m := range []map[string]string{s.clears, s.required, s.counted, s.machine} {
				if _, ok := m[name]; ok {
					n++
				}
			}
			if n != 1 {
				t.Errorf("%s.%s has %d samples", kind, name, n)
			}
		}
	}
}

func TestFields_EveryFieldCanBeSetAndCleared(t *testing.T) {
	t.Parallel()
	for kind, s := range samples {
		r := create(t, kind, s.least)
		bare := fieldsOf(t, r)
		for field, value := range s.clears {
			t.Run(string(kind)+"/"+field, func(t *testing.T) {
				r, bare := r, bare
				if field == "outcome" { // of what is closed
					r = create(t, kind, `{"title":"T","status":"CLOSED"}`)
					bare = fieldsOf(t, r)
				}
				_, set, ok, err := desk.Edit(r, []byte(fmt.Sprintf(`{%q:%s}`, field, value)))
				if err != nil || !ok {
					t.Fatalf("set: %v %v", ok, err)
				}
				want := maps.Clone(bare)
				want[field] = value
				if field == "deltas" {
					want["bySeverity"], want["byType"] = `{"HIGH":1}`, `{"DATE_DRIFT":1}`
				}
				if got := fieldsOf(t, set); !maps.Equal(got, want) {
					t.Errorf("set, it is %v\nwant %v", got, want)
				}
				_, same, ok, err := desk.Edit(set, []byte(fmt.Sprintf(`{%q:%s}`, field, value)))
				if err != nil || ok || same.Version != set.Version {
					t.Errorf("set to the same, it changes: %v %v", ok, err)
				}
				_, cleared, ok, err := desk.Edit(set, []byte(fmt.Sprintf(`{%q:null}`, field)))
				if got := fieldsOf(t, cleared); err != nil || !ok || !maps.Equal(got, bare) {
					t.Errorf("cleared, it is %v %v %v\nwant %v", got, ok, err, bare)
				}
			})
		}
	}
}

func TestFields_RequiredFieldsCanBeSetAndNotCleared(t *testing.T) {
	t.Parallel()
	for kind, s := range samples {
		r := create(t, kind, s.least)
		for field, value := range s.required {
			t.Run(string(kind)+"/"+field, func(t *testing.T) {
				_, set, ok, err := desk.Edit(r, []byte(fmt.Sprintf(`{%q:%s}`, field, value)))
				if err != nil || !ok || fieldsOf(t, set)[field] != value {
					t.Fatalf("set: %s %v %v", set.Body, ok, err)
				}
				for _, empty := range []string{`null`, `""`, `" \t"`} {
					refused(t, r, fmt.Sprintf(`{%q:%s}`, field, empty), field)
				}
				var body map[string]any
				if err := json.Unmarshal([]byte(s.least), &body); err != nil {
					t.Fatal(err)
				}
				delete(body, field)
				raw, err := json.Marshal(body)
				if err != nil {
					t.Fatal(err)
				}
				if _, _, err := newRecord(kind, "prj_1", raw); fault.KindOf(err) != fault.Invalid || named(err) != field {
					t.Errorf("made without it: %v", err)
				}
			})
		}
		for field, value := range s.counted {
			if _, next, ok, err := desk.Edit(r, []byte(fmt.Sprintf(`{%q:%s}`, field, value))); err != nil || ok || string(next.Body) != string(r.Body) {
				t.Errorf("%s.%s is counted; sent, it makes %s %v %v", kind, field, next.Body, ok, err)
			}
		}
	}
}

// named returns the one field that an error names.
func named(err error) string {
	if f, ok := errors.AsType[*fault.Error](err); ok && len(f.Fields) == 1 {
		return f.Fields[0].Name
	}
	return ""
}

// refused checks that a patch is refused with the field's name and all the words, and
// that nothing changes.
func refused(t *testing.T, r desk.Record, patch, field string, says ...string) {
	t.Helper()
	_, next, ok, err := desk.Edit(r, []byte(patch))
	if err == nil || fault.KindOf(err) != fault.Invalid || named(err) != field {
		t.Fatalf("%s is refused with %v, want the field %s", patch, err, field)
	}
	if ok || fmt.Sprint(next) != fmt.Sprint(r) {
		t.Errorf("%s is refused and changes %v to %v", patch, r, next)
	}
	for _, s := range says {
		if !strings.Contains(fault.TextOf(err), s) {
			t.Errorf("%q does not say %q", fault.TextOf(err), s)
		}
	}
}

func TestFields_ThatAreNoneAreRefused(t *testing.T) {
	t.Parallel()
	for kind, s := range samples {
		r := create(t, kind, s.least)
		for _, f := range reflect.VisibleFields(s.body) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			t.Run(string(kind)+"/"+name, func(t *testing.T) {
				refused(t, r, fmt.Sprintf(`{%q:null}`, name+"s_"), name+"s_", "not known")
				upper := strings.ToUpper(name[:1]) + name[1:]
				refused(t, r, fmt.Sprintf(`{%q:null}`, upper), upper, "is spelt "+name)
				refused(t, r, fmt.Sprintf(`{%q:null,%q:null}`, name, name), name, "there twice")
				if _, _, err := newRecord(kind, "prj_1", []byte(fmt.Sprintf(`{%q:null}`, upper))); named(err) != upper {
					t.Errorf("made with it: %v", err)
				}
				wrong := `"x"`
				if f.Type.Kind() == reflect.String {
					wrong = `5`
				}
				refused(t, r, fmt.Sprintf(`{%q:%s}`, name, wrong), name, "does not fit; it takes ")
			})
		}
	}
}

package desk_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
)

func TestValues_ClosedSetsNameTheirValues(t *testing.T) {
	t.Parallel()
	const levels, packs = "LOW, MEDIUM, HIGH, CRITICAL", "DRAFT, FINAL, SUPERSEDED"
	for name, c := range map[string]struct {
		kind                  desk.Kind
		patch, field, allowed string
	}{
		"project status":     {desk.Project, `{"status":%q}`, "status", "ACTIVE, ARCHIVED, TEMPLATE"},
		"thread lifecycle":   {desk.Thread, `{"lifecycle":%q}`, "lifecycle", "DRAFT, ACTIVE, CLOSED, MERGED"},
		"action status":      {desk.Thread, `{"actions":[{"text":"a"},{"text":"b","status":%q}]}`, "actions.1.status", "OPEN, DONE, DROPPED"},
		"ticket status":      {desk.Ticket, `{"status":%q}`, "status", "TODO, IN_PROGRESS, REVIEW, DONE, BLOCKED, CLOSED"},
		"ticket priority":    {desk.Ticket, `{"priority":%q}`, "priority", levels},
		"ticket type":        {desk.Ticket, `{"type":%q}`, "type", "INITIATIVE, EPIC, STORY, TASK, BUG, SUBTASK"},
		"objective status":   {desk.Objective, `{"status":%q}`, "status", "PROPOSED, COMMITTED, AT_RISK, ACHIEVED, MISSED, DROPPED"},
		"resource role":      {desk.Resource, `{"role":%q}`, "role", "ENGINEER, DESIGNER, PM, QA"},
		"delta type":         {desk.DeltaPack, `{"deltas":[{"title":"x","deltaType":%q}]}`, "deltas.deltaType", "MISSING_EPIC, DATE_DRIFT, OWNER_MISMATCH, SCOPE_MISMATCH, DEPENDENCY_MISMATCH, COVERAGE_GAP, ORPHANED_WORK, CAPACITY_OVERLOAD, STALE_ARTIFACT, PRIORITY_MISMATCH, STATUS_MISMATCH, DUPLICATE_ENTRY, ABSENCE"},
		"delta severity":     {desk.DeltaPack, `{"deltas":[{"title":"x","deltaType":"DATE_DRIFT","severity":%q}]}`, "deltas.severity", levels},
		"pack status":        {desk.DeltaPack, `{"status":%q}`, "status", packs},
		"blindspot category": {desk.Blindspot, `{"category":%q}`, "category", "ORPHANED_TICKET, UNCOVERED_OBJECTIVE, EMPTY_PHASE, UNASSIGNED_WORK, MISSING_OWNER, DEPENDENCY_RISK, CAPACITY_GAP, SCOPE_OVERLAP, MISSING_TEST_SIGNAL, STALE_ARTIFACT, MILESTONE_RISK, RISK"},
		"blindspot severity": {desk.Blindspot, `{"severity":%q}`, "severity", levels},
		"blindspot status":   {desk.Blindspot, `{"status":%q}`, "status", "OPEN, ACKNOWLEDGED, RESOLVED, DISMISSED"},
		"upload status":      {desk.Upload, `{"status":%q}`, "status", "INBOX, THREADED, ARCHIVED"},
		"intake status":      {desk.Intake, `{"status":%q}`, "status", "RECEIVED, PROCESSING, DISPATCHED, FAILED, TAKEN_BACK"},
		"intake source":      {desk.Intake, `{"sourceType":%q}`, "sourceType", "CONFLUENCE_EXPORT, JIRA_DUMP, SMARTSHEET_EXPORT, MEETING_NOTES, LINK_LIST, DESIGN_DOC, FREE_TEXT, EXCEL_UPLOAD, UNKNOWN"},
		"memory scope":       {desk.Memory, `{"scope":%q}`, "scope", "GLOBAL, PROJECT, SESSION, THREAD, AGENT, TEAM"},
	} {
		t.Run(name, func(t *testing.T) {
			r := create(t, c.kind, samples[c.kind].least)
			all := strings.Split(c.allowed, ", ")
			for _, bad := range []string{"NEW_ONE", strings.ToLower(all[0]), all[0] + " ", " "} {
				refused(t, r, fmt.Sprintf(c.patch, bad), c.field, "The value "+bad+" is not allowed.", "Allowed: "+c.allowed+".")
			}
			for _, good := range all {
				body := with(t, samples[c.kind].least, fmt.Sprintf(c.patch, good))
				if got := create(t, c.kind, body); !strings.Contains(string(got.Body), `"`+good+`"`) {
					t.Errorf("%s is made as %s", good, got.Body)
				}
			}
		})
	}
}

// with returns body with the fields of patch.
func with(t *testing.T, body, patch string) string {
	t.Helper()
	var all map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal([]byte(body), &all), json.Unmarshal([]byte(patch), &all)); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// dates has a patch for every field that holds a date.
var dates = map[string]struct {
	kind  desk.Kind
	patch string
}{
	"dueDate":           {desk.Ticket, `{"dueDate":%q}`},
	"evidence.0.date":   {desk.Ticket, `{"evidence":[{"snippet":"a","date":%q}]}`},
	"externalCreated":   {desk.Ticket, `{"externalCreated":%q}`},
	"externalResolved":  {desk.Ticket, `{"externalResolved":%q}`},
	"date":              {desk.Thread, `{"date":%q}`},
	"actions.1.dueDate": {desk.Thread, `{"actions":[{"text":"a"},{"text":"b","dueDate":%q}]}`},
	"decisions.0.date":  {desk.Thread, `{"decisions":[{"text":"a","date":%q}]}`},
	"startDate":         {desk.Objective, `{"startDate":%q}`},
	"endDate":           {desk.Objective, `{"endDate":%q}`},
	"resolvedAt":        {desk.Blindspot, `{"resolvedAt":%q}`},
	"expiresAt":         {desk.Memory, `{"expiresAt":%q}`},
}

func TestValues_DatesAreKeptAsTheyAreWrittenOrRefused(t *testing.T) {
	t.Parallel()
	for field, c := range dates {
		t.Run(field, func(t *testing.T) {
			r := create(t, c.kind, samples[c.kind].least)
			for _, good := range []string{"2026-03-01", "2024-02-29", "2026-03-01T09:00:00Z", "2026-03-01T23:30:00.5-08:00"} {
				_, next, ok, err := desk.Edit(r, []byte(fmt.Sprintf(c.patch, good)))
				if err != nil || !ok || !strings.Contains(string(next.Body), `"`+good+`"`) {
					t.Errorf("%s: %s %v %v", good, next.Body, ok, err)
				}
			}
			for _, bad := range []string{"soon", "2026-02-29", "2026-13-01", "2026-3-1", "01.03.2026", "2026-03-01 09:00", "2026-03-01T09:00:00", "2026-03-01T25:00:00Z", " 2026-03-01", "20260301", "1772323200"} {
				refused(t, r, fmt.Sprintf(c.patch, bad), field, "The date "+bad+" cannot be read; write 2026-03-01 or 2026-03-01T09:00:00Z.")
			}
			for _, bad := range []string{"5", "true", "{}", `["2026-03-01"]`} {
				_, next, ok, err := desk.Edit(r, []byte(strings.Replace(c.patch, "%q", bad, 1)))
				last := field[strings.LastIndex(field, ".")+1:]
				if fault.KindOf(err) != fault.Invalid || !strings.HasSuffix(named(err), last) || ok || string(next.Body) != string(r.Body) {
					t.Errorf("%s: %v %v", bad, ok, err)
				}
			}
		})
	}
}

// TestValues_ADayStaysTheDay takes a day through JSON, a record and its event in a zone far
// from UTC.
func TestValues_ADayStaysTheDay(t *testing.T) {
	t.Parallel()
	was := time.Local
	t.Cleanup(func() { time.Local = was })
	rapid.Check(t, func(r *rapid.T) {
		time.Local = time.FixedZone("far", rapid.IntRange(-14, 14).Draw(r, "hours")*3600)
		day := time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, rapid.IntRange(0, 40_000).Draw(r, "day"))
		text := desk.DateOf(day)
		if string(text) != day.Format(time.DateOnly) || !text.Time().Equal(day) || text.Time().Location() != time.UTC || desk.DateOf(text.Time()) != text {
			r.Fatalf("%s is %s", text, text.Time())
		}
		_, rec, err := newRecord(desk.Ticket, "prj_1", []byte(fmt.Sprintf(`{"title":"T","dueDate":%q}`, text)))
		if err != nil {
			r.Fatal(err)
		}
		b, err := desk.Open[desk.TicketBody](rec)
		raw, err2 := json.Marshal(b.DueDate)
		if err != nil || err2 != nil || b.DueDate != text || string(raw) != `"`+string(text)+`"` {
			r.Fatalf("%s became %s %v %v", text, raw, err, err2)
		}
	})
}

func TestValues_TheTimeOfADate(t *testing.T) {
	t.Parallel()
	for date, want := range map[desk.Date]string{
		"":                          "0001-01-01T00:00:00Z",
		"soon":                      "0001-01-01T00:00:00Z",
		"2026-03-01":                "2026-03-01T00:00:00Z",
		"2026-03-01T09:00:00+02:00": "2026-03-01T07:00:00Z",
	} {
		if got := date.Time().Format(time.RFC3339); got != want {
			t.Errorf("%q is %s, want %s", date, got, want)
		}
	}
	var d desk.Date
	if err := json.Unmarshal([]byte(`5`), &d); fault.KindOf(err) != fault.Invalid || d != "" {
		t.Errorf("a number as a date: %q %v", d, err)
	}
}

func TestValues_NumbersAtTheirLimits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind     desk.Kind
		field    string
		fit, not []string
		says     string
	}{
		"story points": {desk.Ticket, "storyPoints", []string{"0.5", "1000"}, []string{"-0.5", "1000.5", "1e9"}, "between 0 and 1,000"},
		"capacity":     {desk.Resource, "capacity", []string{"0", "168"}, []string{"-1", "168.5"}, "hours a week, between 0 and 168"},
		"availability": {desk.Resource, "availability", []string{"0", "0.5"}, []string{"-0.1", "1.1", "50"}, "a share between 0 and 1"},
		"coverage":     {desk.Objective, "coveragePercent", []string{"0.1", "100"}, []string{"-1", "100.1"}, "between 0 and 100"},
		"allocation":   {desk.Assignment, "percentageAllocation", []string{"0.1", "100"}, []string{"-1", "100.1"}, "between 0 and 100 percent"},
	} {
		t.Run(name, func(t *testing.T) {
			r := create(t, c.kind, samples[c.kind].least)
			for _, v := range c.fit {
				if _, next, ok, err := desk.Edit(r, []byte(fmt.Sprintf(`{%q:%s}`, c.field, v))); err != nil || !ok || fieldsOf(t, next)[c.field] != v {
					t.Errorf("%s: %s %v %v", v, next.Body, ok, err)
				}
			}
			for _, v := range c.not {
				refused(t, r, fmt.Sprintf(`{%q:%s}`, c.field, v), c.field, c.says)
			}
		})
	}
}

func TestValues_Defaults(t *testing.T) {
	t.Parallel()
	for kind, want := range map[desk.Kind]string{
		desk.Project:    `{"name":"P","status":"ACTIVE"}`,
		desk.Thread:     `{"lifecycle":"ACTIVE","title":"T"}`,
		desk.Ticket:     `{"priority":"MEDIUM","status":"TODO","title":"T"}`,
		desk.Objective:  `{"coveragePercent":0,"outcome":"O","status":"PROPOSED"}`,
		desk.Resource:   `{"availability":1,"capacity":40,"name":"R","role":"ENGINEER"}`,
		desk.Assignment: `{"resourceId":"res_1","ticketId":"tkt_1"}`,
		desk.DeltaPack:  `{"deltas":[],"status":"FINAL"}`,
		desk.Blindspot:  `{"category":"EMPTY_PHASE","severity":"MEDIUM","status":"OPEN","title":"B"}`,
		desk.Upload:     `{"binaryRef":"sha","bytes":0,"source":"file","status":"INBOX","title":"U"}`,
		desk.Intake:     `{"digest":"d","phases":[],"sourceType":"UNKNOWN","status":"RECEIVED","title":"I"}`,
		desk.Memory:     `{"content":"c","key":"c-2e7d2c03","scope":"PROJECT"}`,
	} {
		if got := create(t, kind, samples[kind].least); string(got.Body) != want {
			t.Errorf("a %s is made as %s\nwant %s", kind.Word(), got.Body, want)
		}
	}
	actions := create(t, desk.Thread, `{"title":" T\n","actions":[{"text":"a"}]}`)
	if want := `{"actions":[{"status":"OPEN","text":"a"}],"lifecycle":"ACTIVE","title":"T"}`; string(actions.Body) != want {
		t.Errorf("%s\nwant %s", actions.Body, want)
	}
}

func TestValues_PartsOfAThreadAndAPackAreChecked(t *testing.T) {
	t.Parallel()
	thread := create(t, desk.Thread, samples[desk.Thread].least)
	refused(t, thread, `{"actions":[{"text":"a"},{"text":" "}]}`, "actions.1.text", "required")
	refused(t, thread, `{"decisions":[{"text":""}]}`, "decisions.0.text", "required")
	refused(t, thread, `{"actions":[{"texts":"a"}]}`, "actions.texts", "not known")
	refused(t, thread, `{"title":"`+strings.Repeat("x", 100_001)+`"}`, "title", "longer than 100,000 bytes")
	create(t, desk.Thread, `{"title":"`+strings.Repeat("x", 100_000)+`"}`)
	pack := create(t, desk.DeltaPack, samples[desk.DeltaPack].least)
	refused(t, pack, `{"deltas":[{"deltaType":"DATE_DRIFT"}]}`, "deltas.title", "required")
	counted := create(t, desk.DeltaPack, `{"deltas":[{"deltaType":"DATE_DRIFT","title":"a"},{"deltaType":"DATE_DRIFT","title":"b","severity":"LOW"},{"deltaType":"COVERAGE_GAP","title":"c"}],"bySeverity":{"HIGH":9}}`)
	got := fieldsOf(t, counted)
	if got["bySeverity"] != `{"LOW":1,"MEDIUM":2}` || got["byType"] != `{"COVERAGE_GAP":1,"DATE_DRIFT":2}` {
		t.Errorf("%v", got)
	}
}

func TestValues_APatchIsAnObject(t *testing.T) {
	t.Parallel()
	r := create(t, desk.Ticket, `{"title":"T"}`)
	for _, patch := range []string{``, `[]`, `5`, `"title"`, `{"title":"x"`, `{"title":"x"} {}`, "{\"title\":\"\xff\"}"} {
		_, next, ok, err := desk.Edit(r, []byte(patch))
		if err == nil || fault.KindOf(err) != fault.Invalid || ok || string(next.Body) != string(r.Body) {
			t.Errorf("%q: %s %v %v", patch, next.Body, ok, err)
		}
	}
	for _, patch := range []string{`{}`, `null`} {
		if _, next, ok, err := desk.Edit(r, []byte(patch)); err != nil || ok || next.Version != 1 {
			t.Errorf("%q: %+v %v %v", patch, next, ok, err)
		}
	}
	if c, _, err := newRecord("stage", "prj_1", []byte(`{}`)); fault.KindOf(err) != fault.NotFound || c.ID != "" || !strings.Contains(err.Error(), `"stage"`) {
		t.Errorf("an unknown kind: %+v %v", c, err)
	}
	if _, _, ok, err := desk.Edit(desk.Record{Kind: "stage"}, []byte(`{}`)); fault.KindOf(err) != fault.NotFound || ok {
		t.Errorf("an edit of an unknown kind: %v %v", ok, err)
	}
	if got, err := event.Canonical(r.Body); err != nil || string(got) != string(r.Body) {
		t.Errorf("the body %s is not canonical", r.Body)
	}
}

package desk_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chela/internal/desk"
	"chela/internal/fault"
)

// A table is a state machine as docs/states draws it: from each state the others that
// may follow. A state that the table does not have may be followed by each.
type table struct {
	kind  desk.Kind
	field string
	first string
	usual string // what null puts back
	body  string // with fields that a change of state must leave alone
	next  map[string]string
	all   []string
}

func free(kind desk.Kind, field, first, body string, all ...string) table {
	next := make(map[string]string)
	for _, s := range all {
		next[s] = strings.Join(all, " ")
	}
	return table{kind, field, first, first, body, next, all}
}

func tables() map[string]table {
	return map[string]table{
		"thread": {desk.Thread, "lifecycle", "ACTIVE", "ACTIVE", `{"title":"T","summary":"s","actions":[{"text":"a"}]}`, map[string]string{
			"DRAFT": "ACTIVE CLOSED MERGED", "ACTIVE": "CLOSED MERGED", "CLOSED": "ACTIVE MERGED", "MERGED": "",
		}, []string{"DRAFT", "ACTIVE", "CLOSED", "MERGED"}},
		"draft of a thread": {desk.Thread, "lifecycle", "DRAFT", "ACTIVE", `{"title":"T","lifecycle":"DRAFT"}`, map[string]string{
			"DRAFT": "ACTIVE CLOSED MERGED", "ACTIVE": "CLOSED MERGED", "CLOSED": "ACTIVE MERGED", "MERGED": "",
		}, []string{"DRAFT", "ACTIVE", "CLOSED", "MERGED"}},
		"delta pack": {desk.DeltaPack, "status", "DRAFT", "FINAL", `{"status":"DRAFT","title":"D","deltas":[{"deltaType":"DATE_DRIFT","severity":"LOW","title":"x"}]}`, map[string]string{
			"DRAFT": "FINAL SUPERSEDED", "FINAL": "SUPERSEDED", "SUPERSEDED": "",
		}, []string{"DRAFT", "FINAL", "SUPERSEDED"}},
		"intake": {desk.Intake, "status", "RECEIVED", "RECEIVED", `{"title":"I","digest":"d","phases":[{"name":"p","status":"pending"}]}`, map[string]string{
			"RECEIVED": "PROCESSING FAILED", "PROCESSING": "DISPATCHED FAILED", "FAILED": "PROCESSING TAKEN_BACK", "DISPATCHED": "PROCESSING TAKEN_BACK", "TAKEN_BACK": "DISPATCHED FAILED",
		}, []string{"RECEIVED", "PROCESSING", "DISPATCHED", "FAILED", "TAKEN_BACK"}},
		"reconciliation": {desk.Reconciliation, "status", "DRAFT", "DRAFT", `{"conflicts":[{"field":"status","sourceValue":"a","ticketValue":"b"}]}`, map[string]string{
			"DRAFT": "REVIEWED", "REVIEWED": "APPLIED DRAFT", "APPLIED": "",
		}, []string{"DRAFT", "REVIEWED", "APPLIED"}},
		"phase":     free(desk.Phase, "status", "NOT_STARTED", `{"name":"P"}`, "NOT_STARTED", "PENDING", "ACTIVE", "IN_PROGRESS", "BLOCKED", "COMPLETED"),
		"milestone": free(desk.Milestone, "status", "UPCOMING", `{"name":"M"}`, "UPCOMING", "ON_TRACK", "AT_RISK", "MISSED", "COMPLETED"),
		"idea":      free(desk.Idea, "status", "NEW", `{"title":"I"}`, "NEW", "REVIEWED", "PROMOTED", "ARCHIVED"),
		"ticket":    free(desk.Ticket, "status", "TODO", `{"title":"T","storyPoints":3}`, "TODO", "IN_PROGRESS", "REVIEW", "DONE", "BLOCKED", "CLOSED"),
		"objective": free(desk.Objective, "status", "PROPOSED", `{"outcome":"O"}`, "PROPOSED", "COMMITTED", "AT_RISK", "ACHIEVED", "MISSED", "DROPPED"),
		"blindspot": free(desk.Blindspot, "status", "OPEN", `{"title":"B","category":"EMPTY_PHASE"}`, "OPEN", "ACKNOWLEDGED", "RESOLVED", "DISMISSED"),
		"project":   free(desk.Project, "status", "ACTIVE", `{"name":"P"}`, "ACTIVE", "ARCHIVED", "TEMPLATE"),
		"upload":    free(desk.Upload, "status", "INBOX", `{"title":"U","binaryRef":"sha"}`, "INBOX", "THREADED", "ARCHIVED"),
	}
}

func (s table) state(t interface{ Fatal(...any) }, r desk.Record) string {
	var body map[string]any
	if err := json.Unmarshal(r.Body, &body); err != nil {
		t.Fatal(err)
	}
	state, _ := body[s.field].(string)
	return state
}

// TestStates_OnlyTheDrawnStepsAreTaken sends every machine through random states, states that
// do not exist, and nulls, which put the default back.
func TestStates_OnlyTheDrawnStepsAreTaken(t *testing.T) {
	t.Parallel()
	for name, s := range tables() {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				_, r, err := newRecord(s.kind, "prj_1", []byte(s.body))
				if err != nil || s.state(t, r) != s.first {
					t.Fatalf("it begins as %s: %v", r.Body, err)
				}
				for range rapid.IntRange(1, 10).Draw(t, "steps") {
					r = s.step(t, r)
				}
			})
		})
	}
}

// step tries one step and returns the record after it.
func (s table) step(t *rapid.T, r desk.Record) desk.Record {
	from := s.state(t, r)
	to := rapid.SampledFrom(append(slices.Clone(s.all), "", "NOWHERE", strings.ToLower(s.all[0]))).Draw(t, "to")
	patch, lands := fmt.Sprintf(`{%q:%q}`, s.field, to), to
	if to == "" {
		patch, lands = fmt.Sprintf(`{%q:%s}`, s.field, rapid.SampledFrom([]string{"null", `""`}).Draw(t, "nothing")), s.usual
	}
	was := r
	c, next, changed, err := desk.Edit(r, []byte(patch))
	switch {
	case !slices.Contains(s.all, lands):
		if fault.KindOf(err) != fault.Invalid || err == nil || !strings.Contains(err.Error(), strings.Join(s.all, ", ")) {
			t.Fatalf("%s to %s: %v", from, patch, err)
		}
	case lands == from:
		if err != nil {
			t.Fatalf("%s to itself by %s: %v", from, patch, err)
		}
	case !slices.Contains(strings.Fields(s.next[from]), lands):
		if fault.KindOf(err) != fault.Conflict || err == nil || !strings.Contains(err.Error(), from) || !strings.Contains(err.Error(), lands) {
			t.Fatalf("%s became %s by %s: %v", from, s.state(t, next), patch, err)
		}
	default:
		if err != nil || !changed || s.state(t, next) != lands {
			t.Fatalf("%s did not become %s by %s: %s %v", from, lands, patch, next.Body, err)
		}
		s.checkOnly(t, was, next, lands)
		applied, err := desk.Apply(was, c, was.UpdatedAt, was.UpdatedBy)
		if err != nil || fmt.Sprint(applied) != fmt.Sprint(next) {
			t.Fatalf("the event makes %+v of it, the edit %+v: %v", applied, next, err)
		}
		if again, err := desk.Apply(next, c, was.UpdatedAt, ""); fault.KindOf(err) != fault.Conflict || fmt.Sprint(again) != fmt.Sprint(next) {
			t.Fatalf("the same change applied twice: %v", err)
		}
		return next
	}
	if changed || fmt.Sprint(next) != fmt.Sprint(was) {
		t.Fatalf("%s changed %+v to %+v", patch, was, next)
	}
	return r
}

// checkOnly fails when more than the state and the version changed.
func (s table) checkOnly(t *rapid.T, was, next desk.Record, state string) {
	var body map[string]json.RawMessage
	if err := json.Unmarshal(was.Body, &body); err != nil {
		t.Fatal(err)
	}
	body[s.field] = json.RawMessage(fmt.Sprintf("%q", state))
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	want := was
	want.Body, want.Version = raw, was.Version+1
	if fmt.Sprint(next) != fmt.Sprint(want) {
		t.Fatalf("%+v\nwant %+v", next, want)
	}
}

func TestStates_TheFinalStatesAreFinal(t *testing.T) {
	t.Parallel()
	for name, final := range map[string]string{"thread": "MERGED", "delta pack": "SUPERSEDED", "reconciliation": "APPLIED"} {
		s := tables()[name]
		t.Run(name, func(t *testing.T) {
			_, r, err := newRecord(s.kind, "prj_1", []byte(strings.Replace(s.body, "{", fmt.Sprintf(`{%q:%q,`, s.field, final), 1)))
			if name == "delta pack" {
				_, r, err = newRecord(s.kind, "prj_1", []byte(strings.Replace(s.body, "DRAFT", final, 1)))
			}
			if err != nil || s.state(t, r) != final {
				t.Fatalf("%s %v", r.Body, err)
			}
			for _, patch := range []string{`null`, `""`, fmt.Sprintf("%q", s.first)} {
				_, next, changed, err := desk.Edit(r, []byte(fmt.Sprintf(`{%q:%s}`, s.field, patch)))
				if fault.KindOf(err) != fault.Conflict || err == nil || changed || s.state(t, next) != final {
					t.Errorf("%s becomes %s by %s: %v", final, s.state(t, next), patch, err)
				}
			}
		})
	}
}

// TestStates_ApplyRefusesEveryOtherVersion applies a change to records that stand elsewhere.
func TestStates_ApplyRefusesEveryOtherVersion(t *testing.T) {
	t.Parallel()
	r := create(t, desk.Ticket, `{"title":"T"}`)
	rapid.Check(t, func(t *rapid.T) {
		stands, makes := rapid.Int64Range(0, 6).Draw(t, "stands"), rapid.Int64Range(0, 7).Draw(t, "makes")
		op := rapid.SampledFrom([]desk.Op{desk.Created, desk.Updated, desk.Deleted, desk.Merged, "", "erased"}).Draw(t, "op")
		was := r
		was.Version = stands
		next, err := desk.Apply(was, desk.Change{ID: r.ID, Kind: r.Kind, Project: r.Project, Op: op, Version: makes, Set: []byte(`{"title":"U"}`)}, time.Unix(1, 0), "agent:a")
		known := op != "" && op != "erased"
		switch {
		case makes != stands+1 && (fault.KindOf(err) != fault.Conflict || err == nil || !strings.Contains(err.Error(), fmt.Sprintf("version %d, not %d", stands, makes-1))):
			t.Fatalf("from %d to %d: %v", stands, makes, err)
		case makes == stands+1 && known != (err == nil):
			t.Fatalf("the op %q: %v", op, err)
		case err != nil && fmt.Sprint(next) != fmt.Sprint(was):
			t.Fatalf("refused, it changed %+v to %+v", was, next)
		case err == nil && (next.Version != makes || next.UpdatedBy != "agent:a" || !next.UpdatedAt.Equal(time.Unix(1, 0))):
			t.Fatalf("%+v", next)
		}
	})
}

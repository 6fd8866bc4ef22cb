package desk_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
)

// An editor changes records as people do and keeps the events of it.
type editor struct {
	t      *rapid.T
	now    time.Time
	events []event.Event
}

// record writes c as an event, as the log would.
func (e *editor) record(c desk.Change) (at time.Time, by string) {
	e.now = e.now.Add(time.Minute)
	by = rapid.SampledFrom([]string{"agent:person/ann", "agent:pm"}).Draw(e.t, "by")
	d := c.Draft(event.Place{Thread: "thr_1", From: event.Party{AgentID: by}})
	payload, err := event.Canonical(d.Message.Payload)
	if err != nil {
		e.t.Fatal(err)
	}
	d.Message.Payload = payload
	e.events = append(e.events, event.Event{Stream: d.Stream, At: e.now, Message: d.Message})
	return e.now, by
}

func (e *editor) create(k desk.Kind) desk.Record {
	c, _, err := newRecord(k, "prj_1", []byte(samples[k].least))
	if err != nil {
		e.t.Fatal(err)
	}
	at, by := e.record(c)
	r, err := desk.Apply(desk.Record{}, c, at, by)
	if err != nil || r.ID != c.ID || r.Kind != k || r.Version != 1 || r.CreatedAt != at || r.CreatedBy != by || r.UpdatedAt != at || r.UpdatedBy != by {
		e.t.Fatalf("%+v %v", r, err)
	}
	return r
}

// edit sets or clears one to four fields that r's kind has.
func (e *editor) edit(r desk.Record) desk.Record {
	s := samples[r.Kind]
	fields := slices.Sorted(maps.Keys(s.clears))
	patch := make(map[string]json.RawMessage)
	for range rapid.IntRange(1, 4).Draw(e.t, "fields") {
		f := rapid.SampledFrom(fields).Draw(e.t, "field")
		patch[f] = json.RawMessage(rapid.SampledFrom([]string{s.clears[f], s.clears[f], "null"}).Draw(e.t, "value"))
	}
	raw, err := json.Marshal(patch)
	if err != nil {
		e.t.Fatal(err)
	}
	c, next, ok, err := desk.Edit(r, raw)
	if err != nil {
		e.t.Fatalf("%s on %s: %v", raw, r.Body, err)
	}
	if !ok {
		return r
	}
	next.UpdatedAt, next.UpdatedBy = e.record(c)
	return next
}

// replay makes the records of the events alone.
func replay(t *rapid.T, events []event.Event) map[string]desk.Record {
	out := make(map[string]desk.Record)
	for _, e := range events {
		c, ok, err := desk.ChangeOf(e)
		if err != nil || !ok {
			t.Fatalf("%s: %v %v", e.Message.Type, ok, err)
		}
		if e.Message.Type != desk.EventType(c.Kind, c.Op) || e.Stream != desk.StreamOf(c.Project) {
			t.Fatalf("the event of %+v is %s in %s", c, e.Message.Type, e.Stream)
		}
		if out[c.ID], err = desk.Apply(out[c.ID], c, e.At, e.Message.From.AgentID); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func TestApply_TheEventsMakeTheSameRecordsAsTheEdits(t *testing.T) {
	t.Parallel()
	kinds := desk.Kinds()
	rapid.Check(t, func(t *rapid.T) {
		e := &editor{t: t, now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)}
		var records []desk.Record
		for range rapid.IntRange(1, 3).Draw(t, "records") {
			records = append(records, e.create(rapid.SampledFrom(kinds).Draw(t, "kind")))
		}
		for range rapid.IntRange(0, 15).Draw(t, "edits") {
			i := rapid.IntRange(0, len(records)-1).Draw(t, "which")
			records[i] = e.edit(records[i])
		}
		for i, r := range records {
			if rapid.Bool().Draw(t, "remove") {
				c := desk.Remove(r)
				at, by := e.record(c)
				r.Deleted, r.Version, r.UpdatedAt, r.UpdatedBy = true, r.Version+1, at, by
				records[i] = r
			}
		}
		got := replay(t, e.events)
		for _, want := range records {
			r := got[want.ID]
			r.Body, want.Body = undated(t, r.Body), undated(t, want.Body)
			if fmt.Sprint(r) != fmt.Sprint(want) {
				t.Fatalf("the events make\n%+v, the edits\n%+v", r, want)
			}
			if again, err := event.Canonical(want.Body); err != nil || string(again) != string(want.Body) {
				t.Fatalf("the body %s is not canonical: %v", want.Body, err)
			}
		}
	})
}

// TestApply_AnEditSaysOnlyWhatIsDifferent sends a whole body of which one field is new.
func TestApply_AnEditSaysOnlyWhatIsDifferent(t *testing.T) {
	t.Parallel()
	r := create(t, desk.Ticket, `{"title":"T","dueDate":"2026-03-01","labels":["a","b"]}`)
	c, next, ok, err := desk.Edit(r, []byte(`{"title":" T ","dueDate":null,"labels":["a","b"],"priority":"MEDIUM","storyPoints":3.0}`))
	if err != nil || !ok || string(c.Set) != `{"dueDate":null,"storyPoints":3}` {
		t.Fatalf("%s %v %v", c.Set, ok, err)
	}
	want := desk.Change{ID: r.ID, Kind: desk.Ticket, Project: "prj_1", Op: desk.Updated, Version: 2, Set: c.Set}
	if fmt.Sprint(c) != fmt.Sprint(want) || string(next.Body) != `{"labels":["a","b"],"priority":"MEDIUM","status":"TODO","storyPoints":3,"title":"T"}` {
		t.Errorf("%+v\n%s", c, next.Body)
	}
	if string(r.Body) != `{"dueDate":"2026-03-01","labels":["a","b"],"priority":"MEDIUM","status":"TODO","title":"T"}` || r.Version != 1 {
		t.Errorf("the record before became %+v", r)
	}
}

func TestApply_AMergedRecordIsFinal(t *testing.T) {
	t.Parallel()
	r := create(t, desk.Thread, `{"title":"T"}`)
	c := desk.Change{ID: r.ID, Kind: r.Kind, Project: r.Project, Op: desk.Merged, Version: 2, MergedInto: "thr_2", Set: []byte(`{"lifecycle":"MERGED"}`)}
	merged, err := desk.Apply(r, c, time.Unix(1, 0), "agent:a")
	if err != nil || merged.MergedInto != "thr_2" || string(merged.Body) != `{"lifecycle":"MERGED","title":"T"}` || merged.Deleted {
		t.Fatalf("%+v %v", merged, err)
	}
	if _, next, ok, err := desk.Edit(merged, []byte(`{"title":"U"}`)); fault.KindOf(err) != fault.Conflict || ok || !strings.Contains(err.Error(), "thread "+r.ID) || fmt.Sprint(next) != fmt.Sprint(merged) {
		t.Errorf("%v %v", ok, err)
	}
	c.Set = nil
	if got, err := desk.Apply(r, c, time.Unix(1, 0), "agent:a"); err != nil || string(got.Body) != string(r.Body) || got.MergedInto != "thr_2" {
		t.Errorf("merged without a patch: %+v %v", got, err)
	}
}

func TestApply_ARecordBelongsToItsProject(t *testing.T) {
	t.Parallel()
	c, r, err := newRecord(desk.Project, "prj_other", []byte(`{"name":"P"}`))
	if err != nil || c.Project != c.ID || r.Project != r.ID || !strings.HasPrefix(r.ID, "prj_") {
		t.Errorf("a project: %+v %v", r, err)
	}
	for _, k := range desk.Kinds() {
		c, r, err := newRecord(k, "prj_1", []byte(samples[k].least))
		if err != nil || k != desk.Project && (c.Project != "prj_1" || r.Project != "prj_1") || c.Op != desk.Created || c.Version != 1 || string(c.Set) != string(r.Body) {
			t.Errorf("%+v %+v %v", c, r, err)
		}
		gone := desk.Remove(r)
		if gone.ID != r.ID || gone.Kind != k || gone.Project != r.Project || gone.Op != desk.Deleted || gone.Version != 2 || gone.Set != nil {
			t.Errorf("%+v", gone)
		}
	}
	if desk.StreamOf("prj_1") != "project:prj_1" || desk.StreamOf("") != event.OrgStream {
		t.Error("records lie in their project's stream, those of no project in the organization's")
	}
}

func TestApply_TheEventOfAChange(t *testing.T) {
	t.Parallel()
	c := desk.Change{ID: "tkt_1", Kind: desk.Ticket, Project: "prj_1", Op: desk.Updated, Version: 2, Set: []byte(`{"title":"U"}`)}
	d := c.Draft(event.Place{Stream: "org", Thread: "thr_1", Run: "run_1", Key: "k"})
	m := d.Message
	if d.Stream != "project:prj_1" || m.Type != "desk.ticket.updated" || m.PayloadType != "desk.change.v1" || m.ThreadID != "thr_1" || m.IdempotencyKey != "k" || !event.KnownType(m.Type) {
		t.Errorf("%+v", d)
	}
	if want := `{"id":"tkt_1","kind":"ticket","projectId":"prj_1","op":"updated","version":2,"set":{"title":"U"}}`; string(m.Payload) != want {
		t.Errorf("%s\nwant %s", m.Payload, want)
	}
	got, ok, err := desk.ChangeOf(event.Event{Message: m})
	if err != nil || !ok || fmt.Sprint(got) != fmt.Sprint(c) {
		t.Errorf("%+v %v %v", got, ok, err)
	}
	m.Type = "run.finished"
	if _, ok, err := desk.ChangeOf(event.Event{Message: m}); ok || err != nil {
		t.Errorf("another's event: %v %v", ok, err)
	}
	m.Type, m.Payload = "desk.ticket.updated", json.RawMessage(`{"version":"x"}`)
	if _, ok, err := desk.ChangeOf(event.Event{Message: m}); !ok || err == nil {
		t.Errorf("a payload that does not fit: %v %v", ok, err)
	}
}

func TestApply_ABrokenBodyIsAnErrorAndNotAnEmptyRecord(t *testing.T) {
	t.Parallel()
	broken := desk.Record{ID: "tkt_1", Kind: desk.Ticket, Version: 1, Body: json.RawMessage(`{"title":`)}
	if _, err := desk.Open[desk.TicketBody](broken); err == nil || !strings.Contains(err.Error(), "ticket tkt_1") {
		t.Errorf("open: %v", err)
	}
	if _, err := desk.Summarize(broken); err == nil || !strings.Contains(err.Error(), "ticket tkt_1") {
		t.Errorf("summarize: %v", err)
	}
	if _, next, ok, err := desk.Edit(broken, []byte(`{"title":"x"}`)); err == nil || ok || next.Version != 1 {
		t.Errorf("edit: %v %v", ok, err)
	}
	for _, set := range []string{`{`, `5`, `[]`} {
		r := create(t, desk.Ticket, `{"title":"T"}`)
		c := desk.Change{ID: r.ID, Kind: r.Kind, Op: desk.Updated, Version: 2, Set: []byte(set)}
		if next, err := desk.Apply(r, c, time.Unix(1, 0), "agent:a"); err == nil || fmt.Sprint(next) != fmt.Sprint(r) {
			t.Errorf("a change of %s: %+v %v", set, next, err)
		}
	}
}

// newRecord makes a record from outside JSON.
func newRecord(k desk.Kind, project string, body json.RawMessage) (desk.Change, desk.Record, error) {
	thing, err := desk.Parse(k, body)
	if err != nil {
		return desk.Change{}, desk.Record{}, err
	}
	return desk.New(nil, k, project, thing)
}

// undated is a body without the day of closing, which only what is recorded has.
func undated(t *rapid.T, body json.RawMessage) json.RawMessage {
	var b map[string]any
	if err := json.Unmarshal(body, &b); err != nil {
		t.Fatal(err)
	}
	delete(b, "closedOn")
	raw, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

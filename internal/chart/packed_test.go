package chart_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"chela/internal/chart"
	"chela/internal/event"
	"chela/internal/packed"
)

// grown is a journal of a ticket that came from a tracker and was changed, with who has it, a goal and a sprint.
func grown(t testing.TB) *chart.Journal {
	t.Helper()
	j := chart.NewJournal()
	at := time.Date(2026, 3, 1, 9, 0, 0, 1000, time.UTC)
	for i, c := range []string{
		`{"id":"t1","kind":"ticket","op":"created","set":{"title":"A","status":"TODO","externalCreated":"2026-02-01T09:00:00.123456789Z","dueDate":"2026-04-01","storyPoints":1.5,"objectiveIds":["o1"]}}`,
		`{"id":"r1","kind":"resource","op":"created","set":{"name":"Ada"}}`,
		`{"id":"a1","kind":"assignment","op":"created","set":{"ticketId":"t1","resourceId":"r1"}}`,
		`{"id":"o1","kind":"objective","op":"created","set":{"outcome":"Live","ticketIds":["t1"]}}`,
		`{"id":"s1","kind":"sprint_plan","op":"created","set":{"sprintName":"S1","startDate":"2026-03-01","endDate":"2026-03-14"}}`,
		`{"id":"t1","kind":"ticket","op":"updated","set":{"status":"DONE"}}`,
		`{"id":"a1","kind":"assignment","op":"deleted"}`,
	} {
		var of struct{ Kind, Op string }
		if err := json.Unmarshal([]byte(c), &of); err != nil {
			t.Fatal(err)
		}
		e := event.Event{Seq: event.Seq(i + 1), StreamSeq: int64(i + 1), At: at.Add(time.Duration(i) * time.Hour)}
		e.Message.Type, e.Message.Payload = "desk."+of.Kind+"."+of.Op, []byte(c)
		if err := j.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	return j
}

func packedOf(j *chart.Journal) string {
	var w packed.Writer
	j.Pack(&w)
	return string(w.Bytes())
}

// added adds the next change to a journal.
func added(t *testing.T, j *chart.Journal, n int, c string) {
	t.Helper()
	e := event.Event{Seq: event.Seq(n), StreamSeq: int64(n), At: time.Date(2026, 3, 2, n, 0, 0, 0, time.UTC)}
	e.Message.Type, e.Message.Payload = "desk.ticket.updated", []byte(c)
	if err := j.Add(e); err != nil {
		t.Fatal(err)
	}
}

// TestJournal_GoesOnFromHowATicketStands holds that what was recorded last is how a ticket stands, whatever that was: what comes then is
// added to it.
func TestJournal_GoesOnFromHowATicketStands(t *testing.T) {
	t.Parallel()
	for _, closed := range []string{
		`{"id":"t1","kind":"ticket","op":"updated","set":{"status":"CLOSED","externalResolved":"2026-02-10"}}`,
		`{"id":"t1","kind":"ticket","op":"updated","set":{"status":"CLOSED","externalResolved":"2026-01-10"}}`,
		`{"id":"t1","kind":"ticket","op":"updated","set":{"objectiveIds":["o2","o1"],"storyPoints":null}}`,
		`{"id":"t1","kind":"ticket","op":"deleted"}`,
	} {
		want := grown(t)
		added(t, want, 8, `{"id":"t1","kind":"ticket","op":"updated","set":{"status":"TODO"}}`)
		added(t, want, 9, closed)
		got, err := chart.Unpack(packed.NewReader(packedOf(want)))
		if err != nil {
			t.Fatal(err)
		}
		for n, c := range []string{
			`{"id":"t1","kind":"ticket","op":"updated","set":{"storyPoints":8}}`,
			`{"id":"a1","kind":"assignment","op":"restored","set":{"resourceId":"r1"}}`,
			`{"id":"t2","kind":"ticket","op":"created","set":{"status":"DONE","externalResolved":"2026-02-20"}}`,
		} {
			added(t, want, 10+n, c)
			added(t, got, 10+n, c)
		}
		if packedOf(got) != packedOf(want) {
			t.Errorf("after %s it goes on otherwise", closed)
		}
	}
}

// TestJournal_GoesOnFromItsBytes holds that a journal that was written and read tells the same, and is written the same again.
func TestJournal_GoesOnFromItsBytes(t *testing.T) {
	t.Parallel()
	want := grown(t)
	got, err := chart.Unpack(packed.NewReader(packedOf(want)))
	if err != nil {
		t.Fatal(err)
	}
	if packedOf(got) != packedOf(want) || got.End() != want.End() || got.Len() != 1 {
		t.Error("it is written otherwise")
	}
	now := time.Date(2026, 3, 20, 0, 0, 0, 0, time.UTC)
	for _, c := range chart.All() {
		q := chart.Query{From: now.AddDate(0, -2, 0), Now: now, By: chart.Day}
		is, one := chart.Draw(c.Name, got.History(nil), q)
		was, other := chart.Draw(c.Name, want.History(nil), q)
		if !reflect.DeepEqual(is, was) || (one == nil) != (other == nil) {
			t.Errorf("%s is %+v, want %+v", c.Name, is, was)
		}
	}
}

// FuzzUnpack_NeverTrusts reads what nobody wrote: a journal that can be written again, or an error.
func FuzzUnpack_NeverTrusts(f *testing.F) {
	f.Add([]byte(packedOf(grown(f))))
	f.Add([]byte(packedOf(chart.NewJournal())))
	f.Fuzz(func(t *testing.T, raw []byte) {
		j, err := chart.Unpack(packed.NewReader(string(raw)))
		if err != nil {
			return
		}
		if again, err := chart.Unpack(packed.NewReader(packedOf(j))); err != nil || again.End() != j.End() {
			t.Error(again, err)
		}
	})
}

package storetest

import (
	"slices"
	"testing"

	"chela/internal/event"
)

// filters reads the log with every filter: it finds what the filter says that it admits.
func filters(t *testing.T, open Opener) {
	db, _ := open(t)
	project := seed(t, db)
	at := place(event.ThreadStream("thr_2"))
	at.Thread, at.Run, at.From = "thr_2", "run_2", event.Party{AgentID: "agent:other"}
	_, err := db.Log.Append(t.Context(), noteKind.Draft(at, note{"own stream"}), draft("elsewhere", "of thr_1"))
	check(t, err)
	all, _, err := db.Log.Events(t.Context(), 0, event.Filter{})
	check(t, err)
	for _, f := range []event.Filter{
		{},
		{Stream: event.ProjectStream(project)},
		{Stream: "none"},
		{Thread: "thr_1"},
		{Thread: "thr_2"},
		{Run: "run_2"},
		{Actor: "agent:other"},
		{Type: "log.note"},
		{Type: "desk.*"},
		{Type: "log.*", Thread: "thr_1"},
		{Type: "desk.ticket.created"},
		{Type: "desk"},
		{Without: "desk.*"},
		{Without: "log.note", Thread: "thr_1"},
	} {
		var got, want []event.Seq
		found, _, err := db.Log.Events(t.Context(), 0, f)
		check(t, err)
		for _, e := range found {
			got = append(got, e.Seq)
		}
		for _, e := range all {
			if f.Admits(e.Event) {
				want = append(want, e.Seq)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%+v finds %v, and admits %v", f, got, want)
		}
	}
}

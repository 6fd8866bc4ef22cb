package storetest

import (
	"reflect"
	"testing"
	"time"

	"chela/internal/event"
	"chela/internal/mcp"
	"chela/internal/store"
)

// tasksFollowed holds that a task that goes on is followed by its conversation until that knows what came of it, that of several daemons one
// looks at it, and that who follows tasks is woken.
func tasksFollowed(t *testing.T, open Opener) {
	db, again := open(t)
	changed, stop := db.MCP.Subscribe(event.TasksFollowed)
	defer stop()
	in := func(thread string) event.Place {
		at := place(event.ThreadStream(thread))
		at.Thread = thread
		return at
	}
	given := func(task string) mcp.Followed {
		return mcp.Followed{Server: "partner", URL: "https://partner.example", Task: task, Tool: "partner__ask", Giver: "agent:pm", Agent: "agent:pm", By: event.Party{AgentID: "agent:person/per_1", Key: "key_1"}, Row: 2}
	}
	list := func() []mcp.Given {
		t.Helper()
		out, err := db.MCP.Given(t.Context())
		check(t, err)
		return out
	}
	if all := list(); len(all) != 0 {
		t.Errorf("at first are followed %+v", all)
	}
	first, err := db.Log.Append(t.Context(), mcp.FollowedKind.Draft(in("thr_1"), given("a")), mcp.FollowedKind.Draft(in("thr_2"), given("a")))
	check(t, err)
	<-changed
	all := list()
	if len(all) != 2 || all[0].ID != first[0].Message.ID || all[0].Thread != "thr_1" || all[0].Run != "run_1" || !reflect.DeepEqual(all[0].Followed, given("a")) || all[0].Busy || !all[0].Next.Equal(all[0].At) {
		t.Fatalf("are followed %+v", all)
	}
	next := all[0].At.Add(time.Minute)
	for i, want := range []bool{true, false} {
		if mine, err := db.MCP.Claim(t.Context(), all[0].ID, all[0].Next, next); err != nil || mine != want {
			t.Errorf("claim %d of a look: %t, %v", i, mine, err)
		}
	}
	if now := list(); !now[0].Next.Equal(next) || !now[1].Next.Equal(now[1].At) {
		t.Errorf("after it is claimed, are followed %+v", now)
	}
	anew, err := db.Log.Append(t.Context(), mcp.FollowedKind.Draft(in("thr_1"), given("a"))) // a look left it going on
	check(t, err)
	for thread, want := range map[string]string{"thr_1": anew[0].Message.ID, "thr_2": first[1].Message.ID, "thr_3": ""} {
		check(t, db.Write(t.Context(), func(tx *store.Tx) error {
			id, err := tx.Following(thread, "partner", "a")
			if id != want {
				t.Errorf("%s follows it by %q, want %q", thread, id, want)
			}
			return err
		}))
	}
	_, err = db.Log.Append(t.Context(), mcp.SettledKind.Draft(in("thr_1"), mcp.Settled{Server: "partner", Task: "a", State: "completed"}), mcp.SettledKind.Draft(in("thr_1"), mcp.Settled{Server: "partner", Task: "b"}))
	check(t, err)
	if all = list(); len(all) != 1 || all[0].Thread != "thr_2" {
		t.Errorf("after one is settled, are followed %+v", all)
	}
	if mine, err := db.MCP.Claim(t.Context(), anew[0].Message.ID, anew[0].At, next); err != nil || mine {
		t.Errorf("a look at what is settled is claimed: %t, %v", mine, err)
	}
	r, err := db.Rebuild(t.Context())
	if err != nil || len(r.Different()) > 0 {
		t.Errorf("different after a rebuild: %v, %v", r.Different(), err)
	}
	other, err := again()
	check(t, err)
	defer func() { check(t, other.Close()) }()
	if out, err := other.MCP.Given(t.Context()); err != nil || len(out) != 1 || !reflect.DeepEqual(out[0], all[0]) {
		t.Errorf("opened again, are followed %+v, %v, want %+v", out, err, all)
	}
}

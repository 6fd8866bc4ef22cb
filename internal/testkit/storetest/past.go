package storetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/store"
)

// pastFilters and pastSorts are of the lists that are looked at at every moment.
var (
	pastFilters = []string{ //nolint:gochecknoglobals // a table
		"", "status:TODO", "open:true", "-status:DONE", "priority:HIGH", "points:>2", `sprint:"s 2"`, "sprint:none", "due:<2026-03", "label:red", "-label:red", "label:none", "owner:none", "owner:Zoe", "owner:Dan,Cid", "-owner:Dan", "title:~art",
		"refund", "refund open:true", "-refund", "retry OR label:red", "description:~fund", "created:>2w", "(status:TODO priority:HIGH) OR label:red", "version:2", "closedOn:none", "closedOn:>2026-02-01", "status:DONE -closedOn:none",
	}
	pastSorts = []string{"", "title", "-priority,due", "-status", "owner", "-due", "open,-updated", "-updated", "points", "-closedOn"} //nolint:gochecknoglobals // a table
)

// A witnessed is what was found at a moment.
type witnessed struct {
	at      event.Seq
	records map[string]desk.Record // deleted and merged ones too
	lists   [][]string
	counts  map[desk.Kind]int
	shared  []string
}

// witness looks at a desk in every way.
func witness(t *testing.T, d store.Desk, project string) (out witnessed) {
	t.Helper()
	every, err := clerk.Every(t.Context(), d, clerk.Query{Project: project, Gone: true})
	check(t, err)
	out.records = make(map[string]desk.Record)
	var first []string
	for _, r := range every {
		one, err := d.Record(t.Context(), r.ID)
		if check(t, err); !reflect.DeepEqual(one, r) {
			t.Fatalf("%s is\n%+v alone and\n%+v in the list", r.ID, one, r)
		}
		out.records[r.ID] = r
		if r.Kind == desk.Ticket || r.Kind == desk.Resource {
			first = append(first, r.ID)
		}
	}
	ask := func(q clerk.Query) {
		q.Project = project
		out.lists = append(out.lists, pagesOf(t, d, q))
	}
	for i, f := range pastFilters {
		for j, s := range pastSorts {
			if (i+j)%5 == 0 || f == "" {
				ask(clerk.Query{Kind: desk.Ticket, Where: where(t, desk.Ticket, f), Sort: sortBy(t, desk.Ticket, s), Newest: i%2 == 0, Limit: 7})
			}
		}
	}
	ask(clerk.Query{Limit: 50})
	ask(clerk.Query{Kind: desk.Ticket, Status: "TODO", Limit: 9})
	ask(clerk.Query{Kind: desk.Ticket, Text: "art", Limit: 9})
	ask(clerk.Query{Kind: desk.Resource, Sort: sortBy(t, desk.Resource, "-name"), Limit: 2})
	for _, id := range first[:min(len(first), 6)] {
		ask(clerk.Query{RefTo: []string{id}, Limit: 20})
		ask(clerk.Query{Kind: desk.Assignment, RefTo: []string{id, "other"}, RefField: "ticketId", Limit: 20})
	}
	ask(clerk.Query{IDs: first, Limit: 60})
	out.counts, err = d.CountRecords(t.Context(), project)
	check(t, err)
	out.counts = maps.Clone(out.counts)
	maps.DeleteFunc(out.counts, func(_ desk.Kind, n int) bool { return n == 0 })
	both, err := clerk.Every(t.Context(), d, clerk.Query{Project: project, Shared: true, Kind: desk.Memory})
	check(t, err)
	for _, r := range both {
		out.shared = append(out.shared, string(r.Body))
	}
	return out
}

// A historian makes a random history of a project.
type historian struct {
	t       *testing.T
	db      *store.DB
	project string
	pick    *rand.Rand
	ids     []string // of tickets
}

func (h *historian) of(values ...string) string { return values[h.pick.IntN(len(values))] }

// body is a merge patch of some fields; those of what is there may be cleared.
func (h *historian) body(title string, clear bool) json.RawMessage {
	fields := []string{fmt.Sprintf(`"title":%q`, title)}
	for _, f := range []string{
		`"status":"` + h.of("TODO", "DONE", "BLOCKED") + `"`, `"priority":"` + h.of("LOW", "HIGH") + `"`, `"storyPoints":` + h.of("1", "2.5", "13"), `"sprint":"` + h.of("S 1", "s 2") + `"`, `"dueDate":"` + h.of("2026-01-01", "2027-05-05") + `"`,
		`"labels":` + h.of(`["red"]`, `["red","Blue"]`, `["x"]`), `"owner":"` + h.of("Ann Lee", "Bob Roe", "Cid", "Dan") + `"`, `"description":"` + h.of("a refund", "retry it") + `"`,
		`"externalResolved":"` + h.of("2026-01-07", "2026-03-09") + `"`,
	} {
		if h.pick.IntN(2) == 0 {
			continue
		}
		if name, _, _ := strings.Cut(f, ":"); clear && h.pick.IntN(4) == 0 && name != `"status"` && name != `"priority"` {
			f = name + ":null"
		}
		fields = append(fields, f)
	}
	return json.RawMessage("{" + strings.Join(fields, ",") + "}")
}

// step makes a few changes.
func (h *historian) step() {
	h.t.Helper()
	check(h.t, clerk.New(h.db.Desk).Do(h.t.Context(), place(""), h.project, commit(h.t.Context(), h.db), func(w *clerk.Work) error {
		for range 8 {
			if err := h.one(w); err != nil {
				return err
			}
		}
		return nil
	}))
	for _, kind := range []desk.Kind{desk.Ticket, desk.Assignment} { // one that is gone comes back
		all, err := clerk.Every(h.t.Context(), h.db.Desk, clerk.Query{Project: h.project, Kind: kind, Gone: true})
		check(h.t, err)
		all = slices.DeleteFunc(all, func(r desk.Record) bool { return !r.Deleted })
		if len(all) == 0 || h.pick.IntN(2) == 0 {
			continue
		}
		r := all[h.pick.IntN(len(all))]
		_, err = h.db.Log.Append(h.t.Context(), desk.Change{ID: r.ID, Kind: r.Kind, Project: r.Project, Op: desk.Restored, Version: r.Version + 1}.Draft(place("")))
		check(h.t, err)
	}
}

func there(w *clerk.Work, id string) bool {
	r, err := w.Get(desk.Ticket, id)
	return err == nil && r.MergedInto == ""
}

// one makes one change; what is gone is left.
func (h *historian) one(w *clerk.Work) error {
	if len(h.ids) < 5 || h.pick.IntN(4) == 0 {
		r, err := w.Create(desk.Ticket, h.body(h.of("part", "Other part", "ÄRA"), false))
		h.ids = append(h.ids, r.ID)
		return err
	}
	id := h.ids[h.pick.IntN(len(h.ids))]
	if !there(w, id) {
		return nil
	}
	switch h.pick.IntN(12) {
	case 0:
		_, err := w.Remove(desk.Ticket, id)
		return err
	case 1:
		other := h.ids[h.pick.IntN(len(h.ids))]
		if other == id || !there(w, other) {
			return nil
		}
		return w.Merge(desk.Ticket, id, []string{other})
	case 2:
		people, err := w.List(clerk.Query{Kind: desk.Resource})
		if err != nil || len(people) == 0 {
			return err
		}
		_, err = w.Patch(desk.Resource, people[0].ID, json.RawMessage(`{"name":"`+h.of("Zoe Lee", "Eve", "Ann Lee 2")+fmt.Sprint(h.pick.IntN(1000))+`"}`))
		return err
	case 3:
		_, err := w.Create(desk.Memory, json.RawMessage(fmt.Sprintf(`{"key":"k%d","content":"c","scope":%q}`, h.pick.IntN(1_000_000), h.of("GLOBAL", "PROJECT"))))
		return err
	}
	_, err := w.Patch(desk.Ticket, id, h.body(h.of("part", "Whole"), true))
	return err
}

// asItWas holds that what a desk says at a moment is what it said then, over random histories, and that what is different
// between two moments is what the records were.
func asItWas(t *testing.T, open Opener) {
	histories := 2
	if testing.Short() { // under the race detector
		histories = 1
	}
	for seed := range histories {
		db, again := open(t)
		project, _ := add(t, db)
		h := &historian{t: t, db: db, project: project, pick: rand.New(rand.NewPCG(uint64(seed), 34))} //nolint:gosec // the same at each run
		var then []witnessed
		for range 6 {
			h.step()
			now := witness(t, db.Desk, project)
			end, err := db.Log.End(t.Context())
			check(t, err)
			now.at = end
			then = append(then, now)
		}
		for i, was := range then {
			got := witness(t, db.Desk.At(was.at), project)
			got.at = was.at
			sameDesk(t, fmt.Sprintf("history %d, moment %d", seed, i), got, was)
		}
		for i, from := range then {
			for _, to := range then[i:] {
				differs(t, db.Desk, project, from, to)
			}
		}
		r, err := db.Rebuild(t.Context())
		if check(t, err); len(r.Different()) > 0 {
			t.Errorf("the log gives other tables: %v", r.Different())
		}
		filledAgain(t, db, again)
	}
}

func sameDesk(t *testing.T, at string, got, want witnessed) {
	t.Helper()
	for id, r := range want.records {
		if !reflect.DeepEqual(got.records[id], r) {
			t.Errorf("%s: %s is\n%+v, want\n%+v", at, id, got.records[id], r)
		}
	}
	if len(got.records) != len(want.records) || !maps.Equal(got.counts, want.counts) || !slices.Equal(got.shared, want.shared) {
		t.Errorf("%s: %d records, %v, %v, want %d, %v, %v", at, len(got.records), got.counts, got.shared, len(want.records), want.counts, want.shared)
	}
	for i, l := range want.lists {
		if !slices.Equal(got.lists[i], l) {
			t.Errorf("%s: list %d is %v, want %v", at, i, got.lists[i], l)
		}
	}
}

// differs holds that what is different between two moments is what the records were at both.
func differs(t *testing.T, d store.Desk, project string, from, to witnessed) {
	t.Helper()
	span := clerk.Span{Project: project, From: from.at, To: to.at, Limit: 5}
	got := make(map[string]desk.Diff)
	for {
		some, next, err := d.Differences(t.Context(), span)
		check(t, err)
		for _, x := range some {
			got[x.ID] = x
		}
		if span.After = next; next == 0 {
			break
		}
	}
	want := 0
	for id, r := range to.records {
		before := from.records[id]
		diff, changed, err := desk.DiffOf(before, r)
		check(t, err)
		if !changed || before.Version == r.Version {
			continue
		}
		want++
		x := got[id]
		if x.Op != diff.Op || !reflect.DeepEqual(x.Fields, diff.Fields) || x.Changes != int(r.Version-before.Version) || len(x.By) == 0 {
			t.Errorf("between %d and %d %s became\n%+v, want\n%+v", from.at, to.at, id, x, diff)
		}
	}
	if len(got) != want {
		t.Errorf("between %d and %d %d records are different, want %d", from.at, to.at, len(got), want)
	}
}

// filledAgain holds that the tables of a database in which they are missing are made as the log gives them.
func filledAgain(t *testing.T, db *store.DB, again func() (*store.DB, error)) {
	t.Helper()
	check(t, db.Write(t.Context(), func(tx *store.Tx) error {
		for _, s := range []string{"DELETE FROM log_cursors WHERE name LIKE 'desk_lists:%'", "DELETE FROM desk_earlier", "UPDATE desk_refs SET since = 0", "DELETE FROM desk_earlier_refs", "DELETE FROM desk_earlier_values", "UPDATE desk_values SET since = 0", "DELETE FROM desk_lists", `UPDATE desk_records SET body = '{' || substr(body, 26) WHERE body LIKE '{"closedOn":"%'`, `UPDATE desk_records SET body = '' WHERE body LIKE '"closedOn":"%'`} { // the last: of a program that dated no closing
			if _, err := tx.Exec(t.Context(), s); err != nil {
				return err
			}
		}
		return nil
	}))
	check(t, db.Close())
	db, err := again()
	check(t, err)
	defer func() { _ = db.Close() }() // the test's other one is closed
	r, err := db.Rebuild(t.Context())
	if check(t, err); len(r.Different()) > 0 {
		t.Errorf("opened again, the log gives other tables: %v", r.Different())
	}
}

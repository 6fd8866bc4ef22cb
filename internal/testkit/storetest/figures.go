package storetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"testing"

	"chela/internal/ask"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/flow"
	"chela/internal/store"
)

// A figured is all that is computed of a project's people, tickets and objectives.
type figured struct {
	Report     any
	Suggested  any
	Covers     []flow.Coverage
	Unmapped   []string
	Depend     flow.Dependencies
	Owners     [][2]string
	Objectives []flow.Objective
	Usual      []ask.Line
}

func figuresOf(t *testing.T, db *store.DB, b *clerk.Board, a *ask.Asker, project string) (out figured) {
	t.Helper()
	now := db.Mint().Now()
	r := b.Report(now)
	out.Report, out.Suggested = r, b.Suggest(r, 5)
	out.Covers, out.Unmapped = flow.Coverages(b.Objectives(), b.Tickets())
	out.Depend, out.Objectives = flow.Depend(b.Tickets()), append(out.Objectives, b.Objectives()...)
	for ticket, p := range b.Owners() {
		out.Owners = append(out.Owners, [2]string{ticket.ID, p.Name})
	}
	var err error
	out.Usual, err = a.Usual(t.Context(), project, nil)
	check(t, err)
	return out
}

// figures holds that what is kept of a project and follows each change is what reading everything anew gives, over random
// histories, whether it is looked at after each change, after some, or again after it was never there.
func figures(t *testing.T, open Opener) {
	histories := 2
	if testing.Short() { // under the race detector
		histories = 1
	}
	for seed := range histories {
		db, _ := open(t)
		project, _ := add(t, db)
		h := &historian{t: t, db: db, project: project, pick: rand.New(rand.NewPCG(uint64(seed), 35))} //nolint:gosec // the same at each run
		asker := func(c *clerk.Cache) *ask.Asker { return ask.New(c, db.Budgets, db.Log, nil, db.Roster) }
		cache := clerk.NewCache(db.Desk)
		kept, keptAsker := clerk.NewView(cache, clerk.NewBoard, (*clerk.Board).Follow, clerk.BoardKinds()...), asker(cache)
		var ends []event.Seq
		for i := range 20 {
			if i%7 > 4 { // what was made and taken away between two looks
				h.step()
			}
			h.step()
			h.aim()
			end, err := db.Log.End(t.Context())
			check(t, err)
			if ends = append(ends, end); i%5 == 4 {
				madeSince(t, db, clerk.Span{Project: project, From: ends[i/2], To: end, Part: clerk.MadeSince})
				madeSince(t, db, clerk.Span{Project: project, From: ends[0], To: ends[i/2], Part: clerk.MadeSince, Kinds: flow.Newsworthy()})
			}
			got, err := kept.Get(t.Context(), project)
			check(t, err)
			book, err := clerk.ReadBook(t.Context(), db.Desk, project, clerk.BoardKinds()...)
			check(t, err)
			is := figuresOf(t, db, got, keptAsker, project)
			want := figuresOf(t, db, clerk.NewBoard(book), asker(clerk.NewCache(db.Desk)), project)
			if !reflect.DeepEqual(is, want) {
				t.Fatalf("history %d, look %d: what is kept is\n%s\nand what is read anew\n%s", seed, i, shownAs(t, is), shownAs(t, want))
			}
		}
	}
}

// madeSince holds that as many records are counted as made within a span as there are.
func madeSince(t *testing.T, db *store.DB, s clerk.Span) {
	t.Helper()
	got, err := db.Desk.CountByKind(t.Context(), s)
	check(t, err)
	made, _, err := db.Desk.Differences(t.Context(), s)
	check(t, err)
	want := make(map[desk.Kind]int)
	for _, d := range made {
		want[d.Kind]++
	}
	if !maps.Equal(got, want) {
		t.Errorf("made between %d and %d are %v, want %v", s.From, s.To, got, want)
	}
}

func shownAs(t *testing.T, f figured) string {
	t.Helper()
	raw, err := json.MarshalIndent(f, "", " ")
	check(t, err)
	return string(raw)
}

// aim changes objectives, who works on what, and what waits for what.
func (h *historian) aim() {
	h.t.Helper()
	check(h.t, clerk.New(h.db.Desk).Do(h.t.Context(), place(""), h.project, commit(h.t.Context(), h.db), func(w *clerk.Work) error {
		a, b := h.ids[h.pick.IntN(len(h.ids))], h.ids[h.pick.IntN(len(h.ids))]
		if a == b || !there(w, a) || !there(w, b) {
			return nil
		}
		goals, err := w.List(clerk.Query{Kind: desk.Objective})
		if err != nil {
			return err
		}
		switch n := h.pick.IntN(6); {
		case n == 0 && len(goals) > 1:
			_, err = w.Remove(desk.Objective, goals[h.pick.IntN(len(goals))].ID)
		case n < 3:
			_, err = w.Create(desk.Objective, json.RawMessage(fmt.Sprintf(`{"outcome":"Outcome %d","ticketIds":[%q,%q]}`, h.pick.IntN(1_000_000), a, b)))
		case n == 3 && len(goals) > 0:
			_, err = w.Patch(desk.Ticket, a, json.RawMessage(fmt.Sprintf(`{"objectiveIds":[%q]}`, goals[h.pick.IntN(len(goals))].ID)))
		case n == 4:
			_, err = w.Patch(desk.Ticket, a, json.RawMessage(fmt.Sprintf(`{"status":"BLOCKED","blockedBy":[%q]}`, b)))
		default:
			people, more := w.List(clerk.Query{Kind: desk.Resource})
			if more != nil || len(people) < 2 {
				return more
			}
			_, err = w.Remove(desk.Resource, people[h.pick.IntN(len(people))].ID)
		}
		return err
	}))
}

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
	"time"

	"chela/internal/ask"
	"chela/internal/chart"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/drift"
	"chela/internal/event"
	"chela/internal/findings"
	"chela/internal/flow"
	"chela/internal/stash"
	"chela/internal/store"
	"chela/internal/store/past"
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
	Found      drift.Found
	Standings  []chart.Standing
	Slips      []flow.Slip
	Slipping   map[flow.Cause]int
	Finished   []string
	Held       []string
	Sprints    []flow.Sprint
}

// figuresOf computes them from records, which are those of now when there are none.
func figuresOf(t *testing.T, b *clerk.Board, a *ask.Asker, p *past.Past, project string, now time.Time, records ...clerk.Earlier) (out figured) {
	t.Helper()
	var from clerk.Earlier
	if len(records) > 0 {
		from = records[0]
	}
	r := b.Report(now)
	out.Report, out.Suggested = r, b.Suggest(r, 5)
	cover := b.Coverage()
	out.Covers, out.Unmapped = cover.Objectives, cover.Unmapped
	out.Depend, out.Objectives = flow.Depend(b.Tickets()), append(out.Objectives, b.Objectives()...)
	for ticket, p := range b.Owners() {
		out.Owners = append(out.Owners, [2]string{ticket.ID, p.Name})
	}
	var err error
	out.Usual, err = a.Usual(t.Context(), project, from)
	check(t, err)
	out.Found = drift.Find(b.Desk(now))
	h, _, err := p.Charts(t.Context(), project, past.Now())
	check(t, err)
	out.Standings = h.Standings([]time.Time{now.Add(-time.Hour), now.Add(-time.Second), now})
	pace := h.Pace(now)
	out.Slips, out.Slipping = b.Slips(&pace, now, 5)
	for id, at := range pace.Finished() {
		out.Finished = append(out.Finished, id+at.Format(time.RFC3339Nano))
	}
	for place, n := range b.Held() {
		out.Held = append(out.Held, fmt.Sprint(b.ID(place), b.Person(n).ID, *b.Prospect(place), b.FinishedAt(place, &pace)))
	}
	slices.Sort(out.Finished)
	ledger, _, err := p.Sprints(t.Context(), project, past.Now())
	check(t, err)
	out.Sprints = ledger.Sprints(now)
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
		keptPast := past.New(db)
		files := stash.At(t.TempDir(), nil)
		files.Least, files.After = 1, 1
		var ends []event.Seq
		sprints := make(map[event.Seq][]flow.Sprint) // as they were when they were now
		for i := range 20 {
			if i%7 > 4 { // what was made and taken away between two looks
				h.step()
			}
			h.step()
			h.aim()
			end, err := db.Log.End(t.Context())
			check(t, err)
			if ends = append(ends, end); i%5 == 4 {
				standing(t, db, clerk.Span{Project: project, From: ends[i/2], To: end})
				standing(t, db, clerk.Span{Project: project, From: ends[0], To: ends[i/2], Kinds: flow.Newsworthy()})
				madeSince(t, db, clerk.Span{Project: project, From: ends[i/2], To: end, Part: clerk.MadeSince})
				madeSince(t, db, clerk.Span{Project: project, From: ends[0], To: ends[i/2], Part: clerk.MadeSince, Kinds: flow.Newsworthy()})
			}
			got, err := kept.Get(t.Context(), project)
			check(t, err)
			now := db.Mint().Now()
			book, err := clerk.ReadBook(t.Context(), db.Desk, project, clerk.BoardKinds()...)
			check(t, err)
			is := figuresOf(t, got, keptAsker, keptPast, project, now)
			want := figuresOf(t, clerk.NewBoard(book), asker(clerk.NewCache(db.Desk)), past.New(db), project, now)
			survey, err := findings.Read(t.Context(), db.Desk, project)
			check(t, err)
			anew := survey.Desk()
			anew.Now = now
			want.Found = drift.Find(anew)
			if !reflect.DeepEqual(is, want) {
				t.Fatalf("history %d, look %d: what is kept is\n%s\nand what is read anew\n%s", seed, i, shownAs(t, is), shownAs(t, want))
			}
			if is := afterAStart(t, db, files, project, now); !reflect.DeepEqual(is, want) {
				t.Fatalf("history %d, look %d: what begins with a file is\n%s\nand what is read anew\n%s", seed, i, shownAs(t, is), shownAs(t, want))
			}
			sprintsAreRecords(t, db, project, is.Sprints)
			sprints[end] = is.Sprints
			if i%3 == 2 {
				at := ends[h.pick.IntN(len(ends))]
				looksBack(t, kept, keptAsker, db, project, db.Desk.At(at))
				ledger, _, err := keptPast.Sprints(t.Context(), project, past.Moment{Seq: at})
				check(t, err)
				if got := ledger.Sprints(now); !reflect.DeepEqual(got, sprints[at]) {
					t.Fatalf("history %d, the sprints at %d are\n%+v\nand were\n%+v", seed, at, got, sprints[at])
				}
			}
		}
	}
}

// afterAStart computes all from what files have of the look before, and keeps it in files for the next.
func afterAStart(t *testing.T, db *store.DB, files *stash.Folder, project string, now time.Time) figured {
	t.Helper()
	cache, before := clerk.NewCache(db.Desk).With(files, "test"), past.New(db).With(files, "test")
	b, err := clerk.NewView(cache, clerk.NewBoard, (*clerk.Board).Follow, clerk.BoardKinds()...).Get(t.Context(), project)
	check(t, err)
	out := figuresOf(t, b, ask.New(cache, db.Budgets, db.Log, nil, db.Roster), before, project, now)
	check(t, cache.Stash(t.Context(), true))
	check(t, before.Stash(t.Context(), true))
	return out
}

// sprintsAreRecords holds that a sprint without an end has the tickets that name it.
func sprintsAreRecords(t *testing.T, db *store.DB, project string, sprints []flow.Sprint) {
	t.Helper()
	tickets, err := clerk.Every(t.Context(), db.Desk, clerk.Query{Project: project, Kind: desk.Ticket})
	check(t, err)
	want := make(map[string]flow.Amount)
	for _, r := range tickets {
		b, err := desk.Open[desk.TicketBody](r)
		check(t, err)
		name := strings.ToLower(b.Sprint)
		want[name] = flow.Amount{Tickets: want[name].Tickets + 1, Points: want[name].Points + b.Points()}
	}
	for _, s := range sprints {
		if s.End == "" && s.Scope != want[strings.ToLower(s.Name)] {
			t.Fatalf("the sprint %s has %+v, and the tickets that name it are %+v", s.Name, s.Scope, want[strings.ToLower(s.Name)])
		}
	}
}

// looksBack holds that what is computed for a moment from what is kept of now is what is read of that moment.
func looksBack(t *testing.T, kept *clerk.View[*clerk.Board], asker *ask.Asker, db *store.DB, project string, then store.Desk) {
	t.Helper()
	got, err := kept.Earlier(t.Context(), project, then)
	check(t, err)
	book, err := clerk.ReadBook(t.Context(), then, project)
	check(t, err)
	now, journal := db.Mint().Now(), past.New(db)
	is := figuresOf(t, got, asker, journal, project, now, then)
	lines := func(b *clerk.Book) (out []string) {
		for _, e := range b.All() {
			out = append(out, fmt.Sprint(e.ID, e.Version, e.UpdatedAt))
		}
		return out
	}
	again := clerk.NewView(clerk.NewCache(db.Desk), func(b *clerk.Book) []string { return lines(b) }, func(_ []string, b *clerk.Book, _ []clerk.Changed) []string { return lines(b) })
	listed, err := again.Earlier(t.Context(), project, then)
	check(t, err)
	if want := lines(book); !slices.Equal(listed, want) {
		t.Fatalf("the records of a moment are\n%v\nwant\n%v", listed, want)
	}
	fresh := ask.New(clerk.NewCache(db.Desk.At(event.Newest)), db.Budgets, db.Log, nil, db.Roster)
	want := figuresOf(t, clerk.NewBoard(book), fresh, journal, project, now, then)
	if !reflect.DeepEqual(is, want) {
		t.Fatalf("what is computed of a moment is\n%s\nand what is read of it\n%s", shownAs(t, is), shownAs(t, want))
	}
}

// standing holds that what changed within a span of what was there before is found without what was made within it.
func standing(t *testing.T, db *store.DB, s clerk.Span) {
	t.Helper()
	all, _, err := db.Desk.Differences(t.Context(), s)
	check(t, err)
	before, err := db.Desk.At(s.From).Records(t.Context(), clerk.Query{Project: s.Project, Gone: true, Limit: clerk.All})
	check(t, err)
	s.Part = clerk.Standing
	got, _, err := db.Desk.Differences(t.Context(), s)
	check(t, err)
	there := make(map[string]bool)
	for _, r := range before.Records {
		there[r.ID] = true
	}
	want := slices.DeleteFunc(all, func(d desk.Diff) bool { return !there[d.ID] })
	if !reflect.DeepEqual(got, want) {
		t.Errorf("between %d and %d there changed\n%v\nwant\n%v", s.From, s.To, got, want)
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

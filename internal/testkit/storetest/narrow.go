package storetest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/store"
)

// wide makes tickets of many sorts, some of which are changed, deleted and merged, and people who have them, of whom
// one gets another name and one leaves.
func wide(t *testing.T, db *store.DB) (project string, ids []string) {
	t.Helper()
	project, _ = add(t, db)
	do := func(plan func(*clerk.Work) error) {
		t.Helper()
		check(t, clerk.New(db.Desk).Do(t.Context(), place(""), project, commit(t.Context(), db), plan))
	}
	pick := rand.New(rand.NewPCG(7, 7)) //nolint:gosec // the same at each run
	of := func(values ...string) string { return values[pick.IntN(len(values))] }
	do(func(w *clerk.Work) error {
		for i := range 60 {
			fields := []string{fmt.Sprintf(`"title":%q`, of("part", "Part of it", "ÄRA", fmt.Sprint(i%3, " ", strings.Repeat("long ", 60), i%3)))}
			for _, f := range []string{
				`"status":"` + of("TODO", "DONE", "BLOCKED", "CLOSED") + `"`, `"priority":"` + of("LOW", "HIGH", "CRITICAL") + `"`, `"storyPoints":` + of("0", "1", "2.5", "13"),
				`"sprint":"` + of("S 1", "s 2", strings.Repeat("x", 300)) + `"`, `"dueDate":"` + of("2026-01-01", "2026-02-03T10:00:00Z", "2027-05-05") + `"`, `"labels":["` + of("red", "Blue", "a b") + `","` + of("x", "red2") + `"]`,
				`"type":"` + of("BUG", "EPIC") + `"`, `"owner":"` + of("Ann Lee", "Bob Roe", "Cid") + `"`, `"description":"` + of("a refund", "retry it") + `"`, `"sources":[{"by":"x","quote":"` + of("The fund", "all") + `"},{"quote":"` + of("Refund", "none") + `"` + of("", `,"line":3`, `,"line":7,"endLine":9`) + `}]`,
				`"evidence":[{"snippet":"s"` + of("", `,"date":"2026-02-03"`, `,"date":"2026-01-01T10:00:00Z"`) + of("", `,"relevance":0.5`, `,"relevance":0`) + `}]`, `"reporter":"` + of("Anna", "Bo") + `"`, `"externalResolved":"` + of("2026-01-07", "2026-03-09") + `"`, `"externalRef":"R-` + of("1", "2", "3") + `"`,
			} {
				if pick.IntN(3) > 0 {
					fields = append(fields, f)
				}
			}
			r, err := w.Create(desk.Ticket, json.RawMessage("{"+strings.Join(fields, ",")+"}"))
			if err != nil {
				return err
			}
			ids = append(ids, r.ID)
		}
		return nil
	})
	people := make(map[string]string)
	found, err := clerk.Every(t.Context(), db.Desk, clerk.Query{Project: project, Kind: desk.Resource})
	check(t, err)
	for _, p := range found {
		s, err := desk.Summarize(p)
		check(t, err)
		people[s.Title] = p.ID
	}
	do(func(w *clerk.Work) error {
		for i, id := range ids {
			patch := []string{`{"owner":"Dan"}`, `{"owner":null}`, `{"status":"DONE","labels":["red"]}`, `{"sprint":null,"dueDate":null}`, `{"title":"Other","owner":"Ann Lee"}`}[i%5]
			if i%3 == 0 {
				if _, err := w.Patch(desk.Ticket, id, json.RawMessage(patch)); err != nil {
					return err
				}
			}
		}
		if _, err := w.Patch(desk.Resource, people["Ann Lee"], json.RawMessage(`{"name":"Zoe Lee"}`)); err != nil {
			return err
		}
		_, err := w.Remove(desk.Resource, people["Bob Roe"])
		return err
	})
	do(func(w *clerk.Work) error {
		for _, id := range ids[:4] {
			if _, err := w.Remove(desk.Ticket, id); err != nil {
				return err
			}
		}
		return w.Merge(desk.Ticket, ids[4], ids[5:7])
	})
	return project, ids
}

// pages reads all pages of a query, and holds that each says how many there are.
func pages(t *testing.T, db *store.DB, q clerk.Query) (ids []string) {
	t.Helper()
	return pagesOf(t, db.Desk, q)
}

func pagesOf(t *testing.T, d store.Desk, q clerk.Query) (ids []string) {
	t.Helper()
	total := -1
	for {
		p, err := d.Records(t.Context(), q)
		check(t, err)
		if total >= 0 && p.Total != total {
			t.Fatalf("%d records on one page and %d on the next", total, p.Total)
		}
		total = p.Total
		for _, r := range p.Records {
			ids = append(ids, r.ID)
		}
		if q.Cursor = p.Next; p.Next == "" {
			break
		}
	}
	if total != len(ids) {
		t.Fatalf("%d records on all pages, want %d", len(ids), total)
	}
	return ids
}

// narrow holds that a list, which is read from narrow rows, is what the records themselves give: those are looked at
// when a query names them.
func narrow(t *testing.T, open Opener) {
	db, _ := open(t)
	project, ids := wide(t, db)
	filters := []string{
		"", "status:TODO", "-status:DONE,CLOSED", "open:true", "open:false", "status:none", "priority:HIGH", "priority:>=HIGH status:TODO", "-priority:HIGH", "points:>2", "points:2.5,none", "sprint:\"S 1\"", "sprint:\"s 1\",\"S 2\"",
		"sprint:none", "sprint:~x", "sprint:" + strings.Repeat("x", 300), "sprint:" + strings.Repeat("x", 198), "due:<2026-03", "due:2026-02-03", "due:>2026-02-03", "due:none", "-due:<2026-03", "label:red", "label:RED2,\"a b\"", "-label:red", "label:~re", "label:none",
		"label:red,none", "owner:none", "owner:Zoe", "owner:Ann", "owner:\"Bob Roe\"", "owner:Dan,Cid", "owner:~ee", "-owner:Dan", "owner:none,Cid open:true", "owner:" + ids[10], "type:BUG", "has:type", "title:~part", "title:~\"long 1\"", "title:part",
		"title:~LONG", "externalRef:r-1", "ref OR refund", "refund", "refund open:true", "-refund", "refund priority:HIGH OR retry", "description:~fund", "description:~fund status:TODO", "sprint:\"S 1\" description:~fund", "description:none", "description:none,\"RETRY it\" -label:red", "-description:~fund -label:~re", "(description:~fund OR label:~x) open:true",
		"createdBy:~e", "-updatedBy:none", "quote:~fund", "-quote:~\"THE f\"", "quote:none", "sources.by:x", "reporter:none description:~fund", "updated:>2w", "created:>2w -updated:<1h",
		"(status:TODO priority:HIGH) OR (label:red -status:TODO)", "NOT (status:TODO OR points:>2)", "version:1", "blocked:none", "refers:none owner:Cid",
		"closedOn:none", "-closedOn:none", "closedOn:>2026-01-15", "-closedOn:<=2026-03-09", "closedOn:2026-01-07,none -status:TODO", "sources:none", "-sources:none", "contract:none", "proof:none", "imported:none", "has:sources open:true",
		"sources.line:none", "-sources.line:none", "sources.line:>4", "sources.endLine:<=9", "sources.endLine:9,none", "-sources.line:3", "evidence:none", "evidence.date:none", "evidence.date:<2026-02", "-evidence.date:2026-02-03", "evidence.relevance:none", "evidence.relevance:>=0.5",
		"-evidence.relevance:0.5", "evidence.relevance:0.25,none", "evidence.date:none evidence.relevance:none", "-reporter:~a", "-phaseId:~a", "reporter:~an", "has:imported", "-has:evidence",
	}
	sorts := []string{"", "title", "-title", "priority", "-priority", "-priority,due", "status,-due", "-status,title", "due", "-due", "points", "-points", "owner", "-owner", "open,-updated", "-open", "updated", "-updated", "-created", "type", "-type,sprint", "sprint,-points", "externalRef", "version", "-createdBy,title"}
	each := 3
	if testing.Short() { // under the race detector
		each = 24
	}
	cache := clerk.NewCache(db.Desk)
	_, err := cache.Get(t.Context(), project)
	check(t, err)
	found := 0 // with what is kept
	for i, f := range filters {
		for j, s := range sorts {
			if (i+j)%each > 0 && f != "" && s != "" { // a third of all pairs
				continue
			}
			q := clerk.Query{Project: project, Kind: desk.Ticket, Where: where(t, desk.Ticket, f), Sort: sortBy(t, desk.Ticket, s), Newest: (i+j)%2 == 0, Limit: 7}
			got := pages(t, db, q)
			among, err := cache.Narrow(t.Context(), q)
			check(t, err)
			if !reflect.DeepEqual(among.Where, q.Where) {
				found++
			}
			kept := pages(t, db, among)
			q.IDs, q.Limit = ids, 500
			want := pages(t, db, q)
			if !slices.Equal(got, want) {
				t.Errorf("%q by %q, newest %v: %d records, want %d, or in another order", f, s, q.Newest, len(got), len(want))
			}
			if !slices.Equal(kept, want) {
				t.Errorf("%q by %q, newest %v, with what is kept: %d records, want %d, or in another order", f, s, q.Newest, len(kept), len(want))
			}
		}
	}
	if found < 30 {
		t.Errorf("%d lists were answered with what is kept, want at least 30", found)
	}
	for _, q := range []clerk.Query{{Status: "TODO"}, {Status: "x"}, {Text: "art"}, {Text: "LONG 2", Status: "TODO"}} {
		q.Project, q.Kind, q.Limit = project, desk.Ticket, 7
		got := pages(t, db, q)
		q.IDs, q.Limit = ids, 500
		if want := pages(t, db, q); !slices.Equal(got, want) {
			t.Errorf("status %q and text %q: %d records, want %d", q.Status, q.Text, len(got), len(want))
		}
	}
	counts, err := db.Desk.CountRecords(t.Context(), project)
	if all := len(pages(t, db, clerk.Query{Project: project, Kind: desk.Ticket})); err != nil || counts[desk.Ticket] != all || all != len(ids)-6 {
		t.Errorf("%d tickets are counted, %d listed, %v, want %d", counts[desk.Ticket], all, err, len(ids)-6)
	}
}

// refilled holds that narrow rows that are made from the records are those that the log gives.
func refilled(t *testing.T, open Opener) {
	db, again := open(t)
	project, _ := wide(t, db)
	before := pages(t, db, clerk.Query{Project: project, Kind: desk.Ticket, Sort: sortBy(t, desk.Ticket, "owner,title")})
	check(t, db.Write(t.Context(), func(tx *store.Tx) error {
		for _, s := range []string{"DELETE FROM log_cursors WHERE name LIKE 'desk_lists:%'", "DELETE FROM desk_lists WHERE t0 <> 'other'", "UPDATE desk_lists SET t0 = 'wrong'", "DELETE FROM desk_counts"} {
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
	if after := pages(t, db, clerk.Query{Project: project, Kind: desk.Ticket, Sort: sortBy(t, desk.Ticket, "owner,title")}); !slices.Equal(before, after) {
		t.Errorf("after it was opened again the list has %d records, want %d as they were", len(after), len(before))
	}
	r, err := db.Rebuild(t.Context())
	if check(t, err); len(r.Different()) > 0 {
		t.Errorf("the log gives other tables: %v", r.Different())
	}
}

// largest holds that the projects with the most records are known, of those that have a number of them.
func largest(t *testing.T, open Opener) {
	db, _ := open(t)
	ticket := [2]string{"ticket", `{"title":"A"}`}
	small, _ := add(t, db, ticket, ticket)
	large, ids := add(t, db, ticket, ticket, ticket, [2]string{"ticket", `{"title":"B"}`})
	add(t, db)
	want := func(atLeast, limit int, want ...string) {
		t.Helper()
		got, err := db.Directory.Largest(t.Context(), atLeast, limit)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("of at least %d the %d largest: %v, %v, want %v", atLeast, limit, got, err, want)
		}
	}
	want(3, 5, large, small) // each is a record itself
	want(3, 1, large)
	want(5, 5, large)
	want(6, 5)
	check(t, clerk.New(db.Desk).Do(t.Context(), place(""), large, commit(t.Context(), db), func(w *clerk.Work) error {
		_, err := w.Remove(desk.Ticket, ids["B"])
		return err
	}))
	want(5, 5)
}

package storetest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/query"
	"chela/internal/store"
)

// where reads a filter over a kind.
func where(t *testing.T, k desk.Kind, text string) query.Expr {
	t.Helper()
	f, err := desk.Fields(k)
	check(t, err)
	e, err := query.Parse(text, f, time.Now())
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return e
}

func sortBy(t *testing.T, k desk.Kind, text string) query.Sort {
	t.Helper()
	f, err := desk.Fields(k)
	check(t, err)
	s, err := query.ParseSort(text, f)
	check(t, err)
	return s
}

// add makes records of kind and body in a new project, and returns them by title.
func add(t *testing.T, db *store.DB, in ...[2]string) (project string, byTitle map[string]string) {
	t.Helper()
	c, p, err := newRecord(desk.Project, "", json.RawMessage(`{"name":"`+event.NewID("p")+`"}`))
	check(t, err)
	_, err = db.Log.Append(t.Context(), c.Draft(place("")))
	check(t, err)
	byTitle = make(map[string]string)
	for _, x := range in {
		check(t, clerk.New(db.Desk).Do(t.Context(), place(""), p.ID, commit(t.Context(), db), func(w *clerk.Work) error {
			body := x[1]
			for title, id := range byTitle {
				body = strings.ReplaceAll(body, "@"+title+"@", id)
			}
			r, err := w.Create(desk.Kind(x[0]), json.RawMessage(body))
			if err != nil {
				return err
			}
			s, err := desk.Summarize(r)
			byTitle[s.Title] = r.ID
			return err
		}))
	}
	return p.ID, byTitle
}

func titles(t *testing.T, records []desk.Record) string {
	t.Helper()
	var out []string
	for _, r := range records {
		s, err := desk.Summarize(r)
		check(t, err)
		out = append(out, s.Title)
	}
	return strings.Join(out, " ")
}

func fixture(t *testing.T, db *store.DB) (string, map[string]string) {
	day := func(days int) string { return string(desk.DateOf(time.Now().UTC().AddDate(0, 0, days))) }
	return add(
		t, db,
		[2]string{"ticket", `{"title":"A","status":"TODO","priority":"LOW","owner":"Joe Martinez","storyPoints":3,"labels":["red","Blue"],"dueDate":"` + day(1) + `","sprint":"S 1","externalRef":"PAY-201"}`},
		[2]string{"ticket", `{"title":"B","status":"BLOCKED","priority":"HIGH","owner":"Jörg Ärger","storyPoints":2.5,"dueDate":"` + day(-30) + `T23:00:00-02:00","blockedBy":["@A@"],"sources":[{"by":"person","quote":"we RETRY it","document":"notes.md"}]}`},
		[2]string{"ticket", `{"title":"C","status":"DONE","priority":"CRITICAL","sprint":"ÄRA 100%","labels":["red"],"type":"EPIC","description":"the refund of a\u0000b"}`},
		[2]string{"ticket", `{"title":"D","status":"TODO","sprint":"a_b\u0000\\u0000","storyPoints":13,"sources":[{"by":"rule:actions","document":"it's \"quoted\".md"}]}`},
		[2]string{"thread", `{"title":"T","lifecycle":"CLOSED","actions":[{"text":"call","assignee":"Ann","dueDate":"` + day(3) + `"}],"evidence":[{"snippet":"s","relevance":0.7}]}`},
		[2]string{"intake", `{"title":"I","digest":"d","rulesOnly":true}`},
		[2]string{"intake", `{"title":"J","digest":"e","status":"PROCESSING"}`},
		[2]string{"resource", `{"name":"Ann","role":"QA","availability":0.5}`},
	)
}

// A filterCase is a filter with the titles of what it finds in the fixture.
type filterCase struct {
	kind       desk.Kind
	text, want string
}

func ticketFilters(ids map[string]string) []filterCase {
	return []filterCase{
		{desk.Ticket, "", "A B C D"},
		{desk.Ticket, "status:todo", "A D"},
		{desk.Ticket, "status:TODO,BLOCKED", "A B D"},
		{desk.Ticket, "-status:TODO", "B C"},
		{desk.Ticket, "open:true", "A B D"},
		{desk.Ticket, "open:false", "C"},
		{desk.Ticket, "-open:true label:red", "C"},
		{desk.Ticket, "priority:>=HIGH", "B C"},
		{desk.Ticket, "priority:<LOW", ""},
		{desk.Ticket, "type:none", "A B D"},
		{desk.Ticket, "type:EPIC,none", "A B C D"},
		{desk.Ticket, "has:type", "C"},
		{desk.Ticket, `owner:"joe martinez"`, "A"},
		{desk.Ticket, `owner:"JÖRG  ÄRGER"`, "B"},
		{desk.Ticket, "owner:~ärg,x", "B"},
		{desk.Ticket, "owner:none", "C D"},
		{desk.Ticket, `owner:none,"Joe Martinez"`, "A C D"},
		{desk.Ticket, "-owner:none", "A B"},
		{desk.Ticket, "owner:Joe", "A"},
		{desk.Ticket, "owner:martinez,Jo", "A"},
		{desk.Ticket, "owner:Jo", ""},
		{desk.Ticket, "owner:" + ids["nobody"] + "x", ""},
		{desk.Ticket, "points:>=3", "A D"},
		{desk.Ticket, "points:2.5", "B"},
		{desk.Ticket, "-points:>=3", "B C"},
		{desk.Ticket, "points:none", "C"},
		{desk.Ticket, "label:RED", "A C"},
		{desk.Ticket, "label:blue,x", "A"},
		{desk.Ticket, "-label:red", "B D"},
		{desk.Ticket, "labels:none", "B D"},
		{desk.Ticket, "label:~lu", "A"},
		{desk.Ticket, "label:blue,none", "A B D"},
		{desk.Ticket, "due:none", "C D"},
		{desk.Ticket, "due:+1d", "A"},
		{desk.Ticket, "due:<today", "B"},
		{desk.Ticket, "due:<=+1d", "A B"},
		{desk.Ticket, "due:>30d", "A"},
		{desk.Ticket, "due:>=30d", "A B"},
		{desk.Ticket, "-due:<today", "A C D"},
		{desk.Ticket, "updated:>2w", "A B C D"},
		{desk.Ticket, "updated:<2w", ""},
		{desk.Ticket, "created:today", "A B C D"},
		{desk.Ticket, "created:<=1h", ""},
		{desk.Ticket, `sprint:"s 1"`, "A"},
		{desk.Ticket, `sprint:"ära 100%"`, "C"},
		{desk.Ticket, "sprint:~Ä", "C"},
		{desk.Ticket, `sprint:~"0%"`, "C"},
		{desk.Ticket, "sprint:~_", "D"},
		{desk.Ticket, `sprint:"a_b\\u0000"`, "D"},
		{desk.Ticket, `sprint:~"b\\U0"`, "D"},
		{desk.Ticket, "sprint:none", "B"},
		{desk.Ticket, "has:quote", "B"},
		{desk.Ticket, "has:sources", "B D"},
		{desk.Ticket, "quote:~retry", "B"},
		{desk.Ticket, `document:"it's \"quoted\".md"`, "D"},
		{desk.Ticket, "sources.by:~rule", "D"},
		{desk.Ticket, "blocked:" + ids["A"], "B"},
		{desk.Ticket, "blocked:none", "A C D"},
		{desk.Ticket, "refers:" + ids["A"] + ",x", "B"},
		{desk.Ticket, "blockedBy:" + ids["A"], "B"},
		{desk.Ticket, "has:refers", "B"},
		{desk.Ticket, "externalRef:pay-201", "A"},
		{desk.Ticket, "id:" + ids["C"], "C"},
		{desk.Ticket, "title:~a", "A"},
		{desk.Ticket, "version:1", "A B C D"},
		{desk.Ticket, "version:>1.5", ""},
		{desk.Ticket, "createdBy:agent:test", "A B C D"},
		{desk.Ticket, "refu", "C"},
		{desk.Ticket, `"we retry"`, "B"},
		{desk.Ticket, "-retry status:BLOCKED", ""},
		{desk.Ticket, "PAY-201 OR retry", "A B"},
		{desk.Ticket, "(status:TODO points:>10) OR (label:red -status:TODO)", "C D"},
		{desk.Ticket, "NOT (status:TODO OR status:DONE)", "B"},
	}
}

func otherFilters() []filterCase {
	return []filterCase{
		{desk.Thread, "status:CLOSED lifecycle:>DRAFT", "T"},
		{desk.Thread, "actions.assignee:ann actions.dueDate:>today", "T"},
		{desk.Thread, "evidence.relevance:>0.5", "T"},
		{desk.Thread, "evidence.relevance:>0.8", ""},
		{desk.Thread, "decisions:none", "T"},
		{desk.Intake, "rulesOnly:true", "I"},
		{desk.Intake, "rulesOnly:false", "J"},
		{desk.Intake, "-rulesOnly:true", "J"},
		{desk.Intake, "has:phases", ""},
		{desk.Resource, "role:QA availability:<1", "Ann"},
	}
}

func filtered(t *testing.T, open Opener) {
	db, _ := open(t)
	project, ids := fixture(t, db)
	for _, c := range append(ticketFilters(ids), otherFilters()...) {
		p, err := db.Desk.Records(t.Context(), clerk.Query{Project: project, Kind: c.kind, Where: where(t, c.kind, c.text)})
		if err != nil || titles(t, p.Records) != c.want || p.Total != len(p.Records) {
			t.Errorf("%s %s: %q of %d, %v, want %q", c.kind, c.text, titles(t, p.Records), p.Total, err, c.want)
		}
	}
}

func sortedPages(t *testing.T, open Opener) {
	db, _ := open(t)
	project, _ := fixture(t, db)
	for _, c := range []struct {
		kind       desk.Kind
		text, want string
	}{
		{desk.Ticket, "", "A B C D"},
		{desk.Ticket, "-title", "D C B A"},
		{desk.Ticket, "priority", "A D B C"},
		{desk.Ticket, "-priority,-title", "C B D A"},
		{desk.Ticket, "status,-created", "D A C B"},
		{desk.Ticket, "-open,-title", "D B A C"},
		{desk.Ticket, "open", "C A B D"},
		{desk.Ticket, "points", "B A D C"},
		{desk.Ticket, "-points", "D A B C"},
		{desk.Ticket, "due", "B A C D"},
		{desk.Ticket, "-due,-title", "A B D C"},
		{desk.Ticket, "owner", "A B C D"},
		{desk.Ticket, "-owner", "B A C D"},
		{desk.Ticket, "type,-title", "C D B A"},
		{desk.Ticket, "-updated", "D C B A"},
		{desk.Ticket, "sprint", "D A C B"},
		{desk.Ticket, "version,-title", "D C B A"},
		{desk.Intake, "-rulesOnly", "I J"},
		{desk.Intake, "rulesOnly", "J I"},
	} {
		for limit := 1; limit <= 4; limit += 3 {
			q := clerk.Query{Project: project, Kind: c.kind, Sort: sortBy(t, c.kind, c.text), Limit: limit}
			var got []desk.Record
			for pages := 0; pages < 9; pages++ {
				p, err := db.Desk.Records(t.Context(), q)
				if err != nil {
					t.Fatalf("%s by %s: %v", c.kind, c.text, err)
				}
				got = append(got, p.Records...)
				if q.Cursor = p.Next; p.Next == "" {
					break
				}
			}
			if titles(t, got) != c.want {
				t.Errorf("%s by %s, %d a page: %q, want %q", c.kind, c.text, limit, titles(t, got), c.want)
			}
		}
	}
	p, err := db.Desk.Records(t.Context(), clerk.Query{Project: project, Kind: desk.Ticket, Sort: sortBy(t, desk.Ticket, "type"), Newest: true})
	if err != nil || titles(t, p.Records) != "C D B A" {
		t.Errorf("newest first among equals: %q, %v", titles(t, p.Records), err)
	}
}

func cursors(t *testing.T, open Opener) {
	db, _ := open(t)
	project, _ := fixture(t, db)
	ask := func(sort, cursor string) (clerk.Page, error) {
		return db.Desk.Records(t.Context(), clerk.Query{Project: project, Kind: desk.Ticket, Sort: sortBy(t, desk.Ticket, sort), Limit: 1, Cursor: cursor})
	}
	made := make(map[string]string)
	for _, sort := range []string{"", "title", "-title", "points", "status,title"} {
		p, err := ask(sort, "")
		check(t, err)
		made[sort] = p.Next
	}
	for sort := range made {
		for other, cursor := range made {
			if _, err := ask(sort, cursor); (err == nil) != (sort == other) || err != nil && (fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.TextOf(err), "Ask without it for the first page.")) {
				t.Errorf("the cursor of %q for %q: %v", other, sort, err)
			}
		}
		for _, bad := range []string{"x", "!", "9e99", "eyJzIjoidGl0bGUiLCJ2IjpbIjAiXX0", "eyJzIjoicG9pbnRzIiwidiI6WyIwIiwieCIsIjEiXX0", "eyJzIjoidGl0bGUiLCJ2IjpbIjAiLCJcdTAwMDAiLCIxIl19"} {
			if _, err := ask(sort, bad); fault.KindOf(err) != fault.Invalid {
				t.Errorf("the cursor %s for %q: %v", bad, sort, err)
			}
		}
	}
}

// A made is a ticket of many, with its place among them.
type made struct {
	desk.TicketBody
	seq int
}

// many holds what ten thousand tickets give against what Go makes of them.
func many(t *testing.T, open Opener) {
	db, _ := open(t)
	n := 10_000
	if testing.Short() { // under the race detector
		n = 2000
	}
	project, all := makeMany(t, db, n)
	manyListed(t, db, project, all)
	manyWalked(t, db, project, all)
	shareMany(t, db, project)
	for text, has := range map[string]func(made) int{ // 2 is in the title, 1 elsewhere
		"retry": func(made) int { return 2 },
		"red":   func(r made) int { return flagOf(r.Labels[0] == "red") },
		"c":     func(r made) int { return 2 * flagOf(r.Title[0] == 'c') },
		"g": func(r made) int {
			return max(2*flagOf(r.Title[0] == 'g'), flagOf(r.Labels[0] == "Green"))
		},
	} {
		hits := slices.DeleteFunc(slices.Clone(all), func(r made) bool { return has(r) == 0 })
		slices.SortFunc(hits, func(a, b made) int { return cmp.Or(-cmp.Compare(has(a), has(b)), -cmp.Compare(a.seq, b.seq)) })
		foundAll(t, db, clerk.Search{Project: project, Text: text, Limit: 150}, len(hits), func(i int) string { return hits[i].Title })
		foundAll(t, db, clerk.Search{Text: text, Limit: 150}, len(hits), func(i int) string { return hits[i].Title })
	}
	h, err := db.Desk.Search(t.Context(), clerk.Search{Project: project, Text: fmt.Sprint(n-1, " ret")})
	if err != nil || h.Total != 1 || len(h.Hits) != 1 {
		t.Errorf("%+v, %v", h, err)
	}
	small, _ := add(t, db, [2]string{"ticket", `{"title":"Retry it"}`}, [2]string{"thread", `{"title":"To retry"}`})
	for name, c := range map[string]struct {
		q    clerk.Search
		want int
	}{
		"beside many of another project": {clerk.Search{Project: small}, 2},
		"beside few of another project":  {clerk.Search{Project: project}, n},
		"of a kind beside many others":   {clerk.Search{Kinds: []desk.Kind{desk.Thread}}, 1},
		"of a kind beside few others":    {clerk.Search{Kinds: []desk.Kind{desk.Ticket}}, n + 1},
		"of both":                        {clerk.Search{Project: small, Kinds: []desk.Kind{desk.Thread}}, 1},
		"of everything":                  {clerk.Search{}, n + 2},
	} {
		c.q.Text = "retry"
		if h, err := db.Desk.Search(t.Context(), c.q); err != nil || h.Total != c.want {
			t.Errorf("%s: %d in all, want %d, %v", name, h.Total, c.want, err)
		}
	}
}

// shareMany gives the first tickets to people, so that the latest records join two others, as after an import.
func shareMany(t *testing.T, db *store.DB, project string) {
	t.Helper()
	tickets, err := db.Desk.Records(t.Context(), clerk.Query{Project: project, Kind: desk.Ticket, Limit: 500})
	check(t, err)
	var drafts []event.Draft
	draft := func(k desk.Kind, body any) string {
		raw, err := json.Marshal(body)
		check(t, err)
		c, _, err := newRecord(k, project, raw)
		check(t, err)
		drafts = append(drafts, c.Draft(place("")))
		return c.ID
	}
	for i := range 5 {
		person := draft(desk.Resource, desk.ResourceBody{Name: fmt.Sprintf("X%d", i)})
		for _, r := range tickets.Records {
			draft(desk.Assignment, desk.AssignmentBody{TicketID: r.ID, ResourceID: person})
		}
	}
	_, err = db.Log.Append(t.Context(), drafts...)
	check(t, err)
}

// makeMany makes n tickets, of which the newest three of ten have the lowest priority.
func makeMany(t *testing.T, db *store.DB, n int) (project string, all []made) {
	t.Helper()
	project, _ = add(t, db)
	var drafts []event.Draft
	for i := range n {
		b := desk.TicketBody{
			Title: fmt.Sprintf("%c %d retry", 'a'+i%7, i), Status: desk.TicketStatuses()[i%5], StoryPoints: new(float64(i % 9)), Labels: []string{[]string{"red", "Green", "blue"}[i%3]},
			Priority: desk.Levels()[i%4],
		}
		if i >= n*7/10 {
			b.Priority = desk.Levels()[0]
		}
		if i%6 > 0 {
			b.DueDate = desk.Date(fmt.Sprintf("2026-%02d-%02d", i%12+1, i%28+1))
		}
		raw, err := json.Marshal(&b)
		check(t, err)
		c, _, err := newRecord(desk.Ticket, project, raw)
		check(t, err)
		all, drafts = append(all, made{b, i}), append(drafts, c.Draft(place("")))
	}
	for some := range slices.Chunk(drafts, 1000) {
		_, err := db.Log.Append(t.Context(), some...)
		check(t, err)
	}
	return project, all
}

// manyListed reads a sorted and filtered list page after page.
func manyListed(t *testing.T, db *store.DB, project string, all []made) {
	t.Helper()
	want := slices.DeleteFunc(slices.Clone(all), func(r made) bool {
		return r.Status != desk.Todo && r.Status != desk.Blocked || r.Points() < 3 || r.Labels[0] == "red" || !strings.HasPrefix(string(r.DueDate), "2026-0") && r.DueDate != ""
	})
	slices.SortFunc(want, func(a, b made) int {
		return cmp.Or(-cmp.Compare(a.Points(), b.Points()), cmp.Compare(cmp.Or(a.DueDate, "9"), cmp.Or(b.DueDate, "9")),
			cmp.Compare(slices.Index(desk.Levels(), a.Priority), slices.Index(desk.Levels(), b.Priority)), -cmp.Compare(a.Title, b.Title))
	})
	q := clerk.Query{
		Project: project, Kind: desk.Ticket, Limit: 400, Sort: sortBy(t, desk.Ticket, "-points,due,priority,-title"),
		Where: where(t, desk.Ticket, "status:TODO,BLOCKED points:>=3 -label:red (due:<2026-10 OR due:none) retry"),
	}
	var got []desk.Record
	for {
		p, err := db.Desk.Records(t.Context(), q)
		check(t, err)
		if got = append(got, p.Records...); p.Total != len(want) {
			t.Fatalf("%d in all, want %d", p.Total, len(want))
		}
		if q.Cursor = p.Next; p.Next == "" {
			break
		}
	}
	for i := range want {
		b, err := desk.Open[desk.TicketBody](got[i])
		check(t, err)
		if b.Title != want[i].Title {
			t.Fatalf("at %d is %+v, want %+v", i, b, want[i].TicketBody)
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%d on all pages, want %d", len(got), len(want))
	}
}

// manyWalked reads lists of which none of the newest fits.
func manyWalked(t *testing.T, db *store.DB, project string, all []made) {
	t.Helper()
	for _, filter := range []string{"-priority:LOW", "priority:>LOW"} { // none of the newest fits, of which there are many
		q := clerk.Query{Project: project, Kind: desk.Ticket, Sort: sortBy(t, desk.Ticket, "-created"), Newest: true, Where: where(t, desk.Ticket, filter), Limit: 60}
		at := len(all)
		for page := range 3 {
			p, err := db.Desk.Records(t.Context(), q)
			check(t, err)
			for _, r := range p.Records {
				for at--; all[at].Priority == desk.Levels()[0]; at-- { //nolint:revive // down to the next that fits
				}
				if s, err := desk.Summarize(r); err != nil || s.Title != all[at].Title {
					t.Fatalf("%s, page %d: %q, %v, want %q", filter, page, s.Title, err, all[at].Title)
				}
			}
			q.Cursor = p.Next
		}
	}
}

func flagOf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// foundAll reads the first pages of a search, and the last when they are few, and holds what they have in which order.
func foundAll(t *testing.T, db *store.DB, q clerk.Search, total int, title func(i int) string) {
	t.Helper()
	at := 0
	for page := 0; page < 12; page++ {
		h, err := db.Desk.Search(t.Context(), q)
		check(t, err)
		if h.Total != total {
			t.Fatalf("%q finds %d, want %d", q.Text, h.Total, total)
		}
		for _, x := range h.Hits {
			s, err := desk.Summarize(x.Record)
			if check(t, err); at >= total || s.Title != title(at) {
				t.Fatalf("%q finds %q at %d of %d", q.Text, s.Title, at, total)
			}
			at++
		}
		if q.Cursor = h.Next; h.Next == "" {
			if at != total {
				t.Errorf("%q ends after %d, want %d", q.Text, at, total)
			}
			return
		}
	}
}

package storetest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/query"
	"chela/internal/store"
)

func parts(in []query.Part) string {
	var b strings.Builder
	for _, p := range in {
		if p.Hit {
			b.WriteString("[" + p.Text + "]")
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

func found(t *testing.T, db *store.DB, q clerk.Search) string {
	t.Helper()
	h, err := db.Desk.Search(t.Context(), q)
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	var out []string
	for _, x := range h.Hits {
		out = append(out, string(x.Record.Kind)+" "+parts(x.Title)+": "+parts(x.Snippet))
	}
	if h.Total != len(h.Hits) && q.Limit == 0 {
		t.Errorf("%+v: %d of %d", q, len(h.Hits), h.Total)
	}
	return strings.Join(out, "; ")
}

func searched(t *testing.T, open Opener) {
	db, _ := open(t)
	project, ids := add(
		t, db,
		[2]string{"ticket", `{"title":"Retry the payment","description":"when the bank is away","sources":[{"by":"person","quote":"we retry payments"}]}`},
		[2]string{"thread", `{"title":"Weekly","content":"Payments: Jörg will RETRY them. ÄRGER!","decisions":[{"text":"go on"}]}`},
		[2]string{"resource", `{"name":"Jörg Ärger","role":"QA"}`},
		[2]string{"memory", `{"key":"bank","content":"支払い is payment"}`},
		[2]string{"ticket", `{"title":"Elsewhere","blockedBy":["@Retry the payment@"]}`},
	)
	other, _ := add(t, db, [2]string{"ticket", `{"title":"Another payment"}`})
	for _, c := range []struct {
		q    clerk.Search
		want string
	}{
		{clerk.Search{Project: project, Text: "payment"}, "ticket Retry the [payment]: we retry [payments]; memory bank: 支払い is [payment]; thread Weekly: [Payments]: Jörg will RETRY them. ÄRGER!"},
		{clerk.Search{Project: project, Text: "retry PAY"}, "ticket [Retry] the [payment]: we [retry] [payments]; thread Weekly: [Payments]: Jörg will [RETRY] them. ÄRGER!"},
		{clerk.Search{Project: project, Text: "pay retry"}, ""},
		{clerk.Search{Text: "payment", Kinds: []desk.Kind{desk.Ticket}}, "ticket Another [payment]: ; ticket Retry the [payment]: we retry [payments]"},
		{clerk.Search{Project: other, Text: "payment"}, "ticket Another [payment]: "},
		{clerk.Search{Project: project, Text: "ärger jö"}, "resource [Jörg] [Ärger]: ; thread Weekly: Payments: [Jörg] will RETRY them. [ÄRGER]!"},
		{clerk.Search{Project: project, Text: "払"}, "memory bank: 支[払]い is payment"},
		{clerk.Search{Project: project, Text: "on"}, "thread Weekly: go [on]"},
		{clerk.Search{Project: project, Text: strings.TrimPrefix(ids["Retry the payment"], "tkt_")}, ""},
		{clerk.Search{Project: project, Text: "TODO"}, ""},
		{clerk.Search{Project: project, Text: "nothing"}, ""},
	} {
		if got := found(t, db, c.q); got != c.want {
			t.Errorf("%+v:\n%s\nwant\n%s", c.q, got, c.want)
		}
	}
	if _, err := db.Desk.Search(t.Context(), clerk.Search{Text: "x", Kinds: []desk.Kind{"phases"}}); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "ticket") {
		t.Error(err)
	}
	change := func(plan func(*clerk.Work) error) {
		check(t, clerk.New(db.Desk).Do(t.Context(), place(""), project, commit(t.Context(), db), plan))
	}
	change(func(w *clerk.Work) error {
		_, err := w.Patch(desk.Ticket, ids["Retry the payment"], json.RawMessage(`{"title":"Refund","sources":null}`))
		return err
	})
	change(func(w *clerk.Work) error { _, err := w.Remove(desk.Memory, ids["bank"]); return err })
	change(func(w *clerk.Work) error { // nothing that is searched
		_, err := w.Patch(desk.Ticket, ids["Elsewhere"], json.RawMessage(`{"status":"DONE"}`))
		return err
	})
	for text, want := range map[string]string{"payment": "thread Weekly: [Payments]: Jörg will RETRY them. ÄRGER!", "refund bank": "ticket [Refund]: when the [bank] is away", "bank": "ticket Refund: when the [bank] is away", "elsewhere": "ticket [Elsewhere]: "} {
		if got := found(t, db, clerk.Search{Project: project, Text: text}); got != want {
			t.Errorf("after the changes, %s: %s, want %s", text, got, want)
		}
	}
	r, err := db.Rebuild(t.Context())
	if d := r.Different(); err != nil || len(d) > 0 {
		t.Errorf("the rebuild differs in %v, %v", d, err)
	}
	if got := found(t, db, clerk.Search{Project: project, Text: "refund"}); got != "ticket [Refund]: " {
		t.Errorf("after the rebuild: %s", got)
	}
}

// hostile types what means something to a database or a shell.
func hostile(t *testing.T, open Opener) {
	db, _ := open(t)
	project, _ := add(t, db, [2]string{"ticket", `{"title":"near title OR words NOT 1"}`}, [2]string{"ticket", `{"title":"a\u0000'b\\ & c:* | !d <-> (e) ?"}`})
	for _, text := range []string{
		`"`, `'`, `"" OR ""`, `title:near`, `NEAR(near title)`, `near*`, `^near`, `{title}:near`, `near + title`, `-near`, `near NOT title`, `'; DROP TABLE desk_records; --`,
		`\`, `\'`, `%`, `?`, `$1`, `a & b`, `a:*`, `:*`, `!d`, `<->`, `(`, `)`, "\x00", "a\x00b", "\xff", "\u202e", "near\u2068", strings.Repeat("near ", 1000), strings.Repeat("x", 100_000), `desk_search MATCH 'x'`, "🦀", "e\u0301", "\ufffd",
	} {
		h, err := db.Desk.Search(t.Context(), clerk.Search{Project: project, Text: text})
		if err != nil && fault.KindOf(err) != fault.Invalid {
			t.Errorf("%.40q: %v", text, err)
		}
		sought, _ := query.Seek(text)
		if want := len(sought.Words) > 0 && strings.Contains("near title or words not 1", strings.Join(sought.Words, " ")); want && h.Total == 0 {
			t.Errorf("%.40q finds nothing", text)
		}
		if _, err := db.Desk.Records(t.Context(), clerk.Query{Project: project, Text: text}); err != nil {
			t.Errorf("the title %.40q: %v", text, err)
		}
		quoted := `title:~"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
		fields, err := desk.Fields(desk.Ticket)
		check(t, err)
		e, err := query.Parse(quoted, fields, time.Now())
		if err != nil {
			continue
		}
		if _, err := db.Desk.Records(t.Context(), clerk.Query{Project: project, Where: e}); err != nil {
			t.Errorf("%.40q: %v", quoted, err)
		}
	}
	if got := found(t, db, clerk.Search{Project: project, Text: "OR words"}); got != "ticket near title [OR] [words] NOT 1: " {
		t.Error(got)
	}
}

func searchedPages(t *testing.T, open Opener) {
	db, _ := open(t)
	var in [][2]string
	for i := range 7 {
		in = append(in, [2]string{"ticket", fmt.Sprintf(`{"title":"t%d word"}`, i)}, [2]string{"ticket", fmt.Sprintf(`{"title":"u%d","description":"words"}`, i)})
	}
	project, _ := add(t, db, in...)
	q := clerk.Search{Project: project, Text: "word", Limit: 3}
	got := ""
	for range 9 {
		h, err := db.Desk.Search(t.Context(), q)
		check(t, err)
		if h.Total != 14 {
			t.Errorf("%d in all", h.Total)
		}
		for _, x := range h.Hits {
			got += parts(x.Title)[:2] + " "
		}
		if q.Cursor = h.Next; h.Next == "" {
			break
		}
		if _, err := db.Desk.Search(t.Context(), clerk.Search{Project: project, Text: "other", Cursor: h.Next}); fault.KindOf(err) != fault.Invalid {
			t.Errorf("another search's cursor: %v", err)
		}
	}
	if got != "t6 t5 t4 t3 t2 t1 t0 u6 u5 u4 u3 u2 u1 u0 " {
		t.Error(got)
	}
}

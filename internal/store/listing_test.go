package store_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/query"
	"chela/internal/store"
	"chela/internal/store/postgres"
	"chela/internal/store/sqlite"
	"chela/internal/testkit/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// commonest are the lists that people look at most, and the indexes by which they are counted and read. An empty count
// is kept, and an empty page is part of a list that is walked from its beginning.
var commonest = []struct { //nolint:gochecknoglobals // a table
	filter, sort string
	walk         bool
	count, page  string
}{
	{"", "", true, "", "pkey"},
	{"", "-updated", true, "", "desk_lists_updated"},
	{"", "created", true, "", "desk_lists_created"},
	{"", "title", true, "", "desk_lists_t0"},
	{"", "-priority", true, "", "desk_lists_n2"},
	{"", "status", true, "", "desk_lists_n0"},
	{"", "due", true, "", "desk_lists_t7"},
	{"", "points", true, "", "desk_lists_n4"},
	{"", "owner", true, "", "desk_lists_t11"},
	{"open:true", "-updated", true, "", "desk_lists_updated"},
	{"status:TODO,BLOCKED", "due", true, "", "desk_lists_t7"},
	{"priority:HIGH", "-updated", true, "desk_lists_n2", "desk_lists_updated"},
	{"priority:HIGH open:true", "due", true, "desk_lists_n2", "desk_lists_t7"},
	{`sprint:"s 3"`, "-priority", false, "desk_lists_t8", "desk_lists_t8"},
	{`sprint:"s 3" open:true`, "", false, "desk_lists_t8", "desk_lists_t8"},
	{"externalRef:gen-777", "", false, "desk_lists_t5", "desk_lists_t5"},
	{"due:<2026-01-03 open:true", "due", true, "desk_lists_t7", "desk_lists_t7"},
	{"label:area-7", "-updated", false, "desk_values", "desk_values"},
	{"owner:ann", "due", false, "desk_values", "desk_values"},
	{"updated:>2w status:TODO", "-updated", true, "desk_lists_updated", "desk_lists_updated"},
}

// fillNarrow makes narrow rows of 6,000 tickets, as their indexes see them.
func fillNarrow(t *testing.T, db *store.DB, project string) {
	t.Helper()
	numbers := "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000)"
	text := func(s string) string { return "CAST(" + s + " AS TEXT)" }
	count, _ := db.Desk.Listing(clerk.Query{Project: project, Kind: desk.Ticket}, true)
	list := count.Args[0]
	insert := "INSERT INTO desk_lists (list, seq, id, created_at, updated_at, n0, n1, n2, n3, n4, t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11) " + numbers +
		" SELECT " + fmt.Sprint(list) + ", i, 'tkt_' || " + text("i") + ", i * 1000, i * 1000, i % 6, NULL, i % 4, NULL, i % 9, 'part ' || " + text("i * 7919 % 6000") + ", NULL, NULL, NULL, NULL, 'gen-' || " + text("i") +
		", NULL, '20' || " + text("26 + i % 4") + " || '-0' || " + text("1 + i % 8") + " || '-0' || " + text("1 + i % 9") + ", 's ' || " + text("i % 60") + ", NULL, NULL, 'person ' || " + text("i % 40") + " FROM n"
	values := "INSERT INTO desk_values (list, field, value, seq, source) " + numbers + " SELECT " + fmt.Sprint(list) + ", 'labels', 'area-' || " + text("i % 30") + ", i, '' FROM n UNION ALL SELECT " + fmt.Sprint(list) + ", 'owner', 'res_' || " + text("i % 40") + ", i, 'asg_' || " + text("i") + " FROM n"
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		for _, s := range []string{insert, values, "ANALYZE desk_lists", "ANALYZE desk_values"} {
			if strings.HasPrefix(s, "ANALYZE") && db.Name() == "sqlite" {
				continue // nobody does that to a database of ours
			}
			if _, err := tx.Exec(t.Context(), s); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// explained is how a database goes about a statement, empty when it cannot.
func explained(ctx context.Context, db *store.DB, s store.Statement) string {
	explain, columns := "EXPLAIN ", 1
	if db.Name() == "sqlite" {
		explain, columns = "EXPLAIN QUERY PLAN ", 4
	}
	rows, err := db.Query(ctx, store.Once+explain+s.SQL, s.Args...)
	if err != nil {
		return ""
	}
	defer func() { _ = rows.Close() }() // rows.Err has the cause
	var out strings.Builder
	for rows.Next() {
		var step string
		var a, b, c int
		into := []any{&step}
		if columns == 4 {
			into = []any{&a, &b, &c, &step}
		}
		if err := rows.Scan(into...); err != nil {
			return ""
		}
		out.WriteString(step + "\n")
	}
	if rows.Err() != nil {
		return ""
	}
	return strings.NewReplacer("l USING PRIMARY KEY", "l USING desk_lists_pkey", "v USING PRIMARY KEY", "v USING desk_values_pkey").Replace(out.String())
}

// misses lists the commonest lists that are not read by the index that they have.
func misses(t *testing.T, db *store.DB, project string) (out []string) {
	t.Helper()
	fields, err := desk.Fields(desk.Ticket)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range commonest {
		q := clerk.Query{Project: project, Kind: desk.Ticket}
		if q.Where, err = query.Parse(c.filter, fields, time.UnixMicro(20_000_000).AddDate(0, 0, 14)); err != nil {
			t.Fatal(err)
		}
		if q.Sort, err = query.ParseSort(c.sort, fields); err != nil {
			t.Fatal(err)
		}
		count, pages := db.Desk.Listing(q, c.walk)
		if len(pages) == 0 {
			t.Fatalf("%q by %q is not read from narrow rows", c.filter, c.sort)
		}
		if plan := explained(t.Context(), db, count); c.count != "" && !strings.Contains(plan, c.count) {
			out = append(out, fmt.Sprintf("%q is counted without %s:\n%s", c.filter, c.count, plan))
		}
		if plan := explained(t.Context(), db, pages[0]); !strings.Contains(plan, c.page) {
			out = append(out, fmt.Sprintf("%q by %q is read without %s:\n%s", c.filter, c.sort, c.page, plan))
		}
	}
	return out
}

// TestListing_AtAMomentTheyUseTheirIndexes asks SQLite how it goes about lists as they were: what stands is read in the
// order of its index and merged with what was superseded, and neither is read from one end to the other.
func TestListing_AtAMomentTheyUseTheirIndexes(t *testing.T) {
	t.Parallel()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "chela.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }() // it goes with the test
	fields, err := desk.Fields(desk.Ticket)
	if err != nil {
		t.Fatal(err)
	}
	all := []string{"SCAN o", "SCAN r", "SCAN main.", "SCAN desk_earlier", "MATERIALIZE desk_records", "MATERIALIZE desk_refs"}
	for _, c := range []struct{ filter, sort, count, page string }{
		{"", "title", "", "desk_lists_t0"},
		{"", "-priority", "", "desk_lists_n2"},
		{"", "due", "", "desk_lists_t7"},
		{"", "-updated", "", "desk_lists_updated"},
		{"", "owner", "", "desk_lists_t11"},
		{"gate", "-updated", "SCAN w VIRTUAL TABLE", "desk_lists_updated"},
	} {
		q := clerk.Query{Project: "prj_1", Kind: desk.Ticket}
		if q.Sort, err = query.ParseSort(c.sort, fields); err != nil {
			t.Fatal(err)
		}
		if q.Where, err = query.Parse(c.filter, fields, time.UnixMicro(0)); err != nil {
			t.Fatal(err)
		}
		count, pages := db.Desk.At(3000).Listing(q, true)
		if len(pages) == 0 {
			t.Fatalf("%q by %s is not read from narrow rows", c.filter, c.sort)
		}
		plan := explained(t.Context(), db, pages[0])
		for _, has := range []string{"MERGE (UNION ALL)", c.page, "desk_earlier_list"} {
			if !strings.Contains(plan, has) {
				t.Errorf("%q by %s at a moment is read without %s:\n%s", c.filter, c.sort, has, plan)
			}
		}
		if c.count != "" {
			counted := explained(t.Context(), db, count)
			if !strings.Contains(counted, c.count) || !strings.Contains(counted, "SEARCH o USING PRIMARY KEY (list=? AND seq=?)") {
				t.Errorf("%q at a moment is counted without %s:\n%s", c.filter, c.count, counted)
			}
			plan += counted
		}
		for _, whole := range all {
			if strings.Contains(plan, whole) {
				t.Errorf("%q by %s at a moment reads all of something, %s:\n%s", c.filter, c.sort, whole, plan)
			}
		}
	}
}

// TestListing_TheCommonestUseTheirIndexes asks both databases how they go about the lists that people look at most; when
// the indexes are gone, each of them says so.
func TestListing_TheCommonestUseTheirIndexes(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(context.Context, string) (*store.DB, error){"sqlite": sqlite.Open, "postgres": postgres.Open} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := filepath.Join(t.TempDir(), "chela.db")
			if name == "postgres" {
				at = pgtest.URL(t)
			}
			db, err := open(t.Context(), at)
			if err != nil {
				t.Fatal(err)
			}
			for _, project := range []string{"prj_1", "prj_2", "prj_3"} {
				fillNarrow(t, db, project)
			}
			for _, m := range misses(t, db, "prj_1") {
				t.Error(m)
			}
			gone := 0
			err = db.Write(t.Context(), func(tx *store.Tx) error {
				for _, c := range commonest {
					if strings.HasPrefix(c.page, "desk_lists_") {
						if _, err := tx.Exec(t.Context(), "DROP INDEX IF EXISTS "+c.page); err != nil {
							return err
						}
						gone++
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil { // a connection explains by what it knew
				t.Fatal(err)
			}
			if db, err = open(t.Context(), at); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = db.Close() }() // it goes with the test
			if found := misses(t, db, "prj_1"); len(found) < gone {
				t.Errorf("without their indexes %d lists are told, want at least %d", len(found), gone)
			}
		})
	}
}

// TestRecords_OfAllProjectsUseTheirIndex asks SQLite how it finds the projects, and the reminders, of all projects: by no look at each record.
func TestRecords_OfAllProjectsUseTheirIndex(t *testing.T) {
	t.Parallel()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "chela.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }() // it goes with the test
	for _, k := range []desk.Kind{desk.Project, desk.Reminder} {
		if plan := explained(t.Context(), db, db.Desk.Counting(clerk.Query{Kind: k})); !strings.Contains(plan, "SEARCH r USING INDEX desk_records_timed") {
			t.Errorf("all of the kind %s: %s", k, plan)
		}
	}
}

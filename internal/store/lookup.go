package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"chela/internal/event"
	"chela/internal/memory"
	"chela/internal/org"
	"chela/internal/recall"
)

// Bounds of a lookup: up to how many passages have a term that is rare, how many passages of rare terms and of a
// combination of common ones are ranked, with how many the neighbours come, and how many of a period are looked at.
const (
	maxRare       = 500
	maxOfRare     = 2000
	maxCombined   = 120
	maxNeighbours = 40
	maxOfPeriod   = 60
	enough        = 20
)

// found is a passage with its words and numbers.
type foundRow struct {
	memory.Passage
	n int64
}

const lookedUp = `p.n, p.id, p.source, p.scope, p.type, p.project, p.thread, p.place, p.session, p.at, p.actor, p.outside, p.weight, p.valid_to, p.title, p.text, s.words,
	EXISTS (SELECT 1 FROM desk_refs f WHERE f.to_id = p.source AND f.field = 'supersedes')`

func scanFound(now int64) func(scan func(...any) error) (foundRow, error) {
	return func(scan func(...any) error) (f foundRow, err error) {
		var at, outside, validTo, place int64
		var superseded bool
		err = scan(&f.n, &f.ID, &f.Source, &f.Scope, &f.Type, &f.Project, &f.Thread, &place, &f.Session, &at, &f.Actor, &outside, &f.Weight, &validTo, &f.Title, &f.Text, &f.Words, &superseded)
		f.At, f.Outside, f.Place = fromMicros(at), outside != 0, int(place)
		f.Superseded = superseded || validTo > 0 && validTo <= now
		return f, err
	}
}

// rowOf is the column of recall_search by which a passage is found.
func rowOf(postgres bool) string {
	if postgres {
		return "n"
	}
	return "rowid"
}

// looker looks up one question.
type looker struct {
	Recall
	ctx      context.Context //nolint:containedctx // a looker lives inside one call
	l        memory.Lookup
	postgres bool
	rows     map[int64]foundRow
	counts   map[string]int
	all      int
	near     []nearRow
}

// Lookup implements [memory.Store]. Whatever it returns lies in a space of the lookup, or in its thread.
func (r Recall) Lookup(ctx context.Context, l memory.Lookup) (memory.Found, error) {
	if l.Thread != "" || looksAtSaid(l.Spaces) {
		if err := r.IndexSaid(ctx); err != nil {
			return memory.Found{}, err
		}
	}
	k := &looker{Recall: r, ctx: ctx, l: l, postgres: r.db.Name() == "postgres", rows: make(map[int64]foundRow)}
	if err := k.count(); err != nil {
		return memory.Found{}, fmt.Errorf("count words: %w", err)
	}
	if err := k.byWords(); err != nil {
		return memory.Found{}, fmt.Errorf("look up words: %w", err)
	}
	if err := k.byDays(); err != nil {
		return memory.Found{}, fmt.Errorf("look up days: %w", err)
	}
	if err := k.beside(); err != nil {
		return memory.Found{}, fmt.Errorf("look up neighbours: %w", err)
	}
	if err := k.byMeaning(); err != nil {
		return memory.Found{}, fmt.Errorf("look up vectors: %w", err)
	}
	return k.found()
}

// Holds implements [memory.Store]. What it found out counts until a memory is kept, or for most of a second.
func (r Recall) Holds(ctx context.Context, spaces []string) (some bool, err error) {
	if len(spaces) == 0 {
		return false, nil
	}
	said := looksAtSaid(spaces)
	if said {
		if err := r.IndexSaid(ctx); err != nil {
			return false, err
		}
	}
	// What is said is told to nobody here.
	return r.db.spaces.of(r.db, strings.Join(spaces, "\n"), !said, func() (some bool, err error) {
		query, args := holds(spaces)
		err = r.db.one(ctx, query, args, &some)
		return some, err
	})
}

// holds asks whether anything lies in one of some spaces. Each is looked up in the order of the index: a database that takes any
// row for likely to fit reads the whole table when none does.
func holds(spaces []string) (query string, args []any) {
	one := "EXISTS (SELECT 1 FROM (SELECT 1 FROM recall_passages WHERE space = ? ORDER BY space, at LIMIT 1) p)"
	return "SELECT " + strings.Repeat(one+" OR ", len(spaces)-1) + one, anys(spaces)
}

// from is what a lookup joins.
func (k *looker) from() string {
	row := rowOf(k.postgres)
	return "recall_search s JOIN recall_passages p ON p.n = s." + row
}

// admitted is the condition that the reader may see a passage, and wants it.
func (k *looker) admitted() (string, []any) {
	where, args := "(p.space IN ("+marks(max(1, len(k.l.Spaces)))+")", orNone(k.l.Spaces)
	if k.l.Thread != "" {
		where, args = where+" OR p.thread = ? AND p.kind = 'message' AND p.space <> ''", append(args, k.l.Thread)
	}
	where, args = where+") AND (p.expires_at = 0 OR p.expires_at > ?)", append(args, micros(k.l.Now))
	if len(k.l.Scopes) > 0 {
		where, args = where+" AND p.scope IN ("+marks(len(k.l.Scopes))+")", append(args, anys(k.l.Scopes)...)
	}
	return where, args
}

// term is a term as the database wants it. Terms are letters and digits, so none can be taken for a sign of its language.
func (k *looker) term(t string) string {
	if k.postgres {
		return "'" + t + "'"
	}
	return `"` + t + `"`
}

// count finds out in how many passages each term is. PostgreSQL stops counting where a term is no longer rare; then it
// counts as one that a twentieth of all have.
func (k *looker) count() error {
	k.counts = make(map[string]int)
	size, err := k.db.passages.get(k.db, func() (int, error) {
		var n int
		err := k.db.one(k.ctx, "SELECT count(*) FROM recall_passages", nil, &n)
		return n, err
	})
	k.all = size
	if err != nil || len(k.l.Terms) == 0 {
		return err
	}
	query, args := "SELECT term, doc FROM recall_terms WHERE term IN ("+marks(len(k.l.Terms))+")", anys(k.l.Terms)
	if k.postgres {
		terms, common := k.db.common.split(k.l.Terms, time.Now())
		for _, t := range common {
			k.counts[t] = max(maxRare+1, k.all/20)
		}
		if query, args = "", nil; len(terms) == 0 {
			return nil
		}
		for _, t := range terms {
			query += " UNION ALL SELECT CAST(? AS TEXT), count(*) FROM (SELECT 1 FROM recall_search s WHERE s.terms @@ CAST(CAST(? AS TEXT) AS TSQUERY)" + limited(maxRare+1) + ") x"
			args = append(args, t, k.term(t))
		}
		query = strings.TrimPrefix(query, " UNION ALL ")
	}
	rows, err := k.db.Query(k.ctx, Once+query, args...)
	if err != nil {
		return err
	}
	return each(rows, func(scan func(...any) error) error {
		var term string
		var n int
		err := scan(&term, &n)
		if k.counts[term] = n; k.postgres && n > maxRare {
			k.counts[term] = max(n, k.all/20)
			k.db.common.add(term, time.Now())
		}
		return err
	})
}

// chosen splits the terms that are there into rare and common ones: the question's own words before what they may be
// said by, the rarest first.
func (k *looker) chosen() (rare, common []string) {
	terms := slices.DeleteFunc(slices.Clone(k.l.Terms), func(t string) bool { return k.counts[t] == 0 })
	own := func(t string) bool { return slices.Contains(k.l.Words, t) }
	slices.SortStableFunc(terms, func(a, b string) int {
		return cmp.Or(cmp.Compare(flag(!own(a)), flag(!own(b))), cmp.Compare(k.counts[a], k.counts[b]))
	})
	sum := 0
	for _, t := range terms {
		switch {
		case k.counts[t] <= maxRare && sum+k.counts[t] <= maxOfRare:
			rare, sum = append(rare, t), sum+k.counts[t]
		case own(t) && len(common) < 4:
			common = append(common, t)
		}
	}
	return rare, common
}

// byWords finds the passages with rare terms, and those with several common ones; with one common one only when there is
// little else.
func (k *looker) byWords() error {
	rare, common := k.chosen()
	if len(rare) > 0 {
		if err := k.matching(rare, "OR", k.l.Limit); err != nil {
			return err
		}
	}
	var sets [][]string
	if len(common) > 2 {
		sets = append(sets, common[:3])
	}
	for i := range min(len(common), 3) {
		for j := range i {
			sets = append(sets, []string{common[i], common[j]})
		}
	}
	newest, err := k.combined(common, sets)
	if err != nil || len(common) == 0 || len(k.rows) >= enough {
		return err
	}
	if found := newest.with(common[:1], maxCombined); len(found) >= enoughCombined {
		return k.byNumber(found)
	}
	return k.matching(common[:1], "AND", maxCombined)
}

// matching finds passages by terms: the best when any will do, the latest when they have all.
func (k *looker) matching(terms []string, op string, limit int) error {
	quoted := make([]string, len(terms))
	for i, t := range terms {
		quoted[i] = k.term(t)
	}
	admitted, more := k.admitted()
	if !k.postgres {
		order := "bm25(recall_search), p.n DESC"
		if op == "AND" {
			order = "recall_search.rowid DESC"
		}
		return k.read("SELECT "+strings.Replace(lookedUp, "s.words", "recall_search.words", 1)+" FROM recall_search CROSS JOIN recall_passages p ON p.n = recall_search.rowid WHERE recall_search MATCH ? AND "+admitted+" ORDER BY "+order+limited(limit),
			append([]any{strings.Join(quoted, " "+op+" ")}, more...))
	}
	sign, order := " & ", "p.n DESC"
	args := append([]any{""}, more...)
	if op == "OR" {
		sign, order = " | ", ""
		for i, t := range terms {
			weight := 1 + 1000/(1+k.counts[t])
			if !slices.Contains(k.l.Words, t) {
				weight = max(1, weight/3)
			}
			order += " + CASE WHEN s.terms @@ CAST(CAST(? AS TEXT) AS TSQUERY) THEN " + strconv.Itoa(weight) + " ELSE 0 END"
			args = append(args, quoted[i])
		}
		order = "(" + strings.TrimPrefix(order, " + ") + ") DESC, p.n DESC"
	}
	args[0] = strings.Join(quoted, sign)
	return k.read("SELECT "+lookedUp+" FROM "+k.from()+" WHERE s.terms @@ CAST(CAST(? AS TEXT) AS TSQUERY) AND "+admitted+" ORDER BY "+order+limited(limit), args)
}

// byDays finds what was said in the periods of the question that are short.
func (k *looker) byDays() error {
	for _, p := range k.l.Periods {
		if p.To.Sub(p.From) > 8*24*time.Hour {
			continue
		}
		admitted, args := k.admitted()
		args = append(args, micros(p.From), micros(p.To))
		if err := k.read("SELECT "+lookedUp+" FROM "+k.from()+" WHERE "+admitted+" AND p.at >= ? AND p.at < ? ORDER BY p.at, p.n"+limited(maxOfPeriod), args); err != nil {
			return err
		}
	}
	return nil
}

// beside finds the passages that stand next to those that were found.
func (k *looker) beside() error {
	type spot struct {
		thread string
		place  int
	}
	spots := make(map[spot]bool)
	for _, f := range k.sorted() {
		if len(spots) >= 2*maxNeighbours {
			break
		}
		spots[spot{f.Thread, f.Place - 1}], spots[spot{f.Thread, f.Place + 1}] = true, true
	}
	for _, f := range k.rows {
		delete(spots, spot{f.Thread, f.Place})
	}
	if len(spots) == 0 {
		return nil
	}
	admitted, more := k.admitted()
	var in []string
	var args []any
	for s := range spots {
		in, args = append(in, "(CAST(? AS TEXT), CAST(? AS BIGINT))"), append(args, s.thread, s.place)
	}
	row := rowOf(k.postgres)
	return k.read("SELECT "+lookedUp+" FROM (VALUES "+strings.Join(in, ", ")+") v CROSS JOIN recall_passages p CROSS JOIN recall_search s WHERE p.thread = v.column1 AND p.place = v.column2 AND s."+row+" = p.n AND "+admitted, append(args, more...))
}

func (k *looker) read(query string, args []any) error {
	rows, err := k.db.Query(k.ctx, Once+query, args...)
	if err != nil {
		return err
	}
	found, err := all(rows, scanFound(micros(k.l.Now)))
	for _, f := range found {
		k.rows[f.n] = f
	}
	return err
}

// sorted returns what was found by thread and place.
func (k *looker) sorted() []foundRow {
	out := make([]foundRow, 0, len(k.rows))
	for _, f := range k.rows {
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b foundRow) int {
		return cmp.Or(cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.Place, b.Place), cmp.Compare(a.n, b.n))
	})
	return out
}

// found gives the passages their speakers' names, and says how common words are.
func (k *looker) found() (memory.Found, error) {
	out := memory.Found{Stats: recall.Stats{Passages: k.all, Sessions: k.all, Of: func(term string) (int, int) { return k.counts[term], k.counts[term] }}}
	for _, f := range k.sorted() {
		p := f.Passage
		if id := org.PersonOf(event.Party{AgentID: p.Actor}); id != "" {
			if who, err := k.db.People.keptPerson(k.ctx, id); err == nil { // one who left is called nothing
				p.Speaker = who.Name
			}
		} else {
			p.Speaker = org.AgentID(p.Actor).Name()
		}
		out.Passages = append(out.Passages, p)
	}
	for _, x := range k.near {
		if f, ok := k.rows[x.n]; ok {
			out.Near = append(out.Near, recall.Near{ID: f.ID, Session: f.Session, Cosine: x.cosine, Weak: x.weak})
		}
	}
	return out, nil
}

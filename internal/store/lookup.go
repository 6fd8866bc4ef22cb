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

// Bounds of a lookup: how many passages of a term are counted, with how many the neighbours come, how many of a day are
// looked at.
const (
	maxCounted    = 4000
	maxNeighbours = 60
	maxOfPeriod   = 60
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

// looker looks up one question.
type looker struct {
	Recall
	ctx      context.Context //nolint:containedctx // a looker lives inside one call
	l        memory.Lookup
	postgres bool
	rows     map[int64]foundRow
	counts   map[string]int
	all      int
}

// Lookup implements [memory.Store]. Whatever it returns lies in a space of the lookup, or in its thread.
func (r Recall) Lookup(ctx context.Context, l memory.Lookup) (memory.Found, error) {
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
	return k.found()
}

// from is what a lookup joins.
func (k *looker) from() string {
	row := "rowid"
	if k.postgres {
		row = "n"
	}
	return "recall_search s JOIN recall_passages p ON p.n = s." + row
}

// admitted is the condition that the reader may see a passage, and wants it.
func (k *looker) admitted() (string, []any) {
	where, args := "(p.space IN ("+marks(max(1, len(k.l.Spaces)))+")", orNone(k.l.Spaces)
	if k.l.Thread != "" {
		where, args = where+" OR p.thread = ? AND p.kind = 'message'", append(args, k.l.Thread)
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

const pgWords = "array_to_tsvector(string_to_array(s.words, ' '))"

// count finds out in how many passages each term is, up to a bound.
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
	var args []any
	query := "SELECT term, doc FROM recall_terms WHERE term IN (" + marks(len(k.l.Terms)) + ")"
	if k.postgres {
		query = ""
		for _, t := range k.l.Terms {
			query += " UNION ALL SELECT CAST(? AS TEXT), count(*) FROM (SELECT 1 FROM recall_search s WHERE " + pgWords + " @@ CAST(CAST(? AS TEXT) AS TSQUERY)" + limited(maxCounted) + ") x"
			args = append(args, t, k.term(t))
		}
		query = strings.TrimPrefix(query, " UNION ALL ")
	} else {
		args = anys(k.l.Terms)
	}
	rows, err := k.db.Query(k.ctx, Once+query, args...)
	if err != nil {
		return err
	}
	return each(rows, func(scan func(...any) error) error {
		var term string
		var n int
		err := scan(&term, &n)
		k.counts[term] = min(n, maxCounted)
		return err
	})
}

// chosen are the terms by which passages are looked up: the question's own words, the rarest first, then what they may
// be said by. Those that very many have are left out where there are others.
func (k *looker) chosen() []string {
	terms := slices.DeleteFunc(slices.Clone(k.l.Terms), func(t string) bool { return k.counts[t] == 0 })
	slices.SortStableFunc(terms, func(a, b string) int {
		return cmp.Or(cmp.Compare(flag(!slices.Contains(k.l.Words, a)), flag(!slices.Contains(k.l.Words, b))), cmp.Compare(k.counts[a], k.counts[b]))
	})
	sum := 0
	var out []string
	for _, t := range terms {
		if sum+k.counts[t] <= maxCounted || len(out) < 2 {
			out, sum = append(out, t), sum+k.counts[t]
		}
	}
	return out
}

// byWords finds the passages that have the terms, those with most and the rarest of them first.
func (k *looker) byWords() error {
	terms := k.chosen()
	if len(terms) == 0 {
		return nil
	}
	quoted := make([]string, len(terms))
	for i, t := range terms {
		quoted[i] = k.term(t)
	}
	admitted, more := k.admitted()
	match, order, args := "recall_search MATCH ?", "bm25(recall_search), p.n DESC", []any{strings.Join(quoted, " OR ")}
	from := strings.Replace(k.from(), "recall_search s", "recall_search", 1)
	fields := strings.Replace(lookedUp, "s.words", "recall_search.words", 1)
	from = strings.Replace(from, "= s.rowid", "= recall_search.rowid", 1)
	args = append(args, more...)
	if k.postgres {
		from, fields = k.from(), lookedUp
		match, args[0] = pgWords+" @@ CAST(CAST(? AS TEXT) AS TSQUERY)", strings.Join(quoted, " | ")
		order = ""
		for i, t := range terms {
			weight := 1000 / (1 + k.counts[t])
			if !slices.Contains(k.l.Words, t) {
				weight /= 3
			}
			order += " + CASE WHEN " + pgWords + " @@ CAST(CAST(? AS TEXT) AS TSQUERY) THEN " + strconv.Itoa(1+weight) + " ELSE 0 END"
			args = append(args, quoted[i])
		}
		order = "(" + strings.TrimPrefix(order, " + ") + ") DESC, p.n DESC"
	}
	return k.read("SELECT "+fields+" FROM "+from+" WHERE "+match+" AND "+admitted+" ORDER BY "+order+limited(k.l.Limit), args)
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
	return k.read("SELECT "+lookedUp+" FROM "+k.from()+" WHERE (p.thread, p.place) IN (VALUES "+strings.Join(in, ", ")+") AND "+admitted, append(args, more...))
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
	return out, nil
}

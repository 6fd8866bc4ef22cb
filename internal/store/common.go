package store

import (
	"math/bits"
	"slices"
	"strings"
	"sync"
	"time"
)

// PostgreSQL finds rows by words through sets of all rows that have one, also where only the newest are wanted: two words that
// every second passage has take it longer than all the rest. So where words are common the newest passages that a reader may see are
// looked through first, and which words are common is kept.

// Bounds of it: how many of the newest passages of each space are looked through, how many with a combination are enough, and how long
// a word that was common counts as such.
const (
	newestPassages = 4000
	enoughCombined = 24
	commonFor      = 10 * time.Minute
)

// commonWords are words that were found to be common, and until when they count as such. A word that is rare is counted each time.
type commonWords struct {
	mu    sync.Mutex
	until map[string]time.Time
}

// split are the terms that have to be counted; the others are common.
func (c *commonWords) split(terms []string, now time.Time) (count, common []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range terms {
		if now.Before(c.until[t]) {
			common = append(common, t)
		} else {
			count = append(count, t)
		}
	}
	return count, common
}

// maxCommonWords bounds how many are kept.
const maxCommonWords = 20_000

func (c *commonWords) add(term string, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.until == nil || len(c.until) >= maxCommonWords {
		c.until = make(map[string]time.Time)
	}
	c.until[term] = now.Add(commonFor)
}

// A newest is what of some terms the newest passages have: by their number, newest first, a bit for each term.
type newest struct {
	terms []string
	n     []int64
	has   []uint
}

// lookNewest looks through the newest passages for what has one of the terms.
func (k *looker) lookNewest(terms []string) (newest, error) {
	out := newest{terms: terms}
	wanted, more := "AND (expires_at = 0 OR expires_at > ?)", []any{micros(k.l.Now)}
	if len(k.l.Scopes) > 0 {
		wanted, more = wanted+" AND scope IN ("+marks(len(k.l.Scopes))+")", append(more, anys(k.l.Scopes)...)
	}
	var spaces []string
	var args []any
	add := func(where, by, id string) { // each by its index: over several at once the database would read them all
		spaces = append(spaces, "(SELECT n FROM recall_passages WHERE "+where+" "+wanted+" ORDER BY "+by+" DESC"+limited(newestPassages)+")")
		args = append(append(args, id), more...)
	}
	for _, s := range k.l.Spaces {
		add("space = ?", "at", s)
	}
	if k.l.Thread != "" {
		add("thread = ? AND kind = 'message'", "place", k.l.Thread)
	}
	if len(spaces) == 0 {
		return out, nil
	}
	var has []string
	var masks []any
	for i, t := range terms {
		has = append(has, "CASE WHEN s.terms @@ CAST(CAST(? AS TEXT) AS TSQUERY) THEN "+[]string{"1", "2", "4", "8"}[i]+" ELSE 0 END")
		masks = append(masks, k.term(t))
	}
	query := "SELECT n, has FROM (SELECT s.n, " + strings.Join(has, " + ") + " AS has FROM recall_search s WHERE s.n = ANY (ARRAY (" + strings.Join(spaces, " UNION ") + "))) x WHERE has > 0 ORDER BY n DESC" // an array, since the database would join by reading all
	rows, err := k.db.Query(k.ctx, Once+query, append(masks, args...)...)
	if err != nil {
		return out, err
	}
	return out, each(rows, func(scan func(...any) error) error {
		var n, mask int64
		err := scan(&n, &mask)
		out.n, out.has = append(out.n, n), append(out.has, uint(mask)) //nolint:gosec // four bits
		return err
	})
}

// with are the newest passages that have all terms of a set, at most limit.
func (w newest) with(set []string, limit int) []int64 {
	var want uint
	for _, t := range set {
		i := slices.Index(w.terms, t)
		if i < 0 { // nothing was looked through for it
			return nil
		}
		want |= 1 << i
	}
	var out []int64
	for i, n := range w.n {
		if bits.OnesCount(w.has[i]&want) == bits.OnesCount(want) && len(out) < limit {
			out = append(out, n)
		}
	}
	return out
}

// combined finds passages with all terms of each set, the newest of each; alone finds them with one term.
func (k *looker) combined(common []string, sets [][]string) (newest, error) {
	if !k.postgres || len(common) == 0 {
		for _, set := range sets {
			if err := k.matching(set, "AND", maxCombined); err != nil {
				return newest{}, err
			}
		}
		return newest{}, nil
	}
	plenty := len(k.rows) >= k.l.Limit/2
	w, err := k.lookNewest(common)
	if err != nil {
		return w, err
	}
	var ids []int64
	var few []string // sets of which the newest have few: those are looked for among all, at once
	for _, set := range sets {
		found := w.with(set, maxCombined)
		if ids = append(ids, found...); len(found) < enoughCombined {
			few = append(few, "("+strings.Join(k.quoted(set), " & ")+")")
		}
	}
	if len(few) > 0 && !plenty {
		if err := k.matchingAll(strings.Join(few, " | "), maxCombined*len(few)); err != nil {
			return w, err
		}
	}
	return w, k.byNumber(ids)
}

// quoted are terms as the database wants them.
func (k *looker) quoted(terms []string) []string {
	out := make([]string, len(terms))
	for i, t := range terms {
		out[i] = k.term(t)
	}
	return out
}

// matchingAll finds the newest passages that a condition on their words holds for, in PostgreSQL.
func (k *looker) matchingAll(condition string, limit int) error {
	admitted, more := k.admitted()
	return k.read("SELECT "+lookedUp+" FROM "+k.from()+" WHERE s.terms @@ CAST(CAST(? AS TEXT) AS TSQUERY) AND "+admitted+" ORDER BY p.n DESC"+limited(limit), append([]any{condition}, more...))
}

// byNumber reads passages that were found.
func (k *looker) byNumber(ids []int64) error {
	slices.Sort(ids)
	ids = slices.DeleteFunc(slices.Compact(ids), func(n int64) bool { _, known := k.rows[n]; return known })
	if len(ids) == 0 {
		return nil
	}
	admitted, args := k.admitted()
	return k.read("SELECT "+lookedUp+" FROM "+k.from()+" WHERE p.n IN ("+marks(len(ids))+") AND "+admitted, append(anys(ids), args...))
}

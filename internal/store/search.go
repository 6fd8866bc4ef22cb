package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/query"
)

// maxIndexed bounds the words of one record, in bytes: PostgreSQL's limit for one vector
// is a mebibyte.
const maxIndexed = 400_000

// indexed returns a record's row in desk_search: the words of its title, and all its
// words, each once and sorted. What they are is decided here and not by the databases, so
// that both find the same. A record that lists leave out has no row, and one that joins two others is
// found by them.
func indexed(r desk.Record, t desk.Thing) (title, words string, ok bool) {
	if r.Deleted || r.MergedInto != "" || r.Kind.Association() {
		return "", "", false
	}
	texts := desk.Texts(r.Kind, t)
	return distinct(texts[:1]), distinct(texts), true
}

// distinct are the words of texts, each once and sorted: the first of them when they are too many.
func distinct(texts []string) string {
	var out []string
	size := 0
	for _, t := range texts {
		for _, w := range query.Words(t) {
			out = append(out, w.Text)
			size += len(w.Text) + 1
		}
	}
	if size > maxIndexed {
		out = bounded(out)
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), " ")
}

// bounded are as many of the first words, each once, as may be indexed.
func bounded(words []string) (out []string) {
	seen, size := make(map[string]bool), 0
	for _, w := range words {
		if !seen[w] && size < maxIndexed {
			seen[w] = true
			size += len(w) + 1
			out = append(out, w)
		}
	}
	return out
}

// projectSearch writes what a record is found by, when that is different from before.
func (tx *Tx) projectSearch(c revised) error {
	r, seq := c.after, c.seq
	title, words, is := indexed(r, c.is)
	was := false
	if c.before.ID != "" {
		var oldTitle, oldWords string
		if oldTitle, oldWords, was = indexed(c.before, c.was); was == is && oldTitle == title && oldWords == words {
			return nil
		}
	}
	postgres := tx.db.Name() == "postgres"
	if was {
		gone, key := "DELETE FROM desk_search WHERE rowid = ?", any(seq)
		if postgres {
			gone, key = "DELETE FROM desk_search WHERE id = ?", r.ID
		}
		if err := tx.do(gone, key); err != nil {
			return err
		}
	}
	if !is {
		return nil
	}
	insert := insertSearch(postgres, seq, r.ID, title, words)
	return tx.do(insert.SQL, insert.Args...)
}

// insertSearch adds a row; SQLite finds it again by the record's position alone.
func insertSearch(postgres bool, seq int64, id, title, words string) Statement {
	if postgres {
		return Statement{"INSERT INTO desk_search (id, title, words) VALUES (?, ?, ?)", []any{id, title, words}}
	}
	return Statement{"INSERT INTO desk_search (rowid, id, title, words) VALUES (?, ?, ?, ?)", []any{seq, id, title, words}}
}

// found is the condition that a row s of desk_search has the words that [condition.sought]
// returns.
func (f *condition) found() string {
	if f.postgres {
		return "array_to_tsvector(string_to_array(s.words, ' ')) @@ CAST(CAST(? AS TEXT) AS TSQUERY)"
	}
	return "s.words MATCH ?"
}

// sought writes what is looked for as the database wants it. Words are letters and digits
// alone, so none can be taken for a sign of its language.
func (f *condition) sought(s query.Sought) string {
	if f.postgres {
		return "'" + strings.Join(s.Words, "' & '") + "':*"
	}
	return `"` + strings.Join(s.Words, `" AND "`) + `"*`
}

// Search finds the records that have all the words, the last one by its beginning.
func (d Desk) Search(ctx context.Context, q clerk.Search) (clerk.Hits, error) {
	out := clerk.Hits{Hits: []clerk.Hit{}}
	sought, err := query.Seek(q.Text)
	if err != nil {
		return out, err
	}
	for _, k := range q.Kinds {
		if !slices.Contains(desk.Kinds(), k) {
			return out, fault.BadField("kind", fmt.Sprintf("There are no records of the kind %q.", k), kindNames()...)
		}
	}
	h := d.searching(q, sought)
	if out.Total, err = h.total(ctx); err != nil {
		return out, err
	}
	var records []desk.Record
	if out.Total > fewHits {
		records, out.Next, err = h.latest(ctx, out.Total)
	} else {
		records, out.Next, err = h.page(ctx, h.found())
	}
	if err != nil {
		return out, err
	}
	for _, r := range records {
		thing, err := desk.Decode(r)
		if err != nil {
			return out, err
		}
		texts := desk.Texts(r.Kind, thing)
		out.Hits = append(out.Hits, clerk.Hit{Record: r, Title: sought.Mark(texts[0]), Snippet: sought.Snippet(texts[1:])})
	}
	return out, nil
}

func kindTexts(kinds []desk.Kind) []string {
	out := make([]string, len(kinds))
	for i, k := range kinds {
		out[i] = string(k)
	}
	return out
}

func kindNames() []string { return kindTexts(desk.Kinds()) }

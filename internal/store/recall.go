package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/memory"
	"chela/internal/recall"
)

// Recall is what can be found again.
type Recall struct{ base }

var _ memory.Store = Recall{}

// pieceNumbers is how many passages one event may bring: its position times that is the number of the first.
const pieceNumbers = 100

// maxPassage is how much of a message is found by its words, in bytes.
const maxPassage = 6000

// A passageRow is a row of recall_passages, and its words.
type passageRow struct {
	n                                                    int64
	id, source, kind, scope, typ, project, space, thread string
	place                                                int64
	session                                              string
	at                                                   int64
	actor                                                string
	outside                                              bool
	weight                                               float64
	expires, validTo                                     int64
	title, text                                          string
}

const passageFields = "n, id, source, kind, scope, type, project, space, thread, place, session, at, actor, outside, weight, expires_at, valid_to, title, text"

// index adds a passage.
func (tx *Tx) index(p passageRow) error {
	tx.members = true // what is kept of where there are memories counts no more
	return tx.indexAll([]passageRow{p})
}

// indexAll adds passages.
func (tx *Tx) indexAll(all []passageRow) error {
	for _, p := range all {
		if err := tx.do("INSERT INTO recall_passages ("+passageFields+") VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
			p.n, p.id, p.source, p.kind, p.scope, p.typ, p.project, p.space, p.thread, p.place, p.session, p.at, p.actor, flag(p.outside), p.weight, p.expires, p.validTo, p.title, p.text); err != nil {
			return err
		}
	}
	row := rowOf(tx.db.Name() == "postgres")
	for _, p := range all {
		if err := tx.do("INSERT INTO recall_search ("+row+", id, words) VALUES (?,?,?)", p.n, p.id, wordsOf(p.title, p.text)); err != nil {
			return err
		}
	}
	return nil
}

// wordsOf are the terms of a text, within what the databases bound.
func wordsOf(title, text string) string {
	words := strings.Join(append(recall.Terms(title), recall.Terms(text)...), " ")
	if len(words) > maxIndexed {
		words = words[:strings.LastIndexByte(words[:maxIndexed], ' ')]
	}
	return strings.ReplaceAll(words, "\x00", "")
}

// unindex takes out the passages of a source.
func (tx *Tx) unindex(source string) error {
	row := rowOf(tx.db.Name() == "postgres")
	if err := tx.do("DELETE FROM recall_search WHERE "+row+" IN (SELECT n FROM recall_passages WHERE source = ?)", source); err != nil {
		return err
	}
	if err := tx.do("DELETE FROM recall_vectors WHERE n IN (SELECT n FROM recall_passages WHERE source = ?)", source); err != nil {
		return err
	}
	return tx.do("DELETE FROM recall_passages WHERE source = ?", source)
}

// indexMemory writes what a memory is found by; one that was deleted or erased is found no more.
func (tx *Tx) indexMemory(r desk.Record, b *desk.MemoryBody, seq int64, isNew bool) error {
	if !isNew {
		if err := tx.unindex(r.ID); err != nil {
			return err
		}
	}
	if r.Deleted || r.MergedInto != "" || b.Content == memory.ErasedWords {
		return nil
	}
	title := strings.TrimSpace(b.Key + " " + strings.Join(b.Tags, " "))
	for i, piece := range memory.Pieces(clean(b.Content)) {
		id := r.ID
		if i > 0 {
			id = fmt.Sprintf("%s#%d", r.ID, i+1)
		}
		if err := tx.index(passageRow{
			n: seq*pieceNumbers + int64(i), id: id, source: r.ID, kind: "memory", scope: b.Scope, typ: cmp.Or(b.Type, "fact"), project: r.Project, space: memory.SpaceOf(b, r.Project), thread: r.ID, place: int64(i), session: r.ID,
			at: micros(r.UpdatedAt), actor: r.CreatedBy, outside: r.Outside, weight: memory.WeightOf(b), expires: dateMicros(b.ExpiresAt), validTo: dateMicros(b.ValidTo), title: clean(title), text: piece,
		}); err != nil {
			return err
		}
	}
	return nil
}

// clean is a text as PostgreSQL can keep it.
func clean(text string) string { return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "") }

func dateMicros(d desk.Date) int64 {
	if d == "" {
		return 0
	}
	return micros(d.Time())
}

// projectNote keeps a person's note.
func (tx *Tx) projectNote(e event.Event) error {
	person := event.PersonOfStream(e.Stream)
	if err := open(e, memory.NotedKind, func(n memory.Note) error {
		body, err := json.Marshal(n)
		if err != nil {
			return fmt.Errorf("encode note %s: %w", n.ID, err)
		}
		if err := tx.do(`INSERT INTO memory_notes (id, person, body, at, seq) VALUES (?,?,?,?,?)
			ON CONFLICT (id) DO UPDATE SET body = excluded.body, at = excluded.at, seq = excluded.seq WHERE memory_notes.person = excluded.person`, n.ID, person, string(body), micros(e.At), int64(e.Seq)); err != nil {
			return err
		}
		if err := tx.unindex(n.ID); err != nil {
			return err
		}
		b := desk.MemoryBody{Type: n.Type}
		return tx.index(passageRow{
			n: int64(e.Seq) * pieceNumbers, id: n.ID, source: n.ID, kind: "note", scope: memory.ForPerson, typ: cmp.Or(n.Type, "fact"), space: memory.SpaceOfPerson(person), thread: n.ID, session: n.ID,
			at: micros(e.At), actor: e.Message.From.AgentID, outside: n.Outside, weight: memory.WeightOf(&b), expires: dateMicros(n.ExpiresAt), title: clean(strings.TrimSpace(n.Key + " " + strings.Join(n.Tags, " "))), text: clean(n.Content),
		})
	}); err != nil {
		return err
	}
	return open(e, memory.ForgottenKind, func(f memory.Forgotten) error {
		if err := tx.do("DELETE FROM memory_notes WHERE id = ? AND person = ?", f.ID, person); err != nil {
			return err
		}
		return tx.unindex(f.ID)
	})
}

// Notes returns a person's notes, the latest first. Those that have expired are left out.
func (r Recall) Notes(ctx context.Context, person string) ([]memory.Note, error) {
	rows, err := r.db.Query(ctx, "SELECT body, at FROM memory_notes WHERE person = ? ORDER BY seq DESC", person)
	if err != nil {
		return nil, fmt.Errorf("read notes: %w", err)
	}
	found, err := all(rows, func(scan func(...any) error) (n memory.Note, err error) {
		var body string
		var at int64
		if err := scan(&body, &at); err != nil {
			return n, err
		}
		err = json.Unmarshal([]byte(body), &n)
		n.At = fromMicros(at)
		return n, err
	})
	out := []memory.Note{}
	for _, n := range found {
		if x := n.ExpiresAt.Time(); n.ExpiresAt == "" || x.After(r.db.mint.Now()) {
			out = append(out, n)
		}
	}
	return out, err
}

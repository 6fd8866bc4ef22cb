package store

import (
	"context"
	"fmt"
	"math"

	"chela/internal/ask"
	"chela/internal/event"
	"chela/internal/memory"
	"chela/internal/org"
	"chela/internal/session"
)

// erasable are the types of events whose payloads are a person's words, or say where a person was.
var erasable = []string{event.ChatMessage, session.EditedKind.Name, session.HeldKind.Name, memory.NotedKind.Name, ask.AnsweredKind.Name, org.LoggedInKind.Name, org.LoggedOutKind.Name}

// nothing is an erased payload.
const nothing = "null"

// wordsErased is what a conversation shows of an erased message.
const wordsErased = `{"message":"` + memory.ErasedWords + `"}`

// mostRemains is how many events one log.erased names, at most.
const mostRemains = 2000

// Erase takes the payloads of what a person said, asked and noted out of the log, and their words out of what quotes them (see
// [quotes]). It records that, and makes every projection again, so that no table keeps them. It is one transaction; nothing else is
// written meanwhile. The chain still verifies: it holds the digests of payloads, and of what remains of those that quoted.
func (a Audit) Erase(ctx context.Context, at event.Place, person, reason string) (memory.Erased, error) {
	out := memory.Erased{Person: person, Reason: reason}
	err := a.db.Write(ctx, func(tx *Tx) error {
		sender := org.Person{ID: person}.Party().AgentID
		q, err := tx.quotesOf(sender)
		if err != nil {
			return err
		}
		args := append([]any{nothing, sender, event.PersonStream(person)}, anys(erasable)...)
		n, err := tx.Exec(ctx, "UPDATE "+eventTable+" SET payload = ?, erased = 1 WHERE seq IN (SELECT seq FROM "+eventTable+" WHERE (actor = ? OR stream = ?) AND erased = 0 AND type IN ("+marks(len(erasable))+")"+limited(math.MaxInt32)+")", args...)
		if err != nil {
			return fmt.Errorf("erase payloads: %w", err)
		}
		remains, err := tx.unquote(q)
		if err != nil {
			return fmt.Errorf("erase quotes: %w", err)
		}
		out.Events = n + int64(len(remains))
		if _, err := tx.Append(erasures(at, out, remains)...); err != nil {
			return err
		}
		_, err = tx.rebuild()
		return err
	})
	return out, err
}

// erasures are the events that record an erasure: the first counts, each names some of what remains.
func erasures(at event.Place, out memory.Erased, remains []event.Remain) []event.Draft {
	drafts := []event.Draft{}
	for len(drafts) == 0 || len(remains) > 0 {
		n := min(len(remains), mostRemains)
		out.Remains, remains = remains[:n], remains[n:]
		drafts = append(drafts, memory.ErasedKind.Draft(at, out))
		out.Events = 0
	}
	return drafts
}

// isErased reports whether the payload of an event was taken out.
func isErased(e event.Event) bool {
	if string(e.Message.Payload) != nothing {
		return false
	}
	for _, t := range erasable {
		if t == e.Message.Type {
			return true
		}
	}
	return false
}

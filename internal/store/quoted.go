package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"chela/internal/agent"
	"chela/internal/ask"
	"chela/internal/builder"
	"chela/internal/desk"
	"chela/internal/distill"
	"chela/internal/event"
	"chela/internal/instance"
	"chela/internal/memory"
	"chela/internal/notify"
	"chela/internal/router"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/tool"
)

// quotes find a person's words where others than the person recorded them: in titles of conversations, runs, tasks and notifications, in
// what stands for older messages and what a model was asked for it, in memories and summaries that were made of messages, in transcripts,
// in results of tools that read messages again, and in what was done for a question, a workflow or a request of theirs (see
// [quotes.retold]). Events are looked at in their order.
type quotes struct {
	sender   string
	messages map[string]bool            // ids of the person's
	threads  map[string]event.Seq       // the person spoke in: where first
	texts    map[string][]string        // by thread: what was said, as far as it is there yet
	titles   map[string]map[string]bool // by thread: those that were taken out
	rest     map[string]bool            // memories that rest on what was said, by record
	asked    map[string]bool            // threads of questions about projects that the person asked
}

// quoting are the types of events that may quote a person, beside those of memories.
var quoting = []string{ //nolint:gochecknoglobals // a table
	session.OpenedKind.Name, session.ChangedKind.Name, session.CompactedKind.Name, session.TranscribedKind.Name, run.QueuedKind.Name, run.RequestKind.Name, notify.RaisedKind.Name, agent.AnsweredKind.Name,
	tool.ResultKind.Name, run.ResultKind.Name, router.DecidedKind.Name, router.ChangedKind.Name, instance.HeardKind.Name, instance.StepKind.Name, builder.PlannedKind.Name,
}

const ofMemories = "desk.memory.%"

// quotesOf reads where a person spoke, and what.
func (tx *Tx) quotesOf(sender string) (*quotes, error) {
	q := &quotes{sender, make(map[string]bool), make(map[string]event.Seq), make(map[string][]string), make(map[string]map[string]bool), make(map[string]bool), make(map[string]bool)}
	after := event.Seq(0)
	for {
		found, err := tx.rows().read(selection{where: "actor = ? AND type IN (?,?,?,?) AND seq > ?", args: []any{sender, event.ChatMessage, session.HeldKind.Name, session.EditedKind.Name, ask.AnsweredKind.Name, int64(after)}, order: "seq", limit: manyEvents})
		if err != nil || len(found) == 0 {
			return q, err
		}
		for _, e := range found {
			q.heed(e.Event)
		}
		after = found[len(found)-1].Seq
	}
}

// heed takes in what the person said or asked.
func (q *quotes) heed(e event.Event) {
	m := e.Message
	if m.Type == ask.AnsweredKind.Name {
		q.asked[m.ThreadID] = true
		return
	}
	q.messages[m.ID] = true
	if _, ok := q.threads[m.ThreadID]; !ok {
		q.threads[m.ThreadID] = e.Seq
	}
	var said struct{ Message, Text string }
	if json.Unmarshal(m.Payload, &said) != nil { // nothing is left of one that was erased
		return
	}
	for _, t := range []string{said.Message, said.Text} {
		if len(t) >= leastQuote && m.Type != session.EditedKind.Name || t == said.Text && t != "" {
			q.texts[m.ThreadID] = append(q.texts[m.ThreadID], t)
		}
	}
}

// leastQuote is how long a text is, in bytes, that shows who said it.
const leastQuote = 8

// unquote takes quotes out of the log and returns what remains of each event that had some.
func (tx *Tx) unquote(q *quotes) ([]event.Remain, error) {
	var out []event.Remain
	after := event.Seq(0)
	for {
		found, err := tx.rows().read(selection{where: "seq > ? AND (type IN (" + marks(len(quoting)) + ") OR type LIKE '" + ofMemories + "')", args: append([]any{int64(after)}, anys(quoting)...), order: "seq", limit: manyEvents})
		if err != nil || len(found) == 0 {
			return out, err
		}
		for _, e := range found {
			payload, err := q.without(e.Event)
			if err != nil {
				return nil, fmt.Errorf("take the quotes out of event %d (%s): %w", e.Seq, e.Message.Type, err)
			}
			if payload == nil {
				continue
			}
			if err := tx.do("UPDATE "+eventTable+" SET payload = ?, erased = 1 WHERE seq = ?", string(payload), int64(e.Seq)); err != nil {
				return nil, err
			}
			out = append(out, event.Remain{ID: e.Message.ID, Digest: event.Digest(payload)})
		}
		after = found[len(found)-1].Seq
	}
}

// object is a payload as JSON has it, so that what this code does not know of it stays.
type object = map[string]any

// without returns the payload of an event without the person's words, canonical, or nil when it has none.
func (q *quotes) without(e event.Event) (json.RawMessage, error) {
	var p object
	dec := json.NewDecoder(bytes.NewReader(e.Message.Payload))
	dec.UseNumber()
	if err := dec.Decode(&p); err != nil || p == nil {
		return nil, err
	}
	if !q.take(e, p) {
		return nil, nil
	}
	raw, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	return event.Canonical(raw)
}

// take takes the quotes out of p and reports whether there were any.
func (q *quotes) take(e event.Event, p object) bool {
	m := e.Message
	from, spoke := q.threads[m.ThreadID]
	switch m.Type {
	case session.OpenedKind.Name:
		return q.title(m.ThreadID, p, m.From.AgentID == q.sender || q.titles[textOf(p, "forked_from")][textOf(p, "title")])
	case session.ChangedKind.Name:
		return q.title(m.ThreadID, p, m.From.AgentID == q.sender)
	case run.QueuedKind.Name:
		by, _ := p["by"].(object) // a run that nobody began has none
		theirs := textOf(by, "agent_id") == q.sender
		built := theirs && textOf(p, "kind") == builder.RunKind && erasedIn(p, "input", "text")
		return q.title(m.ThreadID, p, theirs && session.IsTurn(textOf(p, "kind"))) || built
	case run.RequestKind.Name:
		titled := q.title(m.ThreadID, p, m.From.AgentID == q.sender && spoke)
		return q.described(m, p) || titled
	case notify.RaisedKind.Name:
		return q.title(textOf(p, "thread"), p, false)
	case session.CompactedKind.Name:
		return spoke && upTo(p) >= int64(from) && erased(p, "summary")
	case session.TranscribedKind.Name:
		return (q.messages[textOf(p, "message")] || q.messages[textOf(p, "said")]) && transcripts(p)
	case agent.AnsweredKind.Name:
		a, _ := p["answer"].(object) // every such event has one
		return (q.asked[m.ThreadID] || spoke && textOf(p, "agent") == string(distill.Distiller)) && answer(a)
	case tool.ResultKind.Name:
		return q.reads(m.ThreadID, textOf(p, "tool"), textOf(p, "result")) && erased(p, "result")
	}
	return q.retold(m, p) || q.memory(e, p)
}

func upTo(p object) int64 {
	n, _ := p["up_to"].(json.Number) // every such event has one
	seq, _ := n.Int64()              // 0 when it has none
	return seq
}

// textOf is the text of a field, "" when it is none.
func textOf(p object, field string) string {
	s, _ := p[field].(string)
	return s
}

// erased takes out the text of a field and reports whether there was one.
func erased(p object, field string) bool {
	if s := textOf(p, field); s == "" || s == memory.ErasedWords {
		return false
	}
	p[field] = memory.ErasedWords
	return true
}

// title takes out a title that is the person's, or that was taken out in the conversation before.
func (q *quotes) title(thread string, p object, theirs bool) bool {
	t := textOf(p, "title")
	if !theirs && !q.titles[thread][t] || !erased(p, "title") {
		return false
	}
	if q.titles[thread] == nil {
		q.titles[thread] = make(map[string]bool)
	}
	q.titles[thread][t] = true
	return true
}

// described takes out the description of a task that is the person's question, or has their words in it.
func (q *quotes) described(m event.Message, p object) bool {
	d := textOf(p, "description")
	theirs := q.titles[m.ThreadID][d] || q.asked[m.ThreadID] && m.From.AgentID == q.sender
	for _, t := range q.texts[m.ThreadID] {
		theirs = theirs || strings.Contains(d, t)
	}
	return theirs && erased(p, "description")
}

// reads reports whether a tool's result shows messages or memories in a conversation in which the person spoke, or names a message
// of theirs.
func (q *quotes) reads(thread, name, result string) bool {
	if name != "reread" && !strings.HasPrefix(name, "memory") {
		return false
	}
	if _, spoke := q.threads[thread]; spoke {
		return true
	}
	for word := range strings.FieldsFuncSeq(result, func(r rune) bool { return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') }) {
		if q.messages[word] {
			return true
		}
	}
	return false
}

// transcripts takes out what was heard.
func transcripts(p object) bool {
	audio, _ := p["audio"].([]any)
	done := false
	for _, a := range audio {
		if a, ok := a.(object); ok {
			done = erased(a, "text") || done
		}
	}
	return done
}

// answer takes out what a model said of the person's words.
func answer(a object) bool {
	if textOf(a, "text") == memory.ErasedWords || a == nil {
		return false
	}
	delete(a, "parts")
	delete(a, "calls")
	a["text"] = memory.ErasedWords
	return true
}

// memory takes the person's words out of a change of a memory: the quotes of their messages, and the content where it rests on those
// alone or sums up a conversation in which they spoke. What another person wrote into it stays.
func (q *quotes) memory(e event.Event, p object) bool {
	set, _ := p["set"].(object)
	if set == nil {
		return false
	}
	record, done := textOf(p, "id"), false
	sources, _ := set["sources"].([]any)
	theirs := 0
	for _, s := range sources {
		if s, ok := s.(object); ok && q.messages[textOf(s, "document")] {
			theirs++
			done = erased(s, "quote") || done
		}
	}
	_, spoke := q.threads[textOf(set, "threadId")]
	if theirs > 0 && theirs == len(sources) || textOf(set, "type") == "summary" && spoke {
		q.rest[record] = true
	}
	by := e.Message.From.AgentID
	if !q.rest[record] || e.Message.From.Role == "person" && by != q.sender {
		return done
	}
	if erased(set, "content") {
		done = true
	}
	if key := textOf(set, "key"); key != "" && key != desk.SummaryKey && !strings.HasPrefix(key, keyErased) {
		set["key"], done = keyErased+record, true // it was made from the content
	}
	return done
}

const keyErased = "erased-"

package desk

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/disk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/memory"
	"chela/internal/org"
	"chela/internal/tool"
)

// memorySpec declares memory. Recalling only reads; what is stored or deleted, later runs
// take for true.
func memorySpec() tool.Spec {
	return tool.Spec{
		Name: "memory", Help: tool.HelpFile(help, "memory"), Risk: tool.WriteRecords, Private: true, Role: org.Editor,
		Asks: "Later runs believe what is in the memory.",
		Parts: []tool.Part{
			{Name: "memory_recall", Risk: tool.ReadOnly, Role: org.Viewer},
			{Name: "memory_store", Risk: tool.WriteRecords, Role: org.Editor},
			{Name: "memory_delete", Risk: tool.WriteRecords, Role: org.Editor},
		},
	}
}

// MemoryIn are the parameters of memory.
type MemoryIn struct {
	Operation string    `json:"operation" enum:"store,recall,delete"`
	Scope     string    `json:"scope,omitempty" enum:"PROJECT,GLOBAL,THREAD,SESSION,AGENT,TEAM,PERSON" doc:"PROJECT when left out; recall: all"`
	Key       string    `json:"key,omitempty" doc:"names the fact; store: made from the content when left out"`
	Content   string    `json:"content,omitempty" doc:"store: the fact"`
	Query     string    `json:"query,omitempty" doc:"recall: a question; also finds what was said"`
	Type      string    `json:"type,omitempty" enum:"fact,decision,preference,procedure,question,summary"`
	Quote     string    `json:"quote,omitempty" doc:"store: the exact words that it rests on"`
	Replaces  []string  `json:"supersedes,omitempty" doc:"store: ids of memories that hold no longer"`
	Denies    []string  `json:"contradicts,omitempty" doc:"store: ids of memories that say otherwise"`
	Tags      []string  `json:"tags,omitempty"`
	ThreadID  string    `json:"threadId,omitempty" doc:"this one when left out"`
	ExpiresAt desk.Date `json:"expiresAt,omitempty" doc:"store: a date"`
}

var (
	_ tool.Actor   = MemoryIn{}
	_ tool.Checker = MemoryIn{}
)

// Act implements [tool.Actor].
func (in MemoryIn) Act(disk.Folders) tool.Act { return tool.Act{Part: "memory_" + in.Operation} }

// Check implements [tool.Checker].
func (in MemoryIn) Check() error {
	missing := func(field, what string) error {
		return fault.BadField(field, fmt.Sprintf("To %s a memory, give %s.", in.Operation, what))
	}
	key, content := strings.TrimSpace(in.Key), strings.TrimSpace(in.Content)
	switch {
	case in.Operation == "delete" && key == "":
		return missing("key", "the key that names it")
	case in.Operation == "store" && content == "":
		return missing("content", "what to keep")
	case in.Operation != "store" && content != "":
		return fault.BadField("content", "Only store takes content; recall finds words by query, and delete takes the key alone.")
	case in.Operation != "recall" && in.Query != "":
		return fault.BadField("query", "Only recall takes a query; store and delete take the exact key.")
	case in.ThreadID != "" && !ofThread(in.Scope):
		return fault.BadField("threadId", "Only memories of the scopes THREAD and SESSION belong to a thread.")
	}
	return nil
}

// ofThread reports whether memories of a scope belong to one thread.
func ofThread(scope string) bool { return scope == "THREAD" || scope == "SESSION" }

// lifetime is how long a memory that an agent stores stays when nothing is said; 0 is for good.
func lifetime(scope string) time.Duration {
	if scope == "" || scope == desk.ForProject {
		return 30 * 24 * time.Hour
	}
	return desk.LivesFor(scope)
}

// MemoryOut is what memory returns.
type MemoryOut struct {
	*Made                // store, delete
	Memories []MemoryRow `json:"memories,omitzero"`
	Total    *int        `json:"total,omitempty"` // recall: with those that are not listed
	from     []string
}

// From implements [tool.Sourced].
func (o MemoryOut) From() []string { return o.from }

// MemoryRow is a memory in a list, or a message that was said.
type MemoryRow struct {
	ID         string   `json:"id"`
	Scope      string   `json:"scope"`
	Type       string   `json:"type,omitempty"`
	Key        string   `json:"key,omitempty"`
	Content    string   `json:"content"`
	By         string   `json:"by,omitempty"`
	At         string   `json:"at,omitempty"`
	Tags       []string `json:"tags,omitempty"`
	Superseded bool     `json:"superseded,omitempty"`
}

func (t tools) memory(ctx context.Context, c tool.Call, in MemoryIn) (MemoryOut, []event.Draft, error) {
	if in.ThreadID == "" {
		in.ThreadID = c.Run.Thread
	}
	var out Made
	var drafts []event.Draft
	var err error
	switch in.Operation {
	case "recall":
		found, err := t.recall(ctx, c, in)
		return found, nil, err
	case "store":
		out, drafts, err = t.remember(ctx, c, in)
	case "delete":
		out, drafts, err = t.forget(ctx, c, in)
	}
	return MemoryOut{Made: &out}, drafts, err
}

// body is what the key names in the scope, for an agent of teams.
func (in MemoryIn) body(content string, c tool.Call, teams []string) (*desk.MemoryBody, error) {
	b := &desk.MemoryBody{Scope: in.Scope, Key: in.Key, Content: content}
	switch {
	case ofThread(in.Scope):
		b.ThreadID = in.ThreadID
	case in.Scope == desk.ForAgent:
		b.Owner = string(c.Agent)
	case in.Scope == desk.ForTeam && len(teams) == 0:
		return nil, fault.BadField("scope", fmt.Sprintf("%s is in no team. Its card names teams under meta.teams.", c.Agent))
	case in.Scope == desk.ForTeam:
		b.Owner = teams[0]
	}
	return b, nil
}

func (t tools) remember(ctx context.Context, c tool.Call, in MemoryIn) (Made, []event.Draft, error) {
	if in.Scope == memory.ForPerson {
		return t.note(ctx, c, in)
	}
	teams, err := t.mem.Teams(ctx, c.Agent)
	if err != nil {
		return Made{}, nil, err
	}
	return plan(ctx, t, c, func(w *clerk.Work) (Made, error) {
		body, err := in.body(in.Content, c, teams)
		if err != nil {
			return Made{}, err
		}
		body.Tags, body.ExpiresAt, body.Sources = in.Tags, in.ExpiresAt, source(c, in.Quote)
		body.Type, body.Supersedes, body.Contradicts = in.Type, in.Replaces, in.Denies
		if d := lifetime(in.Scope); d > 0 && in.ExpiresAt == "" {
			body.ExpiresAt = desk.Date(t.clerk.Store().Mint().Now().UTC().Add(d).Format(time.RFC3339))
		}
		r, isNew, err := clerk.Remember(w, body)
		if err != nil || isNew {
			return made(r, isNew), err
		}
		r, err = clerk.Edit(w, desk.Memory, r.ID, func(b *desk.MemoryBody) {
			b.Content, b.Tags = in.Content, union(b.Tags, in.Tags)
			b.Supersedes, b.Contradicts = union(b.Supersedes, in.Replaces), union(b.Contradicts, in.Denies)
			if x := b.ExpiresAt.Time(); !x.IsZero() && !x.After(t.clerk.Store().Mint().Now()) {
				b.ExpiresAt = "" // what took its place has not expired
			}
			replace(&b.ExpiresAt, body.ExpiresAt)
			replace(&b.Type, body.Type)
		})
		out := made(r, false)
		out.Status = "updated"
		return out, err
	})
}

// note keeps a note of the person for whom the agent works.
func (t tools) note(ctx context.Context, c tool.Call, in MemoryIn) (Made, []event.Draft, error) {
	who, have, err := t.notesOf(ctx, c)
	if err != nil {
		return Made{}, nil, err
	}
	n := memory.Note{
		Key: in.Key, Content: in.Content, Type: in.Type, Tags: in.Tags, ExpiresAt: in.ExpiresAt, Sources: source(c, in.Quote), Outside: len(tool.Untrusted(c.Origins)) > 0,
	}
	if err := n.Check(t.clerk.Store().Mint().Now()); err != nil {
		return Made{}, nil, err
	}
	n.ID = memory.Named(have, n.Key, t.clerk.Store().Mint())
	return Made{ID: n.ID, Title: n.Key, Status: "created"}, []event.Draft{memory.NotedKind.Draft(memory.Place(c.Place, who), n)}, nil
}

// notesOf are the notes of the person for whom the agent works.
func (t tools) notesOf(ctx context.Context, c tool.Call) (string, []memory.Note, error) {
	who := org.PersonOf(c.Run.By)
	if who == "" {
		return "", nil, fault.BadField("scope", "This run works for no person, so there is nobody whose note it could be.")
	}
	have, err := t.mem.Notes(ctx, who)
	return who, have, err
}

func (t tools) forget(ctx context.Context, c tool.Call, in MemoryIn) (Made, []event.Draft, error) {
	none := fault.New(fault.NotFound, "There is no memory of the scope %s under the key %q; recall shows which there are.", cmp.Or(in.Scope, desk.ForProject), in.Key)
	if in.Scope == memory.ForPerson {
		who, have, err := t.notesOf(ctx, c)
		if err != nil {
			return Made{}, nil, err
		}
		i := slices.IndexFunc(have, func(n memory.Note) bool { return n.Key == in.Key })
		if i < 0 {
			return Made{}, nil, none
		}
		return Made{ID: have[i].ID, Title: in.Key, Status: "deleted"}, []event.Draft{memory.ForgottenKind.Draft(memory.Place(c.Place, who), memory.Forgotten{ID: have[i].ID})}, nil
	}
	teams, err := t.mem.Teams(ctx, c.Agent)
	if err != nil {
		return Made{}, nil, err
	}
	return plan(ctx, t, c, func(w *clerk.Work) (Made, error) {
		body, err := in.body("-", c, teams)
		if err != nil {
			return Made{}, err
		}
		if err := body.Check(); err != nil {
			return Made{}, err
		}
		r, ok, err := w.Find(desk.Memory, desk.Identity(body))
		if err != nil || !ok {
			return Made{}, firstError(err, none)
		}
		_, err = w.Remove(desk.Memory, r.ID)
		return Made{ID: r.ID, Title: in.Key, Status: "deleted"}, err
	})
}

// fits reports whether a memory is asked for.
func (in MemoryIn) fits(b desk.MemoryBody, now time.Time, agent org.AgentID, teams []string) bool {
	if b.Scope == desk.ForAgent && b.Owner != string(agent) || b.Scope == desk.ForTeam && !slices.Contains(teams, b.Owner) {
		return false
	}
	if x := b.ExpiresAt.Time(); !x.IsZero() && x.Before(now) || b.ThreadID != "" && b.ThreadID != in.ThreadID {
		return false
	}
	return (in.Key == "" || strings.EqualFold(b.Key, in.Key)) && (in.Scope == "" || b.Scope == in.Scope) &&
		!slices.ContainsFunc(in.Tags, func(t string) bool { return !slices.Contains(b.Tags, t) })
}

// recalled is how many memories one call gives.
const recalled = 20

func (t tools) recall(ctx context.Context, c tool.Call, in MemoryIn) (MemoryOut, error) {
	total := 0
	out := MemoryOut{Memories: []MemoryRow{}, Total: &total}
	teams, err := t.mem.Teams(ctx, c.Agent)
	if err != nil {
		return out, err
	}
	if in.Query != "" {
		return t.ranked(ctx, c, in, teams)
	}
	p, err := t.list(ctx, c, clerk.Query{Kind: desk.Memory, Shared: true, Limit: 1000, Newest: true})
	if err != nil {
		return out, err
	}
	for _, r := range p.Records {
		b, err := desk.Open[desk.MemoryBody](r)
		if err != nil {
			return out, err
		}
		if !in.fits(b, t.clerk.Store().Mint().Now(), c.Agent, teams) {
			continue
		}
		if total++; total <= recalled {
			out.from = append(out.from, fromOf(r)...)
			out.Memories = append(out.Memories, MemoryRow{ID: r.ID, Scope: b.Scope, Type: b.Type, Key: b.Key, Content: fmt.Sprintf("%.2000s", b.Content), Tags: b.Tags})
		}
	}
	return out, nil
}

// ranked finds memories and what was said by a question. Messages are data, and of other conversations untrusted.
func (t tools) ranked(ctx context.Context, c tool.Call, in MemoryIn, teams []string) (MemoryOut, error) {
	q := memory.Question{Text: in.Query, Limit: recalled}
	if in.Scope != "" {
		q.Scopes = []string{in.Scope}
	}
	if in.Type != "" {
		q.Kinds = []string{in.Type}
	}
	hits, err := t.mem.Recall(ctx, memory.Reader{Person: org.PersonOf(c.Run.By), Agent: c.Agent, Teams: teams, Project: c.Run.Project, Thread: in.ThreadID}, q)
	out := MemoryOut{Memories: []MemoryRow{}}
	for _, h := range hits {
		if in.Key != "" && !strings.Contains(strings.ToLower(h.Title), strings.ToLower(in.Key)) {
			continue
		}
		switch {
		case h.Scope == memory.Said && h.Thread != c.Run.Thread:
			out.from = append(out.from, tool.FromConversations)
		case h.Outside:
			out.from = append(out.from, tool.FromImports)
		}
		out.Memories = append(out.Memories, MemoryRow{
			ID: h.ID, Scope: h.Scope, Type: h.Type, Key: h.Title, Content: fmt.Sprintf("%.2000s", h.Text), By: h.Speaker, At: h.At.Format(time.RFC3339), Superseded: h.Superseded,
		})
	}
	total := len(out.Memories)
	out.Total = &total
	return out, err
}

package desk

import (
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
	Scope     string    `json:"scope,omitempty" enum:"PROJECT,GLOBAL,THREAD,SESSION" doc:"PROJECT when left out; recall: all"`
	Key       string    `json:"key,omitempty" doc:"names the fact; store: made from the content when left out"`
	Content   string    `json:"content,omitempty" doc:"store: the fact"`
	Query     string    `json:"query,omitempty" doc:"recall: words in it"`
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

// lifetimes say how long a memory of a thread stays when nothing is said; others stay.
var lifetimes = map[string]time.Duration{"THREAD": 7 * 24 * time.Hour, "SESSION": 24 * time.Hour}

// MemoryOut is what memory returns.
type MemoryOut struct {
	*Made                // store, delete
	Memories []MemoryRow `json:"memories,omitzero"`
	Total    *int        `json:"total,omitempty"` // recall: with those that are not listed
	from     []string
}

// From implements [tool.Sourced].
func (o MemoryOut) From() []string { return o.from }

// MemoryRow is a memory in a list.
type MemoryRow struct {
	ID      string   `json:"id"`
	Scope   string   `json:"scope"`
	Key     string   `json:"key"`
	Content string   `json:"content"`
	Tags    []string `json:"tags,omitempty"`
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

// body is what the key names in the scope.
func (in MemoryIn) body(content string) *desk.MemoryBody {
	b := &desk.MemoryBody{Scope: in.Scope, Key: in.Key, Content: content}
	if ofThread(in.Scope) {
		b.ThreadID = in.ThreadID
	}
	return b
}

func (t tools) remember(ctx context.Context, c tool.Call, in MemoryIn) (Made, []event.Draft, error) {
	return plan(ctx, t, c, func(w *clerk.Work) (Made, error) {
		body := in.body(in.Content)
		body.Tags, body.ExpiresAt, body.Sources = in.Tags, in.ExpiresAt, source(c, "")
		if d := lifetimes[in.Scope]; d > 0 && in.ExpiresAt == "" {
			body.ExpiresAt = desk.Date(t.clerk.Store().Mint().Now().UTC().Add(d).Format(time.RFC3339))
		}
		r, isNew, err := clerk.Ensure(w, desk.Memory, body)
		if err != nil || isNew {
			return made(r, isNew), err
		}
		r, err = clerk.Edit(w, desk.Memory, r.ID, func(b *desk.MemoryBody) {
			b.Content, b.Tags = in.Content, union(b.Tags, in.Tags)
			replace(&b.ExpiresAt, body.ExpiresAt)
		})
		out := made(r, false)
		out.Status = "updated"
		return out, err
	})
}

func (t tools) forget(ctx context.Context, c tool.Call, in MemoryIn) (Made, []event.Draft, error) {
	return plan(ctx, t, c, func(w *clerk.Work) (Made, error) {
		body := in.body("-")
		if err := body.Check(); err != nil {
			return Made{}, err
		}
		r, ok, err := w.Find(desk.Memory, desk.Identity(body))
		if err != nil || !ok {
			return Made{}, firstError(err, fault.New(fault.NotFound, "There is no memory of the scope %s under the key %q; recall shows which there are.", body.Scope, in.Key))
		}
		_, err = w.Remove(desk.Memory, r.ID)
		return Made{ID: r.ID, Title: in.Key, Status: "deleted"}, err
	})
}

// fits reports whether a memory is asked for.
func (in MemoryIn) fits(b desk.MemoryBody, now time.Time) bool {
	if x := b.ExpiresAt.Time(); !x.IsZero() && x.Before(now) || b.ThreadID != "" && b.ThreadID != in.ThreadID {
		return false
	}
	text := strings.ToLower(b.Key + " " + b.Content)
	return (in.Key == "" || strings.EqualFold(b.Key, in.Key)) && (in.Scope == "" || b.Scope == in.Scope) &&
		!slices.ContainsFunc(in.Tags, func(t string) bool { return !slices.Contains(b.Tags, t) }) &&
		!slices.ContainsFunc(strings.Fields(strings.ToLower(in.Query)), func(w string) bool { return !strings.Contains(text, w) })
}

// recalled is how many memories one call gives.
const recalled = 20

func (t tools) recall(ctx context.Context, c tool.Call, in MemoryIn) (MemoryOut, error) {
	total := 0
	out := MemoryOut{Memories: []MemoryRow{}, Total: &total}
	p, err := t.list(ctx, c, clerk.Query{Kind: desk.Memory, Shared: true, Limit: 1000, Newest: true})
	if err != nil {
		return out, err
	}
	for _, r := range p.Records {
		b, err := desk.Open[desk.MemoryBody](r)
		if err != nil {
			return out, err
		}
		if !in.fits(b, t.clerk.Store().Mint().Now()) {
			continue
		}
		if total++; total <= recalled {
			out.from = append(out.from, fromOf(r)...)
			out.Memories = append(out.Memories, MemoryRow{r.ID, b.Scope, b.Key, fmt.Sprintf("%.2000s", b.Content), b.Tags})
		}
	}
	return out, nil
}

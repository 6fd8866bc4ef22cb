package library

import (
	"context"
	"maps"
	"slices"

	"chela/internal/canvas"
	"chela/internal/event"
	"chela/internal/fault"
)

// A History says what a person can take back of a draft, and do again. 0 is nothing.
type History struct {
	Undo int // the revision that undo takes back
	Redo int // the revision, an undo, that redo takes back
}

// HistoryOf is the history of a draft for who made some of its edits. Each takes back their own edits alone.
func HistoryOf(edits []Edit, by event.Party) History {
	var h History
	back, fresh := TakenBack(edits), false // fresh: an edit that is no undo came after
	for i := len(edits) - 1; i >= 0; i-- {
		e := edits[i]
		switch {
		case e.Party.AgentID != by.AgentID:
		case e.Undoes == 0:
			if fresh = true; !back[e.Revision] && h.Undo == 0 {
				h.Undo = e.Revision
			}
		case !back[e.Revision] && h.Redo == 0 && !fresh && isUndo(edits, e):
			h.Redo = e.Revision
		}
	}
	return h
}

// TakenBack are the revisions that were taken back and not done again.
func TakenBack(edits []Edit) map[int]bool {
	out := make(map[int]bool)
	for i := len(edits) - 1; i >= 0; i-- {
		if e := edits[i]; e.Undoes != 0 && !out[e.Revision] {
			out[e.Undoes] = true
		}
	}
	return out
}

// isUndo reports whether e takes back an edit, and not an undo.
func isUndo(edits []Edit, e Edit) bool {
	for _, o := range edits {
		if o.Revision == e.Undoes {
			return o.Undoes == 0
		}
	}
	return false
}

// UndoEdit takes an edit of the draft back: the one of that revision, or the newest of one's own when it is 0. Others'
// edits stay; when they changed the same lines since, it is a fault.Conflict.
func (l *Library) UndoEdit(ctx context.Context, by event.Party, slug string, revision int) (WorkingDraft, error) {
	return l.takeBack(ctx, by, slug, func(edits []Edit) (int, error) {
		if revision == 0 {
			revision = HistoryOf(edits, by).Undo
		}
		if revision == 0 {
			return 0, fault.New(fault.Conflict, "You have made no edit of the draft of %s that could be undone.", slug)
		}
		return revision, nil
	})
}

// RedoEdit does again what was undone last.
func (l *Library) RedoEdit(ctx context.Context, by event.Party, slug string) (WorkingDraft, error) {
	return l.takeBack(ctx, by, slug, func(edits []Edit) (int, error) {
		h := HistoryOf(edits, by)
		if h.Redo == 0 {
			return 0, fault.New(fault.Conflict, "You have undone no edit of the draft of %s that could be done again.", slug)
		}
		return h.Redo, nil
	})
}

func (l *Library) takeBack(ctx context.Context, by event.Party, slug string, which func([]Edit) (int, error)) (WorkingDraft, error) {
	out, _, err := l.change(ctx, By(by), slug, func(now WorkingDraft) (change, error) {
		all, err := l.store.Edits(ctx, slug, max(0, now.Revision-mostBehind))
		if err != nil {
			return change{}, err
		}
		revision, err := which(all)
		if err != nil {
			return change{}, err
		}
		at := slices.IndexFunc(all, func(e Edit) bool { return e.Revision == revision })
		if at < 0 || len(all)-at != now.Revision-revision+1 || TakenBack(all)[revision] {
			return change{}, fault.New(fault.Conflict, "Revision %d of the draft of %s is not there any more, or was taken back.", revision, slug)
		}
		to, err := merged(now, all[at+1:], func(then string) string {
			before, err := canvas.Back(then, all[at].Splices)
			if err != nil {
				return then
			}
			return before
		}, "")
		if err != nil {
			return change{}, err
		}
		to.undoes, to.Layout, to.Files = revision, unmoved(now.Layout, all[at]), unwritten(now.Files, all[at])
		return to, nil
	})
	return out, err
}

// unmoved is a layout in which the nodes that an edit moved stand where they stood, unless others moved them since.
func unmoved(now canvas.Layout, e Edit) canvas.Layout {
	out := maps.Clone(now)
	if out == nil {
		out = make(canvas.Layout)
	}
	for n, to := range e.Moved {
		at, placed := now[n]
		if placed != (to != nil) || placed && at != *to {
			continue
		}
		if delete(out, n); e.WasAt[n] != nil {
			out[n] = *e.WasAt[n]
		}
	}
	return out
}

// History is what by can take back of a draft, and do again.
func (l *Library) History(ctx context.Context, by event.Party, d WorkingDraft) (History, error) {
	if d.Gone {
		return History{}, nil
	}
	edits, err := l.store.Edits(ctx, d.Slug, max(0, d.Revision-mostBehind))
	return HistoryOf(edits, by), err
}

// unwritten are the files without what an edit wrote, unless others wrote them since.
func unwritten(now map[string]string, e Edit) map[string]string {
	out := maps.Clone(now)
	if out == nil {
		out = make(map[string]string)
	}
	for name, c := range e.Files {
		text, there := now[name]
		if there != (c.Now != nil) || there && text != *c.Now {
			continue
		}
		if delete(out, name); c.Was != nil {
			out[name] = *c.Was
		}
	}
	return out
}

package past

import (
	"context"
	"slices"
	"sync"
	"time"

	"chela/internal/chart"
	"chela/internal/event"
)

// maxJournals bounds the projects whose journals are kept.
const maxJournals = 4

// journals are those of the projects whose charts were looked at last.
type journals struct {
	mu   sync.Mutex // guards kept
	kept []*journal // the most recently used first
}

// A journal is one project's. mu orders who brings it up to date.
type journal struct {
	project string
	mu      sync.Mutex
	*chart.Journal
}

// of returns the journal of a project.
func (js *journals) of(project string) *journal {
	js.mu.Lock()
	defer js.mu.Unlock()
	i := slices.IndexFunc(js.kept, func(j *journal) bool { return j.project == project })
	j := &journal{project: project, Journal: chart.NewJournal()}
	if i >= 0 {
		j = js.kept[i]
		js.kept = slices.Delete(js.kept, i, i+1)
	}
	js.kept = slices.Insert(js.kept, 0, j)
	if len(js.kept) > maxJournals {
		js.kept = js.kept[:maxJournals]
	}
	return j
}

// forget drops a journal that could not be read.
func (js *journals) forget(j *journal) {
	js.mu.Lock()
	defer js.mu.Unlock()
	js.kept = slices.DeleteFunc(js.kept, func(have *journal) bool { return have == j })
}

// Charts returns what a project's charts are computed from, as it was, and when that was. The log is
// read once; later only what it has grown by.
func (p *Past) Charts(ctx context.Context, project string, m Moment) (chart.History, time.Time, error) {
	j := p.journals.of(project)
	j.mu.Lock()
	end, err := p.src.Desk.ChangesOf(ctx, project, j.End(), chart.Kinds(), j.Add)
	if err == nil {
		j.Reach(end)
	}
	j.mu.Unlock()
	if err != nil {
		p.journals.forget(j)
		return chart.History{}, time.Time{}, err
	}
	var seen func(at time.Time, seq event.Seq) bool
	if m != Now() {
		seen = func(at time.Time, seq event.Seq) bool { return m.includes(event.Event{At: at, Seq: seq}) }
	}
	h := j.History(seen)
	return h, p.when(m, h.Last()), nil
}

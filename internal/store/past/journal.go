package past

import (
	"context"
	"slices"
	"sync"
	"time"

	"chela/internal/chart"
	"chela/internal/event"
	"chela/internal/flow"
)

// maxJournals bounds the projects whose journals are kept.
const maxJournals = 4

// journals are those of the projects whose charts were looked at last.
type journals struct {
	mu   sync.Mutex // guards kept
	kept []*journal // the most recently used first
}

// A journal is one project's: what its charts and its sprints are computed from. mu orders who brings it up to date.
type journal struct {
	project string
	mu      sync.Mutex
	charts  *chart.Journal
	sprints *flow.SprintJournal
}

// of returns the journal of a project.
func (js *journals) of(project string) *journal {
	js.mu.Lock()
	defer js.mu.Unlock()
	i := slices.IndexFunc(js.kept, func(j *journal) bool { return j.project == project })
	j := &journal{project: project, charts: chart.NewJournal(), sprints: flow.NewSprintJournal()}
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

// now returns a project's journal, brought up to date. The log is read once; later only what it has grown by.
func (p *Past) now(ctx context.Context, project string) (*journal, error) {
	j := p.journals.of(project)
	j.mu.Lock()
	end, err := p.src.Desk.ChangesOf(ctx, project, j.charts.End(), chart.Kinds(), j.add)
	if err == nil {
		j.charts.Reach(end)
	}
	j.mu.Unlock()
	if err != nil {
		p.journals.forget(j)
	}
	return j, err
}

// add takes over a change of one of the kinds of charts, among which are all of sprints.
func (j *journal) add(e event.Event) error {
	if err := j.charts.Add(e); err != nil {
		return err
	}
	return j.sprints.Add(e)
}

// seen says which events belong to a moment; nil for now.
func (m Moment) seen() func(at time.Time, seq event.Seq) bool {
	if m == Now() {
		return nil
	}
	return m.includes
}

// Charts returns what a project's charts are computed from, as it was, and when that was.
func (p *Past) Charts(ctx context.Context, project string, m Moment) (chart.History, time.Time, error) {
	j, err := p.now(ctx, project)
	if err != nil {
		return chart.History{}, time.Time{}, err
	}
	h := j.charts.History(m.seen())
	return h, p.when(m, h.Last()), nil
}

// Sprints returns what a project's sprints are computed from, as it was, and when that was.
func (p *Past) Sprints(ctx context.Context, project string, m Moment) (*flow.Ledger, time.Time, error) {
	j, err := p.now(ctx, project)
	if err != nil {
		return nil, time.Time{}, err
	}
	at, err := p.When(ctx, m)
	if err != nil {
		return nil, time.Time{}, err
	}
	l, err := j.sprints.Ledger(m.seen())
	return l, at, err
}

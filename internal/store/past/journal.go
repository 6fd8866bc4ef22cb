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

// A journal is one project's: what its charts and its sprints are computed from. mu orders who brings it up to date, and guards the
// rest.
type journal struct {
	project string
	charts  *chart.Journal
	sprints *flow.SprintJournal

	mu   sync.Mutex
	told int64 // up to where the sprints were read
	// stashed is up to where the file of the charts is, seen where they stood when it was asked last.
	stashed, seen int64
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

// now returns a project's journal, brought up to date, as far as sprints go only when they are wanted. The log is read once; later
// only what it has grown by.
func (p *Past) now(ctx context.Context, project string, sprints bool) (*journal, error) {
	j := p.journals.of(project)
	j.mu.Lock()
	if j.charts.End() == 0 {
		p.resume(ctx, j)
	}
	err := p.catchUp(ctx, j, sprints)
	j.mu.Unlock()
	if err != nil {
		p.journals.forget(j)
	}
	return j, err
}

// catchUp reads what the log has grown by. A file has charts alone, so that sprints may be behind them.
func (p *Past) catchUp(ctx context.Context, j *journal, sprints bool) error {
	both := j.told == j.charts.End()
	end, err := p.src.Desk.ChangesOf(ctx, j.project, j.charts.End(), chart.Kinds(), func(e event.Event) error {
		err := j.charts.Add(e)
		if err == nil && both {
			err = j.sprints.Add(e)
		}
		return err
	})
	if err != nil {
		return err
	}
	if j.charts.Reach(end); both {
		j.told = end
	}
	if both || !sprints {
		return nil
	}
	if end, err = p.src.Desk.ChangesOf(ctx, j.project, j.told, chart.Kinds(), j.sprints.Add); err == nil {
		j.told = end
	}
	return err
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
	j, err := p.now(ctx, project, false)
	if err != nil {
		return chart.History{}, time.Time{}, err
	}
	h := j.charts.History(m.seen())
	return h, p.when(m, h.Last()), nil
}

// Sprints returns what a project's sprints are computed from, as it was, and when that was.
func (p *Past) Sprints(ctx context.Context, project string, m Moment) (*flow.Ledger, time.Time, error) {
	j, err := p.now(ctx, project, true)
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

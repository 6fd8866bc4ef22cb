package past

import (
	"context"
	"errors"
	"slices"

	"chela/internal/chart"
	"chela/internal/packed"
	"chela/internal/stash"
)

// With makes the past keep what charts are computed from in files, and begin with these. program tells one program from another.
func (p *Past) With(files *stash.Folder, program string) *Past {
	p.files, p.form = files, program+"\n"+chart.Form
	return p
}

func chartsOf(project string) string { return "charts " + project }

// Stash keeps what charts are computed from in files for the next start, where it has grown enough since it was. Unless the daemon ends,
// what has grown since this was called last is left for the next time.
func (p *Past) Stash(ctx context.Context, ends bool) error {
	if p.files == nil {
		return nil
	}
	p.journals.mu.Lock()
	kept := slices.Clone(p.journals.kept)
	p.journals.mu.Unlock()
	var err error
	for _, j := range kept {
		if ctx.Err() == nil {
			err = errors.Join(err, p.stash(ctx, j, ends))
		}
	}
	return err
}

func (p *Past) stash(ctx context.Context, j *journal, ends bool) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	end := j.charts.End()
	quiet := j.seen == end
	j.seen = end
	if !quiet && !ends || !p.files.Worth(j.charts.Len(), end-j.stashed) {
		return nil
	}
	hash, err := p.src.Desk.Hash(ctx, j.project, end)
	if err != nil {
		return err
	}
	h := stash.Head{Form: p.form, Name: chartsOf(j.project), Marks: []stash.Mark{{Stream: j.project, At: end, Hash: hash}}}
	err = p.files.Keep(h, func(add func([]byte) error) error {
		var w packed.Writer
		j.charts.Pack(&w)
		return add(w.Bytes())
	})
	if err == nil {
		j.stashed = end
	}
	return err
}

// resume begins with what a file has of a project's charts. Whatever is wrong with the file, it goes, and the log is read.
func (p *Past) resume(ctx context.Context, j *journal) {
	charts, err := p.stashedCharts(ctx, j.project)
	if err != nil && ctx.Err() == nil {
		_ = p.files.Drop(chartsOf(j.project)) // it is written again all the same
	}
	if err == nil && charts != nil {
		j.charts, j.stashed = charts, charts.End()
	}
}

// stashedCharts returns the journal of a file; nil when there is none.
func (p *Past) stashedCharts(ctx context.Context, project string) (*chart.Journal, error) {
	kept, err := p.files.Take(p.form, chartsOf(project))
	if kept == nil || err != nil {
		return nil, err
	}
	defer func() { _ = kept.Close() }() // it was only read
	if len(kept.Marks) != 1 {
		return nil, stash.ErrBroken
	}
	m := kept.Marks[0]
	if hash, err := p.src.Desk.Hash(ctx, project, m.At); err != nil || m.Stream != project || m.Hash != hash {
		return nil, errors.Join(err, stash.ErrBroken)
	}
	var out *chart.Journal
	portions, err := kept.Portions()
	if err != nil {
		return nil, err
	}
	for _, p := range portions {
		raw, err := p.Read()
		if err != nil || out != nil {
			return nil, errors.Join(err, stash.ErrBroken)
		}
		if out, err = chart.Unpack(packed.NewReader(raw)); err != nil {
			return nil, err
		}
	}
	if out != nil && out.End() != m.At {
		return nil, stash.ErrBroken
	}
	return out, nil
}

package schedule

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/inbox"
	"chela/internal/prompt"
	"chela/internal/query"
)

// asked is what the agent is asked: what is its own to do, and what it is to look at.
func (c *Clock) asked(ctx context.Context, e Execution) (string, error) {
	var since time.Time
	if e.Inputs.WindowMinutes > 0 {
		since = e.At.Add(-time.Duration(e.Inputs.WindowMinutes) * time.Minute)
	}
	if e.Message != "" && c.opts.NoModel() != "" { // the records answer it, and are told no more
		return e.Message, nil
	}
	text := e.asks() + prompt.Since(since)
	if e.Inputs.ThreadFilter == "" {
		return text, nil
	}
	fields, err := desk.Fields(desk.Thread)
	if err != nil {
		return "", err
	}
	where, err := query.Parse(e.Inputs.ThreadFilter, fields, e.At)
	if err != nil {
		return "", fmt.Errorf("read the filter of threads: %w", err)
	}
	found, err := c.clerk.Store().Records(ctx, clerk.Query{Project: e.Project, Kind: desk.Thread, Where: where, Newest: true, Limit: prompt.MaxThreads})
	if err != nil {
		return "", fmt.Errorf("look for the threads: %w", err)
	}
	threads := make([]prompt.Thread, 0, len(found.Records))
	for _, r := range found.Records {
		s, err := desk.Summarize(r)
		if err != nil {
			return "", err
		}
		threads = append(threads, prompt.Thread{ID: r.ID, Title: s.Title})
	}
	return text + prompt.Threads(threads, found.Total), nil
}

// vetted is what an agent is asked as hooks leave it, or why it is not.
type vetted struct {
	text   string
	denied string
	idle   string // why it has nothing to look at
}

// vetAtOnce is how many executions hooks are asked about at once.
const vetAtOnce = 8

// vet asks hooks about what is to be started, before the transaction that does it: they may
// take their time.
func (c *Clock) vet(ctx context.Context, acts []Act) (map[string]*vetted, error) {
	out := make(map[string]*vetted)
	var mu sync.Mutex // guards out and failed
	var failed error
	var wait sync.WaitGroup
	room := make(chan struct{}, vetAtOnce)
	for _, a := range acts {
		s, ok := a.(ToStart)
		if !ok {
			continue
		}
		wait.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			v, err := c.vetOne(ctx, s.Execution)
			mu.Lock()
			defer mu.Unlock()
			out[s.Execution.Key()], failed = v, errors.Join(failed, err)
		})
	}
	wait.Wait()
	return out, failed
}

// unanswered says why what a schedule asks has no answer while no agent can work, a sentence.
func (c *Clock) unanswered(ctx context.Context, e Execution) (string, error) {
	why := c.opts.NoModel()
	if why == "" || c.opts.Records == nil {
		return why, nil
	}
	answer, err := c.opts.Records(ctx, e.By, e.Project, e.Message)
	if err != nil || answer != "" {
		return "", err
	}
	return why + " The records alone do not answer what it asks.", nil
}

func (c *Clock) vetOne(ctx context.Context, e Execution) (*vetted, error) {
	if why, err := c.unanswered(ctx, e); why != "" || err != nil {
		return &vetted{idle: why}, err
	}
	if why, err := c.idle(ctx, e); why != "" || err != nil {
		return &vetted{idle: why}, err
	}
	text, err := c.asked(ctx, e)
	if err != nil {
		return nil, err
	}
	m, err := c.inbox.Vet(ctx, inbox.Message{Project: e.Project, Agent: string(e.Agent), Text: text, From: e.By, Channel: channelName})
	if k := fault.KindOf(err); err != nil && (k == fault.Denied || k == fault.Invalid) {
		return &vetted{denied: fault.TextOf(err)}, nil
	}
	return &vetted{text: m.Text}, err
}

package dispatch

import (
	"context"
	"fmt"
	"strings"

	"chela/internal/desk"
	"chela/internal/fault"
)

// A reply is what a command about the conversation answers, without a model.
type reply struct {
	text    string
	project string // the conversation's from now on
}

// command answers whereami, use project NAME and use thread TITLE; nil for anything
// else. Source: reference javaclaw.md §8.
func (d *Dispatcher) command(ctx context.Context, m *Message) (*reply, error) {
	text := strings.TrimRight(strings.ToLower(strings.TrimSpace(m.Text)), "?")
	switch {
	case text == "whereami" || text == "where am i":
		return d.whereami(ctx, *m)
	case strings.HasPrefix(text, "use project "):
		return d.useProject(ctx, strings.TrimSpace(m.Text[len("use project "):]))
	case strings.HasPrefix(text, "use thread "):
		return d.useThread(ctx, m, strings.TrimSpace(m.Text[len("use thread "):]))
	}
	return nil, nil
}

func (d *Dispatcher) whereami(ctx context.Context, m Message) (*reply, error) {
	if m.Thread == "" {
		where, err := d.where(ctx, m.Project)
		return &reply{text: "This is a new conversation in " + where + "."}, err
	}
	s, err := d.records.Session(ctx, m.Thread)
	if fault.KindOf(err) == fault.NotFound && err != nil {
		return &reply{text: fmt.Sprintf("This is thread %s. Nothing has been said in it yet.", m.Thread)}, nil
	}
	if err != nil {
		return nil, err
	}
	where, err := d.where(ctx, s.Project)
	return &reply{text: fmt.Sprintf("This is thread %s, “%s”, with %d messages, in %s.", s.ID, s.Title, s.Messages, where)}, err
}

// where names a project in a sentence.
func (d *Dispatcher) where(ctx context.Context, project string) (string, error) {
	if project == "" {
		return "no project; say `use project NAME` to put it into one", nil
	}
	all, err := d.records.Projects(ctx)
	if err != nil {
		return "", err
	}
	for _, p := range all {
		if p.ID == project {
			return fmt.Sprintf("the project %s (%s)", name(p), p.ID), nil
		}
	}
	return "the project " + project, nil
}

func name(r desk.Record) string {
	s, err := desk.Summarize(r)
	if err != nil {
		return r.ID
	}
	return s.Title
}

func (d *Dispatcher) useProject(ctx context.Context, wanted string) (*reply, error) {
	p, ok, err := d.records.ProjectByName(ctx, wanted)
	if err != nil {
		return nil, err
	}
	if !ok {
		all, err := d.records.Projects(ctx)
		if err != nil {
			return nil, err
		}
		var names []string
		for _, p := range all {
			names = append(names, name(p))
		}
		return &reply{text: fmt.Sprintf("There is no project named %q. There are: %s.", wanted, strings.Join(names, ", "))}, nil
	}
	return &reply{text: fmt.Sprintf("From now on this conversation is about the project %s.", name(p)), project: p.ID}, nil
}

// useThread moves the message into the thread of that title; a missing one is begun.
func (d *Dispatcher) useThread(ctx context.Context, m *Message, wanted string) (*reply, error) {
	project := m.Project
	if m.Thread != "" {
		s, err := d.records.Session(ctx, m.Thread)
		if err == nil && s.Project != "" {
			project = s.Project
		} else if err != nil && fault.KindOf(err) != fault.NotFound {
			return nil, err
		}
	}
	if project == "" {
		return &reply{text: "This conversation belongs to no project. Say `use project NAME` first."}, nil
	}
	m.Project = project
	th, ok, err := d.records.ThreadByTitle(ctx, project, wanted)
	if err != nil {
		return nil, err
	}
	if ok {
		m.Thread = th.ID
		return &reply{text: fmt.Sprintf("Go on in the thread %s (%s).", name(th), th.ID), project: project}, nil
	}
	m.Thread = d.runs.Mint().ID("thr")
	return &reply{text: fmt.Sprintf("There is no thread titled %q, so this begins one: %s.", wanted, m.Thread), project: project}, nil
}

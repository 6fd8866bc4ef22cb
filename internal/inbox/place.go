package inbox

import (
	"context"
	"fmt"
	"strings"

	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/session"
)

// begin answers in a new conversation, in the project of this one.
func (in *Inbox) begin(ctx context.Context, m *Message, _ string) (*reply, error) {
	s, begun, err := in.session(ctx, m)
	if err != nil {
		return nil, err
	}
	if begun {
		select {
		case in.opts.Left <- s.ID:
		default: // it rests by itself
		}
	}
	where, err := in.where(ctx, s.Project)
	m.Project, m.Agent = s.Project, s.Agent
	in.move(m, "")
	return &reply{text: "This is a new conversation in " + where + "."}, err
}

// move has a message, and what follows it, be in another thread; "" makes one up.
func (in *Inbox) move(m *Message, thread string) {
	if thread == "" {
		thread = in.runs.Mint().ID("thr")
	}
	m.Thread, m.Begun = thread, false
}

func (in *Inbox) whereami(ctx context.Context, m *Message, _ string) (*reply, error) {
	s, begun, err := in.session(ctx, m)
	if err != nil {
		return nil, err
	}
	where, err := in.where(ctx, s.Project)
	switch {
	case s.ID == "":
		return &reply{text: "This is a new conversation in " + where + "."}, err
	case !begun:
		return &reply{text: fmt.Sprintf("This is thread %s. Nothing has been said in it yet.", s.ID)}, err
	}
	return &reply{text: fmt.Sprintf("This is thread %s%s, with %d messages, in %s.", s.ID, quoted(s.Title), s.Messages, where)}, err
}

func quoted(title string) string {
	if title == "" {
		return ""
	}
	return ", “" + title + "”"
}

// where names a project in a sentence.
func (in *Inbox) where(ctx context.Context, project string) (string, error) {
	if project == "" {
		return "no project; say `use project NAME` to put it into one", nil
	}
	all, err := in.records.Directory.Projects(ctx)
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

func (in *Inbox) useProject(ctx context.Context, m *Message, wanted string) (*reply, error) {
	if m.Bound {
		where, err := in.where(ctx, m.Project)
		if err == nil && wanted != "" {
			err = fault.New(fault.Denied, "The key is for one project, so the conversation stays in %s.", where)
		}
		return &reply{text: "This conversation is in " + where + ", the only one that the key is for."}, err
	}
	p, ok, err := in.records.Directory.ProjectByName(ctx, wanted)
	if err != nil {
		return nil, err
	}
	if ok && wanted != "" {
		return &reply{text: fmt.Sprintf("From now on this conversation is about the project %s.", name(p)), changed: session.Changed{Project: &p.ID}}, nil
	}
	all, err := in.records.Directory.Projects(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, p := range all {
		names = append(names, name(p))
	}
	there := "There are: " + strings.Join(names, ", ") + "."
	if len(names) == 0 {
		there = "There are none yet; the page and `chela project create NAME` make one."
	}
	if wanted != "" {
		return &reply{text: fmt.Sprintf("There is no project named %q. %s", wanted, there)}, nil
	}
	s, _, err := in.session(ctx, m)
	if err != nil {
		return nil, err
	}
	where, err := in.where(ctx, s.Project)
	return &reply{text: "This conversation is in " + where + ". " + there}, err
}

// useThread moves the message into the thread of that title. A missing one is begun: its record in the
// desk, and the conversation in it.
func (in *Inbox) useThread(ctx context.Context, m *Message, wanted string) (*reply, error) {
	if wanted == "" {
		return in.whereami(ctx, m, "")
	}
	s, _, err := in.session(ctx, m)
	if err != nil {
		return nil, err
	}
	if s.Project == "" {
		return &reply{text: "This conversation belongs to no project. Say `use project NAME` first."}, nil
	}
	m.Project = s.Project
	th, ok, err := in.records.Directory.ThreadByTitle(ctx, s.Project, wanted)
	if err != nil {
		return nil, err
	}
	if ok {
		in.move(m, th.ID)
		return &reply{text: fmt.Sprintf("Go on in the thread %s (%s).", name(th), th.ID), changed: session.Changed{Project: &s.Project}}, nil
	}
	role, err := in.records.Members.RoleOf(ctx, m.From)
	if err != nil {
		return nil, err
	}
	if !role.AtLeast(org.Editor) || in.opts.Threads == nil {
		return &reply{text: fmt.Sprintf("There is no thread titled %q, and to begin one needs the role editor.", wanted)}, nil
	}
	made, err := in.opts.Threads.BeginThread(ctx, m.From, s.Project, wanted)
	if err != nil {
		return nil, err
	}
	in.move(m, made.ID)
	return &reply{text: fmt.Sprintf("There was no thread titled %q, so this begins one: %s.", wanted, m.Thread), changed: session.Changed{Project: &s.Project, Title: &wanted}}, nil
}

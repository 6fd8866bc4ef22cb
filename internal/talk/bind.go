package talk

import (
	"context"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
)

// bind keeps a message of a program within its key: its project, and its tools.
func (t *Talk) bind(ctx context.Context, m *Message) error {
	if m.From.Key == "" {
		return nil
	}
	k, err := t.Store.Keys.Key(ctx, m.From.Key)
	if err != nil {
		return err
	}
	m.Policy = k.Narrow(m.Policy)
	if m.Key != "" { // another program may have used it
		m.Key = k.ID + "/" + m.Key
	}
	if k.Project == "" {
		return nil
	}
	m.Bound = true
	project, begun, err := t.projectIn(ctx, m)
	if err != nil {
		return err
	}
	if begun && project == "" {
		return foreign(k)
	}
	m.Project, err = within(k, project)
	return err
}

// projectIn is the project of the thread that a message names, which has begun, or of the one that it begins.
func (t *Talk) projectIn(ctx context.Context, m *Message) (project string, begun bool, err error) {
	if m.Thread == "" {
		return m.Project, false, nil
	}
	s, err := t.Store.Conversations.Session(ctx, m.Thread)
	if fault.KindOf(err) != fault.NotFound || err == nil {
		return s.Project, true, err
	}
	if r, err := t.Store.Desk.Record(ctx, m.Thread); err == nil {
		return r.Project, true, nil
	}
	return m.Project, false, nil
}

// projectOf is the project of the key by which somebody asks; empty when it is for all, or there is none.
func (t *Talk) projectOf(ctx context.Context, by event.Party) (string, error) {
	if by.Key == "" {
		return "", nil
	}
	k, err := t.Store.Keys.Key(ctx, by.Key)
	return k.Project, err
}

func foreign(k org.Key) error {
	return fault.New(fault.Denied, "The key %q is for another project.", k.Name)
}

// within is the project in which a key works where one is asked for. A fault.Denied says that it is another's.
func within(k org.Key, asked string) (string, error) {
	if k.Project == "" || asked == k.Project {
		return asked, nil
	}
	if asked != "" {
		return "", foreign(k)
	}
	return k.Project, nil
}

// bindCall keeps a call of a tool within the key of who asks.
func (t *Talk) bindCall(ctx context.Context, c *Call, tool string) error {
	if c.From.Key == "" {
		return nil
	}
	k, err := t.Store.Keys.Key(ctx, c.From.Key)
	if err != nil {
		return err
	}
	if !k.Calls(tool) {
		return fault.New(fault.Denied, "The key %q does not allow the tool %s.", k.Name, tool)
	}
	c.Project, err = within(k, c.Project)
	return err
}

package talk

import (
	"context"

	"chela/internal/fault"
	"chela/internal/session"
)

// mostAbout is how many conversations of one agent about a record are looked at, of which all but the last were closed.
const mostAbout = 100

// About returns the conversation in which an agent is asked by comments on a record of a project, which goes on there, or begins under that id. One
// that was closed or removed, or was taken to another project or agent, is left as it is, and the next is named.
func (t *Talk) About(ctx context.Context, record, project, agent string) (string, error) {
	for n := range mostAbout {
		id := session.About(record, agent, n)
		s, err := t.Store.Conversations.Session(ctx, id)
		if err != nil {
			if fault.KindOf(err) == fault.NotFound {
				return id, nil
			}
			return "", err
		}
		if s.Project == project && s.Agent == agent && !s.Closed && !s.Removed {
			return id, nil
		}
	}
	return "", fault.New(fault.Conflict, "%d conversations of the agent %s about %s were closed. Reopen the last with `chela session reopen %s`.", mostAbout, agent, record, session.About(record, agent, mostAbout-1))
}

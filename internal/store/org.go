package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"chela/internal/agent"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/library"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/schedule"
)

// A Roster is the agents.
type Roster struct{ base }

var _ agent.Roster = Roster{}

func (tx *Tx) projectOrg(e event.Event) error {
	at := micros(e.At)
	tx.members = tx.members || e.Message.Type != event.AgentHeartbeat
	switch e.Message.Type {
	case event.AgentRegister:
		return open(e, org.RegisterKind, func(p org.Registration) error {
			was, err := tx.agentBefore(p)
			if err != nil {
				return err
			}
			return tx.putAgent(p.Agent(was), orOnline(p.Status), e)
		})
	case event.AgentUpdate:
		return open(e, org.UpdateKind, func(p org.Update) error { return tx.updateAgent(p, e) })
	case event.AgentHeartbeat:
		return tx.do("UPDATE org_agents SET seen_at = ?, heartbeat = ? WHERE id = ?", at, string(e.Message.Payload), e.Message.From.AgentID)
	case org.RemovedKind.Name:
		return open(e, org.RemovedKind, func(p org.Removed) error {
			return tx.do("DELETE FROM org_agents WHERE id = ?", string(p.AgentID))
		})
	case org.PersonAddedKind.Name:
		return open(e, org.PersonAddedKind, func(p org.PersonAdded) error {
			return tx.do("INSERT INTO org_persons (id, name, role, enabled, created_at, seq) VALUES (?,?,?,1,?,?)", p.ID, p.Name, string(p.Role), at, int64(e.Seq))
		})
	case org.PersonChangedKind.Name:
		return open(e, org.PersonChangedKind, func(p org.PersonChanged) error {
			var enabled *int64
			if p.Enabled != nil {
				n := flag(*p.Enabled)
				enabled = &n
			}
			return tx.do("UPDATE org_persons SET name = coalesce(?, name), role = coalesce(?, role), enabled = coalesce(?, enabled) WHERE id = ?", p.Name, (*string)(p.Role), enabled, p.ID)
		})
	case org.LinkedKind.Name:
		return open(e, org.LinkedKind, func(p org.Identity) error {
			return tx.do("INSERT INTO org_identities (identity, person) VALUES (?, ?) ON CONFLICT (identity) DO UPDATE SET person = excluded.person", p.Identity, p.Person)
		})
	case org.UnlinkedKind.Name:
		return open(e, org.UnlinkedKind, func(p org.Identity) error {
			return tx.do("DELETE FROM org_identities WHERE identity = ? AND person = ?", p.Identity, p.Person)
		})
	}
	return nil
}

func orOnline(s org.Status) org.Status {
	if s == "" {
		return org.Online
	}
	return s
}

func (tx *Tx) putAgent(a org.Agent, s org.Status, e event.Event) error {
	body, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("encode agent: %w", err)
	}
	return tx.do(`INSERT INTO org_agents (id, status, body, seq, updated_at, seen_at, heartbeat) VALUES (?,?,?,?,?,?,'')
		ON CONFLICT (id) DO UPDATE SET status = excluded.status, body = excluded.body, updated_at = excluded.updated_at, seen_at = excluded.seen_at`,
		string(a.Card.AgentID), string(s), string(body), int64(e.Seq), micros(e.At), micros(e.At))
}

// agentBefore is the agent that a registration without a profile tells of once more; the zero one when there is none, and for others.
func (tx *Tx) agentBefore(p org.Registration) (org.Agent, error) {
	if p.Profile != nil {
		return org.Agent{}, nil
	}
	rows, err := tx.query(selectAgent+" WHERE id = ?", string(p.Card.AgentID))
	if err != nil {
		return org.Agent{}, fmt.Errorf("read agent: %w", err)
	}
	was, err := first(rows, scanAgent)
	if errors.Is(err, sql.ErrNoRows) {
		return org.Agent{}, nil
	}
	return was.Agent, err
}

func (tx *Tx) updateAgent(p org.Update, e event.Event) error {
	rows, err := tx.query(selectAgent+" WHERE id = ?", string(p.AgentID))
	if err != nil {
		return err
	}
	old, err := first(rows, scanAgent)
	if err != nil {
		return fmt.Errorf("agent %s: %w", p.AgentID, err)
	}
	if p.Card != nil {
		old.Card = *p.Card
	}
	if p.Profile != nil {
		old.Profile = *p.Profile
	}
	if p.Status != "" {
		old.Status = p.Status
	}
	return tx.putAgent(old.Agent, old.Status, e)
}

const selectAgent = "SELECT id, status, body, updated_at FROM org_agents"

func scanAgent(scan func(...any) error) (m agent.Member, err error) {
	var id, body string
	if err := scan(&id, &m.Status, &body, &m.Version); err != nil {
		return m, err
	}
	if err := json.Unmarshal([]byte(body), &m.Agent); err != nil {
		return m, fmt.Errorf("decode agent %s: %w", id, err)
	}
	return m, nil
}

// Member returns an agent with its status.
func (r Roster) Member(ctx context.Context, id org.AgentID) (agent.Member, error) {
	rows, err := r.db.Query(ctx, selectAgent+" WHERE id = ?", string(id))
	if err != nil {
		return agent.Member{}, fmt.Errorf("read agent: %w", err)
	}
	m, err := first(rows, scanAgent)
	if errors.Is(err, sql.ErrNoRows) {
		return m, noAgent(id)
	}
	return m, err
}

// ChangeAgent records what fn makes of an agent. One call at a time gets so far, among all
// that share the database, and fn may be run again.
func (r Roster) ChangeAgent(ctx context.Context, id org.AgentID, fn func(agent.Member) (event.Draft, error)) error {
	return r.db.Write(ctx, func(tx *Tx) error {
		tx.Hold(event.OrgStream)
		rows, err := tx.query(selectAgent+" WHERE id = ?", string(id))
		if err != nil {
			return fmt.Errorf("read agent: %w", err)
		}
		m, err := first(rows, scanAgent)
		if errors.Is(err, sql.ErrNoRows) {
			return noAgent(id)
		}
		if err != nil {
			return err
		}
		d, err := fn(m)
		if err != nil {
			return err
		}
		_, err = tx.Append(d)
		return err
	})
}

// Members returns all agents by id.
func (r Roster) Members(ctx context.Context) ([]agent.Member, error) {
	rows, err := r.db.Query(ctx, selectAgent+" ORDER BY seq")
	if err != nil {
		return nil, fmt.Errorf("read agents: %w", err)
	}
	return all(rows, scanAgent)
}

// Agent implements [agent.Roster].
func (r Roster) Agent(ctx context.Context, id org.AgentID) (org.Agent, error) {
	all, err := r.keptMembers(ctx)
	if err != nil {
		return org.Agent{}, err
	}
	for _, m := range all {
		if m.Card.AgentID == id {
			return m.Agent, nil
		}
	}
	return org.Agent{}, noAgent(id)
}

func noAgent(id org.AgentID) error {
	return fault.New(fault.NotFound, "The agent %s does not exist.", id)
}

// Agents implements [agent.Roster].
func (r Roster) Agents(ctx context.Context) ([]org.Agent, error) {
	all, err := r.keptMembers(ctx)
	out := make([]org.Agent, len(all))
	for i, m := range all {
		out[i] = m.Agent
	}
	return out, err
}

func (r Roster) keptMembers(ctx context.Context) ([]agent.Member, error) {
	return r.db.agents.get(r.db, func() ([]agent.Member, error) { return r.Members(ctx) })
}

// RoleOf implements [agent.Roster].
func (r Roster) RoleOf(ctx context.Context, from event.Party) (org.Role, error) {
	role, _, err := r.standing(ctx, from)
	return role, err
}

// Barred implements [agent.Roster].
func (r Roster) Barred(ctx context.Context, from event.Party) (string, error) {
	_, barred, err := r.standing(ctx, from)
	return barred, err
}

// standing is the role of the person behind from, or a sentence about why there is none.
func (r Roster) standing(ctx context.Context, from event.Party) (role org.Role, barred string, err error) {
	if id := schedule.Of(from); id != "" { // it may do what the one who made it may
		s, err := r.db.Plan.Schedule(ctx, id)
		if fault.KindOf(err) == fault.NotFound && err != nil {
			return "", fmt.Sprintf("The schedule %s was deleted. Ask for it yourself, or make the schedule again.", id), nil
		}
		if err != nil || s.By.AgentID == run.Chela().AgentID {
			return org.Editor, "", err
		}
		from = s.By
	}
	if slug := library.Of(from); slug != "" { // it may do what the one who deployed it may
		v, err := r.db.Workflows.Author(ctx, slug)
		if err != nil {
			return "", "", err
		}
		from = v
	}
	id := org.PersonOf(from)
	if id == "" {
		return "", "No person asked for it. A person has to.", nil
	}
	p, err := r.db.People.keptPerson(ctx, id)
	switch {
	case err != nil:
		return "", "", err
	case !p.Enabled:
		return "", fault.TextOf(org.Disabled(p)), nil
	case from.Key == "":
		return p.Role, "", nil
	}
	k, err := r.db.Credentials.Key(ctx, from.Key)
	if fault.KindOf(err) == fault.Unauthenticated && err != nil { // what a key began ends with it
		return "", fault.TextOf(err), nil
	}
	return k.Least(p.Role), "", err
}

// Key implements [agent.Roster].
func (r Roster) Key(ctx context.Context, id string) (org.Key, error) {
	return r.db.Credentials.Key(ctx, id)
}

// Busy implements [agent.Roster]. What waits for a person, a program or a budget takes none of an agent's room.
func (r Roster) Busy(ctx context.Context) (map[org.AgentID]agent.Workload, error) {
	rows, err := r.db.Query(ctx, `SELECT agent, sum(CASE WHEN state IN ('requested', 'running') AND coalesce((SELECT r.state FROM runs r WHERE r.id = run_id), '') <> 'waiting' THEN 1 ELSE 0 END), sum(CASE WHEN state = 'done' THEN 1 ELSE 0 END),
		sum(CASE WHEN state = 'failed' THEN 1 ELSE 0 END), max(seq) FROM (SELECT agent, state, seq, run_id FROM tasks ORDER BY seq DESC LIMIT 500) recent GROUP BY agent`)
	if err != nil {
		return nil, fmt.Errorf("read load: %w", err)
	}
	out := make(map[org.AgentID]agent.Workload)
	return out, each(rows, func(scan func(...any) error) error {
		var id org.AgentID
		var open, done, failed, last int64
		if err := scan(&id, &open, &done, &failed, &last); err != nil {
			return err
		}
		s := agent.Workload{Tasks: int(open), Success: 1, Known: done+failed > 0, Last: event.Seq(last)}
		if s.Known {
			s.Success = float64(done) / float64(done+failed)
		}
		out[id] = s
		return nil
	})
}

// Doing returns what each agent has in hand, the oldest first. A task that waits for one of
// its own to end is that one's.
func (r Roster) Doing(ctx context.Context) (map[org.AgentID][]agent.Doing, error) {
	rows, err := r.db.Query(ctx, `SELECT t.agent, r.id, r.thread_id, r.project, t.title, r.state FROM runs r JOIN tasks t ON t.run_id = r.id
		WHERE r.ended_at = 0 AND t.state IN ('requested', 'running')
		AND NOT EXISTS (SELECT 1 FROM tasks c WHERE c.run_id = t.run_id AND c.parent = t.id AND c.state IN ('requested', 'running'))
		ORDER BY t.seq`)
	if err != nil {
		return nil, fmt.Errorf("read what agents do: %w", err)
	}
	out := make(map[org.AgentID][]agent.Doing)
	return out, each(rows, func(scan func(...any) error) error {
		var id org.AgentID
		var d agent.Doing
		err := scan(&id, &d.Run, &d.Thread, &d.Project, &d.Title, &d.State)
		out[id] = append(out[id], d)
		return err
	})
}

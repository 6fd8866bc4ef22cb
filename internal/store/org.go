package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"chela/internal/agent"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/inbox"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/schedule"
)

var _ agent.Roster = (*DB)(nil)

func (tx *Tx) projectModel(e event.Event) error {
	return open(e, agent.AnsweredKind, func(p agent.Answered) error {
		a := p.Answer
		project, _ := strings.CutPrefix(e.Stream, event.ProjectStream("")) // of a question; a run has its own
		if project == e.Stream {
			project = ""
		}
		return tx.do(`INSERT INTO model_calls (seq, run_id, task_id, agent, provider, model, input_tokens, output_tokens, cost_microusd, cost_known, duration_ms, at, project)
			VALUES (?,?,?,?,?,?,?,?,?,?,?,?, coalesce(nullif(CAST(? AS TEXT), ''), (SELECT project FROM runs WHERE id = ?), ''))`, int64(e.Seq), e.Message.RunID, e.Message.TaskID, p.Agent, a.Provider, a.Model,
			a.Usage.InputTokens+a.Usage.CacheReadTokens+a.Usage.CacheWriteTokens, a.Usage.OutputTokens, int64(a.CostUSD*1e6), flag(a.CostKnown), a.Duration.Milliseconds(), micros(e.At),
			project, e.Message.RunID)
	})
}

func (tx *Tx) projectOrg(e event.Event) error {
	at := micros(e.At)
	tx.members = tx.members || e.Message.Type != event.AgentHeartbeat
	switch e.Message.Type {
	case event.AgentRegister:
		return open(e, org.RegisterKind, func(p org.Registration) error {
			a := org.Agent{Card: p.Card}
			if p.Profile != nil {
				a.Profile = *p.Profile
			} else { // it runs outside: we keep only its card
				a.Profile = org.Profile{Kind: org.Specialist, Prompt: "outside", Tools: []string{}, Enabled: true}
			}
			return tx.putAgent(a, orOnline(p.Status), e)
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
func (db *DB) Member(ctx context.Context, id org.AgentID) (agent.Member, error) {
	rows, err := db.Query(ctx, selectAgent+" WHERE id = ?", string(id))
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
func (db *DB) ChangeAgent(ctx context.Context, id org.AgentID, fn func(agent.Member) (event.Draft, error)) error {
	return db.Write(ctx, func(tx *Tx) error {
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
func (db *DB) Members(ctx context.Context) ([]agent.Member, error) {
	rows, err := db.Query(ctx, selectAgent+" ORDER BY seq")
	if err != nil {
		return nil, fmt.Errorf("read agents: %w", err)
	}
	return all(rows, scanAgent)
}

// Agent implements [agent.Roster].
func (db *DB) Agent(ctx context.Context, id org.AgentID) (org.Agent, error) {
	all, err := db.keptMembers(ctx)
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
func (db *DB) Agents(ctx context.Context) ([]org.Agent, error) {
	all, err := db.keptMembers(ctx)
	out := make([]org.Agent, len(all))
	for i, m := range all {
		out[i] = m.Agent
	}
	return out, err
}

func (db *DB) keptMembers(ctx context.Context) ([]agent.Member, error) {
	return db.agents.get(db, func() ([]agent.Member, error) { return db.Members(ctx) })
}

// RoleOf implements [agent.Roster].
func (db *DB) RoleOf(ctx context.Context, from event.Party) (org.Role, error) {
	if id := schedule.Of(from); id != "" { // it may do what the one who made it may
		s, err := db.Schedule(ctx, id)
		if fault.KindOf(err) == fault.NotFound && err != nil {
			return "", nil
		}
		if err != nil || s.By.AgentID == run.Chela().AgentID {
			return org.Editor, err
		}
		from = s.By
	}
	id := org.PersonOf(from)
	if id == "" {
		return "", nil
	}
	p, err := db.keptPerson(ctx, id)
	if err != nil || !p.Enabled {
		return "", err
	}
	return p.Role, nil
}

func (db *DB) keptPerson(ctx context.Context, id string) (org.Person, error) {
	all, err := db.persons.get(db, func() (map[string]org.Person, error) {
		people, err := db.Persons(ctx)
		out := make(map[string]org.Person, len(people))
		for _, p := range people {
			out[p.ID] = p
		}
		return out, err
	})
	p, ok := all[id]
	if err == nil && !ok {
		err = noPerson(id)
	}
	return p, err
}

func noPerson(id string) error { return fault.New(fault.NotFound, "The person %s does not exist.", id) }

// Busy implements [agent.Roster].
func (db *DB) Busy(ctx context.Context) (map[org.AgentID]agent.Workload, error) {
	rows, err := db.Query(ctx, `SELECT agent, sum(CASE WHEN state IN ('requested', 'running') THEN 1 ELSE 0 END), sum(CASE WHEN state = 'done' THEN 1 ELSE 0 END),
		sum(CASE WHEN state = 'failed' THEN 1 ELSE 0 END), max(seq) FROM (SELECT agent, state, seq FROM tasks ORDER BY seq DESC LIMIT 500) recent GROUP BY agent`)
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
func (db *DB) Doing(ctx context.Context) (map[org.AgentID][]agent.Doing, error) {
	rows, err := db.Query(ctx, `SELECT t.agent, r.id, r.thread_id, r.project, t.title, r.state FROM runs r JOIN tasks t ON t.run_id = r.id
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

// SpendBy sums the model calls of each agent since an instant.
func (db *DB) SpendBy(ctx context.Context, since time.Time) (map[org.AgentID]agent.Spend, error) {
	return spendOf[org.AgentID](ctx, db, "agent", "at >= ?", micros(since))
}

// Spent sums the model calls of a conversation since an instant; of all when thread is empty.
func (db *DB) Spent(ctx context.Context, thread string, since time.Time) (inbox.Spent, error) {
	var s inbox.Spent
	var millis int
	err := db.one(ctx, "SELECT "+spendSums+" FROM model_calls WHERE at >= ? AND (? = '' OR run_id IN (SELECT id FROM runs WHERE thread_id = ?))",
		[]any{micros(since), thread, thread}, &s.Calls, &s.Input, &s.Output, &s.USD, &s.Unpriced, &millis)
	return s, err
}

// Person returns a member.
func (db *DB) Person(ctx context.Context, id string) (org.Person, error) {
	people, err := db.personsWhere(ctx, "WHERE p.id = ?", id)
	if err != nil {
		return org.Person{}, err
	}
	if len(people) == 0 {
		return org.Person{}, noPerson(id)
	}
	return people[0], nil
}

// PersonOf returns the member who has an identity. The error is a fault.NotFound when nobody does.
func (db *DB) PersonOf(ctx context.Context, identity string) (org.Person, error) {
	people, err := db.personsWhere(ctx, "WHERE p.id = (SELECT person FROM org_identities WHERE identity = ?)", identity)
	if err != nil {
		return org.Person{}, err
	}
	if len(people) == 0 {
		return org.Person{}, fault.New(fault.NotFound, "Nobody has the identity %s.", identity)
	}
	return people[0], nil
}

// Persons returns all members in the order they were added.
func (db *DB) Persons(ctx context.Context) ([]org.Person, error) { return db.personsWhere(ctx, "") }

func (db *DB) personsWhere(ctx context.Context, where string, args ...any) ([]org.Person, error) {
	rows, err := db.Query(ctx, `SELECT p.id, p.name, p.role, p.enabled, p.created_at, coalesce(i.identity, '') FROM org_persons p
		LEFT JOIN org_identities i ON i.person = p.id `+where+` ORDER BY p.seq, i.identity`, args...)
	if err != nil {
		return nil, fmt.Errorf("read persons: %w", err)
	}
	var people []org.Person
	return people, each(rows, func(scan func(...any) error) error {
		var p org.Person
		var enabled, created int64
		var identity string
		if err := scan(&p.ID, &p.Name, &p.Role, &enabled, &created, &identity); err != nil {
			return err
		}
		if n := len(people); n == 0 || people[n-1].ID != p.ID {
			p.Enabled, p.CreatedAt, p.Identities = enabled != 0, fromMicros(created), []string{}
			people = append(people, p)
		}
		if last := &people[len(people)-1]; identity != "" {
			last.Identities = append(last.Identities, identity)
		}
		return nil
	})
}

// SpendSince sums the model calls since an instant.
func (db *DB) SpendSince(ctx context.Context, since time.Time) (s agent.Spend, err error) {
	err = db.one(ctx, "SELECT "+spendSums+" FROM model_calls WHERE at >= ?", []any{micros(since)}, sumsInto(&s)...)
	return s, err
}

// Spend sums the model calls of a run, or of all when id is empty.
func (db *DB) Spend(ctx context.Context, id run.ID) (agent.Spend, error) {
	if id == "" {
		return db.SpendSince(ctx, time.Time{})
	}
	of, err := db.Spends(ctx, []run.ID{id})
	return of[id], err
}

// Spends sums the model calls of each of the runs; one without any is not in the result.
func (db *DB) Spends(ctx context.Context, ids []run.ID) (map[run.ID]agent.Spend, error) {
	if len(ids) == 0 {
		return map[run.ID]agent.Spend{}, nil
	}
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = string(id)
	}
	return spendOf[run.ID](ctx, db, "run_id", "run_id IN ("+marks(len(ids))+")", args...)
}

// spendSums are what sumsInto scans.
const spendSums = `count(*), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0),
	CAST(coalesce(sum(cost_microusd), 0) AS DOUBLE PRECISION) / 1e6, coalesce(sum(1 - cost_known), 0), coalesce(sum(duration_ms), 0)`

func sumsInto(s *agent.Spend) []any {
	return []any{&s.Calls, &s.InputTokens, &s.OutputTokens, &s.CostUSD, &s.Unpriced, &s.DurationMS}
}

// spendOf sums the model calls by what a column names; what has none is not in the result.
func spendOf[K ~string](ctx context.Context, db *DB, by, where string, args ...any) (map[K]agent.Spend, error) {
	rows, err := db.Query(ctx, "SELECT "+by+", "+spendSums+" FROM model_calls WHERE "+where+" GROUP BY "+by, args...)
	if err != nil {
		return nil, fmt.Errorf("read what was spent: %w", err)
	}
	out := make(map[K]agent.Spend)
	return out, each(rows, func(scan func(...any) error) error {
		var id K
		var s agent.Spend
		err := scan(append([]any{&id}, sumsInto(&s)...)...)
		out[id] = s
		return err
	})
}

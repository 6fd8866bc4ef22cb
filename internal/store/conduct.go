package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"chela/internal/agent"
	"chela/internal/contract"
	"chela/internal/event"
	"chela/internal/library"
)

// projectEvidence writes what was found of a contract.
func (tx *Tx) projectEvidence(p contract.Evidence, e event.Event) error {
	at := int64(0)
	if p.Ticket != "" {
		at = micros(e.At)
	}
	return tx.do("INSERT INTO workflow_evidence (seq, run_id, path, agent, met, body, ticket, at) VALUES (?,?,?,?,?,?,?,?)",
		int64(e.Seq), e.Message.RunID, p.Path, p.Agent, flag(p.Met), string(e.Message.Payload), p.Ticket, at)
}

// projectOutside writes what an agent changed that it was not asked for.
func (tx *Tx) projectOutside(e event.Event) error {
	return open(e, agent.OutsideKind, func(p agent.Outside) error {
		return tx.do("INSERT INTO run_outside (seq, run_id, task, agent, changed, body, at) VALUES (?,?,?,?,?,?,?)",
			int64(e.Seq), e.Message.RunID, e.Message.TaskID, p.Agent, len(p.Changed), string(e.Message.Payload), micros(e.At))
	})
}

// Contracts counts of each agent how often it said that something was done, how often the contract said no, and
// what it changed that it was not asked for.
func (w Workflows) Contracts(ctx context.Context) ([]library.Contracts, error) {
	of := make(map[string]*library.Contracts)
	count := func(query string, take func(c *library.Contracts, a, b int)) error {
		rows, err := w.db.Query(ctx, query)
		if err != nil {
			return fmt.Errorf("count contracts: %w", err)
		}
		_, err = all(rows, func(scan func(...any) error) (struct{}, error) {
			var name string
			var a, b int
			if err := scan(&name, &a, &b); err != nil {
				return struct{}{}, err
			}
			if of[name] == nil {
				of[name] = &library.Contracts{Agent: name}
			}
			take(of[name], a, b)
			return struct{}{}, nil
		})
		return err
	}
	err := cmp.Or(
		count("SELECT agent, count(*), sum(CASE WHEN met = 0 THEN 1 ELSE 0 END) FROM workflow_evidence GROUP BY agent", func(c *library.Contracts, said, unmet int) {
			c.Said, c.Unmet = said, unmet
			c.Rate = float64(unmet) / float64(max(said, 1))
		}),
		count("SELECT agent, sum(changed), count(DISTINCT task) FROM run_outside GROUP BY agent", func(c *library.Contracts, changed, tasks int) { c.Outside, c.Tasks = changed, tasks }),
	)
	out := make([]library.Contracts, 0, len(of))
	for _, c := range of {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b library.Contracts) int { return cmp.Compare(a.Agent, b.Agent) })
	return out, err
}

// Proofs returns what was found of the contract of a record, the newest first.
func (w Workflows) Proofs(ctx context.Context, record string) ([]library.Proof, error) {
	rows, err := w.db.Query(ctx, "SELECT body, seq, run_id, at FROM workflow_evidence WHERE ticket = ? ORDER BY seq DESC", record)
	if err != nil {
		return nil, fmt.Errorf("read evidence: %w", err)
	}
	return all(rows, func(scan func(...any) error) (p library.Proof, err error) {
		var body string
		var seq, at int64
		if err := scan(&body, &seq, &p.Run, &at); err != nil {
			return p, err
		}
		p.Seq, p.At = event.Seq(seq), fromMicros(at)
		return p, json.Unmarshal([]byte(body), &p.Evidence)
	})
}

// Outside returns what an agent changed that it was not asked for, the newest first.
func (w Workflows) Outside(ctx context.Context, who string, limit int) ([]library.Outside, error) {
	rows, err := w.db.Query(ctx, "SELECT body, seq, run_id, at FROM run_outside WHERE agent = ? ORDER BY seq DESC"+limited(limit), who)
	if err != nil {
		return nil, fmt.Errorf("read work outside of what was asked: %w", err)
	}
	return all(rows, func(scan func(...any) error) (o library.Outside, err error) {
		var body string
		var seq, at int64
		if err := scan(&body, &seq, &o.Run, &at); err != nil {
			return o, err
		}
		o.Seq, o.At = event.Seq(seq), fromMicros(at)
		return o, json.Unmarshal([]byte(body), &o.Outside)
	})
}

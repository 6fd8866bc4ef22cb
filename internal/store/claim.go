package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/run"
)

// A Queue is the work that is ready, claimed or parked.
type Queue struct{ base }

// A claim is what a transaction changes of one run's claim, written when nothing can be added to it any more.
type claim struct {
	run   run.ID
	job   *run.Job // it becomes ready so
	way   run.Way
	node  string
	epoch int64  // it is claimed under it by node
	agent string // with which it takes a slot, if one of the most is free
	most  int
}

// claim writes what is to be changed of claims.
func (tx *Tx) claim() {
	for _, c := range tx.claims {
		if c.job == nil {
			tx.waiting = append(tx.waiting, Statement{"UPDATE run_claims SET epoch = ?, state = 'claimed', node = ? WHERE run_id = ?", []any{c.epoch, c.node, string(c.run)}})
		} else {
			tx.ready(c)
		}
	}
	if len(tx.claims) > 0 {
		tx.free = ""
	}
	tx.claims = nil
}

// ready makes a job ready.
func (tx *Tx) ready(c *claim) {
	j, fields, value := c.job, "", ""
	args := []any{string(c.job.Run), j.Segment, string(j.Lane), j.Partition, j.Kind, string(c.way), c.node}
	if c.agent != "" {
		free, more := tx.freeSlot(c.agent, c.most)
		fields, value, args = ", slot, slot_number", ", ?, "+free, append(append(args, c.agent), more...)
	}
	tx.waiting = append(tx.waiting, Statement{`INSERT INTO run_claims (run_id, epoch, segment, lane, part, kind, state, way, node, not_before, deadline` + fields + `)
		VALUES (?, 0, ?, ?, ?, ?, 'ready', ?, ?, 0, 0` + value + `)
		ON CONFLICT (run_id) DO UPDATE SET segment = excluded.segment, state = 'ready', way = excluded.way, node = excluded.node, not_before = 0`, args})
}

// AssignSlot implements [run.ClaimTx].
func (c txClaims) AssignSlot(id run.ID, agent string, most int) error {
	for _, o := range c.tx.claims {
		if o.run == id && o.job != nil && o.way == run.Direct {
			o.agent, o.most = agent, most
		}
	}
	return nil
}

// Ready implements [run.ClaimTx].
func (c txClaims) Ready(j run.Job) error {
	c.tx.claim()
	c.tx.claims = append(c.tx.claims, &claim{run: j.Run, job: &j, way: run.ByQueue})
	return nil
}

// Claim implements [run.ClaimTx].
func (c txClaims) Claim(j run.Job, node string) (epoch int64, ok bool, err error) {
	if s := c.tx.ahead; s != nil && s.run == j.Run && len(c.tx.claims) == 0 {
		if ok = s.segment == j.Segment && (s.state == "ready" || s.state == "claimed" && !j.Fresh); ok {
			s.epoch, s.state = s.epoch+1, "claimed"
			c.tx.claims = append(c.tx.claims, &claim{run: j.Run, node: node, epoch: s.epoch})
		}
		return s.epoch, ok, nil
	}
	if j.Fresh && j.Segment == 1 { // its first claim ever
		n, err := c.tx.Exec(c.tx.ctx, "UPDATE run_claims SET epoch = 1, state = 'claimed', node = ? WHERE run_id = ? AND segment = 1 AND state = 'ready' AND epoch = 0", node, string(j.Run))
		return 1, n > 0, err
	}
	from := "state IN ('ready', 'claimed')"
	if j.Fresh {
		from = "state = 'ready'"
	}
	err = c.tx.row("UPDATE run_claims SET epoch = epoch + 1, state = 'claimed', node = ? WHERE run_id = ? AND segment = ? AND "+from+" RETURNING epoch",
		[]any{node, string(j.Run), j.Segment}, &epoch)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, false, nil
	}
	return epoch, err == nil, err
}

// Fence implements [run.ClaimTx].
func (c txClaims) Fence(id run.ID, epoch int64) error {
	superseded := fault.New(fault.Conflict, "Run %s is not worked under epoch %d any more.", id, epoch)
	if s := c.tx.ahead; s != nil && s.run == id {
		if s.state != "claimed" || s.epoch != epoch {
			return superseded
		}
		return nil
	}
	n, err := c.tx.Exec(c.tx.ctx, "UPDATE run_claims SET deadline = 0 WHERE run_id = ? AND epoch = ? AND state = 'claimed'", string(id), epoch)
	if err == nil && n == 0 {
		return superseded
	}
	return err
}

// Park implements [run.ClaimTx].
func (c txClaims) Park(id run.ID, until time.Time) error {
	c.tx.claim()
	return c.tx.do("UPDATE run_claims SET state = 'parked', node = '', not_before = ?, slot = CASE WHEN slot_number > 0 THEN '' ELSE slot END, slot_number = 0 WHERE run_id = ?", micros(until), string(id))
}

// Unready implements [run.ClaimTx].
func (c txClaims) Unready(id run.ID, epoch int64) error {
	c.tx.claim()
	return c.tx.do("UPDATE run_claims SET state = 'ready', node = CASE way WHEN 'direct' THEN node ELSE '' END, slot = '', slot_number = 0 WHERE run_id = ? AND epoch = ? AND state = 'claimed'", string(id), epoch)
}

// Release implements [run.ClaimTx].
func (c txClaims) Release(id run.ID) error {
	c.tx.claims = slices.DeleteFunc(c.tx.claims, func(o *claim) bool { return o.run == id }) // it ends
	return c.tx.do("DELETE FROM run_claims WHERE run_id = ?", string(id))
}

// Route implements [run.ClaimTx].
func (c txClaims) Route(id run.ID, way run.Way, node string) error {
	for _, o := range c.tx.claims {
		if o.run == id && o.job != nil {
			o.way, o.node = way, node
			return nil
		}
	}
	return c.tx.do("UPDATE run_claims SET way = ?, node = ? WHERE run_id = ? AND state = 'ready'", string(way), node, string(id))
}

// Announce implements [run.ClaimTx].
func (c txClaims) Announce(lane run.Lane) { c.tx.topics[event.JobsWait(string(lane))] = true }

// selectJobs reads the claims c and the runs r, joined by CROSS: the claims are the few. A condition follows.
const selectJobs = "SELECT c.run_id, c.segment, c.kind, c.lane, c.part, c.way, c.not_before, CASE c.state WHEN 'claimed' THEN 1 ELSE 0 END, r.seq, r.spec FROM run_claims c CROSS JOIN runs r WHERE r.id = c.run_id AND "

func scanJob(scan func(...any) error) (j run.Job, err error) {
	var before, begun int64
	var raw string
	if err := scan(&j.Run, &j.Segment, &j.Kind, &j.Lane, &j.Partition, &j.Way, &before, &begun, &j.Seq, &raw); err != nil {
		return j, err
	}
	j.NotBefore, j.Begun = fromMicros(before), begun != 0
	var spec struct {
		By event.Party `json:"by"`
	}
	err = json.Unmarshal([]byte(raw), &spec)
	j.Share = run.ShareOf(spec.By)
	return j, err
}

// Beside implements [run.ClaimTx].
func (c txClaims) Beside(partition string, id run.ID) ([]run.Job, error) {
	if c.tx.alone(partition, id) {
		return nil, nil
	}
	rows, err := c.tx.query(selectJobs+"c.part = ? AND c.run_id <> ? AND c.state <> 'parked' ORDER BY r.seq", partition, string(id))
	if err != nil {
		return nil, fmt.Errorf("read the open runs of %s: %w", partition, err)
	}
	return all(rows, scanJob)
}

// Jobs returns what is ready or was claimed, oldest first, and the parked runs that
// wait for a time.
func (q Queue) Jobs(ctx context.Context) (open, parked []run.Job, err error) {
	rows, err := q.db.Query(ctx, selectJobs+"(c.state <> 'parked' OR c.not_before > 0) ORDER BY r.seq")
	if err != nil {
		return nil, nil, fmt.Errorf("read open runs: %w", err)
	}
	found, err := all(rows, scanJob)
	for _, j := range found {
		if j.NotBefore.IsZero() {
			open = append(open, j)
		} else {
			parked = append(parked, j)
		}
	}
	return open, parked, err
}

// Direct returns the ready and claimed jobs that node works without a queue, oldest first.
func (q Queue) Direct(ctx context.Context, node string) ([]run.Job, error) {
	rows, err := q.db.Query(ctx, selectJobs+"c.way = 'direct' AND c.node = ? AND c.state <> 'parked' ORDER BY r.seq", node)
	if err != nil {
		return nil, fmt.Errorf("read the runs of %s: %w", node, err)
	}
	return all(rows, scanJob)
}

// mostWaiting bounds what is read of a lane at once: more than one who asks may have in hand.
const mostWaiting = 256

// Waiting returns jobs of a lane that no node works and before which none of their conversations is to be worked, oldest first.
func (q Queue) Waiting(ctx context.Context, lane run.Lane) ([]run.Job, error) {
	rows, err := q.db.Query(ctx, selectJobs+`c.way = 'queue' AND c.state <> 'parked' AND c.lane = ? AND NOT EXISTS (SELECT 1 FROM run_claims o JOIN runs p ON p.id = o.run_id
		WHERE o.part = c.part AND o.run_id <> c.run_id AND o.state <> 'parked' AND (o.way = 'direct' OR p.seq < r.seq)) ORDER BY r.seq`+limited(mostWaiting), string(lane))
	if err != nil {
		return nil, fmt.Errorf("read what waits in the lane %s: %w", lane, err)
	}
	return all(rows, scanJob)
}

// Take makes jobs that still wait node's to work, and returns which it got.
func (q Queue) Take(ctx context.Context, node string, jobs []run.ID) (got []run.ID, err error) {
	err = q.db.Write(ctx, func(tx *Tx) error {
		rows, err := tx.query("UPDATE run_claims SET way = 'direct', node = ? WHERE way = 'queue' AND state <> 'parked' AND run_id IN ("+marks(len(jobs))+") RETURNING run_id",
			append([]any{node}, anys(jobs)...)...)
		if err != nil {
			return err
		}
		got, err = all(rows, scanRunID)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("take what waits: %w", err)
	}
	return got, nil
}

func scanRunID(scan func(...any) error) (id run.ID, err error) { return id, scan(&id) }

// Claims returns the runs that node works, with the epochs of their claims.
func (q Queue) Claims(ctx context.Context, node string) (map[run.ID]int64, error) {
	rows, err := q.db.Query(ctx, "SELECT run_id, epoch FROM run_claims WHERE node = ? AND state = 'claimed'", node)
	if err != nil {
		return nil, fmt.Errorf("list claims: %w", err)
	}
	out := make(map[run.ID]int64)
	err = each(rows, func(scan func(...any) error) error {
		var id run.ID
		var epoch int64
		if err := scan(&id, &epoch); err != nil {
			return err
		}
		out[id] = epoch
		return nil
	})
	return out, err
}

// Cluster returns what node sees of the nodes and the claims at a time, in one statement.
func (q Queue) Cluster(ctx context.Context, node string, at time.Time) (run.Cluster, error) {
	rows, err := q.db.Query(ctx, `SELECT 'node', id, seen_at FROM nodes
		UNION ALL SELECT 'due', run_id, 0 FROM (SELECT run_id FROM run_claims WHERE state = 'parked' AND not_before > 0 AND not_before <= ? ORDER BY not_before LIMIT 100) d
		UNION ALL SELECT DISTINCT 'lane', lane, 0 FROM run_claims WHERE way = 'queue' AND state <> 'parked'
		UNION ALL SELECT CASE node WHEN ? THEN 'mine' ELSE 'orphan' END, run_id, 0 FROM run_claims
			WHERE way = 'direct' AND state <> 'parked' AND (node = ? OR node NOT IN (SELECT id FROM nodes))`, micros(at), node, node)
	out := run.Cluster{Nodes: make(map[string]time.Time)}
	if err != nil {
		return out, fmt.Errorf("look at the cluster: %w", err)
	}
	return out, each(rows, func(scan func(...any) error) error {
		var what, name string
		var seen int64
		if err := scan(&what, &name, &seen); err != nil {
			return err
		}
		switch what {
		case "node":
			out.Nodes[name] = fromMicros(seen)
		case "due":
			out.Overdue = append(out.Overdue, run.ID(name))
		case "lane":
			out.Waiting = append(out.Waiting, run.Lane(name))
		case "mine":
			out.Mine = append(out.Mine, run.ID(name))
		case "orphan":
			out.Orphans = true
		}
		return nil
	})
}

// requeue has what nodes that are not listed worked wait for another, under an epoch of nobody. Whoever worked it can record
// nothing more.
const requeue = `UPDATE run_claims SET way = 'queue', node = '', state = 'claimed', epoch = epoch + 1
	WHERE way = 'direct' AND state <> 'parked' AND node NOT IN (SELECT id FROM nodes)`

// Requeue has what nodes worked that are not listed any more wait for another, and returns how many runs that are.
func (q Queue) Requeue(ctx context.Context) (n int64, err error) {
	err = q.db.Write(ctx, func(tx *Tx) (err error) {
		n, err = tx.Exec(ctx, requeue)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("take up what no node works: %w", err)
	}
	return n, nil
}

-- +goose Up
-- No claim follows another any more: what waits, waits in the queue.
CREATE TABLE run_claims_new (
  run_id     TEXT PRIMARY KEY,
  epoch      INTEGER NOT NULL,
  segment    INTEGER NOT NULL,
  lane       TEXT NOT NULL,
  part       TEXT NOT NULL,
  kind       TEXT NOT NULL,
  state      TEXT NOT NULL CHECK (state IN ('ready', 'claimed', 'parked')),
  node       TEXT NOT NULL,
  not_before INTEGER NOT NULL,
  deadline   INTEGER NOT NULL,
  -- With which agent the run has a slot (holds_slot is 1) or waits for one.
  slot       TEXT NOT NULL DEFAULT '',
  holds_slot INTEGER NOT NULL DEFAULT 0,
  -- How a job comes to its worker.
  way        TEXT NOT NULL DEFAULT 'queue' CHECK (way IN ('queue', 'direct'))
) WITHOUT ROWID;
INSERT INTO run_claims_new SELECT run_id, epoch, segment, lane, part, kind, state, node, not_before, deadline, slot, holds_slot, 'queue' FROM run_claims;
DROP TABLE run_claims;
ALTER TABLE run_claims_new RENAME TO run_claims;

-- +goose Down
SELECT 1;

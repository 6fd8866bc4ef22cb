-- +goose Up
-- What budgets count of a step that is a call of a tool.
ALTER TABLE run_steps ADD COLUMN calls INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run_steps ADD COLUMN millis INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run_steps ADD COLUMN agent TEXT NOT NULL DEFAULT '';
ALTER TABLE run_steps ADD COLUMN at INTEGER NOT NULL DEFAULT 0;
CREATE INDEX run_steps_calls ON run_steps (at) WHERE calls > 0;

-- With which agent the run has a seat (seated is 1) or waits for one.
ALTER TABLE run_claims ADD COLUMN seat TEXT NOT NULL DEFAULT '';
ALTER TABLE run_claims ADD COLUMN seated INTEGER NOT NULL DEFAULT 0;

ALTER TABLE sessions ADD COLUMN closed INTEGER NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE sessions DROP COLUMN closed;
ALTER TABLE run_claims DROP COLUMN seated;
ALTER TABLE run_claims DROP COLUMN seat;
DROP INDEX run_steps_calls;
ALTER TABLE run_steps DROP COLUMN at;
ALTER TABLE run_steps DROP COLUMN agent;
ALTER TABLE run_steps DROP COLUMN millis;
ALTER TABLE run_steps DROP COLUMN calls;

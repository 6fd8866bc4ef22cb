-- +goose Up
CREATE TABLE budgets (
  id   TEXT PRIMARY KEY,
  body TEXT NOT NULL,
  seq  INTEGER NOT NULL
);
-- What calls under way may take at most. A row counts until the answer of its step is recorded.
CREATE TABLE budget_reservations (
  run_id   TEXT NOT NULL,
  step     TEXT NOT NULL,
  project  TEXT NOT NULL,
  agent    TEXT NOT NULL,
  tokens   INTEGER NOT NULL,
  microusd INTEGER NOT NULL,
  millis   INTEGER NOT NULL,
  at       INTEGER NOT NULL,
  PRIMARY KEY (run_id, step)
);
ALTER TABLE model_calls ADD COLUMN project TEXT NOT NULL DEFAULT '';
UPDATE model_calls SET project = coalesce(
  (SELECT substr(e.stream, 9) FROM log_events e WHERE e.seq = model_calls.seq AND e.stream LIKE 'project:%'),
  (SELECT r.project FROM runs r WHERE r.id = model_calls.run_id), '');
CREATE INDEX model_calls_at ON model_calls (at);
CREATE INDEX model_calls_project ON model_calls (project, at);

-- +goose Down
DROP INDEX model_calls_project;
DROP INDEX model_calls_at;
ALTER TABLE model_calls DROP COLUMN project;
DROP TABLE budget_reservations;
DROP TABLE budgets;

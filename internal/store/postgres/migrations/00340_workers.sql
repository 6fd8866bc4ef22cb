-- +goose Up
-- What workers are asked for, as their events say. Those that have not ended are looked for.
CREATE TABLE worker_tasks (
  id     TEXT PRIMARY KEY,
  worker TEXT NOT NULL,
  ended  BIGINT NOT NULL,
  body   TEXT NOT NULL,
  at     BIGINT NOT NULL
);
CREATE INDEX worker_tasks_open ON worker_tasks (worker, at) WHERE ended = 0;

-- +goose Down
DROP TABLE worker_tasks;

-- +goose Up
-- Tasks that agents of others were given and that go on, until their conversation knows what came of them.
CREATE TABLE mcp_tasks (
  id        TEXT PRIMARY KEY, -- of the event
  thread_id TEXT NOT NULL,
  server    TEXT NOT NULL,
  task      TEXT NOT NULL,
  run_id    TEXT NOT NULL,
  body      TEXT NOT NULL,
  at        INTEGER NOT NULL,
  UNIQUE (thread_id, server, task)
);
-- When each is looked at next: who moves that looks.
CREATE TABLE mcp_looks (
  id      TEXT PRIMARY KEY,
  next_at INTEGER NOT NULL
);

-- +goose Down
DROP TABLE mcp_looks;
DROP TABLE mcp_tasks;

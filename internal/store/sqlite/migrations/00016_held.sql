-- +goose Up
-- Messages that wait for their turn, and what becomes of those that come while an agent works.
CREATE TABLE session_held (
  id        TEXT PRIMARY KEY,
  thread_id TEXT NOT NULL,
  seq       INTEGER NOT NULL,
  actor     TEXT NOT NULL,
  body      TEXT NOT NULL,
  due_at    INTEGER NOT NULL,
  at        INTEGER NOT NULL
);
CREATE INDEX session_held_thread ON session_held (thread_id, seq);

ALTER TABLE sessions ADD COLUMN queue TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE sessions DROP COLUMN queue;
DROP TABLE session_held;

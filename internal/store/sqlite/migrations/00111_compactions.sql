-- +goose Up
-- What stands for the older part of a conversation, as models are shown it.
CREATE TABLE session_compactions (
  seq       INTEGER PRIMARY KEY,
  thread_id TEXT NOT NULL,
  body      TEXT NOT NULL
);
CREATE INDEX session_compactions_thread ON session_compactions (thread_id, seq);

-- +goose Down
DROP TABLE session_compactions;

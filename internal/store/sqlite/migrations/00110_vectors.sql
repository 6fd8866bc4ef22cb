-- +goose Up
-- What passages mean, as vectors of a model: an index that can be made anew, and not in the log. A vector goes with its passage.
CREATE TABLE recall_vectors (
  n      INTEGER PRIMARY KEY,
  stamp  INTEGER NOT NULL, -- of when it was written; each is later than those before
  vector BLOB NOT NULL,   -- a signed byte for each number; empty when the model knows no word of the passage
  signs  BLOB NOT NULL    -- a bit for each number: whether it is above 0
);
CREATE INDEX recall_vectors_stamp ON recall_vectors (stamp);
CREATE TABLE recall_vector_state (
  id      INTEGER PRIMARY KEY, -- 1
  model   TEXT NOT NULL,    -- of all vectors; empty for none
  dims    INTEGER NOT NULL, -- 0 as long as there is none
  made    INTEGER NOT NULL, -- counts how often the index was begun
  stamp   INTEGER NOT NULL, -- the last
  done    INTEGER NOT NULL, -- the passages up to this number have their vectors
  touched INTEGER NOT NULL, -- counts what went or changed since
  holder  TEXT NOT NULL,    -- the daemon that makes vectors
  until   INTEGER NOT NULL  -- how long it holds
);
INSERT INTO recall_vector_state VALUES (1, '', 0, 0, 0, 0, 0, '', 0);

-- +goose Down
DROP TABLE recall_vector_state;
DROP TABLE recall_vectors;

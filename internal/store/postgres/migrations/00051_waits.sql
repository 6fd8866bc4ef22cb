-- +goose Up
CREATE TABLE workflow_waits (
  run_id TEXT NOT NULL,
  path   TEXT NOT NULL,
  step   TEXT NOT NULL, -- the key of the wait
  type   TEXT NOT NULL, -- of the event
  seq    BIGINT NOT NULL,
  PRIMARY KEY (run_id, path)
);

-- +goose Down
DROP TABLE workflow_waits;

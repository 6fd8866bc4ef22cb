-- +goose Up
ALTER TABLE workflow_steps ADD COLUMN unproven INTEGER NOT NULL DEFAULT 0;
CREATE TABLE workflow_reviews (
  run_id  TEXT NOT NULL,
  path    TEXT NOT NULL,
  state   TEXT NOT NULL,
  author  TEXT NOT NULL,
  reworks INTEGER NOT NULL,
  body    TEXT NOT NULL, -- of the last move
  seq     INTEGER NOT NULL,
  at      INTEGER NOT NULL,
  PRIMARY KEY (run_id, path)
);
CREATE TABLE workflow_evidence (
  seq    INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL,
  path   TEXT NOT NULL,
  agent  TEXT NOT NULL,
  met    INTEGER NOT NULL,
  body   TEXT NOT NULL
);
CREATE INDEX workflow_evidence_run ON workflow_evidence (run_id, seq);

-- +goose Down
DROP TABLE workflow_evidence;
DROP TABLE workflow_reviews;
ALTER TABLE workflow_steps DROP COLUMN unproven;

-- +goose Up
ALTER TABLE workflow_steps ADD COLUMN unproven BIGINT NOT NULL DEFAULT 0;
CREATE TABLE workflow_reviews (
  run_id  TEXT NOT NULL,
  path    TEXT NOT NULL,
  state   TEXT NOT NULL,
  author  TEXT NOT NULL,
  reworks BIGINT NOT NULL,
  body    TEXT NOT NULL, -- of the last move
  seq     BIGINT NOT NULL,
  at      BIGINT NOT NULL,
  PRIMARY KEY (run_id, path)
);
CREATE TABLE workflow_evidence (
  seq    BIGINT PRIMARY KEY,
  run_id TEXT NOT NULL,
  path   TEXT NOT NULL,
  agent  TEXT NOT NULL,
  met    BIGINT NOT NULL,
  body   TEXT NOT NULL
);
CREATE INDEX workflow_evidence_run ON workflow_evidence (run_id, seq);

-- +goose Down
DROP TABLE workflow_evidence;
DROP TABLE workflow_reviews;
ALTER TABLE workflow_steps DROP COLUMN unproven;

-- +goose Up
ALTER TABLE workflow_evidence ADD COLUMN ticket TEXT NOT NULL DEFAULT ''; -- whose contract it is; empty for a step's
ALTER TABLE workflow_evidence ADD COLUMN at INTEGER NOT NULL DEFAULT 0; -- of a ticket's
CREATE INDEX workflow_evidence_ticket ON workflow_evidence (ticket, seq);
CREATE TABLE run_outside (
  seq     INTEGER PRIMARY KEY,
  run_id  TEXT NOT NULL,
  task    TEXT NOT NULL,
  agent   TEXT NOT NULL,
  changed INTEGER NOT NULL, -- how many records and files
  body    TEXT NOT NULL,
  at      INTEGER NOT NULL
);
CREATE INDEX run_outside_agent ON run_outside (agent, seq);

-- +goose Down
DROP TABLE run_outside;
DROP INDEX workflow_evidence_ticket;
ALTER TABLE workflow_evidence DROP COLUMN at;
ALTER TABLE workflow_evidence DROP COLUMN ticket;

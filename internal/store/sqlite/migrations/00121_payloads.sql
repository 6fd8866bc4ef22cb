-- +goose Up
-- The organization's own payload types: the revisions of their schemas.
CREATE TABLE workflow_payloads (
  name     TEXT NOT NULL, -- invoice.total.v1
  revision INTEGER NOT NULL, -- from 1; the newest counts
  schema   TEXT NOT NULL, -- JSON
  note     TEXT NOT NULL,
  by_id    TEXT NOT NULL,
  seq      INTEGER NOT NULL,
  at       INTEGER NOT NULL,
  PRIMARY KEY (name, revision)
);

-- +goose Down
DROP TABLE workflow_payloads;

-- +goose Up
CREATE TABLE workflow_versions (
  slug          TEXT NOT NULL,
  version       BIGINT NOT NULL,
  state         TEXT NOT NULL, -- draft, deployed or retired; one at most of a slug is deployed
  name          TEXT NOT NULL,
  digest        TEXT NOT NULL,
  note          TEXT NOT NULL,
  source        TEXT NOT NULL,
  saved_by      TEXT NOT NULL,
  saved_role    TEXT NOT NULL,
  deployed_by   TEXT NOT NULL,
  deployed_role TEXT NOT NULL,
  seq           BIGINT NOT NULL,
  saved_at      BIGINT NOT NULL,
  deployed_at   BIGINT NOT NULL,
  PRIMARY KEY (slug, version)
);
CREATE TABLE workflow_instances (
  run_id   TEXT PRIMARY KEY,
  slug     TEXT NOT NULL,
  version  BIGINT NOT NULL,
  retry_of TEXT NOT NULL,
  seq      BIGINT NOT NULL
);
CREATE INDEX workflow_instances_slug ON workflow_instances (slug, seq);
CREATE TABLE workflow_steps (
  run_id     TEXT NOT NULL,
  path       TEXT NOT NULL,
  state      TEXT NOT NULL,
  body       TEXT NOT NULL,
  seq        BIGINT NOT NULL, -- of the event that told of it first
  started_at BIGINT NOT NULL,
  ended_at   BIGINT NOT NULL,
  PRIMARY KEY (run_id, path)
);

-- +goose Down
DROP TABLE workflow_steps;
DROP TABLE workflow_instances;
DROP TABLE workflow_versions;

-- +goose Up
CREATE TABLE schedules (
  id         TEXT PRIMARY KEY,
  agent      TEXT NOT NULL,
  enabled    BIGINT NOT NULL,
  version    BIGINT NOT NULL,
  by_actor   TEXT NOT NULL,
  by_role    TEXT NOT NULL,
  body       TEXT NOT NULL,
  seq        BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);

CREATE TABLE executions (
  id          TEXT PRIMARY KEY,
  schedule_id TEXT NOT NULL,
  agent       TEXT NOT NULL,
  project     TEXT NOT NULL,
  at          BIGINT NOT NULL,
  due_at      BIGINT NOT NULL,
  state       TEXT NOT NULL CHECK (state IN ('READY', 'RUNNING', 'FAILED_RETRYABLE', 'SUCCESS', 'FAIL', 'CANCELLED', 'SKIPPED')),
  withdrawn   BIGINT NOT NULL,
  attempt     BIGINT NOT NULL,
  run_id      TEXT NOT NULL,
  reason      TEXT NOT NULL,
  body        TEXT NOT NULL,
  seq         BIGINT NOT NULL,
  created_at  BIGINT NOT NULL,
  updated_at  BIGINT NOT NULL
);
CREATE INDEX executions_open ON executions (due_at, seq) WHERE state IN ('READY', 'RUNNING', 'FAILED_RETRYABLE');
CREATE INDEX executions_pair ON executions (schedule_id, project, at) WHERE withdrawn = 0;

CREATE TABLE execution_attempts (
  execution_id TEXT NOT NULL,
  attempt      BIGINT NOT NULL,
  schedule_id  TEXT NOT NULL,
  thread_id    TEXT NOT NULL,
  run_id       TEXT NOT NULL,
  result       TEXT NOT NULL CHECK (result IN ('', 'SUCCESS', 'FAIL', 'CANCELLED', 'SKIPPED')),
  error        TEXT NOT NULL,
  summary      TEXT NOT NULL,
  seq          BIGINT NOT NULL,
  started_at   BIGINT NOT NULL,
  ended_at     BIGINT NOT NULL,
  PRIMARY KEY (execution_id, attempt)
);
CREATE INDEX execution_attempts_ended ON execution_attempts (schedule_id, ended_at);
CREATE INDEX execution_attempts_seq ON execution_attempts (seq);

-- SQLite plans a kept statement anew at each use when it may compare one of its variables with
-- the condition of an index, as "kind = ?" with "kind = 'project'". It does not with IN.
CREATE INDEX desk_records_timed ON desk_records (kind, seq) WHERE kind IN ('project', 'reminder');

-- +goose Down
DROP INDEX desk_records_timed;
DROP TABLE execution_attempts;
DROP TABLE executions;
DROP TABLE schedules;

-- +goose Up
CREATE SEQUENCE log_seq;
CREATE TABLE log_events (
  seq             BIGINT PRIMARY KEY,
  id              TEXT NOT NULL UNIQUE,
  stream          TEXT NOT NULL,
  stream_seq      BIGINT NOT NULL,
  ts              BIGINT NOT NULL,
  type            TEXT NOT NULL,
  domain          TEXT NOT NULL,
  payload_type    TEXT NOT NULL,
  thread_id       TEXT NOT NULL,
  run_id          TEXT NOT NULL,
  task_id         TEXT NOT NULL,
  parent_task_id  TEXT NOT NULL,
  actor           TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  envelope        TEXT NOT NULL,
  payload         TEXT NOT NULL,
  payload_digest  TEXT NOT NULL,
  prev_hash       TEXT NOT NULL,
  hash            TEXT NOT NULL,
  erased          BIGINT NOT NULL,
  UNIQUE (stream, stream_seq)
);
CREATE UNIQUE INDEX log_events_key ON log_events (actor, idempotency_key) WHERE idempotency_key <> '';
CREATE INDEX log_events_run ON log_events (run_id, seq);
CREATE INDEX log_events_thread ON log_events (thread_id, seq);
CREATE INDEX log_events_type ON log_events (type, seq);

CREATE TABLE log_streams (
  stream TEXT PRIMARY KEY,
  head   BIGINT NOT NULL,
  hash   TEXT NOT NULL
);
-- +goose StatementBegin
-- log_reserve locks the streams by their keys, in the order given, shows from where on the
-- transaction's positions can be, and returns where the streams stand and n positions.
-- Each query in it sees what was committed before it began.
CREATE FUNCTION log_reserve(streams TEXT[], keys INT[], n INT)
RETURNS TABLE (stream TEXT, head BIGINT, hash TEXT, seq BIGINT) LANGUAGE plpgsql VOLATILE AS $$
DECLARE k INT;
BEGIN
  FOREACH k IN ARRAY keys LOOP PERFORM pg_advisory_xact_lock(1, k); END LOOP;
  PERFORM pg_advisory_xact_lock_shared(s.last_value) FROM log_seq s;
  RETURN QUERY SELECT s.stream, s.head, s.hash, NULL::BIGINT FROM log_streams s WHERE s.stream = ANY (streams);
  RETURN QUERY SELECT NULL::TEXT, NULL::BIGINT, NULL::TEXT, nextval('log_seq') FROM generate_series(1, n);
END $$;
-- +goose StatementEnd
CREATE TABLE log_cursors (
  name TEXT PRIMARY KEY,
  seq  BIGINT NOT NULL
);
CREATE TABLE log_signatures (
  at        BIGINT PRIMARY KEY,
  document  TEXT NOT NULL,
  public    TEXT NOT NULL,
  signature TEXT NOT NULL
);

CREATE TABLE desk_records (
  id          TEXT PRIMARY KEY,
  kind        TEXT NOT NULL,
  project     TEXT NOT NULL,
  version     BIGINT NOT NULL,
  identity    TEXT NOT NULL,
  title       TEXT NOT NULL,
  status      TEXT NOT NULL,
  deleted     BIGINT NOT NULL,
  merged_into TEXT NOT NULL,
  created_at  BIGINT NOT NULL,
  updated_at  BIGINT NOT NULL,
  created_by  TEXT NOT NULL,
  updated_by  TEXT NOT NULL,
  seq         BIGINT NOT NULL,
  body        TEXT NOT NULL
);
CREATE INDEX desk_records_list ON desk_records (project, kind, seq);
CREATE INDEX desk_records_identity ON desk_records (project, kind, identity);
CREATE TABLE desk_refs (
  from_id TEXT NOT NULL,
  field   TEXT NOT NULL,
  to_id   TEXT NOT NULL,
  PRIMARY KEY (from_id, field, to_id)
);
CREATE INDEX desk_refs_to ON desk_refs (to_id, field);

CREATE TABLE sessions (
  thread_id   TEXT PRIMARY KEY,
  project     TEXT NOT NULL,
  agent       TEXT NOT NULL,
  channel     TEXT NOT NULL,
  title       TEXT NOT NULL,
  person      TEXT NOT NULL,
  forked_from TEXT NOT NULL,
  forked_seq  BIGINT NOT NULL,
  messages    BIGINT NOT NULL,
  created_at  BIGINT NOT NULL,
  updated_at  BIGINT NOT NULL
);
CREATE INDEX sessions_recent ON sessions (updated_at);
CREATE TABLE messages (
  seq       BIGINT PRIMARY KEY,
  id        TEXT NOT NULL,
  thread_id TEXT NOT NULL,
  run_id    TEXT NOT NULL,
  role      TEXT NOT NULL,
  actor     TEXT NOT NULL,
  body      TEXT NOT NULL,
  at        BIGINT NOT NULL
);
CREATE INDEX messages_thread ON messages (thread_id, seq);

CREATE TABLE runs (
  id         TEXT PRIMARY KEY,
  thread_id  TEXT NOT NULL,
  project    TEXT NOT NULL,
  kind       TEXT NOT NULL,
  lane       TEXT NOT NULL,
  agent      TEXT NOT NULL,
  title      TEXT NOT NULL,
  state      TEXT NOT NULL CHECK (state IN ('queued', 'running', 'waiting', 'done', 'failed', 'cancelled')),
  waits_for  TEXT NOT NULL,
  reason     TEXT NOT NULL,
  segment    BIGINT NOT NULL,
  attempt    BIGINT NOT NULL,
  node       TEXT NOT NULL,
  by_actor   TEXT NOT NULL,
  spec       TEXT NOT NULL,
  seq        BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  ended_at   BIGINT NOT NULL
);
CREATE INDEX runs_thread ON runs (thread_id, seq);
CREATE INDEX runs_state ON runs (state, seq);
CREATE TABLE tasks (
  id         TEXT PRIMARY KEY,
  run_id     TEXT NOT NULL,
  parent     TEXT NOT NULL,
  agent      TEXT NOT NULL,
  title      TEXT NOT NULL,
  state      TEXT NOT NULL,
  summary    TEXT NOT NULL,
  seq        BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  ended_at   BIGINT NOT NULL
);
CREATE INDEX tasks_run ON tasks (run_id, seq);
CREATE TABLE run_steps (
  run_id  TEXT NOT NULL,
  step    TEXT NOT NULL,
  begun   BIGINT NOT NULL,
  done    BIGINT NOT NULL,
  PRIMARY KEY (run_id, step)
);
CREATE TABLE model_calls (
  seq           BIGINT PRIMARY KEY,
  run_id        TEXT NOT NULL,
  task_id       TEXT NOT NULL,
  agent         TEXT NOT NULL,
  provider      TEXT NOT NULL,
  model         TEXT NOT NULL,
  input_tokens  BIGINT NOT NULL,
  output_tokens BIGINT NOT NULL,
  cost_microusd BIGINT NOT NULL,
  cost_known    BIGINT NOT NULL,
  duration_ms   BIGINT NOT NULL,
  at            BIGINT NOT NULL
);
CREATE INDEX model_calls_run ON model_calls (run_id);
CREATE TABLE approvals (
  id         TEXT PRIMARY KEY,
  run_id     TEXT NOT NULL,
  status     TEXT NOT NULL,
  body       TEXT NOT NULL,
  answer     TEXT NOT NULL,
  seq        BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  ended_at   BIGINT NOT NULL
);
CREATE INDEX approvals_status ON approvals (status, seq);

CREATE TABLE org_agents (
  id         TEXT PRIMARY KEY,
  status     TEXT NOT NULL,
  body       TEXT NOT NULL,
  seq        BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  seen_at    BIGINT NOT NULL,
  heartbeat  TEXT NOT NULL
);
CREATE TABLE org_persons (
  id         TEXT PRIMARY KEY,
  name       TEXT NOT NULL,
  role       TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'editor', 'viewer')),
  enabled    BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  seq        BIGINT NOT NULL
);
CREATE TABLE org_identities (
  identity TEXT PRIMARY KEY,
  person   TEXT NOT NULL
);

CREATE TABLE run_claims (
  run_id     TEXT PRIMARY KEY,
  epoch      BIGINT NOT NULL,
  segment    BIGINT NOT NULL,
  lane       TEXT NOT NULL,
  part       TEXT NOT NULL,
  kind       TEXT NOT NULL,
  state      TEXT NOT NULL CHECK (state IN ('ready', 'claimed', 'parked')),
  node       TEXT NOT NULL,
  not_before BIGINT NOT NULL,
  deadline   BIGINT NOT NULL
);
CREATE TABLE nodes (
  id      TEXT PRIMARY KEY,
  seen_at BIGINT NOT NULL,
  address TEXT NOT NULL
);
CREATE TABLE access_tokens (
  hash       TEXT PRIMARY KEY,
  person     TEXT NOT NULL,
  purpose    TEXT NOT NULL CHECK (purpose IN ('token', 'cookie', 'login', 'invite')),
  role       TEXT NOT NULL,
  label      TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  used_at    BIGINT NOT NULL
);
CREATE TABLE secrets (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

-- +goose Down
DROP TABLE secrets;
DROP TABLE access_tokens;
DROP TABLE nodes;
DROP TABLE run_claims;
DROP TABLE org_identities;
DROP TABLE org_persons;
DROP TABLE org_agents;
DROP TABLE approvals;
DROP TABLE model_calls;
DROP TABLE run_steps;
DROP TABLE tasks;
DROP TABLE runs;
DROP TABLE messages;
DROP TABLE sessions;
DROP TABLE desk_refs;
DROP TABLE desk_records;
DROP TABLE log_signatures;
DROP TABLE log_cursors;
DROP TABLE log_streams;
DROP TABLE log_events;
DROP FUNCTION log_reserve;
DROP SEQUENCE log_seq;

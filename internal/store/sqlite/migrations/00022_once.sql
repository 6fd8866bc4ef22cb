-- +goose Up
-- A row of the log holds each thing once: extra is what an envelope has beside the columns, hashes are bytes.
CREATE TABLE log_events_next (
  seq             INTEGER PRIMARY KEY,
  id              TEXT NOT NULL UNIQUE,
  stream          TEXT NOT NULL,
  stream_seq      INTEGER NOT NULL,
  ts              INTEGER NOT NULL,
  type            TEXT NOT NULL,
  domain          TEXT NOT NULL,
  payload_type    TEXT NOT NULL,
  thread_id       TEXT NOT NULL,
  run_id          TEXT NOT NULL,
  task_id         TEXT NOT NULL,
  parent_task_id  TEXT NOT NULL,
  actor           TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  extra           TEXT NOT NULL,
  payload         TEXT NOT NULL,
  payload_digest  BLOB NOT NULL,
  prev_hash       BLOB NOT NULL,
  hash            BLOB NOT NULL,
  erased          INTEGER NOT NULL,
  UNIQUE (stream, stream_seq)
);
INSERT INTO log_events_next SELECT seq, id, stream, stream_seq, ts, type, domain, payload_type, thread_id, run_id, task_id, parent_task_id, actor, idempotency_key,
  json_remove(envelope, '$.v', '$.id', '$.type', '$.domain', '$.payload_type', '$.thread_id', '$.run_id', '$.task_id', '$.parent_task_id', '$.from.agent_id',
    '$.idempotency_key', '$.payload'),
  payload, unhex(payload_digest), unhex(prev_hash), unhex(hash), erased FROM log_events ORDER BY seq;
DROP TABLE log_events;
ALTER TABLE log_events_next RENAME TO log_events;
CREATE UNIQUE INDEX log_events_key ON log_events (actor, idempotency_key) WHERE idempotency_key <> '';
CREATE INDEX log_events_run ON log_events (run_id, seq);
CREATE INDEX log_events_elsewhere ON log_events (thread_id, seq) WHERE stream <> 'thread:' || thread_id;
CREATE INDEX log_events_seldom ON log_events (type, seq) WHERE type NOT IN ('chat.message', 'task.request', 'task.accept', 'task.result', 'run.queued', 'run.started', 'run.finished', 'model.answered');

-- +goose Down
CREATE TABLE log_events_before (
  seq             INTEGER PRIMARY KEY,
  id              TEXT NOT NULL UNIQUE,
  stream          TEXT NOT NULL,
  stream_seq      INTEGER NOT NULL,
  ts              INTEGER NOT NULL,
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
  erased          INTEGER NOT NULL,
  UNIQUE (stream, stream_seq)
);
INSERT INTO log_events_before SELECT seq, id, stream, stream_seq, ts, type, domain, payload_type, thread_id, run_id, task_id, parent_task_id, actor, idempotency_key,
  json_patch(json_patch('{"v":"clutch/0.1","to":[]}', extra), json_object('id', id, 'type', type, 'domain', nullif(domain, ''), 'payload_type', nullif(payload_type, ''),
    'thread_id', thread_id, 'run_id', run_id, 'task_id', task_id, 'parent_task_id', nullif(parent_task_id, ''), 'from', json_object('agent_id', actor),
    'idempotency_key', nullif(idempotency_key, ''), 'payload', json_object('sha256', lower(hex(payload_digest))))),
  payload, lower(hex(payload_digest)), lower(hex(prev_hash)), lower(hex(hash)), erased FROM log_events ORDER BY seq;
DROP TABLE log_events;
ALTER TABLE log_events_before RENAME TO log_events;
CREATE UNIQUE INDEX log_events_key ON log_events (actor, idempotency_key) WHERE idempotency_key <> '';
CREATE INDEX log_events_run ON log_events (run_id, seq);
CREATE INDEX log_events_elsewhere ON log_events (thread_id, seq) WHERE stream <> 'thread:' || thread_id;
CREATE INDEX log_events_seldom ON log_events (type, seq) WHERE type NOT IN ('chat.message', 'task.request', 'task.accept', 'task.result', 'run.queued', 'run.started', 'run.finished', 'model.answered');

-- +goose Up
-- A row of the log holds each thing once: extra is what an envelope has beside the columns, hashes are bytes.
CREATE TABLE log_events (
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
-- An index costs a page of every commit. Of a thread's events only those outside its own
-- stream need one, of the types only those that not every turn records, and of the runs
-- only those that are open; all runs are listed by their position.
CREATE UNIQUE INDEX log_events_key ON log_events (actor, idempotency_key) WHERE idempotency_key <> '';
CREATE INDEX log_events_run ON log_events (run_id, seq);
CREATE INDEX log_events_elsewhere ON log_events (thread_id, seq) WHERE stream <> 'thread:' || thread_id;
CREATE INDEX log_events_seldom ON log_events (type, seq) WHERE type NOT IN ('chat.message', 'task.request', 'task.accept', 'task.result', 'run.queued', 'run.started', 'run.finished', 'model.answered');

CREATE TABLE log_streams (
  stream TEXT PRIMARY KEY,
  head   INTEGER NOT NULL,
  hash   TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE log_cursors (
  name TEXT PRIMARY KEY,
  seq  INTEGER NOT NULL
);

CREATE TABLE log_signatures (
  at        INTEGER PRIMARY KEY,
  document  TEXT NOT NULL,
  public    TEXT NOT NULL,
  signature TEXT NOT NULL
);

CREATE TABLE desk_records (
  id          TEXT PRIMARY KEY,
  kind        TEXT NOT NULL,
  project     TEXT NOT NULL,
  version     INTEGER NOT NULL,
  identity    TEXT NOT NULL,
  title       TEXT NOT NULL,
  status      TEXT NOT NULL,
  deleted     INTEGER NOT NULL,
  merged_into TEXT NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  created_by  TEXT NOT NULL,
  updated_by  TEXT NOT NULL,
  seq         INTEGER NOT NULL,
  body        TEXT NOT NULL,
  -- Whether words of a record came from outside.
  outside     INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX desk_records_list ON desk_records (project, kind, seq);
CREATE INDEX desk_records_identity ON desk_records (project, kind, identity);
-- SQLite plans a kept statement anew at each use when it may compare one of its variables with
-- the condition of an index, as "kind = ?" with "kind = 'project'". It does not with IN.
CREATE INDEX desk_records_timed ON desk_records (kind, seq) WHERE kind IN ('project', 'reminder');

CREATE TABLE desk_refs (
  from_id TEXT NOT NULL,
  field   TEXT NOT NULL,
  to_id   TEXT NOT NULL,
  PRIMARY KEY (from_id, field, to_id)
);
CREATE INDEX desk_refs_to ON desk_refs (to_id, field);

CREATE TABLE sessions (
  thread_id    TEXT PRIMARY KEY,
  project      TEXT NOT NULL,
  agent        TEXT NOT NULL,
  channel      TEXT NOT NULL,
  title        TEXT NOT NULL,
  person       TEXT NOT NULL,
  forked_from  TEXT NOT NULL,
  forked_seq   INTEGER NOT NULL,
  messages     INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL,
  closed       INTEGER NOT NULL DEFAULT 0,
  -- The model that all calls of a conversation ask; empty for each agent's own.
  model        TEXT NOT NULL DEFAULT '',
  -- Where on a platform a conversation is held.
  chat_channel TEXT NOT NULL DEFAULT '',
  chat         TEXT NOT NULL DEFAULT '',
  branch       TEXT NOT NULL DEFAULT '',
  chat_seq     INTEGER NOT NULL DEFAULT 0,
  queue        TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
CREATE INDEX sessions_recent ON sessions (updated_at);
CREATE INDEX sessions_chat ON sessions (chat_channel, chat, branch, chat_seq) WHERE chat_channel <> '';
CREATE INDEX sessions_forked ON sessions (forked_from) WHERE forked_from <> '';

CREATE TABLE messages (
  seq       INTEGER PRIMARY KEY,
  id        TEXT NOT NULL,
  thread_id TEXT NOT NULL,
  run_id    TEXT NOT NULL,
  role      TEXT NOT NULL,
  actor     TEXT NOT NULL,
  body      TEXT NOT NULL,
  at        INTEGER NOT NULL
);
CREATE INDEX messages_thread ON messages (thread_id, seq);
CREATE INDEX messages_run ON messages (run_id, seq);

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
  segment    INTEGER NOT NULL,
  attempt    INTEGER NOT NULL,
  node       TEXT NOT NULL,
  by_actor   TEXT NOT NULL,
  spec       TEXT NOT NULL,
  seq        INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  ended_at   INTEGER NOT NULL
);
CREATE INDEX runs_thread ON runs (thread_id, seq);
CREATE INDEX runs_open ON runs (seq) WHERE ended_at = 0;
CREATE INDEX runs_seq ON runs (seq);
CREATE INDEX runs_thread_open ON runs (thread_id, seq) WHERE ended_at = 0;

CREATE TABLE tasks (
  id         TEXT PRIMARY KEY,
  run_id     TEXT NOT NULL,
  parent     TEXT NOT NULL,
  agent      TEXT NOT NULL,
  title      TEXT NOT NULL,
  state      TEXT NOT NULL,
  summary    TEXT NOT NULL,
  seq        INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  ended_at   INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX tasks_run ON tasks (run_id, seq);

CREATE TABLE run_steps (
  run_id TEXT NOT NULL,
  step   TEXT NOT NULL,
  begun  INTEGER NOT NULL,
  done   INTEGER NOT NULL,
  -- What budgets count of a step that is a call of a tool.
  calls  INTEGER NOT NULL DEFAULT 0,
  millis INTEGER NOT NULL DEFAULT 0,
  agent  TEXT NOT NULL DEFAULT '',
  at     INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (run_id, step)
) WITHOUT ROWID;
CREATE INDEX run_steps_calls ON run_steps (at) WHERE calls > 0;

CREATE TABLE model_calls (
  seq           INTEGER PRIMARY KEY,
  run_id        TEXT NOT NULL,
  task_id       TEXT NOT NULL,
  agent         TEXT NOT NULL,
  provider      TEXT NOT NULL,
  model         TEXT NOT NULL,
  input_tokens  INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cost_microusd INTEGER NOT NULL,
  cost_known    INTEGER NOT NULL,
  duration_ms   INTEGER NOT NULL,
  at            INTEGER NOT NULL,
  project       TEXT NOT NULL DEFAULT ''
);
CREATE INDEX model_calls_run ON model_calls (run_id);
CREATE INDEX model_calls_at ON model_calls (at);
CREATE INDEX model_calls_project ON model_calls (project, at);

CREATE TABLE approvals (
  id         TEXT PRIMARY KEY,
  run_id     TEXT NOT NULL,
  status     TEXT NOT NULL,
  body       TEXT NOT NULL,
  answer     TEXT NOT NULL,
  seq        INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  ended_at   INTEGER NOT NULL
);
CREATE INDEX approvals_status ON approvals (status, seq);
-- A run's page shows what the run asked.
CREATE INDEX approvals_run ON approvals (run_id);

CREATE TABLE org_agents (
  id         TEXT PRIMARY KEY,
  status     TEXT NOT NULL,
  body       TEXT NOT NULL,
  seq        INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  seen_at    INTEGER NOT NULL,
  heartbeat  TEXT NOT NULL
);

CREATE TABLE org_persons (
  id         TEXT PRIMARY KEY,
  name       TEXT NOT NULL,
  role       TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'editor', 'viewer')),
  enabled    INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  seq        INTEGER NOT NULL
);

CREATE TABLE org_identities (
  identity TEXT PRIMARY KEY,
  person   TEXT NOT NULL
);
-- What is looked up with each message, and would else be looked for among all there ever were.
CREATE INDEX org_identities_person ON org_identities (person);

CREATE TABLE run_claims (
  run_id     TEXT PRIMARY KEY,
  epoch      INTEGER NOT NULL,
  segment    INTEGER NOT NULL,
  lane       TEXT NOT NULL,
  part       TEXT NOT NULL,
  kind       TEXT NOT NULL,
  state      TEXT NOT NULL CHECK (state IN ('ready', 'claimed', 'parked')),
  node       TEXT NOT NULL,
  not_before INTEGER NOT NULL,
  deadline   INTEGER NOT NULL,
  -- With which agent the run has a slot (holds_slot is 1) or waits for one.
  slot       TEXT NOT NULL DEFAULT '',
  holds_slot INTEGER NOT NULL DEFAULT 0,
  -- How a job comes to its worker.
  way        TEXT NOT NULL DEFAULT 'queue' CHECK (way IN ('queue', 'direct', 'behind'))
) WITHOUT ROWID;

CREATE TABLE nodes (
  id      TEXT PRIMARY KEY,
  seen_at INTEGER NOT NULL,
  address TEXT NOT NULL
);

CREATE TABLE access_tokens (
  hash       TEXT PRIMARY KEY,
  person     TEXT NOT NULL,
  purpose    TEXT NOT NULL CHECK (purpose IN ('token', 'cookie', 'login', 'invite')),
  role       TEXT NOT NULL,
  label      TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at    INTEGER NOT NULL
);

CREATE TABLE secrets (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

-- The words by which records are found, cut apart and in small letters already: the
-- tokenizer only has to part them at blanks.
CREATE VIRTUAL TABLE desk_search USING fts5 (id UNINDEXED, title, words, tokenize = 'ascii', detail = 'column', columnsize = 0);

CREATE TABLE schedules (
  id         TEXT PRIMARY KEY,
  agent      TEXT NOT NULL,
  enabled    INTEGER NOT NULL,
  version    INTEGER NOT NULL,
  by_actor   TEXT NOT NULL,
  by_role    TEXT NOT NULL,
  body       TEXT NOT NULL,
  seq        INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);

CREATE TABLE executions (
  id          TEXT PRIMARY KEY,
  schedule_id TEXT NOT NULL,
  agent       TEXT NOT NULL,
  project     TEXT NOT NULL,
  at          INTEGER NOT NULL,
  due_at      INTEGER NOT NULL,
  state       TEXT NOT NULL CHECK (state IN ('READY', 'RUNNING', 'FAILED_RETRYABLE', 'SUCCESS', 'FAIL', 'CANCELLED', 'SKIPPED')),
  withdrawn   INTEGER NOT NULL,
  attempt     INTEGER NOT NULL,
  run_id      TEXT NOT NULL,
  reason      TEXT NOT NULL,
  body        TEXT NOT NULL,
  seq         INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL
);
CREATE INDEX executions_open ON executions (due_at, seq) WHERE state IN ('READY', 'RUNNING', 'FAILED_RETRYABLE');
CREATE INDEX executions_pair ON executions (schedule_id, project, at) WHERE withdrawn = 0;

CREATE TABLE execution_attempts (
  execution_id TEXT NOT NULL,
  attempt      INTEGER NOT NULL,
  schedule_id  TEXT NOT NULL,
  thread_id    TEXT NOT NULL,
  run_id       TEXT NOT NULL,
  result       TEXT NOT NULL CHECK (result IN ('', 'SUCCESS', 'FAIL', 'CANCELLED', 'SKIPPED')),
  error        TEXT NOT NULL,
  summary      TEXT NOT NULL,
  seq          INTEGER NOT NULL,
  started_at   INTEGER NOT NULL,
  ended_at     INTEGER NOT NULL,
  PRIMARY KEY (execution_id, attempt)
);
CREATE INDEX execution_attempts_ended ON execution_attempts (schedule_id, ended_at);
CREATE INDEX execution_attempts_seq ON execution_attempts (seq);

CREATE TABLE allowances (
  id   TEXT PRIMARY KEY,
  body TEXT NOT NULL,
  seq  INTEGER NOT NULL
);

CREATE TABLE vault (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

CREATE TABLE budgets (
  id   TEXT PRIMARY KEY,
  body TEXT NOT NULL,
  seq  INTEGER NOT NULL
);

-- What calls under way may take at most. A row counts until the answer of its step is recorded.
CREATE TABLE budget_reservations (
  run_id   TEXT NOT NULL,
  step     TEXT NOT NULL,
  project  TEXT NOT NULL,
  agent    TEXT NOT NULL,
  tokens   INTEGER NOT NULL,
  microusd INTEGER NOT NULL,
  millis   INTEGER NOT NULL,
  at       INTEGER NOT NULL,
  PRIMARY KEY (run_id, step)
);

-- Up to which message a person has read a conversation.
CREATE TABLE session_reads (
  thread_id TEXT NOT NULL,
  person    TEXT NOT NULL,
  seq       INTEGER NOT NULL,
  PRIMARY KEY (thread_id, person)
);

-- How persons arranged the page.
CREATE TABLE org_layouts (
  person   TEXT NOT NULL,
  name     TEXT NOT NULL,
  address  TEXT NOT NULL,
  saved_at INTEGER NOT NULL,
  PRIMARY KEY (person, name)
);

-- Chat platforms: what is configured, who asks to be let in, and what is on its way.
CREATE TABLE channel_options (
  name TEXT PRIMARY KEY,
  body TEXT NOT NULL
);

CREATE TABLE channel_pairing_requests (
  channel  TEXT NOT NULL,
  sender   TEXT NOT NULL,
  body     TEXT NOT NULL,
  until_at INTEGER NOT NULL,
  PRIMARY KEY (channel, sender)
);

CREATE TABLE channel_deliveries (
  id         TEXT PRIMARY KEY,
  stream     TEXT NOT NULL,
  channel    TEXT NOT NULL,
  chat       TEXT NOT NULL,
  branch     TEXT NOT NULL,
  thread_id  TEXT NOT NULL,
  run_id     TEXT NOT NULL,
  seq        INTEGER NOT NULL,
  state      TEXT NOT NULL,
  part       INTEGER NOT NULL,
  parts      INTEGER NOT NULL,
  attempts   INTEGER NOT NULL,
  node       TEXT NOT NULL,
  unknown    INTEGER NOT NULL,
  sent       TEXT NOT NULL,
  why        TEXT NOT NULL,
  next_at    INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  seen_at    INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX channel_deliveries_due ON channel_deliveries (channel, state, chat, branch, seq);
CREATE INDEX channel_deliveries_thread ON channel_deliveries (thread_id, seq);

-- Messages that wait for their turn, and what becomes of those that come while an agent works.
CREATE TABLE session_held (
  id        TEXT PRIMARY KEY,
  thread_id TEXT NOT NULL,
  seq       INTEGER NOT NULL,
  actor     TEXT NOT NULL,
  body      TEXT NOT NULL,
  due_at    INTEGER NOT NULL,
  at        INTEGER NOT NULL
);
CREATE INDEX session_held_thread ON session_held (thread_id, seq);

-- What was sent of a text before it was whole, and whether another text has come since.
CREATE TABLE channel_drafts (
  run_id  TEXT NOT NULL,
  number  INTEGER NOT NULL,
  channel TEXT NOT NULL,
  chat    TEXT NOT NULL,
  branch  TEXT NOT NULL,
  sent    TEXT NOT NULL,
  used    INTEGER NOT NULL,
  PRIMARY KEY (run_id, number)
);

-- By which ids a platform knows our parts, and when it said that a delivery was read.
CREATE TABLE channel_parts (
  channel     TEXT NOT NULL,
  chat        TEXT NOT NULL,
  platform_id TEXT NOT NULL,
  delivery    TEXT NOT NULL,
  part        INTEGER NOT NULL,
  PRIMARY KEY (channel, chat, platform_id)
);

-- Where a channel's adapter stood on its platform: no fact, and without it only what nobody heard is lost.
CREATE TABLE channel_marks (
  channel TEXT PRIMARY KEY,
  mark    TEXT NOT NULL
);

-- The size of the page's font for each person, in pixels.
CREATE TABLE org_font_sizes (
  person TEXT PRIMARY KEY,
  size   INTEGER NOT NULL
);

-- +goose Down
DROP TABLE org_font_sizes;
DROP TABLE channel_marks;
DROP TABLE channel_parts;
DROP TABLE channel_drafts;
DROP TABLE session_held;
DROP TABLE channel_deliveries;
DROP TABLE channel_pairing_requests;
DROP TABLE channel_options;
DROP TABLE org_layouts;
DROP TABLE session_reads;
DROP TABLE budget_reservations;
DROP TABLE budgets;
DROP TABLE vault;
DROP TABLE allowances;
DROP TABLE execution_attempts;
DROP TABLE executions;
DROP TABLE schedules;
DROP TABLE desk_search;
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

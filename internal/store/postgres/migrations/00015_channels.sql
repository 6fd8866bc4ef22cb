-- +goose Up
-- Chat platforms: what is configured, who asks to be let in, and what is on its way.
CREATE TABLE channel_options (
  name TEXT PRIMARY KEY,
  body TEXT NOT NULL
);

CREATE TABLE channel_knocks (
  channel  TEXT NOT NULL,
  sender   TEXT NOT NULL,
  body     TEXT NOT NULL,
  until_at BIGINT NOT NULL,
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
  seq        BIGINT NOT NULL,
  state      TEXT NOT NULL,
  part       BIGINT NOT NULL,
  parts      BIGINT NOT NULL,
  attempts   BIGINT NOT NULL,
  node       TEXT NOT NULL,
  unknown    BIGINT NOT NULL,
  sent       TEXT NOT NULL,
  why        TEXT NOT NULL,
  next_at    BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX channel_deliveries_due ON channel_deliveries (channel, state, chat, branch, seq);
CREATE INDEX channel_deliveries_thread ON channel_deliveries (thread_id, seq);

-- Where on a platform a conversation is held.
ALTER TABLE sessions ADD COLUMN chat_channel TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN chat TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN branch TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN chat_seq BIGINT NOT NULL DEFAULT 0;
CREATE INDEX sessions_chat ON sessions (chat_channel, chat, branch, chat_seq) WHERE chat_channel <> '';

-- +goose Down
DROP INDEX sessions_chat;
ALTER TABLE sessions DROP COLUMN chat_seq;
ALTER TABLE sessions DROP COLUMN branch;
ALTER TABLE sessions DROP COLUMN chat;
ALTER TABLE sessions DROP COLUMN chat_channel;
DROP TABLE channel_deliveries;
DROP TABLE channel_knocks;
DROP TABLE channel_options;

-- +goose Up
CREATE TABLE webhook_endpoints (
  id   TEXT PRIMARY KEY,
  body TEXT NOT NULL
);
CREATE TABLE webhook_failures (
  id       TEXT PRIMARY KEY,
  endpoint TEXT NOT NULL,
  body     TEXT NOT NULL,
  at       INTEGER NOT NULL,
  sent_at  INTEGER NOT NULL -- when it was sent again; 0 is not
);
CREATE TABLE webhook_incoming (
  name TEXT PRIMARY KEY,
  body TEXT NOT NULL
);
-- How far an endpoint was told, and which node tells it until when.
CREATE TABLE webhook_progress (
  endpoint TEXT PRIMARY KEY,
  cursor   INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  since    INTEGER NOT NULL,
  next_at  INTEGER NOT NULL,
  why      TEXT NOT NULL,
  node     TEXT NOT NULL,
  until_at INTEGER NOT NULL
);

-- +goose Down
DROP TABLE webhook_progress;
DROP TABLE webhook_incoming;
DROP TABLE webhook_failures;
DROP TABLE webhook_endpoints;

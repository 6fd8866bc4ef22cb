-- +goose Up
-- Trackers that are read live, and up to where each was read.
CREATE TABLE trackers (
  name      TEXT PRIMARY KEY,
  body      TEXT NOT NULL,
  read_to   TEXT NOT NULL,
  brought   TEXT NOT NULL, -- by the last sync that found something
  synced_at INTEGER NOT NULL,
  failures  INTEGER NOT NULL, -- in a row
  why       TEXT NOT NULL,
  failed_at INTEGER NOT NULL,
  seq       INTEGER NOT NULL
);
-- When each is looked at next: who moves that looks. checked is the validator of the last answer.
CREATE TABLE tracker_looks (
  name    TEXT PRIMARY KEY,
  next_at INTEGER NOT NULL,
  checked TEXT NOT NULL
);

-- +goose Down
DROP TABLE tracker_looks;
DROP TABLE trackers;

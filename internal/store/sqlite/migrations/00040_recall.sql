-- +goose Up
-- What recall finds: messages, memories in pieces, and notes about people. The words lie in recall_search, stems already.
CREATE TABLE recall_passages (
  n          INTEGER PRIMARY KEY,
  id         TEXT NOT NULL,
  source     TEXT NOT NULL, -- the message, the record or the note
  kind       TEXT NOT NULL, -- message, memory or note
  scope      TEXT NOT NULL,
  type       TEXT NOT NULL, -- what a memory is
  project    TEXT NOT NULL,
  space      TEXT NOT NULL, -- who may find it
  thread     TEXT NOT NULL, -- in which passages stand in a row, each at its place
  place      INTEGER NOT NULL,
  session    TEXT NOT NULL,
  at         INTEGER NOT NULL,
  actor      TEXT NOT NULL,
  outside    INTEGER NOT NULL,
  weight     REAL NOT NULL,
  expires_at INTEGER NOT NULL, -- 0 is never
  valid_to   INTEGER NOT NULL, -- 0 is for good
  title      TEXT NOT NULL,
  text       TEXT NOT NULL
);
CREATE INDEX recall_passages_source ON recall_passages (source);
CREATE INDEX recall_passages_thread ON recall_passages (thread, place);
CREATE INDEX recall_passages_space ON recall_passages (space, at);
CREATE VIRTUAL TABLE recall_search USING fts5 (id UNINDEXED, words, tokenize = 'ascii');
CREATE VIRTUAL TABLE recall_terms USING fts5vocab (recall_search, row);
CREATE TABLE memory_notes (
  id     TEXT PRIMARY KEY,
  person TEXT NOT NULL,
  body   TEXT NOT NULL,
  at     INTEGER NOT NULL,
  seq    INTEGER NOT NULL
);
CREATE INDEX memory_notes_person ON memory_notes (person, seq);

-- +goose Down
DROP TABLE memory_notes;
DROP TABLE recall_terms;
DROP TABLE recall_search;
DROP TABLE recall_passages;

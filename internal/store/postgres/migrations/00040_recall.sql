-- +goose Up
-- What recall finds: messages, memories in pieces, and notes about people. The words lie in recall_search, stems already.
CREATE TABLE recall_passages (
  n          BIGINT PRIMARY KEY,
  id         TEXT NOT NULL,
  source     TEXT NOT NULL, -- the message, the record or the note
  kind       TEXT NOT NULL, -- message, memory or note
  scope      TEXT NOT NULL,
  type       TEXT NOT NULL, -- what a memory is
  project    TEXT NOT NULL,
  space      TEXT NOT NULL, -- who may find it
  thread     TEXT NOT NULL, -- in which passages stand in a row, each at its place
  place      BIGINT NOT NULL,
  session    TEXT NOT NULL,
  at         BIGINT NOT NULL,
  actor      TEXT NOT NULL,
  outside    BIGINT NOT NULL,
  weight     DOUBLE PRECISION NOT NULL,
  expires_at BIGINT NOT NULL, -- 0 is never
  valid_to   BIGINT NOT NULL, -- 0 is for good
  title      TEXT NOT NULL,
  text       TEXT NOT NULL
);
CREATE INDEX recall_passages_source ON recall_passages (source);
CREATE INDEX recall_passages_thread ON recall_passages (thread, place);
CREATE INDEX recall_passages_space ON recall_passages (space, at);
CREATE TABLE recall_search (
  n     BIGINT PRIMARY KEY,
  id    TEXT NOT NULL,
  words TEXT NOT NULL,
  terms TSVECTOR NOT NULL GENERATED ALWAYS AS (array_to_tsvector(string_to_array(words, ' '))) STORED
);
-- Without a list of pending rows, which every search would have to read.
CREATE INDEX recall_search_terms ON recall_search USING gin (terms) WITH (fastupdate = off);
CREATE TABLE memory_notes (
  id     TEXT PRIMARY KEY,
  person TEXT NOT NULL,
  body   TEXT NOT NULL,
  at     BIGINT NOT NULL,
  seq    BIGINT NOT NULL
);
CREATE INDEX memory_notes_person ON memory_notes (person, seq);

-- +goose Down
DROP TABLE memory_notes;
DROP TABLE recall_search;
DROP TABLE recall_passages;

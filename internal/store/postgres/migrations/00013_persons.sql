-- +goose Up
-- Up to which message a person has read a conversation.
CREATE TABLE session_reads (
  thread_id TEXT NOT NULL,
  person    TEXT NOT NULL,
  seq       BIGINT NOT NULL,
  PRIMARY KEY (thread_id, person)
);

-- How persons arranged the page.
CREATE TABLE org_layouts (
  person   TEXT NOT NULL,
  name     TEXT NOT NULL,
  address  TEXT NOT NULL,
  saved_at BIGINT NOT NULL,
  PRIMARY KEY (person, name)
);

-- +goose Down
DROP TABLE org_layouts;
DROP TABLE session_reads;

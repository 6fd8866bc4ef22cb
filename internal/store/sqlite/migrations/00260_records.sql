-- +goose Up
-- A row of desk_records stands at the position of the event that made the record. What that event says of the body is not there a second
-- time: where body_at is not -1 the body is what the event set, with the text in body put in before that character (desk_body). The
-- store writes the rows so when it opens a database in which they were made otherwise.
CREATE TABLE desk_records_made (
  seq         INTEGER PRIMARY KEY,
  id          TEXT NOT NULL UNIQUE,
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
  -- Whether words of a record came from outside.
  outside     INTEGER NOT NULL,
  since       INTEGER NOT NULL,
  body_at     INTEGER NOT NULL,
  body        TEXT NOT NULL
);
INSERT INTO desk_records_made (seq, id, kind, project, version, identity, title, status, deleted, merged_into, created_at, updated_at, created_by, updated_by, outside, since, body_at, body)
  SELECT seq, id, kind, project, version, identity, title, status, deleted, merged_into, created_at, updated_at, created_by, updated_by, outside, since, -1, body FROM desk_records ORDER BY seq;
DROP TABLE desk_records;
ALTER TABLE desk_records_made RENAME TO desk_records;
CREATE INDEX desk_records_list ON desk_records (project, kind, seq);
CREATE INDEX desk_records_identity ON desk_records (project, kind, identity);
-- SQLite plans a kept statement anew at each use when it may compare one of its variables with
-- the condition of an index, as "kind = ?" with "kind = 'project'". It does not with IN.
CREATE INDEX desk_records_timed ON desk_records (kind, seq) WHERE kind IN ('project', 'reminder');
CREATE INDEX desk_records_recent ON desk_records (project, updated_at, seq);
-- It has all that counting needs.
CREATE INDEX desk_records_since ON desk_records (project, since, seq, kind, status, deleted, merged_into);

CREATE TABLE desk_refs_made (
  from_id TEXT NOT NULL,
  field   TEXT NOT NULL,
  to_id   TEXT NOT NULL,
  since   INTEGER NOT NULL,
  PRIMARY KEY (from_id, field, to_id)
) WITHOUT ROWID;
INSERT INTO desk_refs_made (from_id, field, to_id, since) SELECT from_id, field, to_id, since FROM desk_refs ORDER BY 1, 2, 3;
DROP TABLE desk_refs;
ALTER TABLE desk_refs_made RENAME TO desk_refs;
CREATE INDEX desk_refs_to ON desk_refs (to_id, field);

-- +goose Down
CREATE TABLE desk_refs_before (
  from_id TEXT NOT NULL,
  field   TEXT NOT NULL,
  to_id   TEXT NOT NULL,
  since   INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (from_id, field, to_id)
);
INSERT INTO desk_refs_before (from_id, field, to_id, since) SELECT from_id, field, to_id, since FROM desk_refs;
DROP TABLE desk_refs;
ALTER TABLE desk_refs_before RENAME TO desk_refs;
CREATE INDEX desk_refs_to ON desk_refs (to_id, field);
CREATE TABLE desk_records_before (
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
  outside     INTEGER NOT NULL DEFAULT 0,
  since       INTEGER NOT NULL DEFAULT 0
);
INSERT INTO desk_records_before (id, kind, project, version, identity, title, status, deleted, merged_into, created_at, updated_at, created_by, updated_by, seq, body, outside, since)
  SELECT r.id, r.kind, r.project, r.version, r.identity, r.title, r.status, r.deleted, r.merged_into, r.created_at, r.updated_at, r.created_by, r.updated_by, r.seq,
    CASE WHEN r.body_at < 0 THEN r.body ELSE desk_body((SELECT e.payload FROM log_events e WHERE e.seq = r.seq), r.body_at, r.body) END, r.outside, r.since FROM desk_records r;
DROP TABLE desk_records;
ALTER TABLE desk_records_before RENAME TO desk_records;
CREATE INDEX desk_records_list ON desk_records (project, kind, seq);
CREATE INDEX desk_records_identity ON desk_records (project, kind, identity);
CREATE INDEX desk_records_timed ON desk_records (kind, seq) WHERE kind IN ('project', 'reminder');
CREATE INDEX desk_records_seq ON desk_records (seq, project, kind);
CREATE INDEX desk_records_recent ON desk_records (project, updated_at, seq);
CREATE INDEX desk_records_since ON desk_records (project, since, seq, kind, status, deleted, merged_into);

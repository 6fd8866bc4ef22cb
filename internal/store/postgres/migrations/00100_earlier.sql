-- +goose Up
-- What is superseded is kept: a row of desk_earlier is a record as it was from one position of the log to before another,
-- desk_earlier_refs and desk_earlier_values are what was taken out of desk_refs and desk_values. since is where in the log
-- what stands now began. So the desk as it was at a position is what stands since then, and what stood then.
-- The store fills these tables and the columns of lists when it opens a database in which they are missing.
ALTER TABLE desk_records ADD COLUMN since BIGINT NOT NULL DEFAULT 0;
UPDATE desk_records SET since = coalesce((SELECT max(c.seq) FROM desk_changes c WHERE c.record = desk_records.id), 0);
-- It has all that counting needs.
CREATE INDEX desk_records_since ON desk_records (project, since, seq, kind, status, deleted, merged_into);
ALTER TABLE desk_refs ADD COLUMN since BIGINT NOT NULL DEFAULT 0;
ALTER TABLE desk_lists ADD COLUMN since BIGINT NOT NULL DEFAULT 0;
ALTER TABLE desk_values ADD COLUMN since BIGINT NOT NULL DEFAULT 0;

CREATE TABLE desk_earlier (
  id          TEXT NOT NULL,
  from_seq    BIGINT NOT NULL,
  to_seq      BIGINT NOT NULL,
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
  outside     BIGINT NOT NULL,
  seq         BIGINT NOT NULL,
  -- Its narrow row; there is none where list is 0.
  list        BIGINT NOT NULL,
  n0 DOUBLE PRECISION, n1 DOUBLE PRECISION, n2 DOUBLE PRECISION, n3 DOUBLE PRECISION, n4 DOUBLE PRECISION,
  t0 TEXT COLLATE "C", t1 TEXT COLLATE "C", t2 TEXT COLLATE "C", t3 TEXT COLLATE "C", t4 TEXT COLLATE "C", t5 TEXT COLLATE "C", t6 TEXT COLLATE "C", t7 TEXT COLLATE "C", t8 TEXT COLLATE "C", t9 TEXT COLLATE "C", t10 TEXT COLLATE "C",
  body        TEXT NOT NULL,
  PRIMARY KEY (id, to_seq)
);
CREATE INDEX desk_earlier_project ON desk_earlier (project, to_seq, from_seq, seq, kind, status, deleted, merged_into);
CREATE INDEX desk_earlier_list ON desk_earlier (list, to_seq, from_seq);

CREATE TABLE desk_earlier_refs (
  from_id  TEXT NOT NULL,
  field    TEXT NOT NULL,
  to_id    TEXT NOT NULL,
  from_seq BIGINT NOT NULL,
  to_seq   BIGINT NOT NULL,
  PRIMARY KEY (from_id, field, to_id, to_seq)
);
CREATE INDEX desk_earlier_refs_to ON desk_earlier_refs (to_id, field);

CREATE TABLE desk_earlier_values (
  list     BIGINT NOT NULL,
  field    TEXT NOT NULL,
  value    TEXT COLLATE "C" NOT NULL,
  seq      BIGINT NOT NULL,
  source   TEXT NOT NULL,
  from_seq BIGINT NOT NULL,
  to_seq   BIGINT NOT NULL,
  PRIMARY KEY (list, field, value, seq, source, to_seq)
);

-- +goose Down
DELETE FROM log_cursors WHERE name LIKE 'desk_lists:%';
DROP TABLE desk_earlier_values;
DROP TABLE desk_earlier_refs;
DROP TABLE desk_earlier;
ALTER TABLE desk_values DROP COLUMN since;
ALTER TABLE desk_lists DROP COLUMN since;
ALTER TABLE desk_refs DROP COLUMN since;
DROP INDEX desk_records_since;
ALTER TABLE desk_records DROP COLUMN since;

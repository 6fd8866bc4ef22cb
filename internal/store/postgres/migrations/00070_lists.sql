-- +goose Up
-- desk_lists has a narrow row of each record that lists show: what they are filtered and sorted by. A list is the
-- records of one kind in one project, by a number that is made of both. In t0 is the title, in t11 who has the record,
-- in n0 the status; which field is in which other column depends on the kind. The store fills all three tables when
-- it opens a database in which they were made otherwise.
CREATE TABLE desk_lists (
  list       BIGINT NOT NULL,
  seq        BIGINT NOT NULL,
  id         TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  n0 DOUBLE PRECISION, n1 DOUBLE PRECISION, n2 DOUBLE PRECISION, n3 DOUBLE PRECISION, n4 DOUBLE PRECISION,
  t0 TEXT COLLATE "C", t1 TEXT COLLATE "C", t2 TEXT COLLATE "C", t3 TEXT COLLATE "C", t4 TEXT COLLATE "C", t5 TEXT COLLATE "C",
  t6 TEXT COLLATE "C", t7 TEXT COLLATE "C", t8 TEXT COLLATE "C", t9 TEXT COLLATE "C", t10 TEXT COLLATE "C", t11 TEXT COLLATE "C",
  PRIMARY KEY (list, seq)
);
-- The status is in each index, so that what is open is counted without the rows.
CREATE INDEX desk_lists_updated ON desk_lists (list, updated_at, seq, n0);
CREATE INDEX desk_lists_created ON desk_lists (list, created_at, seq, n0);
CREATE INDEX desk_lists_n0 ON desk_lists (list, n0, seq);
CREATE INDEX desk_lists_n1 ON desk_lists (list, n1, seq, n0) WHERE n1 IS NOT NULL;
CREATE INDEX desk_lists_n2 ON desk_lists (list, n2, seq, n0) WHERE n2 IS NOT NULL;
CREATE INDEX desk_lists_n3 ON desk_lists (list, n3, seq, n0) WHERE n3 IS NOT NULL;
CREATE INDEX desk_lists_n4 ON desk_lists (list, n4, seq, n0) WHERE n4 IS NOT NULL;
CREATE INDEX desk_lists_t0 ON desk_lists (list, t0, seq, n0) WHERE t0 IS NOT NULL;
CREATE INDEX desk_lists_t1 ON desk_lists (list, t1, seq, n0) WHERE t1 IS NOT NULL;
CREATE INDEX desk_lists_t2 ON desk_lists (list, t2, seq, n0) WHERE t2 IS NOT NULL;
CREATE INDEX desk_lists_t3 ON desk_lists (list, t3, seq, n0) WHERE t3 IS NOT NULL;
CREATE INDEX desk_lists_t4 ON desk_lists (list, t4, seq, n0) WHERE t4 IS NOT NULL;
CREATE INDEX desk_lists_t5 ON desk_lists (list, t5, seq, n0) WHERE t5 IS NOT NULL;
CREATE INDEX desk_lists_t6 ON desk_lists (list, t6, seq, n0) WHERE t6 IS NOT NULL;
CREATE INDEX desk_lists_t7 ON desk_lists (list, t7, seq, n0) WHERE t7 IS NOT NULL;
CREATE INDEX desk_lists_t8 ON desk_lists (list, t8, seq, n0) WHERE t8 IS NOT NULL;
CREATE INDEX desk_lists_t9 ON desk_lists (list, t9, seq, n0) WHERE t9 IS NOT NULL;
CREATE INDEX desk_lists_t10 ON desk_lists (list, t10, seq, n0) WHERE t10 IS NOT NULL;
CREATE INDEX desk_lists_t11 ON desk_lists (list, t11, seq, n0) WHERE t11 IS NOT NULL;

-- desk_values has the values of which a record has many: labels, and in owner the people of its assignments. Where one
-- comes from another record, source names that.
CREATE TABLE desk_values (
  list   BIGINT NOT NULL,
  field  TEXT NOT NULL,
  value  TEXT COLLATE "C" NOT NULL,
  seq    BIGINT NOT NULL,
  source TEXT NOT NULL,
  PRIMARY KEY (list, field, value, seq, source)
);

-- desk_counts is how many narrow rows there are.
CREATE TABLE desk_counts (
  project TEXT NOT NULL,
  kind    TEXT NOT NULL,
  status  TEXT NOT NULL,
  n       BIGINT NOT NULL,
  PRIMARY KEY (project, kind, status)
);

-- +goose Down
DELETE FROM log_cursors WHERE name LIKE 'desk_lists:%';
DROP TABLE desk_counts;
DROP TABLE desk_values;
DROP TABLE desk_lists;

-- +goose Up
-- desk_changes says where in the log the changes of a record are.
CREATE TABLE desk_changes (
  record  TEXT NOT NULL,
  version INTEGER NOT NULL,
  seq     INTEGER NOT NULL,
  PRIMARY KEY (record, version)
) WITHOUT ROWID;
INSERT INTO desk_changes (record, version, seq)
  SELECT payload ->> '$.id', payload ->> '$.version', seq FROM log_events WHERE type LIKE 'desk.%' AND json_valid(payload) AND payload ->> '$.id' IS NOT NULL;

-- +goose Down
DROP TABLE desk_changes;

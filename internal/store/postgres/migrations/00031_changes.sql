-- +goose Up
-- desk_changes says where in the log the changes of a record are.
CREATE TABLE desk_changes (
  record  TEXT NOT NULL,
  version BIGINT NOT NULL,
  seq     BIGINT NOT NULL,
  PRIMARY KEY (record, version)
);
INSERT INTO desk_changes (record, version, seq)
  SELECT desk_json(payload) ->> 'id', (desk_json(payload) ->> 'version')::bigint, seq FROM log_events WHERE type LIKE 'desk.%' AND erased = 0;

-- +goose Down
DROP TABLE desk_changes;

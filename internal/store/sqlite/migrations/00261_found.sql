-- +goose Up
-- A record that joins two others is found by them, not by words.
DELETE FROM desk_search WHERE rowid IN (SELECT seq FROM desk_records WHERE kind = 'assignment');

-- Few records are of one identity, whatever their project and kind.
DROP INDEX desk_records_identity;
CREATE INDEX desk_records_identity ON desk_records (identity);

-- +goose Down
DROP INDEX desk_records_identity;
CREATE INDEX desk_records_identity ON desk_records (project, kind, identity);

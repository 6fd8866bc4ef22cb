-- +goose Up
-- A record that joins two others is found by them, not by words.
DELETE FROM desk_search s WHERE s.id IN (SELECT r.id FROM desk_records r WHERE r.kind = 'assignment');

-- Few records are of one identity, whatever their project and kind.
DROP INDEX desk_records_identity;
CREATE INDEX desk_records_identity ON desk_records (identity);

-- +goose Down
DROP INDEX desk_records_identity;
CREATE INDEX desk_records_identity ON desk_records (project, kind, identity);

-- +goose Up
-- What a search finds is counted without the records, and its latest are found without sorting all of it.
CREATE INDEX desk_records_seq ON desk_records (seq, project, kind);
CREATE INDEX desk_records_recent ON desk_records (project, updated_at, seq);

-- +goose Down
DROP INDEX desk_records_recent;
DROP INDEX desk_records_seq;

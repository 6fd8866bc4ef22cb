-- +goose Up
-- Whether words of a record came from outside.
ALTER TABLE desk_records ADD COLUMN outside BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE desk_records DROP COLUMN outside;

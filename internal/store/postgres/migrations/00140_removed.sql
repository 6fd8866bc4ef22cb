-- +goose Up
-- A conversation that was removed is shown nowhere.
ALTER TABLE sessions ADD COLUMN removed SMALLINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE sessions DROP COLUMN removed;

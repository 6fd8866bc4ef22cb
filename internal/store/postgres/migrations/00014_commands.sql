-- +goose Up
-- The model that all calls of a conversation ask; empty for each agent's own.
ALTER TABLE sessions ADD COLUMN model TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE sessions DROP COLUMN model;

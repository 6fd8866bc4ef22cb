-- +goose Up
-- How far what was said is indexed for recall; it was indexed with each message until here.
INSERT INTO log_cursors (name, seq) SELECT 'recall_said', coalesce(max(seq), 0) FROM messages;

-- +goose Down
DELETE FROM log_cursors WHERE name = 'recall_said';

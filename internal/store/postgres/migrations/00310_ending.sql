-- +goose Up
-- The record with whose end a notification needs nobody any more.
ALTER TABLE notifications ADD COLUMN ending TEXT NOT NULL DEFAULT '';
UPDATE notifications SET ending = coalesce((body::json ->> 'record'), '') WHERE body::json ->> 'reason' IN ('FINDING', 'DUE', 'ASSIGNED');
CREATE INDEX notifications_ending ON notifications (ending) WHERE ending <> '' AND done_at = 0;

-- +goose Down
DROP INDEX notifications_ending;
ALTER TABLE notifications DROP COLUMN ending;

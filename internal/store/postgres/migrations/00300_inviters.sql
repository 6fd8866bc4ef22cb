-- +goose Up
-- Who made an invitation. It is empty for one of an older daemon, which ends within a week.
ALTER TABLE access_tokens ADD COLUMN by_person TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE access_tokens DROP COLUMN by_person;

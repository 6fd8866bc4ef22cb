-- +goose Up
-- What programs may do by their keys; their tokens are in access_tokens.
CREATE TABLE program_keys (
  id         TEXT PRIMARY KEY,
  person     TEXT NOT NULL,
  body       TEXT NOT NULL,
  expires_at BIGINT NOT NULL, -- 0 is never
  revoked_at BIGINT NOT NULL, -- 0 is not
  seq        BIGINT NOT NULL
);
ALTER TABLE runs ADD COLUMN by_key TEXT NOT NULL DEFAULT '';
ALTER TABLE model_calls ADD COLUMN person TEXT NOT NULL DEFAULT '';
ALTER TABLE model_calls ADD COLUMN by_key TEXT NOT NULL DEFAULT '';
ALTER TABLE budget_reservations ADD COLUMN by_key TEXT NOT NULL DEFAULT '';
CREATE INDEX model_calls_key ON model_calls (by_key, at) WHERE by_key <> '';
UPDATE model_calls SET person = coalesce((SELECT by_actor FROM runs WHERE runs.id = model_calls.run_id),
  (SELECT actor FROM log_events WHERE log_events.seq = model_calls.seq), '');

-- +goose Down
DROP INDEX model_calls_key;
ALTER TABLE budget_reservations DROP COLUMN by_key;
ALTER TABLE model_calls DROP COLUMN by_key;
ALTER TABLE model_calls DROP COLUMN person;
ALTER TABLE runs DROP COLUMN by_key;
DROP TABLE program_keys;

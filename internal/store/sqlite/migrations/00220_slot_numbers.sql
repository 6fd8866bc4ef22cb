-- +goose Up
-- A slot with an agent has a number. One process counts slots in memory here, so no claim has one.
ALTER TABLE run_claims ADD COLUMN slot_number INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run_claims DROP COLUMN holds_slot;

-- +goose Down
ALTER TABLE run_claims ADD COLUMN holds_slot INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run_claims DROP COLUMN slot_number;

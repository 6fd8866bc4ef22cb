-- +goose Up
-- A slot with an agent has a number, so that two runs that take one do not wait for each other.
ALTER TABLE run_claims ADD COLUMN slot_number BIGINT NOT NULL DEFAULT 0;
UPDATE run_claims c SET slot_number = x.n FROM (
  SELECT run_id, row_number() OVER (PARTITION BY slot ORDER BY run_id) AS n FROM run_claims WHERE holds_slot = 1 AND state = 'claimed' AND slot <> ''
) x WHERE x.run_id = c.run_id;
UPDATE run_claims SET slot = '' WHERE holds_slot = 1 AND slot_number = 0;
ALTER TABLE run_claims DROP COLUMN holds_slot;
CREATE UNIQUE INDEX run_claims_slot_number ON run_claims (slot, slot_number) WHERE slot_number > 0;

-- +goose Down
ALTER TABLE run_claims ADD COLUMN holds_slot SMALLINT NOT NULL DEFAULT 0;
UPDATE run_claims SET holds_slot = 1 WHERE slot_number > 0;
DROP INDEX run_claims_slot_number;
ALTER TABLE run_claims DROP COLUMN slot_number;

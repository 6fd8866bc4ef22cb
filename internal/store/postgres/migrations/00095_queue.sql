-- +goose Up
-- The claims are the queue: what waits behind a run of its conversation waits there, too.
UPDATE run_claims SET way = 'queue', node = '' WHERE way = 'behind' OR way = 'queue' AND state <> 'parked';
ALTER TABLE run_claims DROP CONSTRAINT run_claims_way_check;
ALTER TABLE run_claims ADD CONSTRAINT run_claims_way_check CHECK (way IN ('queue', 'direct'));
CREATE INDEX run_claims_due ON run_claims (not_before) WHERE state = 'parked' AND not_before > 0;
DROP SCHEMA IF EXISTS dbos CASCADE;

-- +goose Down
DROP INDEX run_claims_due;
ALTER TABLE run_claims DROP CONSTRAINT run_claims_way_check;
ALTER TABLE run_claims ADD CONSTRAINT run_claims_way_check CHECK (way IN ('queue', 'direct', 'behind'));

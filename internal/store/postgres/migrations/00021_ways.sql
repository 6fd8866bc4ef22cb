-- +goose Up
-- How a job comes to its worker; and what is asked at each end of a run, of few of the claims.
ALTER TABLE run_claims ADD COLUMN way TEXT NOT NULL DEFAULT 'queue' CHECK (way IN ('queue', 'direct', 'behind'));
CREATE INDEX run_claims_part ON run_claims (part);
CREATE INDEX run_claims_seat ON run_claims (seat) WHERE seat <> '';

-- +goose Down
DROP INDEX run_claims_seat;
DROP INDEX run_claims_part;
ALTER TABLE run_claims DROP COLUMN way;

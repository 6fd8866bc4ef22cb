-- +goose Up
-- How a job comes to its worker.
ALTER TABLE run_claims ADD COLUMN way TEXT NOT NULL DEFAULT 'queue' CHECK (way IN ('queue', 'direct', 'behind'));

-- +goose Down
ALTER TABLE run_claims DROP COLUMN way;

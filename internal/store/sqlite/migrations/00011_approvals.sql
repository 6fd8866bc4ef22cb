-- +goose Up
-- A run's page shows what the run asked.
CREATE INDEX approvals_run ON approvals (run_id);

-- +goose Down
DROP INDEX approvals_run;

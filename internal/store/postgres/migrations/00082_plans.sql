-- +goose Up
-- Plans for building workflows.
CREATE TABLE workflow_plans (
  id        TEXT PRIMARY KEY,
  slug      TEXT NOT NULL,
  thread_id TEXT NOT NULL, -- of the conversation that asked for it; empty when none did
  person    TEXT NOT NULL, -- who asked, as a sender
  state     TEXT NOT NULL,
  body      TEXT NOT NULL, -- the plan as it was recorded last
  results   TEXT NOT NULL, -- of its steps, in JSON
  seq       BIGINT NOT NULL,
  at        BIGINT NOT NULL
);
CREATE INDEX workflow_plans_thread ON workflow_plans (thread_id, person, seq);

-- +goose Down
DROP TABLE workflow_plans;

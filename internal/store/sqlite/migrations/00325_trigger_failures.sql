-- +goose Up
-- The last times that a trigger of a workflow began nothing although what it waits for came.
CREATE TABLE workflow_trigger_failures (
  seq  INTEGER PRIMARY KEY,
  slug TEXT NOT NULL,
  nth  INTEGER NOT NULL, -- the trigger's index
  body TEXT NOT NULL,
  at   INTEGER NOT NULL
);
CREATE INDEX workflow_trigger_failures_slug ON workflow_trigger_failures (slug, nth, seq);

-- +goose Down
DROP TABLE workflow_trigger_failures;

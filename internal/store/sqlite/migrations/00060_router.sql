-- +goose Up
CREATE TABLE router_sessions (
  thread_id TEXT NOT NULL,
  person    TEXT NOT NULL,
  state     TEXT NOT NULL,
  body      TEXT NOT NULL, -- the session
  at        INTEGER NOT NULL,
  PRIMARY KEY (thread_id, person)
);
CREATE TABLE router_plans (
  run_id    TEXT PRIMARY KEY, -- of the instance
  thread_id TEXT NOT NULL,
  person    TEXT NOT NULL,
  state     TEXT NOT NULL,
  step      TEXT NOT NULL,
  over      INTEGER NOT NULL,
  body      TEXT NOT NULL -- the plan as it began
);
CREATE INDEX router_plans_open ON router_plans (over, run_id);
CREATE TABLE router_examples (
  seq     INTEGER PRIMARY KEY,
  slug    TEXT NOT NULL, -- empty when none was wanted
  message TEXT NOT NULL
);

-- +goose Down
DROP TABLE router_examples;
DROP TABLE router_plans;
DROP TABLE router_sessions;

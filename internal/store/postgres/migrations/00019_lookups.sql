-- +goose Up
-- What is looked up with each message, and would else be looked for among all there ever were.
CREATE INDEX org_identities_person ON org_identities (person);
CREATE INDEX messages_run ON messages (run_id, seq);
CREATE INDEX sessions_forked ON sessions (forked_from) WHERE forked_from <> '';
CREATE INDEX runs_thread_open ON runs (thread_id, seq) WHERE ended_at = 0;

-- +goose Down
DROP INDEX runs_thread_open;
DROP INDEX sessions_forked;
DROP INDEX messages_run;
DROP INDEX org_identities_person;

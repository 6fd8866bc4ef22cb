-- +goose Up
-- An index costs a page of every commit. Of a thread's events only those outside its own
-- stream need one, of the types only those that not every turn records, and of the runs
-- only those that are open; all runs are listed by their position.
DROP INDEX log_events_thread;
CREATE INDEX log_events_elsewhere ON log_events (thread_id, seq) WHERE stream <> 'thread:' || thread_id;
DROP INDEX log_events_type;
CREATE INDEX log_events_seldom ON log_events (type, seq) WHERE type NOT IN ('chat.message', 'task.request', 'task.accept', 'task.result', 'run.queued', 'run.started', 'run.finished', 'model.answered');
DROP INDEX runs_state;
CREATE INDEX runs_open ON runs (seq) WHERE ended_at = 0;
CREATE INDEX runs_seq ON runs (seq);

-- +goose Down
DROP INDEX runs_seq;
DROP INDEX runs_open;
CREATE INDEX runs_state ON runs (state, seq);
DROP INDEX log_events_seldom;
CREATE INDEX log_events_type ON log_events (type, seq);
DROP INDEX log_events_elsewhere;
CREATE INDEX log_events_thread ON log_events (thread_id, seq);

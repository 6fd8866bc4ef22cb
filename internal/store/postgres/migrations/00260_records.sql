-- +goose Up
-- What the event that made a record says of its body is not kept a second time: where body_at is not -1 the body is what the event set,
-- with the text in body put in before that character. The store writes the rows so when it opens a database in which they were made
-- otherwise.
ALTER TABLE desk_records ADD COLUMN body_at BIGINT NOT NULL DEFAULT -1;

-- desk_body puts a body together again. The payload of an event that makes a record is canonical: behind "set": is the body, and behind that
-- the version, of thirteen characters. It is one expression, which the planner puts in place of the call.
-- +goose StatementBegin
CREATE FUNCTION desk_body(payload TEXT, place BIGINT, word TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT substr(payload, strpos(payload, '"set":') + 6, place::int) || word ||
    substr(payload, strpos(payload, '"set":') + 6 + place::int, length(payload) - strpos(payload, '"set":') - 18 - place::int)
$$;
-- +goose StatementEnd

-- +goose Down
UPDATE desk_records r SET body = desk_body((SELECT e.payload FROM log_events e WHERE e.seq = r.seq), r.body_at, r.body) WHERE r.body_at >= 0;
ALTER TABLE desk_records DROP COLUMN body_at;
DROP FUNCTION desk_body;

-- +goose Up
-- What the event that made a record says of its body is not kept a second time: where body_at is not -1 the body is what the event set,
-- with the text in body put in before that character. The store writes the rows so when it opens a database in which they were made
-- otherwise.
ALTER TABLE desk_records ADD COLUMN body_at BIGINT NOT NULL DEFAULT -1;

-- desk_body puts a body together again. The payload of an event that makes a record is canonical and ends with its body and the version.
-- +goose StatementBegin
CREATE FUNCTION desk_body(payload TEXT, place BIGINT, word TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT left(s.body, place::int) || word || substr(s.body, place::int + 1)
  FROM (SELECT substr(payload, strpos(payload, '"set":') + 6, length(payload) - strpos(payload, '"set":') - 5 - length(',"version":1}')) AS body OFFSET 0) s
$$;
-- +goose StatementEnd

-- +goose Down
UPDATE desk_records r SET body = desk_body((SELECT e.payload FROM log_events e WHERE e.seq = r.seq), r.body_at, r.body) WHERE r.body_at >= 0;
ALTER TABLE desk_records DROP COLUMN body_at;
DROP FUNCTION desk_body;

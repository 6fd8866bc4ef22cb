-- +goose Up
-- The words by which records are found, cut apart and in small letters already: no
-- configuration of text search has a say in what they are. The next step fills it.
CREATE TABLE desk_search (
  id    TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  words TEXT NOT NULL
);
CREATE INDEX desk_search_words ON desk_search USING gin (array_to_tsvector(string_to_array(words, ' ')));

-- desk_json is a body as jsonb, without the NUL characters that jsonb cannot hold.
-- +goose StatementBegin
CREATE FUNCTION desk_json(body TEXT) RETURNS JSONB LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN strpos(body, '\u0000') = 0 THEN body::jsonb ELSE regexp_replace(body, '(?<!\\)((\\\\)*)\\u0000', '\1', 'g')::jsonb END
$$;
-- +goose StatementEnd
-- desk_fold is a text in small letters, whatever the language of the database is.
-- +goose StatementBegin
DO $do$ BEGIN
  IF EXISTS (SELECT FROM pg_collation WHERE collname = 'und-x-icu') THEN
    CREATE FUNCTION desk_fold(word TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT lower(word COLLATE "und-x-icu")';
  ELSE
    CREATE FUNCTION desk_fold(word TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT lower(word)';
  END IF;
END $do$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION desk_fold;
DROP FUNCTION desk_json;
DROP TABLE desk_search;
